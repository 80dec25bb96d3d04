"""The kernels and variables that a compiled program registers with the runtime.

A compiler puts calls into a program that register its images of code, and for each kernel and variable a host address
that stands for it. Nothing is read or loaded then: an image becomes a library of a process when its code is first used.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from fakecuda.model.code import cubin
from fakecuda.model.code.image import FATBIN
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from collections.abc import Callable

WRAPPER = struct.Struct("<IIQQ")
"""A registration record: magic number, version, image address, another address."""
MAGIC = 0x466243B1
"""The magic number of a registration record."""
LINKED = 2
"""The version of a record whose last address points to relocatable images."""
POINTER = 8
HEAD = 64
"""The size of an image's header, from which the image's size follows."""


@define(eq=False)
class Binary:
    """An image of a program.

    Attributes:
        number: Its number in the program.
        address: Where it lies in the program's memory.
        content: Its bytes, once they were read. None before that.
        others: Where the program has the addresses of the relocatable images that it was linked from, up to a null; 0 if it was
            not linked (-rdc=true).
        parts: Their bytes, once they were read. None before that.
        linked: What they are linked to, by architecture, for devices for which it has no code.
    """

    number: int
    address: int
    content: bytes | None = field(default=None, repr=False)
    others: int = 0
    parts: list[bytes] | None = field(default=None, repr=False)
    linked: dict[int, bytes] = field(factory=dict, repr=False)

    def read(self, load: Callable[[int, int], bytes]) -> bytes:
        """Return the bytes of the image; empty without an image at the address.

        Args:
            load: Returns bytes of the program's memory, for an address and a size.
        """
        if self.content is None:
            self.content = _image(load, self.address) if self.address else b""
        return self.content

    def read_parts(self, load: Callable[[int, int], bytes]) -> list[bytes]:
        """Return the relocatable images that the image was linked from; see :meth:`read`."""
        if self.parts is None:
            parts, place = [], self.others
            while self.others and (address := int.from_bytes(load(place, POINTER), "little")):
                parts.append(_image(load, address))
                place += POINTER
            self.parts = parts
        return self.parts

    @effect(beside="the first use of its code links it again")
    def keep_linked(self, architecture: int, data: bytes) -> None:
        """Store the linked image of relocatable images for an architecture."""
        self.linked[architecture] = data


def _image(load: Callable[[int, int], bytes], address: int) -> bytes:
    """Return the bytes of an image; arguments as for :meth:`Binary.read`."""
    head = load(address, HEAD)
    size = 0
    if head.startswith(cubin.MAGIC):
        size = cubin.length(head)
    elif head.startswith(FATBIN.to_bytes(4, "little")):
        _, _, at, length = struct.unpack_from("<IHHQ", head)
        size = at + length
    return load(address, size) if size else b""


@frozen
class Symbol:
    """A kernel or a variable of a program.

    Attributes:
        binary: The image that has it.
        name: Its name there.
        place: Where the program keeps the address of a managed variable. 0 for a kernel and for other variables.
    """

    binary: Binary
    name: str
    place: int = 0


@define(eq=False)
class Program:
    """What a program has registered.

    Attributes:
        functions: Kernels by the address of the host function that launches each.
        variables: Variables by the host address that stands for each.
        changes: How often something was registered or taken back.
    """

    functions: dict[int, Symbol] = field(factory=dict)
    variables: dict[int, Symbol] = field(factory=dict)
    changes: int = 0

    def register_function(self, address: int, symbol: Symbol) -> None:
        """Register a kernel."""
        self.functions[address] = symbol
        self.changes += 1

    def register_variable(self, address: int, symbol: Symbol) -> None:
        """Register a variable."""
        self.variables[address] = symbol
        self.changes += 1

    def unregister(self, binary: Binary) -> None:
        """Unregister the symbols of an image whose file is being unloaded."""
        for table in (self.functions, self.variables):
            for address in [address for address, symbol in table.items() if symbol.binary is binary]:
                del table[address]
        self.changes += 1
