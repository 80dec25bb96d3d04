"""The meaning of cp.async.bulk.tensor for tiles.

A box of a tensor in global memory is packed in shared memory. Swizzles exchange its pieces of 16 bytes.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from fakecuda.kernels import bulk
from fakecuda.kernels.access import ADDRESS, place_of
from fakecuda.kernels.asynchronous import undefined
from fakecuda.kernels.bulk import HINT, MULTICAST, PIECE, TRACKED, signal
from fakecuda.kernels.integers import signed
from fakecuda.kernels.program import Texel
from fakecuda.kernels.row import refuse
from fakecuda.kernels.spaces import Fault
from fakecuda.model.memory.tensor import TensorMap
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.kernels.access import Op
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Lane

RANKS = ("1d", "2d", "3d", "4d", "5d")
SPANS = {1: 32, 2: 64, 3: 128}
"""The bytes of a box row by CUtensorMapSwizzle."""
LINE, ALIGNED, WORDS, WORD = 7, 128, 16, 8
"""Swizzle address bit, box alignment, words of a tensor map, bytes of a word."""


def copy(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of cp."""
    if "tensor" not in row.words or "prefetch" in row.words:
        return bulk.copy(lowering, instruction, row)
    if "reduce" in row.words:
        refuse("its modifier .reduce")
    for word in ("async", "bulk", "tensor", "tile", "bulk_group", HINT):
        row.flag(word)
    row.take(*RANKS)
    to, of = bulk.spaces(row)
    tracks, spreads = row.flag(TRACKED), row.flag(MULTICAST)
    operands = list(instruction.operands)
    texel = operands.pop(int(tracks))
    if not isinstance(texel, Texel):
        refuse("its operands")
    shared = place_of(lowering, operands.pop(0), to if tracks else of)
    seen = lowering.slot(texel.seen, "u64")
    coordinates = [lowering.slot(one, "s32") for one in texel.coordinates]
    barrier = place_of(lowering, operands.pop(0), to) if tracks else None
    mask = lowering.slot(operands.pop(0), "u16") if spreads else None

    def act(slots: list[Any]) -> None:
        lane = slots[0].lane
        tensor = read(slots[0], instruction, slots[seen], len(coordinates))
        first = [signed(slots[one], 32) for one in coordinates]
        made = Box(tensor, lane.block.memory, shared(slots), tuple(first), loads=tracks)
        checked(lane, instruction, made)
        if barrier is None:
            made.check()
            lane.bulk.add(lane, made)
        else:
            signal(lane, instruction, barrier(slots), made, None if mask is None else slots[mask])

    return act


def read(frame: Any, instruction: Instruction, address: int, rank: int) -> TensorMap:
    """Return the tensor map at a generic address."""
    memory, place = frame.resolve(address & ADDRESS)
    words = tuple(memory.load(place + WORD * number, WORD) for number in range(WORDS))
    found = TensorMap.tile(words)
    lane = frame.lane
    if found is None or len(found.dims) != rank:
        undefined(lane, instruction, f"uses {address:#x}, which is not a tensor map of tiles in {rank} dimensions")
    assert found is not None  # it was raised
    if found.interleave or found.fill or any(one > 1 for one in found.steps):
        what = "an interleaved layout, a fill by NaN or an element stride: fakecuda runs none of these"
        undefined(lane, instruction, f"uses a tensor map with {what}")
    if found.swizzle and found.box[0] * found.width != SPANS[found.swizzle]:
        what = f"a row of {found.box[0] * found.width} bytes, which no recording shows: fakecuda runs rows of {SPANS[found.swizzle]} bytes"
        undefined(lane, instruction, f"swizzles {what}")
    return found


@frozen(eq=False)
class Box:
    """A copy of a box of a tensor.

    Attributes:
        tensor: The tensor map.
        memory: Global memory.
        target: The shared memory, and the place of the box there.
        first: The coordinates of the box.
        loads: Whether the box is read from the tensor.
    """

    tensor: TensorMap
    memory: Any
    target: tuple[Any, int]
    first: tuple[int, ...]
    loads: bool

    @property
    def size(self) -> int:
        """The size of the box in bytes."""
        return prod(self.tensor.box) * self.tensor.width

    def at(self, target: tuple[Any, int]) -> Box:
        """Return the same copy to another place."""
        return evolve(self, target=target)

    def swizzled(self, place: int) -> int:
        """Return the swizzled place of a byte of the box."""
        pieces = SPANS[self.tensor.swizzle] // PIECE - 1 if self.tensor.swizzle else 0
        return place ^ (place >> LINE & pieces) * PIECE

    @property
    def reached(self) -> int:
        """The maximum elements of a row to copy: stores fill a last piece of 16 bytes."""
        tensor = self.tensor
        each = PIECE // tensor.width
        return tensor.dims[0] if self.loads else -(-tensor.dims[0] // each) * each

    def rows(self) -> Iterator[tuple[int, int]]:
        """Yield address and unswizzled place of each box row inside the tensor."""
        tensor = self.tensor
        size = tensor.box[0] * tensor.width
        for number, row in enumerate(product(*[range(extent) for extent in reversed(tensor.box[1:])])):
            at = [one + more for one, more in zip(self.first[1:], reversed(row), strict=True)]
            if all(0 <= one < extent for one, extent in zip(at, tensor.dims[1:], strict=True)):
                far = sum(one * stride for one, stride in zip(at, tensor.strides, strict=True))
                yield tensor.address + far, self.target[1] + number * size

    def pieces(self) -> Iterator[tuple[int, int, int]]:
        """Yield the parts of the box inside the tensor: address, place and size."""
        tensor, first = self.tensor, self.first[0]
        low, high = max(first, 0), min(first + tensor.box[0], self.reached)
        for address, place in self.rows():
            start, end = (address + one * tensor.width for one in (low, high))
            at = place + (low - first) * tensor.width
            while start < end:
                size = PIECE
                while start % size or at % size or start + size > end:
                    size //= 2
                yield start, self.swizzled(at), size
                start, at = start + size, at + size

    def check(self) -> None:
        """Check the addresses in global memory, which count as used."""
        for address, _, size in self.pieces():
            if self.loads:
                self.memory.load(address, size)
            else:
                self.memory.store(address, size, self.memory.peek(address, size))

    def make(self, _lane: Lane) -> None:
        """Make the copy; elements outside of the tensor become 0."""
        shared, place = self.target
        if self.loads:
            shared.data[place : place + self.size] = bytes(self.size)
        for address, at, size in self.pieces():
            if self.loads:
                shared.store(at, size, self.memory.load(address, size))
            else:
                self.memory.store(address, size, shared.load(at, size))


def checked(lane: Lane, instruction: Instruction, made: Box) -> None:
    """Check the place of a box, which must begin inside the tensor for a write.

    Raises:
        Fault: It begins between two pieces of 16 bytes of a row, as an H200 answers.
        KernelError: What the manual leaves undefined.
    """
    shared, place = made.target
    offset = made.first[0] * made.tensor.width
    if offset % PIECE:
        what = f"begins a box {offset} bytes from the first element of a row, which is not a multiple of {PIECE}"
        raise Fault(Result.ILLEGAL_INSTRUCTION, what)
    if place % ALIGNED:
        undefined(lane, instruction, f"uses a box at {place:#x}, which is not a multiple of {ALIGNED}")
    if place + made.size > len(shared.data):
        undefined(lane, instruction, f"uses {made.size} bytes at {place:#x}, beyond the shared memory of a block")
    if not made.loads and min(made.first) < 0:
        undefined(lane, instruction, f"writes a box at {made.first}: a coordinate is negative")
    if not (made.loads or made.tensor.strides) and made.reached > made.tensor.dims[0]:
        what = f"writes to a row of {made.tensor.dims[0]} elements, behind which the last of its pieces of {PIECE} bytes ends"
        undefined(lane, instruction, what)
