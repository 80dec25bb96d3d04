"""The kernels and variables of an image of code."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

GLOBAL, CONSTANT, MANAGED = "global", "constant", "managed"
"""The kinds of memory of a variable."""


BAD_IMAGE, BAD_PTX, NEW_PTX, OTHER_DEVICE, PACKED = "image", "ptx", "version", "binary", "packed"
"""Reasons to refuse an image: not an image, bad PTX, new PTX, device, compressed."""
LINKED, STRANGE, CUT = "linked", "strange", "cut"
"""Further reasons of linkers: already linked, for another machine, truncated."""


BOUND = "bound"
"""The reason for an image that only the simulator refuses, because of its size."""

GRAPH_LAUNCH = "cudaGraphLaunch"
"""The device function that launches graphs."""
WHOLE = (1 << 64) - 1
"""The largest address."""
SYSTEM = frozenset({"vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional", GRAPH_LAUNCH})
"""System functions that a driver links."""


class Refused(Exception):  # noqa: N818 - a fact about an image
    """An image that the device cannot load.

    Args:
        why: ``BAD_IMAGE``, ``BAD_PTX``, ``NEW_PTX``, ``OTHER_DEVICE``, ``PACKED`` or ``BOUND``. For a linker also
            ``LINKED``, ``STRANGE`` or ``CUT``.
        reason: What is wrong with a text, its PTX version if that is too new, which bound is exceeded, or what a packed image needs. Empty for other
            images.
        line: The line in a text, from 1. 0 without a position.
        column: The column in bytes, from 1. 0 without a position.
    """

    def __init__(self, why: str, reason: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(why, reason, line, column)
        self.why = why
        self.reason = reason
        self.line = line
        self.column = column

    @property
    def place(self) -> str:
        """The reason with line and column; empty without a reason."""
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason

    def __str__(self) -> str:
        return f"{self.why}: {self.place}" if self.line else self.why


@frozen
class Entry:
    """A kernel as its image describes it.

    Attributes:
        name: Its name.
        params: The offset and the bytes of each parameter.
        registers: Registers of a thread.
        shared: Bytes of static shared memory of a block.
        constant: Bytes of its constants.
        local: Bytes of local memory of a thread.
        most: The most threads of a block that it was compiled for. 0 if not specified.
        block: The block size that a launch must have. None if not specified.
        cluster: The cluster size that a launch must have. None if not specified.
        clustered: Whether the launch must specify a cluster size.
        rank: The most blocks of a cluster. 0 if not specified.
        ptx: The version of its PTX, such as 90 for sm_90.
        binary: The architecture that it was compiled for, such as 90 for sm_90.
        launches: Whether it launches graphs, itself or by a function that it calls.
    """

    name: str
    params: tuple[tuple[int, int], ...] = ()
    registers: int = 0
    shared: int = 0
    constant: int = 0
    local: int = 0
    most: int = 0
    block: tuple[int, int, int] | None = None
    cluster: tuple[int, int, int] | None = None
    clustered: bool = False
    rank: int = 0
    ptx: int = 0
    binary: int = 0
    launches: bool = False

    @property
    def bytes_of_params(self) -> int:
        """The size in bytes of a buffer with all parameters."""
        return max((offset + size for offset, size in self.params), default=0)


@frozen
class Address:
    """An address in the initial value of a variable.

    Attributes:
        name: The variable or the function whose address it is.
        offset: What is added to that.
        byte: The byte of the address that is meant, from the lowest. None for all 8 bytes.
        at: Where it lies in the variable.
        function: Whether it is the address of a function.
    """

    name: str
    offset: int = 0
    byte: int | None = None
    at: int = 0
    function: bool = False

    def among(self, names: dict[str, str]) -> Address:
        """Return the address with a renamed target."""
        return evolve(self, name=names.get(self.name, self.name))

    def moved(self, at: int) -> Address:
        """Return the address at another offset."""
        return evolve(self, at=at)

    def part(self, byte: int) -> Address:
        """Return one byte of the address as a value."""
        return evolve(self, byte=byte)

    def stored(self, start: int) -> bytes:
        """Return the bytes of the address, for a target that begins at ``start``."""
        value = start + self.offset & WHOLE
        return value.to_bytes(8, "little") if self.byte is None else bytes([value >> 8 * self.byte & 0xFF])


def function_address(name: str) -> int:
    """Return the address of a device function, which depends only on its name.

    No card was asked which address it has there.
    """
    return int.from_bytes(blake2b(name.encode(), digest_size=5).digest(), "little") << 4


@frozen
class Variable:
    """A variable of an image.

    Attributes:
        name: Its name.
        size: Bytes.
        kind: ``GLOBAL``, ``CONSTANT`` or ``MANAGED``.
        data: Its initial bytes. Zeros follow.
        addresses: The addresses with which it begins.
    """

    name: str
    size: int
    kind: str = GLOBAL
    data: bytes = field(default=b"", repr=False)
    addresses: tuple[Address, ...] = ()

    def among(self, names: dict[str, str]) -> Variable:
        """Return the variable with new names."""
        return evolve(
            self, name=names.get(self.name, self.name), addresses=tuple([one.among(names) for one in self.addresses])
        )


@frozen
class Prototype:
    """The prototype of a function, as far as linkers compare it.

    Attributes:
        name: The name of the function.
        types: Its results and its parameters, such as ``(b32) (f32, b8[16])``: ``f`` for ``f32`` and ``f64``, ``b`` for all other types.
        defined: Whether the input defines it. Otherwise the input calls it.
    """

    name: str
    types: str
    defined: bool


KERNEL, FUNCTION = "kernel", "function"
"""The kinds of symbols of code. A variable's kind is its state space."""
OWN, WEAK, COMMON, EXTERN, PRIVATE = "own", "weak", "common", "extern", "private"
"""How an input has a symbol."""


@frozen
class Symbol:
    """A kernel, function or variable as linkers compare it.

    Attributes:
        name: Its name.
        kind: ``KERNEL``, ``FUNCTION``, or the state space of a variable: ``global``, ``const`` or ``shared``.
        how: ``OWN``, ``WEAK``, ``COMMON``, ``EXTERN``, or for kernels and functions ``PRIVATE``.
        size: Bytes of a variable, or of the parameters of a kernel. 0 for a function or if unknown.
        managed: Whether it is managed memory.
    """

    name: str
    kind: str
    how: str
    size: int = 0
    managed: bool = False

    @property
    def code(self) -> bool:
        """Whether it is a kernel or a function."""
        return self.kind in {KERNEL, FUNCTION}


@frozen
class Names:
    """The names of functions and variables that a linker sees in an image.

    Attributes:
        own: Names that it defines, which other inputs may use and must not define.
        weak: Names that it defines, which other inputs may use and define, too.
        needed: Names that it uses and does not define, without system functions.
        symbols: What linkers compare, in the order of their logs.
        private: Functions that it defines for itself.
        prototypes: The PTX functions that it exports or calls, in the order of a linker's log.
    """

    own: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    private: tuple[str, ...] = ()
    prototypes: tuple[Prototype, ...] = ()


@frozen
class Image:
    """The contents of an image.

    Attributes:
        entries: Its kernels by name, in the order in which they are enumerated.
        variables: Its variables by name.
        names: The names that a linker sees.
        code: The bytes that it was read from, which may have PTX.
    """

    entries: dict[str, Entry]
    variables: dict[str, Variable]
    names: Names = Names()
    code: bytes = field(default=b"", repr=False, eq=False)


@frozen
class Joined:
    """What a linker does with the names of an input.

    Attributes:
        renamed: New names of what it defines for itself, if another input has an equal name.
        dropped: Weak names that it defines, and that another input defines, too, and not as weak; its private kernels with a name that others
            export.
    """

    renamed: dict[str, str]
    dropped: frozenset[str]


def joined(images: Iterable[Image]) -> list[Joined]:
    """Join the names of linker inputs."""
    inputs = list(images)
    strong = {name for one in inputs for name in one.names.own}
    taken = {name for one in inputs for name in one.names.weak} | strong
    made = []
    for number, one in enumerate(inputs):
        outer = {*one.names.own, *one.names.weak, *one.names.needed}
        private = {*one.variables, *one.names.private} - outer
        hidden = taken.intersection(one.entries) - outer
        dropped = strong.intersection(one.names.weak) | hidden
        made.append(Joined({name: f"{name}@{number}" for name in private & taken}, frozenset(dropped)))
        taken |= private
    return made
