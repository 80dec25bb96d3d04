"""The PTX of an image: a text, a fatbin, or a cubin that carries PTX.

Compilers write PTX into the section ``.nv_debug_ptx_txt`` of a cubin if they write line numbers: with ``-lineinfo`` or ``-G``. A
NUL ends each of its lines.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fakecuda.model.code import cubin, image, ptx, ptx_tokens
from fakecuda.model.code.code import joined

if TYPE_CHECKING:
    from fakecuda.model.code.code import Joined

SECTION = ".nv_debug_ptx_txt"
FATBIN_HEAD = 16
ANY_VERSION = (1 << 20, 0)
"""A PTX version above all others: any driver reads the PTX in a cubin."""


def ptx_of(data: bytes, arch: int) -> str | None:
    """Return the PTX of a loaded image, or None.

    Args:
        data: The image.
        arch: The device's architecture, such as 90 for sm_90.

    Raises:
        Refused: The PTX that a cubin carries is not right.
    """
    if data.startswith(cubin.MAGIC):
        return _of_cubin(data)
    if len(data) >= FATBIN_HEAD and struct.unpack_from("<I", data)[0] == image.FATBIN:
        return _of_fatbin(data, arch)
    return ptx_tokens.text_of(data)


def inputs_of(data: bytes) -> list[bytes]:
    """Return the linker inputs of a cubin, in order; empty for other images."""
    if not data.startswith(cubin.MAGIC):
        return []
    file = cubin.opened(data)
    found = [one for one in file.sections if one.name.startswith(cubin.INPUT)]
    return [file.part(one.offset, one.offset + one.size) for one in found]


def names_of(inputs: list[bytes], arch: int) -> list[Joined]:
    """Return how a linker renamed the names of its inputs."""
    kinds = [image.CUBIN if one.startswith(cubin.MAGIC) else image.TEXT for one in inputs]
    return joined(image.relocatable(kind, one, arch, ANY_VERSION) for kind, one in zip(kinds, inputs, strict=True))


def _of_cubin(data: bytes) -> str | None:
    """Return the PTX that a cubin carries, or None."""
    file = cubin.opened(data)
    for section in file.sections:
        if section.name.startswith(SECTION):
            found = file.part(section.offset, section.offset + section.size).replace(b"\0", b"\n")
            ptx.parsed(found, cubin.arch_of(data), ANY_VERSION, whole=False)
            return found.decode("latin-1")
    return None


def _of_fatbin(data: bytes, arch: int) -> str | None:
    """Return the newest PTX of a fatbin for a device, or of its newest cubin.

    All images of a fatbin are made from one source, so that each of them says what the kernels do.
    """
    parts = sorted((one for one in image.parts(data) if one.arch <= arch), key=lambda one: one.arch, reverse=True)
    for part in parts:
        if part.kind == image.PTX:
            return ptx_tokens.text_of(part.image(data))
    cubins = (_of_cubin(part.image(data)) for part in parts if part.kind == image.ELF)
    return next((one for one in cubins if one is not None), None)
