"""Launches that a machine skips, because their kernels have no Python functions.

Such a kernel may write the memory that a parameter of 8 bytes points to, and the variables of its module. What it points
to may span mappings: those that adjoin behind the first one count. A larger parameter is a struct of unknown layout: the
kernel may then write all memory that its context can write. What it would have set or written is unknown afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code.code import CONSTANT
from fakecuda.model.code.kernel_run import reaches
from fakecuda.model.code.module import Module
from fakecuda.model.effect import effect
from fakecuda.model.memory.space import WRITE
from fakecuda.model.memory.unknown import Skipped, UnknownBytes
from fakecuda.model.memory.va import Mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.model.code.module import Function
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.memory import Variable
    from fakecuda.model.work.stream import Memory, Stream

POINTER = 8
"""The size of a pointer, and of a conditional handle."""


@effect(beside="a launch is skipped")
def begin(function: Function, stream: Stream, stack: Stack) -> Skipped:
    """Count a launch that a stream is to skip, and return it.

    Args:
        function: The kernel.
        stream: The stream.
        stack: The stack that launches it.
    """
    machine, name = stream.context.process.machine, function.entry.name
    machine.skipped[name] = machine.skipped.get(name, 0) + 1
    if machine.strict and machine.unknown is None:
        machine.unknown = UnknownBytes(machine.managed)
    return Skipped(name, stream, created=stack)


@effect()
def skip(launch: Skipped, function: Function, args: tuple[bytes, ...], graph: GraphRun | None) -> None:
    """Skip a launch that its stream has reached; mark what it may have written.

    Args:
        launch: The launch.
        function: The kernel.
        args: The bytes of each parameter.
        graph: The graph run that the launch is part of. None for a launch by itself.
    """
    machine = function.module.context.process.machine
    machine.clock.launched()
    values = [int.from_bytes(data, "little") for data in args if len(data) == POINTER]
    for condition in [] if graph is None else map(graph.conditions.get, values):
        if condition is not None:
            condition.assign(None)
    if machine.unknown is not None:
        named = _named(function, values, whole=any(len(data) > POINTER for data in args))
        machine.unknown.mark([(item.extent, item.start - item.origin, item.size) for item in named], launch)


def _named(function: Function, values: Iterable[int], *, whole: bool) -> Iterator[Memory]:
    """Yield the memory that a kernel may write, by its arguments.

    Args:
        function: The kernel.
        values: What its pointers may be.
        whole: Whether it may write all that its context can write.
    """
    context = function.module.context
    memory, constants = context.process.memory, set(_constants(function))
    found = dict.fromkeys(memory if whole else ())
    for value in values:
        item = memory.at(value)
        while item is not None and item not in found:
            found[item] = None
            behind = memory.at(item.end) if isinstance(item, Mapping) else None
            item = behind if isinstance(behind, Mapping) else None
    for item in found | dict.fromkeys(function.module.variables.values()):
        if item not in constants and reaches(context, item, WRITE):
            yield item


def _constants(function: Function) -> Iterator[Variable]:
    """Yield the variables of a process that no kernel can write."""
    for module in function.module.context.process.loaded.values():
        if isinstance(module, Module):
            for name, variable in module.variables.items():
                if module.image.variables[name].kind == CONSTANT:
                    yield variable
