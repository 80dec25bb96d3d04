"""The doors of an attached process.

They send calls through C and of the runtime API to the owner.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.reach.install.loading import HIP_FILE
from fakecuda.reach.native import door, objects, runtime
from fakecuda.reach.native.callbacks import DOORS, hip_door, nvml_door
from fakecuda.reach.native.library import NOT_LOADED, NOW
from fakecuda.reach.remote import VARIABLE
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.client.runtime_library import ABOVE
from fakecuda.spec.codes import Result
from fakecuda.spec.cudart import soname

if TYPE_CHECKING:
    from fakecuda.reach.native.callbacks import Door
    from fakecuda.reach.native.cudart import Cudart


_outlived: list[str] = []
"""Machines for calls after exit handlers, from Python code that outlives them."""


def open_door(path: str) -> RemoteMachine:
    """Fill the driver library of this process, whose first call attaches.

    Args:
        path: The machine's socket.

    Raises:
        FakeCudaError: Another ``libcuda.so.1`` is loaded, or there are no stubs for this processor.
    """
    names = [kind.soname for kind in objects.every()]
    linked = [major for major in objects.RUNTIMES if Path(path).with_name(soname(major)).exists()]
    for name in (*names, HIP_FILE, *map(soname, linked)):
        with contextlib.suppress(*NOT_LOADED):  # then another file is written
            ctypes.CDLL(str(Path(path).with_name(name)), mode=NOW)
    # Exit handlers run last in, first out: this one runs after the library's handler.
    atexit.register(_ended, path)
    machine = RemoteMachine(path, attached=door.offer)
    lead_to(machine)
    for major in linked:
        runtime.load_cudart(major)
    atexit.register(machine.leave)
    return machine


def lead_to(machine: RemoteMachine) -> None:
    """Send calls through C and of the runtime API to a machine of another OS process."""
    remote: Any = machine
    door.attach(remote)
    if machine.path.with_name(HIP_FILE).exists():
        import_module("fakecuda.reach.native.hip").attach(remote)
    ABOVE.lead_to(machine)


def lead_away(machine: RemoteMachine) -> None:
    """Stop sending calls to a machine."""
    remote: Any = machine
    ABOVE.withdraw()
    door.detach(remote)
    if hip_door.machine is remote:
        import_module("fakecuda.reach.native.hip").detach(remote)


def library() -> str:
    """Fill the driver library of this process, from its environment.

    Return the library's name.
    For processes of :mod:`realcuda`. There, Python lives on until the C library's exit.

    Raises:
        FakeCudaError: The environment does not name a machine.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        msg = f"the environment variable {VARIABLE} is not set: start the program inside `with machine.shared():`"
        raise FakeCudaError(msg)
    if ABOVE.machine is None:  # else the start-up hook has filled it
        open_door(path)
    _outlived.append(path)
    return objects.driver().soname


def cudart() -> Cudart:
    """Return the runtime library of this process, for processes of :mod:`realcuda`.

    Raises:
        FakeCudaError: The environment does not name a machine.
    """
    if ABOVE.machine is None:
        library()
    machine: Any = ABOVE.machine
    made: Cudart = machine.here.cudart
    return made


def _ended(path: str) -> None:
    """Make stubs answer calls after the library's exit handler.

    Where Python is about to end, the stubs answer CUDA_ERROR_DEINITIALIZED, and else the owner of the machine.
    """
    for one in _open():
        if path in _outlived:
            one.library.bind_again()
        elif one is not nvml_door:  # NVML has no such code
            one.library.unbind_all(Result.DEINITIALIZED)


def _open() -> list[Door]:
    """Return the doors whose libraries are loaded."""
    return [one for one in DOORS.values() if hasattr(one, "library")]
