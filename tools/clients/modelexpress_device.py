"""A pytest plugin that runs modelexpress' arena on a machine, in place of the stub backends of its tests."""

# mypy: disable-error-code="attr-defined, import-not-found, misc, no-any-return"

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from cuda.bindings import runtime
from modelexpress.vmm import arena
from modelexpress.vmm.backend import CudaVmmBackend


class StubBackend(CudaVmmBackend):
    """The client's own backend, with the lists of calls that its tests ask of their stub."""

    def __init__(self, device: int = 0) -> None:
        super().__init__(device)
        self.reserved: list[tuple[int, int]] = []
        self.allocations: list[tuple[int, int, int]] = []
        self.deallocations: list[tuple[int, int, int]] = []
        self.released: list[tuple[int, int]] = []
        self.lock = threading.Lock()

    def reserve(self, total_bytes: int) -> int:
        base = super().reserve(total_bytes)
        self.reserved.append((base, total_bytes))
        return base

    def allocate(self, va: int, size: int) -> int:
        handle = super().allocate(va, size)
        with self.lock:
            self.allocations.append((va, size, handle))
        return handle

    def deallocate(self, va: int, size: int, handle: int) -> None:
        super().deallocate(va, size, handle)
        with self.lock:
            self.deallocations.append((va, size, handle))

    def release_reserve(self, base: int, total_bytes: int) -> None:
        super().release_reserve(base, total_bytes)
        self.released.append((base, total_bytes))


@pytest.fixture(autouse=True)
def _context_of_the_test(_fresh_machine: None) -> None:
    runtime.cudaSetDevice(0)  # the backend expects the context of an engine


# The parts of PyTorch that the tests of the backend ask of a card, for a PyTorch without CUDA.
ZEROS = torch.zeros


def _zeros(*size: int, **options: Any) -> torch.Tensor:
    options.pop("device", None)
    return ZEROS(*size, **options)


torch.zeros = _zeros
torch.cuda.is_available = lambda: True
torch.cuda.init = torch.cuda.synchronize = runtime.cudaDeviceSynchronize
torch.cuda.set_device = runtime.cudaSetDevice
torch.cuda.mem_get_info = lambda _: runtime.cudaMemGetInfo()[1:]
arena._StubBackend = StubBackend  # noqa: SLF001 - the tests import it by this name
