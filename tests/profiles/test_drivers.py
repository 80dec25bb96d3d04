"""Differences of drivers are data: what came with each version, and what each answers otherwise, on machines of either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.kernels import PTX
from fakecuda import Machine, Result
from fakecuda.profiles import load, names
from fakecuda.spec import launch_config, versions
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

DRIVERS = [name for name in names() if name.startswith("driver-")]
CHANGES, GONE = versions.changes()
RELEASED = (11080, 12000, 12010, 12020, 12030, 12040, 12050, 12060, 12080, 12090, 13000, 13010, 13020, 13030, 13040)
DEVICE, PINNED, MANAGED = 1, 1, 2


def member(enum: str, name: str) -> int:
    """Return the number of a member of an enumeration."""
    return ENUMS[enum][name]


def pool(
    *, kind: int = PINNED, location: tuple[int, int] = (DEVICE, 0), usage: int = 0, rdma: int = 0
) -> tuple[Any, ...]:
    """Return CUmemPoolProps."""
    return (kind, 0, location, 0, 0, usage, rdma)


def pool_attribute(a: Process) -> int:
    """Return the code of an attribute that tells what a pool is."""
    _, made = a.c.cuMemPoolCreate(pool())
    code: int = a.c.cuMemPoolGetAttribute(made, member("CUmemPool_attribute", "CU_MEMPOOL_ATTR_LOCATION_TYPE"))[0]
    return code


def pointer_attribute(a: Process) -> int:
    """Return the code of an attribute of memory that older drivers have no number for."""
    attribute = member("CUpointer_attribute", "CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE")
    code: int = a.c.cuPointerGetAttribute(attribute, a.c.cuMemAlloc(512)[1])[0]
    return code


PROBES: dict[tuple[int, str], Callable[[Process], int]] = {
    (12010, "cuDevicePrimaryCtxSetFlags"): lambda a: a.c.cuDevicePrimaryCtxSetFlags(
        1, member("CUctx_flags", "CU_CTX_SYNC_MEMOPS")
    )[0],
    (12050, "cuCtxGetLimit"): lambda a: a.c.cuCtxGetLimit(member("CUlimit", "CU_LIMIT_SHMEM_SIZE"))[0],
    (12080, "cuMemPoolCreate"): lambda a: a.c.cuMemPoolCreate(pool(usage=2))[0],
    (12080, "cuPointerGetAttribute"): pointer_attribute,
    (13000, "cuMemPoolCreate"): lambda a: a.c.cuMemPoolCreate(pool(kind=MANAGED))[0],
    (13000, "cuDeviceGetP2PAttribute"): lambda a: a.c.cuDeviceGetP2PAttribute(5, 0, 1)[0],
    (13020, "cuMemPoolGetAttribute"): pool_attribute,
    (13040, "cuMemPoolCreate"): lambda a: a.c.cuMemPoolCreate(pool(rdma=1))[0],
}
"""A call for each change, by version and call, with its code."""


def started(machine: Machine) -> Process:
    """Return a process with the primary context of device 0 current."""
    a = machine.spawn()
    assert a.c.cuInit(0) == (0,)
    _, context = a.c.cuDevicePrimaryCtxRetain(0)
    assert a.c.cuCtxSetCurrent(context) == (0,)
    return a


def test_each_change_is_tried() -> None:
    """And nothing else."""
    assert {(change.version, call) for change in CHANGES for call in change.calls} == PROBES.keys()


@pytest.mark.parametrize(("version", "call"), PROBES)
def test_a_change_is_one_of_its_version(version: int, call: str) -> None:
    """The driver of that version and every later one does it; every one before it answers as the table says."""
    [change] = [one for one in CHANGES if one.version == version and call in one.calls]
    for driver in RELEASED[1:]:
        with Machine(load("h200-x2").with_driver(driver)) as machine:
            code = PROBES[version, call](started(machine))
        assert code == (0 if driver >= version else Result[change.before]), driver


@pytest.mark.parametrize("name", DRIVERS)
def test_a_driver_knows_what_its_header_has(name: str) -> None:
    """Codes, attributes, limits and attributes of links, by the tables; a code has a name and a text."""
    profile = load(name)
    version = profile.driver_version
    with Machine(name) as machine:
        a = started(machine)
        for code, since in versions.CODES.items():
            expected = 0 if since <= version else Result.INVALID_VALUE
            assert a.c.cuGetErrorName(code)[0] == a.c.cuGetErrorString(code)[0] == expected, code
        for attribute, since in versions.ATTRIBUTES.items():
            assert (a.c.cuDeviceGetAttribute(attribute, 0)[0] == 0) == (since <= version), attribute
        for limit, since in versions.LIMITS.items():
            assert (a.c.cuCtxGetLimit(limit)[0] == Result.INVALID_VALUE) == (since > version), limit
        for attribute, since in versions.LINK_ATTRIBUTES.items():
            assert (a.c.cuDeviceGetP2PAttribute(attribute, 0, 1)[0] == 0) == (since <= version), attribute


@pytest.mark.parametrize("version", RELEASED[1:])
def test_a_driver_knows_the_attributes_of_launches_of_its_header(version: int) -> None:
    """A later one answers INVALID_VALUE."""
    unlike = {launch_config.UPDATABLE, launch_config.COMPLETION}
    with Machine(load("h200").with_driver(version)) as machine:
        a = started(machine)
        _, function = a.c.cuModuleGetFunction(a.c.cuModuleLoadData(PTX)[1], b"empty")
        for attribute, since in versions.LAUNCH_ATTRIBUTES.items():
            form = launch_config.LAYOUTS[attribute]
            config = (*[1] * 6, 0, 0, ((attribute, *form.unpack(bytes(form.size))),))
            known = since <= version and attribute not in unlike
            said = {0, int(Result.INVALID_CLUSTER_SIZE)} if attribute == launch_config.PREFERRED_CLUSTER else {0}
            assert (a.c.cuLaunchKernelEx(config, function, 0, 0)[0] in said) == known, attribute


@pytest.mark.parametrize("name", DRIVERS)
def test_a_driver_has_the_functions_of_its_version(name: str) -> None:
    """One that came later is not found by the loader's way."""
    version = load(name).driver_version
    with Machine(name) as machine:
        a = started(machine)
        for base, since in {
            symbol.base: symbol.version for symbol in symbols() if symbol.version > RELEASED[0]
        }.items():
            first = min(symbol.version for symbol in symbols() if symbol.base == base)
            found = a.c.cuGetProcAddress(base.encode(), version, 0)[-1] == 0
            assert found == (first <= version), (base, since)


@pytest.mark.parametrize(("version", "known"), [(12000, False), (12010, False), (12020, True), (13000, True)])
def test_locations_of_ranges_are_told_since_12_2(version: int, known: bool) -> None:  # noqa: FBT001 - a table's column
    """Before that a range of managed memory has devices alone."""
    attribute = member("CUmem_range_attribute", "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE")
    with Machine(load("h200").with_driver(version)) as machine:
        a = started(machine)
        _, managed = a.c.cuMemAllocManaged(4096, 1)
        code, *_ = a.c.cuMemRangeGetAttribute(4, attribute, managed, 4096)
        assert code == (0 if known else Result.INVALID_VALUE)
        several, *_ = a.c.cuPointerGetAttributes(
            1, (member("CUpointer_attribute", "CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE"),), managed
        )
        assert several == (0 if version >= 12080 else Result.INVALID_VALUE)


def test_what_is_gone_from_a_header_was_there() -> None:
    """The library exports it still, in the version that it had."""
    exported = {symbol.name: symbol.version for symbol in symbols()}
    for gone in GONE:
        assert all(exported[name] < gone.version for name in gone.functions if name in exported)


def test_a_newer_driver_has_codes_that_the_probed_one_lacks() -> None:
    """With the words of their names, for nobody has probed its texts; those that were probed stay."""
    probed, newer = load("h200-x2"), load("driver-13.3")
    code = Result.STREAM_DETACHED
    assert code not in probed.strings
    assert newer.strings[code] == "stream detached"
    assert {number: newer.strings[number] for number in probed.strings} == probed.strings
