"""Where NVML and the driver tell of the same thing they tell the same, on every profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from fakecuda import Machine, profiles
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process

ATTRIBUTE = ENUMS["CUdevice_attribute"]
CUDA = [name for name in profiles.names() if not profiles.load(name).hip.name]
SIZE = 64 << 20


@pytest.fixture(params=CUDA)
def process(request: pytest.FixtureRequest) -> Iterator[Process]:
    """A process that has initialised both, and sees all that it can."""
    with Machine(request.param) as machine:
        here = machine.spawn()
        assert here.c.nvmlInit_v2() == (0,)
        assert here.c.cuInit(0) == (0,)
        yield here


def devices(process: Process) -> Iterator[tuple[int, int]]:
    """Yield the driver's devices, each with NVML's handle of it, by the UUID."""
    count = process.c.cuDeviceGetCount()[1]
    for device in range(count):
        uuid = process.c.cuDeviceGetUuid(device)[1].hex()
        text = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
        prefix = "MIG" if process.machine.profile.devices[0].mig else "GPU"
        code, handle = process.c.nvmlDeviceGetHandleByUUID(f"{prefix}-{text}".encode())
        assert code == 0
        assert process.c.nvmlDeviceGetUUID(handle, 96) == (0, f"{prefix}-{text}".encode())
        yield device, handle


def attribute(process: Process, device: int, name: str) -> int:
    """Return an attribute of a device."""
    value: int = process.c.cuDeviceGetAttribute(ATTRIBUTE[f"CU_DEVICE_ATTRIBUTE_{name}"], device)[1]
    return value


def test_names_places_and_capabilities(process: Process) -> None:
    """And how many there are: a card that is split is one to NVML."""
    found = list(devices(process))
    count = process.c.nvmlDeviceGetCount_v2()[1]
    assert count == len({one.pci for one in process.machine.profile.devices})
    for device, handle in found:
        assert process.c.nvmlDeviceGetName(handle, 96) == process.c.cuDeviceGetName(96, device)
        domain, bus, number = process.c.nvmlDeviceGetPciInfo_v3(handle)[1][1:4]
        assert domain == attribute(process, device, "PCI_DOMAIN_ID")
        assert (bus, number) == (attribute(process, device, "PCI_BUS_ID"), attribute(process, device, "PCI_DEVICE_ID"))
        assert f"{domain:04x}:{bus:02x}:{number:02x}.0".encode() == process.c.cuDeviceGetPCIBusId(20, device)[1]
        major, minor = (attribute(process, device, f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR"))
        assert process.c.nvmlDeviceGetCudaComputeCapability(handle) == (0, major, minor)
        assert process.c.nvmlDeviceGetComputeMode(handle) == (0, attribute(process, device, "COMPUTE_MODE"))
        assert process.c.nvmlDeviceGetEccMode(handle)[1] == attribute(process, device, "ECC_ENABLED")
    assert process.c.nvmlSystemGetCudaDriverVersion()[1] == process.c.cuDriverGetVersion()[1]


def test_memory(process: Process) -> None:
    """Free memory is the driver's; what is not free is used; what an allocation takes is used, and the process's."""
    for device, handle in devices(process):
        context = process.c.cuDevicePrimaryCtxRetain(device)[1]
        assert process.c.cuCtxSetCurrent(context) == (0,)
        before = process.c.nvmlDeviceGetMemoryInfo(handle)[1]
        pointer = process.c.cuMemAlloc(SIZE)[1]
        free, total = process.c.cuMemGetInfo()[1:]
        whole, reserved, unused, used = process.c.nvmlDeviceGetMemoryInfo_v2(handle, 2 << 24 | 40)[1]
        assert (unused, whole - reserved) == (free, total)
        assert used == total - free
        assert process.c.nvmlDeviceGetMemoryInfo(handle)[1] == (whole, unused, used + reserved)
        assert before[1] - unused == SIZE
        count, rows = process.c.nvmlDeviceGetComputeRunningProcesses_v3(handle, 8)[1:]
        assert count == 1
        assert rows[0][:2] == (process.pid, SIZE + process.machine.profile.context_memory)
        assert process.c.cuMemFree(pointer) == (0,)
        assert process.c.nvmlDeviceGetMemoryInfo(handle)[1] == before


def test_peers(process: Process) -> None:
    """A card reads another's memory where the driver lets it."""
    found = list(devices(process))
    for device, handle in found:
        for other, other_handle in found:
            if device != other:
                access = process.c.cuDeviceCanAccessPeer(device, other)[1]
                status = process.c.nvmlDeviceGetP2PStatus(handle, other_handle, 0)[1]
                assert (status == 0) == bool(access)
                by_link = process.c.nvmlDeviceGetP2PStatus(handle, other_handle, 2)[1] == 0
                over_bus = process.c.nvmlDeviceGetP2PStatus(handle, other_handle, 4)[1] == 0
                assert by_link + over_bus == access
                assert not by_link or process.c.nvmlDeviceGetNvLinkState(handle, 0) == (0, 1)


def test_all_cards_are_told_whatever_a_process_sees() -> None:
    """In the order of the bus: CUDA_VISIBLE_DEVICES is the driver's."""
    with Machine("h200-x4") as machine:
        process = machine.spawn(visible_devices="3,1")
        process.c.cuInit(0)
        process.c.nvmlInit_v2()
        assert process.c.cuDeviceGetCount() == (0, 2)
        assert process.c.nvmlDeviceGetCount_v2() == (0, 4)
        buses = [process.c.nvmlDeviceGetPciInfo_v3(handle)[1][6] for handle in handles(process)]
        assert buses == sorted(buses)
        first = process.c.cuDeviceGetPCIBusId(20, 0)[1]
        assert process.c.nvmlDeviceGetIndex(process.c.nvmlDeviceGetHandleByPciBusId_v2(first)[1]) == (0, 3)


def test_cards_are_in_the_order_of_the_bus() -> None:
    """However the driver numbers its devices."""
    known = profiles.load("h200-x2")
    with Machine(attrs.evolve(known, devices=known.devices[::-1], peers={})) as machine:
        process = machine.spawn()
        process.c.cuInit(0)
        process.c.nvmlInit_v2()
        second = process.c.cuDeviceGetPCIBusId(20, 1)[1]
        assert process.c.nvmlDeviceGetPciInfo_v3(handles(process)[0])[1][6].endswith(second)


def handles(process: Process) -> list[int]:
    """Return the handles of all cards."""
    count = process.c.nvmlDeviceGetCount_v2()[1]
    return [process.c.nvmlDeviceGetHandleByIndex_v2(index)[1] for index in range(count)]


@pytest.mark.parametrize("name", sorted(set(profiles.names()) - set(CUDA)))
def test_a_machine_without_nvidias_driver_has_no_nvml(name: str) -> None:
    """As with a library that finds no driver."""
    with Machine(name) as machine:
        assert machine.spawn().c.nvmlInit_v2() == (9,)
