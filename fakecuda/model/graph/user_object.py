"""User objects: resources of a program that graphs hold, each with a destructor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, evolve, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.work.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.graph.executables import Body
    from fakecuda.model.graph.graph import Graph
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process


@define(eq=False)
class UserObject(history.Lifetime):
    """A user object.

    Attributes:
        handle: The CUuserObject.
        process: Its process.
        destroy: The destructor, called when no reference is left. None in a fork.
        owned: How many references the program has.
        held: How many references graphs and launches have.
    """

    words = ("made", "destroyed")
    handle: int
    process: Process = field(repr=False)
    destroy: Callable[[], None] | None = field(repr=False)
    owned: int
    held: int = 0

    def __repr__(self) -> str:
        return f"user object {self.handle:#x}"


@define
class UserObjects:
    """The user objects of a process.

    Attributes:
        live: Those that have references, by handle.
        destroyer: The thread that calls destructors, made with the first object.
    """

    live: dict[int, UserObject] = field(factory=dict)
    destroyer: Worker | None = None


@effect(makes="UserObject")
def create(process: Process, destroy: Callable[[], None], count: int, stack: Stack) -> UserObject:
    """Create a user object with ``count`` references of the program.

    Raises:
        FakeCudaError: The system cannot start the thread for destructors; nothing was done.
    """
    objects, scheduler = process.user_objects, process.machine.scheduler
    if objects.destroyer is None or not objects.destroyer.thread.is_alive():  # a fork has no thread of its parent
        objects.destroyer = Worker(process, f"destructors of user objects of {process}")
        scheduler.workers = [*scheduler.workers, objects.destroyer]
    made = UserObject(process.machine.territory.new_handle(), process, destroy, count, created=stack)
    objects.live[made.handle] = made
    return made


def in_fork(fork: Process, items: Iterable[UserObject]) -> dict[UserObject, UserObject]:
    """Return a fork's copies of user objects, which have no destructors."""
    return {item: evolve(item, process=fork, destroy=None) for item in items}


@effect()
def retain(item: UserObject, count: int) -> None:
    """Add references of the program to a user object."""
    item.owned += count


@effect(ends="item")
def release(item: UserObject, count: int, stack: Stack) -> None:
    """Drop references of the program, at most as many as it has."""
    item.owned -= min(count, item.owned)
    _end_unheld(item, stack)


@effect()
def hold(body: Graph | Body, item: UserObject, count: int, *, move: bool = False) -> None:
    """Add references of a graph to a user object.

    Args:
        body: The graph, or the body of an executable graph.
        item: The user object.
        count: How many references.
        move: Whether they are taken from the program's references.
    """
    body.objects[item] = body.objects.get(item, 0) + count
    item.held += count
    if move:
        item.owned -= min(count, item.owned)


@effect(ends="item")
def let_go(body: Graph | Body, item: UserObject, count: int, stack: Stack) -> None:
    """Drop references of a graph, at most as many as it has."""
    count = min(count, body.objects.get(item, 0))
    if not count:
        return
    body.objects[item] -= count
    if not body.objects[item]:
        del body.objects[item]
    item.held -= count
    _end_unheld(item, stack)


def let_all_go(body: Graph | Body, stack: Stack) -> None:
    """Drop all references of a graph."""
    for item, count in list(body.objects.items()):
        let_go(body, item, count, stack)


def share(body: Graph | Body, other: Graph | Body) -> None:
    """Give one graph the references of another graph."""
    for item, count in other.objects.items():
        hold(body, item, count)


def _end_unheld(item: UserObject, stack: Stack) -> None:
    """Destroy an object without references, and have its destructor called."""
    if item.owned or item.held or item.ended:
        return
    item.ended = stack
    objects = item.process.user_objects
    del objects.live[item.handle]
    item.process.note_freed(item.handle, item)
    if item.destroy is not None:
        assert objects.destroyer is not None  # create() has started it
        objects.destroyer.run(item.destroy, lambda: None)
