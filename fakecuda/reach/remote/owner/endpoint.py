"""A machine that programs may attach to: how they find it, and who may. It costs next to nothing until one attaches."""

from __future__ import annotations

import secrets
import tempfile
import threading
import warnings
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, HookMissingWarning
from fakecuda.model.os.scarcity import scarcity
from fakecuda.reach.native.stubs import NATIVE
from fakecuda.reach.remote.hook import installed
from fakecuda.reach.remote.owner import environment
from fakecuda.reach.remote.owner.children import Children
from fakecuda.reach.remote.owner.rendezvous import reception
from fakecuda.reach.remote.protocol.frames import refuse

if TYPE_CHECKING:
    from fakecuda.reach.remote.owner.owner import Sharing
    from fakecuda.reach.remote.protocol.frames import Line
    from fakecuda.simulated.machine import Machine

TOKEN = 16
SEPARATORS = ":;"
"""What the loader takes for the end of a path in LD_LIBRARY_PATH."""


class Offer:
    """A machine at the reception.

    Args:
        machine: The machine.
        maker: What made it, as errors name it: a test, or a place in a program.
        forbidden: Whether processes are refused: the machine's user said ``shared=False``.

    Attributes:
        machine: The machine.
        path: The socket.
        libraries: The directory in which its programs find the driver library.
        maker: What made it.
        forbidden: Whether processes are refused.
        number: Its number at the reception.
        address: What :data:`~fakecuda.reach.remote.VARIABLE` is for programs of the machine.
        children: The programs that this process has started since.
        own: The token of the owner's own process, for forks of it.
        sharing: The books of who is attached, once somebody is.
        asked: Whether somebody has asked for it by ``Machine.shared``.
        known: Whether others than the programs that this process starts may know the machine: somebody has asked for the
            environment variables.
        forked: Whether this process has forked: what an ended fork leaves behind is not known by its environment.

    Raises:
        FakeCudaError: There are no stubs for this processor, or the system gives no directory or no socket.
    """

    def __init__(self, machine: Machine, maker: str, *, forbidden: bool = False) -> None:
        try:
            self._reception = reception()
            self.path = self._reception.place(hip=bool(machine.profile.hip.name))
        except OSError as error:
            msg = f"programs cannot attach to the machine, which has no socket in {tempfile.gettempdir()}: {scarcity(error)}"
            raise FakeCudaError(msg) from error
        self.machine = machine
        self.libraries = str(self.path.parent)
        self.maker = maker
        self.forbidden = forbidden
        self._secret = secrets.token_bytes(2 * TOKEN)
        self.own = self.new_token()
        self.sharing: Sharing | None = None
        self.asked = False
        self.known = self.forked = False
        self._closed = False
        self._lock = threading.Lock()
        self.number = self._reception.enter(self)
        self.address = f"{self.path}#{self.number}"
        self.children = Children(self.address)
        machine.scheduler.census.outside = self.outside

    def new_token(self) -> bytes:
        """Return a token that nobody can guess, by which a process is known; it is known for one whoever has forgotten it."""
        drawn = secrets.token_bytes(TOKEN)
        return drawn + self._sign(drawn)

    def has_given(self, token: object) -> bool:
        """Return whether something is a token of a process that is or was attached."""
        return type(token) is bytes and secrets.compare_digest(token[TOKEN:], self._sign(token[:TOKEN]))

    def _sign(self, drawn: bytes) -> bytes:
        return blake2b(drawn, digest_size=TOKEN, key=self._secret).digest()

    def environ(self) -> dict[str, str]:
        """Return the environment variables with which a program finds the machine, and the driver library."""
        self.known = True
        return environment.variables(self)

    def export(self) -> None:
        """Have the programs that this process starts from now on find the machine."""
        environment.add(self)

    def link(self) -> None:
        """Have programs without Python, and those that are linked to the runtime library, find theirs; again, it does nothing.

        Raises:
            FakeCudaError: There is no C compiler to build their client, and none was built before.
        """
        path = self._reception.place(hip=bool(self.machine.profile.hip.name), linked=True)
        if path == self.path:
            return
        shown = environment.remove(self)
        self.path, self.libraries, self.address = path, str(path.parent), f"{path}#{self.number}"
        self.children.meet(self.address)
        if shown:
            environment.add(self)

    def open(self) -> Sharing:
        """Return the books of who is attached; the first time they are made, with what sharing takes of the machine.

        Raises:
            FakeCudaError: The machine has ended, or the system refuses what sharing takes.
        """
        from fakecuda.reach.remote.owner.owner import Sharing  # noqa: PLC0415 - most machines are never attached to

        with self._lock:
            if self._closed or self.machine.closed:
                raise FakeCudaError(self.ended())
            if self.sharing is None:
                try:
                    self.sharing = Sharing(self.machine, self)
                except OSError as error:
                    msg = f"the machine of {self.maker} cannot be shared now: {scarcity(error)}"
                    raise FakeCudaError(msg) from error
            return self.sharing

    def admit(self, line: Line, *greeting: Any) -> None:
        """Serve a connection as what it says it is."""
        if self.forbidden:
            refuse(line, f"the machine of {self.maker} is not shared: it was made with shared=False; leave that out")
            return
        try:
            sharing = self.open()
        except FakeCudaError as error:
            refuse(line, str(error), ended=self._closed or self.machine.closed)
            return
        sharing.admit(line, *greeting)

    def outside(self) -> list[str]:
        """Return which other OS processes may call, in words."""
        sharing = self.sharing
        if sharing is not None and (found := sharing.attached()):
            return found
        if self.forbidden:
            return []
        if self.known or (self.forked and self.children.has_ended_any()):
            self.machine.scheduler.census.look.alert = True
            return ["whoever knows the machine's socket"]
        may = self.children.may_attach(self._is_blocked)
        return ["a program that finds the machine in its environment"] if may else []

    def _is_blocked(self, process: int) -> bool:
        """Return whether no thread of an OS process can help."""
        return self.machine.scheduler.census.look.takes_process(process, f"OS process {process}")

    def close(self) -> None:
        """Take the offer back: who is attached is held for dead, and nobody else finds the machine."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._reception.leave(self)
        environment.remove(self)
        if self.sharing is not None:
            self.sharing.close()
        self.machine.scheduler.census.outside = list
        self.machine.offer = None

    def abandon(self) -> None:
        """Forget the offer in a forked child of the owner: the owner goes on with it."""
        self._closed = True
        if self.sharing is not None:
            self.sharing.abandon()

    def ended(self) -> str:
        """Return what a process is told that comes too late."""
        return f"the machine of {self.maker} has ended"


def let_attach(machine: Machine, maker: str, shared: bool | None) -> None:  # noqa: FBT001 - as the machine's user said
    """Have the programs that are started from now on find a machine, until it is closed.

    Args:
        machine: The machine.
        maker: What made it.
        shared: Whether they may attach; None where the platform has a driver library for them.

    Raises:
        FakeCudaError: They shall attach, but there is no driver library for this processor, or no socket to be had.
    """
    if shared is None and not NATIVE:
        return
    try:
        machine.offer = Offer(machine, maker, forbidden=shared is False)
    except FakeCudaError as error:
        if shared:
            raise
        warnings.warn(f"{error}; or use shared=False", RuntimeWarning, stacklevel=5)
        return
    if any(mark in machine.offer.libraries for mark in SEPARATORS):
        warnings.warn(
            f"programs do not find the driver library in {machine.offer.libraries}: the loader takes a colon or a semicolon for "
            "the end of a path; set TMPDIR to a folder without one (forks need none of this)",
            RuntimeWarning,
            stacklevel=5,
        )
    if shared:
        warn_without_hook(stacklevel=5)
        machine.offer.asked = True
        machine.offer.open()
    machine.offer.export()


def warn_without_hook(stacklevel: int) -> None:
    """Say so when programs that find a machine could not use it."""
    if not installed():
        warnings.warn(
            "Pythons of this environment do not fill the driver library when they start: python -m fakecuda hook installs what "
            "does so (a wheel of fakecuda brings it); forks need none",
            HookMissingWarning,
            stacklevel=stacklevel + 1,
        )
