"""A thousand tests of cuda.core in one process.

Ten tests, a hundred times each, on several kinds of machines.
A test keeps its objects beyond its end, as a client's caches do.
"""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cuda.core import (  # type: ignore[attr-defined]  # the release for CUDA 13 is chosen at import
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    EventOptions,
    LegacyPinnedMemoryResource,
    StreamOptions,
    VirtualMemoryResource,
)

import fakecuda as simulator

if TYPE_CHECKING:
    from fakecuda.fixture import FakeCuda

KEPT: list[Any] = []
PROFILES = ("h200", "h200-x2", "h200-x4")
TIMES = 100


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test a hundred times, on each kind of machine in turn."""
    tests = [
        pytest.param(number, marks=pytest.mark.fakecuda(profile=PROFILES[number % len(PROFILES)]))
        for number in range(TIMES)
    ]
    metafunc.parametrize("number", tests)


@pytest.fixture
def device(fakecuda: FakeCuda, number: int) -> Device:
    """A device of the machine, current in the thread."""
    device = Device(number % len(fakecuda.machine.devices))
    device.set_current()
    KEPT.append(device)
    return device


def test_devices(fakecuda: FakeCuda, number: int) -> None:
    """The devices are the machine's, with their properties."""
    devices = Device.get_all_devices()
    assert [one.device_id for one in devices] == list(range(len(fakecuda.machine.devices)))
    assert devices[number % len(devices)].properties.multiprocessor_count > 0


def test_nothing_is_current(fakecuda: FakeCuda, number: int) -> None:
    """At the start of a test, no device is current."""
    with pytest.raises(Exception, match="set_current"):
        Device(number % len(fakecuda.machine.devices)).create_stream()


def test_pool(device: Device) -> None:
    """Memory of the default pool can be written and read."""
    stream = device.create_stream()
    buffer = device.memory_resource.allocate(4096, stream=stream)
    target = LegacyPinnedMemoryResource().allocate(4096, stream=stream)
    buffer.fill(7, stream=stream)
    buffer.copy_to(target, stream=stream)
    stream.sync()
    assert (np.from_dlpack(target) == 7).all()  # noqa: PLR2004 - the written value
    KEPT.append(stream)
    buffer.close()


def test_pool_of_its_own(device: Device) -> None:
    """A pool with a maximum size is destroyed with its last memory."""
    resource = DeviceMemoryResource(device, options=DeviceMemoryResourceOptions(max_size=1 << 21))
    stream = device.create_stream()
    for _ in range(3):
        resource.allocate(1 << 20, stream=stream).close()
    stream.sync()
    resource.close()


def test_exported_pool(device: Device) -> None:
    """A pool for other processes exports a descriptor."""
    resource = DeviceMemoryResource(device, options=DeviceMemoryResourceOptions(max_size=1 << 21, ipc_enabled=True))
    stream = device.create_stream()
    buffer = resource.allocate(4096, stream=stream)
    assert int(resource.allocation_handle) > 0
    assert buffer.ipc_descriptor.size == buffer.size
    buffer.close()
    resource.close()


def test_streams_and_events(device: Device) -> None:
    """A stream waits for another stream's event, and two events give a time."""
    first, second = (device.create_stream(options=StreamOptions(nonblocking=True)) for _ in range(2))
    begin, end = (first.record(options=EventOptions(timing_enabled=True)) for _ in range(2))
    second.wait(end)
    second.sync()
    assert end.is_done
    assert end - begin >= 0
    KEPT.append(first)


def test_virtual_memory(device: Device) -> None:
    """A reservation with a mapping can be written."""
    resource = VirtualMemoryResource(device)
    stream = device.create_stream()
    buffer = resource.allocate(1 << 21, stream=stream)
    buffer.fill(1, stream=stream)
    stream.sync()
    buffer.close()


def test_peers(fakecuda: FakeCuda, device: Device, number: int) -> None:
    """A pool is accessible to the other devices after it is enabled."""
    others = [one for one in range(len(fakecuda.machine.devices)) if one != device.device_id]
    resource = DeviceMemoryResource(device, options=DeviceMemoryResourceOptions(max_size=1 << 21))
    resource.peer_accessible_by = others
    assert sorted(int(getattr(one, "device_id", one)) for one in resource.peer_accessible_by) == others
    resource.close()
    assert number >= 0


def test_threads(device: Device) -> None:
    """A new thread has its own current device."""
    ends: list[object] = []

    def work() -> None:
        mine = Device(device.device_id)
        mine.set_current()
        stream = mine.create_stream()
        mine.memory_resource.allocate(64, stream=stream).close()
        stream.sync()
        stream.close()
        ends.append(mine)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(ends) == 1


def test_machines_inside_of_each_other(device: Device) -> None:
    """A machine inside the test's machine ends, and the test's machine is used again."""
    with simulator.simulate("h200-x2"):
        Device(1).set_current()
        Device(1).create_stream().close()
    device.set_current()
    device.create_stream().close()
    gc.collect()
