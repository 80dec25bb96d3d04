"""Programs of the search, drawn step by step from what the processes of a model hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from conformance.cases.driver.copy.fixtures import struct
from conformance.fuzz.arguments import RuntimeArguments
from conformance.fuzz.choices import CHOICES, LATE, NEEDS_RESULTS, PAGE
from conformance.fuzz.copying import MEMBERS, ROW, ROWS, WRONG_ROWS
from conformance.kit.names import ADDRESSES, TYPES
from conformance.kit.program import FORKED, MAIN
from conformance.kit.world import GRANULE, POSIX, READ_WRITE, access, pinned
from conformance.search import objects
from conformance.search.tables import CALLS as VALUES
from conformance.search.tables import CHAPTERS, DEAR, EXTENT, NO_EXTENT, OFTEN
from fakecuda.model.code.module import Function, Kernel
from fakecuda.model.memory.memory import Managed
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from conformance.kit.names import Name
    from conformance.kit.program import Recorder
    from conformance.search.objects import Values
    from fakecuda.simulated.machine import Machine
    from fakecuda.spec.description import Param

PROCESSES = ("a", "b")
SECOND = "second"
SHORTEST, LONGEST = 12, 60
"""Steps of a program."""
DEAREST = 40
"""One program in so many makes calls that take a card long, or change a process for good."""
TRIES = 4
"""How often a call that shall succeed is drawn anew."""
NUMBERS = 16
"""Draws for the parameters of a call; more than any call has."""
CHANGES_POOLS = frozenset(
    {"cuMemPoolSetAttribute", "cuMemPoolSetAccess", "cudaMemPoolSetAttribute", "cudaMemPoolSetAccess"}
)
"""Calls that change what a pool is for good."""
DESTROYERS = frozenset({"cuMemFree", "cudaFree", "cudaFreeHost", "cudaFreeAsync"})
"""Calls that are not given memory that other processes have open: what comes after is undefined."""


class Player(Protocol):
    """What makes the steps that are drawn."""

    @property
    def over(self) -> bool:
        """Whether no further step is made."""

    def begin(self, process: str, *, runtime: bool, device: int) -> None:
        """Start a process in which a device is used."""

    def lead(
        self, process: str, thread: str, name: str, inputs: tuple[Any, ...], null: str = "", *, may_fail: bool = True
    ) -> int:
        """Make a call; return its code. One that may not fail and does is not made."""

    def other(self, step: dict[str, Any]) -> None:
        """Make a step that is no call."""


class Drawing(RuntimeArguments):
    """A program that is drawn.

    Args:
        random: Draws.
        machine: The model's machine.
        model: The recorder of the program on it.
        runtime: Whether it makes calls of the runtime API, too.
        lacking: Calls that the card's libraries lack.
        chapters: The chapters whose calls may be made; all by default.

    Attributes:
        all: The chapters whose calls it may make.
        chapters: Those whose calls it makes most.
        dear: Whether it makes calls that take a card long, or change a process for good.
    """

    def __init__(
        self,
        random: Random,
        machine: Machine,
        model: Recorder,
        *,
        runtime: bool = True,
        lacking: Collection[str] = (),
        chapters: Sequence[str] = (),
    ) -> None:
        self.machine = machine
        self.model = model
        self.random = random
        self._old: set[str] = set()
        self._lacking = lacking
        self._devices = len(machine.devices)
        drawn = sorted(name for name in chapters or CHAPTERS if runtime or not name.startswith("runtime"))
        self.all = drawn
        self.chapters = tuple(random.sample(drawn, min(2, len(drawn))))
        self.runtime = runtime
        self.dear = not random.randrange(DEAREST)
        self._wrong = random.choice((0.04, 0.15, 0.4))
        self._legal = random.choice((0.4, 0.8, 0.95))
        self._threads = random.choice((0.0, 0.0, 0.15, 0.4))
        self._others = random.choice((0.0, 0.1, 0.3))
        self._weights = {
            name: [random.expovariate(1.0) * self._share_of(call) for call in calls] for name, calls in CHAPTERS.items()
        }
        self._ends = self.dear and random.randrange(3) == 0

    def _share_of(self, call: str) -> float:
        """Return how often a call comes, beside the others of its chapter."""
        if call in self._lacking:
            return 0.0
        return DEAR.get(call, 1.0) * OFTEN.get(call, 1.0) if self.dear or call not in DEAR else 0.0

    def play(self, player: Player) -> None:
        """Make a whole program."""
        random = self.random
        for number, name in enumerate(PROCESSES):
            player.begin(name, runtime=self.runtime, device=number % self._devices)
        steps = random.randint(SHORTEST, LONGEST)
        while len(self.model.program.steps) < steps and not player.over:
            self._step(player)

    def _step(self, player: Player) -> None:
        random = self.random
        kind = random.randrange(100)
        process = random.choice(PROCESSES)
        if not self.model.processes[process].alive:
            process = next((name for name in PROCESSES if self.model.processes[name].alive), "")
            if not process:
                player.begin("d", runtime=self.runtime, device=0)
                process = "d"
        if kind < 2:
            player.other({"process": process, "call": "memory", "args": [random.choice((1, 2)) * PAGE]})
        elif kind == 2:
            player.other({"process": process, "call": "function", "args": ["getpid"]})
        elif kind == 3 and self._ends:
            self._ends = False
            player.other({"process": process, "call": random.choice(("exit", "kill", "begin_exit"))})
        elif kind < 10:
            self._pattern(player, process)
        else:
            if kind == 15 and self.dear:
                process = LATE
                if LATE not in self.model.processes:
                    player.other({"process": LATE, "call": "spawn"})
            self._call(player, process)

    def _call(self, player: Player, process: str) -> None:
        random = self.random
        legal = random.random() < self._legal
        on = SECOND if random.random() < self._threads else FORKED if self.dear and not random.randrange(40) else MAIN
        for left in reversed(range(TRIES)):
            others = random.random() < self._others
            chapter = random.choice(self.all if others else self.chapters)
            if not any(self._weights[chapter]):
                continue
            call = random.choices(CHAPTERS[chapter], self._weights[chapter])[0]
            inputs = CALLS[call].inputs
            wrong = random.randrange(len(inputs)) if inputs and not legal and random.random() < self._wrong else NUMBERS
            values = self.arguments(process, call, [random.randrange(1 << 16) for _ in range(NUMBERS)], wrong)
            if values is None:
                continue
            results = [param.name for param in CALLS[call].outputs]
            null = results[0] if results and not random.randrange(30) and call not in NEEDS_RESULTS else ""
            if self.make(player, process, on, call, values, null, may_fail=not (legal and left)) >= 0:
                return

    def make(
        self,
        player: Player,
        process: str,
        on: str,
        call: str,
        values: tuple[Any, ...],
        null: str = "",
        *,
        may_fail: bool = True,
    ) -> int:
        """Make a call; return its code, negative for one that was not made."""
        gone = self._gone() if CALLS[call].acquires else ()
        code = player.lead(process, on, call, values, null, may_fail=may_fail)
        if not code:
            self._old.update(gone)  # something new may lie where they were
        return code

    def dead(self, process: str) -> Sequence[int]:
        """Return addresses that name nothing any more in a process, and where nothing new can be."""
        named = self.model.names.by_text
        return [int(named[text].value) for text in sorted(self._gone() - self._old) if named[text].process == process]

    def _gone(self) -> set[str]:
        """Return the names of addresses at which nothing is any more."""
        found = set()
        for name in self.model.names.by_text.values():
            if name.kind in ADDRESSES and name.kind != "host" and isinstance(name.value, int):
                state = self.model.processes[name.process]
                if state.memory.at(name.value) is None and state.reservations.at(name.value) is None:
                    found.add(name.text)
        return found

    def _names(self, process: str, call: str, name: Name) -> bool:
        if call == "cuMemGetHandleForAddressRange" and name.size < GRANULE:
            return False  # whether it begins a page differs from run to run
        if name.kind == "pool" and call in CHANGES_POOLS and not self.dear:
            pool = self.model.processes[process].pools.get(int(name.value))
            if pool is None or pool.default:
                return False  # a process keeps its default pools
        return super()._names(process, "cudaFree" if call in DESTROYERS else call, name)

    def arguments(self, process: str, call: str, draws: list[int], wrong: int) -> tuple[Any, ...] | None:
        """Return arguments of a call, nodes of the graph that it has among them."""
        found = super().arguments(process, call, draws, wrong)
        nodes = {name.value for name in self._named(process, "node")}
        return found and objects.together(self.random, call, self.model.processes[process], found, nodes)

    def _choices(self, process: str, call: str, param: Param) -> Values:
        if param.type in objects.HANDLES and not param.array:
            state, kind = self.model.processes[process], TYPES[param.type]
            named = self._named(process, kind)
            return [one.value for one in named if objects.held(state, param, one.value)], (0,)
        if param.type == "CUgraphNode":
            return (None,), (None,)
        if (call, param.name) in VALUES:
            return VALUES[call, param.name]
        if param.name in {"osHandle", "shareableHandle"} or (param.name == "handle" and "FromShareable" in call):
            return [one.value for one in self.model.names.by_text.values() if one.kind == "fd" and one.live], (-1,)
        if param.type.endswith(("hostFn", "HostFn_t", "hostFn_t", "Callback", "Callback_t")):
            return [one.value for one in self._named(process, "function")], ()
        if (call, param.name) not in CHOICES and (param.array or param.kind == "struct"):
            return self._structs(process, call, param)
        return super()._choices(process, call, param)

    def _named(self, process: str, kind: str) -> list[Name]:
        return [one for one in self.model.names.by_text.values() if one.kind == kind and one.process == process]

    def _plain_kernels(self, process: str) -> list[Name]:
        """Return the kernels and functions of a process that have no parameters."""
        loaded = self.model.processes[process].loaded
        return [
            one
            for one in self._named(process, "kernel")
            if isinstance(item := loaded.get(int(one.value)), Kernel | Function) and not item.entry.params
        ]

    def large(self, process: str, *, managed: bool = False) -> list[int]:
        """Return addresses of a process's memory that holds some rows."""
        memory = self.model.processes[process].memory
        found = []
        for name in self._named(process, "dptr"):
            item = memory.at(int(name.value))
            # A program names what lies in memory by it only where it knows how large that is.
            whole = item is not None and item.start == name.value and name.live
            if whole and min(item.size, name.size) >= 2 * ROWS:
                found.append(int(name.value))
        return [one for one in found if isinstance(memory.at(one), Managed)] if managed else found

    def _structs(self, process: str, call: str, param: Param) -> Values:
        """Return descriptions of copies from one place to another, and arrays of addresses."""
        if param.type == "CUDA_KERNEL_NODE_PARAMS":
            kernels = [one.value for one in self._named(process, "kernel")]
            return [(one, *[1] * 6, 0, 0, 0, 0, 0) for one in kernels], [None, (0, *[1] * 6, 0, 0, 0, 0, 0)]
        large = self.large(process, managed="Batch" in call and "Memcpy" not in call)
        if not large:
            return (), ()
        target, source = self.random.choice(large), self.random.choice(large) + ROWS
        if param.type in MEMBERS:
            members = {"dstDevice": target, "srcDevice": source, **ROW}
            mine = MEMBERS[param.type]

            def made(wrong: dict[str, int]) -> tuple[Any, ...]:
                merged = {**members, **wrong}
                return struct(param.type, **{name: value for name, value in merged.items() if name in mine})

            return (made({}),), [made(wrong) for wrong in WRONG_ROWS if "pCopy" not in wrong]
        rows = (target, 64, 64, 4)
        match param.type:
            case "CUDA_MEMSET_NODE_PARAMS":
                return ((target, 0, 7, 1, 16, 1),), ((target, 0, 7, 3, 16, 1), (target, 0, 7, 1, 0, 1), None)
            case "CUDA_KERNEL_NODE_PARAMS":
                found = [(one.value, *[1] * 6, 0, 0, 0, 0, 0) for one in self._plain_kernels(process)]
                return found, [(*one[:1], 0, *one[2:]) for one in found[:1]]
            case "CUDA_HOST_NODE_PARAMS":
                return [(one.value, 0) for one in self._named(process, "function")], ()
            case "cudaPitchedPtr":
                return (rows,), ((target, 8, 64, 4), (target, 64, 64, 1), (0, 64, 64, 4))
            case "cudaMemcpy3DParms":
                ends = (0, (0, 0, 0), (source, 64, 64, 4), 0, (0, 0, 0), rows)
                return [(*ends, one, 4) for one in EXTENT], [(*ends, one, 4) for one in NO_EXTENT]
            case "cudaMemcpy3DPeerParms":
                both = (0, (0, 0, 0), (source, 64, 64, 4), 0, 0, (0, 0, 0), rows, 0)
                return [(*both, one) for one in EXTENT], [(*both, one) for one in NO_EXTENT]
        if param.name in {"dsts", "srcs", "dptrs"}:
            start = source if param.name == "srcs" else target
            return ((start, start + 32),), ((0, 0), None)
        return (), ()

    # Several calls that belong together

    def _pattern(self, player: Player, process: str) -> None:
        own = (self._fill, self._share, self._share_pool, self._map, self._pass_on)
        chosen = self.random.randrange(len(own) + len(objects.PATTERNS))
        if chosen < len(own):
            own[chosen](player, process)
        else:
            objects.PATTERNS[chosen - len(own)](self.random, partial(self.made, player, process))

    def made(self, player: Player, process: str, call: str, *inputs: Any) -> Any:
        """Make a call that shall succeed; return its result, True for none, None for a failure."""
        if player.over or self.make(player, process, MAIN, call, inputs):
            return None
        answer = self.model.program.answers[-1]["outs"]
        texts = [out.get("new") or out.get("name") for out in answer.values() if isinstance(out, dict)]
        named = [self.model.names.by_text[text].value for text in texts if text]
        return named[0] if named else True

    def _other(self, process: str) -> str:
        other = {"a": "b", "b": "a"}.get(process, process)
        return other if self.random.randrange(4) and self.model.processes[other].alive else process

    def _fill(self, player: Player, process: str) -> None:
        """Fill memory, copy it and read it."""
        large = self.large(process)
        if large:
            one, other = self.random.choice(large), self.random.choice(large) + ROWS
            self.made(player, process, "cuMemcpyHtoD", one, b"sixteen bytes, 1", 16)
            self.made(player, process, "cuMemcpyDtoD", other, one, 16)
            self.made(player, process, "cuMemcpyDtoH", bytearray(16), other, 16)

    def _share(self, player: Player, process: str) -> None:
        """Open memory of one process in the other."""
        name = "cuda" if self.runtime and self.random.randrange(2) else "cu"
        alloc = {"cu": "cuMemAlloc", "cuda": "cudaMalloc"}[name]
        pointer = self.made(player, process, alloc, self.random.choice((PAGE, GRANULE)))
        handle = pointer and self.made(player, process, f"{name}IpcGetMemHandle", pointer)
        if handle:
            self.made(player, self._other(process), f"{name}IpcOpenMemHandle", handle, 1)

    def _share_pool(self, player: Player, process: str) -> None:
        """Share a pool and memory of it."""
        pool = self.made(player, process, "cuMemPoolCreate", (1, POSIX, (1, 0), 0, 0, 0, 0))
        pointer = pool and self.made(player, process, "cuMemAllocFromPoolAsync", PAGE, pool, 0)
        file = pointer and self.made(player, process, "cuMemPoolExportToShareableHandle", pool, POSIX, 0)
        data = file and self.made(player, process, "cuMemPoolExportPointer", pointer)
        other = self._other(process)
        into = data and self.made(player, other, "cuMemPoolImportFromShareableHandle", file, POSIX, 0)
        if into:
            self.made(player, other, "cuMemPoolImportPointer", into, data)

    def _map(self, player: Player, process: str) -> None:
        """Map new memory and give access to it."""
        device = self.random.randrange(self._devices)
        start = self.made(player, process, "cuMemAddressReserve", 2 * GRANULE, 0, 0, 0)
        handle = start and self.made(player, process, "cuMemCreate", GRANULE, pinned(device, POSIX), 0)
        if handle and self.made(player, process, "cuMemMap", start, GRANULE, 0, handle, 0):
            place = access(self.random.randrange(self._devices), READ_WRITE)
            self.made(player, process, "cuMemSetAccess", start, GRANULE, (place,), 1)

    def _pass_on(self, player: Player, process: str) -> None:
        """Pass an allocation handle to the other process."""
        handle = self.made(player, process, "cuMemCreate", GRANULE, pinned(0, POSIX), 0)
        file = handle and self.made(player, process, "cuMemExportToShareableHandle", handle, POSIX, 0)
        if file:
            self.made(player, self._other(process), "cuMemImportFromShareableHandle", file, POSIX)
