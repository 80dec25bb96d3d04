"""Images of code: what is read of a cubin, a fatbin and PTX."""

from __future__ import annotations

import ctypes
import struct
import sys
from types import SimpleNamespace

import pytest

from fakecuda.model.code import packed
from fakecuda.model.code.code import BAD_IMAGE, BAD_PTX, CONSTANT, GLOBAL, MANAGED, OTHER_DEVICE, PACKED, Refused
from fakecuda.model.code.cubin import SECTION, SYMBOL, is_cut
from fakecuda.model.code.image import image_at, parsed

ARCH, NEWEST = 90, (9, 0)
PADDING = bytes(5)
"""The bytes after a compressed image."""
HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"


def attribute(number: int, *values: int) -> bytes:
    """Return an attribute of a section ``.nv.info``."""
    data = struct.pack(f"<{len(values)}I", *values)
    return struct.pack("<BBH", 4, number, len(data)) + data


def cubin(arch: int = ARCH, machine: int = 190, abi: int = 8, ptx: bytes = b"") -> bytes:
    """Return a cubin with a kernel, a constant, a variable and a managed one, and perhaps the lines of its PTX."""
    strings = b"\0k\0limit\0table\0shared\0other\0"
    names = {name: strings.index(b"\0" + name + b"\0") + 1 for name in (b"k", b"limit", b"table", b"shared", b"other")}
    symbols = b"".join(
        SYMBOL.pack(names[name], kind, other, place, at, size)
        for name, kind, other, place, at, size in (
            (b"k", 0x12, 0x10, 6, 0, 64),
            (b"limit", 1, 0, 7, 0, 4),
            (b"table", 1, 0, 8, 0, 256),
            (b"shared", 1, 4, 8, 0, 4),
            (b"other", 1, 0, 6, 0, 4),
            (b"other", 2, 0, 6, 0, 4),
        )
    )
    param = struct.pack("<BBH", 4, 0x17, 12) + struct.pack("<IHHI", 0, 0, 0, 8 << 18)
    own = (
        param
        + attribute(0x05, 32, 2, 1)
        + attribute(0x10, 64, 1, 1)
        + attribute(0x3D, 2, 1, 1)
        + struct.pack("<BBH", 1, 0x3E, 0)
        + attribute(0x3F, 4)
        + attribute(0x99, 1)
    )
    told = attribute(0x2F, 0, 24) + attribute(0x11, 0, 16) + attribute(0x12, 0, 16)
    parts = [
        (".strtab", 3, strings, 0),
        (".symtab", 2, symbols, 0),
        (".nv.info", 1, told, 0),
        (".nv.info.k", 1, own, 0),
        (".nv.shared.k", 8, b"", 1024 + 512),
        (".text.k", 1, bytes(64), 0),
        (".nv.constant3", 1, struct.pack("<I", 7), 0),
        (".nv.global", 8, b"", 256),
        *([(".nv_debug_ptx_txt.1", 1, ptx.replace(b"\n", b"\0"), 0)] if ptx else []),
    ]
    texts = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in parts) + b".shstrtab\0"
    body, rows = b"", [SECTION.pack(*[0] * 10)]
    for name, kind, data, size in [*parts, (".shstrtab", 3, texts, 0)]:
        at = texts.index(b"\0" + name.encode() + b"\0") + 1
        rows.append(SECTION.pack(at, kind, 0, 0, 64 + len(body), size or len(data), 0, 0, 1, 0))
        body += data
    head = b"\x7fELF\2\1\1\x41" + bytes([abi]) + bytes(7) + struct.pack("<HHI", 2, machine, 1)
    flags = arch << 8 if abi >= 8 else arch
    head += struct.pack("<QQQIHHHHHH", 0, 0, 64 + len(body), flags, 64, 56, 0, 64, len(rows), len(rows) - 1)
    return head + body + b"".join(rows)


def fatbin(*parts: tuple[int, int, bytes, int], whole: int = 0) -> bytes:
    """Return a fatbin of images: kind, architecture, bytes, flags; how many bytes a compressed one has."""
    body = b""
    for kind, arch, data, flags in parts:
        padding = PADDING if flags else b""
        head = (
            struct.pack("<HHIQI", kind, 0x101, 64, len(data + padding), len(data)) + bytes(8) + struct.pack("<I", arch)
        )
        body += head + bytes(8) + struct.pack("<QQQ", flags, 0, whole) + data + padding
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def test_a_cubin_without_any_symbol_is_refused() -> None:
    """Not even the first one, which every symbol table has: a driver crashes."""
    names = (b".strtab", b".symtab", b".shstrtab")
    texts = b"\0" + b"\0".join(names) + b"\0"
    rows = [SECTION.pack(*[0] * 10)]
    rows += [
        SECTION.pack(texts.index(name), kind, 0, 0, 64, len(texts) * (name == names[2]), 0, 0, 1, 0)
        for name, kind in zip(names, (3, 2, 3), strict=True)
    ]
    head = b"\x7fELF\2\1\1\x41\x08" + bytes(7) + struct.pack("<HHI", 2, 190, 1)
    head += struct.pack("<QQQIHHHHHH", 0, 0, 64 + len(texts), ARCH << 8, 64, 56, 0, 64, len(rows), len(rows) - 1)
    with pytest.raises(Refused) as caught:
        parsed(head + texts + b"".join(rows), ARCH, NEWEST)
    assert caught.value.why == BAD_IMAGE


@pytest.mark.parametrize("abi", [7, 8])
def test_a_cubin_tells_of_its_kernels_and_variables(abi: int) -> None:
    """Parameters, registers, memory, blocks and clusters; where each variable lies."""
    image = parsed(cubin(abi=abi), ARCH, NEWEST)
    (entry,) = image.entries.values()
    assert (entry.name, entry.params, entry.registers, entry.local, entry.shared) == ("k", ((0, 8),), 24, 16, 512)
    assert (entry.most, entry.block, entry.cluster, entry.clustered, entry.rank) == (
        64,
        (64, 1, 1),
        (2, 1, 1),
        False,
        4,
    )
    assert {one.name: one.kind for one in image.variables.values()} == {
        "limit": CONSTANT,
        "table": GLOBAL,
        "shared": MANAGED,
    }
    assert image.variables["limit"].data == struct.pack("<I", 7)


def block(data: bytes) -> bytes:
    """Return a block of LZ4 that holds some bytes as they are."""
    more = len(data) - 15
    return bytes([0xF0]) + b"\xff" * (more // 255) + bytes([more % 255]) + data


@pytest.mark.parametrize(
    ("packed_", "content"),
    [
        (b"\x10a", b"a"),
        (b"\x1fa\1\0\x05", b"a" * 25),
        (b"\x45abcd\4\0\x10e", b"abcdabcdabcd" + b"a" + b"e"),
        (b"\x42abcd\3\0\x10e", b"abcdbcdbcde"),
        (block(bytes(range(256)) * 2), bytes(range(256)) * 2),
    ],
)
def test_blocks_of_lz4(packed_: bytes, content: bytes) -> None:
    """Bytes as they are, matches of what came before, of themselves too, and long lengths."""
    assert packed.unpacked(packed_, packed.LZ4, len(content)) == content


@pytest.mark.parametrize("data", [b"", b"\x1fa\2\0\x05", b"\x1fa\0\0\x05", b"\xf0\xff", b"\x10"])
def test_damaged_blocks_are_no_images(data: bytes) -> None:
    """What ends early, and matches of what is not there."""
    with pytest.raises(Refused) as refused:
        packed.unpacked(data, packed.LZ4, 25)
    assert refused.value.why == BAD_IMAGE


def test_a_compressed_fatbin_is_read() -> None:
    """Its cubin is a block of LZ4, with some bytes behind it."""
    image = parsed(fatbin((2, 90, block(cubin()), packed.LZ4), whole=len(cubin())), ARCH, NEWEST)
    assert list(image.entries) == ["k"]


def test_zstandard_is_read_where_something_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the standard library or by the package of the extra; without either it is said that it is not."""

    class DamageError(Exception):
        pass

    class Reader:
        eof = True
        unused_data = b""

        def decompress(self, data: bytes, max_length: int) -> bytes:
            assert max_length in {len(cubin()) + 1, 6}
            self.eof, self.unused_data = data != b"cut", data.partition(b"frame")[2]
            if not data.startswith((b"frame", b"cut")):
                raise DamageError
            return cubin()

    data = fatbin((2, 90, b"frame", packed.ZSTD), whole=len(cubin()))
    for name in packed.MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    assert why(data) == PACKED
    reader = SimpleNamespace(ZstdDecompressor=Reader, ZstdError=DamageError)
    monkeypatch.setitem(sys.modules, packed.MODULES[-1], reader)
    assert list(parsed(data, ARCH, NEWEST).entries) == ["k"]
    for frame in (b"other", b"cut", b"frame and more", b"frame"):
        assert why(fatbin((2, 90, frame, packed.ZSTD), whole=5)) == BAD_IMAGE


def why(data: bytes) -> str:
    """Return why an image is refused."""
    with pytest.raises(Refused) as refused:
        parsed(data, ARCH, NEWEST)
    return refused.value.why


def test_images_that_are_refused() -> None:
    """Another machine, another device, what is cut off, and PTX that is wrong."""
    assert why(cubin(machine=62)) == BAD_IMAGE
    assert why(cubin(arch=100)) == OTHER_DEVICE
    assert why(cubin()[:70]) == BAD_IMAGE
    assert why(fatbin()) == OTHER_DEVICE
    for body in (
        ".visible .entry e() {",
        ".visible .entry e(.param .x p) { ret; }",
        ".visible .entry e(nothing) { ret; }",
        ".extern .func (.param .u32 r) other(.param .u32 a);\n.visible .entry e() { call (y), other, (x); }",
    ):
        assert why((HEAD + body).encode()) == BAD_PTX, body


def test_a_fatbin_gives_the_best_image() -> None:
    """A cubin before PTX, and PTX where no cubin fits."""
    text = (HEAD + ".visible .entry e() { ret; }").encode()
    assert list(parsed(fatbin((1, 70, text, 0), (2, 90, cubin(), 0)), ARCH, NEWEST).entries) == ["k"]
    assert list(parsed(fatbin((1, 70, text, 0), (2, 100, cubin(100), 0)), ARCH, NEWEST).entries) == ["e"]


def test_ptx_tells_of_its_kernels_and_variables() -> None:
    """Clusters, registers, memory, arrays and what variables begin with."""
    text = (
        HEAD
        + """
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.visible .global .attribute(.managed) .align 4 .u32 shared = 3;
.visible .const .align 4 .b8 words[2][3] = {1, 2, 0x3};
.extern .shared .align 16 .b8 dynamic[];
.visible .global .f32 ratio = 0f3F800000;
.func helper() { { ret; } }
.visible .entry e(.param .align 8 .b8 s[12], .param .u8 c) .maxnreg 40 .explicitcluster .maxclusterrank 4
{ .local .align 4 .b8 room[16]; .reg .b32 r; .reg .b64 a, b; call (r), vprintf, (a, b); ret; }
"""
    )
    image = parsed(text.encode(), ARCH, NEWEST)
    entry = image.entries["e"]
    assert (entry.params, entry.bytes_of_params) == (((0, 12), (12, 1)), 13)
    assert (entry.registers, entry.local, entry.clustered, entry.rank, entry.constant) == (40, 16, True, 4, 6)
    assert image.variables["words"].data == b"\1\2\3"
    assert image.variables["shared"].kind == MANAGED
    assert image.variables["ratio"].data == b"\0\0\x80\x3f"


def test_images_are_read_from_memory() -> None:
    """As long as they say that they are, and texts up to their end."""
    for data in (cubin(), fatbin((2, 90, cubin(), 0)), b"a text"):
        buffer = ctypes.create_string_buffer(data)
        assert image_at(ctypes.addressof(buffer)) == data


def test_a_cubin_without_sections_is_cut() -> None:
    """And so is what is too short."""
    assert not is_cut(cubin())
    assert is_cut(cubin()[:30])
