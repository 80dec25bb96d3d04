"""The stubs for aarch64: as a disassembler reads them, on an emulated processor, and under qemu.

They need no processor of that kind. The emulated one maps the segments as a loader does, at an address of its own.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.reach.native import elf, stubs
from tests.native.processor import NAMES, STACK, Processor, exported, made

from .test_elf import programs

if TYPE_CHECKING:
    from pathlib import Path

TAGGED = stubs.TAG << 32
COMPILER = "aarch64-linux-gnu-gcc"
EMULATOR = next(filter(None, map(shutil.which, ("qemu-aarch64", "qemu-aarch64-static"))), None)
LISTING = """
cbnz x16, 16
adrp x16, data
ldr w0, [x16, #default]
ret
stp x29, x30, [sp, #-0x10]!
mov x29, sp
sub sp, sp, #0xc0
str xzr, [sp, #0x90]
"""
"""The beginning of the tail."""
COPY = """
sub sp, sp, #0x40
ldp x9, x10, [x29, #0x10]
ldp x11, x12, [x29, #0x20]
stp x9, x10, [sp]
stp x11, x12, [sp, #0x10]
ldp x9, x10, [x29, #0x30]
ldp x11, x12, [x29, #0x40]
stp x9, x10, [sp, #0x20]
stp x11, x12, [sp, #0x30]
"""
"""The instructions that copy stack arguments."""


@pytest.fixture
def processor() -> Processor:
    """An emulated processor with a small shared object."""
    return Processor()


def test_the_file_is_for_aarch64() -> None:
    """Its number, segments for the largest pages, nothing to relocate, and text that none can write."""
    content = made()
    assert struct.unpack_from("<H", content, 18) == (183,)
    loads = [header for header in programs(content) if header[0] == elf.LOAD]
    assert [header[1] for header in loads] == [4, 5, 6]
    assert all(header[7] == 0x10000 and header[2] == header[3] for header in loads)
    assert [header[3] % 0x10000 for header in loads] == [0, 0, 0]
    dynamic = next(header for header in programs(content) if header[0] == elf.DYNAMIC)
    tags = [tag for tag, _ in struct.iter_unpack("<QQ", content[dynamic[2] : dynamic[2] + dynamic[5]])]
    assert tags == [14, 4, 5, 6, 10, 11, elf.STAYS[0], 0]
    at = exported(content)
    assert all(at[name] % 8 == 0 for name in ("fakecuda_table", "fakecuda_digest", "fakecuda_raise"))


def test_a_disassembler_reads_the_stubs() -> None:
    """Every word is an instruction; stubs begin with a landing pad and load their slots."""
    capstone = pytest.importorskip("capstone", reason="a disassembler: pip install -e '.[emulators]'")
    content = made()
    at = exported(content)
    _, _, place, address, _, size, *_ = programs(content)[1]
    reader = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    lines = [
        (one.address, f"{one.mnemonic} {one.op_str}".strip())
        for one in reader.disasm(content[place : place + size], address)
    ]
    assert len(lines) == size // 4
    text = dict(lines)
    page = at["fakecuda_table"] & ~0xFFF
    tail = at["cuThird"] + 16
    for number, name in enumerate(NAMES):
        slot = at["fakecuda_table"] + 8 * number
        stub = [text[at[name] + offset] for offset in range(0, 16, 4)]
        assert stub == ["bti c", f"adrp x16, #{page:#x}", f"ldr x16, [x16, #{slot - page:#x}]", f"b #{tail:#x}"]
    default = at["fakecuda_default"] - page
    listing = LISTING.replace("16\n", f"#{tail + 16:#x}\n", 1)
    listing = listing.replace("data", f"#{page:#x}").replace("default", f"{default:#x}")
    start = [line for line, _ in lines].index(tail)
    assert [line for _, line in lines[start:]][: LISTING.count("\n") - 1] == listing.split("\n")[1:-1]
    assert COPY in "\n".join(line for _, line in lines[start:])
    assert text[at["fakecuda_forget"]] == "bti c"


def test_an_empty_slot_answers_the_default(processor: Processor) -> None:
    """Without a call; the default can be changed."""
    assert [processor.call(processor.at[name]) for name in NAMES] == [7, 7, 7]
    processor.write("fakecuda_default", "I", 3)
    assert processor.call(processor.at["cuSecond"]) == 3


def test_an_address_is_returned_as_it_is() -> None:
    """All 64 bits of it, without a tag; without a function it is that of an empty text. Other functions are as ever."""
    processor = Processor("cuSecond")
    processor.call(processor.at["cuSecond"])
    assert processor.uc.mem_read(processor["x0"], 1) == b"\0"
    for name in NAMES:
        processor.bind(name, lambda: 0x1234_5678_9ABC_DEF0)
    processor.call(processor.at["cuSecond"])
    assert processor["x0"] == 0x1234_5678_9ABC_DEF0
    assert processor.call(processor.at["cuFirst"]) == stubs.UNKNOWN
    assert processor.call(processor.at["cuThird"]) == stubs.UNKNOWN


def test_routines_are_exported() -> None:
    """A function that needs nobody is run as it is written; the others are as ever."""
    written = {"cuFourth": stubs.CHANNEL_DESC}
    processor = Processor(routines=written)
    for number in range(5):
        processor[f"x{number}"] = 100 + number
    processor["x8"] = STACK
    processor.call(processor.at["cuFourth"])
    assert struct.unpack("<5i", processor.uc.mem_read(STACK, 20)) == (100, 101, 102, 103, 104)
    assert processor.call(processor.at["cuThird"]) == 7


def test_arguments_arrive(processor: Processor) -> None:
    """Eight integers and eight floats in registers, eight words on an aligned stack; each symbol has its own slot."""
    seen: list[Any] = []

    def note(number: int) -> int:
        assert processor["sp"] % 16 == 0
        stack = struct.unpack("<8Q", processor.uc.mem_read(processor["sp"], 64))
        integers = [processor[f"x{index}"] for index in range(8)]
        floats = [processor[f"d{index}"] for index in range(8)]
        seen.append((number, [*integers, *stack], floats))
        return TAGGED

    for number, name in enumerate(NAMES):
        processor.bind(name, partial(note, number))
        for index in range(8):
            processor[f"x{index}"] = (0xFEDC << 48) + index
            processor[f"d{index}"] = (0xABCD << 48) + index
        processor.uc.mem_write(STACK + 0x8000, struct.pack("<8Q", *[(0xFEDC << 48) + index for index in range(8, 16)]))
        assert processor.call(processor.at[name]) == 0
    words = [(0xFEDC << 48) + index for index in range(16)]
    assert seen == [(number, words, [(0xABCD << 48) + index for index in range(8)]) for number in range(3)]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        *((TAGGED | code, code) for code in (0, 1, 801, 999, 0xFFFFFFFF)),
        *((answer, 999) for answer in (0, 1, 1 << 63, TAGGED ^ 1 << 32, TAGGED ^ 1 << 63)),
    ],
)
def test_only_a_tagged_answer_is_the_code(processor: Processor, answer: int, code: int) -> None:
    """The lower half is answered; whatever a callback did not mean is CUDA_ERROR_UNKNOWN."""
    processor.bind("cuFirst", lambda: answer)
    assert processor.call(processor.at["cuFirst"]) == code


def test_a_former_answer_does_not_count(processor: Processor) -> None:
    """Where the callback's frame will lie, nothing is left of what lay there."""
    processor.uc.mem_write(STACK, struct.pack("<Q", TAGGED) * 0x1000)
    seen: list[bytes] = []

    def raises() -> int:
        seen.append(bytes(processor.uc.mem_read(processor["sp"] - 256, 256)))
        return processor["x0"]

    processor.bind("cuFirst", raises)
    assert processor.call(processor.at["cuFirst"]) == 999
    assert seen == [bytes(256)]


def test_an_exception_is_raised_later(processor: Processor) -> None:
    """An untagged answer with something pending hands Python a function, once; that sets the exception."""
    calls: list[tuple[int, int]] = []

    def note() -> int:
        calls.append((processor["x0"], processor["x1"]))
        assert processor["sp"] % 16 == 0
        return 0

    processor.bind("cuFirst", lambda: 0)
    for number, value in enumerate((processor.outside(note), processor.outside(note), 0x1111, 0x2222)):
        processor.write("fakecuda_raise", "Q", value, 8 * number)
    processor.write("fakecuda_pending", "I", 1)
    assert [processor.call(processor.at["cuFirst"]) for _ in range(2)] == [999, 999]
    assert processor.read("fakecuda_pending", "I") == 0
    assert len(calls) == 1
    raiser, argument = calls.pop()
    assert argument == 0
    assert processor.call(raiser) == 0xFFFFFFFF
    assert calls == [(0x1111, 0x2222)]


def test_an_exception_in_flight_is_put_aside(processor: Processor) -> None:
    """Python is held meanwhile; the function gets its arguments, and the exception is there again when it has returned."""
    calls: list[tuple[object, ...]] = []
    there = [0x1111, 0x2222, 0x3333]

    def note(name: str, answer: int, arguments: int) -> int:
        assert processor["sp"] % 16 == 0
        calls.append((name, *(processor[f"x{index}"] for index in range(arguments))))
        for register in (*(f"x{index}" for index in range(18)), *(f"d{index}" for index in range(8))):
            processor[register] = 0xBAD
        return answer

    def fetch() -> int:
        places = [processor[f"x{index}"] for index in range(3)]
        for place, value in zip(places, there, strict=True):
            processor.uc.mem_write(place, struct.pack("<Q", value))
        return note("PyErr_Fetch", 0, 0)

    def function() -> int:
        assert struct.unpack("<Q", processor.uc.mem_read(STACK + 8, 8)) == (processor["x29"],)
        assert [processor[f"x{index}"] for index in range(9)] == list(range(40, 49))
        assert [processor[f"d{index}"] for index in range(8)] == list(range(60, 68))
        return note("function", TAGGED | 5, 0)

    processor.write("fakecuda_frame", "Q", STACK + 8)
    answers = {"PyGILState_Ensure": 1, "PyErr_Occurred": 0x1111, "PyErr_Restore": 0, "PyGILState_Release": 0}
    taken = {"PyErr_Restore": 3, "PyGILState_Release": 1}
    processor.bind("cuFirst", function)
    for number, name in enumerate(stubs.PYTHON):
        python = fetch if name == "PyErr_Fetch" else partial(note, name, answers[name], taken.get(name, 0))
        processor.write("fakecuda_python", "Q", processor.outside(python), 8 * number)
    for index in range(9):
        processor[f"x{index}"] = 40 + index
    for index in range(8):
        processor[f"d{index}"] = 60 + index
    assert processor.call(processor.at["cuFirst"]) == 5
    assert processor.uc.mem_read(STACK + 8, 8) == bytes(8)
    begin = [("PyGILState_Ensure",), ("PyErr_Occurred",)]
    assert calls == [
        *begin, ("PyErr_Fetch",), ("function",), ("PyErr_Restore", *there), ("PyGILState_Release", 1),
    ]  # fmt: skip
    calls.clear()
    answers["PyErr_Occurred"] = 0
    nothing = partial(note, "PyErr_Occurred", 0, 0)
    processor.write("fakecuda_python", "Q", processor.outside(nothing), stubs.OCCURRED)
    for index in range(9):
        processor[f"x{index}"] = 40 + index
    for index in range(8):
        processor[f"d{index}"] = 60 + index
    assert processor.call(processor.at["cuFirst"]) == 5
    assert calls == [*begin, ("function",), ("PyGILState_Release", 1)]


def test_forgetting_empties_the_table(processor: Processor) -> None:
    """Every slot, nothing before or behind them."""
    for name in NAMES:
        processor.bind(name, lambda: TAGGED)
    digest = processor.read("fakecuda_digest", "Q")
    processor.write("fakecuda_raise", "Q", 5, 24)
    processor.write("fakecuda_table", "Q", 6, 24)
    processor.call(processor.at["fakecuda_forget"])
    assert [processor.call(processor.at[name]) for name in NAMES] == [7] * 3
    assert [processor.read("fakecuda_table", "Q", 8 * number) for number in range(3)] == [0, 0, 0]
    assert processor.read("fakecuda_raise", "Q", 24) == 5
    assert processor.read("fakecuda_table", "Q", 24) == 6
    assert processor.read("fakecuda_digest", "Q") == digest


PROGRAM = """
#include <stdint.h>
typedef struct { uint8_t content[64]; } S64;
typedef struct { int32_t type, id; } S8;
extern void *fakecuda_table[3];
extern void fakecuda_forget(void);
uint32_t cuFirst(S64 *, S64, S8, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, float);
uint32_t cuSecond(void), cuThird(void);
static int right;
static uint64_t first(S64 *out, S64 in, S8 where, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                      uint64_t g, float x)
{
    right = in.content[63] == 63 && where.type == 4 && where.id == 5 && a == 1 && b == 2 && c == 3 && d == 4 && e == 5
            && f == 6 && g == ~7ull && x == 0.5f;
    *out = in;
    return TAG << 32 | 42;
}
static uint64_t third(void) { return 42; }
int main(void)
{
    S64 in, out;
    for (int i = 0; i < 64; i++)
        in.content[i] = i;
    fakecuda_table[0] = (void *)first;
    fakecuda_table[2] = (void *)third;
    if (cuFirst(&out, in, (S8){4, 5}, 1, 2, 3, 4, 5, 6, ~7ull, 0.5f) != 42 || !right || out.content[62] != 62)
        return 1;
    if (cuSecond() != 7 || cuThird() != 999)
        return 2;
    fakecuda_forget();
    return cuFirst(&out, in, (S8){4, 5}, 1, 2, 3, 4, 5, 6, 7, 0.5f) == 3 ? 42 : 3;
}
"""


@pytest.mark.skipif(
    EMULATOR is None or shutil.which(COMPILER) is None,
    reason=f"qemu-aarch64 and {COMPILER} are not installed (Debian: qemu-user, gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)",
)
def test_a_program_links_with_it_and_runs(tmp_path: Path) -> None:
    """The linker and the loader of the platform take it; structs arrive as its compiler passes them."""
    (tmp_path / "libcuda.so.1").write_bytes(made())
    source = tmp_path / "program.c"
    source.write_text(PROGRAM.replace("TAG", f"{stubs.TAG}ull"))
    program = tmp_path / "program"
    subprocess.run([COMPILER, source, "-o", program, f"-L{tmp_path}", "-l:libcuda.so.1", "-Wl,-z,now"], check=True)
    where = ["-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={tmp_path}"]
    assert EMULATOR is not None
    done = subprocess.run([EMULATOR, *where, program], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (42, "")
