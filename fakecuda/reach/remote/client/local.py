"""The local part of a remote call: addresses, descriptors, environment."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote.protocol import schema
from fakecuda.rules.driver.core.get_proc_address import suited
from fakecuda.spec.descriptors import IMPORTS
from fakecuda.spec.forms import forms_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ENTRY_POINTS = forms_of("cuGetProcAddress") | {"cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"}
"""Calls that return the address of a driver function, which is local."""
HIP_ENTRY_POINTS = frozenset(
    {"hipGetDriverEntryPoint", "hipGetDriverEntryPoint_spt", "hipGetProcAddress", "hipGetProcAddress_spt"}
)
"""Calls that return the address of a HIP function."""


def entry_point(call: Call, name: str, args: tuple[Any, ...]) -> Any:
    """Return the results of a search that has succeeded, with the address of the function in this process."""
    symbol, *version, flags = args
    process: Any = call.process
    driver_version = call.machine.profile.driver_version
    asked = version[0] if version else process.runtime_version
    known = driver_version if asked < 0 else min(asked, driver_version)
    found = suited(symbol, known, flags, driver_version)
    return found[0] if len(schema.call_of(name).outputs) == 1 else found


def hip_entry_point(name: str, symbol: bytes, *rest: int) -> int:
    """Return the address of a HIP function in this process."""
    from fakecuda.rules.hip.entry_point import located  # noqa: PLC0415 - few programs call HIP

    *version, flags = rest
    return located(name, symbol, *version, flags=flags)


def leaving(name: str, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Take the descriptor out of a call's arguments.

    A number that is not a descriptor is taken out, too.
    """
    place, kind, posix = IMPORTS[name]
    if args[kind] != posix or type(args[place]) is not int:
        return args, ()
    number = args[place]
    try:
        os.fstat(number)
    except (OSError, OverflowError):
        return (*args[:place], -1, *args[place + 1 :]), ()
    return (*args[:place], -1, *args[place + 1 :]), (number,)


def environment(name: str) -> str | None:
    """Return an environment variable of the C library.

    A program may have set it without Python.
    """
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    content = getenv(name.encode())
    return None if content is None else os.fsdecode(content)
