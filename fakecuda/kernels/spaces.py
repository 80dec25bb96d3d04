"""The memory of a thread: global memory, and small state spaces.

Generic addresses are those of the model, and windows above them: bits 60 to 62 say which space an address lies in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.code.kernel_run import CHUNK, Stray
from fakecuda.model.memory.space import READ, WRITE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.threads import Lane
    from fakecuda.model.code.kernel_run import Run

WINDOW = 60
"""The lowest address bit that selects a window."""
WINDOWS = {
    "global": 0,
    "const": 0,
    "shared": 1 << WINDOW,
    "local": 2 << WINDOW,
    "param": 3 << WINDOW,
    "workspace": 4 << WINDOW,
}
"""The start of each state space among generic addresses."""
INSIDE = (1 << WINDOW) - 1
PAGE = CHUNK.bit_length() - 1
READS, WRITES, UPDATES, POLLS = range(4)
"""How a kernel used bytes: weak loads and stores, atomics, or strong loads."""
KINDS = 4
"""The number of kinds of use."""
QUIET = frozenset({READS, POLLS})
"""Kinds of use that change nothing."""
USED = [bytes([1]) * size for size in range(33)]
RUNS = re.compile(b"\x01+")


class Fault(Exception):  # noqa: N818 - a device's word
    """An exception that fails the kernel's context.

    Args:
        code: The error.
        text: What happened.
        address: The address of a wrong access to global memory. None for other faults.

    Attributes:
        lane: The thread.
        instruction: The instruction.
    """

    lane: Lane
    instruction: Instruction

    def __init__(self, code: Result, text: str, address: int | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.address = address


def misaligned(size: int, address: int, name: str = "") -> Fault:
    """Return the fault of a misaligned access, in a small space or global memory."""
    where = f"{address:#x} of {name} memory" if name else f"{address:#x}"
    text = f"uses {size} bytes at {where}, a misaligned address"
    return Fault(Result.MISALIGNED_ADDRESS, text, None if name else address)


@define(eq=False)
class Flat:
    """A small state space: shared memory, local memory, or parameters.

    Attributes:
        name: Its name.
        data: Its bytes.
    """

    name: str
    data: bytearray

    def check(self, address: int, size: int, spare: int = 0) -> None:
        """Check an access.

        Raises:
            Fault: It is misaligned, or not inside the space.
        """
        if address & size - 1:
            raise misaligned(size, address, self.name)
        if address + size - spare > len(self.data):
            raise Fault(
                Result.ILLEGAL_ADDRESS,
                f"uses {size - spare} bytes at {address:#x} of {self.name} memory, which has {len(self.data)} bytes",
            )

    def load(self, address: int, size: int) -> int:
        """Return the bytes at an address as an integer."""
        self.check(address, size)
        return int.from_bytes(self.data[address : address + size], "little")

    def front(self, address: int, size: int, spare: int) -> int:
        """Return the bytes of a vector, without unused bytes at its end."""
        self.check(address, size, spare)
        return int.from_bytes(self.data[address : address + size - spare], "little")

    def store(self, address: int, size: int, value: int) -> None:
        """Write the bytes of an integer."""
        self.check(address, size)
        self.data[address : address + size] = value.to_bytes(size, "little")

    def change(self, address: int, size: int, value: int) -> None:
        """Write the result of an atomic operation or a strong store."""
        self.store(address, size, value)

    def poll(self, address: int, size: int) -> int:
        """Return the value that a strong load reads."""
        return self.load(address, size)

    def peek(self, address: int, size: int) -> int:
        """Return the value that an atomic operation reads."""
        return self.load(address, size)


@define
class Page:
    """A part of global memory as the kernel sees it.

    Attributes:
        data: Its bytes.
        marks: For each way to use a byte, a byte that is 1 if it was used so.
    """

    data: bytearray
    marks: tuple[bytearray, ...] = field(factory=lambda: tuple(bytearray(CHUNK) for _ in range(KINDS)))


@define(eq=False)
class GlobalMemory:
    """The memory of devices and host that the kernel's context can access.

    Attributes:
        run: The run of the kernel, whose memory it is.
    """

    run: Run
    _pages: dict[int, Page] = field(factory=dict)
    _readable: dict[int, tuple[int, int, Page]] = field(factory=dict)
    _writable: dict[int, tuple[int, int, Page]] = field(factory=dict)

    def load(self, address: int, size: int) -> int:
        """Return the bytes at an address as an integer."""
        found = self._readable.get(address >> PAGE)
        if found is None or address < found[0] or address + size > found[1] or address & size - 1:
            found = self._find(address, size, READ, self._readable)
        page, at = found[2], address & CHUNK - 1
        page.marks[READS][at : at + size] = USED[size]
        return int.from_bytes(page.data[at : at + size], "little")

    def front(self, address: int, size: int, spare: int) -> int:
        """Return the bytes of a vector, without unused bytes at its end."""
        _, _, page = self._find(address, size, READ, self._readable, spare)
        at, size = address & CHUNK - 1, size - spare
        page.marks[READS][at : at + size] = USED[size]
        return int.from_bytes(page.data[at : at + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        """Write the bytes of an integer."""
        self._put(address, size, value, WRITES)

    def change(self, address: int, size: int, value: int) -> None:
        """Write the result of an atomic operation or a strong store."""
        self._put(address, size, value, UPDATES)

    def poll(self, address: int, size: int) -> int:
        """Return the value that a strong load reads."""
        _, _, page = self._find(address, size, READ, self._readable)
        at = address & CHUNK - 1
        page.marks[POLLS][at : at + size] = USED[size]
        return int.from_bytes(page.data[at : at + size], "little")

    def _put(self, address: int, size: int, value: int, use: int) -> None:
        found = self._writable.get(address >> PAGE)
        if found is None or address < found[0] or address + size > found[1] or address & size - 1:
            found = self._find(address, size, WRITE, self._writable)
        page, at = found[2], address & CHUNK - 1
        page.marks[use][at : at + size] = USED[size]
        page.data[at : at + size] = value.to_bytes(size, "little")

    def peek(self, address: int, size: int) -> int:
        """Return the value that an atomic operation reads."""
        _, _, page = self._find(address, size, WRITE, self._writable)
        at = address & CHUNK - 1
        return int.from_bytes(page.data[at : at + size], "little")

    def _find(
        self, address: int, size: int, access: int, known: dict[int, tuple[int, int, Page]], spare: int = 0
    ) -> tuple[int, int, Page]:
        """Return the page of an access, with the usable range around the access.

        Raises:
            Fault: The access is misaligned, or the kernel may not use the address so.
        """
        if address & size - 1:
            raise misaligned(size, address)
        try:
            self.run.pieces(address, size - spare, access)
        except Stray:
            what = "writes" if access == WRITE else "reads"
            raise Fault(Result.ILLEGAL_ADDRESS, f"{what} {size - spare} bytes at {address:#x}", address) from None
        number = address >> PAGE
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = Page(self.run.chunk(number << PAGE))
        item = self.run.at(address)
        assert item is not None  # it has pieces
        low, high = max(item.start, number << PAGE), min(item.end, number + 1 << PAGE)
        found = known[number] = low, high, page
        return found

    def make_all(self) -> None:
        """Show other blocks all stores, which they see anyway."""

    def uses(self) -> tuple[list[tuple[int, int]], ...]:
        """Return the ranges that were used in each way, merged and in order, as first address and bytes."""
        return tuple(map(self._uses, range(KINDS)))

    def _uses(self, how: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for number in sorted(self._pages):
            for match in RUNS.finditer(self._pages[number].marks[how]):
                start, size = (number << PAGE) + match.start(), match.end() - match.start()
                if found and sum(found[-1]) == start:
                    start, size = found[-1][0], found.pop()[1] + size
                found.append((start, size))
        return found
