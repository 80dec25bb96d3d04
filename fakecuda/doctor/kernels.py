"""The kernels in a file: fatbins, cubins and PTX."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from fakecuda.model.code.code import Refused
from fakecuda.model.code.image import CONTAINER, ELF, FATBIN, PTX, parts

if TYPE_CHECKING:
    from mmap import mmap

START = FATBIN.to_bytes(4, "little") + CONTAINER
TEXT = re.compile(rb"\.version\s+(\d+)\.(\d+)\s+\.target\s+sm_(\d+)")
"""Matches the beginning of PTX."""
CONTAINER_HEADER = 16

Kernels = dict[str, set[str]]
"""Versions and architectures of PTX (``"ptx"``) and architectures of cubins (``"cubin"``), as texts."""


def of_fatbins(data: mmap | bytes, at: int, size: int) -> tuple[int, Kernels, list[str]]:
    """Return the versions and architectures of fatbins, without unpacking images.

    Args:
        data: The file.
        at: The offset of the part.
        size: Bytes of the part.

    Returns:
        The number of fatbins, their images, and what is wrong with damaged ones.
    """
    found: Kernels = {}
    wrong: list[str] = []
    count, end = 0, min(at + size, len(data))
    while (at := data.find(START, at, end)) >= 0:
        count += 1
        if end - at < CONTAINER_HEADER:
            wrong.append(f"the fatbin at byte {at} is cut off")
            break
        _, _, header, length = struct.unpack_from("<IHHQ", data, at)
        whole = header + length
        if at + whole > end:
            wrong.append(f"the fatbin at byte {at} claims {whole} bytes, but {end - at} follow")
            break
        try:
            _add(found, data[at : at + whole])
        except (Refused, struct.error):
            wrong.append(f"the fatbin at byte {at} is damaged")
        at += max(whole, len(START))
    return count, found, wrong


def _add(found: Kernels, fatbin: bytes) -> None:
    for part in parts(fatbin):
        if part.kind == PTX:
            found.setdefault("ptx", set()).add(f"{part.version[0]}.{part.version[1]} for sm_{part.arch}")
        elif part.kind == ELF:
            found.setdefault("cubin", set()).add(f"sm_{part.arch}")


def of_text(match: re.Match[bytes]) -> str:
    """Return the version and the architecture of PTX, from a match of ``TEXT``."""
    major, minor, arch = (int(part) for part in match.groups())
    return f"{major}.{minor} for sm_{arch}"


def text_of(found: Kernels) -> str:
    """Return the kernels of a file as text."""
    said = []
    if found.get("ptx"):
        said.append("PTX " + ", ".join(sorted(found["ptx"], key=_natural)))
    if found.get("cubin"):
        said.append(f"cubins {'' if said else 'alone '}for {', '.join(sorted(found['cubin'], key=_natural))}")
    return " and ".join(said) or "no image for a GPU"


def _natural(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]
