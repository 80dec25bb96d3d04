"""The memory that graph nodes will find, including allocations of other nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph_memory import GraphMemory
    from fakecuda.model.os.process import Process


class _Process:
    """A process as graph nodes will find its memory.

    Args:
        process: The process.
        state: The memory of its graphs.
        known: Whether the nodes are in their graphs already: they find memory also that its own graph frees.
    """

    def __init__(self, process: Process, state: GraphMemory, *, known: bool) -> None:
        self._process, self._state, self._known = process, state, known
        self.memory = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def at(self, address: int) -> Any:
        """Return the memory at an address, including memory that a graph will allocate."""
        planned = self._state.planned.at(address)
        if planned is not None and (self._known or planned.is_nameable):
            return self._process.memory.at(address) or planned.foreseen()
        return self._process.memory.at(address)


class _Call:
    """A call in a process as graph nodes will find its memory.

    Args:
        call: The call.
        state: The memory of its process's graphs.
        known: Whether the nodes are in their graphs already.
    """

    def __init__(self, call: Call, state: GraphMemory, *, known: bool) -> None:
        self._call, self.process = call, _Process(call.process, state, known=known)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)


def foreseeing(call: Call, *, known: bool = False) -> Call:
    """Return a call that finds memory as graph nodes will.

    The call itself if the process has no graph memory.

    Args:
        call: The call.
        known: Whether the nodes are in their graphs already. New ones find no memory that its own graph frees.
    """
    state = call.process.graph_memory
    return call if state is None else cast("Call", _Call(call, state, known=known))
