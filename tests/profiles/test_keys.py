"""Each value of each profile, made wrong: the profile is refused when it is read, or its machine works."""

from __future__ import annotations

import copy
import datetime as dt
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, ProfileError
from fakecuda import profiles as package
from fakecuda.profiles import SHIPPED, checks, keys, names
from fakecuda.prompt.smi import table_of
from fakecuda.spec.driver import ENUMS
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Place = tuple[str | int, ...]

REAL = tomllib.loads
WRONG: dict[str, Any] = {
    "flag": True,
    "float": 1.5,
    "nan": float("nan"),
    "date": dt.date(2020, 1, 1),
    "negative": -1,
    "least": -(1 << 63),
    "63 bits": 1 << 63,
    "64 bits": 1 << 64,
    "zero": 0,
    "text": "x",
    "no text": "",
    "long text": "x" * 100_000,
    "a NUL": "a\0b",
    "list": [],
    "long list": [{}] * 10_000,
    "table": {},
    "table of text": {"x": "y"},
}
MISSING = "missing"
PARTS = 4
"""One wrong value in this many is tried by a commit."""
FAMILIES = {"h200", "nvl72", "hip-clr-2024", "rtx-4090", "h200-mig"}
"""Profiles whose values are all tried; the others have the same keys."""
PROFILES = [
    pytest.param(one, marks=() if one in FAMILIES else pytest.mark.long("it has the keys of others")) for one in names()
]
KINDS: dict[str, Any] = {
    "true or false": True,
    "whole number": 7,
    "number with a fraction": 1.5,
    "text": "x",
    "date": dt.date(2020, 1, 1),
    "time": dt.time(12),
    "list": [1.5],
    "table": {"x": 1.5},
}
"""A value of each kind that TOML has."""
ALSO = {
    "date": {"date"},
    "peer.can_access": {"true or false"},
    "link.can_access": {"true or false"},
    "device.itself.can_access": {"text"},
    "context.current_after_reset": {"text"},
    "context.current_after_release": {"text"},
}
"""Kinds of values that no shipped profile uses for their keys."""
UNSHIPPED = {
    "device.luid": "text",
    "device.node_mask": "whole number",
    "device.exec_affinities": "list",
    **dict.fromkeys(["device.host_atomics", "peer.atomics", "link.atomics"], "table"),
    "multicast": "whole number",
    "multicast.state": "text",
    "granularities": "text",
}
"""Kinds of keys that no shipped profile has."""
ATTRIBUTES = sorted(ENUMS["CUdevice_attribute"].values())


def said(name: str) -> dict[str, Any]:
    """Return what the file of a profile says."""
    return tomllib.loads(SHIPPED[name].read_text())


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Yield the place of each value that is read, but for all rows of a list beyond the first."""
    if isinstance(value, dict):
        for key, one in value.items():
            if not at and (key in keys.PEOPLE or key == "granularities"):
                continue
            yield (*at, key)
            yield from places(one, (*at, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from places(value[0], (*at, 0))


def changed(data: dict[str, Any], at: Place, value: Any) -> dict[str, Any]:
    """Return a copy with another value at a place, or none."""
    made = copy.deepcopy(data)
    inner: Any = made
    for step in at[:-1]:
        inner = inner[step]
    if value is MISSING:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return made


def outcome(monkeypatch: pytest.MonkeyPatch, path: Path, data: dict[str, Any]) -> str:
    """Return what is wrong with what comes of a profile with some data, or an empty text."""
    monkeypatch.setattr(tomllib, "loads", lambda text: copy.deepcopy(data) if text == "" else REAL(text))
    package._parse.cache_clear()
    try:
        profile = package.parse(path)
    except ProfileError as error:
        return "" if str(path) in str(error) and len(str(error)) < 2000 else f"says {str(error)[:200]}"
    except Exception as error:  # noqa: BLE001 - whatever else comes is wrong
        return f"load raises {type(error).__name__}: {error}"
    try:
        works(profile)
    except Exception as error:  # noqa: BLE001 - whatever comes is judged
        return f"a machine raises {type(error).__name__}: {error}"
    return ""


def works(profile: package.Profile) -> None:
    """Have a machine told what it is, by the driver and by NVML, and have it hold something."""
    with Machine(profile, strict=False) as machine:
        c = machine.here.c
        c.cuInit(0)
        for device in range(min(len(profile.devices), 2)):
            c.cuDeviceGetName(64, device)
            c.cuDeviceGetUuid(device)
            c.cuDeviceGetLuid(device)
            c.cuDeviceTotalMem(device)
            c.cuDeviceGetPCIBusId(16, device)
            for attribute in ATTRIBUTES:
                c.cuDeviceGetAttribute(attribute, device)
            for attribute in ENUMS["CUdevice_P2PAttribute"].values():
                c.cuDeviceGetP2PAttribute(attribute, device, 1 - device)
            c.cuDeviceCanAccessPeer(device, 1 - device)
            c.cuCtxCreate(None, 0, device)
            c.cuMemGetInfo()
            for limit in ENUMS["CUlimit"].values():
                c.cuCtxGetLimit(limit)
            c.cuMemAlloc(4096)
        c.cuCtxGetStreamPriorityRange()
        if not profile.hip.name:
            table_of(machine)
        machine.check_invariants()


@pytest.mark.parametrize("name", PROFILES)
def test_wrong_values(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of other kinds, out of range, empty, huge, or missing."""
    path = tmp_path / "mine.toml"
    path.write_text("")
    data = said(name)
    values = {**WRONG, MISSING: MISSING}
    few = dict.fromkeys(["flag", "64 bits", "text", MISSING])  # each attribute is checked alike
    tried = [(at, what) for at in places(data) for what in (few if "attributes" in at[:-1] else values)]
    found = []
    for at, what in part(tried, PARTS):
        if wrong := outcome(monkeypatch, path, changed(data, at, values[what])):
            found.append((at, what, wrong))
    assert not found, found[:10]


def kind_of(value: object) -> str:
    """Return the kind of a value of TOML."""
    return next(name for name, one in KINDS.items() if type(one) is type(value))


def rows(data: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """Return what a profile has for a table: its rows, or the table itself, made if it lacks one."""
    if not table:
        return [data]
    outer, _, inner = table.rpartition(".")
    if outer:
        return [row.setdefault(inner, {}) for row in rows(data, outer)]
    found: Any = data.setdefault(table, [{}] if table in keys.ROWS else {})
    return found if isinstance(found, list) else [found]


def test_each_key_has_its_kind() -> None:
    """A value of another kind is refused, with the key, the value and what is allowed."""
    seen: dict[str, set[str]] = {}
    for name in names():
        data = said(name)
        for table in keys.KEYS:
            for row in rows(data, table):
                for key, value in row.items():
                    seen.setdefault(f"{table}.{key}".lstrip("."), set()).add(kind_of(value))
    for table, known in keys.KEYS.items():
        for key in known:
            name = f"{table}.{key}".lstrip(".")
            unshipped = UNSHIPPED.get(name) or UNSHIPPED.get(table, "")
            allowed = seen.get(name, {unshipped}) | ALSO.get(name, set())
            for kind in KINDS.keys() - allowed:
                data = {}
                rows(data, table)[0][key] = KINDS[kind]
                place = re.sub(r"^(device|peer|source|granularities)\b(?=.)", r"\1[0]", name)
                said_of_it = next(checks.mistakes(data))
                assert said_of_it.startswith(f"{place} = {KINDS[kind]!r}: write "), name


@pytest.mark.parametrize("key", ["uuid", "pci"])
def test_what_stands_twice(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two devices differ."""
    path = tmp_path / "mine.toml"
    path.write_text("")
    data = said("h200")
    data["device"].append(
        {**data["device"][0], "uuid": "1" * 32, "pci": "0000:77:00.0"} | {key: data["device"][0][key]}
    )
    monkeypatch.setattr(tomllib, "loads", lambda _: data)
    with pytest.raises(ProfileError, match=f"device.{key} = .* is there twice"):
        package.parse(path)


@pytest.mark.parametrize(
    ("changes", "said_of_it"),
    [
        ({"granularity": {"minimum": 1 << 21, "recommended": 4096}}, "write a multiple of the minimum"),
        ({"context": {"stream_priorities": [-5, 0]}}, "write \\[least, greatest\\]"),
        ({"peer": [{"src": 0, "dst": 0, "can_access": 1}]}, "write two different devices"),
    ],
)
def test_values_fit_together(
    changes: dict[str, Any], said_of_it: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A range has its ends in order, and a link two ends."""
    path = tmp_path / "mine.toml"
    path.write_text("")
    data = {**said("h200"), **changes}
    monkeypatch.setattr(tomllib, "loads", lambda _: data)
    with pytest.raises(ProfileError, match=said_of_it):
        package.parse(path)


def test_a_check_that_is_missing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop sees a key that may hold anything."""
    path = tmp_path / "mine.toml"
    path.write_text("")
    monkeypatch.setitem(keys.KEYS["device"], "name", keys.ANY)
    assert outcome(monkeypatch, path, changed(said("h200"), ("device", 0, "name"), WRONG["date"]))
