"""The head of a PTX text: its version, its target and the size of its addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fakecuda.model.code.code import BAD_IMAGE, NEW_PTX, Refused
from fakecuda.model.code.ptx_source import SHOWN, name_of, number_of
from fakecuda.model.code.ptx_tokens import FLOAT, INTEGER
from fakecuda.spec import ptx as spec

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_source import Source
    from fakecuda.spec.ptx import Target, Version

ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d++)([af]?)")
DIGITS = 9
"""The maximum number of digits of a version or architecture that is read."""
PLATFORM = frozenset({"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"})
"""Parts of a target directive that are not architectures."""
NARROW, WIDE = 32, 64
"""The address sizes in bits."""
SIZED = (2, 3)
"""The first PTX version with an address size directive."""
WIDE_ONLY = 90
"""The first architecture without 32-bit addresses."""


def read(source: Source, arch: int, newest: tuple[int, int]) -> tuple[Version, Target, bool]:
    """Read the version, the target and the size of addresses.

    Returns the version, the target, and whether the target has debugging data.

    Args:
        source: The text.
        arch: The architecture of the device, such as 90 for sm_90.
        newest: The newest version of PTX that is compiled. A version after all that are known is read as the last of them.

    Raises:
        Refused: They are not those of PTX that the device's driver compiles.
    """
    try:
        source.advance()
        directive = source.said
        source.advance()
    except Refused as refused:
        raise Refused(BAD_IMAGE, refused.reason, refused.line, refused.column) from None
    version = source.said.split(".")
    if directive == ".version" and source.kind == INTEGER:
        source.want("a version such as 9.0")
    if directive != ".version" or source.kind != FLOAT or not all(map(str.isdigit, version)):
        raise Refused(BAD_IMAGE)
    major, minor = (_counted(number) for number in version)
    known = spec.table("isa")["versions"]
    last = max((int(one), max(minors)) for one, minors in known.items())
    if (major, minor) > newest or ((major, minor) <= last and minor not in known.get(str(major), ())):
        raise Refused(NEW_PTX, f"{major}.{minor}")
    source.advance()
    if source.said != ".target":
        source.want(".target")
    source.advance()
    target = ARCHITECTURE.fullmatch(source.said)
    if target is None:
        source.want("an architecture")
    least = _counted(target[1])
    if least > arch or (target[2] == "a" and least != arch):
        source.refuse(f"a device of sm_{arch} cannot run code for {source.said[:SHOWN]}: compile for sm_{arch}")
    since = spec.table("isa")["targets"].get(f"sm_{least}{target[2]}")
    if since is None or spec.version_of(since) > (major, minor):
        first = f"PTX has it since version {since}" if since else "there is no such target"
        source.refuse(f".version {major}.{minor} has no target {source.said[:SHOWN]}: {first}")
    debugged = False
    source.advance()
    while source.said == ",":
        source.advance()
        if name_of(source) not in PLATFORM and ARCHITECTURE.fullmatch(source.said) is None:
            source.refuse(f"there is no target {source.said[:SHOWN]}: remove it")
        debugged = debugged or source.said == "debug"
        source.advance()
    if source.said == ".address_size":
        if (major, minor) < SIZED:
            source.refuse(f".address_size needs .version {SIZED[0]}.{SIZED[1]} or later")
        source.advance()
        if source.kind != INTEGER or (number_of(source) != WIDE and (number_of(source) != NARROW or arch >= WIDE_ONLY)):
            source.want(f"{WIDE}, or {NARROW} for devices before sm_{WIDE_ONLY}")
        source.advance()
    return (major, minor), (least, target[2]), debugged


def _counted(digits: str) -> int:
    """Return the value of digits.

    Any value beyond the largest real one stands for a larger value.
    """
    return int((digits.lstrip("0") or "0")[:DIGITS])
