"""OS processes attached to a model: a target with the model's answers.

Its processes are those of :mod:`realcuda`; the driver that they load is fakecuda's, whose calls travel to the model in
this process. So all that lies between a program's C call and the model takes part.
"""

from __future__ import annotations

import atexit
import struct
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fakecuda
from conformance.kit.world import Unavailable
from fakecuda.errors import FakeCudaError
from fakecuda.model.os.process import READY
from fakecuda.model.os.system import OWN
from fakecuda.reach.native.callbacks import BEYOND
from fakecuda.reach.remote import VARIABLE
from fakecuda.reach.remote.owner.session import Attached
from realcuda import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

    import realcuda
    from fakecuda.profiles import Profile

LIBRARY = "fakecuda.reach.remote.client.door:library"
CUDART = "fakecuda.reach.remote.client.door:cudart"
MODULES = ("fakecuda.reach.native.cudart", "fakecuda.reach.native.door", "fakecuda.reach.remote.client.door")
TIMEOUT = 10.0
"""Seconds for exit handlers."""
GLANCE = 0.003
WARM = 2
"""Processes that are started in advance."""


class Pool:
    """Started processes for a series of models, through a link to the current one."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="fakecuda-processes-")
        self._link = Path(self._directory.name) / "current"
        self.children = Machine(
            warm=WARM,
            library=LIBRARY,
            cudart=CUDART,
            preloaded=MODULES,
            environ={VARIABLE: str(self._link / "machine")},
            allow_multicast=True,
        )
        atexit.register(self.children.close)

    def lead_to(self, path: Path) -> None:
        """Direct processes without calls to a machine."""
        self._link.unlink(missing_ok=True)
        self._link.symlink_to(path.parent)

    def spawn(self) -> realcuda.Process:
        """Start a process."""
        return self.children.spawn()


@cache
def pool() -> Pool:
    """Return the processes of this run."""
    return Pool()


class Calls:
    """The calls that a model has logged; tests query the last call of a program."""

    def __init__(self, model: fakecuda.Machine) -> None:
        self._model = model
        self._last: Any = None

    def __getitem__(self, _index: int) -> Any:
        before = self._last
        self.seen()
        new = takewhile(lambda call: call is not before, reversed(self._model.calls))
        # A call inside of a function of the host has others around it that put it there.
        return next((call for call in new if call[0].in_function), self._last)

    def seen(self) -> None:
        """Mark the last call as consumed."""
        self._last = self._model.calls[-1] if self._model.calls else None

    def __bool__(self) -> bool:
        return True


def is_registered(content: object) -> bool:
    """Return whether a request has an address that this process has registered."""
    if isinstance(content, (list, tuple)):
        return any(map(is_registered, content))
    if isinstance(content, bytes):
        return any(is_registered(word) for (word,) in struct.iter_unpack("<Q", content[: len(content) // 8 * 8]))
    return isinstance(content, int) and (content in OWN.program.functions or content in OWN.program.variables)


class SharedMachine:
    """A model with attached OS processes, with the interface of a machine.

    Args:
        model: The model.

    Attributes:
        inside_leaves_traces: True: a call inside of a function of the host needs calls that put that into a stream.
        knows_ends: False: what a process passes to a call has more memory behind it.
        allow_multicast: True: no real device takes part.
        devices: The model's devices.
        calls: The model's log.
    """

    inside_leaves_traces = True
    knows_ends = False
    allow_multicast = True

    def __init__(self, model: fakecuda.Machine) -> None:
        self.model = model
        self.devices = model.devices
        self.calls = Calls(model)

    def spawn(self) -> realcuda.Process:
        """Start a process, and return once it has attached."""
        process = pool().spawn()
        process.c.cuDriverGetVersion()
        self.calls.seen()
        attached = self.model.calls[-1][0].process
        begin = process.begin_exit

        def begin_exit() -> None:
            begin()
            end = time.monotonic() + TIMEOUT
            # The answer comes before the handlers run; without cuInit the driver has none.
            while attached.state == READY and time.monotonic() < end:
                time.sleep(GLANCE)

        write = process.write_memory

        def write_memory(address: int, content: bytes) -> None:
            write(address, content)
            process.c.cuDriverGetVersion()  # the owner reads the values that streams wait for with each call
            self.calls.seen()

        call = process.call

        def make(*args: Any, **keywords: Any) -> Any:
            if is_registered(args[2:]):
                msg = "attached processes of the suite have registered no kernels and variables of a compiled program"
                raise Unavailable(msg)
            answer = call(*args, **keywords)
            if answer[1] or keywords.get("descriptors"):
                time.sleep(GLANCE)  # whoever sends a descriptor closes its own after that
            self.raise_kept()
            return answer

        process.begin_exit = begin_exit  # type: ignore[method-assign]
        process.write_memory = write_memory  # type: ignore[method-assign]
        process.call = make  # type: ignore[method-assign]
        return process

    def raise_kept(self) -> None:
        """Raise an exception that a call raised in the model, which C cannot pass on.

        Raises:
            FakeCudaError: A call raised, one that does not return for one.
        """
        kept = [finding for finding in self.model.findings if finding.rule.id in BEYOND]
        if kept:
            self.model.findings[:] = [finding for finding in self.model.findings if finding not in kept]
            raise FakeCudaError(kept[0].facts["raised"])

    def snapshot(self) -> list[Any]:
        """Return the model's state, without forks that only made calls for tests."""
        model = self.model
        with model.lock:
            processes = model.processes
            model.processes = {
                name: one for name, one in processes.items() if not (isinstance(one, Attached) and one.is_fork)
            }
            try:
                return model.snapshot()
            finally:
                model.processes = processes

    def check_invariants(self) -> None:
        """Check the model's invariants."""
        self.model.check_invariants()


@contextmanager
def machine(profile: Profile) -> Iterator[Any]:
    """Yield a model to which OS processes attach.

    Args:
        profile: The model's profile.
    """
    with fakecuda.Machine(profile, strict=False) as model, model.shared(export=False) as sharing:
        pool().lead_to(sharing.path)
        yield SharedMachine(model)
