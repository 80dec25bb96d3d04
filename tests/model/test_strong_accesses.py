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
