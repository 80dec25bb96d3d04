"""A state machine over processes, threads, devices and contexts, with the model and a target in lockstep.

Two processes with two threads each make mostly legal calls, often one that is a step from legal: a size of 0, an
address a byte off, a pointer just freed, flags that are none, no current context. What is passed on is what the model
returned, so a program never holds a garbage handle; dead values go only where ``SAFE_DEAD`` says that the driver
checks them. A failure prints the minimal program as Python.
"""

# ruff: noqa: D102 - a rule is named after what it does

from __future__ import annotations

import json
from functools import partialmethod
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RULE_MARKER, initialize, precondition, rule, run_state_machine_as_test

from conformance.fuzz.choices import PAGE, POOLS
from conformance.fuzz.copying import Copying
from conformance.fuzz.lockstep import PROCESSES, Memory, has
from conformance.fuzz.mixed import DRAWN, Mixed
from conformance.fuzz.teams import Teams
from conformance.kit.names import ATTRIBUTES
from conformance.kit.program import MAIN, Program
from conformance.kit.world import GRANULE, POSIX, READ_WRITE, access, location, pinned
from conformance.runner.chance import draw_alike
from fakecuda.profiles import load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Collection

    from fakecuda.profiles import Profile

NUMBER_OF = {name.removeprefix("CU_POINTER_ATTRIBUTE_"): n for name, n in ENUMS["CUpointer_attribute"].items()}
LITERAL = ("MEMORY_TYPE", "RANGE_SIZE", "DEVICE_ORDINAL", "MAPPED")
ASKED = sorted({*ATTRIBUTES, *(NUMBER_OF[name] for name in LITERAL)})
BEGINNING = 40
"""Steps of a program by which it is told from variants of it."""
MANY = 4
"""Contexts, reservations and other large things of one process."""

FURNITURE: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("cuMemAlloc", (PAGE,)),
    ("cuMemAllocManaged", (PAGE, 1)),
    ("cuMemAllocHost", (PAGE,)),
    ("cuMemPoolCreate", (POOLS[2],)),
    ("cuMemAllocAsync", (PAGE, 0)),
    ("cuStreamCreate", (1,)),
    ("cuEventCreate", (0,)),
)
"""What processes have from the start in programs that keep to some calls; the last two in a second context, too."""

who = st.sampled_from(PROCESSES)
thread = st.sampled_from((*[MAIN] * 5, "second"))
pick = st.integers(0, 15)
device = st.sampled_from((0, 0, 0, 1))
often = st.sampled_from((True, True, True, False))
"""Whether to stay legal."""


class Calls(Copying):
    """The calls; :func:`machine_on` gives a subclass that knows its target."""

    @initialize(devices=st.tuples(device, device), populated=st.booleans())
    def begin(self, devices: tuple[int, int], *, populated: bool) -> None:
        """Start the processes, each with a context on its main thread; populated, with memory of every kind."""
        count = len(self.profile.devices)
        for name, drawn in zip(PROCESSES, devices, strict=True):
            number = drawn % count
            self.model.spawn(name)
            self.follow()
            self.call(name, MAIN, "cuInit", 0)
            self.made_context(name, MAIN, 0, number)
            if populated:
                self.call(name, "second", "cuCtxPushCurrent", self.known[name].contexts[0])
                self.made_context(name, MAIN, 0, (number + 1) % count)
                self.call(name, MAIN, "cuCtxPopCurrent")
                self.alloc(name, MAIN, 4096)
                self.share(name, MAIN, 0, legal=True)
                self.reserve(name, MAIN, 4, 0)
                self.create(name, MAIN, number, 1, POSIX)
                self.map(name, MAIN, 0, 0, 0, 0)
                self.grant(name, MAIN, 0, number, READ_WRITE)
            if self.focused:
                self.made_context(name, MAIN, 0, number)
                for call, arguments in (*FURNITURE[-2:], ("cuCtxPopCurrent", ()), *FURNITURE):
                    self.call(name, MAIN, call, *arguments)

    # Contexts

    @rule(process=who, on=thread, number=st.sampled_from((0, 1, 1, 99)), legal=often)
    def create_context(self, process: str, on: str, number: int, *, legal: bool) -> None:
        if len(self.known[process].contexts) < MANY:
            self.made_context(process, on, 0 if legal else 3, number)

    @rule(process=who, on=thread, index=pick, how=st.sampled_from(("cuCtxPushCurrent", "cuCtxSetCurrent")), legal=often)
    def make_current(self, process: str, on: str, index: int, how: str, *, legal: bool) -> None:
        known = self.known[process]
        held = [*known.contexts, *known.primaries.values()]
        self.call(process, on, how, self.some(held, index) if legal and held else 0)

    @precondition(lambda self: any(len(known.contexts) > 1 for known in self.known.values()))
    @rule(process=who, on=thread, index=pick)
    def destroy_context(self, process: str, on: str, index: int) -> None:
        known = self.known[process]
        if len(known.contexts) > 1:
            context = self.some([*known.contexts, *known.primaries.values()], index)
            if self.call(process, on, "cuCtxDestroy", context):
                known.lose_context(context)

    @rule(
        process=who,
        on=thread,
        name=st.sampled_from(
            (
                "cuCtxGetCurrent",
                "cuCtxGetDevice",
                "cuCtxGetFlags",
                "cuCtxSynchronize",
                "cuMemGetInfo",
                "cuCtxPopCurrent",
            )
        ),
    )
    def context_alone(self, process: str, on: str, name: str) -> None:
        self.call(process, on, name)

    @rule(
        process=who,
        on=thread,
        number=device,
        name=st.sampled_from(("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset")),
    )
    def primary(self, process: str, on: str, number: int, name: str) -> None:
        made = self.call(process, on, name, number)
        state = self.call(process, on, "cuDevicePrimaryCtxGetState", number)
        known = self.known[process]
        if made and name == "cuDevicePrimaryCtxRetain":
            known.primaries[number] = made
        elif state is not None and not state[1] and number in known.primaries:
            known.lose_context(known.primaries[number])

    @precondition(lambda self: any(len(known.contexts) > 1 for known in self.known.values()))
    @rule(process=who, on=thread, index=pick, flags=st.sampled_from((0, 0, 0, 1)), enable=often)
    def peer(self, process: str, on: str, index: int, flags: int, *, enable: bool) -> None:
        context = self.some(self.known[process].contexts, index)
        if context and enable:
            self.call(process, on, "cuCtxEnablePeerAccess", context, flags)
        elif context:
            self.call(process, on, "cuCtxDisablePeerAccess", context)

    # Linear memory

    @rule(process=who, on=thread, size=st.sampled_from((1, 256, 4096, GRANULE, 3 * GRANULE, 0, 1 << 60)))
    def alloc(self, process: str, on: str, size: int) -> None:
        pointer = self.call(process, on, "cuMemAlloc", size)
        if pointer:
            known = self.known[process]
            known.dead.clear()
            context = self.call(process, on, "cuPointerGetAttribute", NUMBER_OF["CONTEXT"], pointer)
            known.memory.append(Memory(pointer, size, context or 0))

    @precondition(has("memory"))
    @rule(process=who, on=thread, index=pick, legal=often)
    def free(self, process: str, on: str, index: int, *, legal: bool) -> None:
        process = self.holder(process, "memory")
        known = self.known[process]
        # The exporter's free before the importers' close is undefined.
        shared = {pointer for _, _, pointer in self.shares}
        one = self.some([one for one in known.memory if one.pointer not in shared], index)
        if one is not None and legal:
            if self.call(process, on, "cuMemFree", one.pointer):
                known.memory.remove(one)
                known.dead.append(one.pointer)
        elif not legal:
            bad = self.address(process, index, legal=False)
            if bad:
                self.call(process, on, "cuMemFree", bad)

    @rule(process=who, on=thread, index=pick, plus=st.sampled_from((0, 0, 1, 255)), legal=often)
    def address_range(self, process: str, on: str, index: int, plus: int, *, legal: bool) -> None:
        pointer = self.address(process, index, legal=legal)
        self.call(process, on, "cuMemGetAddressRange", pointer + plus if legal else pointer)

    @rule(process=who, on=thread, index=pick, attribute=st.sampled_from(ASKED), legal=often)
    def attribute(self, process: str, on: str, index: int, attribute: int, *, legal: bool) -> None:
        self.call(process, on, "cuPointerGetAttribute", attribute, self.address(process, index, legal=legal))

    @precondition(has("memory"))
    @rule(process=who, on=thread, index=pick, byte=st.integers(0, 255), plus=st.sampled_from((0, 1, 100)))
    def write(self, process: str, on: str, index: int, byte: int, plus: int) -> None:
        process = self.holder(process, "memory")
        one = self.some(self.known[process].memory, index)
        if one is not None and one.size >= plus + 16:
            self.call(process, on, "cuMemsetD8", one.pointer + plus, byte, 16)
            self.call(process, on, "cuMemcpyDtoH", bytearray(16), one.pointer + plus, 16)

    @precondition(has("memory"))
    @rule(process=who, on=thread, index=pick, other=pick)
    def copy(self, process: str, on: str, index: int, other: int) -> None:
        process = self.holder(process, "memory")
        large = [one for one in (*self.known[process].memory, *self.known[process].imports) if one.size >= 16]
        if large:
            target, source = self.some(large, index).pointer, self.some(large, other).pointer
            self.call(process, on, "cuMemcpyHtoD", source, b"sixteen bytes, 1", 16)
            if abs(target - source) >= 16:
                self.call(process, on, "cuMemcpyDtoD", target, source, 16)
            self.call(process, on, "cuMemcpyDtoH", bytearray(16), target, 16)

    # Legacy IPC

    @precondition(has("memory"))
    @rule(process=who, on=thread, index=pick, legal=often)
    def share(self, process: str, on: str, index: int, *, legal: bool) -> None:
        process = self.holder(process, "memory")
        pointer = self.address(process, index, legal=legal)
        handle = self.call(process, on, "cuIpcGetMemHandle", pointer)
        if handle and handle not in {one for _, one, _ in self.shares}:
            self.shares.append((process, handle, pointer))

    @precondition(lambda self: bool(self.shares))
    @rule(process=who, on=thread, index=pick, flags=st.sampled_from((1, 1, 1, 0)))
    def open(self, process: str, on: str, index: int, flags: int) -> None:
        live = [
            (name, handle, one)
            for name, handle, pointer in self.shares
            for one in self.known[name].memory
            if one.pointer <= pointer < one.pointer + one.size
        ]
        foreign = [share for share in live if share[0] != process]
        if live:
            _, handle, memory = self.some(foreign or live, index)
            pointer = self.call(process, on, "cuIpcOpenMemHandle", handle, flags)
            if pointer:
                known = self.known[process]
                known.dead.clear()
                context = self.call(process, on, "cuCtxGetCurrent")
                known.imports.append(Memory(pointer, memory.size, context or 0))

    @precondition(has("imports"))
    @rule(process=who, on=thread, index=pick, legal=often)
    def close(self, process: str, on: str, index: int, *, legal: bool) -> None:
        process = self.holder(process, "imports")
        known = self.known[process]
        one = self.some(known.imports, index)
        if one is not None and legal:
            if self.call(process, on, "cuIpcCloseMemHandle", one.pointer):
                known.imports.remove(one)
                known.dead.append(one.pointer)
        elif not legal:
            self.call(process, on, "cuIpcCloseMemHandle", self.address(process, index, legal=False))

    # Virtual memory

    @rule(process=who, on=thread, granules=st.sampled_from((1, 2, 4, 0)), flags=st.sampled_from((0, 0, 0, 1)))
    def reserve(self, process: str, on: str, granules: int, flags: int) -> None:
        known = self.known[process]
        if len(known.reserved) < MANY:
            pointer = self.call(process, on, "cuMemAddressReserve", granules * GRANULE, 0, 0, flags)
            if pointer:
                known.dead.clear()
                known.reserved.append(Memory(pointer, granules * GRANULE))

    @precondition(has("reserved"))
    @rule(process=who, on=thread, index=pick, legal=often)
    def free_reservation(self, process: str, on: str, index: int, *, legal: bool) -> None:
        process = self.holder(process, "reserved")
        known = self.known[process]
        empty = [
            one for one in known.reserved if not any(0 <= m.pointer - one.pointer < one.size for m in known.mapped)
        ]
        one = self.some(empty or known.reserved, index)
        if one is not None and self.call(
            process, on, "cuMemAddressFree", one.pointer, one.size if legal else one.size + GRANULE
        ):
            known.reserved.remove(one)
            known.dead.append(one.pointer)

    @rule(
        process=who,
        on=thread,
        number=device,
        granules=st.sampled_from((1, 1, 2, 0)),
        types=st.sampled_from((POSIX, POSIX, 0)),
    )
    def create(self, process: str, on: str, number: int, granules: int, types: int) -> None:
        known = self.known[process]
        if len(known.handles) < MANY:
            handle = self.call(process, on, "cuMemCreate", granules * GRANULE, pinned(number, types), 0)
            if handle:
                known.handles.append((handle, granules * GRANULE))

    @precondition(has("handles"))
    @rule(process=who, on=thread, index=pick)
    def release(self, process: str, on: str, index: int) -> None:
        process = self.holder(process, "handles")
        known = self.known[process]
        one = self.some(known.handles, index)
        if one is not None and self.call(process, on, "cuMemRelease", one[0]):
            known.handles.remove(one)

    @precondition(has("reserved", "handles"))
    @rule(
        process=who,
        on=thread,
        index=pick,
        other=pick,
        plus=st.sampled_from((0, 0, GRANULE, 1)),
        flags=st.sampled_from((0, 0, 0, 1)),
    )
    def map(self, process: str, on: str, index: int, other: int, plus: int, flags: int) -> None:
        process = self.holder(process, "reserved", "handles")
        known = self.known[process]
        area, handle = self.some(known.reserved, index), self.some(known.handles, other)
        if area is not None and handle is not None:
            pointer, size = area.pointer + plus, handle[1]
            if self.call(process, on, "cuMemMap", pointer, size, 0, handle[0], flags):
                known.mapped.append(Memory(pointer, size))

    @precondition(has("mapped"))
    @rule(process=who, on=thread, index=pick, legal=often)
    def unmap(self, process: str, on: str, index: int, *, legal: bool) -> None:
        process = self.holder(process, "mapped")
        known = self.known[process]
        one = self.some(known.mapped, index)
        if one is not None and self.call(process, on, "cuMemUnmap", one.pointer, one.size if legal else one.size // 2):
            known.mapped.remove(one)
            known.dead.append(one.pointer)

    @precondition(has("mapped"))
    @rule(
        process=who,
        on=thread,
        index=pick,
        number=st.sampled_from((0, 0, 1, 99)),
        flags=st.sampled_from((READ_WRITE, READ_WRITE, 1, 0, 2)),
    )
    def grant(self, process: str, on: str, index: int, number: int, flags: int) -> None:
        process = self.holder(process, "mapped")
        one = self.some(self.known[process].mapped, index)
        if one is not None:
            self.call(process, on, "cuMemSetAccess", one.pointer, one.size, (access(number, flags),), 1)
            self.call(process, on, "cuMemGetAccess", location(number), one.pointer)

    @precondition(has("mapped"))
    @rule(process=who, on=thread, index=pick, legal=often)
    def retain(self, process: str, on: str, index: int, *, legal: bool) -> None:
        process = self.holder(process, "mapped")
        known = self.known[process]
        one = self.some(known.mapped, index)
        pointer = one.pointer + 1 if one is not None and legal else self.address(process, index, legal=False)
        handle = self.call(process, on, "cuMemRetainAllocationHandle", pointer) if pointer else None
        if handle and one is not None:
            self.call(process, on, "cuMemGetAllocationPropertiesFromHandle", handle)
            known.handles.append((handle, one.size))

    @precondition(has("handles"))
    @rule(process=who, on=thread, index=pick)
    def export(self, process: str, on: str, index: int) -> None:
        process = self.holder(process, "handles")
        handle = self.some(self.known[process].handles, index)
        if handle is not None and len(self.files) < MANY:
            descriptor = self.call(process, on, "cuMemExportToShareableHandle", handle[0], POSIX, 0)
            if descriptor is not None:
                self.files.append(descriptor)

    @precondition(lambda self: bool(self.files))
    @rule(process=who, on=thread, index=pick)
    def import_(self, process: str, on: str, index: int) -> None:
        descriptor = self.some(self.files, index)
        if descriptor is not None:
            handle = self.call(process, on, "cuMemImportFromShareableHandle", descriptor, POSIX)
            if handle:
                self.known[process].handles.append((handle, GRANULE))

    @precondition(lambda self: bool(self.files))
    @rule(index=pick)
    def close_file(self, index: int) -> None:
        descriptor = self.some(self.files, index)
        if descriptor is not None:
            self.files.remove(descriptor)
            self.model.close_descriptor(descriptor)
            self.follow()


REMOTE = frozenset(
    name
    for name in vars(Calls)
    if hasattr(getattr(Calls, name), RULE_MARKER)
    and name not in {"alloc", "free", "write", "make_current", "destroy_context", "primary"}
) | {"devices", "contexts", "virtual_memory"}
"""Rules whose calls were recorded first; programs that shall make others leave them out."""


def machine_on(
    profile: Profile,
    real: Any = None,
    sink: list[Program] | None = None,
    wanted: Collection[str] = (),
    *,
    runtime: bool = False,
) -> type[Calls]:
    """Return the state machine on a target.

    Args:
        profile: The model's profile.
        real: The real machine to follow in lockstep, or None for the model alone.
        sink: Takes the programs that ran, or None.
        wanted: Calls of which the programs shall make many.
        runtime: Whether they make calls of the runtime API, too; without, they are what they were before it.
    """
    # Multicast calls are for a model alone, and programs that are kept are for real machines.
    bases: tuple[type, ...] = (Teams, Calls) if real is None and sink is None else (Calls,)
    if runtime:
        bases = (Mixed, *bases)
    fields: dict[str, Any] = {"profile": profile, "real": real, "sink": sink, "focused": bool(wanted)}
    for name in REMOTE if wanted else ():
        # It is called by other rules all the same.
        fields[name] = partialmethod(getattr(Calls, name))
    return type("CallsOn", bases, fields)


def generate(
    profile: str, count: int, number: int, wanted: Collection[str] = (), *, runtime: bool = False
) -> list[Program]:
    """Return programs that ran on the model.

    Args:
        profile: The model's profile, a name or a path.
        count: How many at most.
        number: The seed; the same one gives the same programs.
        wanted: Calls of which the programs shall make many.
        runtime: Whether they make calls of the runtime API, of which these are many then.
    """
    draw_alike()
    wanted = DRAWN if runtime else wanted
    kind = "runtime/machine" if runtime else "machine"
    sink: list[Program] = []
    chosen = settings(
        max_examples=4 * count,
        stateful_step_count=40,
        phases=(Phase.generate,),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(
        seed(number)(machine_on(load(profile), sink=sink, wanted=wanted, runtime=runtime)), settings=chosen
    )
    longest = sorted(sink, key=lambda program: (-_made(program, wanted), -len(program.steps)))
    # Many are variants of others: of those that begin alike, one tells as much.
    distinct: dict[str, Program] = {}
    for program in longest:
        distinct.setdefault(json.dumps(program.steps[:BEGINNING]), program)
    chosen_programs = list(distinct.values())[:count]
    return [Program(f"{kind}/{number}-{place}", one.steps, [], "machine") for place, one in enumerate(chosen_programs)]


def _made(program: Program, wanted: Collection[str]) -> int:
    return sum(step["call"] in wanted for step in program.steps)
