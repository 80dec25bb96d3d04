"""Each call of the suite, made while its process is halted: it answers at once, or waits until it is let go on."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.case import ARGUMENT, ASKED, ENTRIES, Case
from conformance.kit.program import Recorder
from conformance.kit.world import NotBuilt, Session, Unavailable
from fakecuda.rules.registry import OPS, api_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Twist
    from conformance.kit.world import Invocation

LOCKED, PUT_AWAY = "locked", "put away"
AT_ONCE, LATER, NEVER = "at once", "later", "never"
"""When a call answers: while its process is halted, once it goes on, or not even then."""
SHORT, LONG, PATIENCE = 0.3, 1.5, 8.0
"""Seconds after which a call waits that has not returned; the same for slow ones, and once the process goes on."""
SLOW = (
    "CtxCreate",
    "CtxDestroy",
    "PrimaryCtx",
    "Reset",
    "Link",
    "Load",
    "Compile",
    "InitDevice",
    "Memcpy3DPeer",
    "cuCheckpoint",
)
"""Parts of the names of calls that take their time."""
HALTED = ((5000, 0, (0,) * 7), None)
"""Arguments of a lock, which gives up after so many milliseconds, and of a checkpoint."""

Line = dict[str, Any]


@define
class Keeper:
    """A process that halts others and lets them go on."""

    process: Any

    def halt(self, pid: int, state: str) -> dict[str, int]:
        """Halt a process; return what failed."""
        lock, put_away = HALTED
        codes = {"cuCheckpointProcessLock": self.process.c.cuCheckpointProcessLock(pid, lock)[0]}
        if state == PUT_AWAY and not any(codes.values()):
            codes["cuCheckpointProcessCheckpoint"] = self.process.c.cuCheckpointProcessCheckpoint(pid, put_away)[0]
        return {call: code for call, code in codes.items() if code}

    def let_go(self, pid: int, state: str) -> dict[str, int]:
        """Have a process go on; return what failed."""
        codes = {}
        if state == PUT_AWAY:
            codes["cuCheckpointProcessRestore"] = self.process.c.cuCheckpointProcessRestore(pid, None)[0]
        codes["cuCheckpointProcessUnlock"] = self.process.c.cuCheckpointProcessUnlock(pid, None)[0]
        return {call: code for call, code in codes.items() if code}


@define
class Halting:
    """A world whose process is halted for each of some calls.

    Attributes:
        keeper: Halts it.
        recorder: Takes what was called.
        deadline: Seconds after which a call waits that has not returned.
        lines: What was seen.
    """

    keeper: Keeper
    recorder: Recorder
    deadline: float
    lines: list[Line] = field(factory=list)

    def ask(self, case: str, state: str, invocation: Invocation) -> str:
        """Make a call while its process is halted; return when it answered."""
        process = self.recorder.processes[invocation.process.name]
        line: Line = {"call": invocation.call, "case": case, "state": state}
        self.lines.append(line)
        if failed := self.keeper.halt(process.pid, state):
            self.keeper.let_go(process.pid, state)
            line["not halted"] = failed
            return NEVER
        answers: list[Any] = []
        caller = threading.Thread(target=lambda: answers.append(invocation.run()), daemon=True)
        caller.start()
        caller.join(self.deadline)
        when = LATER if caller.is_alive() else AT_ONCE
        failed = self.keeper.let_go(process.pid, state)
        caller.join(PATIENCE)
        if failed:
            line["does not go on"] = failed
        if answers:
            line |= {"when": when, **self.recorder.program.answers[-1]}
            return when
        line["when"] = NEVER
        return NEVER


def wrong(case: Case) -> Twist | None:
    """Return a wrong argument of a call, the first that a driver may be asked."""
    twists = (one.twists[0] for one in case.entry.singles() if one.twists)
    return next((one for one in twists if one.stage == ARGUMENT and one.code and one.real and one.touches), None)


def ask(call: str, machine: Any, keeper: Keeper, *, fully: bool, clock: float = 1.0) -> list[Line]:
    """Ask about a call; return what was seen.

    Args:
        call: The call.
        machine: Where.
        keeper: Halts the process.
        fully: Whether a call that waits while its process is locked is asked while it is put away, too.
        clock: How much shorter it is waited than on a card.
    """
    deadline = (LONG if any(part in call for part in SLOW) else SHORT) * clock
    with closing(Recorder(machine, call)) as recorder:
        halting = Halting(keeper, recorder, deadline)
        try:
            case = Case(ENTRIES[call])
            world = Session(recorder).world(call)
            invocation = case.prepare(world)
            invocation.process.ok.cuInit(0)  # a process that has not called it cannot be halted
            twist = wrong(case)
            refused = None if twist is None else twist.act(world, invocation)
            if twist is not None and refused is not None:
                halting.ask(twist.name, LOCKED, refused)
            when = halting.ask("valid", LOCKED, invocation)
            if when == AT_ONCE or (fully and when == LATER):
                halting.ask("valid", PUT_AWAY, invocation)
        except (NotBuilt, Unavailable) as lack:
            halting.lines.append({"call": call, "lacks": str(lack)})
        except Exception as error:  # noqa: BLE001 - what was seen until here is worth keeping
            halting.lines.append({"call": call, "error": f"{type(error).__name__}: {error}"[:300]})
    return halting.lines


def plan(wanted: Callable[[str], bool] = lambda _: True) -> list[tuple[str, bool]]:
    """Return the calls that are asked, and whether fully: those first of each module, which are asked so, then the others."""
    seen: Counter[str] = Counter()
    places = []
    for call in sorted(ENTRIES):
        if api_of(call) in ASKED and wanted(call) and not Case(ENTRIES[call]).guarded:
            module = OPS[call].module.rpartition(".")[0]
            places.append((seen[module], call))
            seen[module] += 1
    return [(call, not place) for place, call in sorted(places)]
