"""System functions that a driver links: ``vprintf``, ``__assertfail``, ``malloc``, ``free`` and ``cudaGraphSetConditional``."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any

from fakecuda.kernels.spaces import Fault
from fakecuda.kernels.threads import Undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.threads import Frame

SPECIFIER = re.compile(r"%([-+ #0]*)(\*|\d*)(?:\.(\*|\d*))?(hh|h|ll|l|j|z|t|L)?([diouxXcsfFeEgGaApn%])")
"""A conversion specifier of printf."""
LONG = frozenset({"l", "ll", "j", "z", "t"})
SHORT = {"h": 16, "hh": 8}


def text_at(frame: Frame, address: int) -> str:
    """Return the text at a generic address, up to its NUL."""
    memory, place = frame.resolve(address)
    data = bytearray()
    while byte := memory.load(place + len(data), 1):
        data.append(byte)
    return data.decode(errors="replace")


class Arguments:
    """The arguments of ``vprintf``, consecutive and aligned in memory.

    Args:
        frame: The frame that calls.
        address: The generic address of the first.
    """

    def __init__(self, frame: Frame, address: int) -> None:
        self.frame, self.address = frame, address
        self.count = 0

    def integer(self, size: int) -> int:
        """Return the next argument as an unsigned integer of a size."""
        self.address += -self.address % size
        memory, place = self.frame.resolve(self.address)
        self.address += size
        self.count += 1
        return memory.load(place, size)

    def signed(self, size: int) -> int:
        """Return the next argument as a signed integer."""
        return int.from_bytes(self.integer(size).to_bytes(size, "little"), "little", signed=True)


def formatted(form: str, arguments: Arguments) -> str:
    """Return the text of a format with its arguments."""

    def one(match: re.Match[str]) -> str:
        flags, width, precision, length, letter = match.groups()
        if letter == "%":
            return "%"
        width = str(arguments.signed(4)) if width == "*" else width
        precision = str(arguments.signed(4)) if precision == "*" else precision
        size = 8 if length in LONG else 4
        value: Any
        if letter in "di":
            value = _narrow(arguments.signed(size), SHORT.get(length), negative=True)
        elif letter in "ouxX":
            value = _narrow(arguments.integer(size), SHORT.get(length), negative=False)
        elif letter == "c":
            value = chr(arguments.integer(4) & 0xFF)
        elif letter == "s":
            value = text_at(arguments.frame, arguments.integer(8))
        elif letter in "pn":
            value, letter = f"{arguments.integer(8):#x}", "s"
        else:
            value = struct.unpack("<d", arguments.integer(8).to_bytes(8, "little"))[0]
            if letter in "aA":
                value, letter = value.hex(), "s"
        text: str = f"%{flags}{width}{'' if precision is None else f'.{precision}'}{letter}" % value
        return text

    return SPECIFIER.sub(one, form)


def _narrow(value: int, bits: int | None, *, negative: bool) -> int:
    """Return a value cut to the bits of a short type."""
    if bits is None:
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if negative and value >> bits - 1 else value


def vprintf(frame: Frame, form: int, arguments: int) -> int:
    """Store a text to print when the kernel has ended; return the argument count."""
    listed = Arguments(frame, arguments)
    frame.lane.block.grid.printed.append(formatted(text_at(frame, form), listed))
    return listed.count


def assertfail(frame: Frame, message: int, file: int, line: int, function: int, _size: int) -> int:
    """End the kernel, because an assertion fails.

    Raises:
        Fault: Always.
    """
    block, thread = list(frame.lane.block.index), list(frame.lane.place)
    text = (
        f"{text_at(frame, file)}:{line}: {text_at(frame, function)}: block: {block}, thread: {thread} "
        f"Assertion `{text_at(frame, message)}` failed."
    )
    raise Fault(Result.ASSERT, text)


def malloc(frame: Frame, size: int) -> int:
    """Return memory of the context's heap; 0 without room.

    Raises:
        Undefined: The size is 0.
    """
    if not size:
        msg = "asks for 0 bytes, and what it returns then is not known"
        raise Undefined(msg)
    return frame.lane.block.grid.memory.run.heap().take(size)


def free(frame: Frame, address: int) -> int:
    """Free memory from ``malloc``; null has no effect.

    Raises:
        Undefined: It was freed, or ``malloc`` has not returned it.
    """
    if address and not frame.lane.block.grid.memory.run.heap().give(address):
        msg = f"frees {address:#x}, which malloc has not returned, or which was freed before"
        raise Undefined(msg)
    return 0


def set_conditional(frame: Frame, handle: int, value: int) -> int:
    """Set a condition of the kernel's graph, when the kernel has ended; the last thread counts.

    Raises:
        Undefined: The kernel's graph has no such condition.
    """
    why: str = frame.lane.block.grid.memory.run.set_condition(handle, value)
    if why:
        msg = f"sets a condition, and {why}"
        raise Undefined(msg)
    return 0


FUNCTIONS: dict[str, Callable[..., int]] = {
    "vprintf": vprintf,
    "__assertfail": assertfail,
    "malloc": malloc,
    "free": free,
    "cudaGraphSetConditional": set_conditional,
}
"""The system functions by name."""
