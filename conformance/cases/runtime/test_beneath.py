"""Runtime calls that equal a driver call, with each case of the driver call.

They answer what the driver's call answers, in their own codes, but where the runtime has initialised the driver, or made a
context current, before the driver's rule can be broken. No case here is recorded: those of the driver's calls are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.core.test_initialized import entry_of
from conformance.kit.program import FORKED, Recorder
from conformance.kit.world import Invocation, NotBuilt, Session, Unavailable
from conformance.targets.target import build
from fakecuda.rules.registry import RUNTIME, api_of, below
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from conformance.kit.case import Case

MASKED = {
    "DRIVER_IS_INITIALIZED": "the runtime initialises the driver",
    "CONTEXT_IS_CURRENT": "the runtime makes the primary context current",
    "THREAD_HAS_A_CONTEXT": "the runtime makes the primary context current",
    "CONTEXT_IS_ALIVE": "the runtime makes a primary context anew that was destroyed",
}
"""Driver rules that a runtime call cannot break in the same way, with reasons."""
FUNCTIONS = {"cuLaunchHostFunc", "cuStreamAddCallback"}
"""Calls whose successes call host functions, which later calls need."""
DIFFERS = dict.fromkeys(
    ("inside-of-a-function-of-the-host", "in-a-function-of-the-host", "with-a-context-in-a-function-of-the-host"),
    "the runtime asks for the current context first, which is not permitted there",
)
"""Driver cases with other answers of the runtime, by case name, with reasons."""
DIFFERS |= dict.fromkeys(
    (
        "a-relaxed-thread-makes-calls-that-are-unsafe",
        "a-thread-that-heeds-its-own-captures-makes-such-calls-beside-another's",
    ),
    "the thread heeds captures otherwise since the case before",
)
DIFFERS["MEMORY_HAS_A_CONTEXT-no-context-is-current"] = MASKED["CONTEXT_IS_CURRENT"]


def through() -> dict[str, str]:
    """Return the driver call with the same arguments, by runtime call."""
    found = {}
    for call, op in RUNTIME.ops.items():
        guards = getattr(op.function, "guards", None)
        for lower in below(op):
            if guards and lower.function is guards[1]:
                found[call] = lower.name
    return found


def renamed(invocation: Invocation, call: str) -> Invocation:
    """Return the runtime call with the driver call's arguments, by position."""
    mine, its = CALLS[call], CALLS[invocation.call]
    args = [invocation.args[param.name] for param in its.inputs]
    outputs = dict(zip((param.name for param in its.outputs), (param.name for param in mine.outputs), strict=True))
    return Invocation(
        invocation.process,
        call,
        dict(zip((param.name for param in mine.inputs), args, strict=True)),
        " ".join(outputs[name] for name in invocation.null.split()),
        invocation.thread,
    )


def is_masked(case: Case) -> bool:
    """Return whether the runtime's own first steps prevent the case's breach."""
    return case.id.partition("[")[2].rstrip("]") in DIFFERS or any(
        twist.rule is not None and twist.rule.id.rpartition(".")[2] in MASKED for twist in case.twists
    )


@pytest.mark.parametrize(("call", "lower"), through().items(), ids=through())
def test_beneath(call: str, lower: str) -> None:
    """The answer is the driver's code as a cudaError_t."""
    api, asked, wrong = api_of(call), 0, []
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        recorder = Recorder(machine)
        session = Session(recorder)
        for case in entry_of(lower).singles():
            if is_masked(case) or (lower in FUNCTIONS and not case.code):
                continue
            world = session.world(case.id)
            try:
                invocation = build(case, world)
            except (Unavailable, NotBuilt):
                continue
            assert invocation is not None
            if invocation.thread == FORKED:
                continue  # where the runtime cannot initialise the driver, which these calls ask nothing of
            code = renamed(invocation, call).run()[0]
            world.finish()
            asked += 1
            if code != api.codes.get(case.code, case.code):
                wrong.append(f"{case.id} answers {api.cname(code)} for {recorder.rules[-1]}")
        recorder.close()
    assert asked
    assert not wrong
