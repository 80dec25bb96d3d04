"""The sources of a profile's values: probed, documented or assumed.

A profile's file says it in tables, each about a group of values; the first that names a value tells of it::

    [[source]]
    grade = "documented"                  # or "probed", or "assumed"
    of = ["device.total_memory", "device.PCI_*"]   # names of values, or patterns
    url = "https://…"                     # the document
    says = "…"                            # what it says, or what the values were derived from

A name is the path of a value in the file: ``device.name``, ``memory.fabric``, ``link.can_access``, for all devices and links
alike. Attributes and limits stand beside them, without the beginning that all names of their enumeration share:
``device.WARP_SIZE``, ``device.limits.STACK_SIZE``. ``nvml.links`` stands for what NVML tells of the card
(:mod:`fakecuda.profiles.cards`).
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

GRADES = ("probed", "documented", "assumed")
"""Grades of sources from best to worst."""
NOT_VALUES = {"schema", "name", "origin", "base", "count", "purpose", "source"}
"""Keys of a profile that are not values of a machine."""
FOR_PEOPLE = (
    *("date", "driver", "bindings", "system", "problems", "addresses.*", "granularities.*", "names.*", "strings.*"),
    *("device.refused.*", "device.itself.*", "device.pool.*", "device.total_seen", "device.primary_*"),
    *("peer.src", "peer.dst", "peer.refused.*"),
    *(
        "memory.total",
        "memory.free_*",
        "memory.posix*",
        "memory.fabric_code",
        "context.[!s]*",
        "context.state_*",
        "context.same_*",
    ),
)
"""Values for people: notes of the probe, and the driver's texts."""
SHARED = re.compile(r"^CU_(?:DEVICE_ATTRIBUTE|DEVICE_P2P_ATTRIBUTE|LIMIT|ATOMIC_OPERATION)_")
"""Prefixes of members of enumerations."""


@frozen
class Source:
    """The source of some values.

    Attributes:
        grade: ``probed``, ``documented`` or ``assumed``.
        of: Their names, or patterns of names.
        says: What the document says, or what the values were derived from.
        url: The document, where there is one.
    """

    grade: str
    of: tuple[str, ...]
    says: str
    url: str = ""

    def covers(self, name: str) -> bool:
        """Return whether the source covers the value with a name."""
        return any(fnmatchcase(name, pattern) for pattern in self.of)


UNKNOWN = Source("assumed", ("*",), "nothing says where it is from")


def source_of(name: str, sources: tuple[Source, ...]) -> Source:
    """Return the first source that covers a value."""
    return next((source for source in sources if source.covers(name)), UNKNOWN)


def names_in(table: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the names and values that a profile's file states.

    Args:
        table: What the file says.
        path: Where that stands in it, with a point behind.
    """
    for key, value in table.items():
        if not path and key in NOT_VALUES:
            continue
        name = path + SHARED.sub("", key)
        rows = value if isinstance(value, list) and all(isinstance(row, dict) for row in value) else [value]
        for row in rows:
            if isinstance(row, dict):
                yield from names_in(row, path if key == "attributes" else f"{name}.")
            elif not any(fnmatchcase(name, pattern) for pattern in FOR_PEOPLE):
                yield name, row


def parsed(tables: list[dict[str, Any]]) -> tuple[Source, ...]:
    """Return the sources in a profile's data.

    Raises:
        ValueError: A grade is none of those that there are.
        TypeError: One of the tables has other keys.
    """
    sources = tuple(Source(**{**table, "of": tuple(table["of"])}) for table in tables)
    for source in sources:
        if source.grade not in GRADES:
            msg = f"a source has grade = {source.grade!r}: use one of {', '.join(GRADES)}"
            raise ValueError(msg)
    return sources


def implied(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the source of values that no source table covers."""
    if data.get("origin") == "probed":
        said = (
            f"what the machine answered on {data.get('date', 'some day')}, with driver {data.get('driver', 'unknown')}"
        )
        return [{"grade": "probed", "of": ["*"], "says": said}]
    stated = sorted({name for name, _ in names_in(data)})
    return [{"grade": "documented", "of": stated, "says": f"the file of {data.get('name')}"}] if stated else []
