"""``fakecuda smi``: the table of a machine's cards."""

from __future__ import annotations

import re

import pytest

from fakecuda import profiles
from fakecuda.__main__ import main

CUDA = [name for name in profiles.names() if not profiles.load(name).hip.name]


@pytest.mark.parametrize("name", CUDA)
def test_every_card_has_a_row(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its place, its name and its memory; every line is as wide as the others."""
    assert main(["smi", "--profile", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {len(line) for line in lines} == {91}
    places = {device.pci for device in profiles.load(name).devices}
    assert re.findall(r"\| 0000([0-9A-F:.]+) ", "\n".join(lines)) == sorted(place.upper() for place in places)


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Of one card, before the command or behind it a profile is named."""
    assert main(["--profile", "h200", "smi"]) == 0
    before = capsys.readouterr().out
    assert main(["smi", "--profile", "h200"]) == 0
    assert capsys.readouterr().out == before
    assert "Driver Version: 580.159.04       CUDA Version: 13.0" in before
    assert "|   0  NVIDIA H200                     On | 00000000:00:06.0   Off |                    0 |" in before
    assert "| N/A   37C     P0             78W / 700W |       3MiB / 143771MiB |      0%      Default |" in before


def test_a_machine_without_nvml(capsys: pytest.CaptureFixture[str]) -> None:
    """It is said in a line what is missing."""
    assert main(["smi", "--profile", "hip-clr-2026"]) == 2
    assert capsys.readouterr().err == "fakecuda: the cards of hip-clr-2026 have no NVML: Driver Not Loaded\n"
