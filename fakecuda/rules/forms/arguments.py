"""Older versions of functions that act like the newest version, some with other arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.call import NO_NULLS
from fakecuda.model.code import linking
from fakecuda.model.memory.memory_effects import DEVICE_MAP, PORTABLE
from fakecuda.rules.core import Broken, Rule, manual
from fakecuda.rules.driver.context.ctx_create import ctx_create
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.memcpy_batch_async import STREAM_IS_NOT_LEGACY, memcpy_batch_async
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.core.get_proc_address import get_proc_address
from fakecuda.rules.driver.device.device_get_uuid import device_get_uuid
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.event.event_elapsed_time import event_elapsed_time
from fakecuda.rules.driver.linker.link_add import LOGGED, data_given, file_given
from fakecuda.rules.driver.linker.link_create import created, entered
from fakecuda.rules.driver.memory.mem_host_register import mem_host_register
from fakecuda.rules.driver.module.module_load import known, options_of
from fakecuda.rules.driver.unified.managed import RANGE_IS_NOT_EMPTY
from fakecuda.rules.driver.unified.mem_advise import ADVICE, ADVICE_IS_KNOWN, LOCATED, mem_advise
from fakecuda.rules.driver.unified.mem_prefetch_async import mem_prefetch_async
from fakecuda.rules.driver.va.properties import DEVICE, HOST
from fakecuda.rules.forwarding import forward
from fakecuda.rules.registry import FORMS
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.copy.memcpy_batch_async import Attributes, Integers
    from fakecuda.rules.driver.linker.link_add import Options

CPU = -1
"""CU_DEVICE_CPU, the device number that stands for the host."""
OPTIONS = PORTABLE | DEVICE_MAP
"""The registration flags of CUDA 4.0."""
NO_COPY = 2**64 - 1
"""SIZE_MAX, the failure index of a batch without a failing copy."""

FUNCTION_IS_FOUND = Rule(
    "a symbol of the driver suits `symbol`, `cudaVersion` and `flags`",
    Result.NOT_FOUND,
    manual("cuGetProcAddress", "CUDA_ERROR_NOT_FOUND"),
    fix="pass a name of the manual, and the CUDA version that the program was written for",
)


@FORMS.op("cuCtxCreate_v2")
def ctx_create_v2(call: Call, flags: int, dev: int) -> int:
    """Create a context and push it, without CUctxCreateParams.

    Args:
        call: The call.
        flags: CUctx_flags.
        dev: The device.
    """
    return ctx_create(call, None, flags, dev)


@FORMS.op("cuCtxCreate_v3")
def ctx_create_v3(call: Call, params: int, count: int, flags: int, dev: int) -> int:
    """Create a context and push it, with an array of CUexecAffinityParam.

    Args:
        call: The call.
        params: The array's address; only whether it is null matters.
        count: How many parameters; none if it is 0 or less.
        flags: CUctx_flags.
        dev: The device.
    """
    return ctx_create(call, (params, count, 0), flags, dev)


forward(FORMS, __name__, "cuDeviceGetUuid_v1", device_get_uuid)
forward(FORMS, __name__, "cuEventElapsedTime_v1", event_elapsed_time)


@FORMS.op("cuLinkAddData_v1", acts_before=LOGGED)
def link_add_data_v1(
    call: Call,
    state: int,
    kind: int,
    data: bytes | None,
    size: int,
    name: bytes | None,
    count: int,
    options: Options,
    values: Options,
) -> None:
    """Give a linker an input; arguments as for cuLinkAddData. CU_JIT_FALLBACK_STRATEGY is taken with a fatbin."""
    # CHECK
    linker, made = data_given(call, state, kind, data, size, name, (options, values, count), older=True)
    # EFFECT
    linking.take_in(linker, made)


@FORMS.op("cuLinkAddFile_v1", acts_before=LOGGED)
def link_add_file_v1(
    call: Call, state: int, kind: int, path: bytes | None, count: int, options: Options, values: Options
) -> None:
    """Give a linker the content of a file; arguments as for cuLinkAddFile, and options as for cuLinkAddData_v1."""
    # CHECK
    linker, made = file_given(call, state, kind, path, (options, values, count), older=True)
    # EFFECT
    linking.take_in(linker, made)


@FORMS.op("cuLinkCreate_v1")
def link_create_v1(call: Call, count: int, options: tuple[int, ...] | None, values: tuple[int, ...] | None) -> int:
    """Return a new linker; arguments as for cuLinkCreate. CU_JIT_FALLBACK_STRATEGY is accepted with any value."""
    # CHECK
    context = entered(call)
    known(call, options, values, count)
    # EFFECT
    return created(call, context, options_of(options, values, count))


@FORMS.op("cuMemAdvise_v1")
def mem_advise_v1(call: Call, dev_ptr: int, count: int, advice: int, device: int) -> None:
    """Advise how a range of memory will be used.

    Args:
        call: The call.
        dev_ptr: The range's start.
        count: Its bytes.
        advice: CUmem_advise.
        device: A device, or CU_DEVICE_CPU.
    """
    current(call)
    if advice not in ADVICE.values():
        raise ADVICE_IS_KNOWN.broken(advice=advice)
    if not count or not dev_ptr:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    if advice in LOCATED and device != CPU:
        device_of(call, device)
    mem_advise(call, dev_ptr, count, advice, _location(device))


@FORMS.op("cuMemPrefetchAsync_v1", several="what is asked for counts at once, the stream's work takes its time")
def mem_prefetch_async_v1(call: Call, dev_ptr: int, count: int, device: int, stream: int) -> None:
    """Have a stream prefetch a range of memory.

    Args:
        call: The call.
        dev_ptr: The range's start.
        count: Its bytes.
        device: The target: a device, or CU_DEVICE_CPU.
        stream: The stream.
    """
    mem_prefetch_async(call, dev_ptr, count, _location(device), 0, stream)


@FORMS.op("cuMemHostRegister_v1")
def mem_host_register_v1(call: Call, p: int, bytesize: int, flags: int) -> None:
    """Register host memory; ignore flags that CUDA 4.0 did not have.

    Args:
        call: The call.
        p: The memory's address.
        bytesize: Bytes.
        flags: CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP.
    """
    mem_host_register(call, p, bytesize, flags & OPTIONS)


@FORMS.op(
    "cuMemcpyBatchAsync_v1",
    acts_before=(MAPPINGS_SHARE_A_DEVICE,),
    several="its copies are so many works of the stream",
)
def memcpy_batch_async_v1(
    call: Call,
    dsts: Integers | None,
    srcs: Integers | None,
    sizes: Integers | None,
    count: int,
    attrs: tuple[Attributes, ...] | None,
    indices: Integers | None,
    attr_count: int,
    stream: int,
) -> int:
    """Have a stream make several copies.

    Args:
        call: The call.
        dsts: Addresses of the targets, of devices or of the host.
        srcs: Addresses of the sources.
        sizes: Bytes of each copy.
        count: How many copies.
        attrs: CUmemcpyAttributes.
        indices: The first copy that each of them belongs to.
        attr_count: How many attributes.
        stream: The stream.

    Returns:
        SIZE_MAX; a failure tells the index of the copy that is at fault, or SIZE_MAX.
    """
    try:
        memcpy_batch_async(call.without(NO_NULLS), dsts, srcs, sizes, count, attrs, indices, attr_count, stream)
    except Broken as broken:
        if broken.rule is STREAM_IS_NOT_LEGACY:
            raise
        raise broken.telling(broken.facts.get("copy", NO_COPY))  # noqa: B904 - it is the same
    return NO_COPY


@FORMS.op("cuGetProcAddress_v1")
def get_proc_address_v1(call: Call, symbol: bytes | None, cuda_version: int, flags: int) -> int:
    """Return a driver function's address.

    Args:
        call: The call.
        symbol: The function's name in the manual.
        cuda_version: 1000 * major + 10 * minor.
        flags: CUdriverProcAddress_flags.
    """
    address, _ = get_proc_address(call, symbol, cuda_version, flags)
    if not address:
        raise FUNCTION_IS_FOUND.broken(symbol=symbol, version=cuda_version)
    return address


def _location(device: int) -> tuple[int, int]:
    """Return the CUmemLocation of a device, or of the host for CU_DEVICE_CPU."""
    return (HOST, 0) if device == CPU else (DEVICE, device)
