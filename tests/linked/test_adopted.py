"""Objects that no recorded call made: the model takes them as living, and they make no false finding."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.kit.program import Program
from conformance.record import adopted
from conformance.record.checked import Checked, compared, comparison_of
from fakecuda import Machine

from .shadow import DONE, LAUNCH, LOAD, TEXT, call, checked_of, made

STREAM, EVENT, MEMORY = ({"ref": f"unseen.{kind}1"} for kind in ("stream", "event", "dptr"))
KERNEL, MODULE, LIBRARY, POOL, ARRAY = (
    {"ref": f"unseen.{kind}2"} for kind in ("kernel", "module", "library", "pool", "array")
)
OWN = {"ref": "a.stream1"}
REFUSED = {"code": 1, "outs": {}}
BAD_CONTEXT = {"code": 201, "outs": {}}
EXIT = {"process": "a", "call": "exit"}, DONE
STACK = [["/home/me/program", 64]]


def launch(function: Any, shared: int = 0) -> dict[str, Any]:
    """Return the step of a launch."""
    return {**LAUNCH, "args": [function, *LAUNCH["args"][1:7], shared, *LAUNCH["args"][8:]]}


ADOPTED: dict[str, list[tuple[Any, Any]]] = {
    "a stream": [(call("cuStreamSynchronize", STREAM), DONE), (call("cuStreamDestroy", STREAM), DONE)],
    "what only the driver knows of it": [(call("cuStreamGetFlags", STREAM), {"code": 0, "outs": {"pFlags": 1}})],
    "work that is not yet done": [(call("cuStreamQuery", STREAM), {"code": 600, "outs": {}})],
    "an event": [(call("cuEventRecord", EVENT, OWN), DONE), (call("cuEventDestroy", EVENT), DONE)],
    "a function": [(launch(KERNEL, 200_000), DONE), (call("cuFuncGetAttribute", 8, KERNEL), DONE)],
    "a kernel": [
        (call("cuKernelGetFunction", KERNEL), made("pFunc", "a.kernel2")),
        (launch({"ref": "a.kernel2"}, 200_000), DONE),
    ],
    "a module": [
        (call("cuModuleGetFunction", MODULE, TEXT), made("hfunc", "a.kernel2")),
        (launch({"ref": "a.kernel2"}), DONE),
        (call("cuModuleUnload", MODULE), DONE),
    ],
    "a library": [
        (call("cuLibraryGetModule", LIBRARY), made("pMod", "a.module2")),
        (call("cuModuleGetFunction", {"ref": "a.module2"}, TEXT), made("hfunc", "a.kernel2")),
        (launch({"ref": "a.kernel2"}), DONE),
        (call("cuLibraryUnload", LIBRARY), DONE),
    ],
    "memory": [
        (call("cuMemGetAddressRange", MEMORY), {"code": 0, "outs": {"pbase": {"new": "a.dptr1"}, "psize": 64}}),
        (call("cuMemsetD8", {"ref": "a.dptr1", "plus": 63}, 0, 1), DONE),
        (call("cuMemsetD32", MEMORY, 0, 100), DONE),
        (call("cuMemFree", MEMORY), DONE),
    ],
    "memory in a capture": [
        (call("cuStreamBeginCapture", OWN, 0), DONE),
        (call("cuMemsetD32Async", MEMORY, 0, 100, OWN), DONE),
        (call("cuStreamEndCapture", OWN), made("phGraph", "a.graph1")),
        (call("cuGraphDestroy", {"ref": "a.graph1"}), DONE),
    ],
    "a pool": [
        (call("cuMemAllocFromPoolAsync", 8, POOL, OWN), made("dptr", "a.dptr1")),
        (call("cuMemFreeAsync", {"ref": "a.dptr1"}, OWN), DONE),
        (call("cuMemPoolDestroy", POOL), DONE),
    ],
    "an array": [
        (call("cuArrayGetDescriptor", ARRAY), {"code": 0, "outs": {"pArrayDescriptor": [16, 1, 0x20, 1]}}),
        (call("cuArrayDestroy", ARRAY), DONE),
    ],
}


@pytest.mark.parametrize("what", ADOPTED)
def test_an_adopted_object_lives(what: str) -> None:
    """Its calls are made; at the end of the process nothing is left behind but what recorded calls made."""
    checked = checked_of(*ADOPTED[what], (call("cuStreamDestroy", OWN), DONE), EXIT, stack=STACK)
    assert (checked.differences, checked.skipped, checked.found, checked.ended) == ([], 0, [], "")
    assert checked.answers == len(LOAD) + len(ADOPTED[what])
    assert checked.kept["a"] == {"module": 1, "retain": 1}


def test_its_destroy_ends_it() -> None:
    """A refused use after that is a finding. If the driver takes the handle again, another object has got it."""
    ends = (call("cuStreamSynchronize", STREAM), DONE), (call("cuStreamDestroy", STREAM), DONE)
    (found,) = checked_of(*ends, (call("cuStreamSynchronize", STREAM), BAD_CONTEXT)).found
    assert (found.kind, found.number) == ("undefined behaviour", len(LOAD) + 2)
    assert f"created at call:{len(LOAD)} in no recorded call" in found.text
    assert checked_of(*ends, *ends).found == []
    frees = call("cuMemFree", MEMORY), DONE
    (found,) = checked_of((call("cuMemsetD8", MEMORY, 0, 8), DONE), frees, (frees[0], REFUSED)).found
    assert "rule       memory.mem_free.POINTER_IS_A_BASE" in found.text


def test_an_object_on_which_the_driver_disagrees_is_dropped() -> None:
    """The model refuses a use that the driver took: neither is compared from then on."""
    wide = {**LAUNCH, "args": [KERNEL, *LAUNCH["args"][1:4], 2048, *LAUNCH["args"][5:]]}
    checked = checked_of((wide, DONE), (launch(KERNEL), DONE))
    assert (checked.differences, checked.skipped, checked.answers, checked.found) == ([], 2, len(LOAD) - 1, [])


def test_code_has_what_is_looked_up_later() -> None:
    """While a program still runs, the model does not know what it is going to look up. Then it loads the code again."""
    loads = call("cuLibraryLoadData", {"ref": "unseen.image"}, [], [], 0, [], [], 0), made("library", "a.library1")
    variable = {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}, "bytes": 8}}
    pairs = [
        *LOAD,
        (call("cuModuleGetGlobal", {"ref": "a.module1"}, {"hex": "76"}), variable),
        (call("cuMemsetD8", {"ref": "a.dptr1", "plus": 7}, 0, 1), DONE),
        (LAUNCH, DONE),
        loads,
        (call("cuLibraryGetKernel", {"ref": "a.library1"}, TEXT), made("pKernel", "a.kernel2")),
        (call("cuLibraryUnload", {"ref": "a.library1"}), DONE),
    ]
    checked = one_by_one(*pairs)
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, len(pairs) - 1)


def one_by_one(*pairs: tuple[Any, Any]) -> Checked:
    """Return what a model says of a program while it knows no later step."""
    with Machine("h200", seed=0, kernels="skip") as model:
        comparison = comparison_of(Program("p", [], []), model)
        for number, (step, answer) in enumerate(pairs):
            comparison.note(Program("p", [step], [answer]))
            comparison.go_on(number, step, answer)
    return comparison.checked


def test_memory_grows_with_what_is_used_of_it() -> None:
    """While a program still runs, a later call may use more of it."""
    pairs = [*LOAD, *((call("cuMemsetD8", MEMORY, 0, size), DONE) for size in (8, 64, 8))]
    checked = one_by_one(*pairs)
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, len(pairs) - 1)


def test_a_refused_handle_may_be_any() -> None:
    """It is adopted when the driver takes it."""
    waits = call("cuStreamSynchronize", STREAM)
    checked = checked_of((waits, REFUSED), (waits, DONE))
    assert (checked.differences, checked.skipped, checked.answers) == ([], 1, len(LOAD))


NOT_ADOPTED: dict[str, tuple[Any, Any]] = {
    "a refused handle": (call("cuStreamSynchronize", STREAM), REFUSED),
    "a graph": (call("cuGraphLaunch", {"ref": "unseen.executable1"}, OWN), DONE),
    "an array of unknown size": (call("cuArrayDestroy", ARRAY), DONE),
    "memory of unknown size": (call("cuIpcGetMemHandle", MEMORY), {"code": 0, "outs": {"pHandle": {"new": "ipc1"}}}),
    "too much memory": (call("cuMemsetD8", MEMORY, 0, adopted.MOST + 1), DONE),
}


@pytest.mark.parametrize("what", NOT_ADOPTED)
def test_what_is_not_adopted(what: str) -> None:
    """The call is not made."""
    checked = checked_of(NOT_ADOPTED[what])
    assert (checked.differences, checked.skipped, checked.answers) == ([], 1, len(LOAD) - 1)


def test_without_a_context_nothing_is_adopted() -> None:
    """The model has no context for them."""
    uses = [
        (call(name, *args), DONE)
        for name, *args in (
            ("cuStreamSynchronize", STREAM),
            ("cuMemPoolDestroy", POOL),
            ("cuModuleUnload", MODULE),
            ("cuFuncGetModule", KERNEL),
            ("cuKernelGetFunction", {"ref": "unseen.kernel9"}),
            ("cuMemcpyDtoDAsync", MEMORY, MEMORY, 8, 0),
        )
    ]
    checked = on_machine("h200", *uses)
    assert (checked.differences, checked.skipped, checked.answers) == ([], len(uses), 1)


def on_machine(profile: str, *pairs: tuple[Any, Any]) -> Checked:
    """Return what a model of a machine says of a process that calls cuInit and goes on."""
    steps, answers = zip(*LOAD[:2], *pairs, strict=True)
    with Machine(profile, seed=0, kernels="skip") as model:
        return compared(Program("p", list(steps), list(answers)), model)


def test_a_context_is_primary() -> None:
    """With one device it is that device's; with several, the next cuCtxGetDevice of the thread tells."""
    context = {"ref": "unseen.ctx1"}
    sets = call("cuCtxSetCurrent", context), DONE
    asks = call("cuCtxGetDevice"), {"code": 0, "outs": {"device": 1}}
    allocates = call("cuMemAlloc", 8), made("dptr", "a.dptr1")
    assert on_machine("h200", sets, allocates).skipped == 0
    nothing = call("cuCtxGetCurrent"), {"code": 0, "outs": {"pctx": 0}}
    checked = on_machine("h200-x2", nothing, sets, asks, allocates)
    assert (checked.differences, checked.skipped, checked.answers) == ([], 0, 5)
    assert on_machine("h200-x2", sets).skipped == 1
    assert on_machine("h200-x2", sets, nothing, asks).skipped == 1


def test_a_context_is_current_before_a_call_returns_it() -> None:
    """A program sets its device first: the runtime makes the context current, and asks for it before it retains it."""
    context, again = {"ref": "a.ctx1"}, {"code": 0, "outs": {"pctx": {"name": "a.ctx1", "plus": 0}}}
    sets, asks = (call("cuCtxSetCurrent", context), DONE), (call("cuCtxGetCurrent"), made("pctx", "a.ctx1"))
    retains, allocates = (call("cuDevicePrimaryCtxRetain", 1), again), (call("cuMemAlloc", 8), made("dptr", "a.dptr1"))
    told = call("cuPointerGetAttribute", 9, {"ref": "a.dptr1"}), {"code": 0, "outs": {"data": 1}}
    checked = on_machine("h200-x2", sets, asks, retains, allocates, told)
    assert (checked.differences, checked.skipped, checked.adopted) == ([], 0, 0)
    checked = on_machine("h200-x2", asks, retains, allocates, told)  # past the recorded calls
    assert (checked.differences, checked.skipped, checked.adopted) == ([], 0, 1)


def test_work_may_have_been_ordered_past_the_recorded_calls() -> None:
    """Code and contexts order nothing; after another adopted object, accesses without an order are no finding."""
    race = [
        (call("cuMemAlloc", 8), made("dptr", "a.dptr1")),
        (call("cuStreamCreate", 1), made("phStream", "a.stream2")),
        (call("cuMemsetD8Async", {"ref": "a.dptr1"}, 0, 8, OWN), DONE),
        (call("cuMemsetD8Async", {"ref": "a.dptr1"}, 1, 8, {"ref": "a.stream2"}), DONE),
    ]
    assert len(checked_of((launch(KERNEL), DONE), *race).found) == 1
    assert checked_of((call("cuStreamSynchronize", STREAM), DONE), *race).found == []
