"""Registrations of host memory in HIP, which may overlap.

The table of memory holds ranges that do not overlap. What was registered over others is a layer beside it, and enters the
table when nothing else is in its range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.effect import effect
from fakecuda.model.memory import memory_effects

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.memory import Registered
    from fakecuda.model.os.process import Process


@frozen(eq=False)
class Layer:
    """A range of host memory that was registered over another range.

    Attributes:
        start: Its first address.
        size: Bytes.
        context: The context that registered it, and with which it ends.
        flags: ``PORTABLE`` and ``DEVICE_MAP``.
        created: The stack that registered it.
    """

    start: int
    size: int
    context: Context
    flags: int
    created: Stack

    def __repr__(self) -> str:
        return f"memory {self.start:#x}+{self.size:#x}, registered over other memory"


def over(process: Process, address: int) -> Layer | None:
    """Return the layer at an address; the layer with the highest start wins, or None."""
    layers = process.runtimes.layers
    if not layers:  # nearly always
        return None
    there = [
        layer
        for layer in layers.values()
        if layer.start <= address < layer.start + layer.size and not layer.context.destroyed
    ]
    return max(there, key=lambda layer: layer.start, default=None)


@effect()
def lay(process: Process, layer: Layer) -> None:
    """Register a range over another range. The first layer at an address stays."""
    before = process.runtimes.layers.get(layer.start)
    if before is None or before.context.destroyed:
        process.runtimes.layers[layer.start] = layer


@effect()
def lift(process: Process, layer: Layer) -> None:
    """Unregister a range that was registered over another range."""
    del process.runtimes.layers[layer.start]


@effect(ends="item")
def unregister(process: Process, item: Registered, stack: Stack) -> None:
    """Unregister memory, and register layers whose ranges are now free."""
    memory_effects.free(process, item, stack)
    layers = process.runtimes.layers
    for start, layer in sorted(layers.items()):
        if layer.context.destroyed:
            del layers[start]
        elif process.memory.first(start, start + layer.size) is None:
            del layers[start]
            memory_effects.register(layer.context, start, layer.size, layer.flags, layer.created)
