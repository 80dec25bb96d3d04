"""Correct programs, longer than an executor can enumerate: none has a finding: ``python -m conformance.fuzz.ordered.correct``.

A program is written step by step. Before work uses bytes that other work may still use, the program orders the two: by an
event, a value, a flag that kernels exchange or the host polls, a wait of the host, or an event of a graph. The host uses page-locked memory only when it has waited, and finds
the bytes that it expects there. Half of the programs run with ``races="strict"``.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.cases.driver.graph.fixtures import memset
from conformance.fuzz.ordered.stage import ok
from fakecuda import Machine
from fakecuda.progress import Progress, say

if TYPE_CHECKING:
    from collections.abc import Sequence

NON_BLOCKING, LEGACY = 1, 1
SIZE, HALF = 256, 128
STEPS = 30
FLAGS = 256 * STEPS
"""The bytes of all flags of a program: 8 for each."""
DEVICE, PINNED, MANAGED, POOL = "device", "pinned", "managed", "pool"
COMPLETIONS = ("eager", "manual")
GIVES = (
    "st.release.sys.global.u32 [%d0], 1;",
    "membar.sys; st.volatile.global.u32 [%d0], 1;",
    "atom.add.release.gpu.u32 %r0, [%d0], 1;",
)
TAKES = (
    "ld.acquire.sys.global.u32 %r0, [%d0];",
    "ld.volatile.global.u32 %r0, [%d0]; membar.gl;",
    "atom.acquire.gpu.cas.b32 %r0, [%d0], 1, 1;",
)
HEAD = (
    "(.param .u64 half, .param .u64 flag) { .reg .pred %p; .reg .b32 %r<1>; .reg .b64 %d<2>; ld.param.u64 %d0, [flag]; "
)
PTX = ".version 7.0\n.target sm_70\n.address_size 64\n" + "".join(
    f".visible .entry give{number} {HEAD} ld.param.u64 %d1, [half]; ld.global.u8 %r0, [%d1]; st.global.u8 [%d1], %r0; {give} ret; }}\n"
    f".visible .entry take{number} {HEAD} AGAIN: {take} setp.eq.u32 %p, %r0, 0; @%p bra AGAIN; "
    "ld.param.u64 %d1, [half]; ld.global.u8 %r0, [%d1]; st.global.u8 [%d1], %r0; ret; }\n"
    for number, (give, take) in enumerate(zip(GIVES, TAKES, strict=True))
)
"""Kernels that use some bytes, and then set a flag, or before that wait for it."""


class WrongBytes(Exception):  # noqa: N818 - what a correct program should not find
    """Memory of a correct program has wrong content."""


@define(eq=False)
class Half:
    """Bytes that are used as one unit.

    Attributes:
        address: The first one.
        kind: The kind of memory.
        value: What each of them holds once all work is done.
        writer: The number of the work that has written them last.
        readers: The work that has read them since.
    """

    address: int
    kind: str
    value: int = 0
    writer: int = 0
    readers: set[int] = field(factory=set)


@define(eq=False)
class Queue:
    """A stream, and the work before its next work.

    Attributes:
        handle: Its handle.
        before: That work, its own included.
    """

    handle: int
    before: set[int] = field(factory=set)


class Author:
    """Writes a program and makes its calls.

    Args:
        c: The driver of a process.
        random: What draws.

    Attributes:
        text: The calls and accesses of the host.
    """

    def __init__(self, c: Any, random: Random) -> None:
        self.c = c
        self.random = random
        self.orders = [self._by_event, self._by_event, self._by_value, self._by_host]
        self.text: list[str] = []
        self.count = 0
        ok(c.cuInit(0))
        self.context = ok(c.cuCtxCreate(None, 0, 0))
        self.queues = [Queue(int(self.call("cuStreamCreate", NON_BLOCKING))) for _ in range(3)]
        self.flags = int(self.call("cuMemAlloc", FLAGS))
        self.halves: list[Half] = []
        for kind, name, *more in (
            (DEVICE, "cuMemAlloc"),
            (DEVICE, "cuMemAlloc"),
            (PINNED, "cuMemHostAlloc", 0),
            (MANAGED, "cuMemAllocManaged", 1),
        ):
            start = int(self.call(name, SIZE, *more))
            self.call("cuMemsetD8", start, 0, SIZE)
            self.halves += [Half(start, kind), Half(start + HALF, kind)]
        self.call("cuMemsetD8", self.flags, 0, FLAGS)
        self.call("cuCtxSynchronize")
        self.done: set[int] = set()

    def call(self, name: str, *args: Any) -> Any:
        """Make a call that must succeed."""
        self.text.append(f"{name}{args}")
        return ok(getattr(self.c, name)(*args))

    # Orders

    def order(self, earlier: Queue, later: Queue) -> None:
        """Order a stream's later work after another's earlier work, in one of the ways."""
        self.random.choice(self.orders)(earlier, later)

    def load(self) -> None:
        """Have kernels order streams, too. They wait for each other in the order of their launches."""
        module = self.call("cuModuleLoadData", PTX.encode())
        self.kernels = {
            name: self.call("cuModuleGetFunction", module, name.encode())
            for name in (f"{what}{number}" for what in ("give", "take") for number in range(len(GIVES)))
        }
        self.shown = int(self.call("cuMemHostAlloc", FLAGS, 0))
        ctypes.memset(self.shown, 0, FLAGS)
        self.orders += [self._by_kernels, self._by_polling]

    def _run(self, what: str, queue: Queue, half: Half, flag: int) -> None:
        """Run a kernel that uses memory and a flag."""
        name = f"{what}{self.random.randrange(len(GIVES))}"
        arguments = [ctypes.c_uint64(one) for one in (half.address, flag)]
        places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
        self.text.append(f"{name} of {half.address:#x} and {flag:#x} in {queue.handle:#x}:")
        self.call("cuLaunchKernel", self.kernels[name], *(1,) * 6, 0, queue.handle, ctypes.addressof(places), 0)
        self.given(queue, writes=[half])

    def _used_by(self, queue: Queue) -> Half:
        """Return memory that only work before a stream's next work uses."""
        known = self.done | queue.before | {0}
        halves = [one for one in self.halves if {one.writer} | one.readers <= known]
        return self.random.choice(halves or [Half(int(self.call("cuMemAlloc", HALF)), DEVICE)])

    def _by_kernels(self, earlier: Queue, later: Queue) -> None:
        self.count += 1
        flag, half = self.flags + 8 * self.count, self._used_by(earlier)
        self._run("give", earlier, half, flag)
        later.before |= earlier.before
        self._run("take", later, half, flag)

    def _by_polling(self, earlier: Queue, _later: Queue) -> None:
        self.count += 1
        flag = self.shown + 8 * self.count
        self._run("give", earlier, self._used_by(earlier), flag)
        assert ctypes.c_uint32.from_address(flag).value == 1
        self.done |= earlier.before

    def _by_event(self, earlier: Queue, later: Queue) -> None:
        event = self.call("cuEventCreate", 0)
        self.call("cuEventRecord", event, earlier.handle)
        self.call("cuStreamWaitEvent", later.handle, event, 0)
        later.before |= earlier.before
        self.call("cuEventDestroy", event)

    def _by_value(self, earlier: Queue, later: Queue) -> None:
        self.count += 1
        place, value = self.flags + 8 * self.count, self.random.choice((1, 7))
        self.call("cuStreamWriteValue32", earlier.handle, place, value, 0)
        self.call("cuStreamWaitValue32", later.handle, place, value, self.random.choice((0, 1)))
        later.before |= earlier.before

    def _by_host(self, earlier: Queue, _later: Queue) -> None:
        self.wait_for(earlier)

    def wait_for(self, queue: Queue) -> None:
        """Have the host wait for a stream."""
        what = self.random.choice(("stream", "stream", "event", "context"))
        if what == "stream":
            self.call("cuStreamSynchronize", queue.handle)
        elif what == "event":
            event = self.call("cuEventCreate", 0)
            self.call("cuEventRecord", event, queue.handle)
            self.call("cuEventSynchronize", event)
            self.call("cuEventDestroy", event)
        else:
            self.call("cuCtxSynchronize")
            self.done |= set().union(*(one.before for one in self.queues))
        self.done |= queue.before

    def clear(self, queue: Queue | None, half: Half, *, writes: bool) -> None:
        """Order a stream's or the host's next action after all conflicting work."""
        users = {half.writer} | (half.readers if writes else set())
        for other in self.random.sample(self.queues, len(self.queues)):
            before = self.done if queue is None else self.done | queue.before
            if other is queue or not users & other.before - before:
                continue
            if queue is None:
                self.wait_for(other)
            else:
                self.order(other, queue)

    def given(self, queue: Queue, *, reads: Sequence[Half] = (), writes: Sequence[Half] = ()) -> None:
        """Note a stream's work."""
        self.count += 1
        queue.before.add(self.count)
        for half in reads:
            half.readers.add(self.count)
        for half in writes:
            half.writer, half.readers = self.count, set()

    # Steps

    def step(self) -> None:
        """Make a step, stream work or host access, with the orders that it needs."""
        self.random.choice((self.fill, self.copy, self.copy, self.copy, self.launch, self.pool, self.host, self.host))()

    def fill(self) -> None:
        """Have a stream fill memory."""
        queue, half = self.random.choice(self.queues), self.random.choice(self.halves)
        self.clear(queue, half, writes=True)
        half.value = self.random.randrange(1, 250)
        self.call("cuMemsetD8Async", half.address, half.value, HALF, queue.handle)
        self.given(queue, writes=[half])

    def copy(self) -> None:
        """Have a stream copy memory."""
        queue = self.random.choice(self.queues)
        to, of = self.random.sample(self.halves, 2)
        self.clear(queue, of, writes=False)
        self.clear(queue, to, writes=True)
        to.value = of.value
        kinds = to.kind, of.kind
        name = {(DEVICE, PINNED): "cuMemcpyHtoDAsync", (PINNED, DEVICE): "cuMemcpyDtoHAsync"}.get(
            kinds, "cuMemcpyAsync"
        )
        self.call(name, to.address, of.address, HALF, queue.handle)
        self.given(queue, reads=[of], writes=[to])

    def launch(self) -> None:
        """Launch a graph with two branches."""
        queue, halves = self.random.choice(self.queues), self.random.sample(self.halves, 2)
        for half in halves:
            self.clear(queue, half, writes=True)
        graph = self.call("cuGraphCreate", 0)
        for half in halves:
            half.value = self.random.randrange(1, 250)
            node = memset(half.address, half.value, HALF)
            self.call("cuGraphAddMemsetNode", graph, None, 0, node, self.context)
        executable = self.call("cuGraphInstantiate", graph, 0)
        self.call("cuGraphLaunch", executable, queue.handle)
        self.given(queue, writes=halves)
        self.call("cuGraphExecDestroy", executable)
        self.call("cuGraphDestroy", graph)

    def pool(self) -> None:
        """Use pool memory in one stream, and free it in another."""
        one, other = self.random.sample(self.queues, 2)
        half = Half(int(self.call("cuMemAllocAsync", HALF, one.handle)), POOL)
        self.given(one, writes=[half])
        for queue in self.random.choice(((one,), (one, other), (other, one))):
            self.clear(queue, half, writes=True)
            self.call("cuMemsetD8Async", half.address, 1, HALF, queue.handle)
            self.given(queue, writes=[half])
        self.clear(other, half, writes=True)
        self.call("cuMemFreeAsync", half.address, other.handle)
        self.given(other, writes=[half])

    def host(self) -> None:
        """Have the host read memory, and maybe fill it."""
        half = self.random.choice([one for one in self.halves if one.kind in {PINNED, MANAGED}])
        writes = self.random.random() < 0.5
        self.clear(None, half, writes=writes)
        self.text.append(f"the host {'writes' if writes else 'reads'} {half.address:#x}")
        found = ctypes.string_at(half.address, HALF)
        if found != bytes([half.value]) * HALF:
            msg = f"{half.address:#x} holds {found[:4]!r}… and not {half.value}"
            raise WrongBytes(msg)
        if writes:
            half.value = self.random.randrange(1, 250)
            ctypes.memset(half.address, half.value, HALF)


def mistake(seed: int, number: int) -> str:
    """Run the program of a seed and number; return its error, or nothing.

    Args:
        seed: The seed.
        number: The number.
    """
    random = Random(f"{seed} {number}")  # noqa: S311 - it draws programs
    completion, races = COMPLETIONS[number % 2], "strict" if number & 2 else True
    with Machine("h200", seed=1, completion=completion, races=races, kernels="run") as machine:
        machine.tolerates = lambda _: True
        author = Author(machine.here.c, random)
        if not machine.scheduler.manual:
            author.load()
        wrong = ""
        try:
            for _ in range(STEPS):
                author.step()
                if machine.findings:
                    break
        except WrongBytes as error:
            wrong = str(error)
        author.call("cuCtxSynchronize")
        wrong = "\n".join([*([wrong] if wrong else []), *map(str, machine.findings)])
        return "\n".join([*author.text, wrong]) if wrong else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a correct program has a finding, else 0.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.
    """
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.ordered.correct", description="Correct programs.")
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="how many programs; 200 by default")
    parser.add_argument("--seed", type=int, default=0, help="what they are drawn from; 0 by default")
    options = parser.parse_args(arguments)
    bar = Progress(options.programs)
    for number in range(options.programs):
        if wrong := mistake(options.seed, number):
            bar.end()
            say(f"seed {options.seed}, program {number}\n{wrong}")
            return 1
        bar.add()
        bar.show("programs")
    bar.end()
    say(f"{options.programs} programs, no finding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
