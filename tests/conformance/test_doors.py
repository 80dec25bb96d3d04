"""Programs with garbage for arguments by the look-alike and by the bindings: the same codes, exceptions and machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.fuzz import doors
from fakecuda.reach.bindings import options
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
pytestmark = pytest.mark.skipif(not NATIVE, reason=NEEDS)
SEEDS = (15, 50, 63, 103, 134, 256)
"""Seeds that found a difference once: of launches, options of linkers and libraries, and null arrays."""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_doors_agree(seed: int) -> None:
    """On the codes, the exceptions and the machines; ``python -m conformance.fuzz.doors`` draws further programs."""
    assert not doors.report(seed)


@pytest.mark.parametrize(
    ("seed", "planted", "found"),
    [
        (50, lambda *_: None, "cuLinkCreate: TypeError by the look-alike, RuntimeError by the bindings"),
    ],
)
def test_a_planted_difference_is_found(
    monkeypatch: pytest.MonkeyPatch, seed: int, planted: Callable[..., None], found: str
) -> None:
    """With a program of the one call that it takes."""
    monkeypatch.setattr(options, "suffices", planted)
    told, *program = doors.report(seed).splitlines()
    assert told == f"seed {seed}: {found}"
    assert [line.strip()[:15] for line in program] == ["('cuLinkCreate'"]


def test_a_machine_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though each call answers the same."""
    state = doors.Side.state
    monkeypatch.setattr(doors.Side, "state", lambda side: state(side) + "more" * side.real)
    assert "by both, and the machines differ" in doors.report(SEEDS[0])


def test_reasons_are_those_of_a_difference() -> None:
    """An answer of another call, or another exception, has none."""
    outcomes = {
        ("cuModuleLoadData", "Unreadable", "CUDA_ERROR_INVALID_VALUE"): True,
        ("cuModuleLoadData", "Unreadable", "CUDA_ERROR_INVALID_IMAGE"): False,
        ("cuModuleEnumerateFunctions", "CUDA_ERROR_INVALID_HANDLE", "MemoryError"): True,
        ("cuMemAlloc", "TypeError", "ValueError"): False,
        ("cuTensorMapEncodeTiled", "TypeError", "ValueError"): True,
    }
    for (call, mine, real), has in outcomes.items():
        assert any(one.fits(call, (mine, real)) for one in doors.REASONS) is has
    assert all(one.why for one in doors.REASONS)
