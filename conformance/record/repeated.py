"""Calls that a program repeats: a reader that follows a running program makes them on its model once.

A loop of PyTorch makes some five driver calls for each launch. Most of them only ask, and the rest launches the same kernels again.
Such a call is known by its bytes. It has a step in the program, so that steps have the numbers that they have in the recording.

A launch is not made again on the model if the model has made the same launch, and no call since then could have changed its
answer. A launch orders other work: a copy in the stream comes before it, and so may other streams. So the model makes a launch in
each stream after each call that may have given it something to wait for. While a stream is captured, all launches are made.
"""

from __future__ import annotations

import re
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.plan import referred
from conformance.kit.program import FORKED, OWN_STREAM, Program
from conformance.record.adopted import ACCEPTED, new_names
from conformance.record.findings import asks
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.tables import known

if TYPE_CHECKING:
    from conformance.kit.program import Answer, Step
    from conformance.record.log import Log

OFTEN = frozenset(
    {"cuCtxGetDevice", "cuDeviceGetAttribute", "cuDeviceGetCount", "cuDevicePrimaryCtxGetState", "cuStreamIsCapturing"}
)
"""Functions that ask, that programs call often, and that tell the model nothing."""
CURRENT = "cuCtxGetCurrent"
QUERIES = frozenset({"cuEventQuery", "cuStreamQuery"})
ORDERS = QUERIES | {CURRENT}
"""Calls that ask, and change what the model does later."""
LAUNCHES = {"cuLaunchKernel": 8, "cuLaunchCooperativeKernel": 8}
"""The place of the stream, by call."""
CALLS = frozenset({ring.CALLED, ring.ANSWERED})
AGAIN = frozenset({*LAUNCHES, *ORDERS})
PASSES = re.compile(
    "cu(Memcpy.*|Memset.*|EventRecord.*|EventSynchronize|Stream(Synchronize|WaitEvent)|CtxSynchronize)|memory"
)
"""Calls after which a launch has the same answer as before, though other work is ordered then."""
ELSEWHERE = "cuCtxGetDevice_v2"
"""Asks of another context than the current one, if it is given one: the device of a context that no recorded call may have made."""
CONTEXT = slice(ring.RECORD.size + 8, ring.RECORD.size + 16)
"""Where the record of that call has the context."""
HEAD = Struct("<IBxH8xiiixxxx")
"""The head of a record as far as it is used here: its bytes, kind, function, process, thread, code."""
assert HEAD.size == ring.RECORD.size
MAKE_CURRENT = frozenset({"cuCtxSetCurrent", "cuCtxPushCurrent"})
PATIENCE = 64
"""How many steps wait for the device of a context."""
MOST = 1 << 14
"""The most calls that are kept."""


@define
class Repeated:
    """The calls that a program repeats.

    Attributes:
        log: What makes steps of records.
    """

    log: Log
    _number: int = 0
    _rest: bytes = b""
    _waiting: list[tuple[int, Step, Answer]] = field(factory=list)
    _held: dict[tuple[int, int], bytes] = field(factory=dict)
    _steps: dict[bytes, tuple[Step, Answer]] = field(factory=dict)
    _made: dict[int, Step] = field(factory=dict)
    _ordered: set[Any] = field(factory=set)

    def steps_of(self, data: bytes) -> list[tuple[int, Step, Answer]]:
        """Return the steps of records, with their numbers and the driver's answers; a repeated call has the step that it had before.

        A context may be current before a call returns it: the runtime makes it by the driver's private tables, and retains it next. So
        steps wait for the device of this context.

        Args:
            data: What was written; a record may go on in the next piece. Without any, nothing has come for a moment, and no step waits.
        """
        made = self._waiting + self._read(data)
        self._waiting = []
        first = _first_unseen(made)
        if first is not None:
            self.log.find_contexts([step for _, step, _ in made])
            first = _first_unseen(made)
        if first is not None and data and len(made) - first < PATIENCE:
            made, self._waiting = made[:first], made[first:]
        return made

    def _read(self, data: bytes) -> list[tuple[int, Step, Answer]]:
        """Return the steps of records."""
        log, held, steps, unpack = self.log, self._held, self._steps, HEAD.unpack_from
        often, again, elsewhere = _numbers(OFTEN), _numbers(AGAIN), number_of(ELSEWHERE)
        made: list[tuple[int, Step, Answer]] = []
        data = self._rest + data
        at, end = 0, len(data)
        while end - at >= HEAD.size:
            size, kind, symbol, process, thread, code = unpack(data, at)
            start, behind = at, at + (size + 7 & ~7)
            if behind > end:
                break
            at = behind
            if (symbol not in often and symbol not in again) or kind not in CALLS:
                self._add(made, data[start:at])
                continue
            who = process, thread
            if kind == ring.CALLED:
                held[who] = data[start : start + size]
                continue
            called, answered = held.pop(who, b""), data[start : start + size]
            if log.waits or not called:
                self._add(made, called, answered)
            elif symbol in often:
                if code or not log.tells_nothing(who) or (symbol == elsewhere and any(called[CONTEXT])):
                    self._add(made, called, answered)
                else:
                    self._number += 1
            else:
                key = called[:8] + called[16:] + answered[:8] + answered[16:]  # without their tickets
                found = steps.get(key)
                if found is None:
                    self._keep(made, key, called, answered)
                else:
                    made.append((self._number, *found))
                    self._number += 1
        self._rest = data[at:]
        return made

    def _fed(self, *several: bytes) -> list[tuple[int, Step, Answer]]:
        """Give records to the log; return the steps that it makes."""
        recorder = self.log.recorder
        self.log.feed(record for one in several for record in ring.records(one))
        program = recorder.program
        numbers = range(self._number, self._number + len(program.steps))
        made = list(zip(numbers, program.steps, program.answers, strict=True))
        self._number += len(made)
        for kept in (program.steps, program.answers, recorder.rules, self.log.tickets):
            kept.clear()
        return made

    def _add(self, made: list[tuple[int, Step, Answer]], *several: bytes) -> None:
        """Add the steps of records; after a call that may give or end names, no step is what it was."""
        added = self._fed(*several)
        if any(not (PASSES.fullmatch(step["call"]) or only_asks(step, answer)) for _, step, answer in added):
            self._steps.clear()
        made += added

    def _keep(self, made: list[tuple[int, Step, Answer]], key: bytes, called: bytes, answered: bytes) -> None:
        """Add the step of a call, and keep it, if it can be repeated."""
        added = self._fed(called, answered)
        if len(added) == 1 and is_repeatable(*added[0][1:]):
            if len(self._steps) == MOST:
                self._steps.clear()
            self._steps[key] = added[0][1:]
        else:
            self._steps.clear()
        made += added

    def is_known(self, step: Step) -> bool:
        """Return whether the model has made a step, and making it again would change nothing."""
        if id(step) not in self._made:
            return False
        return step["call"] == CURRENT or _place(step) in self._ordered

    def new(self, steps: list[tuple[int, Step, Answer]]) -> Program:
        """Return the program of those steps that the model has not made in the same state."""
        found = {id(step): (step, answer) for _, step, answer in steps if id(step) not in self._made}.values()
        return Program(self.log.program.name, [step for step, _ in found], [answer for _, answer in found])

    def note(self, step: Step, answer: Answer, *, is_known: bool) -> None:
        """Note that the model has made a step.

        Args:
            step: The step.
            answer: The driver's answer.
            is_known: Whether it would be the same if the model made it again: it made no finding, and no stream is captured.
        """
        call = step["call"]
        if is_known and is_repeatable(step, answer):
            place = _place(step)
            if call in QUERIES:
                self._ordered.clear()  # launches come after work that has ended
            elif call in LAUNCHES and place not in self._ordered:
                self._ordered = {one for one in self._ordered if type(one) is tuple}
            self._ordered.add(place)
            self._made[id(step)] = step
        else:
            self._ordered.clear()
            if not (is_known and PASSES.fullmatch(call)):
                self._made.clear()


def _first_unseen(made: list[tuple[int, Step, Answer]]) -> int | None:
    """Return the place of the first step that makes a context current that no call has returned."""
    for place, (_, step, _) in enumerate(made):
        if step["call"] in MAKE_CURRENT and (referred(step["args"][0]) or "").startswith("unseen.ctx"):
            return place
    return None


def is_repeatable(step: Step, answer: Answer) -> bool:
    """Return whether a call has no other answer if it is made again at once."""
    accepted = answer["code"] in ACCEPTED and next(new_names(answer["outs"]), None) is None
    return accepted and step["call"] in AGAIN


def only_asks(step: Step, answer: Answer) -> bool:
    """Return whether a call changes nothing that the model has to know."""
    call = step["call"]
    return asks(call) and call not in ORDERS and not answer["code"] and next(new_names(answer["outs"]), None) is None


def _place(step: Step) -> Any:
    """Return the stream in which a launch orders work; of a query, the step itself."""
    call = step["call"]
    if call not in LAUNCHES:
        return id(step)
    stream = step["args"][LAUNCHES[call]]
    named = stream["ref"] if isinstance(stream, dict) else stream
    return step["process"], step.get("thread", ""), FORKED in step, OWN_STREAM in step, named


@cache
def number_of(name: str) -> int:
    """Return the number that records have for a version of a function."""
    return next(number for number, one in enumerate(known()) if one.name == name)


@cache
def _numbers(names: frozenset[str]) -> frozenset[int]:
    """Return the numbers that records have for the functions, in all their versions."""
    return frozenset(number for number, one in enumerate(known()) if one.base in names)
