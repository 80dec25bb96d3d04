"""The library itself: initialisation, and versions of the driver and NVML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import fitting, given, initialised, versioned
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

DRIVER_IS_LOADED = Rule(
    "the machine has an NVIDIA driver",
    Nvml.DRIVER_NOT_LOADED,
    manual("nvmlInit_v2", "NVML_ERROR_DRIVER_NOT_LOADED if the NVIDIA driver is not running"),
    fix="treat NVML_ERROR_DRIVER_NOT_LOADED as no card, or run on a machine with an NVIDIA driver",
)
BRANCH = 1, 84
"""The version of nvmlSystemDriverBranchInfo_v1_t, and its size in bytes."""
BRANCHES = {"580.159.04": "r582_49"}
"""The branches of driver versions; one was recorded."""

BRANCH_IS_KNOWN = Rule(
    "the driver reports its branch (a simulated driver: only if its branch was recorded on a real one)",
    Nvml.NOT_SUPPORTED,
    observed("nvmlSystemGetDriverBranch", "only one driver has been asked"),
    fix="read the release with nvmlSystemGetDriverVersion if the branch is unknown",
)
ROOM_IS_GIVEN = Rule(
    "`length` is not 0",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlSystemGetProcessName", "NVML_ERROR_INVALID_ARGUMENT if name is NULL or length is 0."),
    fix="pass a buffer for the name, and its length",
)
PROCESS_IS_FOUND = Rule(
    "the process `pid` exists",
    Nvml.NOT_FOUND,
    manual("nvmlSystemGetProcessName", "NVML_ERROR_NOT_FOUND if process doesn't exists"),
    fix="pass the id of a running process, as this system numbers it",
)


@guard
def _initialise(call: Call) -> None:
    # CHECK
    if call.machine.profile.hip.name or not call.machine.profile.devices:
        raise DRIVER_IS_LOADED.broken(profile=call.machine.profile.name)
    # EFFECT
    call.process.nvml.initialise()


@NVML.op("nvmlInit_v2")
@NVML.op("nvmlInit")
def init(call: Call) -> None:
    """Initialise the library once more. Each initialisation needs its own nvmlShutdown."""
    _initialise(call)


@NVML.op("nvmlInitWithFlags")
def init_with_flags(call: Call, flags: int) -> None:  # noqa: ARG001 - no flag makes a difference where there are cards
    """Initialise the library once more. The flags allow a system without cards, and attach to no card."""
    _initialise(call)


@NVML.op("nvmlShutdown")
def shutdown(call: Call) -> None:
    """Undo one initialisation. The last nvmlShutdown frees all event sets. A fork inherits initialisations."""
    # CHECK
    if not call.process.nvml.inherited:
        initialised(call)
    # EFFECT
    call.process.nvml.shut_down()


@NVML.op("nvmlSystemGetDriverVersion")
def system_get_driver_version(call: Call, length: int) -> bytes:
    """Return the driver version, such as ``580.65.06``."""
    initialised(call)
    given(call)
    return fitting(call.machine.profile.release, length)


@NVML.op("nvmlSystemGetNVMLVersion")
def system_get_nvml_version(call: Call, length: int) -> bytes:
    """Return the version of the library: that of CUDA, and the driver's, ``13.580.65.06``.

    The library need not be initialised.
    """
    given(call)
    profile = call.machine.profile
    return fitting(f"{profile.driver_version // 1000}.{profile.release}", length)


@NVML.op("nvmlSystemGetCudaDriverVersion")
@NVML.op("nvmlSystemGetCudaDriverVersion_v2")
def system_get_cuda_driver_version(call: Call) -> int:
    """Return what cuDriverGetVersion returns."""
    initialised(call)
    given(call)
    return call.machine.profile.driver_version


@NVML.op("nvmlSystemGetDriverBranch")
def system_get_driver_branch(call: Call, version: int | None, length: int) -> tuple[bytes]:
    """Return the driver's branch, such as ``r582_49``."""
    # CHECK
    initialised(call)
    versioned(version, BRANCH)
    branch = BRANCHES.get(call.machine.profile.release)
    if branch is None:
        raise BRANCH_IS_KNOWN.broken(release=call.machine.profile.release)
    # EFFECT
    return (fitting(branch, length),)


@NVML.op("nvmlSystemGetProcessName")
def system_get_process_name(call: Call, pid: int, length: int) -> bytes:
    """Return the name of a process of the machine, cut to the length: its program, or its name if it is simulated."""
    # CHECK
    initialised(call)
    given(call)
    if not length:
        raise ROOM_IS_GIVEN.broken()
    process = next((one for one in call.machine.living if one.pid == pid), None)
    if process is None:
        raise PROCESS_IS_FOUND.broken(pid=pid)
    # EFFECT
    try:
        name = Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
    except OSError:
        name = process.name.encode()
    return name[: length - 1]
