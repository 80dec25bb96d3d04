"""One machine that is installed into this OS process, and the door by which calls reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.near import nearest
from fakecuda.reach.install import clients
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from fakecuda import Machine

DOORS = ("auto", "native", "lookalike")


@define(eq=False)
class Installation:
    """A machine and how it is installed.

    Attributes:
        machine: The machine.
        door: ``native``, ``lookalike`` or ``real``.
        maker: What made the machine: a test's node id, or a place in the source.
        threads: The OS threads that ran before.
        inherit: Whether the machine continues with the driver objects that the OS process holds; None if a client
            decides.
    """

    machine: Machine
    door: str
    maker: str
    threads: frozenset[int] = field(repr=False)
    inherit: bool | None = False

    @property
    def goes_on(self) -> bool:
        """Whether the machine continues with the driver objects that the OS process holds."""
        if self.machine.profile.hip.name:  # clients keep objects of CUDA only
            return False
        return clients.used() if self.inherit is None else self.inherit


def door_of(door: str) -> str:
    """Return the door for an argument."""
    if door not in DOORS:
        msg = f"door={door!r}: {nearest(str(door), DOORS, 'door')}"
        raise FakeCudaError(msg)
    if door == "native" and not NATIVE:
        msg = f"door='native' needs {NEEDS}: use door='lookalike' (pytest --fakecuda-door=lookalike)"
        raise FakeCudaError(msg)
    if door == "auto":
        return "native" if NATIVE else "lookalike"
    return door
