"""Hooks with several setters, which wrap each other in a fixed order.

A hook is an attribute that another module sets, so that something else happens there. ``docs/architecture.md`` lists all of them.
Most have one setter, which assigns. Where several compete, each puts a layer around the attribute's own value here, and takes
that layer away later. The attribute holds the outermost layer, so that reading it costs what it costs without layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.machine import Machine

WATCH, TURNS, TORN = "watch", "turns", "torn"
GUARD, COUNT, ASK = "guard", "count", "ask"


@frozen
class Layered:
    """An attribute of a machine that holds its own value, or layers around it.

    Attributes:
        name: The attribute.
        order: The kinds of layers, the innermost first. Layers of one kind nest in the order in which they came.
    """

    name: str
    order: tuple[str, ...]

    def own(self, machine: Machine) -> Any:
        """Return the attribute's value without layers."""
        own, _ = machine.layers.get(self.name, (getattr(machine, self.name), ()))
        return own

    def put(self, machine: Machine, kind: str, around: Callable[[Any], Any]) -> Callable[[], None]:
        """Put a layer around the attribute's value.

        Args:
            machine: The machine.
            kind: A kind in ``order``.
            around: Returns the layer for what is inside of it. It is called again when a layer inside comes or goes.

        Returns:
            A function that takes the layer away. The other layers stay. A second call does nothing.
        """
        with machine.lock:
            own, layers = machine.layers.setdefault(self.name, (self.own(machine), []))
            layer = self.order.index(kind), around
            layers.append(layer)
            layers.sort(key=lambda one: one[0])
            self._build(machine, own, layers)

        def take() -> None:
            with machine.lock:
                left = [one for one in layers if one is not layer]
                if len(left) < len(layers):  # else the attribute may have another value by now
                    layers[:] = left
                    self._build(machine, own, layers)

        return take

    def _build(self, machine: Machine, own: Any, layers: list[tuple[int, Callable[[Any], Any]]]) -> None:
        value = own
        for _, around in layers:
            value = around(value)
        setattr(machine, self.name, value)

    def renew(self, machine: Machine, own: Any) -> None:
        """Replace the attribute's own value and drop all layers, in a fork."""
        _, layers = machine.layers.pop(self.name, (None, []))
        layers.clear()
        setattr(machine, self.name, own)


LOCK = Layered("lock", (WATCH, TURNS, TORN))
"""A machine's lock. A call waits for its turn before it ends the dead; a torn machine refuses it before both."""
RECORD = Layered("record", (GUARD, COUNT, ASK))
"""What writes the record of a call. A fault is asked first: a call that it refuses is counted as refused."""
