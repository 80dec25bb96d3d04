"""Checks of a profile: kinds, ranges, unknown or missing keys, consistency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.near import nearest
from fakecuda.profiles.keys import KEYS, NEEDED, READ, ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.profiles.keys import Kind

LONGEST = 60
"""The maximum number of characters of a shown value."""


def mistakes(data: dict[str, Any]) -> Iterator[str]:
    """Yield errors in the keys and values of a profile's file.

    Args:
        data: What the file says.
    """
    for table, most in ROWS.items():
        if table in data and not _has_rows(data, table):
            yield f"{table} = {shown(data[table])}: write a list of at most {most} tables"
    for table, row, place in _rows(data):
        if not isinstance(row, dict):
            yield f"{place} = {shown(row)}: write a table"
            continue
        known = KEYS[table]
        tables = {name.rpartition(".")[2] for name in KEYS if name and name.rpartition(".")[0] == table}
        for key, value in row.items():
            name = f"{place}.{key}" if place else key
            if key in known:
                yield from _wrong(name, value, known[key])
            elif key not in tables:
                yield nearest(key, [*known, *tables], f"key of [{table}]" if table else "key of a profile")


def gaps(data: dict[str, Any]) -> Iterator[str]:
    """Yield missing and inconsistent values of a profile.

    Args:
        data: What its file says over what its base says, both without mistakes.
    """
    for table, row, place in _rows(data):
        missing = [key for key in NEEDED.get(table, ()) if key not in row]
        yield from (f"{f'{place}.' if place else ''}{key} is missing" for key in missing)
    yield from _relations(data)


def _wrong(name: str, value: Any, kind: Kind) -> Iterator[str]:
    """Yield errors in a value, or in each key of a table."""
    if not kind.fits(value):
        yield f"{name} = {shown(value)}: write {kind.text}"
    elif kind.parts is not None:
        names, values = kind.parts
        for key, one in value.items():
            if not names.fits(key):
                yield (
                    nearest(key, names.names, f"key of {name}") if names.names else f"{name}.{key}: write {names.text}"
                )
            elif not values.fits(one):
                yield f"{name}.{key} = {shown(one)}: write {values.text}"


def _rows(data: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield the tables of a profile: kind, content and place."""
    yield "", data, ""
    for table in KEYS:
        if not table or "." in table or table not in data:
            continue
        if table not in ROWS:
            yield table, data[table], table
            continue
        for number, row in enumerate(data[table] if _has_rows(data, table) else ()):
            yield table, row, f"{table}[{number}]"
            if isinstance(row, dict):
                inner = [key for key in row if f"{table}.{key}" in KEYS]
                yield from ((f"{table}.{key}", row[key], f"{table}[{number}].{key}") for key in inner)


def _has_rows(data: dict[str, Any], table: str) -> bool:
    """Return whether a profile's table of several rows is a list of valid length."""
    return isinstance(data[table], list) and len(data[table]) <= ROWS[table]


def _relations(data: dict[str, Any]) -> Iterator[str]:
    """Yield inconsistencies of a profile."""
    devices = data.get("device", [])
    if not devices:
        yield "device is empty: write a table [[device]]"
    for key in ("uuid", "pci"):
        # Instances of one card that is split are at one place.
        found = [str(device[key]).lower() for device in devices if key == "uuid" or not device.get("mig")]
        found = [one for one in found if one]  # a probe that was refused a bus id has none
        if again := next((one for place, one in enumerate(found) if one in found[:place]), None):
            yield f"device.{key} = {again!r} is there twice: write a different one for each device"
    for number, device in enumerate(devices):
        yield from (f"device[{number}].attributes.{one} is missing" for one in READ if one not in device["attributes"])
        free, total = device.get("free_memory", 0), device["total_memory"]
        if free > total:
            yield f"device[{number}].free_memory = {free}: write at most total_memory, {total}"
    minimum, recommended = (data["granularity"][key] for key in ("minimum", "recommended"))
    if recommended < minimum:
        yield f"granularity.recommended = {recommended}: write a multiple of the minimum, {minimum}"
    pairs = set[tuple[int, int]]()
    for number, peer in enumerate(data.get("peer", [])):
        pair = peer["src"], peer["dst"]
        if pair in pairs or pair[0] == pair[1]:
            yield (
                f"peer[{number}] goes from device {pair[0]} to {pair[1]}: write two different devices, and each pair "
                "once"
            )
        pairs.add(pair)
    priorities = data.get("context", {}).get("stream_priorities", [0, 0])
    if len(priorities) != 2 or priorities[0] < priorities[1]:  # noqa: PLR2004 - the least and the greatest
        yield f"context.stream_priorities = {priorities}: write [least, greatest], such as [0, -5]"


def shown(value: Any) -> str:
    """Return a value as text for a message."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
