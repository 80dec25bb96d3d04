"""What a driver of a version knows: codes, device attributes, flags and functions that came with it or before.

Versions are 1000 * major + 10 * minor; the tables stand in ``versions.toml``, the functions' in ``symbols.json``.
"""

from __future__ import annotations

import tomllib
from functools import cache

from fakecuda.api.description import HERE
from fakecuda.api.driver import DESCRIPTION, ENUMS
from fakecuda.codes import Result

TABLES: dict[str, dict[str, int]] = tomllib.loads((HERE / "versions.toml").read_text())
CODES = {int(Result[name]): version for name, version in TABLES["codes"].items()}
"""The versions of codes by their numbers."""
ATTRIBUTES = {
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"]: version
    for name, version in TABLES["attributes"].items()
}
"""The versions of device attributes by their numbers."""
CONTEXT_FLAGS = {ENUMS["CUctx_flags"][f"CU_CTX_{name}"]: version for name, version in TABLES["context_flags"].items()}
"""The versions of flags of contexts by their bits."""
EVERY_FLAG = ENUMS["CUctx_flags"]["CU_CTX_FLAGS_MASK"]


@cache
def context_flags(driver_version: int) -> int:
    """Return the flags of contexts that a driver knows: its CU_CTX_FLAGS_MASK."""
    return EVERY_FLAG & ~sum(bit for bit, version in CONTEXT_FLAGS.items() if version > driver_version)


@cache
def missing(driver_version: int) -> frozenset[str]:
    """Return the calls whose symbols a driver lacks: those that came with a later version."""
    return frozenset(name for name, row in DESCRIPTION.rows.items() if row["version"] > driver_version)
