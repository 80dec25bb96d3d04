"""The codes, attributes, limits and functions that a driver version knows.

Versions are 1000 * major + 10 * minor; the tables stand in ``versions.toml``, one for each enumeration, the functions' in
``symbols.json``.
"""

from __future__ import annotations

import tomllib
from functools import cache

from attrs import frozen

from fakecuda.spec.description import HERE
from fakecuda.spec.driver import DESCRIPTION, ENUMS

TABLES: dict[str, dict[str, int]] = tomllib.loads((HERE / "versions.toml").read_text(encoding="utf-8"))
SINCE = {enum: {ENUMS[enum][name]: version for name, version in rows.items()} for enum, rows in TABLES.items()}
"""The first version of each enumeration member, unless it is very old."""
CODES = SINCE["CUresult"]
ATTRIBUTES = SINCE["CUdevice_attribute"]
LIMITS = SINCE["CUlimit"]
LINK_ATTRIBUTES = SINCE["CUdevice_P2PAttribute"]
POINTER_ATTRIBUTES = SINCE["CUpointer_attribute"]
RANGE_ATTRIBUTES = SINCE["CUmem_range_attribute"]
POOL_ATTRIBUTES = SINCE["CUmemPool_attribute"]
LAUNCH_ATTRIBUTES = SINCE["CUlaunchAttributeID"]
CONTEXT_FLAGS = SINCE["CUctx_flags"]
EVERY_FLAG = ENUMS["CUctx_flags"]["CU_CTX_FLAGS_MASK"]


@cache
def context_flags(driver_version: int) -> int:
    """Return the context flags that a driver version knows (CU_CTX_FLAGS_MASK)."""
    return EVERY_FLAG & ~sum(bit for bit, version in CONTEXT_FLAGS.items() if version > driver_version)


@cache
def missing(driver_version: int) -> frozenset[str]:
    """Return the calls that a driver version lacks."""
    return frozenset(name for name, row in DESCRIPTION.rows.items() if row["version"] > driver_version)


@frozen
class Change:
    """A change of a driver's behaviour from a version on.

    Attributes:
        version: 1000 * major + 10 * minor.
        calls: Which calls.
        does: What they do from then on.
        before: What they did before.
        source: What says so.
    """

    version: int
    calls: list[str]
    does: str
    before: str
    source: str


@frozen
class Gone:
    """A declaration that a header version has dropped.

    Attributes:
        version: 1000 * major + 10 * minor.
        functions: The functions.
    """

    version: int
    functions: list[str]


@cache
def changes() -> tuple[tuple[Change, ...], tuple[Gone, ...]]:
    """Return the changes and dropped declarations in ``drivers.toml``."""
    table = tomllib.loads((HERE / "drivers.toml").read_text(encoding="utf-8"))
    return tuple(Change(**row) for row in table["change"]), tuple(Gone(**row) for row in table["gone"])
