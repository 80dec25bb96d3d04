"""The state of the CUDA runtime and HIP in a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from fakecuda.model.code.module import Library
    from fakecuda.model.code.program import Binary
    from fakecuda.model.memory.registrations import Layer


@define(eq=False)
class HipDevice:
    """HIP's state of a device in a process.

    Attributes:
        flags: How it is waited for: hipDeviceScheduleSpin at first.
        stack: Bytes of a kernel's stack.
        heap: Bytes of the heap that kernels allocate from.
        chosen: Whether a thread has made it its own, which counts as its use.
    """

    flags: int = 1
    stack: int = 1 << 10
    heap: int = 8 << 20
    chosen: bool = False

    @effect()
    def set_flags(self, flags: int) -> None:
        """Set the scheduling flags of the device."""
        self.flags = flags

    @effect()
    def set_stack(self, size: int) -> None:
        """Set the stack size of kernels."""
        self.stack = size

    @effect()
    def set_heap(self, size: int) -> None:
        """Set the heap size."""
        self.heap = size

    @effect()
    def choose(self) -> None:
        """Note that a thread has selected the device."""
        self.chosen = True


@define(eq=False)
class Runtimes:
    """The state of the runtime API and HIP in a process.

    Attributes:
        started: Whether a call of the runtime API has initialised the driver.
        over: Whether the process is a fork of one whose exit handlers had run.
        hip_devices: What HIP keeps of each device, by its ordinal.
        layers: Host memory that HIP has registered over other registrations, by its first address.
        libraries: The libraries that images of programs have become, when their code was first used.
    """

    started: bool = False
    over: bool = False
    libraries: dict[Binary, Library] = field(factory=dict)
    hip_devices: dict[int, HipDevice] = field(factory=dict)
    layers: dict[int, Layer] = field(factory=dict)

    @effect()
    def start_runtime(self) -> None:
        """Note that a call of the runtime API has initialised the driver."""
        self.started = True

    def hip_device(self, ordinal: int) -> HipDevice:
        """Return HIP's state of a device."""
        return self.hip_devices.setdefault(ordinal, HipDevice())
