"""User objects: reference-counted objects of a program that graphs keep alive."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model.graph import user_object
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.graph.handle import any_graph_of
from fakecuda.rules.driver.stream.function import called
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Graph
    from fakecuda.model.graph.user_object import UserObject

NO_SYNC = 1
"""CU_USER_OBJECT_NO_DESTRUCTOR_SYNC."""
MOVE = 1
"""CU_GRAPH_USER_OBJECT_MOVE."""
MOST = (1 << 31) - 1
"""INT_MAX, the maximum number of references."""

DESTRUCTOR_IS_GIVEN = Rule(
    "`destroy` is not null",
    Result.INVALID_VALUE,
    manual("cuUserObjectCreate", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a function for destroy",
)
NOBODY_WAITS = Rule(
    "`flags` is CU_USER_OBJECT_NO_DESTRUCTOR_SYNC",
    Result.INVALID_VALUE,
    manual("cuUserObjectCreate", "Currently it is required to pass CU_USER_OBJECT_NO_DESTRUCTOR_SYNC"),
    fix="pass CU_USER_OBJECT_NO_DESTRUCTOR_SYNC",
)
COUNT_IS_AN_INT = Rule(
    "the number of references passed is not larger than INT_MAX",
    Result.INVALID_VALUE,
    manual("cuUserObjectRetain", "Must be nonzero and not larger than INT_MAX"),
    fix="pass a count from 1 to INT_MAX",
)
OBJECT_IS_GIVEN = Rule(
    "`object` is not null",
    Result.INVALID_VALUE,
    manual("cuUserObjectRetain", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a user object that cuUserObjectCreate returned",
)
COUNT_IS_POSITIVE = Rule(
    "the number of references passed is not 0",
    Result.INVALID_VALUE,
    manual("cuUserObjectRetain", "Must be nonzero and not larger than INT_MAX"),
    fix="pass a count from 1 to INT_MAX",
)
OBJECT_IS_KNOWN = Rule(
    "`object` is a user object of this process that still has a reference",
    Result.INVALID_VALUE,
    undefined("cuUserObjectRelease", "to use a user object handle after all references are released"),
    fix="use the user object while it still has a reference",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 or CU_GRAPH_USER_OBJECT_MOVE",
    Result.INVALID_VALUE,
    manual("cuGraphRetainUserObject", "Pass 0 to create new references"),
    fix="pass 0 or CU_GRAPH_USER_OBJECT_MOVE",
)
REFERENCES_ARE_THE_CALLER_S = Rule(
    "the caller has at least `count` references to `object`, not counting references of graphs",
    Result.SUCCESS,
    undefined("cuUserObjectRelease", "It is undefined behavior to release references not owned by the caller"),
    fix="release each reference from cuUserObjectCreate or cuUserObjectRetain once",
)
REFERENCES_ARE_THE_GRAPH_S = Rule(
    "`graph` has at least `count` references to `object`",
    Result.SUCCESS,
    undefined(
        "cuGraphReleaseUserObject",
        "the manual says nothing about references that the graph does not have; driver 580 answers SUCCESS",
    ),
    fix="release at most as many references as cuGraphRetainUserObject gave the graph",
)


@guard
def object_of(call: Call, handle: int, count: int) -> UserObject:
    """Return the user object of a handle, for a call with a number of references."""
    if not handle:
        raise OBJECT_IS_GIVEN.broken()
    counted(count)
    found = call.process.user_objects.live.get(handle)
    if found is None:
        call.undefined(OBJECT_IS_KNOWN, object=call.process.freed.get(handle, handle))
        raise OBJECT_IS_KNOWN.broken(object=handle)
    return found


@guard
def counted(count: int) -> None:
    """Check that the number of references is not 0."""
    if not count:
        raise COUNT_IS_POSITIVE.broken(count=count)


@guard
def bounded(count: int) -> None:
    """Check that a number of references is no larger than INT_MAX."""
    if count > MOST:
        raise COUNT_IS_AN_INT.broken(count=count)


@guard
def owned(call: Call, item: UserObject, count: int) -> None:
    """Check that the program owns this many references."""
    if count > item.owned:
        call.undefined(REFERENCES_ARE_THE_CALLER_S, object=item, owned=item.owned, count=count)


@guard
def held(call: Call, handle: int, thing: int, count: int) -> tuple[Graph, UserObject]:
    """Return a graph and a user object, for a call with a number of references."""
    bounded(count)
    return any_graph_of(call, handle), object_of(call, thing, count)


@guard
def thing_of(call: Call, handle: int, count: int) -> UserObject:
    """Return a user object, for a call that also works in forks and host functions."""
    bounded(count)
    require_driver_up(call)
    return object_of(call, handle, count)


@DRIVER.op("cuUserObjectCreate")
def user_object_create(call: Call, data: int, destroy: int, count: int, flags: int) -> int:
    """Return a new user object.

    Args:
        call: The call.
        data: What the function is called with that destroys it.
        destroy: The address of that function, which is called when the last reference has gone, and makes no calls.
        count: How many references the program has of it.
        flags: CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not destroy:
        raise DESTRUCTOR_IS_GIVEN.broken()
    if flags != NO_SYNC:
        raise NOBODY_WAITS.broken(flags=flags)
    counted(count)
    # EFFECT
    function = partial(called(call, DESTRUCTOR_IS_GIVEN, FUNCTION, destroy), data)
    return user_object.create(call.process, function, count, here()).handle


@DRIVER.op("cuUserObjectRetain")
def user_object_retain(call: Call, handle: int, count: int) -> None:
    """Retain references to a user object.

    Args:
        call: The call.
        handle: The user object.
        count: How many.
    """
    # CHECK
    item = thing_of(call, handle, count)
    # EFFECT
    user_object.retain(item, count)


@DRIVER.op("cuUserObjectRelease")
def user_object_release(call: Call, handle: int, count: int) -> None:
    """Release references to a user object; arguments as for cuUserObjectRetain."""
    # CHECK
    item = thing_of(call, handle, count)
    owned(call, item, count)
    # EFFECT
    user_object.release(item, count, here())


@DRIVER.op("cuGraphRetainUserObject")
def graph_retain_user_object(call: Call, handle: int, thing: int, count: int, flags: int) -> None:
    """Retain references to a user object for a graph. Clones and executable graphs of the graph get the same number.

    Args:
        call: The call.
        handle: The graph.
        thing: The user object.
        count: How many.
        flags: CU_GRAPH_USER_OBJECT_MOVE for references of the caller; 0 for new ones.
    """
    # CHECK
    graph, item = held(call, handle, thing, count)
    if flags & ~MOVE:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags & MOVE:
        owned(call, item, count)
    # EFFECT
    user_object.hold(graph, item, count, move=bool(flags & MOVE))


@DRIVER.op("cuGraphReleaseUserObject")
def graph_release_user_object(call: Call, handle: int, thing: int, count: int) -> None:
    """Release references of a graph to a user object; arguments as for cuGraphRetainUserObject."""
    # CHECK
    graph, item = held(call, handle, thing, count)
    if count > graph.objects.get(item, 0):
        call.undefined(REFERENCES_ARE_THE_GRAPH_S, graph=graph, object=item, count=count)
    # EFFECT
    user_object.let_go(graph, item, count, here())
