"""The machine code of the stubs, by processor.

A *stub* loads its slot of the table and goes on in a tail that all share. The tail calls the function there as it was
called itself: it leaves the registers of arguments alone and copies the stack arguments of as many integers as 16. It
clears the part of the stack in which the callback's frame will keep its answer: what an earlier answer left there must
not count as one.
"""

from __future__ import annotations

import platform
import struct
import sys
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    Code = Callable[["Words", int, int], tuple[bytes, tuple[int, int]]]

TAG = 0x3A5EC0DA
"""The upper half of an answer that a callback meant."""
SUCCESS, NOT_INITIALIZED, UNKNOWN = 0, 3, 999


class Words(NamedTuple):
    """Where the words of the data lie.

    Attributes:
        default: What an empty slot answers.
        pending: Whether there is something to raise.
        digest: Which symbols the table has.
        raising: What is raised, and by which functions.
        table: The slots.
    """

    default: int
    pending: int
    digest: int
    raising: int
    table: int

    @classmethod
    def at(cls, start: int) -> Words:
        """Return the words of a data segment."""
        return cls(start, start + 4, start + 8, start + 16, start + 48)


@frozen
class Architecture:
    """What stubs look like on a processor.

    Attributes:
        number: The format's number for it.
        page: The largest page size.
        stub: The size of one stub in bytes.
        code: Returns the text for the words of the data, the address of the text and the number of slots: the stubs
            first, and the place and size of ``fakecuda_forget`` in it.
    """

    number: int
    page: int
    stub: int
    code: Code


def _x86_64(words: Words, text: int, count: int) -> tuple[bytes, tuple[int, int]]:  # noqa: PLR0915 - one per instruction
    """Write the stubs for x86-64, where six integers and eight floats come in registers and structs of 64 bytes do not."""
    code = bytearray()

    def put(hexadecimal: str, value: int | None = None) -> None:
        code.extend(bytes.fromhex(hexadecimal))
        if value is not None:
            code.extend(value.to_bytes(4, "little"))

    def put_relative(hexadecimal: str, target: int) -> None:
        code.extend(bytes.fromhex(hexadecimal))
        code.extend(struct.pack("<i", target - (text + len(code) + 4)))

    tail = text + count * 16
    for number in range(count):
        put("f30f1efa")  # endbr64
        put_relative("4c8b1d", words.table + 8 * number)  # mov r11, [slot]
        put_relative("e9", tail)  # jmp tail
    put("4d85db")  # test r11, r11
    put("7500")  # jnz bound
    jump = len(code)
    put_relative("8b05", words.default)  # mov eax, [default]
    put("c3")  # ret
    code[jump - 1] = len(code) - jump
    put("554889e5")  # push rbp; mov rbp, rsp
    put("4883ec50")  # sub rsp, 80
    for offset in range(0, 80, 16):
        put(f"440f1045{16 + offset:02x}")  # movups xmm8, [rbp + 16 + offset]
        put(f"440f294424{offset:02x}")  # movaps [rsp + offset], xmm8
    put("450f57c0")  # xorps xmm8, xmm8
    for offset in range(16, 257, 16):
        put("440f298424", -offset & 0xFFFFFFFF)  # movaps [rsp - offset], xmm8
    put("41ffd3")  # call r11
    put("4889c148c1e920")  # mov rcx, rax; shr rcx, 32
    put("81f9", TAG)  # cmp ecx, TAG
    put("7504")  # jne untagged
    put("89c0c9c3")  # mov eax, eax; leave; ret
    put("31c0")  # untagged: xor eax, eax
    put_relative("8705", words.pending)  # xchg [pending], eax
    put("85c07400")  # test eax, eax; jz answer
    jump = len(code)
    raiser = text + len(code) + 22
    put_relative("488d3d", raiser)  # lea rdi, [raiser]
    put("31f6")  # xor esi, esi
    put_relative("ff15", words.raising)  # call [Py_AddPendingCall]
    code[jump - 1] = len(code) - jump
    put("b8", UNKNOWN)  # answer: mov eax, UNKNOWN
    put("c9c3")  # leave; ret
    assert text + len(code) == raiser
    put("4883ec08")  # raiser: sub rsp, 8
    put_relative("488b3d", words.raising + 16)  # mov rdi, [type]
    put_relative("488b35", words.raising + 24)  # mov rsi, [exception]
    put_relative("ff15", words.raising + 8)  # call [PyErr_SetObject]
    put("83c8ff")  # or eax, -1
    put("4883c408c3")  # add rsp, 8; ret
    forget = len(code)
    put("f30f1efa")  # endbr64
    put_relative("488d3d", words.table)  # lea rdi, [table]
    put("b9", count)  # mov ecx, count
    put("31c0f348ab")  # xor eax, eax; rep stosq
    put("b8", NOT_INITIALIZED)  # mov eax, NOT_INITIALIZED
    put_relative("8905", words.default)  # mov [default], eax
    put("c3")  # ret
    return bytes(code), (forget, len(code) - forget)


def _aarch64(words: Words, text: int, count: int) -> tuple[bytes, tuple[int, int]]:  # noqa: PLR0915 - one per instruction
    """Write the stubs for aarch64, where eight integers and eight floats come in registers, large structs by reference."""
    code: list[int] = []

    def put(*instructions: int) -> None:
        code.extend(instructions)

    def put_at(target: int, register: int, instruction: int, width: int = 1) -> None:
        """Write adrp for a register, and an instruction that takes the rest of the target in units of its width."""
        pages = (target >> 12) - (text + 4 * len(code) >> 12)
        put(0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5 | register)
        put(instruction | (target & 0xFFF) // width << 10)

    tail = 4 * count
    for number in range(count):
        put(0xD503245F)  # bti c
        put_at(words.table + 8 * number, 16, 0xF9400210, 8)  # ldr x16, [slot]
        put(0x14000000 | tail - len(code))  # b tail
    put(0xB5000090)  # cbnz x16, bound
    put_at(words.default, 16, 0xB9400200, 4)  # ldr w0, [default]
    put(0xD65F03C0)  # ret
    put(0xA9BF7BFD, 0x910003FD)  # bound: stp x29, x30, [sp, -16]!; mov x29, sp
    put(0xD10103FF)  # sub sp, sp, 64
    put(0xA9412BA9, 0xA94233AB)  # ldp x9, x10, [x29, 16]; ldp x11, x12, [x29, 32]
    put(0xA9002BE9, 0xA90133EB)  # stp x9, x10, [sp]; stp x11, x12, [sp, 16]
    put(0xA9432BA9, 0xA94433AB)  # ldp x9, x10, [x29, 48]; ldp x11, x12, [x29, 64]
    put(0xA9022BE9, 0xA90333EB)  # stp x9, x10, [sp, 32]; stp x11, x12, [sp, 48]
    put(*[0xA9BF7FFF] * 16, 0x910403FF)  # stp xzr, xzr, [sp, -16]!, 16 times; add sp, sp, 256
    put(0xD63F0200)  # blr x16
    put(0xD360FC09)  # lsr x9, x0, 32
    put(0x5280000A | (TAG & 0xFFFF) << 5, 0x72A0000A | TAG >> 16 << 5)  # mov w10, TAG
    put(0x6B0A013F, 0x540000A1)  # cmp w9, w10; b.ne untagged
    put(0x2A0003E0)  # mov w0, w0
    leave = len(code)
    put(0x910003BF, 0xA8C17BFD, 0xD65F03C0)  # mov sp, x29; ldp x29, x30, [sp], 16; ret
    put_at(words.pending, 9, 0x91000129)  # untagged: add x9, x9, pending
    put(0x885FFD2A, 0x880BFD3F, 0x35FFFFCB)  # again: ldaxr w10, [x9]; stlxr w11, wzr, [x9]; cbnz w11, again
    put(0x340000CA)  # cbz w10, answer
    put(0x100000E0, 0x52800001)  # adr x0, raiser; mov w1, 0
    put_at(words.raising, 9, 0xF9400129, 8)  # ldr x9, [Py_AddPendingCall]
    put(0xD63F0120)  # blr x9
    put(0x52800000 | UNKNOWN << 5)  # answer: mov w0, UNKNOWN
    put(0x14000000 | leave - len(code) & 0x3FFFFFF)  # b leave
    put(0xD503245F)  # raiser: bti c
    put(0xA9BF7BFD, 0x910003FD)  # stp x29, x30, [sp, -16]!; mov x29, sp
    put_at(words.raising, 9, 0x91000129)  # add x9, x9, raising
    put(0xA9410520, 0xF9400529, 0xD63F0120)  # ldp x0, x1, [x9, 16]; ldr x9, [x9, 8]; blr x9
    put(0x12800000)  # mov w0, -1
    put(0xA8C17BFD, 0xD65F03C0)  # ldp x29, x30, [sp], 16; ret
    forget = 4 * len(code)
    put(0xD503245F)  # bti c
    put_at(words.table, 9, 0x91000129)  # add x9, x9, table
    put(0x5280000A | count << 5)  # mov w10, count
    put(0x3400008A, 0x5100054A)  # next: cbz w10, done; sub w10, w10, 1
    put(0xF82A793F, 0x17FFFFFD)  # str xzr, [x9, x10, lsl 3]; b next
    put(0x52800000 | NOT_INITIALIZED << 5 | 10)  # done: mov w10, NOT_INITIALIZED
    put_at(words.default, 9, 0xB900012A, 4)  # str w10, [default]
    put(0xD65F03C0)  # ret
    return struct.pack(f"<{len(code)}I", *code), (forget, 4 * len(code) - forget)


ARCHITECTURES = {"x86_64": Architecture(62, 0x1000, 16, _x86_64), "aarch64": Architecture(183, 0x10000, 16, _aarch64)}
"""The processors for which stubs can be written, by ``platform.machine()``."""
NATIVE = sys.platform == "linux" and platform.machine() in ARCHITECTURES
"""Whether this process can load them."""
NEEDS = f"Linux on {' or '.join(ARCHITECTURES)}"
"""What it takes."""
