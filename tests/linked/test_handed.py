"""What a recording does not tell of results: descriptors, addresses that are given again, streams that do not capture."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.kit.program import Program
from conformance.record.checked import Checked, compared
from fakecuda import Machine

from .shadow import DONE, call, made

GRANULE = 2 << 20
PROPS = [1, 1, [1, 0], 0, [0, 0, 0]]
SIZES = (GRANULE, 3 * GRANULE)


def of(process: str, *pairs: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    """Return steps of a process, with their answers."""
    return [({**step, "process": process}, answer) for step, answer in pairs]


def start(process: str) -> list[tuple[Any, Any]]:
    """Return the steps by which a process begins."""
    return of(
        process,
        (call("spawn"), DONE),
        (call("cuInit", 0), DONE),
        (call("cuDevicePrimaryCtxRetain", 0), made("pctx", f"{process}.ctx1")),
        (call("cuCtxSetCurrent", {"ref": f"{process}.ctx1"}), DONE),
    )


def checked_of(*pairs: tuple[Any, Any]) -> Checked:
    """Return what a model says of a program."""
    steps, answers = zip(*pairs, strict=True)
    with Machine("h200", seed=0, kernels="skip") as model:
        return compared(Program("p", list(steps), list(answers)), model)


def exports(process: str, number: int) -> list[tuple[Any, Any]]:
    """Return the steps of a process that makes memory and exports it; the descriptor has no record."""
    untold = {"code": 0, "outs": {"shareableHandle": None}}
    return of(
        process,
        (call("cuMemCreate", SIZES[number], PROPS, 0), made("handle", f"{process}.handle{number + 1}")),
        (call("cuMemExportToShareableHandle", {"ref": f"{process}.handle{number + 1}"}, 1, 0), untold),
    )


def imports(process: str, number: int, size: int) -> list[tuple[Any, Any]]:
    """Return the steps of a process that imports memory and maps all of it."""
    memory, handle = {"ref": f"{process}.va{number}"}, {"ref": f"{process}.handle{number}"}
    return of(
        process,
        (call("cuMemImportFromShareableHandle", -1, 1), made("handle", handle["ref"])),
        (call("cuMemAddressReserve", size, 0, 0, 0), made("ptr", memory["ref"])),
        (call("cuMemMap", memory, size, 0, handle, 0), DONE),
        (call("cuMemUnmap", memory, size), DONE),
        (call("cuMemRelease", handle), DONE),
    )


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_import_takes_an_export_of_its_size(order: tuple[int, int]) -> None:
    """Each process has its own numbers of descriptors, so the size tells which it is. No close has a record: none is left behind."""
    given = [*exports("a", 0), *exports("a", 1)]
    taken = [pair for number, which in enumerate(order) for pair in imports("b", number + 1, SIZES[which])]
    frees = of("a", *((call("cuMemRelease", {"ref": f"a.handle{number}"}), DONE) for number in (1, 2)))
    checked = checked_of(*start("a"), *start("b"), *given, *taken, *frees, *of("a", (call("exit"), DONE)))
    assert (checked.differences, checked.skipped, checked.found) == ([], 0, [])


def test_an_import_without_an_export() -> None:
    """Another program may have exported it: the model has no such memory, and says so."""
    (difference, *_) = checked_of(*start("b"), *imports("b", 1, GRANULE)).differences
    assert str(difference) == "step 4 b.cuMemImportFromShareableHandle: UNKNOWN instead of SUCCESS"


def test_an_address_that_is_given_again() -> None:
    """Within a graph, a driver allocates freed memory again at its address. Then its name stands for the newer memory."""
    wants = [[1, 0, [1, 0], 0, 0, 0, 0], 0, 0, GRANULE]
    graph, memory = {"ref": "a.graph1"}, {"ref": "a.dptr1"}
    steps: list[tuple[Any, Any]] = [(call("cuGraphCreate", 0), made("phGraph", "a.graph1"))]
    for number, result in ((1, {"new": "a.dptr1"}), (3, {"name": "a.dptr1", "plus": 0})):
        node = {"phGraphNode": {"new": f"a.node{number}"}, "nodeParams": [*wants, result]}
        before = [{"ref": f"a.node{number - 1}"}] if number > 1 else None
        frees = call("cuGraphAddMemFreeNode", graph, [{"ref": f"a.node{number}"}], 1, memory)
        steps += [
            (call("cuGraphAddMemAllocNode", graph, before, len(before or ()), [*wants, 0]), {"code": 0, "outs": node}),
            (frees, made("phGraphNode", f"a.node{number + 1}")),
        ]
    checked = checked_of(*start("a"), *of("a", *steps))
    assert (checked.differences, checked.skipped) == ([], 0)


def test_how_many_addresses_are_left() -> None:
    """It depends on the process's other memory: a driver had room where the model has none."""
    reserves = call("cuMemAddressReserve", 60 << 40, 0, 0, 0)
    steps = [(reserves, made("ptr", f"a.va{number}")) for number in (1, 2, 3)]
    checked = checked_of(*start("a"), *of("a", *steps))
    assert checked.differences == []
    assert checked.skipped >= 1


def test_an_incomplete_object_is_not_left_behind() -> None:
    """The model does not link code that no recording has, so the call that ends the linker is not made either."""
    linker, stack = {"ref": "a.linker1"}, [["/home/me/program", 64]]
    steps = (
        ({**call("cuLinkCreate", 0, None, None), "stack": stack}, made("stateOut", "a.linker1")),
        (call("cuLinkAddData", linker, 1, {"ref": "unseen.image"}, 8, {"hex": ""}, 0, None, None), DONE),
        (call("cuLinkDestroy", linker), DONE),
        (call("exit"), DONE),
    )
    checked = checked_of(*start("a"), *of("a", *steps))
    assert (checked.differences, checked.skipped, checked.found) == ([], 2, [])


def test_a_loop_that_kernels_end() -> None:
    """What a kernel does is not known: the launch is not made, and the calls after it are compared."""
    graph, choice = {"ref": "a.graph1"}, [{"ref": "a.condition1"}, 1, 1, 0, {"ref": "a.ctx1"}]
    told = {"phGraphNode": {"new": "a.node1"}, "nodeParams": [{"new": "a.graph2"}]}
    handle = call("cuGraphConditionalHandleCreate", graph, {"ref": "a.ctx1"}, 1, 1), made("pHandle_out", "a.condition1")
    steps = (
        (call("cuGraphCreate", 0), made("phGraph", "a.graph1")),
        handle,
        (call("cuGraphAddNode", graph, None, None, 0, {"node": [13, choice, True]}), {"code": 0, "outs": told}),
        (call("cuGraphInstantiate", graph, 0), made("phGraphExec", "a.executable1")),
        (call("cuGraphLaunch", {"ref": "a.executable1"}, 0), DONE),
        (call("cuGraphDestroy", graph), DONE),
    )
    checked = checked_of(*start("a"), *of("a", *steps))
    assert (checked.differences, checked.skipped, checked.ended, checked.answers) == ([], 1, "", 8)


def test_a_stream_that_does_not_capture() -> None:
    """A driver writes the state alone: what else the caller's memory has is no result."""
    asks = {**call("cuStreamGetCaptureInfo", 0), "null": "dependencies_out edgeData_out numDependencies_out"}
    outs = {"captureStatus_out": 0, "id_out": {"volatile": True}, "graph_out": {"new": "a.graph1"}}
    checked = checked_of(*start("a"), *of("a", (asks, {"code": 0, "outs": outs})))
    assert checked.differences == []
