"""A model that makes each call of a program before a card does: what the card is not asked, and what is released behind it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve

import fakecuda
from conformance.cases.driver.va.fixtures import TILE_POOL, maps, prop
from conformance.drawing.drawing import NOT_MADE
from conformance.kit.compare import Difference
from conformance.kit.kernels import PTX
from conformance.kit.program import FORKED, Recorder
from conformance.search.ignorable import counts
from conformance.search.lockstep import Ahead
from conformance.search.planted import PLANTED, Bug, Card
from conformance.search.process_pool import ALL, Stable, kinds_of
from conformance.search.reached import Reached
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CHILD, pack
from tests.conformance.test_search import WITHOUT_KERNELS, profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from conformance.kit.program import Step
    from fakecuda.profiles import Profile

__all__ = ["profile"]
GRANULE = 2 << 20
SPARSE, DEFERRED = 64, 128
"""CUDA_ARRAY3D_SPARSE and _DEFERRED_MAPPING."""


@contextmanager
def leading(profile: Profile) -> Iterator[tuple[Ahead, Reached]]:
    """Give a model that makes each call before a card, with a process ``a``, and what it counts."""
    with fakecuda.Machine(profile, strict=False, seed=0) as model:
        model.scheduler.census.alone = True
        reached = Reached()
        card = Card(profile)
        ahead = Ahead(Stable(card), model, reached)
        ahead.begin("a", runtime=False, device=0)
        yield ahead, reached
        ahead.finish()
        card.close()


def test_a_card_is_not_asked_what_is_undefined(profile: Profile) -> None:
    """The model makes each call first: what it says is undefined is left out, and counted."""
    with leading(profile) as (ahead, reached):
        ahead.lead("a", "main", "cuStreamCreate", (0,))
        stream = ahead.model.names.by_text["a.stream1"].value
        ahead.lead("a", "main", "cuStreamDestroy", (stream,))
        steps = len(ahead.program.steps)
        assert ahead.lead("a", "main", "cuStreamDestroy", (stream,)) < 0
        assert (reached.undefined, len(ahead.program.steps), len(ahead.model.program.steps)) == (1, steps, steps)


def test_a_card_is_not_asked_about_handles_of_another_kind(profile: Profile) -> None:
    """No name of the kind has such a handle, so a program would have the model's number, which is any address on a card."""
    with leading(profile) as (ahead, reached):
        assert ahead.lead("a", "main", "cuEventCreate", (0,)) == 0
        assert ahead.lead("a", "main", "cuStreamCreate", (0,)) == 0
        event, stream = (ahead.model.names.by_text[f"a.{kind}1"].value for kind in ("event", "stream"))
        steps = len(ahead.program.steps)
        node = pack(CHILD, (stream, 0))
        for call, inputs in (
            ("cuEventElapsedTime", (0, stream)),
            ("cuGraphAddNode", (0, None, None, 0, node)),
            ("cuGraphAddDependencies", (0, (stream,), (stream,), None, 1)),
        ):
            assert ahead.lead("a", "main", call, inputs) == NOT_MADE, call
        assert (reached.undefined, len(ahead.program.steps), len(ahead.model.program.steps)) == (3, steps, steps)
        assert ahead.lead("a", "main", "cuEventElapsedTime", (0, event)) == Result.INVALID_HANDLE
        assert (
            ahead.lead("a", "main", "cuGraphAddNode", (0, None, None, 0, pack(CHILD, (0, 0)))) == Result.INVALID_VALUE
        )


def test_a_fork_ends_a_capture_alone(profile: Profile) -> None:
    """The graph is the fork's, and the situations of its parent are not asked for it."""
    with leading(profile) as (ahead, reached):
        assert ahead.lead("a", "main", "cuStreamCreate", (1,)) == 0
        stream = ahead.model.names.by_text["a.stream1"].value
        assert ahead.lead("a", "main", "cuStreamBeginCapture", (stream, 2)) == 0
        assert ahead.lead("a", FORKED, "cuStreamEndCapture", (stream,)) == 0
        ended = [reached.situations["a captured graph"]]
        assert ahead.lead("a", "main", "cuStreamEndCapture", (stream,)) == 0
        assert [*ended, reached.situations["a captured graph"]] == [0, 1]


def test_a_card_is_not_asked_what_it_answers_and_dies_of_later(profile: Profile) -> None:
    """A call that succeeds and is undefined leaves the model as it was; what follows is made."""
    with leading(profile) as (ahead, reached):
        ahead.other({"process": "a", "call": "function", "args": ["getpid"]})
        function = ahead.model.names.by_text["a.function1"].value
        assert ahead.lead("a", "main", "cuUserObjectCreate", (0, function, 1, 1)) == 0
        thing = ahead.model.names.by_text["a.object1"].value
        steps = len(ahead.program.steps)
        assert ahead.lead("a", "main", "cuUserObjectRelease", (thing, 2)) < 0
        assert (reached.undefined, len(ahead.program.steps), len(ahead.model.program.steps)) == (1, steps, steps)
        assert not ahead.model.machine.strict
        assert ahead.lead("a", "main", "cuUserObjectRelease", (thing, 1)) == 0
        assert not ahead.found


def test_a_card_comes_to_what_fails_before_a_call_that_tells_it(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model does work at once; a card's device comes to it some milliseconds later."""
    made: list[str] = []

    def noted(call: str, _: Any, answer: tuple[Any, ...], __: Any) -> tuple[Any, ...]:
        made.append(call)
        return answer

    for call in ("cuCtxSynchronize", "cuEventCreate"):
        monkeypatch.setitem(PLANTED, call, Bug("none", call, partial(noted, call)))
    with fakecuda.Machine(profile, strict=False, seed=0) as model:
        model.scheduler.census.alone = True
        card = Card(profile, ("cuCtxSynchronize", "cuEventCreate"))
        ahead = Ahead(Stable(card), model, Reached())
        ahead.begin("a", runtime=False, device=0)
        assert ahead.lead("a", "main", "cuArray3DCreate", ((64, 64, 0, 1, 1, DEFERRED),)) == 0
        array = ahead.model.names.by_text["a.array1"].value
        assert ahead.lead("a", "main", "cuMemcpyHtoA", (array, 0, bytes(16), 16)) == 0
        assert ahead.lead("a", "main", "cuEventCreate", (0,)) == Result.LAUNCH_FAILED
        assert made == ["cuCtxSynchronize", "cuEventCreate"]
        assert ahead.program.steps[-2]["call"] == "cuMemcpyHtoA"
        ahead.finish()
        card.close()


def test_what_a_process_is_for_is_told_by_its_first_calls() -> None:
    """A program that is made again takes processes that are as those that it began with."""

    def step(process: str, call: str, *args: int, **more: str) -> Step:
        return {"process": process, "call": call, "args": list(args), **more}

    steps = [
        step("a", "spawn"),
        step("a", "cudaSetDevice", 1),
        step("a", "cudaSetDevice", 0),
        step("b", "spawn"),
        step("b", "memory", 4096),
        step("b", "cuInit", 0),
        step("c", "cuInit", 0, thread="second"),
        step("d", "cudaSetDevice", 1),
        step("d", "cudaMalloc", 1),
    ]
    assert kinds_of(steps) == {"a": (ALL, 0), "b": ("initialised", 0), "c": ("new", 0), "d": ("runtime", 1)}


def test_what_outlasts_a_program_is_no_difference(profile: Profile) -> None:
    """The most that a default pool ever held is that of all programs of a process; in a new process it counts."""
    one = Difference(0, "a", "cuMemPoolGetAttribute", "value", expected=4096, got=0, out="value")
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        model.call("a", "main", "cuInit", (0,))
        model.call("a", "main", "cuDeviceGetDefaultMemPool", (0,))
        step = {"process": "a", "call": one.call, "args": [{"ref": "a.pool1"}, 8]}
        assert not counts(one, step, model, fresh=False)
        assert counts(one, step, model, fresh=True)
        assert counts(one, {**step, "args": [{"ref": "a.pool1"}, 4]}, model, fresh=False)
        model.close()


def test_what_lies_beside_memory_is_no_difference(profile: Profile) -> None:
    """A card has other memory there; up to the end of an allocation a difference counts."""
    one = Difference(0, "a", "cuGraphAddMemcpyNode", "code", expected=0, got=1)
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        for call, args in (
            ("cuInit", (0,)),
            ("cuCtxCreate", (None, 0, 0)),
            ("cuMemAlloc", (64,)),
            ("cuGraphCreate", (0,)),
        ):
            model.call("a", "main", call, args)
        for plus, counted in ((0, True), (64, True), (65, False), (-1, False)):
            inner = {"node": [1, [0, {"ref": "a.dptr1", "plus": plus}], True]}
            step = {"process": "a", "call": one.call, "args": [{"ref": "a.graph1"}, None, 0, inner]}
            assert counts(one, step, model, fresh=True) is counted
        assert counts(one, {"process": "a", "call": "spawn"}, model, fresh=True)
        model.close()


def test_an_address_of_no_descriptors_is_no_difference(profile: Profile) -> None:
    """A driver may use memory of a destroyed graph again; with descriptors, or another size, the parameters differ."""
    props = [1, 0, [1, 0], 0, 0, 0, 0]
    expected = [props, {"name": "a.host1", "plus": 0}, 0, 64, {"new": "a.dptr2"}]
    got = [props, {"new": "a.host2"}, 0, 64, {"new": "a.dptr2"}]
    one = Difference(0, "a", "cuGraphMemAllocNodeGetParams", "value", expected, got, out="params_out")
    step = {"process": "a", "call": one.call, "args": [{"ref": "a.node1"}]}
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        assert not counts(one, step, model, fresh=True)
        assert counts(evolve(one, got=[*got[:3], 128, got[4]]), step, model, fresh=True)
        assert counts(evolve(one, got=[*got[:2], 1, *got[3:]]), step, model, fresh=True)
        model.close()


def test_the_address_of_memory_of_a_graph_is_no_difference(profile: Profile) -> None:
    """What else the parameters say counts."""
    props = [1, 0, [1, 0], 0, 0, 0, 0]
    expected, got = [props, 0, 0, 64, {"name": "a.dptr1", "plus": 0}], [props, 0, 0, 64, {"new": "a.dptr2"}]
    one = Difference(0, "a", "cuGraphAddMemAllocNode", "value", expected, got, out="nodeParams")
    step = {"process": "a", "call": one.call, "args": []}
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        assert not counts(one, step, model, fresh=True)
        assert counts(evolve(one, got=[*got[:3], 128, got[4]]), step, model, fresh=True)
        model.close()


def test_how_a_linker_says_that_it_cannot_link_is_no_difference(profile: Profile) -> None:
    """Another code counts, and the same two codes of another call."""
    one = Difference(0, "a", "cuLinkComplete", "code", expected=999, got=300)
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        found = [evolve(one, **told) for told in ({}, {"got": 0}, {"expected": 0}, {"call": "cuModuleLoadData"})]
        assert [counts(each, {"call": each.call}, model, fresh=True) for each in found] == [False, True, True, True]
        model.close()


def test_what_lies_behind_a_reservation_is_no_difference(profile: Profile) -> None:
    """The model's next reservation lies there, and on a card the driver's own memory may; a range that fits counts."""
    one = Difference(0, "a", "cuMemUnmap", "code", expected=1, got=0)
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        model.call("a", "main", "cuInit", (0,))
        for _ in range(2):
            model.call("a", "main", "cuMemAddressReserve", (GRANULE, 0, 0, 0))
        for pages, is_one in ((1, True), (2, False), (5, False)):
            step = {"process": "a", "call": "cuMemUnmap", "args": [{"ref": "a.va1"}, pages * GRANULE]}
            assert counts(one, step, model, fresh=True) is is_one
        model.close()


def test_a_program_ends_behind_a_change_that_one_side_made(profile: Profile) -> None:
    """A difference that does not count is not reported, but card and model go apart: what follows is not compared."""
    with leading(profile) as (ahead, _):
        ahead._stable.machine.bugs["cuMemUnmap"] = Bug("a neighbour", "cuMemUnmap", lambda *_: (1,))
        names = ahead.model.names.by_text
        ahead.lead("a", "main", "cuMemAddressReserve", (GRANULE, 0, 0, 0))
        ahead.lead("a", "main", "cuMemUnmap", (names["a.va1"].value, 2 * GRANULE))
        assert (ahead.over, ahead.found) == (True, [])


def test_names_of_what_went_with_another_object_are_released(profile: Profile) -> None:
    """A card gives a new kernel, node or graph the handle of one that is gone, and the model memory the address of an image."""
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        machine.scheduler.census.alone = True
        card = Card(profile)
        ahead = Ahead(Stable(card), machine, Reached())
        ahead.begin("a", runtime=False, device=0)
        names = ahead.model.names.by_text

        def make(call: str, *inputs: Any) -> None:
            assert ahead.lead("a", "main", call, inputs) == 0

        make("cuLibraryLoadData", PTX, None, None, 0, None, None, 0)
        make("cuLibraryGetKernel", names["a.library1"].value, b"empty")
        make("cuGraphCreate", 0)
        make("cuGraphAddEmptyNode", names["a.graph1"].value, None, 0)
        make("cuLinkCreate", 0, None, None)
        make("cuLinkAddData", names["a.linker1"].value, 1, PTX, len(PTX), None, 0, None, None)
        make("cuLinkComplete", names["a.linker1"].value)
        make("cuModuleLoadData", PTX)
        for _ in range(2):
            make("cuModuleEnumerateFunctions", 2, names["a.module1"].value)
        make("cuLibraryLoadData", WITHOUT_KERNELS, None, None, 0, None, None, 0)
        for _ in range(2):
            make("cuLibraryEnumerateKernels", 2, names["a.library2"].value)
        make("cuMipmappedArrayCreate", (64, 64, 0, 1, 1, 0), 2)
        make("cuMipmappedArrayGetLevel", names["a.mipmapped1"].value, 0)
        gone = ("a.kernel1", "a.node1", "a.graph1", "a.image1", "a.kernel2", "a.array1")
        assert all(one.by_text[text].live for text in gone for one in (ahead.names, ahead.model.names))
        make("cuLibraryUnload", names["a.library1"].value)
        make("cuGraphDestroy", names["a.graph1"].value)
        make("cuLinkDestroy", names["a.linker1"].value)
        make("cuModuleUnload", names["a.module1"].value)
        make("cuMipmappedArrayDestroy", names["a.mipmapped1"].value)
        make("cuCtxSynchronize")
        assert not any(one.by_text[text].live for text in gone for one in (ahead.names, ahead.model.names))
        assert not ahead.found
        ahead.finish()
        card.close()


def test_a_process_that_had_graphs_is_as_a_new_one(profile: Profile) -> None:
    """What a device keeps for graphs is given back, its marks begin again, and the context has its flags again."""
    card = Card(profile)
    stable = Stable(card)
    allocation = ((1, 0, (1, 0), 0, 0, 0, 0), 0, 0, 4096, 0)
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        machine.scheduler.census.alone = True
        for _ in range(2):
            ahead = Ahead(stable, machine, Reached())
            ahead.begin("a", runtime=False, device=0)
            names = ahead.model.names.by_text
            for attribute in range(4):
                ahead.lead("a", "main", "cuDeviceGetGraphMemAttribute", (0, attribute))
            ahead.lead("a", "main", "cuGraphCreate", (0,))
            ahead.lead("a", "main", "cuGraphAddMemAllocNode", (names["a.graph1"].value, None, 0, allocation))
            memory, node = names["a.dptr1"].value, names["a.node1"].value
            ahead.lead("a", "main", "cuGraphAddMemFreeNode", (names["a.graph1"].value, (node,), 1, memory))
            ahead.lead("a", "main", "cuGraphInstantiate", (names["a.graph1"].value, 0))
            assert ahead.lead("a", "main", "cuGraphLaunch", (names["a.executable1"].value, 0)) == 0
            ahead.lead("a", "main", "cuCtxGetFlags", ())
            ahead.lead("a", "main", "cuModuleLoadData", (PTX,))
            ahead.lead("a", "main", "cuModuleGetFunction", (names["a.module1"].value, b"empty"))
            ahead.lead("a", "main", "cuGraphCreate", (0,))
            launch = (names["a.kernel1"].value, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
            ahead.lead("a", "main", "cuGraphAddKernelNode", (names["a.graph2"].value, None, 0, launch))
            assert ahead.lead("a", "main", "cuGraphInstantiate", (names["a.graph2"].value, 0)) == 0
            assert not ahead.found
            ahead.finish()
    assert (stable.started, stable.ended) == (1, {})
    card.close()


def test_a_capture_that_the_card_ends_otherwise_leaves_a_difference(profile: Profile) -> None:
    """The model's graph has no name on the card: what is taken back after the program leaves it out."""
    broken = int(Result.STREAM_CAPTURE_INVALIDATED)
    card = Card(profile)
    card.bugs["cuStreamEndCapture"] = Bug("a lost capture", "cuStreamEndCapture", lambda *_: (broken, None))
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        machine.scheduler.census.alone = True
        ahead = Ahead(Stable(card), machine, Reached())
        ahead.begin("a", runtime=False, device=0)
        ahead.lead("a", "main", "cuStreamCreate", (0,))
        stream = ahead.model.names.by_text["a.stream1"].value
        ahead.lead("a", "main", "cuStreamBeginCapture", (stream, 2))
        assert not ahead.found
        ahead.finish()
    assert [(one.call, one.expected, one.got) for one, _ in ahead.found] == [("cuStreamEndCapture", broken, 0)]
    assert ahead.failed is None
    card.close()


def test_a_card_has_mapped_memory_before_it_is_released(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its device comes to a map some milliseconds later, and crashes the process if the memory is gone."""
    made: list[str] = []

    def noted(call: str, _: Any, answer: tuple[Any, ...], __: Any) -> tuple[Any, ...]:
        made.append(call)
        return answer

    noticed = "cuMemMapArrayAsync", "cuStreamSynchronize", "cuMemRelease"
    for call in noticed:
        monkeypatch.setitem(PLANTED, call, Bug("none", call, partial(noted, call)))
    with fakecuda.Machine(profile, strict=False, seed=0) as model:
        model.scheduler.census.alone = True
        card = Card(profile, noticed)
        ahead = Ahead(Stable(card), model, Reached())
        ahead.begin("a", runtime=False, device=0)
        assert ahead.lead("a", "main", "cuArray3DCreate", ((64, 64, 0, 1, 1, DEFERRED),)) == 0
        assert (
            ahead.lead("a", "main", "cuMemCreate", (GRANULE, prop(handle_types=0, capabilities=(0, 0, TILE_POOL)), 0))
            == 0
        )
        array, memory = (ahead.model.names.by_text[f"a.{kind}1"].value for kind in ("array", "handle"))
        assert ahead.lead("a", "main", "cuMemMapArrayAsync", (maps(array, memory), 1, 0)) == 0
        assert ahead.lead("a", "main", "cuMemRelease", (memory,)) == 0
        assert made == [*noticed]
        ahead.finish()
        card.close()
