"""The native door of HIP.

Calls of ``libamdhip64.so`` through C, including hip-python's, reach a machine.
They reach the process that stands for this OS process, as calls of the driver library
(:mod:`fakecuda.reach.native.door`). Between machines every call answers hipErrorNoDevice, as on a machine with HIP but
without a device.
"""

from __future__ import annotations

import ctypes
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fakecuda.model.code.library import HIP_LIBRARY
from fakecuda.reach.native import objects
from fakecuda.reach.native.callbacks import hip_door as door
from fakecuda.reach.native.generated import hip as generated
from fakecuda.reach.native.library import Library, argument, library
from fakecuda.reach.native.nowhere import Nowhere
from fakecuda.reach.native.unraisable import hook
from fakecuda.rules.registry import HIP
from fakecuda.spec.hip import CALLS, DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.machine.machine import Machine

SYMBOLS = DESCRIPTION.library.symbols
MODELLED = {CALLS[name].symbol: name for name in HIP.ops}
"""Modelled calls by symbol."""
RENAMED = {name: call.symbol for name, call in CALLS.items() if call.symbol != name}
"""Calls whose plain symbol is an older function, because the header renames them."""
NUMBERS: dict[str, Callable[[str, str], int]] = {"hipGetStreamDeviceId": door.not_modelled_number}
"""Functions that return a number instead of a code."""
PROFILE = "hip-clr-2026"
ANSWER = ctypes.c_uint64


def attach(machine: Machine) -> None:
    """Send HIP's calls through C to a machine.

    Args:
        machine: The machine. It has HIP.

    Raises:
        FakeCudaError: Another ``libamdhip64.so`` is loaded, or there are no stubs for this processor; the text says
            what to do.
    """
    library(objects.hip(), _prepare)
    hook()
    door.enter(machine)


def renew() -> None:
    """Send calls to the process that code of this OS process now acts as."""
    door.renew()


def detach(machine: Machine) -> None:
    """Close the door if it leads to a machine.

    Args:
        machine: The machine.
    """
    if door.machine is machine:
        door.enter(None)


@cache
def _nowhere() -> Nowhere:
    """Return the machine without devices, which knows error texts."""
    return Nowhere(PROFILE)


def _prepare(made: Library) -> None:
    """Bind all symbols of a library."""
    HIP_LIBRARY.locate = made.address
    for symbol in SYMBOLS:
        name = MODELLED.get(symbol)
        kinds = generated.ARGUMENTS[name] if name else ()
        made.bind(symbol, ctypes.CFUNCTYPE(ANSWER, *map(argument, kinds))(_function(symbol)))
    door.prepare(made, _nowhere, generated)


def _function(symbol: str) -> Callable[..., int]:
    """Return the function for a symbol's stub."""
    if symbol in MODELLED:
        function: Any = getattr(generated, MODELLED[symbol])
        return function  # type: ignore[no-any-return]
    fix = f"use {RENAMED[symbol]}: hip_runtime_api.h calls it by this name since HIP 6" if symbol in RENAMED else ""
    texts = dict.fromkeys(DESCRIPTION.library.texts, door.not_modelled_text)
    return partial((texts | NUMBERS).get(symbol, door.not_modelled), symbol, fix)
