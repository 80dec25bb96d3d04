"""Variables of compiled programs: their addresses, and copies to and from them.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.copy.memcpy import memcpy as memcpy_anywhere
from fakecuda.rules.driver.copy.memcpy import memcpy_async as memcpy_anywhere_async
from fakecuda.rules.driver.copy.memcpy import (
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
)
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, RANGE_IS_ALLOCATED
from fakecuda.rules.driver.library.library_get_global import library_get_global
from fakecuda.rules.driver.library.module import module_in
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.copy import DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE
from fakecuda.rules.runtime.program import library_of_symbol, variable_of
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

TO = frozenset({HOST_TO_DEVICE, DEVICE_TO_DEVICE, DEFAULT})
"""The valid copy kinds of a copy to a symbol."""
FROM = frozenset({DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT})
"""The valid copy kinds of a copy from a symbol."""
PLACED = (RANGE_IS_ALLOCATED,)
"""Rules that are checked when the first use of a variable has loaded it."""

SYMBOL_IS_OF_A_DEVICE = Rule(
    "`kind` is a cudaMemcpyKind whose side of the symbol is a device, or cudaMemcpyDefault",
    Error.INVALID_MEMCPY_DIRECTION,
    manual("cudaMemcpy", "cudaErrorInvalidMemcpyDirection"),
    fix="pass cudaMemcpyDefault, or the cudaMemcpyKind with the direction of the copy",
)
COPY_FITS_THE_SYMBOL = Rule(
    "`offset` and `count` are within the variable",
    Result.INVALID_VALUE,
    manual("cudaMemcpy", "cudaErrorInvalidValue"),
    fix="copy at most sizeof(symbol) - offset bytes",
)
RESULT_IS_THERE = Rule(
    "the pointer to the result is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaGetSymbolAddress",
        "the manual says nothing about a null argument; the library writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a pointer, or of a size_t for cudaGetSymbolSize",
)
WRAP = 1 << 64
"""Addresses wrap at this number, so a large offset may precede the variable."""


@guard
def within(call: Call, symbol: int, offset: int, count: int) -> None:
    """Check that a byte range is in a variable, for calls without a stream.

    Args:
        call: The call.
        symbol: The host address that stands for the variable.
        offset: The first byte.
        count: How many bytes.
    """
    _, size = variable_of(call, symbol)
    if offset + count > size:
        raise COPY_FITS_THE_SYMBOL.broken(offset=offset, count=count, size=size)


@guard
def place_of(call: Call, context: Context, symbol: int, offset: int, kind: int, kinds: frozenset[int]) -> int:
    """Return the address of a byte of a variable in a context.

    Args:
        call: The call.
        context: The current context.
        symbol: The host address that stands for the variable.
        offset: The byte.
        kind: The cudaMemcpyKind of the copy.
        kinds: The kinds that it may have.
    """
    variable, _ = variable_of(call, symbol)
    if kind not in kinds:
        raise SYMBOL_IS_OF_A_DEVICE.broken(kind=kind)
    start = module_in(call, library_of_symbol(call, variable), context).variables[variable.name].start
    return (start + offset) % WRAP


@guard
def global_of(call: Call, symbol: int) -> tuple[int, int]:
    """Return the address and the size of a variable in the current context."""
    active(call)
    variable, _ = variable_of(call, symbol)
    if call.nulls:
        call.undefined(RESULT_IS_THERE)
        raise RESULT_IS_THERE.broken(nulls=call.nulls)
    return library_get_global(call, library_of_symbol(call, variable).handle, variable.name.encode())


@RUNTIME.op("cudaGetSymbolAddress")
def get_symbol_address(call: Call, symbol: int) -> int:
    """Return the address of a variable in the current context."""
    place, _ = global_of(call, symbol)
    return place


@RUNTIME.op("cudaGetSymbolSize")
def get_symbol_size(call: Call, symbol: int) -> int:
    """Return the size of a variable."""
    _, size = global_of(call, symbol)
    return size


@RUNTIME.op("cudaMemcpyToSymbol", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_to_symbol(call: Call, symbol: int, src: int, count: int, offset: int, kind: int) -> None:
    """Copy ``count`` bytes to a variable, at ``offset``."""
    context = active(call)
    if not count:
        return
    within(call, symbol, offset, count)
    place = place_of(call, context, symbol, offset, kind, TO)
    if kind == HOST_TO_DEVICE:
        memcpy_htod(call, place, src, count)
    elif kind == DEVICE_TO_DEVICE:
        memcpy_dtod(call, place, src, count)
    else:
        memcpy_anywhere(call, place, src, count)


@RUNTIME.op("cudaMemcpyToSymbolAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE, *PLACED))
def memcpy_to_symbol_async(call: Call, symbol: int, src: int, count: int, offset: int, kind: int, stream: int) -> None:
    """Have a stream copy to a variable, as cudaMemcpyToSymbol does."""
    context = active(call)
    if not count:
        return
    place = place_of(call, context, symbol, offset, kind, TO)
    if kind == HOST_TO_DEVICE:
        memcpy_htod_async(call, place, src, count, stream)
    elif kind == DEVICE_TO_DEVICE:
        memcpy_dtod_async(call, place, src, count, stream)
    else:
        memcpy_anywhere_async(call, place, src, count, stream)


@RUNTIME.op("cudaMemcpyFromSymbol", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_from_symbol(call: Call, dst: int, symbol: int, count: int, offset: int, kind: int) -> None:
    """Copy ``count`` bytes from a variable, at ``offset``."""
    context = active(call)
    if not count:
        return
    within(call, symbol, offset, count)
    place = place_of(call, context, symbol, offset, kind, FROM)
    if kind == DEVICE_TO_HOST:
        memcpy_dtoh(call, dst, place, count)
    elif kind == DEVICE_TO_DEVICE:
        memcpy_dtod(call, dst, place, count)
    else:
        memcpy_anywhere(call, dst, place, count)


@RUNTIME.op("cudaMemcpyFromSymbolAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE, *PLACED))
def memcpy_from_symbol_async(
    call: Call, dst: int, symbol: int, count: int, offset: int, kind: int, stream: int
) -> None:
    """Have a stream copy from a variable, as cudaMemcpyFromSymbol does."""
    context = active(call)
    if not count:
        return
    place = place_of(call, context, symbol, offset, kind, FROM)
    if kind == DEVICE_TO_HOST:
        memcpy_dtoh_async(call, dst, place, count, stream)
    elif kind == DEVICE_TO_DEVICE:
        memcpy_dtod_async(call, dst, place, count, stream)
    else:
        memcpy_anywhere_async(call, dst, place, count, stream)
