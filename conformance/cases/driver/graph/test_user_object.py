"""User objects: reference-counted objects of a program that graphs retain.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.graph.fixtures import executable, graph, refuse_graph
from conformance.cases.driver.module.fixtures import GARBAGE
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

NO_SYNC, MOVE = 1, 1
"""CU_USER_OBJECT_NO_DESTRUCTOR_SYNC and CU_GRAPH_USER_OBJECT_MOVE."""
HUGE = 1 << 31
"""One more than INT_MAX."""


def thing(a: Process, count: int = 1) -> int:
    """Return a new user object with references and a C destructor."""
    made: int = a.ok.cuUserObjectCreate(0, a.c_function("abs"), count, NO_SYNC)
    return made


def destroyed(a: Process) -> int:
    """Return a user object without a reference."""
    gone = thing(a)
    a.ok.cuUserObjectRelease(gone, 1)
    return gone


def refuse_object(entry: Entry) -> None:
    """Add the cases of a call with a user object that is null, garbage or destroyed."""
    entry.breaks("OBJECT_IS_GIVEN", object=0)
    entry.undefined("OBJECT_IS_KNOWN", "garbage", code=Result.INVALID_VALUE, object=GARBAGE)
    entry.undefined("OBJECT_IS_KNOWN", "destroyed", code=Result.INVALID_VALUE, object=lambda i: destroyed(i.process))


def refuse_count(entry: Entry, argument: str = "count") -> None:
    """Add the cases of a call with an invalid number of references."""
    none: dict[str, Plain] = {argument: 0}
    many: dict[str, Plain] = {argument: HUGE}
    entry.breaks("COUNT_IS_POSITIVE", **none)
    if entry.call == "cuUserObjectCreate":
        entry.also("more references than INT_MAX", **many)
    else:
        entry.breaks("COUNT_IS_AN_INT", **many)
    anywhere(entry)
    if entry.call != "cuUserObjectCreate":
        entry.without("not_initialized")  # to such a process the object is garbage, which the driver follows


def created(w: World) -> Invocation:
    a = w.process()
    return a.call("cuUserObjectCreate", ptr=0, destroy=a.c_function("abs"), initialRefcount=1, flags=NO_SYNC)


creates = Entry("cuUserObjectCreate", created)
creates.null("object_out", "RESULT_IS_GIVEN")
creates.breaks("DESTRUCTOR_IS_GIVEN", destroy=0)
for flags in (0, 2, 3):
    creates.breaks("NOBODY_WAITS", f"{flags}", flags=flags)
refuse_count(creates, "initialRefcount")
creates.also("many references", initialRefcount=HUGE - 1)


def retained(w: World) -> Invocation:
    a = w.process()
    return a.call("cuUserObjectRetain", object=thing(a), count=1)


retains = Entry("cuUserObjectRetain", retained)
refuse_object(retains)
refuse_count(retains)


@retains.also("of a graph alone")
def of_a_graph(_w: World, i: Invocation) -> None:
    i.process.ok.cuGraphRetainUserObject(graph(i.process), i.args["object"], 1, MOVE)


def released(w: World) -> Invocation:
    a = w.process()
    return a.call("cuUserObjectRelease", object=thing(a), count=1)


releases = Entry("cuUserObjectRelease", released)
refuse_object(releases)
refuse_count(releases)
releases.undefined("REFERENCES_ARE_THE_CALLER_S", code=Result.SUCCESS, count=2)
releases.also("one of two", object=lambda i: thing(i.process, 2))
releases.also("all of three", object=lambda i: thing(i.process, 3), count=3)


@releases.also("while a graph holds it")
def while_held(_w: World, i: Invocation) -> None:
    i.process.ok.cuGraphRetainUserObject(graph(i.process), i.args["object"], 1, 0)


def given(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphRetainUserObject", graph=graph(a), object=thing(a), count=1, flags=0)


gives = Entry("cuGraphRetainUserObject", given)
refuse_graph(gives, "graph")
refuse_object(gives)
refuse_count(gives)
gives.breaks("FLAGS_ARE_KNOWN", flags=2)
gives.also("moved", flags=MOVE)
gives.also("three", count=3)
gives.undefined("REFERENCES_ARE_THE_CALLER_S", code=Result.SUCCESS, flags=MOVE, count=2)


def taken(w: World) -> Invocation:
    a = w.process()
    of, item = graph(a), thing(a)
    a.ok.cuGraphRetainUserObject(of, item, 2, 0)
    return a.call("cuGraphReleaseUserObject", graph=of, object=item, count=1)


takes = Entry("cuGraphReleaseUserObject", taken)
refuse_graph(takes, "graph")
refuse_object(takes)
refuse_count(takes)
takes.undefined("REFERENCES_ARE_THE_GRAPH_S", code=Result.SUCCESS, count=3)
takes.undefined("REFERENCES_ARE_THE_GRAPH_S", "of none", code=Result.SUCCESS, object=lambda i: thing(i.process))
takes.also("all", count=2)


@takes.also("what was made of the graph holds it still")
def still_held(_w: World, i: Invocation) -> Invocation:
    a = i.process
    of, item = graph(a), thing(a)
    a.ok.cuGraphRetainUserObject(of, item, 1, MOVE)
    made, clone = executable(a, of), a.ok.cuGraphClone(of)
    a.ok.cuGraphReleaseUserObject(of, item, 1)
    a.ok.cuGraphReleaseUserObject(clone, item, 1)
    a.ok.cuUserObjectRetain(item, 1)
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuCtxSynchronize()
    a.ok.cuGraphExecDestroy(made)
    a.ok.cuUserObjectRelease(item, 1)
    return i


test_user_object_create = creates.test()
test_user_object_retain = retains.test()
test_user_object_release = releases.test()
test_graph_retain_user_object = gives.test()
test_graph_release_user_object = takes.test()
