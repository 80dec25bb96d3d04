"""Profiles: what a machine reports of itself.

A profile is a TOML file with schema 1, written by ``python -m realcuda.probe`` or described from documentation::

    schema = 1
    name = "h200"
    origin = "probed"            # or "documented"
    driver_version = 13000       # 1000 * major + 10 * minor
    base = "h200"                # optional: a profile that this one differs from, in what stands here
    probed = "…"                 # optional, with a base: the SHA-256 of the file that the probe wrote for this machine
    count = 8                    # optional: so many devices, those after the named ones of the last one's kind
    purpose = "…"                # optional: what it is for, in a few words
    [[device]]                   # name, uuid (32 hex digits), pci, total_memory (bytes), attributes = {NAME = value};
                                 # optional: luid (16 hex digits), node_mask, exec_affinities = [NAME],
                                 # host_atomics = {OPERATION = capability bits}, mig (whether it is a MIG instance)
    [device.hip]                 # optional: what HIP tells of it; see :mod:`fakecuda.profiles.hip`
    [device.limits]              # attributes = {NAME = value}, refused = {NAME = code}, of a new context
    [[peer]]                     # src, dst, can_access, attributes = {NAME = value}; a pair not named has no access;
                                 # optional: atomics = {OPERATION = capability bits}
    [link]                       # optional: as [[peer]], for every pair of devices that is not named
    [granularity]                # minimum, recommended (bytes)
    [memory]                     # context_memory (bytes a context takes), window (largest reservation), fabric,
                                 # peer_limit (connections of a device; 0 for any number)
    [context]                    # stream_priorities = [least, greatest]
    [bandwidth]                  # optional: memory, link, bus: bytes that move in a second; see :class:`Bandwidth`
    [multicast]                  # optional: granularity, recommended (bytes), memory (bytes of all objects), teams (of one
                                 # device), bindings, unaligned (those of a device), state = "ready", "forbidden",
                                 # "not ready" or "illegal"
    [hip]                        # optional: which HIP runtime the machine has; see :mod:`fakecuda.profiles.hip`
    [strings]                    # texts of cuGetErrorString by number, where probed
    [[source]]                   # optional: where values are from, and how good that is; see :mod:`fakecuda.profiles.sources`

What else the probe writes is for people. With a base, tables are taken over key by key, a device over that of the same
place or else over the base's last one; links are the base's unless any are named; and with an older driver than the
base's, the codes, attributes and limits that came later are gone.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.errors import ProfileError
from fakecuda.near import suggestion
from fakecuda.profiles.cards import facts_of
from fakecuda.profiles.checks import gaps, mistakes, shown
from fakecuda.profiles.hip import card_of, hip_of
from fakecuda.profiles.keys import MOST_DEVICES
from fakecuda.profiles.machine import (
    ATTRIBUTE,
    DESCRIPTIONS,
    LIMIT,
    LIMITS,
    Bandwidth,
    DeviceProfile,
    Multicast,
    Peer,
    Profile,
)
from fakecuda.profiles.sources import Source, implied, names_in, parsed, source_of
from fakecuda.spec import versions
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "HERE",
    "LIMITS",
    "SHIPPED",
    "Bandwidth",
    "DeviceProfile",
    "Multicast",
    "Peer",
    "Profile",
    "load",
    "names",
    "parse",
    "values",
]

HERE = Path(__file__).parent
SCHEMA = 1
MERGED = ("granularity", "memory", "context", "bandwidth")
"""Tables that a profile merges with its base, key by key."""
P2P = ENUMS["CUdevice_P2PAttribute"]
ATOMIC = ENUMS["CUatomicOperation"]
AFFINITY = ENUMS["CUexecAffinityType"]
SHIPPED = {path.stem: path for path in HERE.glob("*.toml")}
"""The files of fakecuda's own profiles."""


def names() -> list[str]:
    """Return the names of fakecuda's own profiles."""
    return sorted(SHIPPED)


def load(which: str | Path | Profile) -> Profile:
    """Return a profile by name, by the path of a TOML file, or unchanged.

    Args:
        which: A name from :func:`names`, such a name with a device count (``h200-x8``), a path, or a Profile.

    Raises:
        ProfileError: It is unknown or malformed.
    """
    if isinstance(which, Profile):
        return which
    path, count = _located(which)
    profile = _parse(path, 0) if which in SHIPPED else parse(path)
    return attrs.evolve(profile.with_devices(count), name=str(which), origin="documented") if count else profile


def values(which: str | Path) -> list[tuple[str, Any, Source]]:
    """Return the values of a profile with their sources.

    Args:
        which: As :func:`load` takes it.

    Raises:
        ProfileError: It is unknown or malformed.
    """
    profile = load(which)
    path, _ = _located(which)
    facts = {card.name: attrs.asdict(facts_of(card.name)) for card in profile.devices}
    nvml = {
        "nvml": [{key: value for key, value in row.items() if value and key != "answers"} for row in facts.values()]
    }
    found = {(name, repr(value)): (name, value) for name, value in names_in({**_read(path), **nvml})}
    return [(name, value, source_of(name, profile.sources)) for name, value in found.values()]


def _located(which: str | Path) -> tuple[Path, int]:
    """Return the file of a profile name, and its device count; 0 for the default."""
    if isinstance(which, str) and which in SHIPPED:
        return SHIPPED[which], 0
    path = Path(which) if isinstance(which, Path) or str(which).endswith(".toml") else HERE / f"{which}.toml"
    if path.exists():
        return path, 0
    family, count = _counted(str(which))
    if family is not None:
        return family, count
    if str(which).endswith(".toml"):
        known = suggestion(Path(which).stem, names())
        msg = f"there is no file {str(which)!r} (current folder: {Path.cwd()}): write the path of a profile's TOML file, or a profile's name; {known}"
    else:
        msg = f"profile {str(which)!r} is unknown; {suggestion(str(which), names())}; or write the path of a .toml file"
    raise ProfileError(msg)


def _counted(name: str) -> tuple[Path | None, int]:
    """Return the file and device count of a name; no file for an unknown name."""
    if name in SHIPPED:
        return SHIPPED[name], 0
    base, _, count = name.rpartition("-x")
    family = re.compile(re.escape(base) + r"(-x\d+)?")
    largest = max((known for known in SHIPPED if family.fullmatch(known)), default="")
    if largest and count.isascii() and count.isdecimal() and 0 < int(count) <= MOST_DEVICES:
        return SHIPPED[largest], int(count)
    return None, 0


def parse(path: Path) -> Profile:
    """Return the profile in a TOML file, with a cache by file state.

    Raises:
        ProfileError: The file is malformed; the text names the file, the key and the fix.
    """
    return _parse(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _parse(path: Path, _changed: int) -> Profile:
    data = _read(path)
    _refuse(path, gaps(data))
    try:
        return _build(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = f"profile {path}: fakecuda cannot read a value ({type(error).__name__}: {error}); write it as in fakecuda/profiles/h200.toml"
        raise ProfileError(msg) from error


def _read(path: Path) -> dict[str, Any]:
    """Return the data of a file, merged with its base."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"profile {path}: not readable as TOML ({error}); write it again with: python -m realcuda.probe -o {path.name}"
        raise ProfileError(msg) from error
    if data.get("schema") != SCHEMA:
        msg = f"profile {path}: schema is {shown(data.get('schema'))}, not {SCHEMA}; write it again with: python -m realcuda.probe"
        raise ProfileError(msg)
    _refuse(path, mistakes(data))
    data["source"] = [*data.get("source", []), *implied(data)]
    if "base" not in data:
        return data
    base, count = _counted(str(data["base"]))
    if base is None or base == path:
        msg = f"profile {path}: its base {data['base']!r} is not a profile: use one of {', '.join(names())}"
        raise ProfileError(msg)
    merged = over({**_read(base), **({"count": count} if count else {})}, data)
    if "probed" in data:  # the machine answered all values; the base only shortens the file
        merged["source"] = implied(merged)
        del merged["base"]
    return merged


def _refuse(path: Path, problems: Iterator[str]) -> None:
    """Raise an error for the first problem of a profile, if any."""
    if wrong := next(problems, ""):
        msg = f"profile {path}: {wrong}; write it as in fakecuda/profiles/h200.toml"
        raise ProfileError(msg)


def over(base: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Merge a profile's data with its base."""
    merged = {**base, **data, "source": [*data["source"], *base["source"]]}
    if "link" in data:
        merged["peer"] = data.get("peer", [])
    for name in MERGED:
        merged[name] = {**base.get(name, {}), **data.get(name, {})}
    cards = base["device"]
    merged["device"] = [
        {**card, **own, "attributes": {**card["attributes"], **own.get("attributes", {})}}
        for number, own in enumerate(data.get("device", [{}] * len(cards)))
        for card in [cards[min(number, len(cards) - 1)]]
    ]
    return merged


def _build(data: dict[str, Any]) -> Profile:
    memory = data.get("memory", {})
    taken = memory.get("context_memory", 0)
    devices = tuple(
        DeviceProfile(
            name=device["name"],
            uuid=bytes.fromhex(device["uuid"]),
            pci=device["pci"] or f"0000:{number:02x}:00.0",  # a probe that was refused it has none
            total_memory=device["total_memory"],
            free_memory=min(device["total_memory"], device.get("free_memory", device["total_memory"]) + taken),
            attributes={ATTRIBUTE[name]: value for name, value in device["attributes"].items() if name in ATTRIBUTE},
            luid=bytes.fromhex(device.get("luid", "")),
            node_mask=device.get("node_mask", 0),
            exec_affinities=frozenset(AFFINITY[name] for name in device.get("exec_affinities", ())),
            host_atomics={ATOMIC[name]: bits for name, bits in device.get("host_atomics", {}).items()},
            mig=device.get("mig", False),
            limits=_limits(device["limits"]) if "limits" in device else LIMITS.copy(),
            hip=card_of(device.get("hip", {})),
        )
        for number, device in enumerate(data["device"])
    )
    peers = {(peer["src"], peer["dst"]): _link(peer) for peer in data.get("peer", [])}
    options: dict[str, Any] = {key: memory[key] for key in ("context_memory", "window", "fabric") if key in memory}
    if "peer_limit" in memory:
        options["peer_limit"] = memory["peer_limit"] or None
    if "stream_priorities" in data.get("context", {}):
        least, greatest = data["context"]["stream_priorities"]
        options["stream_priorities"] = least, greatest
    if "multicast" in data:
        options["multicast"] = Multicast(**data["multicast"])
    if "bandwidth" in data:
        options["bandwidth"] = Bandwidth(**data["bandwidth"])
    if "hip" in data:
        options["hip"] = hip_of(data["hip"])
    version = data["driver_version"]
    described = {code: text for code, text in DESCRIPTIONS.items() if versions.CODES.get(code, 0) <= version}
    strings = {int(code): text for code, text in data.get("strings", described).items()}
    profile = Profile(
        name=data["name"],
        origin=data["origin"],
        driver_version=data["driver_version"],
        devices=devices,
        peers=peers,
        granularity=data["granularity"]["minimum"],
        recommended=data["granularity"]["recommended"],
        strings=strings,
        purpose=data.get("purpose", "a probed machine" if data["origin"] == "probed" else ""),
        sources=parsed(data["source"]),
        **options,
    )
    count = data.get("count", len(devices))
    if count != len(devices):
        profile = profile.with_devices(count)
    if "link" in data:
        link = _link(data["link"])
        pairs = [(src, dst) for src in range(count) for dst in range(count) if src != dst]
        profile = attrs.evolve(profile, peers={pair: peers.get(pair, link) for pair in pairs})
    return profile.with_driver(profile.driver_version) if "base" in data else profile


def _link(table: dict[str, Any]) -> Peer:
    return Peer(
        can_access=bool(table["can_access"]),
        attributes={P2P[name]: value for name, value in table.get("attributes", {}).items()},
        atomics={ATOMIC[name]: bits for name, bits in table.get("atomics", {}).items()},
    )


def _limits(table: dict[str, Any]) -> dict[int, int | None]:
    values = {LIMIT[name]: value for name, value in table["attributes"].items() if name in LIMIT}
    unsupported = [name for name, code in table["refused"].items() if code == Result.UNSUPPORTED_LIMIT.name]
    return {**values, **{LIMIT[name]: None for name in unsupported if name in LIMIT}}
