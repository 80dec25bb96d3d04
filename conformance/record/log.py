"""Converts the recording library's records to a program.

The program has a step for each call whose arguments the library reads, in an order that could have been: what ends an object
stands where the call began, everything else where it returned. Bytes are not kept. So host memory is plain pages in the
program, and a step that loads an image of code refers to ``unseen.image``. A handle that the program did not get from a recorded
call is ``unseen.stream1``, a number for each such handle. An address that it gives to a copy without having got it is host memory.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from functools import cache
from typing import TYPE_CHECKING, Any

import msgpack
from attrs import define, field

from conformance.kit.calls import CALLS
from conformance.kit.kinds import NUMBERS, TYPES
from conformance.kit.names import SMALL
from conformance.kit.plan import plan_of, referred
from conformance.kit.program import FORKED, MAIN, OWN_STREAM, Recorder
from conformance.record.findings import IDLE
from conformance.record.owned import Owned
from conformance.record.recordings import RECORDED
from fakecuda.reach.native.forms import MODELLED
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.tables import known, rows
from fakecuda.spec.both import STRUCTS
from fakecuda.spec.codes import Result
from fakecuda.spec.layouts import POINTING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.kit.names import Name
    from conformance.kit.plan import Plan
    from conformance.kit.program import Answer, Program, Step
    from fakecuda.reach.shadow.ring import Record

ENDS = re.compile("Free|Destroy|Release|Unmap|Unload|Close|Unregister|Reset|Detach")
"""Calls whose objects another thread may receive before the call returns."""
HANDLES = frozenset({*TYPES.values(), "va"}) - NUMBERS - {"function"}
"""Kinds of arguments that must come from a recorded call."""
ANY_MEMORY = frozenset({"cuMemcpy", "cuMemcpyAsync"})
"""Calls that take host memory where others take a device's."""
SIZED = {"cuMemHostRegister": "bytesize"}
"""The parameter with the size of host memory, by call, where the manual's types do not tell it."""
PAGES = 1 << 16
"""The granularity of a program's host memory."""
MEMBER = 1 << 20
"""The size of host memory behind a struct's pointer."""
UNSEEN = "unseen"
ADOPTED = HANDLES | {"function"}
"""Kinds of arguments that have a number if no recorded call has given them."""
DONE: Answer = {"code": 0, "outs": {}}
DEINITIALIZED = Result.DEINITIALIZED
"""The driver's answer after a process's exit."""


@define
class _Fed:
    """A record without a step.

    Attributes:
        record: The record.
        over: Whether it waits for no answer.
        answer: The answer to a call that ends an object; None without one, and for other records.
    """

    record: Record
    over: bool
    answer: Record | None = None


@define
class Log:
    """A program under construction from records.

    Attributes:
        recorder: What names its values and keeps its steps.
        uncounted: How many calls no step stands for, by function, and why.
        in_flight: The functions that had not returned at the end.
        others: How often functions were called whose arguments are not known.
        refused: How many calls faults answered, by function. They did not reach the driver, and no step stands for them.
        tickets: The ticket of the record that each step is made of.
    """

    recorder: Recorder = field(factory=lambda: Recorder(None, "record", RECORDED))
    uncounted: Counter[str] = field(factory=Counter)
    in_flight: list[str] = field(factory=list)
    others: Counter[str] = field(factory=Counter)
    refused: Counter[str] = field(factory=Counter)
    tickets: list[int] = field(factory=list)
    _processes: dict[int, tuple[str, str]] = field(factory=dict)
    _queue: deque[_Fed] = field(factory=deque)
    _open: dict[tuple[int, int], _Fed] = field(factory=dict)
    _waiting: dict[tuple[int, int], Record] = field(factory=dict)
    _exiting: set[str] = field(factory=set)
    _letters: int = 0
    _programs: dict[int, str] = field(factory=dict)
    _stacks: dict[tuple[int, int], list[tuple[Any, ...]]] = field(factory=dict)
    _ended: list[int] = field(factory=list)
    _owned: Owned = field(init=False)
    _switched: set[tuple[int, int]] = field(factory=set)
    _unseen: dict[tuple[str, str, int], str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._owned = Owned(self.recorder.names)

    @property
    def program(self) -> Program:
        """The program so far."""
        return self.recorder.program

    @property
    def waits(self) -> bool:
        """Whether records wait for the answer to a call that ends an object."""
        return bool(self._queue)

    def tells_nothing(self, thread: tuple[int, int]) -> bool:
        """Return whether a call that a thread makes next tells no more than its arguments and results."""
        return thread not in self._switched and thread[0] in self._processes

    def read(self, records: Iterable[Record]) -> None:
        """Add the records of programs that have ended."""
        self.feed(records)
        for one in self._open.values():
            self._end(one)
        self._open.clear()
        self._go_on()
        self.find_contexts(self.program.steps)
        for process in self._ended:
            name, fork = self._processes[process]
            if not fork:
                self._keep(name, "exit")
        self._ended.clear()

    def feed(self, records: Iterable[Record]) -> None:
        """Add records in order; a call that ends an object delays later ones."""
        for record in records:
            thread = record.process, record.thread
            one = _Fed(record, over=record.kind != ring.CALLED or record.symbol not in _ending())
            self._queue.append(one)
            if record.kind == ring.CALLED:
                self._end(self._open.get(thread))
                self._open[thread] = one
            elif record.kind == ring.ANSWERED and thread in self._open:
                call = self._open.pop(thread)
                call.answer, call.over = (None if call.over else record), True
        self._go_on()

    def _end(self, call: _Fed | None) -> None:
        """Stop waiting for the answer to a call."""
        if call is not None:
            call.over = True
            self.in_flight.append(known()[call.record.symbol].name)

    def _go_on(self) -> None:
        """Add the records that need not wait."""
        while self._queue and self._queue[0].over:
            one = self._queue.popleft()
            self._take(one.record, one.answer)
            self.tickets += [one.record.ticket] * (len(self.program.steps) - len(self.tickets))

    def _take(self, record: Record, answer: Record | None) -> None:
        thread = record.process, record.thread
        if record.kind == ring.STARTED:
            self._start(record)
        elif record.kind == ring.ENDED:
            self._ended.append(record.process)
        elif record.kind == ring.STACK:
            self._stacks[thread] = self._stack(record)
        elif record.kind == ring.OTHER:
            name = record.body.decode()
            self.others[name] += 1
            if not IDLE.search(name):
                self._keep_unread(record, name, 0)
        elif record.kind == ring.CALLED:
            if answer is not None:
                self._add(record, answer)
            self._waiting[thread] = record
        else:
            call = self._waiting.pop(thread, None)
            if call is not None and call.symbol not in _ending():
                self._add(call, record)

    def find_contexts(self, steps: Sequence[Step]) -> None:
        """Name contexts that a call used before another call returned them: a runtime retains them by private tables.

        Args:
            steps: The steps whose arguments are named.
        """
        contexts = [one for one in self.recorder.names.by_text.values() if one.kind == "ctx"]
        found = {}
        for (process, kind, value), text in self._unseen.items():
            same = [one.text for one in contexts if (one.process, one.value) == (process, value)]
            if kind == "ctx" and len(same) == 1:
                found[text] = {"ref": same[0]}
        for step in steps if found else ():
            if "args" in step:
                step["args"] = [found.get(referred(arg) or "", arg) for arg in step["args"]]

    def _start(self, record: Record) -> None:
        """Begin a process, or a fork of a process that has used the driver."""
        self._programs[record.process] = record.body.decode(errors="replace")
        parent = self._processes.get(record.parent)
        if record.flags & ring.FORKED_LATER and parent is not None:
            self._processes[record.process] = parent[0], FORKED
            return
        if record.process in self._processes:  # it has executed another program
            self._keep(self._processes[record.process][0], "kill")
        letters = "abcdefghijklmnopqrstuvwxyz"
        round_, place = divmod(self._letters, len(letters))
        self._letters += 1
        name = letters[place] + (str(round_ + 1) if round_ else "")
        self._processes[record.process] = name, ""
        self._keep(name, "spawn", pid=record.process, program=self._programs[record.process])

    def _stack(self, record: Record) -> list[tuple[Any, ...]]:
        """Return the places of a stack, innermost first.

        The program's own file has no name there.
        """
        return [self._place(record, line) for line in record.body.decode(errors="replace").splitlines()]

    def _place(self, record: Record, line: str) -> tuple[Any, ...]:
        where, _, file = line.partition(" ")
        if where.startswith(":"):
            file, _, function = file.partition("\t")
            return file, int(where[1:]), function
        return file or self._programs.get(record.process, ""), int(where, 16)

    def _keep(self, process: str, call: str, **more: Any) -> None:
        self.recorder.keep({"process": process, "call": call, **more}, DONE)

    def _keep_unread(self, called: Record, name: str, code: int) -> None:
        """Add a step for a call whose arguments are not read."""
        if called.process not in self._processes:
            return
        process, fork = self._processes[called.process]
        thread = fork or (MAIN if called.thread == called.process else f"t{called.thread}")
        step: Step = {"process": process, "call": name, "args": [{"ref": f"{UNSEEN}.words"}]}
        if thread != MAIN:
            step |= {FORKED: True} if fork else {"thread": thread}
        self.recorder.keep(step, {"code": code, "outs": {}})

    def _add(self, called: Record, answered: Record) -> None:
        """Add a step for a call that reached the driver."""
        symbol, whose = known()[called.symbol], (called.process, called.thread)
        if symbol.base == "cuCtxSetCurrent":
            self._switched.add(whose)  # what it asks next tells the device
        else:
            self._switched.discard(whose)
        if answered.flags & ring.FAULT:
            self.refused[symbol.name] += 1
            self._stacks.pop((called.process, called.thread), None)
            return
        name = MODELLED.get(symbol.name, "")
        values = (
            [_plain(one) for one in msgpack.unpackb(answered.body, max_map_len=0, max_ext_len=0)]
            if answered.body
            else []
        )
        plan = plan_of(name) if name in rows() else None
        read = plan is not None and _is_read(plan, tuple(values[: len(plan.inputs)]), called.body)
        if plan is None or not read or answered.flags & ring.CUT or called.process not in self._processes:
            self.uncounted[symbol.name] += 1
            if name in CALLS or not IDLE.search(symbol.name):
                self._keep_unread(called, name or symbol.base, answered.code)
            return
        process, fork = self._processes[called.process]
        thread = fork or (MAIN if called.thread == called.process else f"t{called.thread}")
        inputs, results = tuple(values[: len(plan.inputs)]), values[len(plan.inputs) :]
        results += [None] * (len(plan.outputs) - len(results))
        self._name_host_memory(process, plan, inputs, copied=answered.code == 0)
        step = self.recorder.step_of(process, thread, name, inputs, _nulls(plan, called.body))
        step["args"] = [self._seen(process, step["args"], place, plan, inputs) for place in range(len(step["args"]))]
        if symbol.stream:
            step[OWN_STREAM] = True
        if answered.code == DEINITIALIZED and process not in self._exiting:
            self._exiting.add(process)
            self._keep(process, "begin_exit")
        if stack := self._stacks.pop((called.process, called.thread), None):
            step["stack"] = stack
        answer, _ = self.recorder.answered(step, inputs, plan, answered.code, *results)
        self.recorder.keep(step, answer)
        self._owned.note(step, answer)

    def _name_host_memory(self, process: str, plan: Plan, inputs: tuple[Any, ...], *, copied: bool) -> None:
        """Name host memory that a call uses."""
        sizes = dict(zip(plan.names, inputs, strict=True))
        for (param, fixed), value in zip(plan.inputs, inputs, strict=True):
            kind = plan.kind_of(param, inputs) if fixed is None else fixed
            if kind == "host":
                size = sizes.get(SIZED.get(plan.call.name, param.length))
                self._name_at(process, value, size if isinstance(size, int) else MEMBER)
            elif kind == "dptr" and copied and plan.call.name in ANY_MEMORY:
                self._name_copied(process, value, sizes["ByteCount"])
            elif isinstance(kind, tuple) and isinstance(value, tuple):
                for place, (one, part) in enumerate(zip(kind, value, strict=False)):
                    if one == "host":
                        self._name_at(process, part, _reached(param.type, value, place) if copied else MEMBER)

    def _name_copied(self, process: str, address: int, size: int) -> None:
        """Name memory that a driver copied as host memory."""
        found = self.recorder.names.argument(process, "dptr", address)
        name, plus = found or (None, 0)
        if name is None or not name.live or not _lies_in(name, plus):
            self._name_at(process, address, size, replace=True)

    def _name_at(self, process: str, address: Any, size: int, *, replace: bool = False) -> None:
        if not isinstance(address, int) or address < SMALL or not 0 < size < 1 << 40:
            return
        found = None if replace else self.recorder.names.argument(process, "host", address)
        if found is not None and _lies_in(*found) and (found[0].kind != "host" or found[1] + size <= found[0].size):
            return
        start = address & -PAGES
        pages = (address + size - start + PAGES - 1) & -PAGES
        name = self.recorder.names.new(process, "host", start, pages)
        step = {"process": process, "call": "memory", "args": [pages]}
        self.recorder.keep(step, {"code": 0, "outs": {"ptr": {"new": name.text}}})

    def _seen(self, process: str, args: list[Any], place: int, plan: Plan, inputs: tuple[Any, ...]) -> Any:
        """Return an argument in recorded form; unknown origins get an unused name."""
        (param, fixed), data = plan.inputs[place], args[place]
        kind = plan.kind_of(param, inputs) if fixed is None else fixed
        if data is None and param.array:
            return None
        if kind in {"image", "file"} or (param.type == "void" and param.role == "string_in"):
            return {"ref": f"{UNSEEN}.{kind}"}
        return self._of_kind(process, kind, data)

    def _of_kind(self, process: str, kind: Any, data: Any) -> Any:
        if isinstance(kind, tuple) and isinstance(data, list):
            return [self._of_kind(process, one, part) for one, part in zip(kind, data, strict=False)]
        if kind == "dptr" and (found := self.recorder.names.by_text.get(referred(data) or "")) is not None:
            plus = data.get("plus", 0)
            data = data if _lies_in(found, plus) else found.value + plus
        if isinstance(kind, str) and kind in ADOPTED and type(data) is int and data >= SMALL:
            key = process, kind, data
            return {"ref": self._unseen.setdefault(key, f"{UNSEEN}.{kind}{len(self._unseen) + 1}")}
        return data


def _reached(ctype: str, value: tuple[Any, ...], place: int) -> int:
    """Return how many bytes of host memory a copy uses from the address at a place of its struct on: at most so many."""
    labels = [label for _, label in STRUCTS.get(ctype, ())]
    given = dict(zip(labels, value, strict=False))
    side = labels[place].removesuffix("Host") if place < len(labels) else ""
    if f"{side}XInBytes" not in given:
        return MEMBER
    width, height = given["WidthInBytes"] + given[f"{side}XInBytes"], given["Height"]
    layers = (given.get(f"{side}Height") or height) * (given.get(f"{side}Z", 0) + given.get("Depth", 1))
    return max(MEMBER, int(max(given[f"{side}Pitch"], width) * (layers + given[f"{side}Y"] + height)))


def _lies_in(name: Name, plus: int) -> bool:
    """Return whether an address lies in what has a name, or just behind it; where that ends may not be known."""
    return plus >= 0 and (plus <= name.size or not name.size)


@cache
def _ending() -> frozenset[int]:
    """Return the numbers of the functions that destroy an object."""
    return frozenset(number for number, one in enumerate(known()) if ENDS.search(one.name))


def _is_read(plan: Plan, inputs: tuple[Any, ...], words: bytes) -> bool:
    """Return whether all nested structs of a call were read."""
    given = dict(zip(plan.names, inputs, strict=True))
    return not any(
        any(words[8 * place : 8 * place + 8]) and given[param.name] is None
        for place, param in enumerate(plan.call.params)
        if param.type in POINTING and param.name in given
    )


def _nulls(plan: Plan, words: bytes) -> str:
    """Return the names of null results, separated by spaces."""
    places = {param.name: place for place, param in enumerate(plan.call.params)}
    return " ".join(
        param.name
        for param, _ in plan.outputs
        if not any(words[8 * places[param.name] : 8 * places[param.name] + 8]) and param.role != "inout"
    )


def _plain(value: Any) -> Any:
    return tuple(_plain(one) for one in value) if isinstance(value, list) else value


assert all(name in CALLS for name in rows()), "a call was renamed"
