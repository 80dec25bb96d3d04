"""What the runtime API keeps by itself is no leak: each of its calls that makes nothing leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.kit.case import ENTRIES
from conformance.kit.program import Recorder
from conformance.kit.world import Session, Unavailable
from conformance.record.recorder import load_cases
from fakecuda.model import leaks
from fakecuda.model.leaks import leaks_on
from fakecuda.rules.registry import RUNTIME, api_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

MAKES = (
    "Alloc",
    "BeginCapture",
    "Create",
    "Import",
    "Instantiate",
    "Clone",
    "Malloc",
    "Open",
    "Export",
    "Register",
    "Retain",
    "Load",
)
"""Words in the names of calls that create an object for the caller to release."""


def left(calls: Iterable[str]) -> tuple[int, dict[str, list[str]]]:
    """Return how many calls were made, and the kinds of leaks that the valid call of an entry adds, by call."""
    count, found = 0, {}
    for call in calls:
        with fakecuda.Machine("h200-x2", strict=False) as machine:
            try:
                made = ENTRIES[call].valid(Session(Recorder(machine)).world(call))
            except Unavailable:
                continue
            before = [leak.kind for leak in leaks_on(machine)]
            made.run()
            count += 1
            after = [leak.kind for leak in leaks_on(machine)]
        for kind in before:
            if kind in after:
                after.remove(kind)
        if more := [kind for kind in after if kind != "kept"]:
            found[call] = more
    return count, found


def runtime_calls() -> list[str]:
    """Return the runtime's calls that make nothing for the caller."""
    load_cases()
    return [call for call in sorted(ENTRIES) if api_of(call) is RUNTIME and not any(word in call for word in MAKES)]


def test_what_makes_nothing_leaves_nothing() -> None:
    """Peer access between the runtime's contexts is kept with these."""
    calls = runtime_calls()
    assert "cudaDeviceEnablePeerAccess" in calls
    count, found = left(calls)
    assert count > 150
    assert found == {}


def test_a_planted_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Access that counts although the runtime keeps both contexts."""
    load_cases()
    kept = leaks.Leak

    def counted(kind: str, *rest: object) -> leaks.Leak:
        text = str(rest[2])
        return kept("peer" if text.startswith("access") else kind, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(leaks, "Leak", counted)
    assert left(["cudaDeviceEnablePeerAccess"]) == (1, {"cudaDeviceEnablePeerAccess": ["peer"]})


def test_access_of_the_tests_own_contexts_counts() -> None:
    """Both must be the runtime's; a retain of the test's own is listed beside the kept access."""
    with fakecuda.Machine("h200-x2") as machine:
        a = machine.spawn()
        a.c.cuInit(0)
        contexts = [a.c.cuDevicePrimaryCtxRetain(device)[1] for device in (0, 1)]
        a.c.cuCtxSetCurrent(contexts[0])
        a.c.cuCtxEnablePeerAccess(contexts[1], 0)
        kinds = [leak.kind for leak in leaks_on(machine)]
        assert kinds == ["peer", "retain", "retain"]
        for device in (0, 1):
            a.runtime.cudaSetDevice(device)
            a.runtime.cudaFree(0)
        assert [leak.kind for leak in leaks_on(machine)] == ["retain", "retain", "kept", "kept", "kept"]
