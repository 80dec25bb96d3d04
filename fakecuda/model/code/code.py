"""What is known of code: its kernels and variables, as an image describes them."""

from __future__ import annotations

from attrs import field, frozen

GLOBAL, CONSTANT, MANAGED = "global", "constant", "managed"
"""Where a variable lies."""


BAD_IMAGE, BAD_PTX, NEW_PTX, OTHER_DEVICE, PACKED = "image", "ptx", "version", "binary", "packed"
"""Why an image is refused: it is none; its PTX is wrong, or too new; it is for other devices; it is compressed."""
LINKED, STRANGE, CUT = "linked", "strange", "cut"
"""Why a linker refuses a cubin besides: it is linked already; it is for another machine; it is shorter than it says."""


BOUND = "bound"
"""Why an image is refused that a driver may take: it exceeds a bound of the simulator, which the text tells."""

GRAPH_LAUNCH = "cudaGraphLaunch"
"""The function by which kernels launch graphs."""
SYSTEM = frozenset({"vprintf", "malloc", "free", "__assertfail", GRAPH_LAUNCH})
"""Functions of the system that a driver links."""


class Refused(Exception):  # noqa: N818 - a fact about an image
    """An image is none that the device can load.

    Args:
        why: ``BAD_IMAGE``, ``BAD_PTX``, ``NEW_PTX``, ``OTHER_DEVICE``, ``PACKED`` or ``BOUND``; to a linker ``LINKED``, ``STRANGE`` or
            ``CUT``.
        reason: What is wrong with a text, or what the simulator's bound is; empty for other images.
        line: Its line in a text, from 1; 0 otherwise.
        column: Its column in bytes, from 1; 0 otherwise.
    """

    def __init__(self, why: str, reason: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(why, reason, line, column)
        self.why = why
        self.reason = reason
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.why}: line {self.line}, column {self.column}: {self.reason}" if self.line else self.why


@frozen
class Entry:
    """A kernel as its image describes it.

    Attributes:
        name: Its name.
        params: The offset and the bytes of each parameter.
        registers: Registers of a thread.
        shared: Bytes of static shared memory of a block.
        constant: Bytes of constants of its own.
        local: Bytes of local memory of a thread.
        most: The most threads of a block that it was compiled for; 0 where that was not said.
        block: The block that it must be launched with; None where that was not said.
        cluster: The cluster that it must be launched with; None where that was not said.
        clustered: Whether it must be launched with a cluster that the launch says.
        rank: The most blocks of a cluster; 0 where that was not said.
        ptx: The version of its PTX: 90 of sm_90.
        binary: The architecture that it was compiled for: 90 of sm_90.
        launches: Whether it launches graphs, or calls what does.
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
        """Bytes of all its parameters, as they lie in one buffer."""
        return max((offset + size for offset, size in self.params), default=0)


@frozen
class Variable:
    """A variable of an image.

    Attributes:
        name: Its name.
        size: Bytes.
        kind: ``GLOBAL``, ``CONSTANT`` or ``MANAGED``.
        data: What it begins with; zeros behind it.
    """

    name: str
    size: int
    kind: str = GLOBAL
    data: bytes = field(default=b"", repr=False)


@frozen
class Names:
    """What a linker knows of an image: names of functions and variables.

    Attributes:
        own: What others may use, and none of them may have.
        weak: What others may use, and have themselves.
        needed: What it uses and has not, but for what the system has.
        spaces: Where its variables lie that PTX declares for others or has from them, by their names: ``global`` or ``const``.
    """

    own: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    spaces: tuple[tuple[str, str], ...] = ()


@frozen
class Image:
    """What an image holds.

    Attributes:
        entries: Its kernels by name, in the order in which they are enumerated.
        variables: Its variables by name.
        names: What a linker knows of it.
    """

    entries: dict[str, Entry]
    variables: dict[str, Variable]
    names: Names = Names()
