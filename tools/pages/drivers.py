"""Writes the page of drivers, ``docs/drivers.md``.

The additions of each CUDA version, and differing answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda import profiles
from fakecuda.profiles.cards import RELEASES
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import versions
from fakecuda.spec.symbols import symbols
from tools.codegen.steps import ROOT
from tools.pages.markdown import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INTRODUCTION = """# Differences between drivers

A profile has the driver of one CUDA version. Profiles such as `driver-12.4` are two H200 with an older or a newer driver than the probed one;
`fakecuda.profiles.load("h200").with_driver(12080)` makes others. A driver has the functions, codes, attributes, limits and flags of its version
and of earlier ones. They come from the headers of CUDA 11.4 to 13.3, as each release of [cuda-python](https://github.com/NVIDIA/cuda-python)
binds them; additions of the 13.4 release are listed under 13.4. The tables are [versions.toml](../fakecuda/spec/versions.toml),
[drivers.toml](../fakecuda/spec/drivers.toml) and [symbols.json](../fakecuda/spec/symbols.json). `tests/profiles/test_drivers.py` checks each row
on a driver before and after the change.

Only driver 580 (CUDA 13.0) was recorded. So it is not known where other drivers answer differently without a change of the header. A recording of
another driver contains its profile: `python -m conformance.record.replay FOLDER` lists the model's differing answers.
"""
OLDEST = 12010
"""The first version on the page."""


def files() -> dict[Path, str]:
    """Return the page, by its path."""
    return {ROOT / "docs" / "drivers.md": "\n".join([INTRODUCTION, *_sections()]).rstrip("\n") + "\n"}


def _sections() -> Iterator[str]:
    changes, gone = versions.changes()
    everything = {symbol.version for symbol in symbols()} | {
        since for rows in versions.SINCE.values() for since in rows.values()
    }
    named = {profiles.load(name).driver_version: name for name in profiles.names() if name.startswith("driver-")}
    for version in sorted(version for version in everything if version >= OLDEST):
        yield f"## CUDA {version // 1000}.{version % 1000 // 10}"
        yield ""
        if version in RELEASES:
            yield f"A driver of this CUDA version is {RELEASES[version]}{f'; `{named[version]}` is its profile' if version in named else ''}."
            yield ""
        parts = {
            **_functions(version),
            **{
                WORDS[enum]: [name for name, since in rows.items() if since == version]
                for enum, rows in versions.TABLES.items()
            },
            "no longer in the header, but still exported by the library": [
                name for one in gone if one.version == version for name in one.functions
            ],
        }
        for what, found in parts.items():
            if found:
                yield wrapped(f"- {what}: {', '.join(f'`{name}`' for name in found)}.")
        for change in changes:
            if change.version == version:
                calls = ", ".join(f"`{call}`" for call in change.calls)
                yield wrapped(f"- {calls} {change.does}. Earlier drivers answer `{change.before}`. {change.source}.")
        yield ""


WORDS = {
    "CUresult": "codes",
    "CUdevice_attribute": "attributes of devices",
    "CUctx_flags": "flags of contexts",
    "CUlimit": "limits",
    "CUdevice_P2PAttribute": "attributes of links",
    "CUpointer_attribute": "attributes of pointers",
    "CUmem_range_attribute": "attributes of managed memory",
    "CUmemPool_attribute": "attributes of memory pools",
    "CUlaunchAttributeID": "attributes of launches",
}
"""Texts for the enumerations."""


def _functions(version: int) -> dict[str, list[str]]:
    """Return the functions of a version.

    These are modelled new ones, other new ones, and new forms of older ones.
    """
    first: dict[str, int] = {}
    for symbol in symbols():
        first[symbol.base] = min(symbol.version, first.get(symbol.base, symbol.version))
    came = sorted({symbol.name for symbol in symbols() if symbol.version == version and not symbol.stream})
    bases = {symbol.name: symbol.base for symbol in symbols()}
    new = [name for name in came if first[bases[name]] == version]
    return {
        "functions": [name for name in new if bases[name] in DRIVER.ops],
        "functions that are not modelled": [name for name in new if bases[name] not in DRIVER.ops],
        "new forms of functions": [name for name in came if name not in new],
    }
