"""Write this machine's profile: ``python -m realcuda.probe [-o FILE]``.

The profile lists questions that fail, and continues with the others. Only a missing driver or device ends the run.

The file is TOML, schema 1, for ``fakecuda/profiles``. Sizes are bytes. Addresses and flags are integers. A table
``refused`` beside ``attributes`` has what the driver refused, with the name of the code (``"INVALID_VALUE"``).

    top level            schema, name, origin ("probed"), date, driver_version (1000 * major + 10 * minor), driver
                         (NVIDIA's version string), bindings, system, problems (what could not be asked)
    [granularity]        minimum, recommended: cuMemCreate on device 0 without a handle type
    [memory]             posix, fabric (whether such handles can be made, and the codes), context_memory (what one more
                         context takes of device 0), the free memory that shows it, window (largest reservation)
    [addresses]          of allocations in a fresh process: address, bytes taken, alignment and range (base, size);
                         first reservations and allocation handles; the first byte's address on each device
    [context]            codes and values before, in and after the primary context of device 0
    [[device]]           name, uuid (32 hex digits), pci, total_memory, free_memory (as a fresh context sees it),
                         primary_before, primary_after (flags, active), attributes, refused, and tables of the same
                         shape: limits, pool (the default one), itself (the device as its own peer)
    [[peer]]             src, dst, can_access, attributes, refused, for each ordered pair
    [[granularities]]    minimum, recommended by location (type, id) and handle_types, or their codes
    [names], [strings]   what cuGetErrorName and cuGetErrorString say, by code
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.metadata
import itertools
import platform
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.spec.codes import Result, name_of
from fakecuda.spec.driver import ENUMS
from realcuda.machine import Machine, available
from realcuda.toml import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from realcuda.process import Process

Table = dict[str, Any]
SCHEMA = 1
P2P = "CUdevice_P2PAttribute"
CODES = 1000
"""The highest code to ask for names and texts."""
MIB = 1 << 20
PINNED, DEVICE, HOST, HOST_NUMA = 1, 1, 2, 3
NONE, POSIX, FABRIC = 0, 1, 8
TOP = 1 << 57
"""An upper bound of the size of a reservation."""
PRECISION = 1 << 30
MOST_RELEASES = 4


class Probe:
    """The probe of a machine.

    A part that fails keeps the answers up to the failure in its table.

    Args:
        machine: The machine.

    Attributes:
        problems: What could not be asked, one line each.
        count: How many devices there are.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.problems: list[str] = []
        self.count = machine.device_count

    def ask(self, process: Process, call: str, *inputs: object) -> tuple[str, Any]:
        """Return ("", result), or (name of the code, None) for a failure.

        Several results are a tuple.
        """
        try:
            code, *outs = getattr(process.c, call)(*inputs)
        except AttributeError:
            return "not exported", None
        result = outs[0] if len(outs) == 1 else tuple(outs)
        return (name_of(code), None) if code else ("", result)

    def must(self, process: Process, call: str, *inputs: object) -> Any:
        """Return a call's result; if the call fails, list a problem and return None."""
        refusal, result = self.ask(process, call, *inputs)
        if refusal:
            self.problems.append(f"{call}{inputs}: {refusal}")
        return result

    def part(self, title: str, question: Callable[[Table], None]) -> Table:
        """Return the table that a question fills; if the question fails, list the reason."""
        table: Table = {}
        try:
            question(table)
        except Exception as error:  # noqa: BLE001 - other questions go on after a failed one
            self.problems.append(f"{title}: {type(error).__name__}: {error}")
        return table

    def fresh(self) -> Process:
        """Return a new process after cuInit."""
        process = self.machine.spawn()
        self.must(process, "cuInit", 0)
        return process

    def current(self, process: Process, number: int) -> Any:
        """Make the primary context of a device current and return it."""
        context = self.must(process, "cuDevicePrimaryCtxRetain", number)
        self.must(process, "cuCtxSetCurrent", context)
        return context

    def members(self, process: Process, call: str, enum: str, inputs: Callable[[int], tuple[Any, ...]]) -> Table:
        """Return a call's answers for each member of an enum.

        The table ``attributes`` has the values, and ``refused`` the codes.
        """
        values: Table = {}
        refused: Table = {}
        for name, number in unaliased(ENUMS[enum]):
            refusal, value = self.ask(process, call, *inputs(number))
            if refusal:
                refused[name] = refusal
            else:
                values[name] = value
            if not process.alive:
                self.problems.append(f"{call}: {name} ended the process ({refusal})")
                break
        return {"attributes": values, "refused": refused}

    def document(self, name: str) -> Table:
        """Return the whole profile."""
        devices = [self.part(f"device {n}", partial(self.device, n)) for n in range(self.count)]
        granularities = self.part("granularities", self.granularities).get("rows", [])
        first = granularities[0] if granularities else {}
        return {
            "schema": SCHEMA,
            "name": name or default_name(devices),
            "origin": "probed",
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
            "driver_version": self.machine.driver_version,
            "driver": kernel_driver(),
            "bindings": bindings(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "problems": self.problems,
            "granularity": {key: first.get(key, 2 * MIB) for key in ("minimum", "recommended")},
            "memory": self.part("memory", self.memory),
            "addresses": self.part("addresses", self.addresses),
            "context": self.part("context", self.context),
            "device": devices,
            "peer": self.part("peers", self.peers).get("rows", []),
            "granularities": granularities,
            **self.part("errors", self.errors),
        }

    def device(self, number: int, table: Table) -> None:
        """Fill the table of one device."""
        process = self.fresh()
        table |= {
            "name": text(self.must(process, "cuDeviceGetName", 256, number)),
            "uuid": (self.must(process, "cuDeviceGetUuid", number) or bytes(16)).hex(),
            "pci": text(self.must(process, "cuDeviceGetPCIBusId", 64, number)),
            "total_memory": self.must(process, "cuDeviceTotalMem", number) or 0,
            "primary_before": self.must(process, "cuDevicePrimaryCtxGetState", number),
            **self.members(process, "cuDeviceGetAttribute", "CUdevice_attribute", lambda a: (a, number)),
        }
        refusal, able = self.ask(process, "cuDeviceCanAccessPeer", number, number)
        links = self.members(process, "cuDeviceGetP2PAttribute", P2P, lambda a: (a, number, number))
        table["itself"] = {"can_access": refusal or able, **links}
        self.current(process, number)
        table["free_memory"], table["total_seen"] = self.must(process, "cuMemGetInfo")
        table["primary_after"] = self.must(process, "cuDevicePrimaryCtxGetState", number)
        table["limits"] = self.members(process, "cuCtxGetLimit", "CUlimit", lambda limit: (limit,))
        pool = self.must(process, "cuDeviceGetDefaultMemPool", number)
        table["pool"] = self.members(process, "cuMemPoolGetAttribute", "CUmemPool_attribute", lambda a: (pool, a))
        process.exit()

    def peers(self, table: Table) -> None:
        """Fill ``rows`` with a table for each ordered pair of devices."""
        process = self.fresh()
        rows = table["rows"] = []
        for src, dst in itertools.permutations(range(self.count), 2):
            able = self.must(process, "cuDeviceCanAccessPeer", src, dst)
            links = self.members(process, "cuDeviceGetP2PAttribute", P2P, lambda a, src=src, dst=dst: (a, src, dst))  # type: ignore[misc]
            rows.append({"src": src, "dst": dst, "can_access": able or 0, **links})
        process.exit()

    def granularities(self, table: Table) -> None:
        """Fill ``rows`` with granularities of cuMemCreate by location and handle types."""
        process = self.fresh()
        places = [(DEVICE, number) for number in range(self.count)] + [(HOST, 0), (HOST_NUMA, 0)]
        rows = table["rows"] = []
        for place, handles in itertools.product(places, (NONE, POSIX, FABRIC, POSIX | FABRIC)):
            row: Table = {"type": place[0], "id": place[1], "handle_types": handles}
            for name, option in (("minimum", 0), ("recommended", 1)):
                refusal, size = self.ask(process, "cuMemGetAllocationGranularity", prop(place, handles), option)
                row |= {f"{name}_code": refusal} if refusal else {name: size}
            rows.append(row)
        process.exit()

    def memory(self, table: Table) -> None:
        """Fill in a context's size, possible handle types, and the largest reservation."""
        here, other = self.fresh(), self.fresh()
        self.current(here, 0)
        for name, handles in (("posix", POSIX), ("fabric", FABRIC)):
            refusal, handle = self.ask(here, "cuMemCreate", 2 * MIB, prop((DEVICE, 0), handles), 0)
            table |= {name: not refusal, f"{name}_code": refusal or "SUCCESS"}
            if not refusal:
                self.must(here, "cuMemRelease", handle)
        alone, table["total"] = self.must(here, "cuMemGetInfo")
        self.current(other, 0)
        beside, _ = self.must(here, "cuMemGetInfo")
        table |= {"context_memory": alone - beside, "free_alone": alone, "free_beside_another": beside}
        other.exit()
        table["free_after_its_end"], _ = self.must(here, "cuMemGetInfo")
        table["window"] = window(here)
        here.exit()

    def addresses(self, table: Table) -> None:
        """Fill in device addresses of a fresh process, and the bytes of allocations."""
        process = self.fresh()
        self.current(process, 0)
        pointers = []
        for name, size in (("byte", 1), ("second_byte", 1), ("2_mib", 2 * MIB), ("64_mib", 64 * MIB)):
            before, _ = self.must(process, "cuMemGetInfo")
            pointer = self.must(process, "cuMemAlloc", size)
            after, _ = self.must(process, "cuMemGetInfo")
            table |= {name: pointer, f"{name}_takes": before - after, f"{name}_alignment": pointer & -pointer}
            table[f"{name}_range"] = self.must(process, "cuMemGetAddressRange", pointer)
            pointers.append(pointer)
        table["distance_of_two_bytes"] = pointers[1] - pointers[0]
        for pointer in pointers:
            self.must(process, "cuMemFree", pointer)
        table["byte_after_free"] = self.must(process, "cuMemAlloc", 1)
        table["reservations"] = [self.must(process, "cuMemAddressReserve", 2 * MIB, 0, 0, 0) for _ in range(3)]
        table["handles"] = [self.must(process, "cuMemCreate", 2 * MIB, prop((DEVICE, 0), NONE), 0) for _ in range(3)]
        by_device = table["byte_by_device"] = []
        for number in range(self.count):
            self.current(process, number)
            by_device.append(self.must(process, "cuMemAlloc", 1))
        process.exit()

    def context(self, table: Table) -> None:
        """Fill in the state before, during and after the primary context of device 0."""
        process = self.fresh()
        table["mem_get_info_before"] = self.ask(process, "cuMemGetInfo")[0]
        table["current_before"] = self.must(process, "cuCtxGetCurrent")
        table["primary"] = first = self.current(process, 0)
        table |= {
            "flags": self.must(process, "cuCtxGetFlags"),
            "api_version": self.must(process, "cuCtxGetApiVersion", first),
            "stream_priorities": self.must(process, "cuCtxGetStreamPriorityRange"),
            "cache_config": self.must(process, "cuCtxGetCacheConfig"),
            "mem_get_info": self.must(process, "cuMemGetInfo"),
            "created": [self.must(process, "cuCtxCreate", None, 0, 0) for _ in range(2)],
        }
        self.must(process, "cuCtxSetCurrent", first)
        for key, end in (("reset", "cuDevicePrimaryCtxReset"), ("release", "cuDevicePrimaryCtxRelease")):
            calls = 0
            while calls < MOST_RELEASES and (self.must(process, "cuDevicePrimaryCtxGetState", 0) or (0, 0))[1]:
                self.must(process, end, 0)
                calls += 1
            table[f"calls_to_{key}"] = calls
            refusal, now = self.ask(process, "cuCtxGetCurrent")
            table[f"current_after_{key}"] = refusal or now
            table[f"state_after_{key}"] = self.must(process, "cuDevicePrimaryCtxGetState", 0)
            table[f"same_handle_after_{key}"] = self.must(process, "cuDevicePrimaryCtxRetain", 0) == first
        process.exit()

    def errors(self, table: Table) -> None:
        """Fill in the names and texts of the driver's codes."""
        process = self.fresh()
        for title, call in (("names", "cuGetErrorName"), ("strings", "cuGetErrorString")):
            answers = ((number, *self.ask(process, call, number)) for number in range(CODES + 1))
            table[title] = {str(number): text(words) for number, refusal, words in answers if not refusal and words}
        process.exit()


def prop(place: tuple[int, int], handles: int) -> tuple[Any, ...]:
    """Return the plain CUmemAllocationProp of pinned memory at a (location type, id)."""
    return (PINNED, handles, place, 0, (0, 0, 0))


def window(process: Process) -> int:
    """Return the largest size that cuMemAddressReserve grants, to a GiB, by bisection."""
    least, most = 0, TOP
    while most - least > PRECISION:
        size = (least + most) // 2 // PRECISION * PRECISION
        code, pointer = process.c.cuMemAddressReserve(size, 0, 0, 0)
        if code == Result.SUCCESS:
            process.c.cuMemAddressFree(pointer, size)
            least = size
        else:
            most = size
    return least


def unaliased(names: dict[str, int]) -> list[tuple[str, int]]:
    """Return an enum's members without end markers.

    Of names with one value, only the first.
    """
    seen: dict[int, str] = {}
    for name, number in names.items():
        if not name.endswith("_MAX"):
            seen.setdefault(number, name)
    return [(name, number) for number, name in seen.items()]


def text(words: bytes | None) -> str:
    """Return a driver's bytes as text."""
    return (words or b"").decode("utf-8", "replace")


def default_name(devices: list[dict[str, Any]]) -> str:
    """Return the profile's name, from the first device's model and the device count."""
    words = str(devices[0].get("name", "") if devices else "").lower().removeprefix("nvidia ")
    model = re.sub(r"[^a-z0-9]+", "-", words).strip("-") or "unknown"
    return model if len(devices) < 2 else f"{model}-x{len(devices)}"  # noqa: PLR2004 - several


def kernel_driver() -> str:
    """Return NVIDIA's version string of the kernel module; empty if it is not loaded."""
    try:
        words = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(r"\b\d+\.\d+(\.\d+)?\b", words)
    return found.group() if found else words.partition("\n")[0]


def bindings() -> str:
    """Return the version of cuda-bindings; empty if it is not installed."""
    try:
        return importlib.metadata.version("cuda-bindings")
    except importlib.metadata.PackageNotFoundError:
        return ""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m realcuda.probe", description="write this machine's profile")
    parser.add_argument("-o", "--output", type=Path, help="the file; standard output without it")
    parser.add_argument("--name", default="", help="the profile's name; from the first device without it")
    parser.add_argument("--library", help="the driver's library; libcuda.so.1 without it")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one call may take")
    options = parser.parse_args(arguments)
    reason = available(options.library)
    if reason:
        sys.stderr.write(f"no profile written: {reason}\n")
        return 1
    with Machine(library=options.library, limit=options.limit, warm=1) as machine:
        profile = render(Probe(machine).document(options.name))
    if options.output is None:
        sys.stdout.write(profile)
    else:
        options.output.write_text(profile, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
