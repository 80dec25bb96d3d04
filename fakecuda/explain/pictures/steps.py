"""The steps of a timeline: calls in streams and on the host."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.rules.registry import api_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Record = tuple[Any, ...]

STREAMS = frozenset({"CUstream", "cudaStream_t", "hipStream_t"})
EVENTS = frozenset({"CUevent", "cudaEvent_t", "hipEvent_t"})
CONTEXTS = frozenset({"CUcontext", "hipCtx_t"})
HOST, DEFAULT = "host", 1
"""The title of a process's own row, and CU_STREAM_LEGACY."""
DEFAULTS = {DEFAULT: "default stream", 2: "per-thread default stream"}
WORK = re.compile(r"Memcpy|Memset|Async|Batch|Launch|WaitEvent|WaitValue|WriteValue|AddCallback|EventRecord")
"""Calls that submit work to a stream."""
AT_ONCE = re.compile(r"(Memcpy|Memset)(?!.*(Async|Node|Params))")
"""Calls without a stream that submit work to the default stream."""
WAITS = re.compile(r"(Synchronize|Query)$")
SHOWN = re.compile(
    r"Mem(Alloc|Free|Host|Create|Release|Map|Unmap|AddressReserve|AddressFree|SetAccess|Export|Import|Pool(Create|Destroy|Exp|Imp))"
    r"|(Malloc|Free|FreeHost|HostAlloc|HostRegister|HostUnregister|Reset|CtxDestroy)(_v\d)?$|Ipc|ablePeerAccess|Multicast(Create|Bind|Add|Un)"
)
"""Host calls to show: those that create, share or free memory."""


@define(eq=False)
class Lane:
    """A row of a timeline.

    Attributes:
        process: The name of the process.
        name: What it is: the host, or a stream.
    """

    process: str
    name: str


@define(eq=False)
class Step:
    """A call, or several equal calls in a row.

    Attributes:
        lane: Its row.
        call: The function.
        kind: What colour it has.
        answer: What it answered, where that is not success.
        waits: Whether what comes next comes when it is done.
        after: What it comes after because of an event or a wait; not what its row has before it.
        count: How many calls it stands for.
        alone: Whether it is never counted together with others.
    """

    lane: Lane
    call: str
    kind: str
    answer: str = ""
    waits: bool = False
    after: list[Step] = field(factory=list)
    count: int = 1
    alone: bool = False

    @property
    def words(self) -> str:
        """The text in the step's box."""
        many = f" x{self.count}" if self.count > 1 else ""
        return f"{self.call}{many}{f': {self.answer}' if self.answer else ''}"


@define
class Reader:
    """Reads the records of calls, oldest first.

    Attributes:
        marked: The identities of records that are shown by themselves, whatever they are of.
        steps: The steps.
        of: The steps by the identities of their records.
    """

    marked: Collection[int] = ()
    steps: list[Step] = field(factory=list)
    of: dict[int, Step] = field(factory=dict)
    _lanes: dict[Any, Lane] = field(factory=dict)
    _current: dict[Any, list[Any]] = field(factory=dict)
    _primary: dict[Any, str] = field(factory=dict)
    _recorded: dict[Any, Step] = field(factory=dict)
    _opened: dict[Any, Any] = field(factory=dict)
    _unseen: dict[Lane, Step] = field(factory=dict)

    def read(self, record: Record) -> None:
        """Read a call, and add a step for it if it is shown."""
        thread, op, args, code, outs, _, _ = record
        name = str(op.name)
        if name not in api_of(name).calls:  # a test's own
            return
        if code == Result.SUCCESS:
            self._follow(thread, name, args, outs)
        step = self._step(thread, name, args, code)
        step.alone = step.alone or id(record) in self.marked
        if step.kind or step.alone:
            step.kind = step.kind or "user"
            self._add(step, id(record))

    def _step(self, thread: Any, name: str, args: Sequence[Any], code: int | None) -> Step:
        """Return a call as a step, without a kind if it is not shown."""
        process = thread.process.name
        host = self._lane(process, HOST, HOST)
        streams, events = named(name, args, STREAMS), named(name, args, EVENTS)
        if code not in (Result.SUCCESS, None):
            kind = "" if code == Result.NOT_READY else "refused"  # the number is the same in each API
            return Step(host, name, kind, api_of(name).short(code), waits=True, alone=bool(kind))
        answer = "undefined" if code is None else ""
        kind = _kind(name)
        if kind in {"work", "at once"}:
            lane = self._stream(thread, streams[0] if streams else DEFAULT)
            step = Step(lane, name, "model", answer, waits=not streams, alone=bool(answer))
            if not answer:
                self._unseen[lane] = step
            if events:
                self._order(process, step, events[0])
            return step
        if kind == "waits":
            return Step(
                host, name, "rules", answer, waits=True, after=self._awaited(thread, streams, events), alone=True
            )
        return Step(host, name, "ground" if kind == "shown" else "", answer, waits=True)

    def _order(self, process: str, step: Step, event: int) -> None:
        """Note the record of an event, or a wait for its last record."""
        step.kind, step.alone = "sharing", True
        known = self._opened.get((process, event), (process, event))
        if "WaitEvent" not in step.call:
            self._recorded[known] = step
        elif known in self._recorded:
            step.after.append(self._recorded[known])

    def _awaited(self, thread: Any, streams: Sequence[int], events: Sequence[int]) -> list[Step]:
        """Return what the host waited for: an event, a stream, or all work."""
        process = thread.process.name
        if events:
            known = self._recorded.get(self._opened.get((process, events[0]), (process, events[0])))
            return [known] if known is not None else []
        lanes = [self._stream(thread, one) for one in streams[:1]] or list(self._unseen)
        return [self._unseen.pop(lane) for lane in lanes if lane in self._unseen and lane.process == process]

    def _follow(self, thread: Any, name: str, args: Sequence[Any], outs: Any) -> None:
        """Note new handles, and the thread's current context."""
        process, made = thread.process.name, outs if isinstance(outs, tuple) else (outs,)
        if "Create" in name or "Open" in name:
            for table in (self._lanes, self._recorded, self._opened):
                table.pop((process, made[0]), None)  # the handle of one that has ended
        if "IpcGetEvent" in name:
            self._opened[made[0]] = self._opened.get((process, args[0]), (process, args[0]))
        elif "IpcOpenEvent" in name and args[0] in self._opened:
            self._opened[process, made[0]] = self._opened[args[0]]
        elif "PrimaryCtxRetain" in name:
            self._primary[process, made[0]] = f"device {args[0]}"
        stack = self._current.setdefault(thread, [])
        contexts = [self._primary.get((process, one), f"context {one:#x}") for one in named(name, args, CONTEXTS)]
        if name.endswith(("SetDevice", "CtxSetCurrent", "CtxPopCurrent")):
            del stack[-1:]
        if name.endswith("SetDevice"):
            stack.append(f"device {args[0]}")
        elif name.endswith(("CtxSetCurrent", "CtxPushCurrent")):
            stack += contexts
        elif "CtxCreate" in name:
            stack.append(f"context {made[0]:#x}")

    def _stream(self, thread: Any, handle: int) -> Lane:
        """Return the row of a stream; each context has its own default streams."""
        process = thread.process.name
        if handle > max(DEFAULTS):
            return self._lane(process, handle, f"stream {handle:#x}")
        current = (self._current.get(thread) or [""])[-1]
        return self._lane(
            process, (handle or DEFAULT, current), f"{DEFAULTS[handle or DEFAULT]}, {current}".strip(", ")
        )

    def _lane(self, process: str, key: Any, name: str) -> Lane:
        return self._lanes.setdefault((process, key), Lane(process, name))

    def _add(self, step: Step, record: int) -> None:
        last = self.steps[-1] if self.steps else None
        if last is None or last.alone or step.alone or (last.lane, last.call) != (step.lane, step.call):
            self.steps.append(step)
            last = step
        else:
            last.count += 1
            if step.lane in self._unseen:
                self._unseen[step.lane] = last
        self.of[record] = last


def named(name: str, args: Sequence[Any], types: frozenset[str]) -> list[int]:
    """Return the arguments of a call that have certain types."""
    return [args[place] for place in _places(name, types) if place < len(args) and isinstance(args[place], int)]


@cache
def _places(name: str, types: frozenset[str]) -> tuple[int, ...]:
    return tuple(number for number, param in enumerate(api_of(name).calls[name].inputs) if param.type in types)


@cache
def _kind(name: str) -> str:
    """Return the kind of a call in a timeline, or an empty text."""
    given = bool(_places(name, STREAMS)) and bool(WORK.search(name))
    ways = {"work": given, "at once": AT_ONCE.search(name), "waits": WAITS.search(name), "shown": SHOWN.search(name)}
    return next((way for way, found in ways.items() if found), "")
