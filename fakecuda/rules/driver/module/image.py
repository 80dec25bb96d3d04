"""Rules of calls with an image of code: the device can load the image."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.code import image as images
from fakecuda.model.code import reading
from fakecuda.model.code.code import BAD_PTX, BOUND, MANAGED, NEW_PTX, OTHER_DEVICE, PACKED, Refused
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Image
    from fakecuda.model.context import Device

DRIVERS = [major * 1000 + minor * 10 for major in range(11, 14) for minor in range(10)]
"""Driver versions, oldest first."""
TWELVE_SIX = 12060
"""The CUDA version without a new PTX version."""
LOGS = {
    BAD_PTX: "error   : {}",
    NEW_PTX: "error   : the PTX has .version {}, which this driver does not compile",
}
"""Texts of the error log about refused PTX, by the reason of the refusal."""

IMAGE_IS_GIVEN = Rule(
    "the image is not null",
    Result.INVALID_VALUE,
    observed("cuModuleLoadData", "the driver answers INVALID_VALUE to a null argument"),
    fix="pass the address of an image",
)
IMAGE_IS_CODE = Rule(
    "the image of the module or library is PTX, a cubin or a fatbin, and is not cut off",
    Result.INVALID_IMAGE,
    observed(
        "cuModuleLoadData",
        "the driver answers INVALID_IMAGE to a text without .version, an ELF file for another "
        "processor, and a truncated image",
    ),
    fix="pass PTX, a cubin or a fatbin as the compiler wrote it",
)
PTX_IS_VALID = Rule(
    "the PTX of the module or library is well-formed, defines each function it calls, and has a target that "
    "the device runs",
    Result.INVALID_PTX,
    observed(
        "cuModuleLoadData",
        "the driver answers INVALID_PTX to PTX without .target, PTX for a newer device, PTX that defines a name "
        "twice, and PTX that lacks a function",
    ),
    fix="compile the PTX for this device or for an older one",
)
PTX_IS_KNOWN = Rule(
    "if the image of the module or library has PTX to compile, the driver supports its PTX version",
    Result.UNSUPPORTED_PTX_VERSION,
    observed("cuModuleLoadData", "the driver answers UNSUPPORTED_PTX_VERSION to PTX of version 99.0"),
    fix="compile with an older toolkit, or use a newer driver",
)
BINARY_IS_THE_DEVICE_S = Rule(
    "the image of the module or library has PTX or a cubin that runs on the current device (for libraries: device 0)",
    Result.NO_BINARY_FOR_GPU,
    observed(
        "cuModuleLoadData",
        "the driver answers NO_BINARY_FOR_GPU to an empty fatbin, and to a fatbin with cubins for "
        "another architecture only",
    ),
    fix="compile for this device, or add PTX to the fatbin",
)
IMAGE_SUITS_CUDA_3_1 = Rule(
    "in a process with a context of CUDA 3.1, the image of the module or library has no managed variable",
    Result.NOT_SUPPORTED,
    undefined(
        "cuModuleLoadData",
        "the manual says nothing about contexts of CUDA 3.1; driver 580 loads no managed variable there (segmentation "
        "fault), and makes no such context beside a library with one",
    ),
    fix="make the context with the newest form of cuCtxCreate",
)
VARIABLES_HAVE_ROOM = Rule(
    "the device has enough free memory for the variables of the module, library or kernel that the call loads on it",
    Result.OUT_OF_MEMORY,
    manual(
        "cuModuleLoad",
        "if the memory for functions and data (constant and global) needed by the module cannot be allocated, cuModuleLoad() fails",
    ),
    fix="free memory first, or make the variables smaller",
)


def newest(driver: int) -> tuple[int, int]:
    """Return the newest PTX version that a driver compiles, such as 8.0 for 12.0."""
    major, minor = driver // 1000, driver % 1000 // 10
    return major - 4, minor - (TWELVE_SIX <= driver < (major + 1) * 1000 and major == TWELVE_SIX // 1000)


def too_new(call: Call, refused: Refused) -> dict[str, Any]:
    """Return facts about PTX that is too new for the driver, with the alternative."""
    driver = call.machine.profile.driver_version
    major, minor = map(int, refused.reason.split("."))
    first = next((one for one in DRIVERS if newest(one) >= (major, minor)), 0)
    profile = f", or a profile with driver_version = {first} or later" if first else ""
    use = f"NVRTC and nvcc of CUDA {driver // 1000}.{driver % 1000 // 10} or older{profile}"
    return {"ptx": refused.reason, "driver": driver, "use": use}


@contextmanager
def unpacked() -> Iterator[None]:
    """Read images; unsupported code is the simulator's limit, not the caller's fault.

    Raises:
        FakeCudaError: An image is compressed by Zstandard, and nothing here reads that; or it exceeds a bound of the reader.
    """
    try:
        yield
    except Refused as refused:
        if refused.why in {PACKED, BOUND}:
            raise FakeCudaError(refused.reason) from None
        raise


def read(call: Call, data: bytes, device: Device, arch: int = 0) -> Image:
    """Return the content of an image for a device or an architecture.

    Raises:
        Refused: The device cannot load it.
        FakeCudaError: It is compressed by Zstandard, and nothing here reads that; or it exceeds a bound of the reader.
    """
    with unpacked():
        return reading.read(
            call, images.parsed, data, arch or device.architecture, newest(call.machine.profile.driver_version)
        )


@guard
def parsed(call: Call, data: bytes, device: Device, arch: int = 0) -> Image:
    """Return the content of an image for a device, which must be able to load it.

    Args:
        call: The call.
        data: The image.
        device: The device.
        arch: The architecture to read it for. 0 for the device's.
    """
    try:
        return read(call, data, device, arch)
    except Refused as caught:
        refused = caught
    why = refused.why
    if why == BAD_PTX:
        raise PTX_IS_VALID.broken(device=device, ptx=refused.place)
    if why == NEW_PTX:
        raise PTX_IS_KNOWN.broken(**too_new(call, refused))
    if why == OTHER_DEVICE:
        raise BINARY_IS_THE_DEVICE_S.broken(device=device)
    raise IMAGE_IS_CODE.broken(image=data[:16])


@guard
def unmanaged(call: Call, data: bytes) -> None:
    """Check that an image has no managed variable, beside a CUDA 3.1 context."""
    try:
        image = read(call, data, call.process.devices[0])
    except Refused:
        return
    if any(one.kind == MANAGED for one in image.variables.values()):
        call.undefined(IMAGE_SUITS_CUDA_3_1, process=call.process)
        raise IMAGE_SUITS_CUDA_3_1.broken(process=call.process)
