"""The native door of an attached process: what reaches the driver library through C is answered by the owner."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
from pathlib import Path
from typing import Any

from fakecuda.codes import Result
from fakecuda.errors import FakeCudaError
from fakecuda.native import door
from fakecuda.native.callbacks import door as state
from fakecuda.native.library import NOW, SONAME
from fakecuda.sharing import VARIABLE
from fakecuda.sharing.client import RemoteMachine


def open_door(path: str) -> RemoteMachine:
    """Fill the driver library of this process; its first call attaches to a machine.

    Args:
        path: The machine's socket.

    Raises:
        FakeCudaError: Another ``libcuda.so.1`` is loaded in this process, or there are no stubs for its processor.
    """
    with contextlib.suppress(OSError):  # another is written then
        ctypes.CDLL(str(Path(path).with_name(SONAME)), mode=NOW)
    # Exit handlers run last in, first out: this one after that of the library.
    atexit.register(_ended)
    machine = RemoteMachine(path, attached=door.offer)
    lead_to(machine)
    atexit.register(machine.leave)
    return machine


def lead_to(machine: RemoteMachine) -> None:
    """Lead the calls that arrive through C to a machine of another OS process."""
    remote: Any = machine
    door.attach(remote)


def library() -> str:
    """Fill the driver library of this process, whose environment names a machine; return the library's name.

    Raises:
        FakeCudaError: The environment names none.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        msg = f"{VARIABLE} is not set: start the program inside of machine.shared()"
        raise FakeCudaError(msg)
    open_door(path)
    return SONAME


def _ended() -> None:
    """Have the stubs answer what a driver answers once its exit handler has run; Python is going."""
    if hasattr(state, "library"):
        state.library.unbind_all(Result.DEINITIALIZED)
