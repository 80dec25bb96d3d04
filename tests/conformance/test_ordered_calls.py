"""Drawn programs make each call of the driver that a row of docs/races.md has."""

from __future__ import annotations

from conformance.fuzz.ordered.draw import drawn
from conformance.fuzz.ordered.run import ran
from tools.pages.races import calls_of

NUMBERS = (
    *(2, 6, 7, 10, 15, 20, 29, 34, 37, 48, 49, 63, 68, 69, 71, 74, 79, 82, 95, 100, 111, 115, 118, 138, 148),
    *(176, 188, 206, 213, 249, 288, 292, 329, 407, 431, 444, 487, 506, 515, 721, 746, 813, 1021, 1083),
    *(1282, 1380, 1381, 1548),
)
"""Programs of seed 0 that together make all of these calls."""
BEFORE_A_PROGRAM = {"cuGraphInstantiateWithParams"}
"""A call that uploads its graph; graphs exist before the first step."""
OF_TWO_DEVICES = {"cuCtxDisablePeerAccess"}
"""A call that needs two devices; programs use one."""

LOADING = "cuModuleLoad", "cuLibraryGetModule"
"""Drawn calls of the row LOADED; other calls load a library on first use."""


def plain(call: str) -> str:
    """Return a call's name without the ending of its form."""
    return call.partition("_v")[0]


def test_each_call_is_drawn() -> None:
    """A call without a program needs a step in ``conformance/fuzz/ordered/calls.py``."""
    rows = calls_of()
    rows["LOADED"] = [call for call in rows["LOADED"] if call.startswith(LOADING)]
    wanted = {plain(call) for calls in rows.values() for call in calls if not call.startswith(("cuda", "hip"))}
    records = [record for number in NUMBERS for record in ran(drawn(0, number)).machine.calls]
    assert wanted - {plain(str(record[1].name)) for record in records} == BEFORE_A_PROGRAM | OF_TWO_DEVICES
