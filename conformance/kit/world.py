"""Worlds: the state that a case builds before its call.

A session lays worlds one after the other in one program. A process is used again by the next world that asks for one
alike, unless a call changed for good what a new process would have (:mod:`conformance.kit.cleaning`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.kit.cleaning import cleaned
from conformance.kit.subject import (
    DEVICE,
    GRANULE,
    PINNED,
    POSIX,
    READ_WRITE,
    Invocation,
    NotBuilt,
    Ok,
    Process,
    Thread,
    access,
    location,
    pinned,
)
from fakecuda.machine.machine import Machine
from fakecuda.rules.registry import api_of
from fakecuda.spec.both import ENUMS
from realcuda.guard import OPTION

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain, Recorder
    from fakecuda.profiles import Profile

__all__ = [
    "CLEANED",
    "CONTEXT",
    "DEVICE",
    "GRANULE",
    "HIP",
    "INITIALISED",
    "MULTICAST",
    "NEW",
    "NVML",
    "PINNED",
    "POSIX",
    "READ_WRITE",
    "RUNTIME",
    "Invocation",
    "NotBuilt",
    "Ok",
    "Process",
    "Session",
    "Thread",
    "Unavailable",
    "World",
    "access",
    "location",
    "made_by",
    "pinned",
]

MULTICAST = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED"]
NEW, INITIALISED, CONTEXT, RUNTIME, HIP, NVML = "new", "initialised", "context", "runtime", "hip", "nvml"
"""Kinds of processes: nothing was called; cuInit was; a new context of a device is current on the main thread, too; the
main thread uses a device by the runtime API alone, or by HIP; NVML is initialised."""
CLEANED = {INITIALISED, CONTEXT}
"""Kinds of processes that :func:`conformance.kit.cleaning.cleaned` can restore."""


def made_by(kind: str, device: int) -> list[tuple[str, tuple[Plain, ...]]]:
    """Return the calls that prepare a process of a kind, with inputs."""
    if kind == RUNTIME:
        return [("cudaSetDevice", (device,))]
    if kind == HIP:
        return [("hipSetDevice", (device,)), ("hipDeviceSynchronize", ())]
    if kind == NVML:
        return [("nvmlInit_v2", ())]
    context = ("cuCtxCreate", (None, 0, device))
    return [] if kind == NEW else [("cuInit", (0,)), *([context] if kind == CONTEXT else [])]


class Unavailable(Exception):  # noqa: N818 - a fact about the machine
    """An exception: the machine lacks what a case needs; the text says what."""


FAR = re.compile(r"^(?:\w+: )?(.*is not modelled for an OS process that has attached.*)", re.DOTALL)
"""The beginning of the error for calls that attached processes cannot make."""


def lack_of(error: Exception) -> str:
    """Return what the machine lacks, by an exception; empty for other exceptions."""
    if isinstance(error, Unavailable):
        return str(error)
    found = FAR.match(str(error))
    return found[1] if found else ""


@define
class Session:
    """Worlds one after another in one program.

    Attributes:
        recorder: What makes and logs the calls.
        idle: Processes that a later world may use, by what they were asked to be.
        count: How many worlds and threads there have been.
    """

    recorder: Recorder
    idle: dict[tuple[str, int], list[Process]] = field(factory=dict)
    count: int = 0

    def world(self, label: str) -> World:
        """Begin a world with a label."""
        self.recorder.label(label)
        self.count += 1
        return World(self, len(self.recorder.program.steps))

    def process(self, kind: str, device: int) -> Process:
        """Return a clean process of a kind."""
        idle = self.idle.get((kind, device))
        return idle.pop() if idle else self.start(kind, device)

    def start(self, kind: str, device: int) -> Process:
        """Start a process of a kind, and return it."""
        subject = Process(self.recorder.spawn(), device, 0)
        for call, inputs in made_by(kind, device):
            made = getattr(subject.ok, call)(*inputs)
            subject.context = made or 0
        return subject

    def take_back(self, world: World) -> None:
        """Keep the clean processes of a world, and end the others."""
        for key, subject in world.used:
            if not subject.alive:
                continue
            if key[0] in CLEANED and cleaned(world, subject):
                self.idle.setdefault(key, []).append(subject)
            else:
                subject.kill()

    def devices(self) -> int:
        """Return the number of the target's devices."""
        machine = self.recorder.machine
        devices = getattr(machine, "devices", None)
        return int(machine.device_count) if devices is None else len(devices)

    def profile(self) -> Profile | None:
        """Return the profile of a model; None for a driver."""
        return getattr(self.recorder.machine, "profile", None)


@define
class World:
    """The state and the calls of one case.

    Attributes:
        session: The session.
        start: The step with which it begins.
        used: The processes it was given and what they were asked to be.
        last: What is done at its end, whatever the call answered, with processes that are alive.
    """

    session: Session
    start: int
    used: list[tuple[tuple[str, int], Process]] = field(factory=list)
    last: list[tuple[Process, Callable[[], None]]] = field(factory=list)

    def process(self, device: int = 0, *, context: bool = True, init: bool = True) -> Process:
        """Return a clean process of a kind.

        Args:
            device: The ordinal of the device that it works on.
            context: Whether a new context of the device is current on its main thread.
            init: Whether cuInit was called.

        Raises:
            Unavailable: The machine has no such device.
        """
        self.needs_devices(device + 1)
        return self._process(NEW if not init else CONTEXT if context else INITIALISED, device)

    def runtime_process(self, device: int = 0) -> Process:
        """Return a process that uses a device by the runtime API only.

        Args:
            device: The ordinal of the device.

        Raises:
            Unavailable: The machine has no such device.
        """
        self.needs_devices(device + 1)
        return self._process(RUNTIME, device)

    def process_of(self, call: str, device: int = 0) -> Process:
        """Return a process that is ready for a call of its API.

        Args:
            call: The call.
            device: The ordinal of the device.

        Raises:
            Unavailable: The machine has no such device, or no library of the API.
        """
        api = api_of(call).name
        if api == RUNTIME:
            self.needs_cudart()
        self.needs_devices(device + 1)
        return self._process(api if api in {RUNTIME, HIP, NVML} else CONTEXT, device)

    @property
    def model(self) -> Machine:
        """The model with its controls, for cases without a real driver.

        Raises:
            Unavailable: The machine is no model.
        """
        machine = self.session.recorder.machine
        if not isinstance(machine, Machine):
            msg = "the case is for the model alone: it changes the model's machine"
            raise Unavailable(msg)
        return machine

    def _process(self, kind: str, device: int) -> Process:
        subject = self.session.process(kind, device)
        self.used.append(((kind, device), subject))
        return subject

    def thread_name(self) -> str:
        """Return an unused thread name."""
        self.session.count += 1
        return f"t{self.session.count}"

    def needs(self, condition: object, reason: str) -> None:
        """Require a feature of the machine.

        Raises:
            Unavailable: The condition does not hold.
        """
        if not condition:
            msg = f"the machine lacks {reason}"
            raise Unavailable(msg)

    def needs_devices(self, count: int) -> None:
        """Require a number of devices.

        Raises:
            Unavailable: The machine has fewer.
        """
        self.needs(count <= self.session.devices(), f"{count} devices")

    def needs_cudart(self) -> None:
        """Require the runtime API.

        Raises:
            Unavailable: The machine has no runtime library.
        """
        problem = getattr(self.session.recorder.machine, "cudart_problem", "")
        self.needs(not problem, f"a runtime library: {problem}")

    def needs_multicast(self) -> None:
        """Require multicast calls, which need ``--allow-multicast`` on a real machine.

        Raises:
            Unavailable: They are not made on this one, it has no two devices, or its profile has no multicast.
        """
        self.needs(self.session.recorder.multicast, f"leave for multicast calls ({OPTION})")
        self.needs_devices(2)
        self.needs_attribute(MULTICAST, "multicast")

    def needs_attribute(self, number: int, what: str) -> None:
        """Require a device attribute.

        Raises:
            Unavailable: No device of the profile does; a real one is not asked, for a call would be a step of the case.
        """
        profile = self.session.profile()
        self.needs(profile is None or any(one.attributes.get(number) for one in profile.devices), what)

    def needs_peers(self) -> None:
        """Require two devices with peer access.

        Raises:
            Unavailable: The machine has no such two; a real one is not asked.
        """
        self.needs_devices(2)
        profile = self.session.profile()
        links = [] if profile is None else [profile.peers.get(pair) for pair in ((0, 1), (1, 0))]
        self.needs(all(link is not None and link.can_access for link in links), "peer access")

    def open_file(self) -> int:
        """Return a descriptor that is not exported memory."""
        return self.session.recorder.open_file()

    def close_descriptor(self, descriptor: int) -> None:
        """Close a descriptor that a call returned."""
        self.session.recorder.close_descriptor(descriptor)

    def finish(self) -> None:
        """Keep processes that the next world can use, and end the others."""
        for subject, act in self.last:
            if subject.alive:
                act()
        self.session.take_back(self)
