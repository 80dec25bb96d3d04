"""Hosts of a fleet, and the interface of executors, which run slices on hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, field, frozen

if TYPE_CHECKING:
    from conformance.fleet.slices import Slice

Result = dict[str, Any]
"""The results of a slice, as JSON."""


@frozen
class Host:
    """A host, as an executor reports it.

    Attributes:
        name: Its name, which no other host has.
        gpus: How many GPUs it has.
    """

    name: str
    gpus: int


@define
class Node:
    """A host, from the view of the fleet's driver.

    Attributes:
        name: Its name.
        gpus: How many GPUs it has.
        machine: What kind of machine it is; empty until it was asked.
        resting: Until when it is given nothing, on the clock of ``time.monotonic``: something died there.
        failures: How often a slice could not begin there.
        out: Why it is not used any more, or empty.
    """

    name: str
    gpus: int
    machine: str = ""
    resting: float = 0.0
    failures: int = 0
    out: str = ""


@frozen
class Ended:
    """How a slice ended.

    Attributes:
        id: The slice.
        result: What came of it, or None where it was lost.
        problem: How it was lost.
        unstarted: Whether it was lost because nothing can begin there.
        kept: Whether its group goes on.
    """

    id: str
    result: Result | None = None
    problem: str = ""
    unstarted: bool = False
    kept: bool = False


@define(eq=False)
class Group:
    """GPUs of one host that run slices together.

    Attributes:
        number: Its number, from the executor.
        node: The host's name.
        gpus: How many they are.
        busy: The slices that they do.
        alone: Whether that is one which needs them for itself.
    """

    number: int
    node: str
    gpus: int
    busy: set[str] = field(factory=set)
    alone: bool = False


class Executor(Protocol):
    """Runs slices on hosts."""

    def hosts(self) -> list[Host]:
        """Return the available hosts with GPUs."""

    def open(self, node: str, gpus: int) -> int:
        """Reserve GPUs of a host, and return the number of the group."""

    def shut(self, group: int) -> None:
        """Release the GPUs of a group, and drop its slices and their results."""

    def submit(self, group: int, one: Slice, given: dict[str, Any], seconds: float) -> None:
        """Submit a slice to a group.

        Args:
            group: The group.
            one: The slice.
            given: What it is told beside: see :mod:`conformance.fleet.handlers`.
            seconds: How long it has; what is not done then is left.
        """

    def wait(self, seconds: float) -> list[Ended]:
        """Return ended slices as soon as there is one; none when the time is over."""

    def close(self) -> None:
        """Release everything."""
