"""PTX declarations: types, sizes and initial values of variables and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.code import ptx_initial
from fakecuda.model.code.ptx_source import name_of, number_of, parenthesised
from fakecuda.model.code.ptx_tokens import DOTTED, INTEGER

if TYPE_CHECKING:
    import re

    from fakecuda.model.code.code import Address
    from fakecuda.model.code.ptx_source import Source
    from fakecuda.model.code.ptx_symbols import Class

TYPES = {f".{kind}{bits}": bits // 8 for kind in "usbf" for bits in (8, 16, 32, 64, 128)} | {".f16x2": 4, ".pred": 1}
"""The size of a value of each type, in bytes."""
LANES = {".v2": 2, ".v4": 4, ".v8": 8}
"""The number of elements of a vector type."""
REGISTERS = frozenset({*TYPES} - {".f8", ".u128", ".s128", ".f128"})
"""Types of registers."""
NARROW = frozenset({".u8", ".s8", ".u16", ".s16", ".pred"})
"""Types of results and parameters that functions of relocatable code cannot have. ``.b8``, ``.b16`` and ``.f16`` are allowed."""
WIDEST, WIDEST_SINCE = ".b128", (8, 3)
"""The type of 128 bits, and the first PTX version with it."""
FLOATS = frozenset({".f32", ".f64"})
"""Types that linkers tell from others of their size."""
PREDICATE, PARAMETER = ".pred", "&param"
ATTRIBUTES = frozenset({".align", ".attribute", ".ptr"})
POINTED = frozenset({".global", ".shared", ".local", ".const", ".param"})
"""State spaces that a pointer may point into."""
VALUED = frozenset({".global", ".const"})
"""State spaces whose variables may have initial values."""
LARGEST = (1 << 63) - 1
"""The maximum size of a variable in bytes."""
WORD = (1 << 32) - 1
"""The maximum number in a kernel's directive, and bytes of its variables."""
ROOM = {".global": LARGEST, ".const": 1 << 16, ".shared": WORD, ".local": WORD}
"""The maximum size of all variables in a state space."""
NONE = ptx_initial.Initial([], 0, braced=False)
"""The absence of an initial value."""
MOST_ALIGNED = 32
"""The maximum bits of an alignment."""
PARAMS = 32764
"""The maximum size of all parameters of a kernel."""


@frozen
class Type:
    """The type of a declaration.

    Attributes:
        name: Its name. Empty without one.
        size: Bytes of a value, or of a whole vector. 0 if unknown.
        width: Bytes of a value, or of an element of a vector.
        align: The alignment of its address, in bytes.
        managed: Whether it is managed memory.
        pointer: Whether it says what it points to.
    """

    name: str
    size: int
    width: int
    align: int
    managed: bool
    pointer: bool

    def unfit(self, source: Source, space: str) -> str:
        """Return why a state space holds no single value of it; empty if it does. Arrays are not checked, as in ptxas of CUDA 13.0."""
        if self.name == WIDEST and source.version < WIDEST_SINCE:
            return f"{WIDEST} needs .version 8.3 or later"
        if space == ".param" and (self.name == ".f16x2" or self.size > self.width):
            return "a parameter cannot be a vector or .f16x2: write an array of bytes"
        return ""


@frozen
class Declared:
    """A declared variable.

    Attributes:
        name: Its name.
        size: Its bytes. 0 if only another text or a launch says how many.
        extent: Its bytes as declared, also outside of this text. 0 without a number of elements.
        align: The alignment of its address.
        data: Its initial bytes. Zeros follow.
        addresses: The addresses with which it begins.
        match: The token of its name.
    """

    name: str
    managed: bool
    size: int
    extent: int
    align: int
    data: bytes
    addresses: tuple[Address, ...]
    match: re.Match[str]


@frozen
class Argument:
    """A result or a parameter of a function.

    Attributes:
        match: The token of its name.
        what: What its name is in the function.
        said: All that another declaration must repeat: space, type and elements.
        type: What linkers compare: ``b32`` or ``f32`` for a value of 32 bits, ``b8[16]`` for an array of 16 bytes. As
            with nvlink of CUDA 13.0, ``f16`` is ``b16``, and an array without a number of elements has 0.
    """

    match: re.Match[str]
    what: Class
    said: tuple[str, Type, str]
    type: str

    @property
    def narrow(self) -> bool:
        """Whether functions of relocatable code cannot have it."""
        _, type_, elements = self.said
        return type_.name in NARROW and type_.size == type_.width and not elements

    def unfit(self, source: Source) -> str:
        """Return why the definition of a function cannot have it; empty if it can."""
        space, type_, elements = self.said
        if not elements:
            return type_.unfit(source, space)
        return "a register cannot be an array: use .param" if space == ".reg" else ""


def params(source: Source) -> tuple[tuple[tuple[int, int], ...], list[re.Match[str]]]:
    """Return the aligned offset and the size of each parameter, and their name tokens."""
    places, names, end = [], [], 0
    source.advance()
    while source.said != ")":
        if source.said != ".param":
            source.want("a parameter")
        source.advance()
        type_ = type_of(source)
        if not type_.name:
            source.want("a type")
        name = name_of(source)
        names.append(source.match)
        source.advance()
        if source.said != "[" and (reason := type_.unfit(source, ".param")):
            source.refuse(f"parameter {name}: {reason}")
        count, omitted = dimensions(source, most=1)
        size = _size(source, name, type_, 0 if omitted else count)
        if not size:
            source.refuse(f"parameter {name} has no elements: write the number of its elements in brackets")
        end += -end % max(type_.align, 1)
        places.append((end, size))
        end += size
        if end > PARAMS:
            source.refuse(f"the parameters have {end} bytes: at most {PARAMS} are allowed")
        comma(source)
    return tuple(places), names


def comma(source: Source) -> None:
    """Read the comma between two parameters, or stop at the closing parenthesis."""
    if source.said == ",":
        source.advance()
        if source.said == ")":
            source.want("a parameter")
    elif source.said != ")":
        source.want("','")


def arguments(source: Source) -> list[Argument]:
    """Read and return the parameters in parentheses."""
    found: list[Argument] = []
    source.advance()
    while source.said != ")":
        space = source.said
        if space not in {".reg", ".param"}:
            source.want("a parameter")
        source.advance()
        type_ = type_of(source, registers=space == ".reg")
        if not type_.name:
            source.want("a type")
        name_of(source)
        match, what = source.match, type_.name if space == ".reg" else PARAMETER
        source.advance()
        array = source.said == "["
        count, omitted = dimensions(source, most=1)
        kind = f"{'f' if type_.name in FLOATS else 'b'}{8 * type_.size}"
        elements = f"[{0 if omitted else count}]" if array else ""
        found.append(Argument(match, what, (space, type_, elements), kind + elements))
        comma(source)
    return found


def type_of(source: Source, *, registers: bool = False) -> Type:
    """Read a type with its attributes.

    Args:
        source: The text.
        registers: Whether it is the type of a register, which may be a predicate.
    """
    name, width, lanes, align = "", 0, 1, 0
    managed = pointer = False
    while source.kind == DOTTED:
        said = source.said
        if said in TYPES and not name and (registers or said != PREDICATE):
            name, width = said, TYPES[said]
        elif said in LANES and lanes == 1:
            lanes = LANES[said]
        elif said not in ATTRIBUTES and not (pointer and said in POINTED):
            source.want("a type")
        source.advance()
        pointer = pointer or said == ".ptr"
        if said == ".attribute":
            managed = managed or ".managed" in parenthesised(source)
            source.advance()
        elif said == ".align":
            if source.kind != INTEGER:
                source.want("a number")
            number = number_of(source)
            if not number or number & (number - 1) or number >> MOST_ALIGNED:
                source.refuse(f"the alignment {number} is not a power of two below {1 << MOST_ALIGNED}")
            if not pointer:  # after .ptr it is the alignment of the memory pointed to
                align = number
            source.advance()
    return Type(name, width * lanes, width, max(width * lanes, align), managed, pointer)


def dimensions(source: Source, most: int = LARGEST) -> tuple[int, bool]:
    """Read the dimensions after a name.

    The current token is then the token after them.

    Args:
        source: The text.
        most: The maximum number of dimensions.

    Returns:
        The number of elements, and whether the first dimension is omitted. An omitted dimension counts as 1.
    """
    count, omitted, first = 1, False, True
    while source.said == "[" and most:
        most -= 1
        source.advance()
        if source.kind == INTEGER:
            count = min(count * number_of(source), LARGEST + 1)
            source.advance()
        elif first and source.said == "]":
            omitted = True
        if source.said != "]":
            source.want("']'")
        first = False
        source.advance()
    return count, omitted


def _size(source: Source, name: str, type_: Type, count: int) -> int:
    """Return the size of ``count`` elements of a type."""
    if type_.size * count > LARGEST:
        source.refuse(f"{name} has more than {LARGEST} bytes, the limit: declare fewer elements")
    return type_.size * count


def variables(source: Source, *, sized: bool) -> list[Declared]:
    """Read the declarations up to a semicolon.

    Args:
        source: The text, whose current token is the space of the variables.
        sized: Whether each variable must have elements, and may have initial values if its space allows that.
    """
    made = []
    space = source.said
    valued = sized and space in VALUED
    source.advance()
    dimensions(source)  # the bank of constants
    type_ = type_of(source)
    if not type_.name or type_.pointer:
        source.want("a type without .ptr" if type_.name else "a type")
    while True:
        name, match = name_of(source), source.match
        source.advance()
        behind = source.said
        if behind != "[" and (reason := type_.unfit(source, space)):
            source.refuse(f"{name}: {reason}")
        count, omitted = dimensions(source)
        initial = NONE
        if source.said == "=":
            if not valued:
                source.refuse(f"{name} cannot have an initial value here: remove it")
            array = behind == "[" or type_.size > type_.width
            initial = ptx_initial.read(source, type_)
            if initial.braced is not array:
                source.refuse(
                    f"the initial value of {name} {'lacks' if array else 'has'} braces: {'add' if array else 'remove'} them"
                )
        if omitted:
            count *= initial.outer
        if sized and not count:
            source.refuse(f"{name} has no elements: write the number of its elements in brackets")
        size = _size(source, name, type_, count) if sized else 0
        leaves = len(initial.values)
        if leaves > count * (type_.size // type_.width):
            source.refuse(f"{name} has {leaves} initial values and {count} elements: remove values, or declare more")
        extent = 0 if omitted and not sized else type_.size * count
        stored = initial.stored(type_.width, size)
        made.append(Declared(name, type_.managed, size, extent, max(type_.align, 1), *stored, match))
        if source.said == ";":
            return made
        if source.said != ",":
            source.want("';'")
        source.advance()


def add_sizes(source: Source, sizes: dict[str, int], space: str, declared: list[Declared]) -> None:
    """Add the sizes of variables to the size of their state space."""
    sizes[space] += sum(one.size for one in declared)
    if sizes[space] > ROOM[space]:
        source.refuse(f"the variables in {space} have {sizes[space]} bytes: at most {ROOM[space]} are allowed")
