"""The valid values of each profile key: kind, range, and necessity.

What :mod:`realcuda.probe` writes for people is checked, too: a value of a wrong kind is a mistake of who wrote it.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.profiles.sources import GRADES
from fakecuda.spec.codes import Error, Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_DEVICES = 256
"""The maximum number of devices of a machine."""
LONGEST = 255
"""The maximum size of a returned text in bytes."""
INT, UINT, LONG, ROOM = 1 << 31, 1 << 32, 1 << 63, 1 << 48
MULTICAST_STATES = ("ready", "forbidden", "not ready", "illegal")
CODES = {*Result.__members__, *Error.__members__}


@frozen
class Kind:
    """A kind of values.

    Attributes:
        text: What is allowed, in words.
        fits: Whether a value is of it.
        names: All values, if they are few texts.
        parts: Of a table, the kinds of its keys and of its values.
    """

    text: str
    fits: Callable[[Any], bool]
    names: tuple[str, ...] = ()
    parts: tuple[Kind, Kind] | None = None


def whole(least: int, most: int) -> Kind:
    """Return the kind of integers in a range."""
    return Kind(
        f"a whole number from {least} to {most}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most,
    )


def of(*names: str) -> Kind:
    """Return the kind of some texts."""
    return Kind(f"one of {', '.join(map(repr, names))}", lambda value: isinstance(value, str) and value in names, names)


def digits(bytes_: int, *, empty: bool = False) -> Kind:
    """Return the kind of hexadecimal texts."""
    what = f"a text of {2 * bytes_} hex digits" + (", or an empty one" if empty else "")
    form = re.compile(rf"([0-9a-fA-F]{{{2 * bytes_}}}){'?' * empty}")
    return Kind(what, lambda value: isinstance(value, str) and form.fullmatch(value) is not None)


def listed(kind: Kind, most: int) -> Kind:
    """Return the kind of lists of a kind."""
    return Kind(
        f"a list of at most {most}, each {kind.text}",
        lambda value: isinstance(value, list) and len(value) <= most and all(map(kind.fits, value)),
    )


def table(names: Kind, values: Kind) -> Kind:
    """Return the kind of tables."""
    return Kind("a table", lambda value: isinstance(value, dict), parts=(names, values))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.encode(errors="replace")) <= LONGEST and value.isprintable()


def _is_plain(value: Any) -> bool:
    return COUNT.fits(value) or _is_text(value) or listed(COUNT, 8).fits(value)


ANY = Kind("anything", lambda _: True)
TEXT = Kind(f"a printable text of 1 to {LONGEST} bytes", _is_text)
NOTE = Kind("a text", lambda value: isinstance(value, str))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
ACCESS = Kind("true, false, 0 or 1", lambda value: value in (0, 1) and isinstance(value, int))
BYTES, COUNT = whole(0, ROOM), whole(0, LONG - 1)
POWER = Kind(
    "a power of 2 from 4096 to 2**40",
    lambda value: whole(4096, 1 << 40).fits(value) and not value & (value - 1),
)
PCI = re.compile(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
PLACE = Kind(
    "a bus id such as '0000:3b:00.0', or an empty text",
    lambda value: isinstance(value, str) and (not value or bool(PCI.fullmatch(value))),
)
NUMBERED = Kind("numbers of codes", lambda value: value.isascii() and value.isdecimal())
NUMBERS = whole(-INT, UINT - 1)
"""32-bit numbers, signed or unsigned."""
CODE = Kind("the name of a result, such as 'NOT_SUPPORTED'", lambda value: isinstance(value, str) and value in CODES)
ANSWER = Kind(f"'unchecked', or {CODE.text}", lambda value: value == "unchecked" or CODE.fits(value))
AFFINITIES, ATOMICS = ENUMS["CUexecAffinityType"], of(*ENUMS["CUatomicOperation"])
P2P = of(*ENUMS["CUdevice_P2PAttribute"])
ATTRIBUTES = Kind(
    "names of CUdevice_attribute", lambda value: value.startswith("CU_DEVICE_ATTRIBUTE_")
)  # those of newer drivers say nothing here
LIMITS = Kind("names of CUlimit", lambda value: value.startswith("CU_LIMIT_"))
NUMBER, COUNTS = whole(-LONG, LONG - 1), listed(COUNT, 4096)
ADDRESSES = Kind("a whole number, or a list of them", lambda value: NUMBER.fits(value) or COUNTS.fits(value))
ANSWERED = Kind("a whole number, or the name of a result", lambda value: NUMBER.fits(value) or NOTE.fits(value))
DATE = Kind("a date, such as 2026-01-31", lambda value: isinstance(value, str | dt.date))
REFUSED = table(ANY, NOTE)
ASKED = {"attributes": table(ANY, NUMBER), "refused": REFUSED}
"""Answers for the members of an enumeration."""
PEOPLE: dict[str, Kind] = {
    "date": DATE,
    "driver": NOTE,
    "bindings": NOTE,
    "system": NOTE,
    "problems": listed(NOTE, 1 << 16),
    "probed": digits(32),
    "addresses": table(ANY, ADDRESSES),
    "names": table(NUMBERED, TEXT),
}
"""Notes of the probe that no model reads."""
LINK = {"can_access": ACCESS, "attributes": table(P2P, NUMBERS), "atomics": table(ATOMICS, whole(0, UINT - 1))}
KEYS: dict[str, dict[str, Kind]] = {
    "": {
        "schema": whole(1, 1),
        "name": TEXT,
        "origin": of("probed", "documented"),
        "driver_version": whole(2000, 99990),
        "base": TEXT,
        "count": whole(1, MOST_DEVICES),
        "purpose": NOTE,
        "strings": table(NUMBERED, TEXT),
        **PEOPLE,
    },
    "device": {
        "name": TEXT,
        "uuid": digits(16),
        "pci": PLACE,
        "total_memory": BYTES,
        "free_memory": BYTES,
        "attributes": table(ATTRIBUTES, NUMBERS),
        "luid": digits(8, empty=True),
        "node_mask": whole(0, UINT - 1),
        "exec_affinities": listed(of(*AFFINITIES), len(AFFINITIES)),
        "host_atomics": table(ATOMICS, whole(0, UINT - 1)),
        "mig": FLAG,
        "hip": table(ANY, Kind("a number, a text or a list of numbers", _is_plain)),
        "refused": REFUSED,
        "total_seen": BYTES,
        **dict.fromkeys(["primary_before", "primary_after"], listed(COUNT, 2)),
    },
    "device.itself": {"can_access": ANSWERED, **ASKED},
    "device.pool": ASKED,
    "device.limits": {"attributes": table(LIMITS, COUNT), "refused": table(LIMITS, NOTE)},
    "peer": {"src": whole(0, MOST_DEVICES - 1), "dst": whole(0, MOST_DEVICES - 1), **LINK, "refused": REFUSED},
    "link": LINK,
    "granularity": {"minimum": POWER, "recommended": POWER},
    "memory": {
        "context_memory": BYTES,
        "window": whole(1 << 30, 1 << 47),
        "fabric": FLAG,
        "peer_limit": whole(0, MOST_DEVICES),
        "posix": FLAG,
        **dict.fromkeys(["total", "free_alone", "free_beside_another", "free_after_its_end"], BYTES),
        **dict.fromkeys(["posix_code", "fabric_code"], NOTE),
    },
    "context": {
        "stream_priorities": listed(whole(-100, 100), 2),
        **dict.fromkeys(["mem_get_info", "created", "state_after_reset", "state_after_release"], listed(COUNT, 2)),
        **dict.fromkeys(["same_handle_after_reset", "same_handle_after_release"], FLAG),
        **dict.fromkeys(["current_after_reset", "current_after_release"], ANSWERED),
        **dict.fromkeys(["current_before", "primary", "flags", "api_version", "cache_config"], COUNT),
        **dict.fromkeys(["calls_to_reset", "calls_to_release"], COUNT),
        "mem_get_info_before": NOTE,
    },
    "granularities": {
        **dict.fromkeys(["type", "id", "handle_types", "minimum", "recommended"], COUNT),
        **dict.fromkeys(["minimum_code", "recommended_code"], NOTE),
    },
    "bandwidth": dict.fromkeys(("memory", "link", "bus"), whole(1, LONG - 1)),
    "multicast": {
        "granularity": POWER,
        "recommended": POWER,
        "memory": COUNT,
        **dict.fromkeys(("teams", "bindings", "unaligned"), whole(0, INT - 1)),
        "state": of(*MULTICAST_STATES),
    },
    "hip": {
        "name": TEXT,
        "version": whole(0, INT - 1),
        "keeps_every_answer": FLAG,
        "ways": listed(TEXT, 64),
        "lacks": listed(TEXT, 1024),
        "rules": table(TEXT, ANSWER),
        "link_type": whole(0, UINT - 1),
        "hops": whole(0, UINT - 1),
    },
    "source": {"grade": of(*GRADES), "of": listed(NOTE, 1024), "url": NOTE, "says": NOTE},
}
"""The keys of each table, with their kinds."""
ROWS = {"device": MOST_DEVICES, "peer": MOST_DEVICES**2, "source": 4096, "granularities": 4096}
"""Tables with several rows, and the maximum number of rows."""
READ = tuple(
    f"CU_DEVICE_ATTRIBUTE_{name}"
    for name in (
        *(f"COMPUTE_CAPABILITY_{part}" for part in ("MAJOR", "MINOR")),
        *(f"MAX_{of}_DIM_{side}" for of in ("GRID", "BLOCK") for side in "XYZ"),
        *("MULTIPROCESSOR_COUNT", "MAX_THREADS_PER_BLOCK", "MAX_THREADS_PER_MULTIPROCESSOR"),
        *("MAX_BLOCKS_PER_MULTIPROCESSOR", "MAX_REGISTERS_PER_BLOCK", "MAX_REGISTERS_PER_MULTIPROCESSOR"),
        *(f"MAX_SHARED_MEMORY_PER_{of}" for of in ("BLOCK", "BLOCK_OPTIN", "MULTIPROCESSOR")),
    )
)
"""Attributes that every driver reports, because rules read them."""
NEEDED = {
    "": ("schema", "name", "origin", "driver_version", "device", "granularity"),
    "device": ("name", "uuid", "pci", "total_memory", "attributes"),
    "device.limits": ("attributes", "refused"),
    "peer": ("src", "dst", "can_access"),
    "link": ("can_access",),
    "granularity": ("minimum", "recommended"),
    "hip": ("name", "version"),
    "source": ("grade", "of", "says"),
}
"""The required keys of each table, base included."""
