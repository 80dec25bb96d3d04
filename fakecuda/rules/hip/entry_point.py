"""Addresses of functions of HIP's library, by their names.

Where fakecuda's ``libamdhip64.so`` is loaded they can be called; elsewhere an address tells a function from others.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from fakecuda.model.code.library import HIP_LIBRARY
from fakecuda.rules.core import Rule, guard, source, undefined
from fakecuda.rules.hip.active import arrived, does, entered
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result
from fakecuda.spec.hip import DESCRIPTION

if TYPE_CHECKING:
    from fakecuda.model.call import Call

DEFAULT, LEGACY, PER_THREAD = range(3)
READS_NULL = "hipGetProcAddress.reads-null"
IGNORES_FLAGS = "hipGetProcAddress.ignores-flags"
FOUND = 0
SINCE_HIP_6 = 600
"""The first HIP version with renamed structs: 100 * major + minor."""
RENAMED = {b"hipGetDeviceProperties": b"hipGetDevicePropertiesR0600", b"hipChooseDevice": b"hipChooseDeviceR0600"}
"""Functions whose structs HIP 6 changed; the plain names mean the older ones."""

SYMBOL_IS_GIVEN = Rule(
    "`symbol` is neither null nor empty, and the result pointer for the function is not null",
    Result.INVALID_VALUE,
    source("hipGetProcAddress", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass the function's name, and an address for the function pointer",
)
SYMBOL_IS_READ = Rule(
    "`symbol` is not null",
    Result.INVALID_VALUE,
    undefined(
        "hipGetProcAddress",
        "the manual says nothing about a null argument; clr of 2024 reads the name before it checks the pointer "
        "(an exception ends the process)",
    ),
    fix="pass the function's name",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 (default), 1 (legacy stream) or 2 (per-thread default stream)",
    Result.INVALID_VALUE,
    source(
        "hipGetProcAddress",
        "clr of 2026 answers hipErrorInvalidValue to any other flags; earlier releases do not check them",
    ),
    fix="pass 0, 1 for the legacy default stream, or 2 for the per-thread default stream",
)
SYMBOL_IS_FOUND = Rule(
    "HIP's library has a function with the name `symbol`",
    Result.INVALID_VALUE,
    source("hipGetProcAddress", "clr answers hipErrorInvalidValue, and returns the status SYMBOL_NOT_FOUND"),
    fix="correct the name, or do not use the function: this release of HIP does not have it",
)


@cache
def known() -> frozenset[bytes]:
    """Return the names of all functions that can be found."""
    return frozenset(map(str.encode, DESCRIPTION.symbols)) | set(RENAMED.values())


def meant(symbol: bytes, flags: int) -> bytes | None:
    """Return the function that a name means, or its variant; None if unknown."""
    variant = symbol + b"_spt"
    if flags == PER_THREAD and variant in known():
        return variant
    return symbol if symbol in known() else None


@guard
def found(call: Call, symbol: bytes | None, pointer: str, flags: int) -> tuple[int, int]:
    """Return the address of a function or its per-thread variant, and the status."""
    entered(call)
    if not symbol or pointer in call.nulls:
        raise SYMBOL_IS_GIVEN.broken(symbol=symbol, nulls=call.nulls)
    if flags not in {DEFAULT, LEGACY, PER_THREAD}:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    name = meant(symbol, flags)
    if name is None or name.decode() in call.machine.profile.hip.lacks:
        raise SYMBOL_IS_FOUND.broken(symbol=symbol)
    return HIP_LIBRARY.locate(name.decode()), FOUND


def located(call: str, symbol: bytes, *version: int, flags: int) -> int:
    """Return the address of a function in this process.

    Args:
        call: The call.
        symbol: Its first argument.
        version: The version, where it takes one.
        flags: Its last argument.
    """
    name = meant(_of_version(symbol, *version) if version else symbol, flags or PER_THREAD * call.endswith("_spt"))
    assert name is not None
    return HIP_LIBRARY.locate(name.decode())


T = TypeVar("T", bytes, bytes | None)


def _of_version(symbol: T, version: int) -> T:
    return RENAMED.get(symbol, symbol) if symbol and version >= SINCE_HIP_6 else symbol


@HIP.op("hipGetProcAddress")
def get_proc_address(call: Call, symbol: bytes | None, version: int, flags: int) -> tuple[int, int]:
    """Return a function's address and HIP_GET_PROC_ADDRESS_SUCCESS.

    Args:
        call: The call.
        symbol: The function's name.
        version: The version of HIP that the caller was written for, 100 * major + minor.
        flags: 0, 1 for the legacy stream, 2 for the thread's.
    """
    if symbol is None and does(call, READS_NULL):
        call.undefined(SYMBOL_IS_READ)
        raise SYMBOL_IS_READ.broken()
    looked_at = DEFAULT if does(call, IGNORES_FLAGS) else flags
    return found(call, _of_version(symbol, version), "pfn", looked_at)


@HIP.op("hipGetProcAddress_spt")
def get_proc_address_spt(call: Call, symbol: bytes | None, version: int, flags: int) -> tuple[int, int]:
    """Return a function's address, by default of its per-thread variant."""
    arrived(call, "hipGetProcAddress_spt")
    return found(call, _of_version(symbol, version), "pfn", flags or PER_THREAD)


@HIP.op("hipGetDriverEntryPoint")
def get_driver_entry_point(call: Call, symbol: bytes | None, flags: int) -> tuple[int, int]:
    """Return a function's address and hipDriverEntryPointSuccess."""
    arrived(call, "hipGetDriverEntryPoint")
    return found(call, symbol, "funcPtr", flags)


@HIP.op("hipGetDriverEntryPoint_spt")
def get_driver_entry_point_spt(call: Call, symbol: bytes | None, flags: int) -> tuple[int, int]:
    """Return a function's address, by default of its per-thread variant."""
    arrived(call, "hipGetDriverEntryPoint_spt")
    return found(call, symbol, "funcPtr", flags or PER_THREAD)
