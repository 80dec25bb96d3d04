"""Which calls are made of NVML: good arguments, and bad ones, one at a time. None of them changes anything.

A *program* is a list of calls that a process of its own makes, as (function, arguments). An argument is a list, so that it
is the same in JSON:

- ``["int", 5]``: a number. ``["null"]``: a null pointer or handle. ``["handle", 5]``: a handle that nobody was given.
- ``["dev", 0]``: the handle of the device of that index. ``["set"]``: the event set that was made last.
- ``["out"]``: room for results. ``["out", "10000000"]``: with these bytes, in hexadecimal digits, in it at first; further
  parts follow them: digits, ``"set"`` for that handle, ``"room"`` for the address of more room.
- ``["text", "GPU-"]``: a text. ``["text of", 0, "uuid", "lower"]``: what identifies a device, changed.
"""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING

from fakecuda.reach.native.nvml_types import type_of
from fakecuda.spec.nvml import ENUMS, PROTOTYPES, STRUCTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Argument = Sequence[object]
    Step = tuple[str, Sequence[Argument]]
    Program = list[Step]

READS = re.compile(r"nvml(System|Device|Unit|VgpuType|VgpuInstance)(Get|Is|OnSame)|nvmlGet(Excluded|Vgpu)")
LEFT_OUT = re.compile(
    r"Attestation|Certificate|CPER|PerfMetrics|nvmlUnitGet(?!Count|HandleByIndex)|ByUUID|BySerial|ByPci|PRM|ProcessName"
)
"""Reads that take long, need what no program has, or are asked by hand below."""
COUNT = re.compile(r"(?i)count$|size$")
INIT: Step = ("nvmlInit_v2", [])
SHUTDOWN: Step = ("nvmlShutdown", [])
NULL: Argument = ["null"]
OUT: Argument = ["out"]
DEVICE: Argument = ["dev", 0]
NUMBERS = {
    "link": (0, 1, 17, 18, 36, 0xFFFFFFFF),
    "length": (96, 0, 1, 2, 13, 30),
    "cpuSetSize": (16, 0, 1),
    "nodeSetSize": (16, 0, 1),
    "lastSeenTimeStamp": (0,),
    "valuesCount": (0, -1),
    "pid": (1, 0, 4_000_000_000),
}
OTHERS = (0, 1, 2, 99)
MEMBERS = (0, 1, 2, 3, 4, 5, 8, 64, -1)
FIELDS = range(1, 275)
UUIDS = ("same", "lower", "upper", "without prefix", "first half", "with a space")
BUSES = (
    "same",
    "lower",
    "upper",
    "without domain",
    "short domain",
    "another function",
    "another bus",
    "without function",
)


def programs() -> dict[str, Program]:
    """Return the programs by name."""
    made = {
        name: list(_variants(name)) for name in sorted(PROTOTYPES) if READS.match(name) and not LEFT_OUT.search(name)
    }
    return {name: _around(steps) for name, steps in made.items()} | _by_hand()


def _around(steps: Program) -> Program:
    """Return steps with those that open and close the library, and the first of them without it."""
    return [steps[0], INIT, *steps, SHUTDOWN, steps[0]]


def _variants(name: str) -> Iterator[Step]:
    """Yield a call with good arguments, and with each of them replaced."""
    params = PROTOTYPES[name]
    choices = [_values(kind, label, params) for kind, label in params]
    first = [values[0] for values in choices]
    yield name, first
    for place, values in enumerate(choices):
        for value in values[1:]:
            yield name, [*first[:place], value, *first[place + 1 :]]


def _values(kind: str, label: str, params: list[list[str]]) -> list[Argument]:
    """Return what a parameter gets, the best first."""
    if kind == "nvmlDevice_t":
        return [["dev", 1] if label in {"device2", "devHandle2", "device_2"} else DEVICE, ["dev", 1], NULL]
    if kind.endswith("*"):
        return [*_rooms(kind.removesuffix("*").strip(), label, params), NULL]
    if kind in ENUMS:
        return [["int", value] for value in MEMBERS]
    return [["int", value] for value in NUMBERS.get(label, OTHERS)]


def _rooms(kind: str, label: str, params: list[list[str]]) -> list[Argument]:
    members = STRUCTS.get(kind, [])
    if members and members[0] == ["unsigned int", "version"]:
        size = ctypes.sizeof(type_of(kind))
        told = [int(number) for number in re.findall(r"_v(\d)_t$", kind)]
        numbers = dict.fromkeys([*told, 1, 2, 3, 4])
        right = [_word(size | number << 24) for number in numbers]
        words = [*right, _word(0), _word(size), _word(size + 4 | 1 << 24)]
        # A pointer in a struct is null.
        rest = bytes(size - 4).hex() if any(one.endswith("*") for one, _ in members) else ""
        return [["out", word + rest] for word in words]
    if kind == "unsigned int" and COUNT.search(label) and sum(one.endswith("*") for one, _ in params) > 1:
        return [["out", _word(number)] for number in (64, 0, 1)]
    return [OUT]


def _word(number: int) -> str:
    return number.to_bytes(4, "little").hex()


NOTHING = "00" * 8
"""A null handle or address, in a request."""


def _register(types: int, version: int = 1 << 24 | 24, held: str = "set") -> Step:
    return "nvmlSystemRegisterEvents", [["out", _word(version) + _word(0) + types.to_bytes(8, "little").hex(), held]]


def _wait(timeout: int, version: int = 1 << 24 | 32, held: str = "set", data: str = "room", size: int = 4) -> Step:
    return "nvmlSystemEventSetWait", [["out", _word(version) + _word(timeout), held, data, _word(size)]]


def _free(version: int = 1 << 24 | 16, held: str = "set") -> Step:
    return "nvmlSystemEventSetFree", [["out", _word(version) + _word(0), held]]


def _events_of_the_system() -> dict[str, Program]:
    create: Step = ("nvmlSystemEventSetCreate", [["out", _word(1 << 24 | 16)]])
    versions = 0, 2 << 24 | 16, 1 << 24 | 20
    return {
        "system_events": [
            create,
            INIT,
            ("nvmlSystemEventSetCreate", [NULL]),
            *(("nvmlSystemEventSetCreate", [["out", _word(version)]]) for version in versions),
            create,
            ("nvmlSystemRegisterEvents", [NULL]),
            *(_register(1, version) for version in versions),
            _register(1, held=NOTHING),
            *map(_register, (1 << 40, 1 << 40 | 1, 0, 3)),
        ],
        "system_event_waits": [
            INIT,
            create,
            _register(3),
            ("nvmlSystemEventSetWait", [NULL]),
            *(_wait(20, version) for version in versions),
            _wait(20, held=NOTHING),
            _wait(20, data=NOTHING),
            _wait(20, size=0),
            _wait(20),
            _wait(0),
            ("nvmlSystemEventSetFree", [NULL]),
            *map(_free, versions),
            _free(held=NOTHING),
            _free(),
            create,
            *map(_register, (1, 4)),
            _wait(0),
            _free(),
        ],
        "system_event_sets": [
            INIT,
            create,
            *map(_register, (1, 1, 2)),
            create,
            *map(_register, (1, 2)),
            _wait(20),
            _free(),
            create,
            _register(1),
            SHUTDOWN,
            INIT,
            create,
            _register(1),
        ],
        "system_event_timeouts": [INIT, create, _wait(20), _wait(0)],
    }


def _by_hand() -> dict[str, Program]:
    count: Step = ("nvmlDeviceGetCount_v2", [OUT])
    return {
        "references": [
            SHUTDOWN,
            count,
            INIT,
            count,
            INIT,
            SHUTDOWN,
            count,
            SHUTDOWN,
            count,
            SHUTDOWN,
            *(("nvmlInitWithFlags", [["int", flags]]) for flags in (0, 1, 2, 3, 4, -1)),
            ("nvmlInit", []),
            *[SHUTDOWN] * 6,
            count,
        ],
        "handles": [
            ("nvmlDeviceGetHandleByIndex_v2", [["int", 0], OUT]),
            ("nvmlDeviceGetHandleByUUID", [["text", "GPU-"], OUT]),
            INIT,
            *(
                (name, [["int", index], OUT])
                for name in ("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex")
                for index in (0, 1, 2, 99, -1)
            ),
            ("nvmlDeviceGetHandleByIndex_v2", [["int", 0], NULL]),
            ("nvmlDeviceGetHandleByIndex_v2", [["int", 99], NULL]),
            *(("nvmlDeviceGetHandleByUUID", [["text of", 1, "uuid", how], OUT]) for how in UUIDS),
            *(("nvmlDeviceGetHandleByPciBusId_v2", [["text of", 1, "bus", how], OUT]) for how in BUSES),
            ("nvmlDeviceGetHandleByPciBusId", [["text of", 1, "bus", "same"], OUT]),
            *(("nvmlDeviceGetHandleBySerial", [["text of", 1, "serial", how], OUT]) for how in ("same", "first half")),
            *(
                (name, [text, room])
                for name in (
                    "nvmlDeviceGetHandleByUUID",
                    "nvmlDeviceGetHandleByPciBusId_v2",
                    "nvmlDeviceGetHandleBySerial",
                )
                for text, room in ((["text", ""], OUT), (["text", "x"], OUT), (NULL, OUT), (["text", "x"], NULL))
            ),
            *(("nvmlDeviceGetName", [["handle", handle], OUT, ["int", 96]]) for handle in (1, 0xDEAD0000)),
        ],
        "texts": [("nvmlErrorString", [["int", code]]) for code in (*range(33), 999, 1000, -1)],
        "events": [
            ("nvmlEventSetCreate", [OUT]),
            INIT,
            ("nvmlEventSetCreate", [NULL]),
            ("nvmlEventSetCreate", [OUT]),
            *(
                ("nvmlDeviceRegisterEvents", [device, ["int", types], held])
                for device, types, held in (
                    (DEVICE, 0, ["set"]),
                    (DEVICE, 8, ["set"]),
                    (DEVICE, 8, ["set"]),
                    (["dev", 1], 8 | 2, ["set"]),
                    (DEVICE, 1 << 40, ["set"]),
                    (DEVICE, 8 | 1 << 40, ["set"]),
                    (NULL, 8, ["set"]),
                    (DEVICE, 8, NULL),
                )
            ),
            *(
                (name, [held, room, ["int", timeout]])
                for name in ("nvmlEventSetWait_v2", "nvmlEventSetWait")
                for held, room, timeout in (
                    (["set"], OUT, 0),
                    (["set"], OUT, 20),
                    (["set"], NULL, 0),
                    (NULL, OUT, 0),
                )
            ),
            ("nvmlEventSetFree", [NULL]),
            ("nvmlEventSetFree", [["set"]]),
            ("nvmlEventSetWait_v2", [["set"], OUT, ["int", 0]]),
            ("nvmlEventSetFree", [["set"]]),
        ],
        # What other programs of the machine are called is nobody's business.
        "nvmlSystemGetProcessName": [
            INIT,
            *(("nvmlSystemGetProcessName", [["int", pid], OUT, ["int", 96]]) for pid in (0, 4_000_000_000)),
            SHUTDOWN,
        ],
        "waits_without_events": [
            INIT,
            ("nvmlEventSetCreate", [OUT]),
            ("nvmlEventSetWait_v2", [["set"], OUT, ["int", 0]]),
            ("nvmlEventSetWait_v2", [["set"], OUT, ["int", 20]]),
        ],
        "fields": [
            INIT,
            *(
                ("nvmlDeviceGetFieldValues", [DEVICE, ["int", 1], ["out", f"{_word(field)}{_word(scope)}"]])
                for field in FIELDS
                for scope in (0, 1, 99)
                if not scope or field in {138, 164, 165, 166, 146}
            ),
            ("nvmlDeviceGetFieldValues", [DEVICE, ["int", 0], OUT]),
            ("nvmlDeviceGetFieldValues", [DEVICE, ["int", 1], ["out", _word(9999) + _word(0)]]),
        ],
        # None of these fields counts what was, so that nothing is lost.
        "cleared_fields": [
            ("nvmlDeviceClearFieldValues", [DEVICE, ["int", 1], ["out", _word(9999) + _word(0)]]),
            INIT,
            *(
                ("nvmlDeviceClearFieldValues", [device, ["int", count], values])
                for device, count, values in (
                    *((DEVICE, 1, ["out", _word(field) + _word(0)]) for field in (1, 82, 9999)),
                    (DEVICE, 0, OUT),
                    (DEVICE, -1, OUT),
                    (DEVICE, 1, NULL),
                    (NULL, 1, ["out", _word(9999) + _word(0)]),
                )
            ),
        ],
        # These do, and stood at 0 on the recorded card.
        "cleared_counters": [
            INIT,
            *(
                ("nvmlDeviceClearFieldValues", [DEVICE, ["int", 1], ["out", _word(field) + _word(0)]])
                for field in (94, 173, 174)
            ),
        ],
        **_events_of_the_system(),
        "samples": [
            INIT,
            *(
                ("nvmlDeviceGetSamples", [DEVICE, ["int", kind], ["int", since], OUT, ["out", _word(count)], room])
                for kind in range(10)
                for since, count, room in ((0, 200, OUT), (0, 0, NULL), (1 << 62, 200, OUT), (0, 0, OUT))
            ),
            *(
                ("nvmlDeviceGetProcessUtilization", [DEVICE, room, ["out", _word(count)], ["int", since]])
                for room, count, since in ((NULL, 0, 0), (OUT, 200, 0), (OUT, 200, 1 << 62), (NULL, 0, 1 << 62))
            ),
        ],
        "clocks": [
            INIT,
            *(
                ("nvmlDeviceGetSupportedMemoryClocks", [DEVICE, ["out", _word(count)], room])
                for count, room in ((0, NULL), (1, OUT), (2, NULL), (2, OUT))
            ),
            *(
                ("nvmlDeviceGetSupportedGraphicsClocks", [DEVICE, ["int", clock], ["out", _word(count)], room])
                for clock in (3201, 2457)
                for count, room in ((0, NULL), (1, OUT), (200, NULL), (200, OUT))
            ),
        ],
        "links": [
            INIT,
            *(
                (name, [DEVICE, ["int", link], OUT])
                for name in (
                    "nvmlDeviceGetNvLinkState",
                    "nvmlDeviceGetNvLinkRemotePciInfo_v2",
                    "nvmlDeviceGetNvLinkRemoteDeviceType",
                )
                for link in range(19)
            ),
            *(
                ("nvmlDeviceGetNvLinkCapability", [DEVICE, ["int", link], ["int", capability], OUT])
                for link in (0, 5, 18)
                for capability in range(7)
            ),
        ],
        "peers": [
            INIT,
            *(
                ("nvmlDeviceGetP2PStatus", [["dev", one], ["dev", other], ["int", index], OUT])
                for one, other in ((0, 1), (1, 0), (0, 0))
                for index in range(8)
            ),
            *(
                ("nvmlDeviceGetTopologyCommonAncestor", [["dev", one], ["dev", other], OUT])
                for one, other in ((0, 1), (1, 0), (0, 0))
            ),
            *(
                ("nvmlDeviceGetTopologyNearestGpus", [DEVICE, ["int", level], ["out", _word(count)], OUT])
                for level in (0, 10, 20, 30, 40, 50, 60)
                for count in (64, 0)
            ),
            *(
                ("nvmlDeviceGetTopologyNearestGpus", [DEVICE, ["int", 50], count, room])
                for count, room in ((["out", _word(0)], NULL), (["out", _word(1)], NULL), (["out", _word(1)], OUT))
            ),
        ],
        "processes": [
            INIT,
            *(
                (f"nvmlDeviceGet{what}RunningProcesses{version}", [DEVICE, ["out", _word(count)], room])
                for what in ("Compute", "Graphics", "MPSCompute")
                for version in ("", "_v2", "_v3")
                for count, room in ((0, NULL), (0, OUT), (64, NULL), (64, OUT))
            ),
        ],
        "fabric": [
            INIT,
            *(
                ("nvmlDeviceGetGpuFabricInfoV", [DEVICE, ["out", _word(size | version << 24)]])
                for size in (ctypes.sizeof(type_of(f"nvmlGpuFabricInfo{one}_t")) for one in ("_v2", "_v3", "_v4"))
                for version in (1, 2, 3, 4)
            ),
        ],
    }
