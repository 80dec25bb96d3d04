"""Kernels as Python functions, which act on memory as a grid of threads would.

A function reads and writes through the arrays that it is passed. Its writes are kept apart until it has returned. So
all of its accesses are known before any memory changes.
"""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from attrs import frozen

from fakecuda.errors import FakeCudaError, KernelError, KernelNotDefined
from fakecuda.model.code.kernel_arrays import Array
from fakecuda.model.code.kernel_run import Run, Stray
from fakecuda.modes import RUN, SKIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry
    from fakecuda.model.code.module import Function
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.machine import Machine

TYPES = {
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
    "f16": "e",
    "f32": "f",
    "f64": "d",
    "bool": "?",
}
"""Type names, with their codes for :mod:`struct`."""
BYTES, POINTER = "bytes", "*"
_RUNNING = threading.local()
"""The kernels that a thread runs, innermost last."""

Dim = tuple[int, int, int]


class Config(NamedTuple):
    """The launch configuration of a kernel.

    Attributes:
        grid: Blocks in each dimension.
        block: Threads of a block in each dimension.
        shared: Bytes of dynamic shared memory of a block.
        cooperative: Whether all blocks run at once, so that they can wait for each other.
        cluster: The blocks of a cluster in each dimension. None if the launch has no clusters.
    """

    grid: Dim
    block: Dim
    shared: int = 0
    cooperative: bool = False
    cluster: Dim | None = None


@frozen
class Meaning:
    """The Python function of a kernel.

    Attributes:
        name: The kernel's name in its image.
        types: The types of its parameters.
        function: The function. Its arguments are the grid, the block and the kernel's arguments.
    """

    name: str
    types: tuple[str, ...]
    function: Callable[..., object]


MEANINGS: dict[str, Meaning] = {}
"""The Python functions of kernels by name."""


def kernel(name: str, *types: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Define what a kernel does by a Python function: use this as a decorator.

    The function is called when a stream executes a launch. It gets the grid and the block, three numbers each, and the
    arguments: a number for a scalar, an :class:`Array` for a pointer. It must not call the driver.

    Args:
        name: The kernel's name in its image, as ``cuModuleGetFunction`` takes it.
        types: The type of each parameter: ``i8`` to ``i64``, ``u8`` to ``u64``, ``f16``, ``f32``, ``f64`` or ``bool``.
            With a star after it, it is a pointer to values of the type. ``bytes`` is for anything else, such as a
            struct.

    Raises:
        FakeCudaError: A type is not one of these.
    """
    for type_ in types:
        if type_ != BYTES and type_.removesuffix(POINTER) not in TYPES:
            msg = (
                f"{type_!r} is not a parameter type of @fakecuda.kernel: use {', '.join(TYPES)}, one of these with a "
                "star for a pointer, or 'bytes' for a struct"
            )
            raise FakeCudaError(msg)

    def give(function: Callable[..., Any]) -> Callable[..., Any]:
        MEANINGS[name] = Meaning(name, types, function)
        return function

    return give


def meaning_of(entry: Entry) -> Meaning:
    """Return the Python function of a kernel, with its types.

    Raises:
        KernelNotDefined: The kernel has no Python function.
        FakeCudaError: The function's types do not fit the kernel's parameters.
    """
    meaning = MEANINGS.get(entry.name)
    if meaning is None:
        types = "".join(', "f32*"' if size == struct.calcsize("P") else ', "i32"' for _, size in entry.params)
        msg = (
            f"kernel {entry.name} has no Python function, and this machine runs no device code: write a Python "
            f'function with the decorator @fakecuda.kernel("{entry.name}"{types}), with the types of its parameters. Or run its '
            f'PTX by kernels="{RUN}". If the test does not need what the kernel computes, skip launches like this one by '
            f'kernels="{SKIP}"'
        )
        raise KernelNotDefined(msg)
    sizes = [size for _, size in entry.params]
    declared = [size_of(type_) for type_ in meaning.types]
    if len(sizes) != len(declared) or any(one not in {None, size} for one, size in zip(declared, sizes, strict=True)):
        msg = (
            f"kernel {entry.name} has parameters of {sizes} bytes, but @fakecuda.kernel declares the types "
            f"{list(meaning.types)}: declare one type of the right size for each parameter"
        )
        raise FakeCudaError(msg)
    return meaning


def is_skipped(entry: Entry, machine: Machine) -> bool:
    """Return whether a machine skips launches of a kernel, which has no Python function."""
    return machine.kernels == SKIP and entry.name not in MEANINGS


def size_of(type_: str) -> int | None:
    """Return the size in bytes of a parameter type.

    None for ``bytes``, which has any size.
    """
    if type_ == BYTES:
        return None
    return struct.calcsize("P") if type_.endswith(POINTER) else struct.calcsize(TYPES[type_])


class Runner(Protocol):
    """The runner of kernels from PTX: :class:`fakecuda.kernels.launch.Runner`."""

    def prepare(self, function: Function) -> object:
        """Check that a kernel can run."""

    def run(
        self, function: Function, config: Config, args: tuple[bytes, ...], graph: GraphRun | None, call: Call | None
    ) -> Run:
        """Run a kernel without writing to memory yet."""


def require_meaning(function: Function) -> None:
    """Check that a kernel has a Python function, can run its PTX, or is skipped.

    Raises:
        KernelNotDefined: It has neither.
        FakeCudaError: As :func:`meaning_of`.
    """
    entry, machine = function.entry, function.module.context.process.machine
    if entry.name in MEANINGS or machine.ptx is None:
        if not is_skipped(entry, machine):
            meaning_of(entry)
    else:
        machine.ptx.prepare(function)


def run(
    function: Function,
    config: Config,
    args: tuple[bytes, ...],
    graph: GraphRun | None = None,
    call: Call | None = None,
) -> Run:
    """Run a kernel's Python function, or its PTX, without writing to memory yet.

    Args:
        function: The kernel.
        config: How it is launched.
        args: The bytes of each parameter.
        graph: The graph run that the kernel is part of. None for a kernel that was launched by itself.
        call: The call that launches it, if it has had no effect yet. None otherwise.

    Raises:
        KernelNotDefined: The kernel has no Python function, and its PTX does not run.
        FakeCudaError: The function's types do not fit the kernel's parameters.
        RetryCall: Other calls were made while it ran.
    """
    runner = function.module.context.process.machine.ptx
    if runner is not None and function.entry.name not in MEANINGS:
        return runner.run(function, config, args, graph, call)
    meaning = meaning_of(function.entry)
    made = Run(function.module.context, graph)
    handed: list[object] = []
    for type_, data in zip(meaning.types, args, strict=True):
        if type_ == BYTES:
            handed.append(data)
        elif type_.endswith(POINTER):
            handed.append(Array(made, int.from_bytes(data, "little"), TYPES[type_.removesuffix(POINTER)]))
        else:
            handed.append(struct.unpack(f"<{TYPES[type_]}", data)[0])
    runs = _RUNNING.__dict__.setdefault("runs", [])
    runs.append(made)
    try:
        meaning.function(config.grid, config.block, *handed)
    except Stray:
        made.fault = Result.ILLEGAL_ADDRESS
    finally:
        runs.pop()
    return made


def running(caller: str) -> Run:
    """Return the run of the kernel whose function this thread executes.

    Raises:
        KernelError: This thread executes no kernel's function.
    """
    runs: list[Run] | None = _RUNNING.__dict__.get("runs")
    if not runs:
        msg = f"{caller}() was called outside a kernel: call it in a kernel's Python function that a stream runs"
        raise KernelError(msg)
    return runs[-1]


def set_condition(handle: int, value: int) -> None:
    """Set a condition of a graph from a kernel, as ``cudaGraphSetConditional`` does.

    Call this in a kernel's function.

    Args:
        handle: The handle from ``cuGraphConditionalHandleCreate``, which the kernel gets as an argument.
        value: The value, which later conditional nodes read.

    Raises:
        KernelError: This thread runs no kernel, or the kernel's graph has no such condition in the kernel's context.
    """
    msg = running("set_condition").set_condition(handle, value)
    if msg:
        raise KernelError(msg)
