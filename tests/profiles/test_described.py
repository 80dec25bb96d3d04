"""The described profiles: each is a machine on which programs run, and differs from the probed ones in what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from fakecuda import Machine, ProfileError, Result
from fakecuda.profiles import HERE, load, names
from fakecuda.spec import versions
from fakecuda.spec.driver import CALLS, ENUMS

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda import Process
    from fakecuda.profiles import Profile

ATTRIBUTE = ENUMS["CUdevice_attribute"]
DESCRIBED = [name for name in names() if load(name).origin == "documented"]
BASED = """
schema = 1
name = "mine"
origin = "documented"
base = "h200-x2"
"""


def attribute(name: str) -> int:
    """Return the number of a device attribute."""
    return ATTRIBUTE[f"CU_DEVICE_ATTRIBUTE_{name}"]


def started(machine: Machine) -> Process:
    """Return a process of a machine that has called cuInit."""
    process = machine.spawn()
    assert process.c.cuInit(0) == (0,)
    return process


def mine(folder: Path, text: str) -> Profile:
    """Return the profile of a file with a base and more."""
    path = folder / "mine.toml"
    path.write_text(BASED + text)
    return load(path)


@pytest.mark.parametrize("name", DESCRIBED)
def test_programs_run_on_it(name: str) -> None:
    """cuInit, a primary context and memory of each device, its attributes, and the peers as the profile links them."""
    with Machine(name) as machine:
        assert machine.profile.origin == "documented"
        assert machine.profile.purpose
        a = started(machine)
        _, count = a.c.cuDeviceGetCount()
        assert count == (1 if machine.devices[0].profile.mig else len(machine.devices))
        for number in range(count):
            profile = machine.devices[number].profile
            assert a.c.cuDeviceTotalMem(number) == (0, profile.total_memory)
            assert a.c.cuDeviceGetAttribute(attribute("WARP_SIZE"), number) == (0, 32)
            code, context = a.c.cuDevicePrimaryCtxRetain(number)
            assert code == 0
            assert a.c.cuCtxSetCurrent(context) == (0,)
            assert a.c.cuMemAlloc(1 << 20)[0] == 0
            for other in range(count):
                link = machine.profile.peers.get((number, other))
                assert a.c.cuDeviceCanAccessPeer(number, other) == (0, int(link is not None and link.can_access))
        machine.check_invariants()


@pytest.mark.parametrize("name", DESCRIBED)
def test_its_file_names_its_sources(name: str) -> None:
    """Numbers that nobody probed stand beside an address."""
    assert "https://" in (HERE / f"{name}.toml").read_text()


def test_a_pair_without_peer_access() -> None:
    """Neither direction, by no attribute of the link; memory of the other device is not mapped for it."""
    with Machine("pcie-pair") as machine:
        a = started(machine)
        for source, target in ((0, 1), (1, 0)):
            assert a.c.cuDeviceCanAccessPeer(source, target) == (0, 0)
            assert a.c.cuDeviceGetP2PAttribute(2, source, target) == (0, 0)
        _, other = a.c.cuCtxCreate(None, 0, 1)
        a.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuCtxEnablePeerAccess(other, 0) == (Result.PEER_ACCESS_UNSUPPORTED,)


def test_a_pair_of_gamers_cards() -> None:
    """The driver gives them no peer access, whatever the bus could do; pools of one are opened by no other device."""
    with Machine("rtx-4090-x2") as machine:
        a = started(machine)
        assert a.c.cuDeviceGetName(64, 0)[1].rstrip(b"\0") == b"NVIDIA GeForce RTX 4090"
        assert a.c.cuDeviceCanAccessPeer(0, 1) == (0, 0)
        _, other = a.c.cuCtxCreate(None, 0, 1)
        a.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuCtxEnablePeerAccess(other, 0) == (Result.PEER_ACCESS_UNSUPPORTED,)
        assert a.c.cuDeviceGetAttribute(attribute("ECC_ENABLED"), 0) == (0, 0)


def test_a_pair_of_an_older_generation() -> None:
    """Linked by NVLink with native atomic operations, without fabric handles, clusters or multicast."""
    with Machine("a100-80gb-x2") as machine:
        a = started(machine)
        assert a.c.cuDeviceCanAccessPeer(1, 0) == (0, 1)
        assert a.c.cuDeviceGetP2PAttribute(3, 0, 1) == (0, 1)
        for name in ("HANDLE_TYPE_FABRIC_SUPPORTED", "CLUSTER_LAUNCH", "MULTICAST_SUPPORTED"):
            assert a.c.cuDeviceGetAttribute(attribute(name), 0) == (0, 0)
        assert load("a100-80gb-x4").peers[3, 2].can_access


@pytest.mark.parametrize(("name", "code"), [("t4", 0), ("a100-40gb", 0), ("l4", 0), ("b200", Result.UNSUPPORTED_LIMIT)])
def test_the_depth_of_synchronizing_is_a_limit_of_older_cards(name: str, code: int) -> None:
    """Below compute capability 9.0 it can be asked for and set; from there on the driver has none."""
    depth = ENUMS["CUlimit"]["CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH"]
    with Machine(name) as machine:
        a = started(machine)
        a.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuCtxGetLimit(depth) == (code, None if code else 2)
        assert a.c.cuCtxSetLimit(depth, 4) == (code,)


def test_an_hgx_host_of_blackwell() -> None:
    """All of 56 links, clusters, and multicast by the switches; a single card has none."""
    with Machine("b200-x8") as machine:
        a = started(machine)
        assert all(a.c.cuDeviceCanAccessPeer(s, d) == (0, int(s != d)) for s in range(8) for d in range(8))
        assert a.c.cuDeviceGetAttribute(attribute("MULTICAST_SUPPORTED"), 7) == (0, 1)
        assert a.c.cuDeviceGetAttribute(attribute("COMPUTE_CAPABILITY_MAJOR"), 7) == (0, 10)
    assert load("b200").devices[0].attributes[attribute("MULTICAST_SUPPORTED")] == 0


def test_an_nvswitch_host() -> None:
    """All of 56 links; fabric handles are advertised, and refused without an IMEX channel."""
    with Machine("hgx-8") as machine:
        a = started(machine)
        assert all(a.c.cuDeviceCanAccessPeer(s, d) == (0, int(s != d)) for s in range(8) for d in range(8))
        assert a.c.cuDeviceGetAttribute(attribute("HANDLE_TYPE_FABRIC_SUPPORTED"), 0) == (0, 1)
        assert a.c.cuMemCreate(2 << 20, (1, 8, (1, 0), 0, (0, 0, 0)), 0) == (Result.NOT_PERMITTED, None)
        assert machine.profile.peer_limit is None


def test_a_tray_of_an_nvlink_domain() -> None:
    """Fabric handles travel as bytes, through the look-alike too; host and cards are NUMA nodes of one memory."""
    with Machine("nvl72") as machine:
        a, b = started(machine), started(machine)
        driver = a.driver
        prop = driver.CUmemAllocationProp()
        prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        prop.location.id = 3
        fabric = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_FABRIC
        prop.requestedHandleTypes = fabric
        code, handle = driver.cuMemCreate(2 << 20, prop, 0)
        assert code == 0
        code, shared = driver.cuMemExportToShareableHandle(handle, fabric, 0)
        assert (code, len(shared.data)) == (0, 64)
        code, opened = b.driver.cuMemImportFromShareableHandle(shared.getPtr(), fabric)
        assert code == 0
        assert b.c.cuMemGetAllocationPropertiesFromHandle(int(opened))[1][2] == (1, 3)
        nodes = [a.c.cuDeviceGetAttribute(attribute("NUMA_ID"), device)[1] for device in range(4)]
        assert nodes == [2, 10, 18, 26]
        assert [a.c.cuDeviceGetAttribute(attribute("HOST_NUMA_ID"), device)[1] for device in range(4)] == [0, 0, 1, 1]
        codes = [a.c.cuMemCreate(2 << 20, (1, 8, (3, node), 0, (0, 0, 0)), 0)[0] for node in (0, 1, 2)]
        assert codes == [0, 0, Result.INVALID_VALUE]


def test_windows_subsystem_for_linux() -> None:
    """Managed memory is had, not used at once; an IPC handle is had, not opened."""
    with Machine("wsl") as machine:
        a, b = started(machine), started(machine)
        assert a.c.cuDeviceGetAttribute(attribute("CONCURRENT_MANAGED_ACCESS"), 0) == (0, 0)
        for process in (a, b):
            process.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuMemAllocManaged(4096, 1)[0] == 0
        code, handle = a.c.cuIpcGetMemHandle(a.c.cuMemAlloc(512)[1])
        assert code == 0
        assert b.c.cuIpcOpenMemHandle(handle, 1) == (Result.INVALID_HANDLE, None)


def test_an_older_driver() -> None:
    """It knows no functions, codes, attributes and flags that came later."""
    with Machine("driver-12.4") as machine:
        a = started(machine)
        assert a.c.cuDriverGetVersion() == (0, 12040)
        assert a.c.cuCtxCreate(None, 0, 0) == (Result.NOT_FOUND, None)
        assert a.c.cuGetProcAddress(b"cuCtxCreate", 12050, 0) == (Result.INVALID_VALUE, None, None)
        assert a.c.cuGetProcAddress(b"cuCtxWaitEvent", 12040, 0)[1:] == (0, 1)
        for code in ("CONTAINED", "CALL_REQUIRES_NEWER_DRIVER"):
            assert a.c.cuGetErrorName(Result[code]) == (Result.INVALID_VALUE, None)
        assert a.c.cuGetErrorName(Result.FUNCTION_NOT_LOADED)[0] == 0
        assert a.c.cuDeviceGetAttribute(attribute("HANDLE_TYPE_FABRIC_SUPPORTED"), 0) == (0, 1)
        assert a.c.cuDeviceGetAttribute(attribute("HOST_MEMORY_POOLS_SUPPORTED"), 0) == (Result.INVALID_VALUE, None)


@pytest.mark.parametrize(("version", "code"), [(12000, Result.INVALID_VALUE), (12010, 0), (13000, 0)])
def test_flags_came_with_a_version(version: int, code: int) -> None:
    """CU_CTX_SYNC_MEMOPS of CUDA 12.1, and the others that stand in the table."""
    with Machine(load("h200").with_driver(version)) as machine:
        a = started(machine)
        assert a.c.cuDevicePrimaryCtxSetFlags(0, ENUMS["CUctx_flags"]["CU_CTX_SYNC_MEMOPS"]) == (code,)
        assert a.c.cuDevicePrimaryCtxSetFlags(0, ENUMS["CUctx_flags"]["CU_CTX_SCHED_SPIN"]) == (0,)


def test_the_tables_of_versions_agree_with_what_was_probed() -> None:
    """A probed driver knows the codes and attributes of its version and before, and no others."""
    profile = load("h200-x2")
    assert versions.CODES.keys() - profile.strings == {
        code for code, version in versions.CODES.items() if version > profile.driver_version
    }
    for since, known in (
        (versions.ATTRIBUTES, profile.devices[0].attributes.keys()),
        (versions.LIMITS, profile.devices[0].limits.keys()),
        (versions.LINK_ATTRIBUTES, profile.peers[0, 1].attributes.keys()),
    ):
        assert since.keys() - known == {number for number, version in since.items() if version > profile.driver_version}
    assert profile.with_driver(13000).strings == profile.strings


def test_functions_are_missing_by_their_symbols_versions() -> None:
    """What the binding calls, not what the manual's name came with."""
    assert "cuCtxCreate" in versions.missing(12040)
    assert "cuCtxCreate" not in versions.missing(12050)
    assert versions.missing(max(call.version for call in CALLS.values())) == frozenset()


def test_a_file_differs_from_its_base(tmp_path: Path) -> None:
    """In what it says, table by table and device by device; the rest is the base's."""
    pair = load("h200-x2")
    assert mine(tmp_path, "") == attrs.evolve(pair, name="mine", origin="documented", purpose="")
    changed = mine(
        tmp_path,
        """
        [memory]
        fabric = true
        [[device]]
        name = "First"
        [[device]]
        attributes = { CU_DEVICE_ATTRIBUTE_WARP_SIZE = 64 }
        [[device]]
        uuid = "00000000000000000000000000000003"
        pci = "0000:99:00.0"
        """,
    )
    assert changed.fabric
    assert changed.context_memory == pair.context_memory
    assert changed.devices[0] == attrs.evolve(pair.devices[0], name="First")
    assert changed.devices[1].attributes == pair.devices[1].attributes | {attribute("WARP_SIZE"): 64}
    assert changed.devices[2] == attrs.evolve(pair.devices[1], uuid=bytes(15) + b"\3", pci="0000:99:00.0")
    assert changed.peers == pair.peers


def test_a_file_links_every_pair(tmp_path: Path) -> None:
    """But those that it names."""
    profile = mine(
        tmp_path,
        """
        [link]
        can_access = 1
        attributes = { CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 1 }
        [[peer]]
        src = 1
        dst = 0
        can_access = 0
        """,
    )
    assert {pair: link.can_access for pair, link in profile.peers.items()} == {(0, 1): True, (1, 0): False}


@pytest.mark.parametrize("base", ["nope", "../h200", "mine"])
def test_an_unknown_base_is_told_the_known_ones(tmp_path: Path, base: str) -> None:
    """In one line, with the file."""
    path = tmp_path / "mine.toml"
    path.write_text(BASED.replace("h200-x2", base))
    with pytest.raises(ProfileError) as caught:
        load(path)
    assert str(caught.value) == f"profile {path}: its base {base!r} is not a profile: use one of {', '.join(names())}"
