"""Bounds of what reads, loads and links images: overlapping parts, lies, large claims, and what the OS process lacks."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import struct
from random import Random
from typing import TYPE_CHECKING

import pytest

from conformance.fuzz import image_files
from conformance.fuzz.image_files import PROGBITS, STRTAB, SYMTAB, block, elf, fatbin, part
from conformance.kit.kernels import HEAD, PTX
from fakecuda import FakeCudaError, Machine
from fakecuda.model.code import cubin, cubin_writer, packed, reading
from fakecuda.model.code.code import BAD_IMAGE, BAD_PTX, BOUND, CONSTANT, Entry, Image, Refused, Variable
from fakecuda.model.code.cost import spent
from fakecuda.model.code.cubin import NOBITS, SECTION, SYMBOL
from fakecuda.model.code.image import ELF, FATBINARY, LARGEST_INT, PARAMS, image_at, parsed, relocatable
from fakecuda.model.memory import headroom
from fakecuda.model.os.interruption import is_torn
from tests.model.test_transfer import put
from tests.model.world import contents, done, started

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda import Process

ARCH, NEWEST = 90, (9, 0)
OUT_OF_MEMORY, INVALID_IMAGE = 2, 200
FAR = 1 << 50
MANAGED = ".visible .global .attribute(.managed) .align 8 .b8 shared[64] = {1, 2};\n"


def why(data: bytes) -> str:
    """Return why an image is refused."""
    with pytest.raises(Refused) as refused:
        parsed(data, ARCH, NEWEST)
    return refused.value.why


def ptx(*lines: str) -> bytes:
    """Return PTX of some lines."""
    return (HEAD + "\n".join(lines)).encode()


def linked(*entries: Entry, variables: tuple[Variable, ...] = ()) -> Image:
    """Return an image of some kernels and variables."""
    return Image({one.name: one for one in entries}, {one.name: one for one in variables})


def named(count: int, length: int, step: int, kind: int = PROGBITS) -> bytes:
    """Return a cubin with variables, whose names and whose data begin some bytes apart from each other."""
    text = b"\0.symtab\0.strtab\0.nv.global.init\0" + b"A" * length + b"\0"
    first = text.index(b"AA")
    symbols = b"".join(SYMBOL.pack(first + step * number, 0x11, 0, 3, 0, length) for number in range(count))
    at = len(text)
    rows = [(0, 0, 0, 0), (1, SYMTAB, at, len(symbols)), (9, STRTAB, 0, at), (17, kind, 0, at)]
    return elf(rows, text + symbols, 2)


def test_names_and_data_that_share_bytes_are_bounded() -> None:
    """One name of many symbols is read once; many names in one text, or many variables of the same bytes, are refused."""
    spent.bytes_read = 0
    data = named(500, 4000, 0)
    assert list(parsed(data, ARCH, NEWEST).variables) == ["A" * 4000]
    assert spent.bytes_read < 3 * len(data)
    assert why(named(500, 4000, 1)) == BOUND
    assert why(named(500, 4000, 1, NOBITS)) == BOUND
    assert len(parsed(named(20, 40, 1), ARCH, NEWEST).variables) == 20


def test_a_bound_is_no_driver_s() -> None:
    """A call says what was wrong, and changes nothing."""
    with Machine("h200") as machine:
        c = started(machine).c
        before = machine.snapshot()
        with pytest.raises(FakeCudaError, match="would read more than 4 times its size"):
            c.cuModuleLoadData(named(500, 4000, 1))
        with pytest.raises(
            FakeCudaError, match=rf"has {packed.LARGEST + 1} bytes unpacked, but fakecuda .*--no-compress"
        ):
            c.cuModuleLoadData(fatbin(part(ELF, b"A" * (1 << 21), packed.LZ4, packed.LARGEST + 1)))
        assert machine.snapshot() == before


@pytest.mark.parametrize("place", [1 << 63, (1 << 64) - 1, (1 << 63) - 64, 1 << 20])
def test_a_table_outside_the_file_is_no_image(place: int) -> None:
    """Wherever it is said to be; a library that has one is cut off."""
    data = image_files.CUBINS[0]
    data = data[:0x28] + place.to_bytes(8, "little") + data[0x30:]
    assert why(data) == BAD_IMAGE
    assert cubin.is_cut(data)
    assert not cubin.is_cut(data[:0x12] + b"\x3e\0" + data[0x14:])


def test_what_has_no_sections_is_cut_off_or_empty() -> None:
    """A table of nothing but empty rows is what is left of a file; a file without a table never had any."""
    data = image_files.CUBINS[0]
    (table,), (count,) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<H", data, 0x3C)
    assert cubin.is_cut(data[:table] + bytes(count * SECTION.size))
    assert not cubin.is_cut(data)
    assert not cubin.is_cut(data[:0x3C] + bytes(4) + data[0x40:])


def test_names_that_are_nowhere() -> None:
    """Symbols whose names are in no section, or in one that has no bytes in the file, are no image's."""
    symbol, text = SYMBOL.pack(0, 0x11, 0, 1, 0, 4), b"\0.symtab\0.strtab\0"
    for rows in ([], [(9, NOBITS, 0, len(text))]):
        data = elf([(0, STRTAB, 0, len(text)), (1, SYMTAB, len(text), 24), *rows], text + symbol, 0)
        assert why(data) == BAD_IMAGE


def test_parts_of_a_fatbin_that_lie_in_each_other() -> None:
    """A part begins behind its header; many that lie are looked at once."""
    assert why(fatbin(part(ELF, b"", header=63))) == BAD_IMAGE
    spent.bytes_read = 0
    data = fatbin(*[part(ELF, b"", header=64, size=0)] * 1000)
    assert why(data) == BAD_IMAGE
    assert spent.bytes_read <= len(data)
    assert why(fatbin(part(ELF, fatbin(part(ELF, b""))))) == BAD_IMAGE
    assert parsed(fatbin(part(ELF, image_files.CUBINS[0], size=(1 << 64) - 1)), ARCH, NEWEST).entries


def test_blocks_say_how_much_they_are() -> None:
    """What LZ4 cannot make of so few bytes is damaged, and so is what is more than it says."""
    content = bytes(1000) + b"abc" * 10 + b"\1" * 300
    assert packed.unpacked(block(content), packed.LZ4, len(content)) == content
    for size in (255 * len(block(content)) + 1, len(content) - 1, len(content) + 1):
        with pytest.raises(Refused) as refused:
            packed.unpacked(block(content), packed.LZ4, size)
        assert refused.value.why == BAD_IMAGE


def test_a_compressed_image_of_each_way_is_read() -> None:
    """By LZ4, and by Zstandard where something reads that."""
    for seed in range(8):
        data = fatbin(image_files.compressed(image_files.CUBINS[0], Random(seed)))  # noqa: S311 - it draws a way
        try:
            assert list(parsed(data, ARCH, NEWEST).entries)
        except Refused as refused:
            assert refused.why in {BAD_IMAGE, BOUND}  # noqa: PT017 - one that claims another size


@pytest.mark.parametrize(
    "body",
    [
        f".visible .entry e() .maxnreg {LARGEST_INT + 1} {{ ret; }}",
        ".visible .entry e() .maxntid 65536, 65536, 1 { ret; }",
        f".visible .entry e() .reqntid {LARGEST_INT + 1} {{ ret; }}",
        f".visible .entry e() {{ .shared .b8 room[{LARGEST_INT + 1}]; ret; }}",
        f".visible .entry e(.param .align 4 .b8 s[{PARAMS + 1}]) {{ ret; }}",
    ],
)
def test_numbers_that_no_driver_tells(body: str) -> None:
    """Attributes of functions are ints, and all parameters have some bytes at most."""
    assert why(ptx(body)) == BAD_PTX
    with pytest.raises(Refused) as refused:
        relocatable(FATBINARY, fatbin(part(1, ptx(body))), ARCH, NEWEST)
    assert refused.value.why == BAD_PTX


def test_what_no_cubin_has_room_for() -> None:
    """Larger numbers, more sections, and constants and data beyond a bound are not modelled in linked code."""
    with pytest.raises(FakeCudaError, match="a count or a size in it is too large"):
        cubin_writer.written(linked(Entry("e", most=1 << 32)), ARCH)
    large = Variable("large", cubin_writer.LARGEST + 1, CONSTANT)
    with pytest.raises(
        FakeCudaError, match=rf"variables in section .* have {large.size} bytes.* at most {cubin_writer.LARGEST} bytes"
    ):
        cubin_writer.written(linked(variables=(large,)), ARCH)
    assert cubin_writer.written(linked(variables=(Variable("zeros", 1 << 60),)), ARCH)


def test_a_name_stands_once_in_a_linked_cubin() -> None:
    """A kernel and a variable may have one name."""
    image = parsed(cubin_writer.written(linked(Entry("same"), variables=(Variable("same", 4),)), ARCH), ARCH, NEWEST)
    assert list(image.entries) == list(image.variables) == ["same"]


@pytest.fixture
def machine() -> Machine:
    """A machine that gives addresses out again."""
    return Machine("h200", strict=False)


@pytest.fixture
def process(machine: Machine) -> Process:
    """A process with a context."""
    return started(machine)


def test_a_large_variable_takes_no_memory_of_the_host(process: Process) -> None:
    """Only what it begins with is written."""
    memory = process.contexts[process.c.cuCtxGetCurrent()[1]].device.memory
    module = done(process.c.cuModuleLoadData(ptx(f".visible .global .align 8 .b8 large[{1 << 36}] = {{7, 8}};")))
    address, size = process.c.cuModuleGetGlobal(module, b"large")[1:]
    assert size == 1 << 36
    assert contents(process, address, 4) == b"\7\x08\0\0"
    assert os.fstat(memory.file()[0]).st_blocks * 512 < 1 << 20


def test_a_refused_load_forgets_nothing(machine: Machine, process: Process) -> None:
    """What was freed at the addresses of variables that have no room is known still."""
    c = process.c
    done(c.cuModuleUnload(done(c.cuModuleLoadData(PTX))))
    before = machine.snapshot()
    huge = ptx(".visible .global .u32 a;", ".visible .global .u32 b;", f".visible .global .b8 huge[{1 << 50}];")
    for _ in range(2):  # also where it leaves holes between variables, and where it takes some
        assert c.cuModuleLoadData(huge) == (OUT_OF_MEMORY, None)
        assert machine.snapshot() == before
        done(c.cuModuleLoadData(PTX))
        done(c.cuModuleUnload(done(c.cuModuleLoadData(PTX))))
        before = machine.snapshot()


@pytest.mark.parametrize(
    "text", [".visible .global .align 4 .u32 v = 5;\n", MANAGED + ".visible .global .u32 v = 5;\n"]
)
def test_a_load_without_descriptors_changes_nothing(
    machine: Machine, process: Process, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory of a device is a file; managed variables of a library that were placed before are taken back."""
    c = process.c
    library = done(c.cuLibraryLoadData(ptx(text), (), (), 0, (), (), 0))
    before = machine.snapshot()
    with monkeypatch.context() as patch:
        patch.setattr(os, "memfd_create", no_descriptor)
        for call, argument in (("cuModuleLoadData", ptx(text)), ("cuLibraryGetModule", library)):
            with pytest.raises(
                FakeCudaError, match=r"cannot create a sparse file of .* Too many open files .*ulimit -n"
            ):
                getattr(c, call)(argument)
            assert machine.snapshot() == before
            assert not is_torn(machine)
    done(c.cuLibraryGetModule(library))
    machine.check_invariants()


def no_descriptor(_: str) -> int:
    """Fail as a process that has too many files."""
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("call", ["cuModuleLoadData", "cuLibraryGetManaged", "cuModuleEnumerateFunctions"])
def test_a_load_without_memory_is_not_begun(
    machine: Machine, process: Process, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many variables or kernels take more than each call asks for where the OS process has a limit."""
    c = process.c
    data = ptx(MANAGED, ".visible .entry e() { ret; }")
    library, module = done(c.cuLibraryLoadData(data, (), (), 0, (), (), 0)), done(c.cuModuleLoadData(data))
    calls = {
        "cuModuleLoadData": (data,),
        "cuLibraryGetManaged": (library, b"shared"),
        "cuModuleEnumerateFunctions": (1, module),
    }
    before = machine.snapshot()
    with monkeypatch.context() as patch:
        patch.setattr(headroom, "limited", limited := [mmap.PAGESIZE])
        patch.setattr("fakecuda.rules.dispatch.limited", limited)
        patch.setattr(headroom, "OBJECT", FAR)
        with pytest.raises(MemoryError, match="did not begin the call"):
            getattr(c, call)(*calls[call])
    assert not is_torn(machine)
    assert machine.snapshot() == before
    done(getattr(c, call)(*calls[call])[:2])


def test_a_linker_whose_image_passes_the_cap_has_made_none() -> None:
    """It can be asked again."""
    machine = Machine("h200", strict=False)
    c = started(machine).c
    state = done(c.cuLinkCreate(0, None, None))
    done(c.cuLinkAddData(state, 1, PTX, len(PTX), None, 0, None, None))
    machine.pinned.cap, kept = 0, machine.pinned.cap
    before = machine.snapshot()
    with pytest.raises(FakeCudaError, match="memory_cap"):
        c.cuLinkComplete(state)
    assert machine.snapshot() == before
    machine.pinned.cap = kept
    assert c.cuLinkComplete(state)[0] == 0
    machine.check_invariants()


def test_a_text_is_read_over_many_pages() -> None:
    """Up to its end, without what was read being copied again."""
    data = PTX + b" " * (1 << 16)
    held = ctypes.create_string_buffer(data)
    assert image_at(ctypes.addressof(held)) == data


def test_rows_of_zeros_take_no_memory_of_the_host(process: Process) -> None:
    """Where memory is a hole it stays one; what was written is zeros."""
    c, rows, row = process.c, 64, 1 << 15
    address = done(c.cuMemAlloc(2 * rows * row))
    put(process, address + 2 * row - 8, b"\xff" * 24)
    memory = process.contexts[c.cuCtxGetCurrent()[1]].device.memory
    held = os.fstat(memory.file()[0]).st_blocks
    done(c.cuMemsetD2D8(address, 2 * row, 0, row, rows))
    assert os.fstat(memory.file()[0]).st_blocks == held
    assert contents(process, address + 2 * row - 8, 24) == b"\xff" * 8 + bytes(16)


@pytest.mark.parametrize("kind", ["cubin", "compressed"])
def test_handlers_run_while_an_image_is_read(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Between pieces of a table of symbols, and of what is decompressed."""
    pauses: list[None] = []
    monkeypatch.setattr(reading, "pause", lambda: pauses.append(None))
    if kind == "cubin":
        parsed(named(2 * cubin.ROWS, 8, 0), ARCH, NEWEST)
    else:
        content = (b"a" * 3000 + b"b" * 3000) * 40
        assert packed.unpacked(block(content), packed.LZ4, len(content)) == content
    assert pauses


def test_what_has_no_end_is_no_file_of_code(process: Process, tmp_path: Path) -> None:
    """A device that never ends is refused; a pipe without a writer, and a device without bytes, are no images."""
    with pytest.raises(FakeCudaError, match="pass the path of a regular file"):
        process.c.cuModuleLoad(b"/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for name in (b"/dev/null", os.fsencode(tmp_path / "pipe")):
        assert process.c.cuModuleLoad(name)[0] == INVALID_IMAGE
