"""Visible devices: CUDA_VISIBLE_DEVICES, and instances of a split card.

https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
"""

from __future__ import annotations

import pytest

import fakecuda
from conformance.cases.driver.context.fixtures import another, ready
from conformance.cases.driver.va.fixtures import prop
from conformance.kit.world import GRANULE, POSIX, access
from fakecuda.model.memory.visible import identifier
from fakecuda.profiles import load
from fakecuda.rules.driver.device.device_get_attribute import BOARD
from fakecuda.rules.runtime.properties import MEMBERS
from fakecuda.spec.codes import Result

FOUR = [device.uuid for device in load("h200-x4").devices]
NAMES = [identifier(device) for device in fakecuda.Machine("h200-x4").devices]
SPLIT = [identifier(device) for device in fakecuda.Machine("h200-mig").devices]
SEEN: dict[str | None, list[int] | None] = {
    None: [0, 1, 2, 3],
    "0,1,2,3": [0, 1, 2, 3],
    "2,1": [2, 1],
    " 3 , 0 ": [3, 0],
    "0,2,-1,1": [0, 2],
    "1,4,0": [1],
    "1,x,0": [1],
    "0 1": [0],
    "0;1": [0],
    "+1,-0,00": None,
    "+1,-0": [1, 0],
    "1x,02": [1, 2],
    "0.5": [0],
    "1,,0": [1],
    ",0": [],
    "1,1,0": None,
    f"{NAMES[1]},{NAMES[1][:12]}": None,
    NAMES[2].upper(): [2],
    NAMES[2][4:]: [],
    f"0,{NAMES[1]}": [0],
    "4": [],
    "": [],
    "NoDevFiles": [],
    NAMES[2]: [2],
    f"{NAMES[3][:12]},0": [3],
    f"{NAMES[1]},{NAMES[0]},9": [1, 0],
    "GPU-,1": [],
    "MIG-,1": [],
}
"""Visible devices by value, in order; None if a value names a device twice."""


def uuids(a: fakecuda.Process) -> list[bytes]:
    """Return the UUIDs of a process's visible devices, in its order."""
    _, count = a.c.cuDeviceGetCount()
    return [a.c.cuDeviceGetUuid(number)[1] for number in range(count)]


@pytest.mark.parametrize(("names", "seen"), SEEN.items(), ids=repr)
def test_the_list_says_which_and_in_which_order(names: str | None, seen: list[int] | None) -> None:
    """The list ends before the first invalid entry, and numbers end at a non-digit."""
    machine = fakecuda.Machine("h200-x4")
    with machine:
        a = machine.spawn(visible_devices=names)
        wrong = Result.INVALID_DEVICE if seen is None else Result.NO_DEVICE
        assert a.c.cuInit(0)[0] == (Result.SUCCESS if seen else wrong)
        if seen:
            assert uuids(a) == [FOUR[number] for number in seen]
            assert a.c.cuDeviceGet(len(seen)) == (Result.INVALID_DEVICE, None)
        else:
            assert a.c.cuDeviceGetCount() == (Result.NOT_INITIALIZED, None)


def test_a_process_numbers_devices_by_itself() -> None:
    """All calls use the process's ordinals; bus ids are the machine's."""
    machine = fakecuda.Machine("h200-x4")
    with ready(machine, visible_devices="3,1") as a:
        whole = another(machine)
        _, bus = whole.c.cuDeviceGetPCIBusId(64, 3)
        _, hidden = whole.c.cuDeviceGetPCIBusId(64, 0)
        assert a.c.cuDeviceGetByPCIBusId(bus) == (Result.SUCCESS, 0)
        assert a.c.cuDeviceGetByPCIBusId(hidden) == (Result.INVALID_DEVICE, None)
        assert a.c.cuDeviceGet(1) == (Result.SUCCESS, 1)
        _, context = a.c.cuCtxCreate(None, 0, 1)
        assert a.c.cuCtxGetDevice() == (Result.SUCCESS, 1)
        assert a.c.cuCtxGetDevice_v2(context) == (Result.SUCCESS, 1)
        _, pointer = a.c.cuMemAlloc(512)
        assert a.c.cuPointerGetAttribute(9, pointer) == (Result.SUCCESS, 1)
        assert machine.devices[1].memory.used > 0
        assert machine.devices[3].memory.used == 0
        assert a.c.cuDeviceCanAccessPeer(0, 1) == (Result.SUCCESS, 1)
        assert a.c.cuDeviceGetP2PAttribute(2, 0, 1) == (Result.SUCCESS, 1)
        assert a.c.cuDeviceGetP2PAtomicCapabilities((0,), 1, 0, 1)[0] == Result.SUCCESS
        assert a.c.cuDeviceGetMemPool(2) == (Result.INVALID_VALUE, None)
        assert a.c.cuDeviceSetMemPool(1, a.c.cuDeviceGetDefaultMemPool(1)[1]) == (Result.SUCCESS,)
        assert a.c.cuDeviceGetMemPool(1) == a.c.cuDeviceGetDefaultMemPool(1)
        machine.check_invariants()


def test_boards_are_numbered_as_the_process_numbers_devices() -> None:
    """Board ids follow the process's order of devices, as on two real cards."""
    with ready(fakecuda.Machine("h200-x4"), visible_devices="3,1") as a:
        assert [a.c.cuDeviceGetAttribute(BOARD, device)[1] for device in (0, 1)] == [0, 1]
        members = dict(zip(MEMBERS, a.c.cudaGetDeviceProperties(1)[1], strict=True))
        assert members["multiGpuBoardGroupID"] == 1


def test_virtual_memory_knows_devices_by_the_same_numbers() -> None:
    """Virtual memory locations use the process's ordinals, also for imports."""
    machine = fakecuda.Machine("h200-x4")
    with ready(machine, visible_devices="3,1") as a:
        b = another(machine, visible_devices="0,3")
        a.c.cuCtxCreate(None, 0, 0)
        b.c.cuCtxCreate(None, 0, 1)
        assert a.c.cuMemCreate(GRANULE, prop(location=(1, 2)), 0) == (Result.INVALID_DEVICE, None)
        _, handle = a.c.cuMemCreate(GRANULE, prop(location=(1, 0)), 0)
        _, other = a.c.cuMemCreate(GRANULE, prop(location=(1, 1)), 0)
        places = []
        for value in (handle, other):
            _, descriptor = a.c.cuMemExportToShareableHandle(value, POSIX, 0)
            _, opened = b.c.cuMemImportFromShareableHandle(descriptor, POSIX)
            places.append(b.c.cuMemGetAllocationPropertiesFromHandle(opened)[1][2])
        assert places == [(1, 1), (1, -2)]
        _, pointer = a.c.cuMemAddressReserve(GRANULE, 0, 0, 0)
        assert a.c.cuMemMap(pointer, GRANULE, 0, handle, 0) == (Result.SUCCESS,)
        assert a.c.cuMemSetAccess(pointer, GRANULE, (access(2),), 1) == (Result.INVALID_VALUE,)
        assert a.c.cuMemSetAccess(pointer, GRANULE, (access(0),), 1) == (Result.SUCCESS,)
        assert a.c.cuMemGetAccess((1, 0), pointer) == (Result.SUCCESS, 3)
        assert a.c.cuMemGetAccess((1, 1), pointer) == (Result.SUCCESS, 0)
        assert a.c.cuMemGetAccess((1, 2), pointer) == (Result.INVALID_DEVICE, None)
        assert a.c.cuMemsetD8(pointer, 5, 16) == (Result.SUCCESS,)


def test_memory_of_a_device_that_the_importer_does_not_see_is_opened() -> None:
    """A process can open memory of a device that it does not see, as NCCL does."""
    machine = fakecuda.Machine("h200-x4")
    with ready(machine, visible_devices="3") as a:
        b = another(machine, visible_devices="1")
        for process in (a, b):
            process.c.cuCtxCreate(None, 0, 0)
        _, pointer = a.c.cuMemAlloc(512)
        a.c.cuMemsetD8(pointer, 7, 512)
        a.c.cuCtxSynchronize()
        code, opened = b.c.cuIpcOpenMemHandle(a.c.cuIpcGetMemHandle(pointer)[1], 1)
        assert code == Result.SUCCESS
        room = bytearray(4)
        assert b.c.cuMemcpyDtoH(room, opened, 4) == (Result.SUCCESS,)
        assert room == bytes([7] * 4)


def test_cu_init_reads_the_list_once() -> None:
    """The list is read once by cuInit; later changes have no effect."""
    with ready(fakecuda.Machine("h200-x4"), visible_devices="2") as a:
        a.visible_devices = "0,1"
        assert a.c.cuInit(0) == (Result.SUCCESS,)
        assert uuids(a) == [FOUR[2]]


@pytest.mark.parametrize(
    ("names", "seen"),
    [(None, 0), ("0", 0), ("0,1", 0), (SPLIT[1], 1), (f"{SPLIT[1]},{SPLIT[0]}", 1), (SPLIT[0][:40], 0)],
)
def test_a_process_sees_one_instance_of_a_split_card(names: str | None, seen: int) -> None:
    """A process sees one MIG instance: the named one, or the card's first."""
    machine = fakecuda.Machine("h200-mig")
    with ready(machine, visible_devices=names) as a:
        assert uuids(a) == [machine.devices[seen].profile.uuid]
        assert a.c.cuDeviceGetName(64, 0)[1].rstrip(b"\0") == b"NVIDIA H200 MIG 3g.71gb"
        assert a.c.cuDeviceTotalMem(0) == (Result.SUCCESS, 74624008192)


def test_instances_share_nothing() -> None:
    """MIG instances have separate memory and no peer access."""
    machine = fakecuda.Machine("h200-mig")
    with ready(machine, visible_devices=SPLIT[0]) as a:
        b, same = another(machine, visible_devices=SPLIT[1]), another(machine, visible_devices=SPLIT[0])
        for process in (a, b, same):
            process.c.cuCtxCreate(None, 0, 0)
        _, handle = a.c.cuIpcGetMemHandle(a.c.cuMemAlloc(512)[1])
        assert b.c.cuIpcOpenMemHandle(handle, 1) == (Result.PEER_ACCESS_UNSUPPORTED, None)
        assert same.c.cuIpcOpenMemHandle(handle, 1)[0] == Result.SUCCESS


def test_a_stream_s_device_has_the_process_s_number() -> None:
    """A stream's device has the process's ordinal, as on two real cards."""
    with ready(fakecuda.Machine("h200-x2"), visible_devices="1,0") as a:
        for number in (0, 1):
            a.c.cuCtxCreate(None, 0, number)
            _, stream = a.c.cuStreamCreate(0)
            assert a.c.cuStreamGetDevice(stream) == (Result.SUCCESS, number)
