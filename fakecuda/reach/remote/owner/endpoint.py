"""An offered machine: its discovery, and the processes that may attach.

Without an attached process it costs almost nothing.
"""

from __future__ import annotations

import secrets
import sys
import tempfile
import threading
import warnings
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, HookMissingWarning
from fakecuda.model.os.interruption import unbroken
from fakecuda.model.os.scarcity import scarcity
from fakecuda.reach.native import objects
from fakecuda.reach.native.stubs import NATIVE
from fakecuda.reach.remote.hook import installed
from fakecuda.reach.remote.owner import environment
from fakecuda.reach.remote.owner.children import Children
from fakecuda.reach.remote.owner.rendezvous import reception
from fakecuda.reach.remote.protocol.frames import refuse

if TYPE_CHECKING:
    from fakecuda.machine.machine import Machine
    from fakecuda.reach.remote.owner.owner import Sharing
    from fakecuda.reach.remote.protocol.frames import Line

TOKEN = 16
SEPARATORS = ":;"
"""Characters at which the loader splits LD_LIBRARY_PATH."""


class Offer:
    """A machine that is offered to other processes.

    Args:
        machine: The machine.
        maker: What made the machine, for error messages: a test, or a place in a program.
        forbidden: Whether to refuse processes, because the machine was made with ``shared=False``.

    Attributes:
        machine: The machine.
        path: The socket.
        libraries: The directory of the driver library for its programs.
        maker: What made the machine.
        forbidden: Whether to refuse processes.
        number: Its number on the owner's socket.
        address: The value of :data:`~fakecuda.reach.remote.VARIABLE` for its programs.
        children: The programs that this process has started since the offer.
        own: The token of the owner's own process, for its forks.
        sharing: The attached processes; None until the first one.
        asked: Whether ``Machine.shared`` was called.
        known: Whether programs that this process did not start may know the machine, because its environment variables
            were requested.
        forked: Whether this process has forked. What an ended fork has left cannot be recognised by its environment.

    Raises:
        FakeCudaError: There are no stubs for this processor, or the system provides no directory or socket.
    """

    def __init__(self, machine: Machine, maker: str, *, forbidden: bool = False) -> None:
        try:
            self._reception = reception()
            self.path = self._reception.place(hip=bool(machine.profile.hip.name))
        except OSError as error:
            msg = (
                "other programs cannot use the machine, because fakecuda cannot make a socket in "
                f"{tempfile.gettempdir()}: {scarcity(error)}"
            )
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
        self.number = self._reception.new_number()
        self.address = f"{self.path}#{self.number}"
        self.children = Children(self.address)
        self._reception.enter(self)  # last: processes find only a whole offer, whatever interrupts this one
        machine.scheduler.census.outside = self.outside

    def new_token(self) -> bytes:
        """Return a secret token for a new process.

        It is signed, so that it need not be stored.
        """
        drawn = secrets.token_bytes(TOKEN)
        return drawn + self._sign(drawn)

    def has_given(self, token: object) -> bool:
        """Return whether a token belongs to a process that is or was attached."""
        return type(token) is bytes and secrets.compare_digest(token[TOKEN:], self._sign(token[:TOKEN]))

    def _sign(self, drawn: bytes) -> bytes:
        return blake2b(drawn, digest_size=TOKEN, key=self._secret).digest()

    def environ(self) -> dict[str, str]:
        """Return the environment variables for a machine's programs.

        With them, programs find the machine and its driver library.
        """
        self.known = True
        return environment.variables(self)

    def export(self) -> None:
        """Make the machine findable for programs that this process starts from now on."""
        environment.add(self)

    def link(self) -> None:
        """Support programs without Python, and programs linked to the runtime library.

        A second call does nothing.

        Raises:
            FakeCudaError: Their client is not built yet, and there is no C compiler to build it.
        """
        path = self._reception.place(hip=bool(self.machine.profile.hip.name), linked=True)
        if path == self.path:
            return
        _load_runtimes()
        shown = environment.remove(self)
        self.path, self.libraries, self.address = path, str(path.parent), f"{path}#{self.number}"
        self.children.meet(self.address)
        if shown:
            environment.add(self)

    def open(self) -> Sharing:
        """Return the attached processes. The first call prepares the machine for sharing.

        Raises:
            FakeCudaError: The machine has ended, or the system lacks a resource.
        """
        from fakecuda.reach.remote.owner.owner import Sharing  # noqa: PLC0415 - most machines are never attached to

        with self._lock:
            if self._closed or self.machine.closed:
                raise FakeCudaError(self.ended())
            if self.sharing is None:
                try:
                    self.sharing = Sharing(self.machine, self)
                except OSError as error:
                    msg = f"the machine of {self.maker} cannot be shared with other processes now: {scarcity(error)}"
                    raise FakeCudaError(msg) from error
            return self.sharing

    def admit(self, line: Line, *greeting: Any) -> None:
        """Serve a connection according to its greeting."""
        if self.forbidden:
            refuse(
                line,
                f"the machine of {self.maker} was made with shared=False: leave out shared=False to let other processes use the machine",
            )
            return
        try:
            sharing = self.open()
        except FakeCudaError as error:
            refuse(line, str(error), ended=self._closed or self.machine.closed)
            return
        sharing.admit(line, *greeting)

    def outside(self) -> list[str]:
        """Return descriptions of the other OS processes that may make calls."""
        sharing = self.sharing
        if sharing is not None and (found := sharing.attached()):
            return found
        if self.forbidden:
            return []
        if self.known or (self.forked and self.children.has_ended_any()):
            self.machine.scheduler.census.look.alert = True
            return ["a process that knows the machine's socket"]
        may = self.children.may_attach(self.is_blocked)
        return ["a program that finds the machine in its environment"] if may else []

    def is_blocked(self, process: int) -> bool:
        """Return whether all threads of an OS process are blocked."""
        look = self.machine.scheduler.census.look
        return process in look.seen or look.takes_process(process, f"OS process {process}")

    def close(self) -> None:
        """Withdraw the offer.

        Attached processes count as dead, and no process can attach any more.
        """
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
        """Forget the offer in a forked child of the owner: it stays with the owner."""
        self._closed = True
        if self.sharing is not None:
            self.sharing.abandon()

    def ended(self) -> str:
        """Return the error for a process that attaches too late."""
        return f"the machine of {self.maker} has ended: call the driver while the machine is open"


def _load_runtimes() -> None:
    """Load the runtime library, if this process has loaded the driver library.

    If this process opens libcudart by its path in the folder of its programs, Python must answer. The client in C would
    attach this process to its own machine.
    """
    native: Any = sys.modules.get("fakecuda.reach.native.door")
    if native is None or not hasattr(native.door, "library"):
        return
    from fakecuda.reach.native.runtime import load_cudart  # noqa: PLC0415 - few machines are linked to

    for major in objects.RUNTIMES:
        try:
            load_cudart(major)
        except FakeCudaError as error:  # the program has brought its own
            warnings.warn(str(error), RuntimeWarning, stacklevel=4)


@unbroken  # else a signal handler that raises could leave an unclosed offer, or a held lock
def _offer(machine: Machine, maker: str, *, forbidden: bool) -> Offer:
    machine.offer = offer = Offer(machine, maker, forbidden=forbidden)
    return offer


def let_attach(machine: Machine, maker: str, shared: bool | None) -> None:  # noqa: FBT001 - the argument of simulate()
    """Offer a machine to programs that are started from now on, until it is closed.

    Args:
        machine: The machine.
        maker: What made the machine.
        shared: Whether they may attach; None if the platform has a driver library for them.

    Raises:
        FakeCudaError: ``shared`` is True, but there is no driver library for this processor, or no socket can be made.
    """
    if shared is None and not NATIVE:
        return
    try:
        offer = _offer(machine, maker, forbidden=shared is False)
    except FakeCudaError as error:
        if shared:
            raise
        warnings.warn(f"{error}; or use shared=False", RuntimeWarning, stacklevel=5)
        return
    if any(mark in offer.libraries for mark in SEPARATORS):
        warnings.warn(
            f"programs that this process starts cannot find fakecuda's driver library in {offer.libraries}, "
            "because the loader splits LD_LIBRARY_PATH at a colon or semicolon: set TMPDIR to a folder without "
            "these characters (forks work without this)",
            RuntimeWarning,
            stacklevel=5,
        )
    if shared:
        warn_without_hook(stacklevel=5)
        offer.asked = True
        offer.open()
    offer.export()


def warn_without_hook(stacklevel: int) -> None:
    """Warn if the start-up hook is missing.

    Without it, Python programs cannot use a machine.
    """
    if not installed():
        warnings.warn(
            "Python programs that this process starts cannot use the machine, because fakecuda's start-up hook (a "
            ".pth file) is not installed: run python -m fakecuda hook, or install fakecuda from a wheel. Forks can use "
            "the machine without the hook",
            HookMissingWarning,
            stacklevel=stacklevel + 1,
        )
