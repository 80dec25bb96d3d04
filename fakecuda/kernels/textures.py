"""The meaning of texture and surface instructions: tex, tld4, txq, suld etc.

The instructions of an image call :mod:`fakecuda.kernels.sampling` in both engines. What neither manual says raises an error.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.kernels import sampling, surfaces
from fakecuda.kernels.access import changed
from fakecuda.kernels.program import Memory, Register, Several, Texel, Unknown
from fakecuda.kernels.row import bits_of, refuse
from fakecuda.kernels.threads import Asked, Undefined
from fakecuda.model.code.ptx_declarations import LANES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row

    Op = Callable[[list[Any]], None]

COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4}
"""The number of coordinates of each geometry; the fourth is ignored."""
COMPONENTS = 4
CACHES = ("ca", "cg", "cs", "cv", "wb", "wt")
BYTE = 8


def parts(operand: Operand) -> tuple[Operand, ...]:
    """Return the elements of a vector, or the operand itself."""
    return operand.parts if isinstance(operand, Several) else (operand,)


def geometry_of(row: Row) -> str:
    """Take the geometry of an instruction."""
    return row.take(*COORDINATES) or refuse(f"its modifier .{row.words[0]}")


def place_of(operand: Operand, geometry: str) -> tuple[Operand, tuple[Operand, ...]]:
    """Return object and coordinates of a place, without the ignored coordinate."""
    count = COORDINATES[geometry]
    if not isinstance(operand, Texel) or len(operand.coordinates) != count:
        refuse(f"its operand {operand.text}" if isinstance(operand, Unknown) else "its operands")
    return operand.seen, operand.coordinates[: min(count, 3)]


def fetch(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of tex."""
    geometry = geometry_of(row)
    lowering.must(row, "v4")
    type_, of = row.type("f32", "s32", "u32"), row.type("f32", "s32")
    targets = parts(instruction.operands[0])
    if len(instruction.operands) != 2 or len(targets) != COMPONENTS:  # noqa: PLR2004 - the target and the place
        refuse("its operands")
    seen, coordinates = place_of(instruction.operands[1], geometry)
    types = ["u32" if geometry in {"a1d", "a2d"} and not at else of for at in range(len(coordinates))]
    used = lowering.function.wanted(targets)
    act = partial(sampling.texel, geometry=geometry, type_=type_, whole=of == "s32", wanted=used)
    sources = (seen, "u64"), *zip(coordinates, types, strict=True)
    own = geometry if of == "f32" and geometry != "cube" else ""
    return asking(lowering, instruction, Asked(act, sources, targets, type_, own, used))


def surface(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of suld or sust, by bytes (.b) or by elements (.p)."""
    elements = row.name == "sust" and row.flag("p")
    if not elements:
        lowering.must(row, "b")
    geometry = geometry_of(row)
    row.take(*CACHES)
    count, type_ = LANES.get("." + row.take("v2", "v4"), 1), row.type("b8", "b16", "b32", "b64")
    beyond = row.take("trap", "clamp", "zero", default="trap")
    operands = list(instruction.operands)
    values = parts(operands.pop(0 if row.name == "suld" else 1))
    seen, coordinates = place_of(operands[0], geometry)
    if len(values) != count or geometry == "cube":
        refuse("its operands")
    size = bits_of(type_) // BYTE
    sources = (seen, "u64"), *[(one, "s32") for one in coordinates]
    act = partial(surfaces.moved, geometry=geometry, size=size, count=count, beyond=beyond)
    if row.name == "suld":
        return asking(lowering, instruction, Asked(act, sources, values, type_))
    if elements:
        act = partial(surfaces.formatted, geometry=geometry, count=count, beyond=beyond)
    return asking(lowering, instruction, Asked(act, (*sources, *[(one, type_) for one in values]), (), type_))


def gather(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of tld4, which reads a component of four texels."""
    component = "rgba".index(row.take(*"rgba"))
    geometry = row.take("2d", "a2d") or refuse(f"its modifier .{row.words[0]}")
    lowering.must(row, "v4")
    type_, targets = row.type("f32", "s32", "u32"), parts(instruction.operands[0])
    row.type("f32")
    if len(instruction.operands) != 2 or len(targets) != COMPONENTS:  # noqa: PLR2004 - the target and the place
        refuse("its operands")
    seen, coordinates = place_of(instruction.operands[1], geometry)
    types = ["u32" if geometry == "a2d" and not at else "f32" for at in range(len(coordinates))]
    act = partial(sampling.gathered, geometry=geometry, type_=type_, component=component)
    sources = (seen, "u64"), *zip(coordinates, types, strict=True)
    return asking(lowering, instruction, Asked(act, sources, targets, type_))


def reduction(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of sured, which changes an element as red does."""
    elements, geometry = row.take("b", "p") == "p", geometry_of(row)
    beyond = row.take("trap", "clamp", "zero", default="trap")
    type_ = row.type("u32", "s32", "b32", "u64", "s64")
    if geometry == "cube" or (elements and {"min", "max"} & {*row.words}):
        refuse("its operands")
    function = changed(row, type_)
    (seen, coordinates), value = place_of(instruction.operands[0], geometry), instruction.operands[1]
    sources = (seen, "u64"), *[(one, "s32") for one in coordinates], (value, type_)
    size = bits_of(type_) // BYTE
    act = partial(surfaces.changed, geometry=geometry, size=size, beyond=beyond, function=function, elements=elements)
    return asking(lowering, instruction, Asked(act, sources, (), type_))


def query(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of txq or suq, for sizes only."""
    name = row.take("width", "height", "depth") or refuse(f"its modifier .{row.words[0]}")
    type_ = row.type("b32")
    target, place = instruction.operands[0], instruction.operands[-1]
    if not isinstance(place, Memory) or place.offset:
        refuse("its operands")
    table = "textures" if row.name == "txq" else "surfaces"
    act = partial(surfaces.size_of, name=name, table=table)
    return asking(lowering, instruction, Asked(act, ((place.base, "u64"),), parts(target), type_))


def asking(lowering: Lowering, instruction: Instruction, asked: Asked) -> Op:
    """Return a function of slots for an instruction that Python executes."""
    lowering.kernel.asked[instruction] = asked
    targets = [slot for one in asked.targets for slot in lowering.results(one)]
    if any(isinstance(one, Register) and bits_of(one.type) < bits_of(asked.type) for one in asked.targets):
        refuse("its operands")
    slots_of = [(lowering.slot(one, type_), (1 << bits_of(type_)) - 1) for one, type_ in asked.sources]

    def act(slots: list[Any]) -> None:
        try:
            found = asked.act(slots[0], [slots[slot] & mask for slot, mask in slots_of])
        except Undefined as error:
            raise error.told(slots[0], instruction) from None
        for target, value in zip(targets, found, strict=True):
            slots[target] = value

    return act


OPS: dict[str, Callable[[Lowering, Instruction, Row], Op]] = {
    "tex": fetch,
    "tld4": gather,
    "suld": surface,
    "sust": surface,
    "sured": reduction,
    "txq": query,
    "suq": query,
}
"""The meanings of texture and surface instructions, by name."""
