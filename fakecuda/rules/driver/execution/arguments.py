"""The arguments of a launch: an array of pointers to each, or one buffer with all of them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fakecuda.model.work.launch import BUFFER, END, SIZE
from fakecuda.rules.core import Broken, Rule, guard, manual, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry

    Load = Callable[..., tuple[bytes, ...]]

POINTER = struct.calcsize("P")

ARGUMENTS_ARE_GIVEN = Rule(
    "the arguments are not passed in both `kernelParams` and `extra`; if `extra` is not null, it has a buffer and "
    "its size",
    Result.INVALID_VALUE,
    manual(
        "cuLaunchKernel",
        "The error CUDA_ERROR_INVALID_VALUE will be returned if kernel parameters are specified with both kernelParams and "
        "extra (i.e. both kernelParams and extra are non-NULL)",
    ),
    fix="pass the address of each argument in kernelParams, or all arguments in extra",
)
BUFFER_FITS = Rule(
    "the buffer in `extra` is not larger than the kernel's parameters",
    Result.LAUNCH_OUT_OF_RESOURCES,
    observed(
        "cuLaunchKernel",
        "the driver answers LAUNCH_OUT_OF_RESOURCES to a buffer of 16 bytes for a kernel with 12 bytes of parameters; a graph node, also "
        "of a captured launch, answers INVALID_VALUE",
    ),
    fix="pass a buffer with as many bytes as the kernel's parameters take, with their alignment",
)


@guard
def arguments(call: Call, entry: Entry, params: int, extra: int) -> tuple[bytes, ...]:
    """Return the bytes of each argument.

    Args:
        call: The call.
        entry: The kernel.
        params: The address of an array of pointers, one for each parameter; 0 for none.
        extra: The address of pairs of names and values; 0 for none.

    Raises:
        Unreadable: They cannot be read.
        RetryCall: The caller is another OS process, which was asked for them now.
    """
    load = call.process.system.load
    buffer = _buffer(load, extra) if extra else None
    if buffer and params:
        raise ARGUMENTS_ARE_GIVEN.broken(params=params, extra=extra)
    if buffer:
        if len(buffer) > entry.bytes_of_params:
            raise BUFFER_FITS.broken(size=len(buffer), most=entry.bytes_of_params)
        whole = buffer.ljust(entry.bytes_of_params, b"\0")
        return tuple([whole[offset : offset + size] for offset, size in entry.params])
    if not entry.params:
        return ()
    if not params:
        raise ARGUMENTS_ARE_GIVEN.broken(kernel=entry.name)
    found = call.process.system.follow(params, tuple([size for _, size in entry.params]))
    if found is None:
        raise ARGUMENTS_ARE_GIVEN.broken(kernel=entry.name)
    return found


@guard
def stored(call: Call, entry: Entry, params: int, extra: int) -> tuple[bytes, ...]:
    """Return the bytes of each argument of a graph node, as :func:`arguments`; a buffer that is too large is an INVALID_VALUE."""
    try:
        return arguments(call, entry, params, extra)
    except Broken as broken:
        if broken.rule is BUFFER_FITS:
            raise Broken(BUFFER_FITS, broken.facts, Result.INVALID_VALUE) from broken
        raise


@guard
def _buffer(load: Load, extra: int) -> bytes:
    """Return the buffer that ``extra`` describes; empty for a size of 0."""
    told: dict[int, int] = {}
    while (name := _pointer(load, extra)) != END:
        if name not in {BUFFER, SIZE}:
            raise ARGUMENTS_ARE_GIVEN.broken(name=name)
        told[name] = _pointer(load, extra + POINTER)
        extra += 2 * POINTER
    if told and len(told) < len({BUFFER, SIZE}):
        raise ARGUMENTS_ARE_GIVEN.broken(told=list(told))
    size = _pointer(load, told[SIZE]) if told else 0
    return load((told[BUFFER], size))[0] if size else b""


def _pointer(load: Load, place: int) -> int:
    return int.from_bytes(load((place, POINTER))[0], "little")
