"""A pytest plugin that runs dynamo's GPU memory service on a machine, in place of the FakeVMM of its tests.

Its tests import ``_fake_vmm``, which is this module from then on. The service calls the driver by its own CudaVMM.
"""

# mypy: disable-error-code="attr-defined, import-not-found, misc, no-any-return"

from __future__ import annotations

import sys
from typing import NoReturn

import pytest
from cuda.bindings import runtime
from gpu_memory_service.common.vmm import cuda_utils

STEP = 2 << 20
"""The granularity of the machine."""


class FakeVMM(cuda_utils.CudaVMM):
    """The service's own device, with what its tests ask of their fake.

    Args:
        devices: The devices that the service finds.
        granularity: The granularity that the service gets. The tests use 64 and 4,096 bytes, and no card has these:
            sizes are rounded up to the granularity of the machine.
    """

    def __init__(self, devices: list[int] | None = None, granularity: int = 4096) -> None:
        self.devices = devices or [0]
        self.granularity = granularity
        self.calls: list[tuple[str, int]] = []
        self.server_handles: set[int] = set()
        self.imports: set[int] = set()
        self.reservations: dict[int, int] = {}
        self.mapped: dict[int, tuple[int, int]] = {}
        self.access: dict[int, object] = {}
        _checked(runtime.cudaSetDevice(0))  # the service expects the context of an engine

    def list_devices(self) -> list[int]:
        return self.devices

    def get_allocation_granularity(self, device: int) -> int:
        return self.granularity

    def create_tolerate_oom(self, size: int, device: int) -> tuple[bool, int]:
        made, handle = super().create_tolerate_oom(_whole(size), device)
        if made:
            self.server_handles.add(handle)
        return made, handle

    def release(self, handle: int) -> None:
        super().release(handle)
        self.server_handles.discard(handle)
        self.imports.discard(handle)

    def import_shareable_handle_close_fd(self, fd: int) -> int:
        handle = super().import_shareable_handle_close_fd(fd)
        self.imports.add(handle)
        return handle

    def address_reserve(self, size: int, granularity: int) -> int:
        va = super().address_reserve(_whole(size), _whole(granularity))
        self.reservations[va] = size
        return va

    def address_free(self, va: int, size: int) -> None:
        super().address_free(va, _whole(size))
        del self.reservations[va]

    def map(self, va: int, size: int, handle: int) -> None:
        super().map(va, _whole(size), handle)
        self.mapped[va] = size, handle

    def unmap(self, va: int, size: int) -> None:
        super().unmap(va, _whole(size))
        del self.mapped[va]
        self.access.pop(va, None)

    def set_access(self, va: int, size: int, device: int, access: object) -> None:
        super().set_access(va, _whole(size), device, access)
        self.access[va] = access

    def runtime_set_device(self, device: int) -> None:
        super().runtime_set_device(device)
        self.calls.append(("set_device", device))

    def read(self, va: int, size: int) -> bytes:
        """Copy bytes from the device."""
        data = bytearray(size)
        _checked(runtime.cudaMemcpy(data, va, size, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
        return bytes(data)

    def write(self, va: int, data: bytes) -> None:
        """Copy bytes to the device."""
        _checked(runtime.cudaMemcpy(va, data, len(data), runtime.cudaMemcpyKind.cudaMemcpyHostToDevice))


@pytest.fixture(autouse=True)
def _service_of_the_test(_fresh_machine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_utils, "_cuda_initialized_pid", None)
    monkeypatch.setattr(cuda_utils, "fail", _failed)


def _failed(message: str, *arguments: object, **_: object) -> NoReturn:
    """Raise, where the service would end its process, and with it pytest."""
    raise RuntimeError(message % arguments)


def _checked(answer: tuple[object, ...]) -> None:
    if answer[0] != runtime.cudaError_t.cudaSuccess:
        raise RuntimeError(answer[0])


def _whole(size: int) -> int:
    return -(-size // STEP) * STEP


sys.modules["_fake_vmm"] = sys.modules[__name__]
