"""cuLaunchKernel, cuLaunchCooperativeKernel: launch a kernel in a stream.

A test's Python function under ``@fakecuda.kernel`` does the work of the kernel.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model import context_effects
from fakecuda.model.code import module_effects
from fakecuda.model.code.kernels import Config
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.execution.arguments import ARGUMENTS_ARE_GIVEN, BUFFER_FITS, arguments, stored
from fakecuda.rules.driver.execution.attributes import DYNAMIC, WIDE_CLUSTERS, dynamic_at_most, threads_at_most
from fakecuda.rules.driver.execution.resources import MULTIPROCESSORS, blocks_held, of_function
from fakecuda.rules.driver.execution.submitted import submit
from fakecuda.rules.driver.library.handle import known_kernel_of
from fakecuda.rules.driver.library.module import own_module_in
from fakecuda.rules.driver.module.handle import FUNCTION_IS_GIVEN, used_function_of
from fakecuda.rules.driver.stream.handle import created_stream_of, stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry
    from fakecuda.model.code.kernels import Dim
    from fakecuda.model.code.module import Function
    from fakecuda.model.context import Context, Device
    from fakecuda.model.work.stream import Stream

ANY = (1, 1, 1)
"""A block shape that every kernel accepts."""
GRID, BLOCK = (5, 6, 7), (2, 3, 4)
"""CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X to _Z, and _MAX_BLOCK_DIM_X to _Z."""

STREAM_IS_THE_FUNCTION_S = Rule(
    "the stream belongs to the context of the function; a default stream belongs to the current context",
    Result.INVALID_HANDLE,
    observed("cuLaunchKernel", "the driver answers INVALID_HANDLE if stream and function belong to different contexts"),
    fix="launch in a stream of the context that the module was loaded into, or make that context current",
)
LAUNCHERS_ARE_NODES = Rule(
    "if the kernel calls cudaGraphLaunch in device code, it is launched as a node of a graph",
    Result.NOT_SUPPORTED,
    observed(
        "cuLaunchKernel",
        "the driver answers NOT_SUPPORTED to a kernel that calls cudaGraphLaunch, directly or through a function; a "
        "captured stream accepts the launch",
    ),
    fix="add the kernel to a graph with cuGraphAddKernelNode, or capture its launch, and launch that graph",
)
GRID_FITS = Rule(
    "each grid dimension is at least 1 and within the device's limit",
    Result.INVALID_VALUE,
    manual(
        "cuLaunchKernel",
        "Invokes the function CUfunction or the kernel CUkernel f on a gridDimX x gridDimY x gridDimZ grid of blocks",
    ),
    fix="launch at least one block, and at most CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X and so on in each dimension",
)
BLOCK_FITS = Rule(
    "each block dimension is at least 1, and the block is within the limits of the device and the kernel",
    Result.INVALID_VALUE,
    manual("cuLaunchKernel", "Each block contains blockDimX x blockDimY x blockDimZ threads"),
    fix="use a block with at most CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK threads",
)
BLOCK_IS_THE_COMPILED_ONE = Rule(
    "a kernel with a compiled block shape (.reqntid) is launched with that shape, or with one thread",
    Result.INVALID_VALUE,
    observed(
        "cuLaunchKernel",
        "the driver answers INVALID_VALUE to a block shape other than .reqntid, except a block of one thread",
    ),
    fix="use the block shape that the kernel was compiled for",
)
CLUSTER_FITS = Rule(
    "the grid is a multiple of the cluster, and the kernel allows this cluster size",
    Result.INVALID_CLUSTER_SIZE,
    observed(
        "cuLaunchKernelEx",
        "the driver answers INVALID_CLUSTER_SIZE to a cluster that does not divide the grid, has more than 8 blocks "
        "(16 if the kernel allows it), differs from the compiled cluster or from the required dimensions, or is missing "
        "although the kernel requires one or some of its dimensions",
    ),
    fix="use a grid that is a multiple of the cluster, and a cluster size that the kernel allows",
)
GRID_RUNS_AT_ONCE = Rule(
    "all blocks of a cooperative launch can run at the same time",
    Result.COOPERATIVE_LAUNCH_TOO_LARGE,
    manual(
        "cuLaunchCooperativeKernel",
        "The total number of blocks launched cannot exceed the maximum number of blocks per multiprocessor",
    ),
    fix="launch at most cuOccupancyMaxActiveBlocksPerMultiprocessor blocks times the number of multiprocessors",
)
SHARED_MEMORY_IS_THERE = Rule(
    "the dynamic shared memory is at most the function attribute MAX_DYNAMIC_SHARED_SIZE_BYTES of the kernel",
    Result.INVALID_VALUE,
    manual(
        "cuLaunchKernel",
        "sharedMemBytes sets the amount of dynamic shared memory that will be available to each thread block",
    ),
    fix="set CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES before the launch",
)


@guard
def launched_of(
    call: Call, handle: int, stream: int, fits: Callable[[Entry], None] | None = None
) -> tuple[Function, Stream]:
    """Return the function and the stream of a launch.

    A kernel runs in the stream's context, or else the current one; a function in its own.

    Args:
        call: The call.
        handle: A CUfunction, or a CUkernel.
        stream: The stream.
        fits: Checks the kernel of a library, before that is loaded.
    """
    context = entered(call, stream)
    if not handle:
        raise FUNCTION_IS_GIVEN.broken(function=handle)
    return running_in(call, handle, stream, context, fits)


@guard
def entered(call: Call, stream: int) -> Context | None:
    """Return the current context if the handle is a default stream; otherwise None."""
    require_initialized(call)
    return current(call) if stream <= PER_THREAD else None


@guard
def running_in(
    call: Call, handle: int, stream: int, context: Context | None, fits: Callable[[Entry], None] | None = None
) -> tuple[Function, Stream]:
    """Return the function and its stream; arguments as for :func:`launched_of`.

    Args:
        call: The call.
        handle: A CUfunction, or a CUkernel; not null.
        stream: The stream.
        context: What :func:`entered` has returned.
        fits: As for :func:`launched_of`.
    """
    if context is None:
        working = created_stream_of(call, stream, "cuLaunchKernel")
        context = working.context
    kernel = known_kernel_of(call, handle)
    if kernel is not None:
        if stream <= PER_THREAD:
            working = stream_of(call, stream, "cuLaunchKernel")
        if fits is not None:
            fits(kernel.entry)
        return module_effects.function_of(own_module_in(call, kernel.library, context), kernel.entry), working
    function = used_function_of(call, handle)
    own = function.module.context
    if stream <= PER_THREAD:
        working = context_effects.default_stream(own, stream or call.default_stream, call.thread.name)
    if context is not own:
        raise STREAM_IS_THE_FUNCTION_S.broken(function=function, context=context)
    return function, working


@guard
def launched_by_itself(call: Call, handle: int, stream: int) -> tuple[Function, Stream]:
    """Return the function and the stream of a launch outside of graphs."""
    function, working = launched_of(call, handle, stream, _alone)
    _alone(function.entry)
    return function, working


@guard
def _alone(entry: Entry) -> None:
    """Check that a kernel can be launched outside of a graph."""
    if entry.launches:
        raise LAUNCHERS_ARE_NODES.broken(kernel=entry.name)


@guard
def shaped(function: Function, config: Config) -> None:
    """Check the dimensions of a launch."""
    entry, device = function.entry, function.module.context.device
    has = device.profile.attributes
    if not within(config.grid, device, GRID):
        raise GRID_FITS.broken(grid=config.grid, most=[has[one] for one in GRID])
    x, y, z = config.block
    if not within(config.block, device, BLOCK) or x * y * z > threads_at_most(entry, device):
        raise BLOCK_FITS.broken(block=config.block, most=threads_at_most(entry, device))
    if entry.block is not None and config.block not in {entry.block, ANY}:
        raise BLOCK_IS_THE_COMPILED_ONE.broken(block=config.block, compiled=entry.block)


@guard
def roomy(function: Function, config: Config) -> None:
    """Check the dynamic shared memory size of a launch."""
    most = dynamic_at_most(function.entry, function.module.context.device, function.attribute(DYNAMIC))
    if config.shared > most:
        raise SHARED_MEMORY_IS_THERE.broken(shared=config.shared, most=most)


def within(sizes: Dim, device: Device, limits: Dim) -> bool:
    """Return whether each size is at least 1, and at most the attribute of a device that limits it."""
    has, (x, y, z), (wide, high, deep) = device.profile.attributes, sizes, limits
    return 0 < x <= has[wide] and 0 < y <= has[high] and 0 < z <= has[deep]


PORTABLE, WIDE = 8, 16
"""The maximum blocks of a cluster: portable, and non-portable."""
PORTABLE_SIZE, ANY_SIZE = 1, 2
"""CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE and _ALLOW_NON_PORTABLE."""
HAS_CLUSTERS = 120
"""CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH."""


LOADED = (GRID_FITS, BLOCK_FITS, BLOCK_IS_THE_COMPILED_ONE, CLUSTER_FITS, ARGUMENTS_ARE_GIVEN, BUFFER_FITS)
"""Rules of all launches that are checked when the first launch of a library's kernel has loaded the library."""
LOADED_ALONE = (*LOADED, SHARED_MEMORY_IS_THERE)
"""The rules of :data:`LOADED` for cuLaunchKernel."""
LOADED_AT_ONCE = (*LOADED, GRID_RUNS_AT_ONCE, SHARED_MEMORY_IS_THERE)
"""The rules of :data:`LOADED` for cuLaunchCooperativeKernel."""


@guard
def cluster_of(function: Function, cluster: Dim | None, mode: int = 0) -> Dim | None:
    """Return the cluster of a launch: the requested one, or the compiled one. None if the launch has no cluster.

    Args:
        function: The function.
        cluster: The requested cluster, or None.
        mode: Its CUlaunchAttributePortableClusterMode.
    """
    entry = function.entry
    if cluster is None and entry.clustered:
        raise CLUSTER_FITS.broken(cluster=cluster)
    required = function.required
    used = function.cluster(cluster)
    if used is None:
        return None
    most = most_of_cluster(function, mode)
    compiled = entry.cluster is None or used == entry.cluster
    if required is not None and any(one not in {0, side} for one, side in zip(required, used, strict=True)):
        raise CLUSTER_FITS.broken(cluster=used, required=required)
    if not compiled or not 0 < used[0] * used[1] * used[2] <= most:
        raise CLUSTER_FITS.broken(cluster=used, most=most)
    return used


def most_of_cluster(function: Function, mode: int = 0) -> int:
    """Return the maximum blocks of a function's cluster; see :func:`cluster_of`."""
    if not function.module.context.device.profile.attributes.get(HAS_CLUSTERS):
        return 1
    wide = mode == ANY_SIZE or (mode != PORTABLE_SIZE and function.attribute(WIDE_CLUSTERS))
    return function.entry.rank or (WIDE if wide else PORTABLE)


@guard
def clustered(function: Function, config: Config, cluster: Dim | None, mode: int = 0) -> Dim | None:
    """Check that the grid is a multiple of the cluster, and return the cluster; arguments as for :func:`cluster_of`."""
    used = cluster_of(function, cluster, mode)
    if used is not None and any(a % b for a, b in zip(config.grid, used, strict=True)):
        raise CLUSTER_FITS.broken(cluster=used, grid=config.grid)
    return used


@guard
def at_once(function: Function, config: Config) -> None:
    """Check that all blocks of a cooperative launch fit on the device at once."""
    x, y, z = config.grid
    threads = config.block[0] * config.block[1] * config.block[2]
    device = function.module.context.device
    held = blocks_held(function.entry, device, partial(of_function, function), threads, config.shared)
    most = held * device.profile.attributes[MULTIPROCESSORS]
    if x * y * z > most:
        raise GRID_RUNS_AT_ONCE.broken(blocks=x * y * z, most=most)
    roomy(function, config)


@guard
def prepared(
    call: Call, function: Function, config: Config, params: int, extra: int, *, node: bool = False
) -> tuple[bytes, ...]:
    """Check the dimensions and resources of a launch, or of a graph node, and return its arguments."""
    shaped(function, config)
    args = (stored if node else arguments)(call, function.entry, params, extra)
    clustered(function, config, None)
    roomy(function, config)
    return args


@guard
def prepared_at_once(call: Call, function: Function, config: Config, params: int) -> tuple[bytes, ...]:
    """Check a cooperative launch, and return its arguments."""
    shaped(function, config)
    args = arguments(call, function.entry, params, 0)
    clustered(function, config, None)
    at_once(function, config)
    return args


@DRIVER.op("cuLaunchKernel", acts_before=LOADED_ALONE)
def launch_kernel(
    call: Call,
    f: int,
    grid_x: int,
    grid_y: int,
    grid_z: int,
    block_x: int,
    block_y: int,
    block_z: int,
    shared: int,
    stream: int,
    params: int,
    extra: int,
) -> None:
    """Have a stream run a kernel.

    Args:
        call: The call.
        f: A CUfunction, or a CUkernel.
        grid_x: Blocks of the grid; grid_y and grid_z are the other dimensions.
        grid_y: See above.
        grid_z: See above.
        block_x: Threads of a block; block_y and block_z are the other dimensions.
        block_y: See above.
        block_z: See above.
        shared: Bytes of dynamic shared memory of a block.
        stream: The stream.
        params: The address of an array of pointers, one for each parameter; 0 for none.
        extra: The address of names and values that tell of a buffer with all of them; 0 for none.
    """
    # CHECK
    function, working = launched_by_itself(call, f, stream)
    config = Config((grid_x, grid_y, grid_z), (block_x, block_y, block_z), shared)
    args = prepared(call, function, config, params, extra)
    # EFFECT
    submit(call, function, config, args, working)


@DRIVER.op("cuLaunchCooperativeKernel", acts_before=LOADED_AT_ONCE)
def launch_cooperative_kernel(
    call: Call,
    f: int,
    grid_x: int,
    grid_y: int,
    grid_z: int,
    block_x: int,
    block_y: int,
    block_z: int,
    shared: int,
    stream: int,
    params: int,
) -> None:
    """Have a stream run a cooperative kernel; arguments as for cuLaunchKernel."""
    # CHECK
    function, working = launched_by_itself(call, f, stream)
    config = Config((grid_x, grid_y, grid_z), (block_x, block_y, block_z), shared)
    args = prepared_at_once(call, function, config, params)
    # EFFECT
    submit(call, function, config._replace(cooperative=True), args, working)
