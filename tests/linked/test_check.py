"""Programs with planted bugs that are checked beside a driver, and their fixed twins."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakecuda.__main__ import main
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

STATUS = 3
"""The exit status of the programs."""
BUGS = {
    "unmap": ["undefined behaviour: cuMemUnmap in process a", "earlier    cuMemsetD8Async in stream", "in unmap"],
    "leak": ["left behind: allocation of process a", "made at    call:", "in leak", "fix        free it: cuMemFree"],
    "race": [
        "undefined behaviour: cuMemcpyDtoDAsync in process a",
        "rule       stream.race.ACCESSES_ARE_ORDERED",
        "in race",
    ],
    "pool": ["undefined behaviour: cuMemFreeAsync in process a", "in pool"],
    "twice": [
        "refused: cuMemFree in process a -> INVALID_VALUE",
        "rule       memory.mem_free.POINTER_IS_A_BASE",
        "in twice",
    ],
    "again": ["refused: cuStreamCreate in process a -> INVALID_VALUE", "refused 3 times, one after the other"],
    "share": ["undefined behaviour: cuMemFree in process", "opened at call:", "in share"],
}
"""The programs, and what the reports have."""


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(
    machine: Machine,
    compile_program: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    bug: str,
) -> None:
    """The status is 1, and the report has the calls and the lines of the program; the fixed twin has no finding."""
    program = compile_program("wrong", "libcuda.so", options=("-g",))
    library, environ = on(machine)
    for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
        monkeypatch.setenv(name, value)
    assert main(["check", "--real", "--profile", "h200-x2", "--", str(program), bug]) == 1
    said = capfd.readouterr().err
    for part in (*BUGS[bug], " 1 finding, 0 of "):
        assert part in said
    assert main(["check", "--real", "--profile", "h200-x2", "--", str(program), bug, "fixed"]) == STATUS
    said = capfd.readouterr().err
    assert " 0 findings, 0 of " in said
