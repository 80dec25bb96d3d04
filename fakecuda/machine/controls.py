"""External events of a machine: lost cards, failed work, modes, memory pressure."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsInt

import attrs

from fakecuda.errors import FakeCudaError
from fakecuda.model import machine as state
from fakecuda.model import nvml
from fakecuda.model.os.interruption import whole
from fakecuda.model.os.process import Process
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.context import Context, Device

COMPUTE_MODE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_COMPUTE_MODE"]
COMPUTE_MODES = {name.removeprefix("CU_COMPUTEMODE_"): value for name, value in ENUMS["CUcomputemode"].items()}


class Controls(state.Machine):
    """The controls of a machine: external events that no call causes.

    What follows from them is as the driver has it: each is seen through calls alone.
    """

    @whole
    def lose_device(self, device: int, code: int = Result.ECC_UNCORRECTABLE) -> None:
        """Lose a card, as with an Xid: its contexts return a sticky error.

        New contexts answer CUDA_ERROR_DEVICE_UNAVAILABLE. The card is listed as ever.

        Args:
            device: Its number on the machine.
            code: What its contexts go on answering: ECC_UNCORRECTABLE (Xid 48), NVLINK_UNCORRECTABLE (74), CONTAINED
                (94), LAUNCH_FAILED or another sticky one.

        Raises:
            FakeCudaError: There is no such card, or the code is not sticky.
        """
        card, fault = self._device(device), _sticky(code)
        card.lost = fault
        nvml.tell(self, card, fault)
        for context in self.contexts_on(card):
            self._fail(context, context.lost or fault)
        self.scheduler.progress.notify_all()

    @whole
    def poison(self, process: Process, context: SupportsInt, code: int = Result.ILLEGAL_ADDRESS) -> None:
        """Make the work of a context fail, as by a bad kernel.

        Args:
            process: The process.
            context: The CUcontext, a number or the binding's object.
            code: A sticky code: ILLEGAL_ADDRESS, LAUNCH_FAILED, LAUNCH_TIMEOUT, ASSERT, EXTERNAL_DEVICE and others.

        Raises:
            FakeCudaError: The process has no such context, or the code is not sticky.
        """
        given: object = process
        if not isinstance(given, Process):
            msg = (
                f"poison({given!r}, ...): the first argument must be a simulated process of the machine, such as "
                "machine.here"
            )
            raise FakeCudaError(msg)
        handle = int(context)  # cuda.bindings' CUcontext among them
        known = process.contexts.get(handle)
        if known is None:
            msg = (
                f"simulated process {process.name} has no context {handle:#x}; contexts of the process: "
                f"{_listed(process.contexts)}"
            )
            raise FakeCudaError(msg)
        fault = _sticky(code)
        nvml.tell(self, known.device, fault)
        self._fail(known, fault)

    @whole
    def set_compute_mode(self, device: int, mode: str) -> None:
        """Set a card's compute mode, as `nvidia-smi --compute-mode` does.

        Args:
            device: Its number on the machine.
            mode: ``DEFAULT``, ``EXCLUSIVE_PROCESS`` (one context at a time) or ``PROHIBITED`` (none).

        Raises:
            FakeCudaError: There is no such card, or no such mode.
        """
        if mode not in COMPUTE_MODES:
            msg = f"compute mode {mode!r} is unknown: use one of {', '.join(COMPUTE_MODES)}"
            raise FakeCudaError(msg)
        card = self._device(device)
        attributes = card.profile.attributes | {COMPUTE_MODE: COMPUTE_MODES[mode]}
        card.profile = attrs.evolve(card.profile, attributes=attributes)

    @whole
    def exhaust_memory(self, device: int, leaving: int = 0) -> None:
        """Let other programs allocate a card's free memory.

        Args:
            device: Its number on the machine.
            leaving: Bytes that they leave free.

        Raises:
            FakeCudaError: There is no such card.
        """
        memory = self._device(device).memory
        memory.total = min(memory.total, memory.used + leaving)

    @whole
    def exhaust_addresses(self, process: Process) -> None:
        """Use up a process's device addresses.

        Args:
            process: The process.
        """
        process.addresses.exhaust()

    def _fail(self, context: Context, code: int) -> None:
        """Fail the work of a context: drop its pending work, and end all waits."""
        stream_scheduler.lose(context, code)
        self.scheduler.progress.notify_all()

    def _device(self, number: int) -> Device:
        if not 0 <= number < len(self.devices):
            numbers = ", ".join(map(str, range(len(self.devices))))
            msg = f"the machine has no device {number}: use one of {numbers}"
            raise FakeCudaError(msg)
        return self.devices[number]


def _sticky(code: int) -> int:
    if code not in STICKY:
        msg = f"{code!r} is not a sticky code: use one of {', '.join(sorted(Result(one).name for one in STICKY))}"
        raise FakeCudaError(msg)
    return int(code)


def _listed(contexts: dict[int, Context]) -> str:
    return ", ".join(map(hex, contexts)) or "none"
