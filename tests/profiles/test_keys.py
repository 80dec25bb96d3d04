"""Every key of every profile with values of a wrong kind or range: the profile is refused when it is read, or its machine works."""

from __future__ import annotations

import copy
import datetime as dt
import tomllib
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, profiles
from fakecuda.api.driver import ENUMS
from fakecuda.errors import ProfileError
from fakecuda.profiles import keys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DRAWN = 500
"""How many mutations a run draws."""
MISSING = object()
VALUES: list[Any] = [
    MISSING,
    True,
    -1,
    0,
    1 << 31,
    1 << 63,
    1 << 64,
    1.5,
    float("nan"),
    "",
    "x",
    "\0",
    "y" * 1000,
    dt.date(2020, 1, 1),
    [],
    [[]],
    {},
    {"x": 1},
]
ATTRIBUTES = sorted(ENUMS["CUdevice_attribute"].values())


def places(data: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each key of nested tables and to each member of their lists."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, *path, key)


def changed(data: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy with another value at a path, or without it."""
    made: Any = copy.deepcopy(data)
    table = made
    for key in path[:-1]:
        table = table[key]
    if value is MISSING:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return made  # type: ignore[no-any-return]


def works(machine: Machine) -> None:
    """Ask a machine for what its profile says."""
    c = machine.spawn("a").c
    assert c.cuInit(0) == (0,)
    for device in range(min(c.cuDeviceGetCount()[1], 2)):
        assert c.cuDeviceGetName(256, device)[0] == 0
        assert c.cuDeviceTotalMem(device)[1] >= 0
        assert len(c.cuDeviceGetUuid(device)[1]) == 16
        assert c.cuDeviceGetPCIBusId(20, device)[0] == 0
        for attribute in ATTRIBUTES:
            code, value = c.cuDeviceGetAttribute(attribute, device)
            assert code or -(1 << 31) <= value < 1 << 31
        c.cuCtxCreate(None, 0, device)
        c.cuMemAlloc(4096)
        c.cuMemGetInfo()
        c.cuCtxGetStreamPriorityRange()
    machine.check_invariants()
    machine.close()


def outcome(path: Path, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch, number: int) -> str:
    """Return how a profile is refused whose file says something else; empty if its machine works."""
    own, loads = path.read_text(encoding="utf-8"), tomllib.loads
    with monkeypatch.context() as patch:
        patch.setattr(tomllib, "loads", lambda text: copy.deepcopy(data) if text == own else loads(text))
        try:
            profile = profiles._parse(path, -number - 1)
        except ProfileError as error:
            refusal = str(error)
        else:
            refusal = ""
        finally:
            profiles._parse.cache_clear()
    if refusal:
        assert refusal.startswith(f"profile {path}: ")
        assert "\n" not in refusal
    else:
        works(Machine(profile, strict=False))
    return refusal


def test_each_value_is_refused_or_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing fails later that was read: no call, no invariant, no other exception."""
    random = Random(0)  # noqa: S311 - it draws mutations
    files = [profiles.SHIPPED[name] for name in sorted(profiles.SHIPPED)]
    refused = 0
    for number in range(DRAWN):
        path = random.choice(files)
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        place, value = random.choice(list(places(data))), random.choice(VALUES)
        try:
            refused += bool(outcome(path, changed(data, place, value), monkeypatch, number))
        except Exception as error:
            msg = f"{path.name}: {'.'.join(map(str, place))} = {value!r}: {type(error).__name__}: {error}"
            raise AssertionError(msg) from error
    assert 0 < refused < DRAWN


def test_a_key_without_a_kind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop sees a key whose values nothing looks at."""
    path = profiles.SHIPPED["h200"]
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    mistaken = changed(data, ("name",), dt.date(2020, 1, 1))
    assert "write a printable text" in outcome(path, mistaken, monkeypatch, 0)
    monkeypatch.setitem(keys.KEYS["device"], "total_memory", keys.ANY)
    worded = changed(data, ("device", 0, "total_memory"), "much")
    with pytest.raises(TypeError):
        outcome(path, worded, monkeypatch, 1)
