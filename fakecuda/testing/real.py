"""The fixture on the real driver: ``pytest --fakecuda=real``."""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fakecuda.profiles import Profile

SWITCHES = ("MANAGED_MEMORY", "CONCURRENT_MANAGED_ACCESS", "IPC_EVENT_SUPPORTED", "MEMORY_POOLS_SUPPORTED")
"""Attributes that depend on the system and change answers."""
CUDA_MAJOR = 1000
"""The factor of the major version in a driver version."""


class RealProcess:
    """This OS process on the real driver.

    Attributes:
        driver: cuda.bindings.driver.
        name: Always ``here``.
        alive: Always True.
    """

    __slots__ = ("driver",)
    name = "here"
    alive = True

    def __init__(self, driver: Any) -> None:
        self.driver = driver


class RealMachine:
    """The real machine, in place of a simulated one.

    Attributes:
        here: This OS process.
        findings: Empty: a driver does not report undefined behaviour.
        log: Empty: calls are not recorded.
        notes: Expectations of the test that a driver cannot confirm.
    """

    __slots__ = ("_children", "findings", "here", "log", "notes")

    def __init__(self, driver: Any) -> None:
        self.here = RealProcess(driver)
        self.findings: list[Any] = []
        self.log: list[Any] = []
        self.notes: list[str] = []
        self._children: Any = None

    @property
    def processes(self) -> dict[str, Any]:
        """This process and all spawned processes, by name."""
        return {"here": self.here, **(self._children.processes if self._children else {})}

    def spawn(self, name: str | None = None) -> Any:
        """Start a process on the real driver."""
        if self._children is None:
            from realcuda import Machine  # noqa: PLC0415 - few tests on a real driver need it

            self._children = Machine()
        return self._children.spawn(name)

    def close(self) -> None:
        """End all spawned processes and reset the card's state.

        Empty the thread's context stack and reset the devices' primary contexts.
        """
        if self._children is not None:
            self._children.close()
            self._children = None
        reset(self.here.driver)


def find_driver() -> Any:
    """Return the real cuda.bindings.driver, initialised on a machine with a device.

    Raises:
        pytest.UsageError: There is no driver or no device; the text says what to do.
    """
    fix = "run on a machine with a GPU, or without --fakecuda=real"
    try:
        driver: Any = import_module("cuda.bindings.driver")
    except ImportError:
        msg = "--fakecuda=real: cuda.bindings is not installed: pip install 'fakecuda[cuda]'"
        raise pytest.UsageError(msg) from None
    try:
        code, count = int(driver.cuInit(0)[0]), 0
        if code == 0:
            code, count = map(int, driver.cuDeviceGetCount())
    except Exception as error:  # noqa: BLE001 - the bindings' loader may raise any exception
        msg = f"--fakecuda=real: no driver ({' '.join(str(error).split())}): {fix}"
        raise pytest.UsageError(msg) from None
    if code or not count:
        msg = f"--fakecuda=real: no GPU ({driver.CUresult(code).name}, {count} devices): {fix}"
        raise pytest.UsageError(msg)
    return driver


@contextmanager
def machine(driver: Any, profile: str | Path | Profile | None) -> Iterator[RealMachine]:
    """Yield the real machine if it satisfies the profile; otherwise skip the test."""
    if profile is not None and (reason := _lacks(driver, profile)):
        pytest.skip(f"--fakecuda=real: {reason}")
    made = RealMachine(driver)
    reset(driver)
    try:
        yield made
    finally:
        made.close()


def _lacks(driver: Any, which: str | Path | Profile) -> str:
    """Return how the real machine differs from a profile.

    The result is empty if it satisfies the profile.
    """
    from fakecuda.profiles import load  # noqa: PLC0415 - only if needed

    profile = load(which)
    version = int(driver.cuDriverGetVersion()[1])
    if version // CUDA_MAJOR != profile.driver_version // CUDA_MAJOR:
        return f"profile {profile.name} has the driver of CUDA {_dotted(profile.driver_version)}, this machine {_dotted(version)}"
    count = int(driver.cuDeviceGetCount()[1])
    if count < len(profile.devices):
        return f"profile {profile.name} has {len(profile.devices)} devices, this machine {count}"
    devices = [driver.cuDeviceGet(ordinal)[1] for ordinal in range(len(profile.devices))]
    for ordinal, (wanted, device) in enumerate(zip(profile.devices, devices, strict=True)):
        name = driver.cuDeviceGetName(256, device)[1].split(b"\0")[0].decode()
        if family(name) != family(wanted.name):
            return f"profile {profile.name} has {wanted.name} as device {ordinal}, this machine {name}"
        for switch in SWITCHES:
            attribute = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{switch}")
            asked, here = (
                wanted.attributes.get(int(attribute), 0),
                int(driver.cuDeviceGetAttribute(attribute, device)[1]),
            )
            if asked != here:
                return f"profile {profile.name} has {switch} {asked} on device {ordinal}, this machine {here}"
    for (source, target), peer in profile.peers.items():
        here = bool(int(driver.cuDeviceCanAccessPeer(devices[source], devices[target])[1]))
        if here != peer.can_access:
            links = {True: "peer access", False: "no peer access"}
            pair = f"from device {source} to {target}"
            return f"profile {profile.name} has {links[peer.can_access]} {pair}, this machine {links[here]}"
    return ""


def _dotted(version: int) -> str:
    """Return a driver version as CUDA writes it: ``12.4`` for 12040."""
    return f"{version // 1000}.{version % 1000 // 10}"


def family(name: str) -> str:
    """Return a device's model without maker, memory and form.

    For ``NVIDIA H200 NVL``, this is ``H200``.
    """
    found = re.search(r"\b[A-Z]*\d+[A-Z]*\b", name)
    return found[0] if found else name


def reset(driver: Any) -> None:
    """Empty the calling thread's context stack and reset all active primary contexts.

    A primary context that a client keeps for all tests is active and empty afterwards.

    Raises:
        RuntimeError: A primary context cannot be reset; the text names the device and the code.
    """
    from fakecuda.reach.install import clients  # noqa: PLC0415 - only tests on a driver need it

    clients.end()
    # The stack is finite; the bound is for a driver that refuses to pop.
    for _ in range(1000):
        code, context = driver.cuCtxGetCurrent()
        if int(code) or not int(context) or int(driver.cuCtxSetCurrent(0)[0]):
            break
    for ordinal in range(int(driver.cuDeviceGetCount()[1])):
        device = driver.cuDeviceGet(ordinal)[1]
        if int(driver.cuDevicePrimaryCtxGetState(device)[2] or 0):
            (code,) = driver.cuDevicePrimaryCtxReset(device)
            if int(code):
                msg = (
                    f"fakecuda cannot reset the primary context of device {ordinal} on the real driver for the next "
                    f"test, because cuDevicePrimaryCtxReset answers {code.name}: run the tests again in a new process"
                )
                raise RuntimeError(msg)
            if clients.used():
                # A reset keeps the references but ends the context. This pair makes the context again for its holders.
                driver.cuDevicePrimaryCtxRetain(device)
                driver.cuDevicePrimaryCtxRelease(device)
