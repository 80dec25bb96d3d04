"""The meaning of a program's calls by the manual: operations and their order.

This is written from the manual alone. It knows nothing of the model's record of accesses. What the calls of one run
answered, and what the host could see between them, is given: a query that succeeds is a wait.
"""

from __future__ import annotations

from operator import and_, eq, ge
from typing import TYPE_CHECKING, Any

from attrs import Factory, define, field

from conformance.fuzz.ordered.executor import Operation, Passing, closed
from conformance.fuzz.ordered.graph_events import order_events
from conformance.fuzz.ordered.program import (
    BLOCKING,
    FIRST,
    HOST_FLAG,
    HOSTED,
    LEGACY,
    LOOKS,
    NON_BLOCKING,
    OF_HOST,
    OTHER,
    PER_THREAD,
    PLAIN,
    SECOND,
    chosen,
)
from conformance.fuzz.ordered.reading import DEFAULT, DONE, REFUSED, STRICT, stream_of
from conformance.fuzz.ordered.steps import ASKS, MAY_WAIT, ORDERING, USES, waits
from conformance.fuzz.ordered.uses import ALL, WORD, batch_order, contexts_beside, returns_done, span, use, uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conformance.fuzz.ordered.executor import Use
    from conformance.fuzz.ordered.program import Actor, Node, Program, Step
    from conformance.fuzz.ordered.reading import Reading, Seen, Stream


IN_ORDER, DURING_THE_CALL = 1, 2
"""CU_MEMCPY_SRC_ACCESS_ORDER_STREAM and _DURING_API_CALL. The third one, _ANY, lets the device read at any time."""
HOLDS: dict[str, Callable[[int, int], Any]] = {"geq": ge, "eq": eq, "and": and_}
"""Conditions on values: CU_STREAM_WAIT_VALUE_GEQ, _EQ and _AND. The drawn values are small and positive."""


@define(eq=False)
class Meaning:
    """The operations of a program.

    Args:
        program: The program.
        seen: What was seen of its steps, in order. Later steps are left out.
        reading: How its calls are read; by default as the program says.

    Attributes:
        operations: The operations.
        passing: When the host goes on to each step, and to the end.
        unsure: Operations that may wait for what no operation of the program does.
        launches: The places of the operations of each launch of a graph.
        loose: Nodes of launches whose nodes, some beside each other, also record events, wait or call; and ends of
            memory during whose wait, which the manual does not promise, the host saw a value or was called.
        unknown: Kernels that did not run at once, so that the detector does not know what they use.
    """

    program: Program
    seen: Sequence[Seen]
    reading: Reading = field(default=Factory(lambda self: STRICT if self.program.strict else DEFAULT, takes_self=True))
    operations: list[Operation] = field(factory=list)
    passing: list[Passing] = field(factory=list)
    unsure: int = 0
    loose: int = 0
    unknown: int = 0
    launches: list[range] = field(factory=list)
    _tail: dict[Stream, int] = field(factory=dict)
    _issued: dict[Stream, int] = field(factory=dict)
    _records: dict[str, int] = field(factory=dict)
    _gates: dict[int, int] = field(factory=dict)
    _launched: dict[int, int] = field(factory=dict)
    _uploaded: dict[int, int] = field(factory=dict)
    _said: set[tuple[str, int]] = field(factory=set)
    _limited: set[int] = field(factory=set)
    _left: dict[tuple[int, str], int] = field(factory=dict)
    _values: dict[Stream, list[Operation]] = field(factory=dict)
    _functions: dict[Stream, list[int]] = field(factory=dict)
    _events: list[tuple[Node, Operation]] = field(factory=list)
    _at: int = 0

    def __attrs_post_init__(self) -> None:
        """Make each step in turn."""
        self.passing = [Passing() for _ in range(len(self.seen) + 1)]
        for number, seen in enumerate(self.seen):
            self._at = number
            if seen.answer != REFUSED:
                self._step(self.program.steps[number], seen.answer)
            self._look(seen)
        for one in self.operations:
            if any(closed(self.operations, before) & self.unsure for before in one.either):
                self.unsure |= one.bit

    def _before(self, stream: Stream) -> int:
        """Return the predecessors of a stream's next work.

        cuStreamCreate: a stream without CU_STREAM_NON_BLOCKING synchronises implicitly with stream 0.
        """
        kind, context, _ = stream
        before = self._tail.get(stream, 0) | self._gates.get(context, 0)
        if kind == LEGACY:
            before |= self._blocking(context)
        elif kind != NON_BLOCKING:
            before |= self._issued.get((LEGACY, context, 0), 0)
        return before

    def _add(self, after: int, uses: Iterable[Use] = (), **more: Any) -> Operation:
        one = Operation(1 << len(self.operations), self._at, after, tuple(uses), **more)
        self.operations.append(one)
        return one

    def _submit(self, stream: Stream, uses: Iterable[Use] = (), after: int = 0, **more: Any) -> Operation:
        """Add the next operation of a stream."""
        one = self._add(self._before(stream) | after, uses, **more)
        self._enter(stream, one.bit, one.bit)
        return one

    def _enter(self, stream: Stream, made: int, tail: int) -> None:
        self._issued[stream] = self._issued.get(stream, 0) | made
        self._tail[stream] = tail

    def _wait(self, mask: int) -> None:
        """Have the call return when operations are complete."""
        self.passing[self._at + 1].complete |= mask

    def _ask(self, mask: int, answer: str) -> None:
        """Have the call return whether operations are complete."""
        if answer == DONE:
            self._wait(mask)
        elif mask:
            self.passing[self._at + 1].pending = mask

    def _of_context(self, context: int) -> int:
        mask = 0
        for (_, where, _), issued in self._issued.items():
            if where == context:
                mask |= issued
        return mask

    def _of_stream(self, stream: Stream) -> int:
        mask = self._issued.get(stream, 0)
        return mask | self._blocking(stream[1]) if stream[0] == LEGACY and self.reading.default_waits else mask

    def _blocking(self, context: int) -> int:
        """Return the work of streams that block on a context's legacy default stream."""
        mask = 0
        for (kind, where, _), issued in self._issued.items():
            if where == context and kind in {BLOCKING, PER_THREAD}:
                mask |= issued
        return mask

    def _step(self, step: Step, answer: str) -> None:
        actor, stream = self.program.actors[step.actor], stream_of(self.program, step.actor)
        what, args = step.what, step.args
        if what in USES:
            self._use(what, args, actor, stream)
        elif what in ASKS:
            self._host(what, args, actor, stream, answer)
        elif what == "record":
            self._records[args[0]] = self._submit(stream).bit
        elif what == "context_record":
            self._records[args[0]] = self._add(self._of_context(actor.context)).bit
        elif what == "wait" and args[0] in self._records:  # without a record it does nothing
            self._submit(stream, after=self._records[args[0]])
        elif what == "context_wait":
            self._gates[actor.context] = self._gates.get(actor.context, 0) | self._records.get(args[0], 0)
        elif what == "batch":
            for one in args[0]:
                self._value(stream, one, actor, self._before(stream))
        elif what in {"write", "await"}:
            self._value(stream, args, actor, self._before(stream))
        elif what == "call":
            self._call(stream, self._before(stream))
        elif what == "launch":
            self._launch(args[0], actor, stream)
        elif what == "upload":  # "behind both any previous work in hStream and any previous launches of hGraphExec"
            after = self._launched.get(args[0], 0) | self._uploaded.get(args[0], 0)
            self._uploaded[args[0]] = self._submit(stream, after=after).bit

    def _use(self, what: str, args: tuple[Any, ...], actor: Actor, stream: Stream) -> None:
        """Make a copy, a memset, an allocation or a free."""
        now, default = what.endswith("_now"), (LEGACY, actor.context, 0)
        before, uses, read = self._of_stream(default), uses_of(what, args, actor), 0
        if what in {"put", "put_now"} and args[0] not in {*HOSTED, *OF_HOST}:  # the call reads the source
            self._wait(self._add(before if now else 0, [use("reads", PLAIN, actor, span(0, args[2]))]).bit)
        order = batch_order(args) if what == "copy" and actor.kind != LEGACY else 0
        if order > IN_ORDER:  # "access to the source pointer can be out of stream order"
            read = self._add(0, uses[1:]).bit
            if (
                closed(self.operations, self._before(stream)) & self.unsure
            ):  # the detector ignores the copy, and so its source
                self.loose |= read
            if order == DURING_THE_CALL:  # "all accesses must be complete before the API call returns"
                self._wait(read)
        written = {"writes": args} if what == "reset" else {}
        beside = [(LEGACY, one, 0) for one in contexts_beside(what, args, actor, every=self.reading.contexts_order)]
        read |= sum(self._submit(other).bit for other in beside)
        one = self._submit(default if now else stream, uses[:1] if read and not now else uses, after=read, **written)
        for other in beside:
            self._submit(other, after=one.bit)
        if now:
            self._left |= {(actor.context, name): one.bit for name in args if isinstance(name, str)}
        says_so = {name for name, process in self._said if process == actor.process}
        if actor.context == SECOND and self.program.synchronous:
            says_so = {*args}
        if returns_done(what, args, actor, self.reading, says_so) or (
            order == DURING_THE_CALL and self.reading.plain_waits
        ):
            self._wait(self._of_stream(default) if now else one.bit)
        elif what == "put_now":  # "a stream sync is performed before the copy is initiated"
            self._wait(before)

    def _host(self, what: str, args: tuple[Any, ...], actor: Actor, stream: Stream, answer: str) -> None:
        """Wait, query, or free memory."""
        if what in {"sync", "query"}:
            self._ask(self._of_stream(stream), answer)
        elif what in {"event_sync", "event_query", "elapsed"}:
            self._ask(self._records.get(args[0], 0), answer)
        elif what == "context_sync":
            self._wait(self._of_context(actor.context))
        elif what == "say":  # "the function does not return until those memory operations are complete"
            self._wait(self._left.get((FIRST, args[0]), 0))
            self._said.add((args[0], actor.process))
        elif what in MAY_WAIT:
            self._may_wait(what, args, actor, stream)
        elif what in LOOKS:
            self._wait(self._add(0, uses_of(what, args, actor)).bit)
        elif what == "free_now":
            self._end(args[0], actor, 0)
        elif what == "end":
            waits = args[0] not in {"m", "n"} and self.reading.frees_wait
            self._end(args[0], actor, self._of_context(OTHER if actor.process else FIRST) if waits else 0)

    def _may_wait(self, what: str, args: tuple[Any, ...], actor: Actor, stream: Stream) -> None:
        """Wait as a card does, without a promise of the manual."""
        if not self.reading.frees_wait:
            if what == "end_context":
                self._end("c", actor, 0)
        elif what == "destroy_stream":
            self._wait(self._of_stream(stream) if args[0] else 0)
        elif what == "destroy_event":  # an event that was never recorded: its context's work
            self._wait(self._records.get(args[0], self._of_context(actor.context)) if args[1] else 0)
        elif what == "lock":
            self._wait(self._of_context(FIRST) | self._of_context(SECOND))
        elif (what != "limit" or actor.context not in self._limited) and (what != "unload" or not args[0] % 2):
            # the size of the stack changes, and the library has variables
            self._wait(self._of_context(FIRST if what == "end_graph" else actor.context))
            self._limited |= {actor.context} if what == "limit" else set()

    def _end(self, buffer: str, actor: Actor, after: int) -> None:
        self._wait(self._add(after, [use("ends", buffer, actor, ALL)]).bit)

    def _value(self, stream: Stream, args: Sequence[Any], actor: Actor, before: int, graph: int = 0) -> Operation:
        """Write a value, or wait for one. Both are strong accesses, and a wait is one when it ends."""
        place, value, *how = args
        uses = [use("polls" if how else "updates", place, actor, span(0, WORD))]
        if how:
            holds = HOLDS[how[0]]
            one = self._add(before, uses, awaits=(place, lambda found: bool(holds(found, value))), waits=True)
        else:
            one = self._add(before, uses, writes=(place, value))
        self._values.setdefault(stream, []).append(one)
        if not graph:
            self._enter(stream, one.bit, one.bit)
        return one

    def _call(self, stream: Stream, before: int, graph: int = 0) -> Operation:
        """Call a host function: it begins after earlier work, and later work waits until it returns."""
        begun = self._add(before)
        one = self._add(begun.bit, waits=True)
        self._functions.setdefault(stream, []).append(begun.bit)
        self.unsure |= one.bit
        if not graph:
            self._enter(stream, begun.bit | one.bit, one.bit)
        return one

    def _launch(self, number: int, actor: Actor, stream: Stream) -> None:
        """Launch a graph, "behind both any previous work in hStream and any previous launches of hGraphExec"."""
        before = self._before(stream) | self._launched.get(number, 0)
        before |= self._uploaded.get(number, 0) if self.reading.uploads_order else 0
        first = len(self.operations)
        self._nodes(self.program.graphs[number].nodes, actor, stream, before, number)
        order_events(self.operations, self._events, self._records)
        self._events.clear()
        self.launches.append(range(first, len(self.operations)))
        made = sum(one.bit for one in self.operations[first:])
        self._launched[number] = made
        self._enter(stream, made, made)
        nodes = self.program.graphs[number].nodes
        whats = {node.what for node in nodes}
        chain = all(place - 1 in node.after for place, node in enumerate(nodes) if place)
        if not chain and "choose" in whats and not whats.isdisjoint(ORDERING):
            self.loose |= made

    def _nodes(self, nodes: Sequence[Node], actor: Actor, stream: Stream, before: int, number: int) -> int:
        """Add the operations of nodes, and return them."""
        masks: list[int] = []
        for place, node in enumerate(nodes):
            after = before
            for earlier in node.after:
                after |= masks[earlier]
            if node.what == "child":
                masks.append(self._nodes(node.args[0], actor, stream, after, number))
            elif node.what == "choose":
                masks.append(self._choose(nodes, place, actor, stream, after, number))
            elif node.what in {"set", "turn"}:
                masks.append(self._add(after).bit)
            elif node.what in {"write", "await"}:
                masks.append(self._value(stream, node.args, actor, after, 1).bit)
            elif node.what == "call":
                masks.append(self._call(stream, after, 1).bit)
            elif node.what in {"record", "wait"}:
                one = self._add(after)
                masks.append(one.bit)
                self._events.append((node, one))
            else:
                args = tuple(f"graph{number}" if one == "own" else one for one in node.args)
                what = node.what
                if what in {"allocate", "release"}:
                    what, args = {"allocate": "allocate", "release": "free"}[what], (f"graph{number}",)
                masks.append(self._add(after, uses_of(what, args, actor)).bit)
                if what == "kernel" and (self.seen[self._at].busy or waits(self.program.graphs[number].nodes)):
                    self.unknown |= masks[-1]
        return sum(set(masks))

    def _choose(self, nodes: Sequence[Node], place: int, actor: Actor, stream: Stream, before: int, number: int) -> int:
        """Add the operations of a conditional node and its bodies, turn by turn."""
        made = self._add(before).bit
        first = len(self.operations)
        for body in chosen(tuple(nodes), place):
            made |= self._nodes(body, actor, stream, before | made, number)
        is_set = any(node.what in {"set", "turn"} for node in (*nodes, *nodes[place].args[2][0]))
        if is_set and (self.seen[self._at].busy or waits(nodes)):  # the stream chooses later
            self.unknown |= sum(one.bit for one in self.operations[first:])
        return made

    # What the host sees between steps

    def _look(self, seen: Seen) -> None:
        for stream, ones in self._values.items():
            over = len(ones) - seen.values.get(stream, 0)
            for place, one in enumerate(ones):
                if one.awaits is not None and one.step == self._at:
                    self._judge_wait(one, over=place < over)
                elif one.writes is not None and one.writes[0] == HOST_FLAG and place < over and self.reading.host_polls:
                    self._show(one.bit)
        for stream, bits in self._functions.items():
            for bit in bits[: len(bits) - seen.functions.get(stream, 0)]:
                self._show(bit)

    def _show(self, bit: int) -> None:
        if self.program.steps[self._at].what == "end" and not self.reading.frees_wait and not bit & self._known():
            self.loose |= self.operations[-1].bit  # the wait of the end has shown it
        self._wait(bit)

    def _known(self) -> int:
        """Return the operations that the host knew to be complete before this step."""
        known = 0
        for one in self.passing[: self._at + 1]:
            known |= one.complete
        return closed(self.operations, known)

    def pending(self) -> list[Operation]:
        """Return value writes and waits that are pending after the last seen step."""
        return [
            one
            for stream, ones in self._values.items()
            for one in ones[len(ones) - self.seen[-1].values.get(stream, 0) :]
        ]

    def _judge_wait(self, one: Operation, *, over: bool) -> None:
        """Interpret a value wait by what was seen directly after its call."""
        assert one.awaits is not None
        place, holds = one.awaits
        earlier = [
            other for other in self.operations if other.writes and other.writes[0] == place and other.bit < one.bit
        ]
        writers = sum(other.bit for other in earlier if other.writes and holds(other.writes[1]))
        if not over:
            self.loose |= one.bit  # the detector does not see all that is beside its end
        if not over or self.unknown or closed(self.operations, writers) & self.unsure:
            self.unsure |= one.bit
            return
        if self.reading.earlier_writers:
            one.early = sum(other.bit for other in earlier)
        fills = sum(other.bit for other in earlier if other.uses[0].does == "writes")
        for issued in self._issued.values():
            filled = issued & fills & ~self._known()
            if self.reading.fills_end:
                one.after |= issued & (1 << filled.bit_length()) - 1
