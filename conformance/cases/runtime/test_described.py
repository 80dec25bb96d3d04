"""Runtime codes that need described machines or null pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

import fakecuda
from conformance.cases.runtime.fixtures import PAGE, POOL, POSIX
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.profiles import load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

LACKING = {
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"]: 0
    for name in ("MEMORY_POOLS_SUPPORTED", "MANAGED_MEMORY", "READ_ONLY_HOST_REGISTER_SUPPORTED")
}
READ_ONLY = 8
"""cudaHostRegisterReadOnly."""


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("cudaDeviceGetDefaultMemPool", (0,)),
        ("cudaDeviceGetMemPool", (0,)),
        ("cudaMallocAsync", (PAGE, 0)),
        ("cudaMallocManaged", (PAGE, 1)),
        ("cudaMemPoolCreate", (POOL,)),
        ("cudaHostRegister", (None, PAGE, READ_ONLY)),
    ],
)
def test_what_a_device_lacks(call: str, arguments: tuple[Any, ...]) -> None:
    """Unsupported pools, managed memory and read-only registration have one code."""
    first, *others = load("h200-x2").devices
    old = attrs.evolve(first, attributes=first.attributes | LACKING)
    with fakecuda.Machine(attrs.evolve(load("h200-x2"), devices=(old, *others))) as machine:
        a = machine.spawn()
        values = [a.host_memory(PAGE) if value is None else value for value in arguments]
        assert getattr(a.c, call)(*values)[0] == 801


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("cudaStreamCreate", ()),
        ("cudaStreamCreateWithFlags", (0,)),
        ("cudaStreamCreateWithPriority", (0, 0)),
        ("cudaStreamDestroy", (0,)),
        ("cudaMalloc", (PAGE,)),
        ("cudaMallocHost", (PAGE,)),
        ("cudaHostAlloc", (PAGE, 0)),
        ("cudaHostRegister", (PAGE, PAGE, 0)),
    ],
)
def test_a_failed_device_outside_of_cuda(call: str, arguments: tuple[int, ...]) -> None:
    """A device failure outside CUDA returns cudaErrorExternalDevice."""
    with fakecuda.Machine("h200-x2") as machine:
        a = machine.spawn()
        assert a.c.cudaSetDevice(0) == (0,)
        machine.poison(a, a.c.cuCtxGetCurrent()[1], fakecuda.Result.EXTERNAL_DEVICE)
        assert getattr(a.c, call)(*arguments)[0] == 911


@pytest.mark.parametrize(
    ("call", "arguments", "null"),
    [
        ("cudaEventCreate", (), "event"),
        ("cudaStreamCreate", (), "pStream"),
        ("cudaMemcpyPeer", (0x10, 0, 0x10, 0, 16), ""),
        ("cudaMemcpyPeerAsync", (0x10, 0, 0x10, 0, 16, 0), ""),
        ("cudaMemcpy2D", (0, 16, 0, 16, 16, 1, 4), ""),
        ("cudaMemcpy2DAsync", (0, 16, 0, 16, 16, 1, 4, 0), ""),
    ],
)
def test_what_points_to_nothing(call: str, arguments: tuple[int, ...], null: str) -> None:
    """A null result pointer and unknown addresses return cudaErrorInvalidValue."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        assert getattr(machine.spawn().c, call)(*arguments, null=null)[0] == 1


def shared(machine: fakecuda.Machine, device: int, size: int = PAGE) -> bytes:
    """Return the IPC handle of another process's memory on a device."""
    b = machine.spawn()
    b.c.cudaSetDevice(device)
    return bytes(b.c.cudaIpcGetMemHandle(b.c.cudaMalloc(size)[1])[1])


def test_no_connection_is_left() -> None:
    """A third device's memory exceeds the connections: cudaErrorTooManyPeers."""
    with fakecuda.Machine(attrs.evolve(load("h200-x4"), peer_limit=1)) as machine:
        a = machine.spawn()
        assert a.c.cudaIpcOpenMemHandle(shared(machine, 1), 1)[0] == 0
        assert a.c.cudaIpcOpenMemHandle(shared(machine, 2), 1)[0] == 711


def opened(machine: fakecuda.Machine, empty: Callable[[], None]) -> tuple[Any, ...]:
    """Open memory of another process without free addresses."""
    handle = shared(machine, 0, 1 << 30)
    empty()
    return tuple(machine.spawn().c.cudaIpcOpenMemHandle(handle, 1))


def imported(machine: fakecuda.Machine, empty: Callable[[], None]) -> tuple[Any, ...]:
    """Import another process's pool memory without free addresses."""
    a, b = machine.spawn(), machine.spawn()
    theirs = b.c.cudaMemPoolCreate(POOL)[1]
    descriptor = b.c.cudaMemPoolExportToShareableHandle(theirs, POSIX, 0)[1]
    mine = a.c.cudaMemPoolImportFromShareableHandle(descriptor, POSIX, 0)[1]
    data = b.c.cudaMemPoolExportPointer(b.c.cudaMallocFromPoolAsync(1 << 30, theirs, 0)[1])[1]
    empty()
    return tuple(a.c.cudaMemPoolImportPointer(mine, data))


@pytest.mark.parametrize(("act", "code"), [(opened, 205), (imported, 2)])
def test_no_address_is_left(act: Callable[..., tuple[Any, ...]], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without addresses, IPC handles and pool pointers have different codes."""
    with fakecuda.Machine("h200-x2") as machine:
        assert act(machine, lambda: monkeypatch.setattr(Territory, "window", lambda _, __: None))[0] == code
