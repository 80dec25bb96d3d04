"""An emulated aarch64 processor with a shared object in its memory."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.reach.native import elf

from .test_elf import programs

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ["cuFirst", "cuSecond", "cuThird"]
BASE, STACK, OUTSIDE = 0x7F12_3456_0000, 0x7FFF_0000_0000, 0x5500_0000_0000


def made(*addresses: str, **others: Any) -> bytes:
    """Return a small shared object, with functions that return an address."""
    return elf.shared_object(NAMES, default=7, addresses=addresses, machine="aarch64", **others)


def exported(content: bytes) -> dict[str, int]:
    """Return the symbols of an ELF file by name, as the loader finds them: by the dynamic section alone."""
    start, size = next((header[2], header[5]) for header in programs(content) if header[0] == elf.DYNAMIC)
    tags = dict(struct.iter_unpack("<QQ", content[start : start + size]))
    (count,) = struct.unpack_from("<I", content, tags[4] + 4)
    found = {}
    for number in range(count):
        offset, *_, address, _ = struct.unpack_from("<IBBHQQ", content, tags[6] + elf.SYMBOL * number)
        found[content[tags[5] + offset :].partition(b"\0")[0].decode()] = address
    return found


class Processor:
    """An emulated processor with a shared object in its memory.

    Args:
        addresses: The functions that return an address.
        others: What else the object is made of.

    Attributes:
        at: The addresses of the symbols.
        functions: What is called outside of the object, by address.
    """

    def __init__(self, *addresses: str, **others: Any) -> None:
        unicorn = pytest.importorskip("unicorn", reason="an emulated processor: pip install -e '.[emulators]'")
        self.names = pytest.importorskip(
            "unicorn.arm64_const", reason="an emulated processor: pip install -e '.[emulators]'"
        )
        self.uc = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        content = made(*addresses, **others)
        for kind, flags, place, address, _, size, _, align in programs(content):
            if kind == elf.LOAD:
                # Unicorn's bits of protection are the format's in reverse.
                protection = (flags >> 2 & 1) | (flags & 2) | (flags & 1) << 2
                self.uc.mem_map(BASE + address, -(-size // align) * align, protection)
                self.uc.mem_write(BASE + address, content[place : place + size])
        self.uc.mem_map(STACK, 0x10000)
        self.uc.mem_map(OUTSIDE, 0x10000)
        self.uc.mem_write(OUTSIDE, struct.pack("<I", 0xD65F03C0) * 0x4000)  # ret
        self.uc.hook_add(unicorn.UC_HOOK_CODE, self._enter, begin=OUTSIDE, end=OUTSIDE + 0xFFFF)
        self.at = {name: BASE + address for name, address in exported(content).items()}
        self.functions: dict[int, Callable[[], int]] = {}

    def _enter(self, _uc: object, address: int, _size: int, _data: object) -> None:
        self["x0"] = self.functions[address]()

    def __getitem__(self, register: str) -> int:
        return int(self.uc.reg_read(getattr(self.names, f"UC_ARM64_REG_{register.upper()}")))

    def __setitem__(self, register: str, value: int) -> None:
        self.uc.reg_write(getattr(self.names, f"UC_ARM64_REG_{register.upper()}"), value)

    def outside(self, function: Callable[[], int]) -> int:
        """Return the address of a function outside of the object; what it answers is the register x0."""
        address = OUTSIDE + 16 * (len(self.functions) + 1)
        self.functions[address] = function
        return address

    def bind(self, name: str, function: Callable[[], int]) -> None:
        """Fill a symbol's slot."""
        self.write("fakecuda_table", "Q", self.outside(function), 8 * NAMES.index(name))

    def read(self, word: str, form: str, offset: int = 0) -> int:
        """Return a number at a symbol."""
        return int(struct.unpack(form, self.uc.mem_read(self.at[word] + offset, struct.calcsize(form)))[0])

    def write(self, word: str, form: str, value: int, offset: int = 0) -> None:
        """Write a number at a symbol."""
        self.uc.mem_write(self.at[word] + offset, struct.pack(form, value))

    def call(self, address: int) -> int:
        """Call a function and return the lower half of its answer; it keeps the registers that it has to keep."""
        kept = ["sp", "x30", *(f"x{number}" for number in range(19, 30))]
        values = [STACK + 0x8000, OUTSIDE, *range(19, 30)]
        for register, value in zip(kept, values, strict=True):
            self[register] = value
        self.uc.emu_start(address, OUTSIDE)
        assert [self[register] for register in kept] == values
        return self["w0"]
