"""How calls without a stream are ordered with the work of streams: they act in the default stream of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.backing import DeviceMemory
from fakecuda.model.lifetime import default_stream
from fakecuda.model.memory import Placed, Registered
from fakecuda.model.stream import finish, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.context import Context
    from fakecuda.model.memory import Import
    from fakecuda.model.process import Thread
    from fakecuda.model.va import Mapping
    from fakecuda.spec.copy.range import Piece


def launch(call: Thread, context: Context, act: Callable[[], None], *places: list[Piece]) -> None:
    """Have the default stream do something, as memsets and copies do.

    Args:
        call: The calling thread.
        context: The context.
        act: Does it.
        places: The memory that it touches. The host waits where some is the host's: a memset or copy that touches no
            more than devices is under way when the call returns.
    """
    machine = call.machine
    if not (machine.pending or machine.manual):
        act()
    elif all(isinstance(extent.memory, DeviceMemory) for place in places for extent, _, _ in place):
        submit(default_stream(context, call.default_stream, call.name), act)
    else:
        settle(call, context)
        act()


def settle(call: Thread, context: Context) -> None:
    """Wait for all that the default stream does and waits for."""
    if call.machine.pending:
        finish(context, default_stream(context, call.default_stream, call.name))


def settled(call: Thread, address: int) -> Placed | Registered | Import | Mapping | None:
    """Return what is at an address, once the work of its context is done if it is memory that is given back that way.

    Args:
        call: The calling thread.
        address: The address.
    """
    memory = call.process.memory
    item = memory.at(address)
    if call.machine.pending and isinstance(item, Placed | Registered):
        finish(item.context)
        return memory.at(address)  # other threads' calls went on meanwhile
    return item
