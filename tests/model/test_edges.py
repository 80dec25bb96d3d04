"""What few programs come to: forks of everything, memory that is asked for twice, callers that are far away."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.kernels import HEAD
from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.model import ending
from fakecuda.model.code import linking, packed
from fakecuda.model.memory import array
from fakecuda.model.memory.foreseen import foreseeing
from fakecuda.model.os import interruption, process
from fakecuda.model.work import batch
from fakecuda.profiles import load
from fakecuda.rules.driver.execution.launch_kernel import most_of_cluster
from fakecuda.rules.driver.graph import memory
from fakecuda.rules.driver.graph.batch_mem_op import operations_at
from fakecuda.rules.driver.peer.connection import connections
from tests.model.test_interruption import send
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

SOLID = (64, 16, 0, 1, 1, 0)
FAR: Any = SimpleNamespace(process=SimpleNamespace(system=object()))
"""A call of another OS process."""


def test_levels_of_a_fork_are_of_its_own_arrays(machine: Machine) -> None:
    """Each of a mipmapped array that the fork has, and so the other way round."""
    a = started(machine)
    levels = done(a.c.cuMipmappedArrayCreate(SOLID, 3))
    second = done(a.c.cuMipmappedArrayGetLevel(levels, 1))
    context = next(iter(a.contexts.values()))
    twins: Any = array.in_fork(context, context.arrays)
    assert twins[levels] is not context.arrays[levels]
    assert twins[second].level_of is twins[levels]
    assert twins[levels].levels[1] is twins[second]


def test_a_fork_that_ends_leaves_the_contexts(machine: Machine) -> None:
    """They are its parent's."""
    a = started(machine)
    child = process.Process(machine, "a fork")
    a.give_to(child)
    assert child.contexts
    ending.tear_down(machine, child)
    assert not child.contexts
    assert a.contexts
    assert a.c.cuCtxSynchronize() == (0,)


def test_operations_of_a_node_lie_in_one_place() -> None:
    """However often it is asked for, and also where there are no operations."""
    context: Any = None
    empty = batch.Batch((), context)
    assert empty.place() == empty.place() != 0
    held = batch.Batch(((1, 4096, 5, 0),), context)
    assert held.place() == held.place()
    assert ctypes.string_at(held.place(), 4) == b"\1\0\0\0"


def test_a_call_that_foresees_memory_is_else_as_it_was() -> None:
    """So is its process."""
    call: Any = SimpleNamespace(name="call", process=SimpleNamespace(name="a", graph_memory=SimpleNamespace()))
    seen: Any = foreseeing(call)
    assert (seen.name, seen.process.name) == ("call", "a")


def test_a_finding_draws_what_led_to_it(machine: Machine) -> None:
    """As the machine does."""
    a = started(machine)
    with pytest.raises(UndefinedBehaviour) as raised:
        a.c.cuStreamQuery(done(a.c.cuMemAlloc(512)))
    finding = raised.value.finding
    assert "cuMemAlloc" in finding.draw()._repr_svg_()
    assert "stream.handle.STREAM_IS_KNOWN" in str(finding._repr_html_())


def test_a_match_far_behind_is_read_at_once() -> None:
    """It repeats nothing of itself."""
    assert packed.unpacked(b"\x80abcdefgh\x08\0\x10e", packed.LZ4, 13) == b"abcdefghabcde"


def test_clusters_before_hopper_have_one_block() -> None:
    """Their devices have none."""
    context = SimpleNamespace(device=SimpleNamespace(profile=load("a100-80gb").devices[0]))
    function: Any = SimpleNamespace(module=SimpleNamespace(context=context))
    assert most_of_cluster(function) == 1


def test_unified_functions_say_that_they_are_not_modelled(machine: Machine) -> None:
    """Where a library has one."""
    a = started(machine)
    code = (HEAD + ".visible .func shared() .unified { ret; }\n.visible .entry empty() { ret; }\n").encode()
    library = done(a.c.cuLibraryLoadData(code, None, None, 0, None, None, 0))
    with pytest.raises(FakeCudaError, match=r"has functions with the PTX attribute \.unified, which is not modelled"):
        a.c.cuLibraryGetUnifiedFunction(library, b"shared")


def test_a_handler_runs_behind_what_is_not_to_be_broken(handled: list[Callable[[], Any]]) -> None:
    """Not within it."""
    seen: list[str] = []
    handled.append(lambda: seen.append("handled"))

    def whole() -> str:
        send()
        seen.append("done")
        return "answer"

    assert interruption.unbroken(whole)() == "answer"
    assert seen == ["done", "handled"]


def test_a_device_is_not_connected_with_itself(machine: Machine) -> None:
    """Whatever another process has opened of its own."""
    a, b = started(machine), started(machine)
    done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(4096)))), 1))
    assert connections(machine) == {}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: operations_at(FAR, 4096, 1),
        lambda: memory.described(FAR, 4096, 1),
    ],
)
def test_memory_of_far_callers_is_not_read(ask: Callable[[], object]) -> None:
    """It says so."""
    with pytest.raises(FakeCudaError, match="is not modelled for an OS process that has attached"):
        ask()


def test_tensor_maps_of_far_callers_are_not_written(machine: Machine) -> None:
    """It says so, too."""
    a = started(machine)
    a.system = FAR.process.system
    with pytest.raises(FakeCudaError, match="in the OS process that made the machine"):
        a.c.cuTensorMapReplaceAddress(4096, 1 << 30)


def test_a_fork_that_ends_gives_back_images_of_linkers_alone(machine: Machine) -> None:
    """Modules that it has loaded itself have none."""
    a = started(machine)
    code = (HEAD + ".visible .entry empty() { ret; }\n").encode()
    module = done(a.c.cuModuleLoadData(code))
    state = done(a.c.cuLinkCreate(0, (), ()))
    done(a.c.cuLinkAddData(state, 1, code, len(code), b"code", 0, (), ()))
    child = process.Process(machine, "a fork")
    a.give_to(child)
    linking.complete(child.loaded[state])  # type: ignore[arg-type]
    assert list(linking.blocks_of(child))
    ending.tear_down(machine, child)
    assert machine.pinned.used == 0
    assert a.loaded.keys() >= {module, state}
