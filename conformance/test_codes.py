"""What broken rules answer, in so many words, for calls of which no recording tells it.

A case takes its code from the rule that it breaks, and a recording says whether that is the driver's. Multicast calls are
never recorded.
"""

from __future__ import annotations

import pytest

import fakecuda
from conformance.core.test_initialized import entry_of
from conformance.program import Recorder
from conformance.target import play
from conformance.world import Session
from fakecuda.codes import Result
from fakecuda.rule import OPS

CALLS = sorted(
    name for name in OPS if name.startswith(("cuMulticast", "cuMemAdvise", "cuMemPrefetchAsync", "cuMemRangeGet"))
)
CODES = {
    Result.NOT_INITIALIZED: {"DRIVER_IS_INITIALIZED"},
    Result.DEINITIALIZED: {"DRIVER_IS_UP"},
    Result.INVALID_CONTEXT: {"CONTEXT_IS_CURRENT"},
    Result.CONTEXT_IS_DESTROYED: {"CONTEXT_IS_ALIVE", "STREAM_HAS_A_CONTEXT", "STREAM_IS_LIVE"},
    Result.INVALID_HANDLE: {"STREAM_IS_KNOWN"},
    Result.INVALID_DEVICE: {"DEVICE_IS_OF_THE_TEAM", "DEVICE_IS_THERE", "DEVICE_IS_VALID", "DEVICES_SUFFICE"},
    Result.NOT_PERMITTED: {"CALLS_ARE_PERMITTED", "FABRIC_IS_PERMITTED"},
    Result.NOT_SUPPORTED: {"LOCATION_IS_NO_DOMAIN"},
}
"""The constants of the rules that give these codes; every other one gives INVALID_VALUE."""


@pytest.mark.parametrize("call", CALLS)
def test_codes(call: str) -> None:
    """Each case of one twist answers the code of its rule."""
    special = {name: code for code, names in CODES.items() for name in names}
    cases = [case for case in entry_of(call).singles() if case.rule is not None]
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        for case, answer in play(cases, Session(Recorder(machine))):
            assert case.rule is not None
            name = case.rule.id.rpartition(".")[2]
            assert answer == special.get(name, Result.INVALID_VALUE), case.id
