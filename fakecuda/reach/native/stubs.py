"""The machine code of the stubs, by processor.

A *stub* loads its slot of the table and jumps to a tail that all stubs share. The tail calls the function in the slot
with the arguments of its own call: it leaves the argument registers alone and copies stack arguments up to the size of
ten integers. It clears the part of the stack in which the callback's frame will store its answer, because an older
answer there must not count. If Python has a current exception, for instance while a destructor runs, the tail saves it
until the function has returned: Python code cannot run with a current exception. Meanwhile a word has the frame of the
tail, from which the caller is found. Stubs of functions that return an
address have another tail. It jumps to the function in the slot, or returns the address of an empty text for an empty
slot.
"""

from __future__ import annotations

import platform
import struct
import sys
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Code = Callable[["Words", int, Sequence[bool], int], "Written"]

TAG = 0x3A5EC0DA
"""The upper half of a tagged answer."""
SUCCESS, NOT_INITIALIZED, UNKNOWN = 0, 3, 999
PYTHON = ("PyGILState_Ensure", "PyErr_Occurred", "PyErr_Fetch", "PyErr_Restore", "PyGILState_Release")
"""The functions of Python that the tail calls."""
ENSURE, OCCURRED, FETCH, RESTORE, RELEASE = range(0, 8 * len(PYTHON), 8)
"""Offsets of Python's functions within ``fakecuda_python``."""


class Words(NamedTuple):
    """Addresses of words in the data segment.

    Attributes:
        default: The answer of an empty slot.
        pending: Whether there is an exception to raise.
        digest: The digest of the symbols.
        raising: The exception to raise, and the functions for raising it.
        python: The functions for saving and restoring a current exception, ``PYTHON``; zeros without Python.
        frame: The address of the word in which a stub stores its frame; see :mod:`fakecuda.reach.native.callers`.
        table: The slots.
    """

    default: int
    pending: int
    digest: int
    raising: int
    python: int
    frame: int
    table: int

    @classmethod
    def at(cls, start: int) -> Words:
        """Return the words of a data segment at an address."""
        frame = start + 48 + 8 * len(PYTHON)
        return cls(start, start + 4, start + 8, start + 16, start + 48, frame, frame + 8)


class Written(NamedTuple):
    """Machine code, with offsets and sizes of places in it.

    Attributes:
        code: The code; it begins with the stubs.
        forget: ``fakecuda_forget``.
        framed: The code with a frame, which calls functions.
    """

    code: bytes
    forget: tuple[int, int]
    framed: tuple[int, int]


@frozen
class Architecture:
    """The form of stubs on a processor.

    Attributes:
        name: Its name, as in ``platform.machine()``.
        number: Its number in ELF.
        page: The largest page size.
        stub: The size of a stub in bytes.
        absolute: ELF's relocation type for a word with a symbol's address.
        code: Returns the machine code. The arguments are the words, the address of the code, for each slot whether it
            returns an address, and the default after forgetting.
    """

    name: str
    number: int
    page: int
    stub: int
    absolute: int
    code: Code


def _x86_64(  # noqa: PLR0915 - one per instruction
    words: Words, text: int, addresses: Sequence[bool], forgotten: int
) -> Written:
    """Write the stubs for x86-64.

    Six integers and eight floats are passed in registers; structs of 64 bytes are passed on the stack.
    """
    code = bytearray()

    def put(hexadecimal: str, value: int | None = None) -> None:
        code.extend(bytes.fromhex(hexadecimal))
        if value is not None:
            code.extend(value.to_bytes(4, "little"))

    def put_relative(hexadecimal: str, target: int) -> None:
        code.extend(bytes.fromhex(hexadecimal))
        code.extend(struct.pack("<i", target - (text + len(code) + 4)))

    address_tail = text + len(addresses) * 16
    tail = address_tail + (16 if any(addresses) else 0)
    for number, address in enumerate(addresses):
        put("f30f1efa")  # endbr64
        put_relative("4c8b1d", words.table + 8 * number)  # mov r11, [slot]
        put_relative("e9", address_tail if address else tail)  # jmp tail
    if any(addresses):
        put("4d85db7403")  # test r11, r11; jz empty
        put("41ffe3")  # jmp r11
        put_relative("488d05", words.default + 3)  # empty: lea rax, [the last byte of a code, which is 0]
        put("c3")  # ret
    assert text + len(code) == tail
    put("4d85db")  # test r11, r11
    put("7500")  # jnz bound
    jump = len(code)
    put_relative("8b05", words.default)  # mov eax, [default]
    put("c3")  # ret
    code[jump - 1] = len(code) - jump
    framed = len(code)
    put("554889e5")  # push rbp; mov rbp, rsp
    put("4881ec", 224)  # sub rsp, 224
    put("48c745b800000000")  # mov qword [exception], 0
    put_relative("488b05", words.python + ENSURE)  # mov rax, [PyGILState_Ensure]
    put("4885c0")  # test rax, rax
    put("0f84", 0)  # jz plain
    plain = len(code)
    put("4c895df8")  # mov [rbp - 8], r11
    put("48897df0488975e8488955e0")  # mov [rbp - 16], rdi; mov [rbp - 24], rsi; mov [rbp - 32], rdx
    put("48894dd84c8945d04c894dc8")  # mov [rbp - 40], rcx; mov [rbp - 48], r8; mov [rbp - 56], r9
    for register in range(8):
        put(f"0f29{0x85 | register << 3:02x}", -112 - 16 * register & 0xFFFFFFFF)  # movaps [rbp - …], xmm…
    put("ffd0")  # call rax
    put("8945c0")  # mov [state], eax
    put_relative("ff15", words.python + OCCURRED)  # call [PyErr_Occurred]
    put("4885c0")  # test rax, rax
    put("7412")  # jz clear
    put("488d7db8488d75b0488d55a8")  # lea rdi, [exception]; lea rsi, [its value]; lea rdx, [its traceback]
    put_relative("ff15", words.python + FETCH)  # call [PyErr_Fetch]
    put_relative("488b05", words.frame)  # clear: mov rax, [frame]
    put("488928")  # mov [rax], rbp
    for register in range(8):
        put(f"0f28{0x85 | register << 3:02x}", -112 - 16 * register & 0xFFFFFFFF)  # movaps xmm…, [rbp - …]
    put("4c8b5df8")  # mov r11, [rbp - 8]
    put("488b7df0488b75e8488b55e0")  # mov rdi, [rbp - 16]; mov rsi, [rbp - 24]; mov rdx, [rbp - 32]
    put("488b4dd84c8b45d04c8b4dc8")  # mov rcx, [rbp - 40]; mov r8, [rbp - 48]; mov r9, [rbp - 56]
    code[plain - 4 : plain] = (len(code) - plain).to_bytes(4, "little")
    put("4883ec50")  # plain: sub rsp, 80
    for offset in range(0, 80, 16):
        put(f"440f1045{16 + offset:02x}")  # movups xmm8, [rbp + 16 + offset]
        put(f"440f294424{offset:02x}")  # movaps [rsp + offset], xmm8
    put("450f57c0")  # xorps xmm8, xmm8
    for offset in range(16, 257, 16):
        put("440f298424", -offset & 0xFFFFFFFF)  # movaps [rsp - offset], xmm8
    put("41ffd3")  # call r11
    put_relative("48833d", words.python + ENSURE - 1)  # cmp qword [PyGILState_Ensure],
    put("00")  # 0
    put("7400")  # je answered
    answered = len(code)
    put("488945a0")  # mov [rbp - 96], rax
    put_relative("488b05", words.frame)  # mov rax, [frame]
    put("48c70000000000")  # mov qword [rax], 0
    put("488b7db84885ff")  # mov rdi, [exception]; test rdi, rdi
    put("740e")  # jz released
    put("488b75b0488b55a8")  # mov rsi, [its value]; mov rdx, [its traceback]
    put_relative("ff15", words.python + RESTORE)  # call [PyErr_Restore]
    put("8b7dc0")  # released: mov edi, [state]
    put_relative("ff15", words.python + RELEASE)  # call [PyGILState_Release]
    put("488b45a0")  # mov rax, [rbp - 96]
    code[answered - 1] = len(code) - answered
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
    put("b9", len(addresses))  # mov ecx, count
    put("31c0f348ab")  # xor eax, eax; rep stosq
    put("b8", forgotten)  # mov eax, forgotten
    put_relative("8905", words.default)  # mov [default], eax
    put("c3")  # ret
    return Written(bytes(code), (forget, len(code) - forget), (framed, raiser - text - framed))


def _aarch64(  # noqa: PLR0915 - one per instruction
    words: Words, text: int, addresses: Sequence[bool], forgotten: int
) -> Written:
    """Write the stubs for aarch64.

    Eight integers and eight floats are passed in registers; large structs are passed by reference.
    """
    code: list[int] = []

    def put(*instructions: int) -> None:
        code.extend(instructions)

    def put_at(target: int, register: int, instruction: int, width: int = 1) -> None:
        """Write adrp for a register, and an instruction with the target's low bits.

        The low bits are in units of the instruction's width.
        """
        pages = (target >> 12) - (text + 4 * len(code) >> 12)
        put(0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5 | register)
        put(instruction | (target & 0xFFF) // width << 10)

    address_tail = 4 * len(addresses)
    tail = address_tail + (5 if any(addresses) else 0)
    for number, address in enumerate(addresses):
        put(0xD503245F)  # bti c
        put_at(words.table + 8 * number, 16, 0xF9400210, 8)  # ldr x16, [slot]
        put(0x14000000 | (address_tail if address else tail) - len(code))  # b tail
    if any(addresses):
        put(0xB4000050, 0xD61F0200)  # cbz x16, empty; br x16
        put_at(words.default + 3, 0, 0x91000000)  # empty: add x0, x0, the last byte of a code, which is 0
        put(0xD65F03C0)  # ret
    assert len(code) == tail
    put(0xB5000090)  # cbnz x16, bound
    put_at(words.default, 16, 0xB9400200, 4)  # ldr w0, [default]
    put(0xD65F03C0)  # ret
    framed = 4 * len(code)
    put(0xA9BF7BFD, 0x910003FD)  # bound: stp x29, x30, [sp, -16]!; mov x29, sp
    put(0xD10303FF)  # sub sp, sp, 192
    put(0xF9000000 | 18 << 10 | 31 << 5 | 31)  # str xzr, [exception]
    put_at(words.python + ENSURE, 9, 0xF9400129, 8)  # ldr x9, [PyGILState_Ensure]
    plain = len(code)
    put(0)  # cbz x9, plain
    for register in range(0, 8, 2):
        put(0xA90003E0 | register << 15 | register + 1 << 10 | register)  # stp x…, x…, [sp, …]
    put(0xA90443E8)  # stp x8, x16, [sp, 64]
    for register in range(0, 8, 2):
        put(0x6D0503E0 + (register << 15) | register + 1 << 10 | register)  # stp d…, d…, [sp, 80 + …]
    put(0xD63F0120)  # blr x9
    put(0xB9000000 | 42 << 10 | 31 << 5)  # str w0, [state]
    put_at(words.python + OCCURRED, 9, 0xF9400129, 8)  # ldr x9, [PyErr_Occurred]
    put(0xD63F0120)  # blr x9
    put(0xB40000E0)  # cbz x0, clear
    put(0x910243E0, 0x910263E1, 0x910283E2)  # add x0, sp, exception; add x1, sp, its value; add x2, sp, its traceback
    put_at(words.python + FETCH, 9, 0xF9400129, 8)  # ldr x9, [PyErr_Fetch]
    put(0xD63F0120)  # blr x9
    put_at(words.frame, 9, 0xF9400129, 8)  # clear: ldr x9, [frame]
    put(0xF900013D)  # str x29, [x9]
    for register in range(0, 8, 2):
        put(0x6D4503E0 + (register << 15) | register + 1 << 10 | register)  # ldp d…, d…, [sp, 80 + …]
    put(0xA94443E8)  # ldp x8, x16, [sp, 64]
    for register in range(0, 8, 2):
        put(0xA94003E0 | register << 15 | register + 1 << 10 | register)  # ldp x…, x…, [sp, …]
    code[plain] = 0xB4000009 | len(code) - plain << 5
    put(0xD10103FF)  # plain: sub sp, sp, 64
    put(0xA9412BA9, 0xA94233AB)  # ldp x9, x10, [x29, 16]; ldp x11, x12, [x29, 32]
    put(0xA9002BE9, 0xA90133EB)  # stp x9, x10, [sp]; stp x11, x12, [sp, 16]
    put(0xA9432BA9, 0xA94433AB)  # ldp x9, x10, [x29, 48]; ldp x11, x12, [x29, 64]
    put(0xA9022BE9, 0xA90333EB)  # stp x9, x10, [sp, 32]; stp x11, x12, [sp, 48]
    put(*[0xA9BF7FFF] * 16, 0x910403FF)  # stp xzr, xzr, [sp, -16]!, 16 times; add sp, sp, 256
    put(0xD63F0200)  # blr x16
    put(0x910103FF)  # add sp, sp, 64
    put_at(words.python + ENSURE, 9, 0xF9400129, 8)  # ldr x9, [PyGILState_Ensure]
    answered = len(code)
    put(0)  # cbz x9, answered
    put(0xF9005BE0)  # str x0, [sp, 176]
    put_at(words.frame, 9, 0xF9400129, 8)  # ldr x9, [frame]
    put(0xF900013F)  # str xzr, [x9]
    put(0xF9404BE0)  # ldr x0, [exception]
    put(0xB40000A0)  # cbz x0, released
    put(0xA9498BE1)  # ldp x1, x2, [its value and its traceback]
    put_at(words.python + RESTORE, 9, 0xF9400129, 8)  # ldr x9, [PyErr_Restore]
    put(0xD63F0120)  # blr x9
    put(0xB940ABE0)  # released: ldr w0, [state]
    put_at(words.python + RELEASE, 9, 0xF9400129, 8)  # ldr x9, [PyGILState_Release]
    put(0xD63F0120)  # blr x9
    put(0xF9405BE0)  # ldr x0, [sp, 176]
    code[answered] = 0xB4000009 | len(code) - answered << 5
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
    raiser = 4 * len(code)
    put(0xD503245F)  # raiser: bti c
    put(0xA9BF7BFD, 0x910003FD)  # stp x29, x30, [sp, -16]!; mov x29, sp
    put_at(words.raising, 9, 0x91000129)  # add x9, x9, raising
    put(0xA9410520, 0xF9400529, 0xD63F0120)  # ldp x0, x1, [x9, 16]; ldr x9, [x9, 8]; blr x9
    put(0x12800000)  # mov w0, -1
    put(0xA8C17BFD, 0xD65F03C0)  # ldp x29, x30, [sp], 16; ret
    forget = 4 * len(code)
    put(0xD503245F)  # bti c
    put_at(words.table, 9, 0x91000129)  # add x9, x9, table
    put(0x5280000A | len(addresses) << 5)  # mov w10, count
    put(0x3400008A, 0x5100054A)  # next: cbz w10, done; sub w10, w10, 1
    put(0xF82A793F, 0x17FFFFFD)  # str xzr, [x9, x10, lsl 3]; b next
    put(0x52800000 | forgotten << 5 | 10)  # done: mov w10, forgotten
    put_at(words.default, 9, 0xB900012A, 4)  # str w10, [default]
    put(0xD65F03C0)  # ret
    return Written(struct.pack(f"<{len(code)}I", *code), (forget, 4 * len(code) - forget), (framed, raiser - framed))


CHANNEL_DESC = {
    "x86_64": bytes.fromhex("f30f1efa8937895704894f084489470c44894f104889f8c3"),
    "aarch64": struct.pack("<5I", 0xD503245F, 0x29000500, 0x29010D02, 0xB9001104, 0xD65F03C0),
}
"""A function that returns five ints as a struct, such as cudaCreateChannelDesc."""
NOTHING = {"x86_64": bytes.fromhex("f30f1efa31c0c3"), "aarch64": struct.pack("<3I", 0xD503245F, 0x52800000, 0xD65F03C0)}
"""A function that does nothing and returns 0."""
UNLOADS = {
    "x86_64": bytes.fromhex("f30f1efa488b4728488902b801000000c3"),
    "aarch64": struct.pack("<6I", 0xD503245F, 0xF9401403, 0xF9000043, 0x52800020, 0xD65F03C0, 0xD503201F),
}
"""A function for ``dl_iterate_phdr`` that stores the number of unloaded objects."""
OWN_ADDRESS = {
    "x86_64": bytes.fromhex("f30f1efa488d05f5ffffffc3"),
    "aarch64": struct.pack("<3I", 0xD503245F, 0x10FFFFE0, 0xD65F03C0),
}
"""A function that returns its own address, as an opaque handle."""
ARCHITECTURES = {
    one.name: one
    for one in (
        Architecture("x86_64", 62, 0x1000, 16, 1, _x86_64),
        Architecture("aarch64", 183, 0x10000, 16, 257, _aarch64),
    )
}
"""Processors with stubs, by ``platform.machine()``."""
NATIVE = sys.platform == "linux" and platform.machine() in ARCHITECTURES
"""Whether this process can load the stubs."""
NEEDS = f"Linux on {' or '.join(ARCHITECTURES)}"
"""The platforms that can load the stubs."""
