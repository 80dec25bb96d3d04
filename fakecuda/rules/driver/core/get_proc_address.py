"""cuGetProcAddress: the address of a function of the driver.

A function has a symbol for each version of its binary interface, and some have one more for the per-thread default
stream. The caller names the function and the CUDA version that it was written for; the newest symbol that is not newer
than that is what it gets. A caller that asks for the per-thread default stream gets no other symbol of a function that
has such symbols.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fakecuda.model.code.library import LIBRARY
from fakecuda.rules.core import Rule, manual, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.symbols import Symbol, symbols

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FOUND, NOT_FOUND, VERSION_NOT_SUFFICIENT = ENUMS["CUdriverProcAddressQueryResult"].values()
PER_THREAD = ENUMS["CUdriverProcAddress_flags"]["CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM"]
FLAGS = sum(ENUMS["CUdriverProcAddress_flags"].values())

FLAGS_ARE_KNOWN = Rule(
    "`flags` has only bits of CUdriverProcAddress_flags",
    Result.INVALID_VALUE,
    manual("cuGetProcAddress", "The requested flags can be"),
    fix="pass CU_GET_PROC_ADDRESS_DEFAULT, or one of its LEGACY_STREAM and PER_THREAD_DEFAULT_STREAM variants",
)
VERSION_IS_SUPPORTED = Rule(
    "the requested CUDA version is not greater than the driver's version",
    Result.INVALID_VALUE,
    manual("cuGetProcAddress", "If the specified CUDA version is greater than the driver version"),
    fix="pass a CUDA version that is not greater than the version that cuDriverGetVersion returns",
)
SYMBOL_IS_GIVEN = Rule(
    "`symbol` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuGetProcAddress",
        "the manual says nothing about a null symbol; driver 580 reads from the null pointer (segmentation fault)",
    ),
    fix="pass the name of a function",
)
POINTER_IS_GIVEN = Rule(
    "the result pointer for the function's address is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuGetProcAddress",
        "the manual says nothing about a null pfn; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a function pointer",
)


@DRIVER.op("cuGetProcAddress")
def get_proc_address(call: Call, symbol: bytes | None, cuda_version: int, flags: int) -> tuple[int, int]:
    """Return the address of a driver function, 0 if none suits, and the status of the search; cuInit is not needed.

    Args:
        call: The call.
        symbol: The function's name in the manual, ``cuMemAlloc``.
        cuda_version: 1000 * major + 10 * minor; a negative one admits every symbol of the driver.
        flags: CUdriverProcAddress_flags.
    """
    # CHECK
    require_driver_up(call)
    if flags & ~FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    driver_version = call.machine.profile.driver_version
    if cuda_version > driver_version:
        raise VERSION_IS_SUPPORTED.broken(version=cuda_version, driver_version=driver_version)
    if symbol is None:
        call.undefined(SYMBOL_IS_GIVEN)
        raise SYMBOL_IS_GIVEN.broken()
    if "pfn" in call.nulls:
        call.undefined(POINTER_IS_GIVEN)
        raise POINTER_IS_GIVEN.broken()
    # EFFECT
    return suited(symbol, cuda_version if cuda_version >= 0 else driver_version, flags, driver_version)


def suited(symbol: bytes, cuda_version: int, flags: int, driver_version: int) -> tuple[int, int]:
    """Return the address of the newest suitable symbol, and the status of the search.

    Args:
        symbol: The function's name in the manual.
        cuda_version: The version that the caller was written for.
        flags: CUdriverProcAddress_flags.
        driver_version: The version of the driver.
    """
    known = [one for one in _forms().get(symbol, ()) if one.version <= driver_version]
    if not known:
        return 0, NOT_FOUND
    own_stream = bool(flags & PER_THREAD) and any(one.stream for one in known)
    for one in known:
        if one.version <= cuda_version and bool(one.stream) == own_stream:
            return LIBRARY.locate(one.name), FOUND
    return 0, VERSION_NOT_SUFFICIENT


@cache
def _forms() -> dict[bytes, tuple[Symbol, ...]]:
    """Return the symbols of each function, newest first, per-thread variants before."""
    found: dict[bytes, list[Symbol]] = {}
    for symbol in sorted(symbols(), key=lambda one: (one.version, one.stream), reverse=True):
        found.setdefault(symbol.base.encode(), []).append(symbol)
    return {base: tuple(forms) for base, forms in found.items()}
