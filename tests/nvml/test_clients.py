"""Unmodified clients of NVML under the fixture, and what they keep from test to test: nvidia-ml-py and cuda.core.system."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import Machine
from fakecuda.errors import NotModelledWarning
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from tests.nvml.state import shut_down

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
pynvml: Any = pytest.importorskip("pynvml", reason="nvidia-ml-py: pip install -e '.[dev]'")


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Two H200 in this process, and NVML as nobody has initialised it."""
    with fakecuda.simulate("h200-x2") as made:
        shut_down()
        yield made
        shut_down()


def test_nvidia_ml_py(machine: Machine) -> None:
    """What it reads is what the machine has; errors are exceptions of its own, with the library's texts."""
    with pytest.raises(pynvml.NVMLError_Uninitialized, match=r"^Uninitialized$"):
        pynvml.nvmlDeviceGetCount()
    pynvml.nvmlInit()
    cards = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
    assert [pynvml.nvmlDeviceGetName(card) for card in cards] == ["NVIDIA H200"] * 2
    assert [pynvml.nvmlDeviceGetPciInfo(card).busId for card in cards] == ["00000000:00:06.0", "00000000:00:07.0"]
    assert pynvml.nvmlDeviceGetP2PStatus(*cards, pynvml.NVML_P2P_CAPS_INDEX_NVLINK) == pynvml.NVML_P2P_STATUS_OK
    assert pynvml.nvmlDeviceGetCudaComputeCapability(cards[0]) == (9, 0)
    c = machine.here.c
    c.cuInit(0)
    c.cuDevicePrimaryCtxRetain(1)
    [process] = pynvml.nvmlDeviceGetComputeRunningProcesses(cards[1])
    assert (process.pid, process.usedGpuMemory) == (os.getpid(), machine.profile.context_memory)
    memory = pynvml.nvmlDeviceGetMemoryInfo(cards[1], version=pynvml.nvmlMemory_v2)
    assert memory.used == machine.devices[1].profile.total_memory - memory.free
    with pytest.raises(pynvml.NVMLError_InvalidArgument):
        pynvml.nvmlDeviceGetHandleByIndex(2)
    fields = pynvml.nvmlDeviceGetFieldValues(cards[0], [pynvml.NVML_FI_DEV_NVLINK_LINK_COUNT])
    assert fields[0].value.uiVal == 18
    pynvml.nvmlShutdown()


def test_events_and_lost_cards(machine: Machine) -> None:
    """As a plugin that watches over cards does it."""
    pynvml.nvmlInit()
    events = pynvml.nvmlEventSetCreate()
    card = pynvml.nvmlDeviceGetHandleByIndex(1)
    pynvml.nvmlDeviceRegisterEvents(card, pynvml.nvmlEventTypeXidCriticalError, events)
    with pytest.raises(pynvml.NVMLError_Timeout):
        pynvml.nvmlEventSetWait_v2(events, 1000)
    machine.lose_device(1)
    event = pynvml.nvmlEventSetWait_v2(events, 1000)
    assert (event.eventType, event.eventData) == (pynvml.nvmlEventTypeXidCriticalError, 48)
    assert pynvml.nvmlDeviceGetIndex(event.device) == 1
    pynvml.nvmlEventSetFree(events)


def test_what_is_not_modelled_says_so(machine: Machine) -> None:
    """Once for a machine, and never reaches another library."""
    pynvml.nvmlInit()
    card = pynvml.nvmlDeviceGetHandleByIndex(0)
    with pytest.warns(NotModelledWarning, match="nvmlDeviceGetPgpuMetadataString is not modelled: it answers NVML"):
        ctypes.CDLL("libnvidia-ml.so.1").nvmlDeviceGetPgpuMetadataString(card, None, None)
    assert ctypes.CDLL("libnvidia-ml.so.1").nvmlDeviceGetPgpuMetadataString(card, None, None) == 3
    assert machine.findings == []


def test_calls_are_in_the_log(machine: Machine) -> None:
    """With the rule that one broke."""
    pynvml.nvmlInit()
    with pytest.raises(pynvml.NVMLError_NotFound):
        pynvml.nvmlDeviceGetHandleByUUID("GPU-none")
    last = machine.log[-1]
    assert last.rule is not None
    assert (last.call, last.rule.id) == ("nvmlDeviceGetHandleByUUID", "nvml.handle.UUID_IS_FOUND")
    assert str(last).endswith(
        "nvmlDeviceGetHandleByUUID(uuid='GPU-none') -> NVML_ERROR_NOT_FOUND  [nvml.handle.UUID_IS_FOUND]"
    )


@pytest.mark.usefixtures("machine")
def test_a_signal_is_raised_behind_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a callback cannot raise, the library raises in the main thread."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    pynvml.nvmlInit()
    monkeypatch.setattr("fakecuda.reach.native.nvml.door.find", interrupted)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it is raised as soon as Python runs again
        ctypes.CDLL("libnvidia-ml.so.1").nvmlDeviceGetCount_v2(None)
        threading.Event().wait(0)


@pytest.mark.usefixtures("machine")
def test_what_a_client_keeps_lasts() -> None:
    """Initialised once in a process NVML is so on every machine, and handles and event sets are valid; between them it is not."""
    pynvml.nvmlInit()
    card, events = pynvml.nvmlDeviceGetHandleByIndex(1), pynvml.nvmlEventSetCreate()
    for profile in ("hgx-8", "h200-x2"):
        with fakecuda.simulate(profile) as inner:
            assert pynvml.nvmlDeviceGetIndex(card) == 1
            pynvml.nvmlDeviceRegisterEvents(card, pynvml.nvmlEventTypeXidCriticalError, events)
            inner.lose_device(1)
    with pytest.raises(pynvml.NVMLError_Timeout):
        pynvml.nvmlEventSetWait_v2(events, 0)


def test_between_machines_there_is_no_driver() -> None:
    """Functions that a client has looked up stay; they say so."""
    with fakecuda.simulate():
        library = ctypes.CDLL("libnvidia-ml.so.1")
        library.nvmlErrorString.restype = ctypes.c_char_p
    assert (library.nvmlInit_v2(), library.nvmlDeviceGetCount_v2(None)) == (9, 1)
    assert library.nvmlErrorString(9) == b"Driver Not Loaded"


def test_cuda_core_system() -> None:
    """It initialises NVML once in a process, and works on one machine as on the next."""
    system = pytest.importorskip("cuda.core.system", reason="cuda-core: pip install -e '.[dev]'")
    for profile in ("h200-x2", "hgx-8", "h200-x2"):
        with fakecuda.simulate(profile) as made:
            found = list(system.Device.get_all_devices())
            assert [device.name for device in found] == [one.profile.name for one in made.devices]
            assert system.get_p2p_status(*found[:2], "read") == "ok"


def test_attached_processes() -> None:
    """A child's calls arrive at its owner's machine, which knows it by its number; all cards are told."""
    text = """
import os, pynvml
from cuda.bindings import driver
pynvml.nvmlInit()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(0)
card = pynvml.nvmlDeviceGetHandleByIndex(0)
[process] = pynvml.nvmlDeviceGetComputeRunningProcesses(card)
assert process.pid == os.getpid()
print(pynvml.nvmlDeviceGetCount(), driver.cuDeviceGetCount()[1], pynvml.nvmlDeviceGetMemoryInfo(card).used)
"""
    with fakecuda.simulate("h200-x4", shared=True) as made:
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "0"}
        ran = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)
        assert ran.stderr == ""
        calls = {record.call for record in made.log if record.process != "here"}
    used = made.devices[0].profile.total_memory - made.devices[0].memory.total + made.profile.context_memory
    assert ran.stdout.split() == ["4", "1", str(used + 644_939_776)]
    assert "nvmlDeviceGetComputeRunningProcesses_v3" in calls
