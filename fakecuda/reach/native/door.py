"""The native door.

Calls of ``libcuda.so.1`` or ``libnvidia-ml.so.1`` through C reach a machine.
They reach the process that stands for this OS process, ``machine.here``. Between machines, cuInit answers
CUDA_ERROR_NO_DEVICE and all other calls CUDA_ERROR_NOT_INITIALIZED. In a forked child, the door leads to the child's
copy of the machine. At interpreter exit, calls succeed without effect, for destructors that run even later.
"""

from __future__ import annotations

import ctypes
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fakecuda.model.code.library import LIBRARY
from fakecuda.reach.native import nvml, runtime, tables, unraisable
from fakecuda.reach.native.callbacks import door, nvml_door
from fakecuda.reach.native.forms import EXPORT_TABLE, MODELLED, fix_of
from fakecuda.reach.native.generated import callbacks as generated
from fakecuda.reach.native.library import Library, argument, library
from fakecuda.reach.native.objects import driver
from fakecuda.spec.symbols import Symbol, symbols

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.machine.machine import Machine
    from fakecuda.reach.native.nowhere import Nowhere


NEWEST = max(symbol.version for symbol in symbols())
NOT_MODELLED = ctypes.CFUNCTYPE(ctypes.c_uint64)


def attach(machine: Machine) -> None:
    """Send calls through C to a machine; the previous machine is detached.

    Args:
        machine: The machine.

    Raises:
        FakeCudaError: Another ``libcuda.so.1`` or ``libnvidia-ml.so.1`` is loaded, or there are no stubs for this
            processor; the text says what to do.
    """
    library(driver(), _prepare)
    nvml.load()
    unraisable.hook()
    offer(machine.profile.driver_version)
    door.enter(machine)
    nvml.enter(machine)
    runtime.enter(machine)


def renew() -> None:
    """Send calls to the process that code of this OS process now acts as."""
    door.renew()
    nvml_door.renew()
    for one in runtime.doors.values():
        one.renew()


def detach(machine: Machine) -> None:
    """Close the door if it leads to a machine.

    Args:
        machine: The machine.
    """
    if door.machine is machine:
        offer(NEWEST)
        door.enter(None)
        nvml_door.enter(None)
        runtime.enter(None)


@cache
def _nowhere() -> Nowhere:
    """Return the machine without devices, with the newest driver of the library."""
    from fakecuda.reach.native.nowhere import Nowhere  # noqa: PLC0415 - few processes call without a machine

    return Nowhere("h200", driver_version=NEWEST // 10 * 10 + 9)


def offer(driver_version: int) -> None:
    """Make functions that are newer than a driver report that they are missing.

    Restore the other functions.

    Args:
        driver_version: 1000 * major + 10 * minor.
    """
    for name in _later(driver_version).symmetric_difference(_absent):
        if name in _absent:
            door.library.bind(name, _absent.pop(name))
        else:
            _absent[name] = door.library.bind(name, _absent_function(name))


_absent: dict[str, Any] = {}
"""Functions of symbols that the attached machine's driver lacks."""


@cache
def _later(driver_version: int) -> frozenset[str]:
    """Return the symbols of modelled calls that are newer than a driver."""
    return frozenset(symbol.name for symbol in symbols() if symbol.name in MODELLED and symbol.version > driver_version)


@cache
def _absent_function(name: str) -> Any:
    return NOT_MODELLED(partial(door.absent, name))


def _prepare(made: Library) -> None:
    """Bind all symbols of a library."""
    LIBRARY.locate = made.address
    prototypes: dict[tuple[str, ...], Any] = {}
    for symbol in symbols():
        function, modelled = _function(symbol)
        if not modelled:
            made.bind(symbol.name, NOT_MODELLED(function))
            continue
        if symbol.args not in prototypes:
            prototypes[symbol.args] = ctypes.CFUNCTYPE(ctypes.c_uint64, *map(argument, symbol.args))
        made.bind(symbol.name, prototypes[symbol.args](function))
    door.prepare(made, _nowhere, generated)
    tables.watch(made)


def _function(symbol: Symbol) -> tuple[Callable[..., int], bool]:
    """Return the function of a symbol, and whether it takes the symbol's arguments."""
    if symbol.name in MODELLED:
        function = getattr(generated, MODELLED[symbol.name])
        return (partial(function, own_stream=True) if symbol.stream else function), True
    if symbol.name == EXPORT_TABLE:
        return door.export_table, True
    return partial(door.not_modelled, symbol.name, fix_of(symbol)), False
