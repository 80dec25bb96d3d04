"""The prober: what a machine answers becomes a profile that fakecuda reads."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from fakecuda import profiles
from fakecuda.errors import ProfileError
from realcuda import probe
from realcuda.toml import render

if TYPE_CHECKING:
    from pathlib import Path


def test_profile(stub: str, tmp_path: Path) -> None:
    """A driver of a few functions, one of which crashes, gives a profile that lists what it could not say."""
    path = tmp_path / "profile.toml"
    assert probe.main(["-o", str(path), "--library", stub, "--limit", "5"]) == 0
    data = tomllib.loads(path.read_text())
    assert (data["schema"], data["name"], data["origin"]) == (1, "stub-gpu-x2", "probed")
    assert data["driver_version"] == 13000
    assert [device["uuid"] for device in data["device"]] == ["a0" * 16, "a1" * 16]
    assert data["memory"]["posix"] is True
    assert data["names"] == {"0": "CUDA_SUCCESS"}
    assert any("cuDevicePrimaryCtxReset(0,): crash" in problem for problem in data["problems"])
    assert any("not exported" in problem for problem in data["problems"])
    assert [device["name"] for device in data["device"]] == ["STUB GPU", "STUB GPU"]
    with pytest.raises(ProfileError, match="COMPUTE_CAPABILITY_MAJOR is missing"):
        profiles.parse(path)


def test_no_driver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a driver there is one line on the standard error, and no file."""
    path = tmp_path / "profile.toml"
    assert probe.main(["-o", str(path), "--library", str(tmp_path / "none.so")]) == 1
    assert capsys.readouterr().err.startswith("no profile written: ")
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "name"), [("NVIDIA H200", "h200"), ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"), ("", "unknown")]
)
def test_default_name(words: str, name: str) -> None:
    """A profile is named after the first device, and how many there are."""
    assert probe.default_name([{"name": words}]) == name
    assert probe.default_name([{"name": words}] * 8) == f"{name}-x8"


def test_toml() -> None:
    """What is written reads back; None has no place in TOML."""
    document = {
        "text": 'a "quoted"\n\x7f\\ é',
        "list": [1, True, "x", None],
        "gone": None,
        "empty": [],
        "table": {"odd key": 1, "inner": {"x": 2}},
        "rows": [{"n": 1, "inner": {"y": 3}}, {"n": 2}],
    }
    expected = {**document, "list": [1, True, "x"]}
    del expected["gone"]
    assert tomllib.loads(render(document)) == expected
