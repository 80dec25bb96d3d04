"""A process with kernels of unknown behaviour, whose launches are skipped."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.driver.graph.fixtures import launch
from conformance.kit.kernels import HEAD
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.code.kernels import kernel
from fakecuda.rules.driver.execution.skipped import CONTENT_IS_KNOWN
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process
    from fakecuda.model.code.kernel_arrays import Array
    from fakecuda.model.finding import Finding

CODE = (
    HEAD
    + ".visible .global .align 4 .u32 counter = 5;\n.visible .const .align 4 .u32 fixed = 6;\n"
    + ".visible .entry plain(.param .u64 p, .param .u32 v) { ret; }\n"
    + ".visible .entry packed(.param .align 8 .b8 s[16]) { ret; }\n.visible .entry bare() { ret; }\n"
).encode()
SIZE = 4096
NON_BLOCKING = 1
GRAPH_POOL = (1, 0, (1, 0), 0, 0, 0, 0)


class Desk:
    """A process with kernels of unknown behaviour.

    Args:
        machine: The machine.
        process: The process. A new one by default.
    """

    def __init__(self, machine: Machine, process: Process | None = None) -> None:
        self.machine = machine
        self.process = process or started(machine, name="a")
        self.c: Any = self.process.c
        self.module = done(self.c.cuModuleLoadData(CODE))
        self.memory, self.other = (int(done(self.c.cuMemAlloc(SIZE))) for _ in range(2))
        for place in (self.memory, self.other):
            done(self.c.cuMemsetD8(place, 1, SIZE))
        done(self.c.cuCtxSynchronize())

    def function(self, name: str = "plain") -> int:
        """Return a function of the module."""
        return int(done(self.c.cuModuleGetFunction(self.module, name.encode())))

    def launch(self, pointer: int, stream: int = 0) -> None:
        """Launch a kernel that gets a pointer and a number."""
        first, second = ctypes.c_uint64(pointer), ctypes.c_uint32(7)
        places = (ctypes.c_uint64 * 2)(ctypes.addressof(first), ctypes.addressof(second))
        done(self.c.cuLaunchKernel(self.function(), *[1] * 6, 0, stream, ctypes.addressof(places), 0))

    def is_known(self, pointer: int, size: int = SIZE) -> bool:
        """Return whether the host may read bytes; a finding says that it may not."""
        try:
            done(self.c.cuMemcpyDtoH(bytearray(size), pointer, size))
        except UndefinedBehaviour:
            assert self.machine.findings[-1].rule is CONTENT_IS_KNOWN
            self.machine.findings.clear()
            return False
        return True

    def variable(self, name: str) -> int:
        """Return the address of a variable of the module."""
        return int(done(self.c.cuModuleGetGlobal(self.module, name.encode()))[0])


def found(act: Callable[[], object]) -> Finding:
    """Return the finding that a call raises."""
    with pytest.raises(UndefinedBehaviour) as raised:
        act()
    finding = raised.value.finding
    assert finding.rule is CONTENT_IS_KNOWN
    return finding


HOST = (ctypes.c_char * SIZE)()


def read_of(desk: Desk, start: int, end: int) -> Callable[[], None]:
    """Return the launch of a kernel that writes bytes 8 to 16 and reads others."""

    @kernel("plain", "u8*", "u32")
    def plain(_grid: object, _block: object, place: Array, _value: int) -> None:
        place[40] = 0
        place[8:16] = [0] * 8
        place[start:end]
        place[start:end]

    return lambda: desk.launch(desk.memory)


def graph_of(desk: Desk, of: int, pointer: int) -> int:
    """Add a node with the kernel to a graph."""
    first, second = ctypes.c_uint64(pointer), ctypes.c_uint32(7)
    places = (ctypes.c_uint64 * 2)(ctypes.addressof(first), ctypes.addressof(second))
    return int(
        done(desk.c.cuGraphAddKernelNode(of, None, 0, launch(desk.function(), kernelParams=ctypes.addressof(places))))
    )
