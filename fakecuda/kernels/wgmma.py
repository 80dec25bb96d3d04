"""The meaning of wgmma: section 9.7.15 of the PTX ISA manual.

A warp group is four warps. Each computes 16 rows of the result when its threads have met: at once, not as late as the manual
allows. Elements lie in shared memory as an H200 finds them there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.kernels.asynchronous import undefined
from fakecuda.kernels.fragments import factor, joined, sums
from fakecuda.kernels.matrices import gathering, registers, whole
from fakecuda.kernels.products import BYTES, PLAIN, SHORT, SMALL, Product, is_mixed, sizes
from fakecuda.kernels.program import Constant, Several
from fakecuda.kernels.row import bits_of, refuse, refuse_type
from fakecuda.kernels.threads import GO, WARP

if TYPE_CHECKING:
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.matrices import End
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Frame, Lane

BYTE, TILE, WARPS = 8, 16, 4
ROWS = TILE * WARPS
DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8} | dict.fromkeys((*SMALL, *BYTES), 32)
"""The number of products in a sum, by type."""
SUMS = {"f16": ("f32", "f16"), "bf16": ("f32",), "tf32": ("f32",)} | dict.fromkeys(SMALL, ("f32", "f16"))
"""The types of the addend; integer products use ``s32``."""
SHAPES = tuple(f"m64n{columns}k{depth}" for columns in range(8, 264, 8) for depth in (8, 16, 32))
FIELD = (1 << 14) - 1
PATTERNS = 16, 128, 64, 32
"""The bytes of a pattern row for each mode of a descriptor."""


@frozen
class Place:
    """A matrix in shared memory, by its descriptor.

    Attributes:
        start: Its address.
        leading: The bytes of one step: between patterns along a row of the pattern.
        stride: The bytes of the other step.
        row: The bytes of a row of the pattern.
    """

    start: int
    leading: int
    stride: int
    row: int

    @classmethod
    def of(cls, word: int) -> Place:
        """Return the matrix of a descriptor."""
        start, leading, stride = (word >> at & FIELD for at in (0, 16, 32))
        return cls(start << 4, leading << 4, stride << 4, PATTERNS[word >> 62])

    def address(self, across: int, along: int, size: int, *, turned: bool) -> int:
        """Return the address of an element.

        Args:
            across: Its row in the first factor, or its column in the second.
            along: Its place among the products of a sum.
            size: Its bytes.
            turned: Whether elements across lie together, not those along.
        """
        row = self.row
        if turned:
            byte = across * size
            steps = (self.stride, self.leading) if row == PATTERNS[0] else (self.leading, self.stride)
            found = byte // row * steps[0] + byte % row + along % BYTE * row + along // BYTE * steps[1]
        else:
            byte = along * size
            found = across // BYTE * self.stride + across % BYTE * row + byte % row + byte // row * self.leading
        found += self.start
        return found ^ (found >> 7 & row // 16 - 1) << 4


@frozen
class Group:
    """A matrix product of a warp group.

    Attributes:
        product: What a warp computes.
        negative: Whether the products are subtracted.
        turned: Whether the elements of each factor that lie together are those across.
        held: Whether the first factor lies in registers.
        first: The first factor's operand.
        second: The second factor's operand.
        scale: The operand that says whether the result is added to.
    """

    product: Product
    negative: bool
    turned: tuple[bool, bool]
    held: bool
    first: Operand
    second: Operand
    scale: Operand


def group_of(instruction: Instruction, row: Row) -> Group:
    """Take the modifiers of wgmma.mma_async, and return the product."""
    for word in ("mma_async", "sync", "aligned"):
        row.take(word)
    shape, saturates = row.take(*SHAPES) or refuse(f"its modifier .{row.words[0]}"), row.flag("satfinite")
    to, first, second = row.type(), row.type(*DEPTHS), row.type()
    row.finish()
    _, columns, depth = sizes(shape)
    if not is_mixed(first, second) or to not in SUMS.get(first, ("s32",)) or depth != DEPTHS[first]:
        refuse_type(to)
    target, a, b, scale, *rest = instruction.operands
    numbers = [one.value for one in rest if isinstance(one, Constant)]
    floating = first in SUMS
    held = isinstance(a, Several)
    turns = (2 - held) * (bits_of(first) == TILE)
    if len(numbers) != len(rest) or len(rest) != floating * 2 + turns:
        refuse("its operands")
    sign = numbers[0] * numbers[1] if floating else 1
    across = [bool(one) for one in numbers[2:]]
    result = joined([sums(TILE, BYTE, to)] * (columns // BYTE), columns)
    name = ".".join(["wgmma", shape, to, first, second, *(["satfinite"] if saturates else [])])
    product = Product(
        name,
        TILE,
        columns,
        depth,
        factor(TILE, depth, first, first=True),
        joined([factor(BYTE, depth, second, first=False)] * (columns // BYTE), columns),
        result,
        result,
        saturates=saturates,
        way=SHORT if first in SMALL else PLAIN,
    )
    registers(target, len(result.held), result.width)
    if held:
        registers(a, len(product.a.held))
    for one in (b,) if held else (a, b):
        registers(one, 1, 64)
    turned = [*[False] * (2 - len(across)), *across] if across else [False] * 2
    return Group(product, sign < 0, (turned[0], turned[1]), held, a, b, scale)


def elements(group: Group, word: int, frame: Frame, instruction: Instruction, *, first: bool) -> list[int]:
    """Return the elements of a factor in shared memory."""
    product, place, data = group.product, Place.of(word), frame.shared.data
    fragment = product.a if first else product.b
    size, turned = bits_of(fragment.type) // BYTE, group.turned[not first]
    start = frame.lane.warp % WARPS * TILE if first else 0

    def element(across: int, along: int) -> int:
        address = place.address(start + across, along, size, turned=turned)
        if address + size > len(data):
            undefined(
                frame.lane,
                instruction,
                f"reads {size} bytes at {address:#x} of shared memory, which has {len(data)} bytes",
            )
        return int.from_bytes(data[address : address + size], "little")

    if first:
        return [element(across, along) for across in range(TILE) for along in range(product.depth)]
    return [element(across, along) for along in range(product.depth) for across in range(product.columns)]


def multiply(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of wgmma.mma_async."""
    group = group_of(instruction, row)
    made = group.product
    targets = lowering.results(instruction.operands[0])
    a = lowering.sources(group.first, "b32" if group.held else "b64")
    (b,), adds = lowering.sources(group.second, "b64"), lowering.predicate(group.scale)
    sign = 1 << bits_of(made.a.type) - 1 if group.negative else 0

    def bring(frame: Frame) -> Any:
        slots = frame.slots
        return [slots[slot] for slot in a], slots[b], adds(slots), [slots[slot] for slot in targets]

    def settle(brought: dict[int, Any], lanes: dict[int, Lane]) -> None:
        frame, (words, other, more, _) = lanes[0].frame, brought[0]
        if group.held:
            factors = made.a.elements([brought[lane][0] for lane in range(WARP)])
        else:
            factors = elements(group, words[0], frame, instruction, first=True)
        c = made.c.elements([brought[lane][3] for lane in range(WARP)]) if more else [0] * len(made.c.places)
        found = made.results(
            [one ^ sign for one in factors], elements(group, other, frame, instruction, first=False), c
        )
        for lane, results in enumerate(made.d.registers(found)):
            for target, word in zip(targets, results, strict=True):
                lanes[lane].frame.slots[target] = word

    return gathering(lowering, instruction, following, bring, whole(settle, instruction))


def wgmma(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of wgmma, whose products are made at once."""
    if "mma_async" in row.words:
        return multiply(lowering, instruction, row, following)
    row.take("fence", "commit_group", "wait_group")
    lowering.must(row, "sync")
    lowering.must(row, "aligned")

    def end(frame: Frame) -> bool:
        frame.at = following
        return GO

    return end


ENDS = {"wgmma": wgmma}
"""The meaning of the instruction, by name."""
