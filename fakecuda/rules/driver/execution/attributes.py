"""Attributes of kernels: values from the image, from the device, or set by calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.code.code import Entry
    from fakecuda.model.context import Device

ATTRIBUTE = {name.removeprefix("CU_FUNC_ATTRIBUTE_"): value for name, value in ENUMS["CUfunction_attribute"].items()}
DYNAMIC, CARVEOUT = ATTRIBUTE["MAX_DYNAMIC_SHARED_SIZE_BYTES"], ATTRIBUTE["PREFERRED_SHARED_MEMORY_CARVEOUT"]
WIDTH, HEIGHT, DEPTH = (ATTRIBUTE[f"REQUIRED_CLUSTER_{side}"] for side in ("WIDTH", "HEIGHT", "DEPTH"))
WIDE_CLUSTERS = ATTRIBUTE["NON_PORTABLE_CLUSTER_SIZE_ALLOWED"]
POLICY = ATTRIBUTE["CLUSTER_SCHEDULING_POLICY_PREFERENCE"]
LAST_POLICY = max(ENUMS["CUclusterSchedulingPolicy"].values())
WHOLE = 100
"""The maximum per cent of shared memory."""
WARP = 32
SHARED, SHARED_AT_MOST, REGISTERS, THREADS = 8, 97, 12, 1
"""CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, _PER_BLOCK_OPTIN, _MAX_REGISTERS_PER_BLOCK and _MAX_THREADS_PER_BLOCK."""
UNIT = 256
"""Warps get registers in multiples of this number."""

ATTRIBUTE_IS_KNOWN = Rule(
    "`attrib` is a CUfunction_attribute that this driver version supports",
    Result.INVALID_VALUE,
    observed("cuFuncGetAttribute", "driver 580 answers INVALID_VALUE to attributes from 16 on"),
    fix="pass a CUfunction_attribute that this driver version supports",
)
ATTRIBUTE_CAN_BE_SET = Rule(
    "the attribute is a CUfunction_attribute that is not read-only",
    Result.INVALID_VALUE,
    manual(
        "cuFuncSetAttribute",
        "Attempting to set a value on a read-only attribute will result in an error (CUDA_ERROR_INVALID_VALUE)",
    ),
    fix="set only dynamic shared memory, the shared-memory carveout and the cluster attributes",
)
SHARED_MEMORY_FITS = Rule(
    "dynamic shared memory is at least 0, and together with static shared memory at most "
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    Result.INVALID_VALUE,
    manual(
        "cuFuncSetAttribute",
        "The sum of this value and the function attribute CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES cannot exceed the device "
        "attribute CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    ),
    fix="set at most CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN less the static shared memory",
)
VALUE_IS_IN_RANGE = Rule(
    "a carveout is -1 to 100, a cluster dimension at least 0, a scheduling policy a CUclusterSchedulingPolicy",
    Result.INVALID_VALUE,
    observed(
        "cuFuncSetAttribute",
        "the driver answers INVALID_VALUE to a carveout outside -1 to 100, a negative cluster dimension and an "
        "unknown policy",
    ),
    fix="pass a value that is valid for the attribute",
)
CLUSTER_IS_OPEN = Rule(
    "if the kernel was compiled with a cluster size, a required cluster dimension is set only to the compiled size",
    Result.INVALID_VALUE,
    observed(
        "cuFuncSetAttribute",
        "an H200 answers INVALID_VALUE to a size other than the compiled size, although the manual says "
        "CUDA_ERROR_NOT_PERMITTED",
    ),
    fix="keep the compiled cluster size, or compile the kernel without one",
)


def registers_of_warp(entry: Entry) -> int:
    """Return the registers that a warp of a kernel takes."""
    return -(-entry.registers * WARP // UNIT) * UNIT


def threads_at_most(entry: Entry, device: Device) -> int:
    """Return the maximum threads of a block, by the kernel's compiler and registers."""
    attributes = device.profile.attributes
    most = entry.most or attributes[THREADS]
    taken = registers_of_warp(entry)
    return min(most, attributes[REGISTERS] // taken * WARP) if taken else most


def dynamic_at_most(entry: Entry, device: Device, value: int | None) -> int:
    """Return the maximum dynamic shared memory of a kernel: the set or default value."""
    return device.profile.attributes[SHARED] - entry.shared if value is None else value


@guard
def known(attribute: int) -> None:
    """Check that an attribute is a CUfunction_attribute."""
    if not 0 <= attribute <= POLICY:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)


def value_of(entry: Entry, device: Device, attribute: int, value: int | None) -> int:
    """Return an attribute of a kernel on a device.

    Args:
        entry: What its image tells of it.
        device: The device.
        attribute: CUfunction_attribute.
        value: The value that was set, or None.
    """
    if attribute == DYNAMIC:
        return dynamic_at_most(entry, device, value)
    width, height, depth = entry.cluster or (0, 0, 0)
    told = {
        ATTRIBUTE["MAX_THREADS_PER_BLOCK"]: threads_at_most(entry, device),
        ATTRIBUTE["SHARED_SIZE_BYTES"]: entry.shared,
        ATTRIBUTE["CONST_SIZE_BYTES"]: entry.constant,
        ATTRIBUTE["LOCAL_SIZE_BYTES"]: entry.local,
        ATTRIBUTE["NUM_REGS"]: entry.registers,
        ATTRIBUTE["PTX_VERSION"]: entry.ptx,
        ATTRIBUTE["BINARY_VERSION"]: entry.binary,
        CARVEOUT: -1,
        ATTRIBUTE["CLUSTER_SIZE_MUST_BE_SET"]: int(entry.clustered),
        WIDTH: width,
        HEIGHT: height,
        DEPTH: depth,
    }
    return told.get(attribute, 0) if value is None else value


@guard
def settable(entry: Entry, device: Device, attribute: int, value: int) -> int:
    """Return the new value of a kernel attribute; arguments as for :func:`value_of`."""
    if attribute not in {DYNAMIC, CARVEOUT, WIDTH, HEIGHT, DEPTH, WIDE_CLUSTERS, POLICY}:
        raise ATTRIBUTE_CAN_BE_SET.broken(attribute=attribute)
    if attribute == WIDE_CLUSTERS:
        return int(bool(value))
    if attribute == DYNAMIC:
        most = device.profile.attributes[SHARED_AT_MOST] - entry.shared
        if not 0 <= value <= most:
            raise SHARED_MEMORY_FITS.broken(value=value, most=most)
        return value
    low, high = {CARVEOUT: (-1, WHOLE), POLICY: (0, LAST_POLICY)}.get(attribute, (0, value))
    if not low <= value <= high:
        raise VALUE_IS_IN_RANGE.broken(attribute=attribute, value=value)
    if attribute in {WIDTH, HEIGHT, DEPTH} and entry.cluster and value != entry.cluster[attribute - WIDTH]:
        raise CLUSTER_IS_OPEN.broken(attribute=attribute, cluster=entry.cluster)
    return value


CACHE_IS_KNOWN = Rule(
    "the cache configuration is a CUfunc_cache",
    Result.INVALID_VALUE,
    observed("cuFuncSetCacheConfig", "the driver answers INVALID_VALUE to other numbers"),
    fix="pass a CUfunc_cache",
)
LAST_CACHE = max(ENUMS["CUfunc_cache"].values())


@guard
def cache(config: int) -> None:
    """Check that a cache preference is a CUfunc_cache."""
    if not 0 <= config <= LAST_CACHE:
        raise CACHE_IS_KNOWN.broken(config=config)
