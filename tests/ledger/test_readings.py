"""Every rule of HIP was read in ROCm's sources a second time, and its entry says where and what that found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fakecuda.explain.evidence import FOUND, EvidenceError, entries, path_of, readings
from fakecuda.explain.ledger import rules
from fakecuda.rules.registry import APIS, EVERY_API, HIP, home
from tools.pages.chapters import DOCS, INDEX

if TYPE_CHECKING:
    from pathlib import Path

VERSION = re.compile(r"(clr|rocm-systems)( after)? ([0-9a-f]{7}|\d+\.\d+\.\d+)")


def test_every_rule_of_hip_was_read() -> None:
    """A new one is read as it is written: a file, a function of HIP, and the versions."""
    own = {rule.id for rule in rules(*EVERY_API.values()) if home(rule.module) is HIP}
    assert own
    assert readings().keys() == own
    known = APIS["hip"].ops.keys()
    wrong = [
        entry.place
        for entry in entries("read")
        if entry.one("function") not in known
        or not re.fullmatch(r"hip_\w+\.cpp", entry.one("file"))
        or not all(VERSION.fullmatch(version) for version in entry.all("version"))
    ]
    assert wrong == []


def test_the_table_counts_them() -> None:
    """Its last row is the sum over the chapters."""
    found = [entry.one("found") for entry in readings().values()]
    [row] = [line for line in (DOCS / INDEX).read_text().splitlines() if line.startswith("| all |")]
    assert [int(cell) for cell in row.split("|") if cell.strip().isdigit()] == [len(found), *map(found.count, FOUND)]


@pytest.mark.parametrize(("found", "more"), [("perhaps", ""), ("differs", ""), ("confirmed", 'differs = "so"\n')])
def test_a_reading_that_says_nothing_is_refused(tmp_path: Path, found: str, more: str) -> None:
    """It confirms, corrects, or tells a difference."""
    path = path_of("hip.va", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(
        '[[read]]\nrule = "hip.va.RANGE_IS_FREE"\nfile = "hip_vm.cpp"\nfunction = "hipMemMap"\nversion = "clr f9f995c"\n'
        f'found = "{found}"\n{more}'
    )
    with pytest.raises(EvidenceError, match="found is confirmed, corrected, differs"):
        entries("read", folder=tmp_path)
