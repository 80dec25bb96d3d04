"""Atomic operations, strong loads and strong stores of kernels: what they need an order with, and what not."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.graph.fixtures import launch, memset
from fakecuda import Machine, UndefinedBehaviour
from tests.each import each
from tests.model.racing import Scene
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable

LOAD, STORE, UPDATE, POLL = "weak load", "weak store", "update", "poll"
KERNELS = {
    "loads": (LOAD, "ld.global.u32 %r0, [%d0];"),
    "stores": (STORE, "st.weak.global.u32 [%d0], 1;"),
    "adds": (UPDATE, "atom.global.add.u32 %r0, [%d0], 1;"),
    "reduces": (UPDATE, "red.global.add.u32 [%d0], 1;"),
    "releases": (UPDATE, "st.release.gpu.global.u32 [%d0], 1;"),
    "acquires": (POLL, "ld.acquire.gpu.global.u32 %r0, [%d0];"),
    "adds_in_its_block": (UPDATE, "atom.cta.global.add.u32 %r0, [%d0], 1;"),
    "adds_more_bytes": (UPDATE, "red.global.add.u64 [%d0], 1;"),
    "polls": (POLL, "ld.volatile.global.v2.u32 {%r0, %r1}, [%d0];"),
}
"""Kernels of one instruction, with its effect. docs/races.md says that neither scopes nor sizes make a difference."""
PTX = ".version 7.0\n.target sm_70\n.address_size 64\n" + "".join(
    f".visible .entry {name}(.param .u64 place) {{ .reg .b32 %r<2>; .reg .b64 %d0; ld.param.u64 %d0, [place]; {code} ret; }}\n"
    for name, (_, code) in KERNELS.items()
)
ORDERED = {frozenset(pair) for pair in product((LOAD, POLL), repeat=2)} | {
    frozenset({POLL, UPDATE}),
    frozenset({UPDATE}),
}
"""Pairs of accesses that need no order."""


class Kernels(Scene):
    """A scene with the kernels.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        module = done(self.c.cuModuleLoadData(PTX.encode()))
        self.functions = {name: done(self.c.cuModuleGetFunction(module, name.encode())) for name in KERNELS}
        self.argument = ctypes.c_uint64(self.common)
        self.place = (ctypes.c_void_p * 1)(ctypes.addressof(self.argument))
        done(self.c.cuCtxSynchronize())

    def use(self, name: str, stream: int) -> None:
        """Have a stream use the memory: by a kernel, a memset or a copy."""
        if name == "memset":
            done(self.c.cuMemsetD32Async(self.common, 0, 1, stream))
        elif name == "copy":
            done(self.c.cuMemcpyDtoDAsync(self.own + 64 * (stream == self.one), self.common, 4, stream))
        else:
            arguments = ctypes.addressof(self.place)
            done(self.c.cuLaunchKernel(self.functions[name], *[1] * 6, 0, stream, arguments, 0))

    def node(self, graph: int, name: str) -> None:
        """Add a node without edges that uses the memory."""
        if name == "memset":
            context = done(self.c.cuCtxGetCurrent())
            done(self.c.cuGraphAddMemsetNode(graph, None, 0, memset(self.common, width=4), context))
        else:
            given = launch(self.functions[name], kernelParams=ctypes.addressof(self.place))
            done(self.c.cuGraphAddKernelNode(graph, None, 0, given))


def found(act: Callable[[Kernels], object]) -> bool:
    """Return whether a program has a race."""
    with Machine("h200", seed=1, kernels="run") as machine, suppress(UndefinedBehaviour):
        act(Kernels(machine))
    rules = {finding.rule.id.rpartition(".")[2] for finding in machine.findings}
    assert rules <= {"ACCESSES_ARE_ORDERED", "BRANCHES_ARE_ORDERED"}
    return bool(rules)


USES = {name: does for name, (does, _) in KERNELS.items()} | {"memset": STORE, "copy": LOAD}


@each("first, second", list(product(USES, repeat=2)))
def test_two_streams(first: str, second: str) -> None:
    """Strong operations need no order among each other, and loads none with loads."""

    def act(scene: Kernels, *, ordered: bool) -> None:
        scene.use(first, scene.one)
        if ordered:
            scene.record(scene.one)
            scene.wait(scene.two)
        scene.use(second, scene.two)

    assert not found(lambda scene: act(scene, ordered=True))
    assert found(lambda scene: act(scene, ordered=False)) is (frozenset({USES[first], USES[second]}) not in ORDERED)


@pytest.mark.parametrize(
    ("names", "races"),
    [
        (("adds", "reduces", "acquires"), False),
        (("adds", "memset"), True),
        (("acquires", "memset"), True),
        (("adds", "adds", "loads"), True),
    ],
)
def test_branches_of_a_graph(names: tuple[str, ...], *, races: bool) -> None:
    """The same holds for the branches of a graph."""

    def act(scene: Kernels) -> None:
        graph = done(scene.c.cuGraphCreate(0))
        for name in names:
            scene.node(graph, name)
        done(scene.c.cuGraphLaunch(done(scene.c.cuGraphInstantiate(graph, 0)), scene.one))

    assert found(act) is races


@pytest.mark.parametrize("second", ["acquires", "adds"])
def test_what_stays(second: str) -> None:
    """A poll behind an update does not stand for it, and an update behind it does."""

    def act(scene: Kernels) -> None:
        scene.use("adds", scene.one)
        scene.record(scene.one)
        scene.wait(scene.two)
        scene.use(second, scene.two)
        scene.use("copy" if second == "acquires" else "acquires", scene.third)

    assert found(act) is (second == "acquires")


def test_updates_in_turns() -> None:
    """Two streams update in turns; a copy that comes after only one of them is found."""

    def act(scene: Kernels) -> None:
        for _ in range(3):
            scene.use("adds", scene.one)
            scene.use("adds", scene.two)
        scene.record(scene.one)
        scene.wait(scene.third)
        scene.use("copy", scene.third)

    assert found(act)


def test_an_update_is_a_write() -> None:
    """The host sees what atomic operations leave, and a wait for a value comes after the kernel that writes it."""

    def act(scene: Kernels) -> None:
        scene.use("memset", scene.one)
        scene.use("adds", scene.one)
        done(scene.c.cuStreamWaitValue32(scene.two, scene.common, 1, 1))
        scene.use("memset", scene.two)
        done(scene.c.cuStreamSynchronize(scene.two))

    assert not found(act)


FLAGS = {
    "gives": "st.global.u32 [%d0], 7; st.release.sys.global.u32 [%d1], 7;",
    "fences": "st.global.u32 [%d0], 7; membar.sys; st.volatile.global.u32 [%d1], 7;",
    "takes": "ld.acquire.sys.global.u32 %r0, [%d1]; ld.global.u32 %r1, [%d0];",
    "locks": "atom.acquire.gpu.global.exch.b32 %r0, [%d1], 1; st.global.u32 [%d0], 8; st.release.gpu.global.u32 [%d1], 0;",
    "polls": "ld.volatile.global.u32 %r0, [%d1]; fence.acq_rel.gpu; ld.global.u32 %r1, [%d0];",
    "hopes": "ld.volatile.global.u32 %r0, [%d1]; ld.global.u32 %r1, [%d0];",
    "in_its_block": "ld.acquire.cta.global.u32 %r0, [%d1]; ld.global.u32 %r1, [%d0];",
    "reads": "ld.global.u32 %r1, [%d0]; membar.gl;",
    "counts": "st.global.u32 [%d0], 7; red.global.add.u32 [%d1], 1;",
    "tells": "st.global.u32 [%d0], 7; st.release.sys.global.u32 [%d1+2048], 7;",
}
"""Kernels with memory and a flag. Those that acquire, or have a fence behind a strong load, may follow another one."""
EXCHANGES = ".version 7.0\n.target sm_70\n.address_size 64\n" + "".join(
    f".visible .entry {name}(.param .u64 memory, .param .u64 flag) {{ .reg .b32 %r<2>; .reg .b64 %d<2>;"
    f" ld.param.u64 %d0, [memory]; ld.param.u64 %d1, [flag]; {code} ret; }}\n"
    for name, code in FLAGS.items()
)


class Exchange(Scene):
    """A scene with kernels that exchange memory by a flag.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        module = done(self.c.cuModuleLoadData(EXCHANGES.encode()))
        self.functions = {name: done(self.c.cuModuleGetFunction(module, name.encode())) for name in FLAGS}

    def run(self, name: str, stream: int, flag: int = 0) -> None:
        """Run a kernel in a stream, with a flag of a device or another one."""
        arguments = [ctypes.c_uint64(one) for one in (self.common, flag or self.flag)]
        places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
        done(self.c.cuLaunchKernel(self.functions[name], *[1] * 6, 0, stream, ctypes.addressof(places), 0))


def races_of(act: Callable[[Exchange], object], *, strict: bool = False) -> bool:
    """Return whether a program of kernels with flags has a race."""
    with Machine("h200", seed=1, kernels="run", races="strict" if strict else True) as machine:
        with suppress(UndefinedBehaviour):
            act(Exchange(machine))
        return bool(machine.findings)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "race"),
    [
        *((first, second, False) for first in ("gives", "fences", "locks") for second in ("takes", "polls", "locks")),
        *(
            (first, second, True)
            for first in ("gives", "fences")
            for second in ("hopes", "in_its_block", "reads", "counts")
        ),
        *(("tells", second, True) for second in ("takes", "locks")),
        ("counts", "counts", True),
    ],
)
def test_kernels_that_exchange_memory_by_a_flag(first: str, second: str, *, race: bool, strict: bool) -> None:
    """A kernel that acquires comes after the kernels whose strong stores it has read, and after nothing else."""

    def act(scene: Exchange) -> None:
        scene.run(first, scene.one)
        scene.run(second, scene.two)

    assert races_of(act, strict=strict) is race


def test_kernels_that_exchange_memory_without_race_detection() -> None:
    """They run as usual."""
    with Machine("h200", seed=1, kernels="run", races=False) as machine:
        scene = Exchange(machine)
        scene.run("gives", scene.one, scene.pinned)
        scene.run("takes", scene.two, scene.pinned)
        assert ctypes.c_uint32.from_address(scene.pinned).value == 7


def test_an_exchange_orders_what_came_before() -> None:
    """The order goes on: what was before the first kernel is before what comes after the second, and nothing later is."""
    for late in (False, True):

        def act(scene: Exchange) -> None:
            done(scene.c.cuMemsetD8Async(scene.own, 1, 64, scene.third))
            scene.record(scene.third)
            scene.wait(scene.one)
            scene.run("gives", scene.one)
            if late:  # noqa: B023 - it is called at once
                done(scene.c.cuMemsetD8Async(scene.own, 2, 64, scene.one))
            scene.run("takes", scene.two)
            done(scene.c.cuMemsetD8Async(scene.own, 3, 64, scene.two))

        assert races_of(act) is late


def test_a_value_that_a_kernel_takes() -> None:
    """A kernel may acquire what a stream has written as a value."""

    def act(scene: Exchange) -> None:
        done(scene.c.cuMemsetD8Async(scene.common, 1, 64, scene.one))
        done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 1, 0))
        scene.run("takes", scene.two)

    assert not races_of(act)


@pytest.mark.parametrize(
    ("name", "race"), [("gives", False), ("fences", False), ("locks", False), ("counts", True), ("polls", True)]
)
def test_a_flag_that_the_host_polls(name: str, *, race: bool) -> None:
    """The host may have read what a kernel has released in memory that it can read, and then makes its next call."""
    for managed in (False, True):

        def act(scene: Exchange) -> None:
            host = int(done(scene.c.cuMemAllocManaged(64, 1))) if managed else scene.pinned  # noqa: B023 - see above
            scene.run(name, scene.one, host)
            done(scene.c.cuMemsetD8Async(scene.common, 1, 64, scene.two))

        assert races_of(act) is race


def test_what_comes_after_a_fill_of_a_value() -> None:
    """A wait for a value that a kernel or a memset has left comes after that alone."""
    for late, kernel in product((False, True), repeat=2):

        def act(scene: Exchange) -> None:
            if not late:  # noqa: B023 - it is called at once
                done(scene.c.cuMemsetD8Async(scene.own, 1, 64, scene.one))
            if kernel:  # noqa: B023
                scene.run("gives", scene.one)
            else:
                done(scene.c.cuMemsetD32Async(scene.flag, 7, 1, scene.one))
            if late:  # noqa: B023
                done(scene.c.cuMemsetD8Async(scene.own, 1, 64, scene.one))
            done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 7, 1))
            done(scene.c.cuMemsetD8Async(scene.own, 2, 64, scene.two))

        assert races_of(act) is late
