"""Images of code, with kernels, their parameters, and variables.

An image is PTX (text), a cubin (an ELF file), or a fatbin, which contains both. The result of a driver's compiler for
PTX is unknown, so kernels from PTX have a typical number of registers.
"""

from __future__ import annotations

import mmap
import struct
from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from fakecuda.model.code import cubin, packed
from fakecuda.model.code.code import BAD_IMAGE, BAD_PTX, CUT, LINKED, OTHER_DEVICE, STRANGE, Image, Refused
from fakecuda.model.code.cost import spent
from fakecuda.model.memory.space import bytes_at, mapped_access

if TYPE_CHECKING:
    from collections.abc import Iterator

FATBIN = 0xBA55ED50
CONTAINER = b"\x01\0"
"""The version of the fatbin format."""
PART = 64
"""The minimum header size of an image in a fatbin."""
ARCHIVE = b"!<arch>\n"
MEMBER = 60
"""The header size of an archive member."""
MEMBER_SIZE, MEMBER_END = slice(48, 58), slice(58, 60)
"""The place of the member's size in its header, and the bytes that end the header."""
LARGEST_INT = (1 << 31) - 1
"""The largest value of a function attribute, which is an int."""
PARAMS = 32764
"""The maximum size of all parameters of a kernel."""
PTX, ELF = 1, 2
"""Kinds of images in a fatbin."""
CUBIN, TEXT, FATBINARY = 0, 1, 2
"""CU_JIT_INPUT_CUBIN, _PTX and _FATBINARY, the kinds of a linker's inputs."""


@frozen
class Part:
    """An image of a fatbin.

    Attributes:
        kind: ``PTX`` or ``ELF``. Other kinds are skipped.
        arch: Its architecture, such as 90 for sm_90.
        version: The version of PTX of a text, such as (9, 0). For other kinds a version of its format.
        flags: Its compression, as a flag of :mod:`fakecuda.model.code.packed`. 0 without compression.
        size: Bytes of the decompressed image, if it is compressed.
        start: The offset of its bytes in the fatbin.
        end: The offset after its bytes.
    """

    kind: int
    arch: int
    version: tuple[int, int]
    flags: int
    size: int
    start: int
    end: int

    def image(self, data: bytes) -> bytes:
        """Return the bytes of the image, decompressed.

        Args:
            data: The fatbin.

        Raises:
            Refused: The compressed image is damaged or too large, or no installed package reads it.
        """
        found = data[self.start : self.end]
        spent.bytes_read += len(found)
        return packed.unpacked(found, self.flags, self.size) if self.flags else found


@lru_cache(maxsize=64)
def parsed(data: bytes, arch: int, newest: tuple[int, int]) -> Image:
    """Return the contents of an image for a device.

    Args:
        data: The image.
        arch: The device's architecture, such as 90 for sm_90.
        newest: The newest version of PTX that its driver compiles.

    Raises:
        Refused: It is not an image, or not for that device.
    """
    return evolve(_parsed(data, arch, newest), code=data)


def is_text(data: bytes) -> bool:
    """Return whether an image is PTX: neither a cubin nor a fatbin."""
    return data[:4] not in {cubin.MAGIC, FATBIN.to_bytes(4, "little")}


def _parsed(data: bytes, arch: int, newest: tuple[int, int]) -> Image:
    if data.startswith(cubin.MAGIC):
        return _sound(cubin.parsed(data, arch), BAD_IMAGE)
    if len(data) >= struct.calcsize("<IHHQ") and struct.unpack_from("<I", data)[0] == FATBIN:
        if data[4:6] != CONTAINER:
            raise Refused(BAD_IMAGE)
        return _chosen(data, arch, newest)
    return _compiled(data, arch, newest)


@lru_cache(maxsize=64)
def relocatable(kind: int, data: bytes, arch: int, newest: tuple[int, int]) -> Image:
    """Return the contents of a linker's input for an architecture.

    Another input may define what it uses.

    A driver recognises an input by its bytes and not by its type, except for a cubin.

    Args:
        kind: ``CUBIN``, ``TEXT`` or ``FATBINARY``.
        data: The input.
        arch: The architecture, such as 90 for sm_90.
        newest: The newest version of PTX that is compiled.

    Raises:
        Refused: The input is not of that kind, or not for that architecture.
    """
    return evolve(_relocatable(kind, data, arch, newest), code=data)


def _relocatable(kind: int, data: bytes, arch: int, newest: tuple[int, int]) -> Image:
    if data.startswith(cubin.MAGIC) and (kind == CUBIN or cubin.of_a_device(data)):
        return _to_be_linked(data, arch)
    if kind == CUBIN or data.startswith(cubin.MAGIC):
        raise Refused(BAD_IMAGE)
    if len(data) >= struct.calcsize("<IHHQ") and struct.unpack_from("<I", data)[0] == FATBIN:
        if data[4:6] != CONTAINER:
            raise Refused(BAD_IMAGE)
        return _chosen(data, arch, newest, whole=False)
    return _compiled(data, arch, newest, whole=False)


def _compiled(text: bytes, arch: int, newest: tuple[int, int], *, whole: bool = True) -> Image:
    from fakecuda.model.code import ptx  # noqa: PLC0415 - most processes load no PTX

    return _sound(ptx.parsed(text, arch, newest, whole=whole), BAD_PTX)


def _sound(image: Image, why: str) -> Image:
    """Return an image if a driver can report all numbers of its kernels.

    Raises:
        Refused: A number is too large; the reason is ``why``.
    """
    for entry in image.entries.values():
        numbers = entry.registers, entry.shared, entry.constant, entry.local, entry.most, entry.rank
        if max(*numbers, *(entry.block or ()), *(entry.cluster or ())) > LARGEST_INT or entry.bytes_of_params > PARAMS:
            raise Refused(why)
    return image


def _to_be_linked(data: bytes, arch: int) -> Image:
    """Return the contents of a cubin that must not be linked yet."""
    if len(data) < cubin.HEADER or len(data) < cubin.length(data):
        raise Refused(CUT)
    if not cubin.of_a_device(data):
        raise Refused(STRANGE)
    if cubin.linked(data):
        raise Refused(LINKED)
    return _sound(cubin.parsed(data, arch), BAD_IMAGE)


def parts(data: bytes) -> Iterator[Part]:
    """Yield the images of a fatbin; images inside other images are skipped.

    The number of images is therefore bounded by the number of headers that fit into the fatbin.

    Args:
        data: The fatbin. Bytes after its end do not matter.

    Raises:
        Refused: An image begins inside its own header.
    """
    _, _, at, length = struct.unpack_from("<IHHQ", data)
    end = min(at + length, len(data))
    while at + PART <= end:
        spent.bytes_read += PART
        kind, _, header, size = struct.unpack_from("<HHIQ", data, at)
        minor, major, arch = struct.unpack_from("<HHI", data, at + 24)
        flags = struct.unpack_from("<Q", data, at + 40)[0]
        if header < PART:
            raise Refused(BAD_IMAGE)
        start, how = at + header, flags & (packed.LZ4 | packed.ZSTD)
        used, whole = (struct.unpack_from(form, data, at + place)[0] for form, place in (("<I", 16), ("<Q", 56)))
        yield Part(kind, arch, (major, minor), how, whole, start, start + (used if how else size))
        at = start + size


def _chosen(data: bytes, arch: int, newest: tuple[int, int], *, whole: bool = True) -> Image:
    """Return the image that a driver selects from a fatbin.

    It is the newest cubin that the device runs, or else the newest PTX that the driver compiles.
    """
    best: dict[int, Part] = {}
    for part in parts(data):
        fits = cubin.runs(part.arch, arch) if part.kind == ELF else part.kind == PTX and part.arch <= arch
        if fits and (part.kind not in best or best[part.kind].arch <= part.arch):
            best[part.kind] = part
    if ELF in best:
        one = best[ELF].image(data)
        return _sound(cubin.parsed(one, arch), BAD_IMAGE) if whole else _to_be_linked(one, arch)
    if PTX in best:
        return _compiled(best[PTX].image(data), arch, newest, whole=whole)
    raise Refused(OTHER_DEVICE)


def image_at(address: int) -> bytes:
    """Return the image at an address, with its claimed size.

    A text ends before its NUL.

    Raises:
        Unreadable: The image cannot be read.
    """
    head = bytes_at(address, 4)
    if head == cubin.MAGIC:
        size = cubin.length(bytes_at(address, cubin.HEADER))
    elif head == FATBIN.to_bytes(4, "little"):
        _, _, at, length = struct.unpack("<IHHQ", bytes_at(address, 16))
        size = at + length
    else:
        text = _text_at(address)
        if not text.startswith(ARCHIVE):
            return text
        size = _archive_size(address)
    return bytes_at(address, size if mapped_access(address, size) else cubin.HEADER)


def member_size(head: bytes) -> int:
    """Return the total size of an archive member, padded; 0 if it is not a member.

    Args:
        head: What stands before it, as far as the archive goes.
    """
    digits = head[MEMBER_SIZE].strip()
    if head[MEMBER_END] != b"`\n" or not digits.isdigit():
        return 0
    return MEMBER + int(digits) + int(digits) % 2


def _archive_size(address: int) -> int:
    """Return the size of an archive."""
    end = address + len(ARCHIVE)
    while mapped_access(end, MEMBER) and (more := member_size(bytes_at(end, MEMBER))):
        spent.bytes_read += MEMBER
        end += more
    return end - address


def _text_at(address: int) -> bytes:
    """Return the text up to the next NUL, searched page by page."""
    pages: list[bytes] = []
    while True:
        page = bytes_at(address, mmap.PAGESIZE - address % mmap.PAGESIZE)
        address += len(page)
        found, end, _ = page.partition(b"\0")
        pages.append(found)
        if end:
            return b"".join(pages)
