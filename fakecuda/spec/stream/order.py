"""How calls without a stream are ordered with the work of streams: they act in the default stream of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.lifetime import default_stream
from fakecuda.model.memory import Placed
from fakecuda.model.stream import finish, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.context import Context
    from fakecuda.model.memory import Import, Registered
    from fakecuda.model.pool import Pooled
    from fakecuda.model.process import Thread
    from fakecuda.model.va import Mapping


def launch(call: Thread, context: Context, act: Callable[[], None]) -> None:
    """Have the default stream do something, as memsets and copies between devices do; the host does not wait for it."""
    machine = call.machine
    if machine.pending or machine.manual:
        submit(default_stream(context, call.default_stream, call.name), act)
    else:
        act()


def settle(call: Thread, context: Context) -> None:
    """Wait for all that the default stream does and waits for, as copies between host and device do."""
    if call.machine.pending:
        finish(context, default_stream(context, call.default_stream, call.name))


def settled(call: Thread, address: int) -> Placed | Registered | Import | Mapping | Pooled | None:
    """Return what is at an address, once the work of its context is done if it is memory that is given back that way."""
    memory = call.process.memory
    item = memory.at(address)
    if call.machine.pending and isinstance(item, Placed):
        finish(item.context)
        return memory.at(address)  # other threads' calls went on meanwhile
    return item
