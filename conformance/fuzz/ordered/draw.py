"""Random programs with few streams, bytes and events, so that steps meet."""

from __future__ import annotations

from random import Random
from typing import Any

from attrs import evolve

from conformance.fuzz.ordered.draw_graphs import BOXES, CONDITIONS, RANGES, ROWS, Graphs, ordering_nodes, value_args
from conformance.fuzz.ordered.program import (
    ARRAYS,
    FIRST,
    HOSTED,
    LEGACY,
    LOOKS,
    OTHER,
    PER_THREAD,
    SECOND,
    Actor,
    Graph,
    Program,
    Step,
)
from conformance.fuzz.ordered.steps import EVENTS, FROM_HOST, HOSTS
from conformance.fuzz.ordered.weights import (
    ACCESSES,
    AGAIN,
    CONTEXTS,
    EARLY,
    FAMILIES,
    KINDS,
    LINKED,
    MISSING,
    PALETTES,
    STRICT,
    SYNCHRONOUS,
    TWICE,
    USES,
    VARIABLES,
    WAITED,
)

MOST_STEPS, MOST_ACTORS = 8, 3


class Drawing:
    """A program that is drawn.

    Args:
        random: What draws.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.manual = random.random() < 0.3
        self.from_ptx = random.random() < 0.3
        self.actors = tuple(self._actor() for _ in range(random.choice((2, 2, 3))))
        self.palette = random.choice(PALETTES)
        families = random.sample(sorted(FAMILIES), 2)
        if "s0" in self.palette:
            families[0] = "pools"
        if "u" in self.palette:
            families[0] = "managed"
        self.calls: dict[str, int] = {}
        for family in families:
            for what, weight in FAMILIES[family].items():
                self.calls[what] = self.calls.get(what, 0) + weight
        self.graphs: tuple[Graph, ...] = ()
        if "graphs" in families:
            drawing = Graphs(random, self.palette)
            self.graphs = tuple(drawing.graph() for _ in range(random.choice((1, 1, 2))))
        self.ended: set[Any] = set()
        self.slots: set[str] = set()
        self.events = random.choice((1, 2))
        self._made = 0

    def _actor(self) -> Actor:
        context, kind = self.random.choice(CONTEXTS), self.random.choice(KINDS)
        return Actor(context, kind, self.random.choice((0, 0, 1)) if context == FIRST else 0)

    def program(self) -> Program:
        """Return the program."""
        count = self.random.randint(3, MOST_STEPS)
        steps: list[Step] = []
        for _ in range(10 * MOST_STEPS):
            if len(steps) >= count:
                break
            room = count - len(steps)
            steps += self.linked()[:room] if self.random.random() < LINKED else self.some()
        strict, synchronous = self.random.random() < STRICT, self.random.random() < SYNCHRONOUS
        return Program(self.actors, tuple(steps), self.graphs, self.manual, self.from_ptx, strict, synchronous)

    def some(self) -> list[Step]:
        """Return a step, or None if the drawn step is impossible here."""
        step = self.step()
        return [] if step is None else [step]

    def linked(self) -> list[Step]:
        """Return two uses of memory and their order, sometimes incomplete."""
        first, second = (self.random.randrange(len(self.actors)) for _ in range(2))
        if not (self._goes_on(first) and self._goes_on(second)):
            return []
        if launched := self._branched(first, second):
            return launched
        one, other = self.actors[first], self.actors[second]
        common = [name for name in ("a", *self.palette) if self._is_there(name, one) and self._is_there(name, other)]
        if not common:
            return []
        buffer = self.random.choice(common)
        link = self._link(first, second)
        if link and self.random.random() < MISSING:
            link.pop(self.random.randrange(len(link)))
        uses = [self.written(buffer, number) for number in (first, second)]
        if len(link) == 2 and link[1].what == "await" and self.random.random() < EARLY:
            if self.random.random() < 0.5:  # a value of before
                return [link[0], Step("context_sync", first), uses[0], *link, uses[1]]
            return [link[1], uses[0], link[0], *self.passed_on(second, uses[1])]
        return [uses[0], *link, uses[1]]

    def _branched(self, first: int, second: int) -> list[Step]:
        """Return a launch of a graph with event nodes, and a use before or after it."""
        found = ordering_nodes(self.graphs)
        if not found or self.actors[first].context != FIRST or self.actors[second].context != FIRST:
            return []
        number, what, buffer = self.random.choice(found)
        use, launch = self.written(buffer, first), Step("launch", second, (number,))
        if what == "wait":
            return [use, Step("record", first, ("x0",)), launch]
        return [launch, Step("wait", first, ("x0",)), use]

    def passed_on(self, first: int, use: Step) -> list[Step]:
        """Return a use by another actor, after or possibly after an actor's work."""
        number, one = self.random.randrange(len(self.actors)), self.actors[first]
        other = self.actors[number]
        if not self._goes_on(number) or one.context != other.context:
            return [use]
        event = self._event("record", one)
        link = [Step("sync", first)]
        if event is not None and self.random.random() < 0.7:
            wait = self.random.choice((Step("wait", number, event), Step("event_sync", number, event)))
            link = [Step("record", first, event), wait]
        return [*link, evolve(use, actor=number)]  # of the same context

    def written(self, buffer: str, number: int) -> Step:
        """Return a step that writes memory; only copies write arrays."""
        if buffer == "q":
            return Step("box", number, ("q", "b", *self.random.choice(BOXES)))
        first, count = self.random.choice(RANGES)
        if buffer in ARRAYS and self.actors[number].context == SECOND:
            return Step("copy", number, (buffer, first, "b", first, count))
        return Step("put" if buffer in ARRAYS else "fill", number, (buffer, first, count))

    def _link(self, first: int, second: int) -> list[Step]:
        """Return an order between the work of two actors, or nothing if impossible."""
        one, other = self.actors[first], self.actors[second]
        kind = self.random.choice(("event", "event", "value", "context_wait", "context_record", "host", "waits"))
        if kind == "waits":
            return self._may_wait(first, second)
        if kind == "value":
            place, value = value_args(self.random, "write", other if other.process else one)
            how = self.random.choice(CONDITIONS)
            link = [Step("write", first, (place, value)), Step("await", second, (place, value, how))]
            others = [at for at, actor in enumerate(self.actors) if actor.process == one.process and self._goes_on(at)]
            if self.random.random() < TWICE:
                link.insert(self.random.choice((0, 1)), Step("write", self.random.choice(others), (place, value)))
            return link
        if kind == "host":
            what = self.random.choice(("sync", "query", "context_sync", "call"))
            return [Step(what, first, (self.random.choice((0, 1)),) if what == "call" else ())]
        record = "context_record" if kind == "context_record" else "record"
        event = self._event(record, one)
        if event is None or (event[0] != "i" and one.process != other.process):
            return []
        if event[0] == "i" and other.context == SECOND:
            return []
        wait = "context_wait" if kind == "context_wait" else "wait"
        if self.random.random() < WAITED:
            wait = self.random.choice(("event_sync", "event_query"))
        again = [
            Step("record", number, event)
            for number, actor in enumerate(self.actors)
            if actor.context == one.context and self._goes_on(number)
        ]
        later = [self.random.choice(again)] if self.random.random() < AGAIN else []
        return [Step(record, first, event), *later, Step(wait, second, event)]

    def _may_wait(self, first: int, second: int) -> list[Step]:
        """Return a call that may wait on a card, or a launch and an upload of one graph."""
        if self.graphs and self.random.random() < 0.5:
            graph, one, two = self.random.randrange(len(self.graphs)), self.actors[first], self.actors[second]
            return (
                []
                if one.process or two.process
                else [Step("launch", first, (graph,)), Step("upload", second, (graph,))]
            )
        what = _of_code(self.random.choice(("limit", "unload", "end_graph", "say", "destroy_event", "lock")), first)
        who = next((place for place, one in enumerate(self.actors) if one.process), first) if what == "lock" else first
        args = self._args(what, self.actors[who], who)
        return [] if args is None else [Step(what, who, args)]

    def step(self) -> Step | None:
        """Return a step; None if the drawn step is impossible here."""
        if self.random.random() < 0.4 and (made := self.allocation()):
            return made
        number = self.random.randrange(len(self.actors))
        what = _of_code(self._of(USES if self.random.random() < ACCESSES else self.calls), number)
        actor = self.actors[number]
        if ("context", actor.context) in self.ended:
            return None
        args = self._args(what, actor, number)
        return None if args is None else Step(what, number, args)

    def _of(self, weights: dict[str, int]) -> str:
        return self.random.choices(list(weights), list(weights.values()))[0]

    def _args(self, what: str, actor: Actor, number: int) -> tuple[Any, ...] | None:
        if what not in HOSTS and ("stream", number) in self.ended:
            return None
        if what in {"fill", "fill_now", "fetch", "fetch_now", "put", "put_now", "rows", "rows_now"}:
            buffer = self._buffer(actor)
            if buffer is None or buffer in ({"q"} if what in FROM_HOST and actor.context == FIRST else ARRAYS):
                return None
            return (buffer, *self.random.choice(ROWS if what in {"rows", "rows_now"} else RANGES))
        if what in {"box", "box_now"}:
            pair = ["q", "b"] if self._is_there("q", actor) and self._is_there("b", actor) else ["", ""]
            self.random.shuffle(pair)
            return (*pair, *self.random.choice(BOXES)) if pair[0] else None
        if what in {"prefetch", "attach", "discard", "as_host", *LOOKS}:
            return self._of_host(what, actor)
        if what in {"copy", "copy_now"}:
            flags = what == "copy" and "reset" in self.calls and self._is_there("b", actor)
            return value_args(self.random, "copy", actor) if flags else self._copied(what, actor)
        if what in EVENTS:
            return self._event(what, actor)
        if what in {"write", "await", "batch", "reset"}:
            return value_args(self.random, what, actor)
        return self._other(what, actor, number)

    def _other(self, what: str, actor: Actor, number: int) -> tuple[Any, ...] | None:
        if what in {"free", "free_now"}:
            live = sorted(self.slots - self.ended)
            if not live or actor.process:
                return None
            slot = self.random.choice(live)
            self.ended.add(slot)
            return (slot,)
        if what == "end":
            names = (
                {"a"}
                if actor.process
                else {"h", "w", "m", "n", "t"}
                if self.graphs
                else {"b", "h", "w", "u", "m", "n", *ARRAYS}
            )
            open_ones = sorted(one for one in names & set(self.palette) if (one, actor.process) not in self.ended)
            if not open_ones:
                return None
            buffer = self.random.choice(open_ones)
            self.ended.add((buffer, actor.process))
            return (buffer,)
        if what in {"launch", "upload"}:
            return None if actor.process or not self.graphs else (self.random.randrange(len(self.graphs)),)
        if what == "destroy_stream":
            if actor.kind in {LEGACY, PER_THREAD}:
                return None
            self.ended.add(("stream", number))
            return (self._form(),)
        if what == "call":
            return (self.random.choice((0, 1)),)
        if what == "load":
            return (self.random.randrange(4),)
        if what in {"unload", "end_graph"}:
            self._made += 1
            return None if actor.process and what == "end_graph" else (2 * self._made + number % 2,)
        return self._of_contexts(what, actor)

    def _of_contexts(self, what: str, actor: Actor) -> tuple[Any, ...] | None:
        """Return arguments of a call on a context, a process or memory."""
        if what == "end_context":
            if actor.context != SECOND:
                return None
            self.ended |= {("context", SECOND), ("event", "y"), "c"}
            return (self.random.randrange(4),)
        if what == "say":
            names = [one for one in ("a", "b") if self._is_there(one, actor)]
            return (self.random.choice(names),) if names and not actor.process else None
        return None if what == "lock" and not actor.process else ()

    def _form(self) -> str:
        """Return the suffix of a call's name; the older form waits."""
        return self.random.choice(("", "_v1"))

    def _goes_on(self, number: int) -> bool:
        """Return whether an actor's stream and context exist."""
        return not {("stream", number), ("context", self.actors[number].context)} & self.ended

    def _buffer(self, actor: Actor, but: str = "") -> str | None:
        """Return memory for an actor; None if none exists or pool memory must come first."""
        mine = [one for one in self.palette if self._is_there(one, actor) and one != but]
        if not mine:
            mine = ["a"] if (("a", actor.process) not in self.ended and but != "a") else []
        return self.random.choice(mine) if mine else None

    def _is_there(self, buffer: str, actor: Actor) -> bool:
        if (buffer, actor.process) in self.ended or buffer in self.ended:
            return False
        if actor.process:
            return buffer in {"a", "d"}
        if buffer == "c":
            return SECOND in {one.context for one in self.actors}
        return buffer in self.slots if buffer.startswith("s") else buffer != "d"

    def _of_host(self, what: str, actor: Actor) -> tuple[Any, ...] | None:
        """Return arguments of a call on managed memory, or of a host access."""
        ones = [one for one in self.palette if one in (HOSTED if what in LOOKS else "u") and self._is_there(one, actor)]
        if not ones or actor.process or (actor.kind == LEGACY and what in {"attach", "discard"}):
            return None
        buffer, (first, count) = self.random.choice(ones), self.random.choice(RANGES)
        if what in LOOKS:
            return buffer, first, 1
        if what == "as_host":
            pair = self.random.choice((("u", "b"), ("b", "u")))
            return (pair[0], first, pair[1], first, count) if self._is_there("b", actor) else None
        return buffer, first, count

    def _copied(self, what: str, actor: Actor) -> tuple[Any, ...] | None:
        dst = self._buffer(actor)
        if dst is None:
            return None
        first, count = self.random.choice(RANGES)
        choices = [one for one in ("a", "b", "d") if self._is_there(one, actor) and one != dst]
        src = self._buffer(actor, but=dst) or (self.random.choice(choices) if choices else None)
        if src is None or {dst, src} == {"m", "n"} or "q" in {dst, src}:
            return None
        if what == "copy_now" and actor.context == SECOND and {dst, src} & {*ARRAYS}:
            return None
        pair = (dst, src) if self.random.random() < 0.5 else (src, dst)
        return (pair[0], first, pair[1], self.random.choice([one for one, most in RANGES if one + count <= 64]), count)

    def _event(self, what: str, actor: Actor) -> tuple[Any, ...] | None:
        own = {FIRST: ["x0", "x1"][: self.events], SECOND: ["y"], OTHER: ["z"]}[actor.context]
        shared = ["i"] if actor.context != SECOND and OTHER in {one.context for one in self.actors} else []
        if what == "context_record":
            names = own
        elif what == "record":
            names = own + shared
        elif what == "destroy_event":
            names = [one for one in own if not self.graphs or one != "x0"]
        else:
            names = own + shared
            if not actor.process and SECOND in {one.context for one in self.actors}:
                names = sorted({*names, "x0", "y"})
            if what == "elapsed":
                names = [one for one in names if one != "i"]
        names = [one for one in names if ("event", one) not in self.ended]
        if not names:
            return None
        name = self.random.choice(names)
        if what == "destroy_event":
            self.ended.add(("event", name))
            return name, self._form()
        return (name,)

    def allocation(self) -> Step | None:
        """Return the palette's allocation of pool memory that does not exist yet."""
        missing = [one for one in self.palette if one.startswith("s") and one not in self.slots]
        able = [number for number, actor in enumerate(self.actors) if not actor.process and self._goes_on(number)]
        if not missing or not able:
            return None
        self.slots.add(missing[0])
        return Step("allocate", self.random.choice(able), (missing[0],))


def _of_code(what: str, number: int) -> str:
    """Return an actor's action: the first actor loads a module, others unload code."""
    return "load" if what == "unload" and not number else what


def drawn(seed: int, number: int) -> Program:
    """Return the program of a seed and number."""
    drawing = Drawing(Random(f"{seed} {number}"))  # noqa: S311 - it draws programs
    program = drawing.program()
    return of_a_module(program) if number % VARIABLES == 0 else program


def of_a_module(program: Program) -> Program:
    """Return a program with a variable of a module in place of an allocation, and with its end."""
    if program.graphs or any(step.what in {"say", "box", "box_now"} for step in program.steps):
        return program
    steps = [evolve(step, args=tuple("v" if one == "b" else one for one in step.args)) for step in program.steps]
    if any("v" in step.args for step in steps) and len(steps) < MOST_STEPS and not program.actors[0].context:
        end = Step("end", 0, ("v",))
        steps += [end] if all(step.args != end.args for step in steps) else []
    return evolve(program, steps=tuple(steps))
