"""The real cuda.bindings and cuda.core, unmodified, over the native door."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.reach.bindings.installed import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

driver: Any = pytest.importorskip("cuda.bindings.driver")


def good(answer: tuple[Any, ...]) -> Any:
    """Return the results of a call that has succeeded."""
    assert answer[0] == driver.CUresult.CUDA_SUCCESS, answer
    return answer[1] if len(answer) == 2 else answer[1:]


@pytest.fixture
def device(machine: Machine) -> Any:
    """The first device, its primary context current."""
    assert machine.here.alive
    good(driver.cuInit(0))
    made = good(driver.cuDeviceGet(0))
    good(driver.cuCtxSetCurrent(good(driver.cuDevicePrimaryCtxRetain(made))))
    return made


def test_a_device_describes_itself(device: Any, machine: Machine) -> None:
    """Name, uuid, memory and attributes come from the profile."""
    profile = machine.profile.devices[0]
    assert good(driver.cuDeviceGetName(64, device)).rstrip(b"\0").split(b"\0")[0] == profile.name.encode()
    assert good(driver.cuDeviceGetUuid(device)).bytes == profile.uuid
    assert good(driver.cuDeviceTotalMem(device)) == machine.here.c.cuDeviceTotalMem(0)[1]
    major = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    assert good(driver.cuDeviceGetAttribute(major, device)) == machine.here.c.cuDeviceGetAttribute(int(major), 0)[1]
    bus = good(driver.cuDeviceGetPCIBusId(64, device)).split(b"\0")[0]
    assert int(good(driver.cuDeviceGetByPCIBusId(bus))) == int(device)


@pytest.mark.usefixtures("device")
def test_memory_keeps_what_is_copied_to_it() -> None:
    """Host to device, device to device, and back."""
    content = bytes(range(256)) * 16
    first, second = good(driver.cuMemAlloc(4096)), good(driver.cuMemAlloc(4096))
    good(driver.cuMemcpyHtoD(first, content, 4096))
    good(driver.cuMemcpyDtoD(second, first, 4096))
    good(driver.cuMemsetD8(second, 0xAB, 16))
    back = bytearray(4096)
    good(driver.cuMemcpyDtoH(back, second, 4096))
    assert back == b"\xab" * 16 + content[16:]
    good(driver.cuMemFree(first))
    assert driver.cuMemFree(first)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE


@pytest.mark.usefixtures("device")
def test_a_handle_of_64_bytes_goes_to_another_process(machine: Machine) -> None:
    """The struct that C passes by value has the bytes that another process opens."""
    pointer = good(driver.cuMemAlloc(4096))
    handle = good(driver.cuIpcGetMemHandle(pointer))
    import ctypes  # noqa: PLC0415 - one test needs it

    content = ctypes.string_at(handle.getPtr(), 64)
    assert content in machine.exchange.shares
    assert driver.cuIpcOpenMemHandle(handle, 1)[0] == driver.CUresult.CUDA_ERROR_INVALID_CONTEXT
    assert machine.log[-1].args == (content, 1)
    other = machine.spawn()
    other.c.cuInit(0)
    other.c.cuCtxSetCurrent(other.c.cuDevicePrimaryCtxRetain(0)[1])
    code, opened = other.c.cuIpcOpenMemHandle(content, 1)
    assert code == 0
    assert opened


@pytest.mark.usefixtures("device")
def test_memory_is_mapped() -> None:
    """Structs, arrays of structs and their results make the way through C."""
    prop = driver.CUmemAllocationProp()
    prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    prop.location.id = 1
    recommended = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
    size = good(driver.cuMemGetAllocationGranularity(prop, recommended))
    handle = good(driver.cuMemCreate(size, prop, 0))
    shown = good(driver.cuMemGetAllocationPropertiesFromHandle(handle))
    assert (shown.type, shown.location.type, shown.location.id) == (prop.type, prop.location.type, 1)
    address = good(driver.cuMemAddressReserve(size, 0, 0, 0))
    good(driver.cuMemMap(address, size, 0, handle, 0))
    access = [driver.CUmemAccessDesc() for _ in range(2)]
    for number, one in enumerate(access):
        one.location.type = prop.location.type
        one.location.id = number
        one.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    good(driver.cuMemSetAccess(address, size, access, 2))
    assert [good(driver.cuMemGetAccess(one.location, address)) for one in access] == [3, 3]
    good(driver.cuMemsetD8(address, 1, size))
    good(driver.cuMemUnmap(address, size))
    good(driver.cuMemRelease(handle))
    good(driver.cuMemAddressFree(address, size))


@pytest.mark.usefixtures("device")
def test_codes_explain_themselves() -> None:
    """Names and texts are C strings."""
    code = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    assert good(driver.cuGetErrorName(code)) == b"CUDA_ERROR_OUT_OF_MEMORY"
    assert good(driver.cuGetErrorString(code)) == b"out of memory"


@pytest.mark.usefixtures("device")
def test_every_attribute_of_a_pointer(machine: Machine) -> None:
    """The binding reads each in its own width, and has what the look-alike has."""
    pointer = good(driver.cuMemAlloc(4096))
    for attribute in driver.CUpointer_attribute:
        try:
            native = driver.cuPointerGetAttribute(attribute, pointer)
        except TypeError:
            # Older bindings have names for attributes that they cannot read.
            continue
        other = machine.here.driver.cuPointerGetAttribute(attribute, pointer)
        assert [str(value) for value in native] == [str(value) for value in other], attribute


FIRST = """
from cuda.bindings import driver
from cuda.bindings.driver import cuMemAlloc, cuInit
try:
    driver.cuInit(0)
except Exception:
    print("no driver")
import fakecuda
from fakecuda.reach.native.door import attach, detach
"""


def test_a_machine_may_come_after_a_failed_call(script: Callable[..., str]) -> None:
    """Imports, functions imported by name and a first call without a driver do no harm."""
    text = """
machine = fakecuda.Machine()
attach(machine)
print(int(cuInit(0)[0]), int(cuMemAlloc(16)[0]), [call.call for call in machine.log])
"""
    assert script(FIRST + text) == "no driver\n0 201 ['cuInit', 'cuMemAlloc']"


def test_between_machines_there_is_no_device(script: Callable[..., str]) -> None:
    """What is bound stays bound: cuInit answers NO_DEVICE, the rest NOT_INITIALIZED, codes still have names."""
    text = """
import warnings
warnings.simplefilter("error")
first, second = fakecuda.Machine(), fakecuda.Machine("h200")
attach(first)
codes = [int(answer) for answer, *_ in (cuInit(0), driver.cuDeviceGetCount())]
detach(second)
codes += [int(driver.cuDeviceGetCount()[0])]
detach(first)
codes += [int(answer) for answer, *_ in (cuInit(0), cuMemAlloc(16), driver.cuCtxFromGreenCtx(0))]
print(codes, driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_NO_DEVICE)[1].decode())
attach(second)
print(int(driver.cuDeviceGetCount()[0]), int(cuInit(0)[0]), driver.cuDeviceGetCount()[1], len(first.calls))
"""
    assert script(FIRST + text) == "no driver\n[0, 0, 0, 100, 3, 3] CUDA_ERROR_NO_DEVICE\n3 0 1 3"


def test_per_thread_default_streams(script: Callable[..., str]) -> None:
    """The binding asks for other symbols then: to them stream 0 is the calling thread's own default stream."""
    text = """
import warnings
machine = fakecuda.Machine(completion="manual")
attach(machine)
cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
pointer = cuMemAlloc(16)[1]
codes = [driver.cuMemsetD8(pointer, 65, 2), driver.cuStreamQuery(0)]
print([stream.handle for stream in machine.scheduler.pending])
back = bytearray(4)
codes += [driver.cuMemcpyDtoH(back, pointer, 4), driver.cuStreamSynchronize(0), driver.cuStreamQuery(0)]
print([int(code) for code, in codes], bytes(back))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    driver.cuGraphicsMapResources(0, 0, 0)
print(seen[0].message)
detach(machine)
print(int(driver.cuStreamQuery(0)[0]))
"""
    out = script(FIRST + text, CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM="1").splitlines()
    assert out[1:3] == ["[2]", r"[0, 600, 0, 0, 0] b'AA\x00\x00'"]
    assert out[3].startswith("cuGraphicsMapResources_ptsz is not modelled")
    assert out[4] == "3"


def test_cuda_core_finds_the_devices(script: Callable[..., str]) -> None:
    """Device, context, properties and memory that is mapped into a reservation, by cuda.core."""
    pytest.importorskip("cuda.core")
    text = """
import fakecuda
from fakecuda.reach.native.door import attach
machine = fakecuda.Machine()
attach(machine)
from cuda.core import Device, VirtualMemoryResource
device = Device(1)
device.set_current()
print(device.name, device.compute_capability, device.uuid.replace("-", "") == machine.profile.devices[1].uuid.hex())
buffer = VirtualMemoryResource(device).allocate(4096)
print(buffer.size, hex(int(buffer.handle)) == hex(machine.here.memory.at(int(buffer.handle)).start))
buffer.close()
machine.check_invariants()
"""
    assert script(text).splitlines() == [
        "NVIDIA H200 ComputeCapability(major=9, minor=0) True",
        "2097152 True",
    ]


def test_numba_copies_an_array(script: Callable[..., str]) -> None:
    """numba-cuda finds the devices, and copies there and back."""
    pytest.importorskip("numba_cuda")
    text = """
import warnings
warnings.simplefilter("ignore")
import fakecuda
from fakecuda.reach.native.door import attach
attach(fakecuda.Machine())
import numpy
from numba import cuda
print(len(cuda.gpus.lst), cuda.get_current_device().name, *cuda.to_device(numpy.arange(4)).copy_to_host())
"""
    assert script(text) == "2 NVIDIA H200 0 1 2 3"


def test_an_older_driver_lacks_what_came_later() -> None:
    """The binding's own exception in the main thread, a code in others; the next machine has it all again."""
    from fakecuda.reach.native.door import attach, detach  # noqa: PLC0415 - it loads a library

    told = f"^{RULES.absent_functions.partition(': ')[2].format('cuCtxCreate_v4')}$"
    for profile, there in (("driver-12.4", False), ("h200-x2", True), ("driver-12.4", False), ("driver-12.4", False)):
        with Machine(profile) as machine:
            attach(machine)
            good(driver.cuInit(0))
            if there:
                assert good(driver.cuCtxCreate(None, 0, 0))
            else:
                with pytest.raises(RuntimeError, match=told) as caught:
                    driver.cuCtxCreate(None, 0, 0)
                with pytest.raises(type(caught.value), match=told):
                    machine.spawn().driver.cuCtxCreate(None, 0, 0)
                answers: list[Any] = []
                thread = threading.Thread(
                    target=lambda kept: kept.append(driver.cuCtxCreate(None, 0, 0)), args=[answers]
                )
                thread.start()
                thread.join()
                assert answers == [(driver.CUresult.CUDA_ERROR_NOT_FOUND, None)]
                good(driver.cuDevicePrimaryCtxRetain(0))
            detach(machine)


def test_this_process_sees_some_devices(machine: Machine) -> None:
    """Its CUDA_VISIBLE_DEVICES is an attribute, read by cuInit."""
    machine.here.visible_devices = "1"
    good(driver.cuInit(0))
    assert good(driver.cuDeviceGetCount()) == 1
    assert good(driver.cuDeviceGetUuid(0)).bytes == machine.devices[1].profile.uuid
