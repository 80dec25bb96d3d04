"""Arguments of any call, drawn by what its parameters are: mostly legal ones, often one that is a step from legal.

The legal and the illegal values of a parameter stand in a table by its call and name, else by its C type. What a
process holds (contexts, events, addresses) comes from the names that the program has given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from conformance.fuzz.choices import (
    BY_TYPE,
    CHOICES,
    DEFAULT_STREAMS,
    KEEPS_DEAD_CONTEXTS,
    NOWHERE,
    POOLED,
    RANGES,
    TRUSTED,
)
from conformance.fuzz.runtime_choices import BY_CALL, BY_NAME, COPIES, FREES
from conformance.kit.names import ADDRESSES, kind_of
from fakecuda.model.memory.memory import Allocation, Managed
from fakecuda.model.memory.pool import Pooled
from fakecuda.rules.registry import RUNTIME, api_of
from fakecuda.spec.both import CALLS, ENUMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.kit.names import Name
    from conformance.kit.program import Recorder
    from fakecuda.simulated.machine import Machine
    from fakecuda.spec.description import Param

SAFE_DEAD = {
    "cuMemFree": "a freed pointer",
    "cuMemGetAddressRange": "a freed pointer",
    "cuPointerGetAttribute": "a freed pointer",
    "cuIpcGetMemHandle": "a freed pointer",
    "cuIpcCloseMemHandle": "a closed or foreign pointer",
    "cuMemAddressFree": "a freed reservation",
    "cuMemMap": "a freed reservation; never a released handle",
    "cuMemUnmap": "an unmapped range",
    "cuMemGetAccess": "an unmapped address",
    "cuMemRetainAllocationHandle": "an unmapped address",
}
"""Calls that check an address which names nothing any more, and what is passed to them.

Contexts and allocation handles are never passed dead: the driver follows the pointer.
"""


class Arguments:
    """Draws arguments from what the processes of a model hold.

    Attributes:
        machine: The model's machine.
        model: The recorder of the program on it.
        trusted: More calls that take an address which is none of a device's for one of the host.
    """

    machine: Machine
    model: Recorder
    trusted: ClassVar[frozenset[str]] = frozenset()

    def dead(self, process: str) -> Sequence[int]:
        """Return addresses that name nothing any more in a process."""
        raise NotImplementedError

    def arguments(self, process: str, call: str, draws: list[int], wrong: int) -> tuple[Any, ...] | None:
        """Return arguments of a call, or None where the process holds nothing that it could be given.

        Args:
            process: The calling process.
            call: The call.
            draws: A number for each parameter: which of its values.
            wrong: The parameter that gets an illegal value; one that there is not leaves all of them legal.
        """
        values = []
        for index, (param, draw) in enumerate(zip(CALLS[call].inputs, draws, strict=False)):
            legal, illegal = self._choices(process, call, param)
            chosen = illegal if index == wrong else legal
            if not chosen:
                return None
            values.append(chosen[draw % len(chosen)])
        return tuple(values)

    def _choices(self, process: str, call: str, param: Param) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return the legal and the illegal values of a parameter."""
        if (call, param.name) in CHOICES:
            return CHOICES[call, param.name]
        if param.type in BY_TYPE:
            return BY_TYPE[param.type]
        if param.type in ENUMS:
            return sorted(set(ENUMS[param.type].values())), (9999,)
        kind = kind_of(call, param, {})
        assert isinstance(kind, str)
        kinds = ADDRESSES if kind in ADDRESSES else (kind,)
        held = [
            name.value
            for name in self.model.names.by_text.values()
            if name.kind in kinds and self._names(process, call, name)
        ]
        if kind == "ipc":
            return held, (bytes(64),)
        if kind == "stream":
            return held if call in {"cuStreamDestroy", "cudaStreamDestroy"} else (
                *DEFAULT_STREAMS,
                *held,
            ), DEFAULT_STREAMS
        if kind == "pooldata":
            return held, (None,)
        if kind == "ctx" and call in KEEPS_DEAD_CONTEXTS:
            return held, (0, *self.model.processes[process].dead_contexts)
        if kind in ADDRESSES:
            dead = self.dead(process) if call in SAFE_DEAD else ()
            if not held and call == "cuMemGetHandleForAddressRange":
                held = [NOWHERE]  # it looks at the address last
            if call in RANGES:
                memory = self.model.processes[process].memory
                others, held = held, [one for one in held if isinstance(memory.at(int(one)), Managed)]
                return held, (0, *others)
            return held, (0, *dead, *[int(value) + 1 for value in held[:2] if call not in TRUSTED | self.trusted])
        return held, (None if param.kind == "string" else 0,)

    def _names(self, process: str, call: str, name: Name) -> bool:
        """Return whether a name stands for something that a process holds: the driver follows all else."""
        if not name.live or name.process not in {"", process}:
            return False
        state = self.model.processes[process]
        if name.kind == "ctx":
            return name.value in state.contexts
        if name.kind in {"event", "stream"}:
            return name.value in (state.events if name.kind == "event" else state.streams)
        if name.kind == "pool":
            return name.value in state.pools
        if name.kind == "pooldata":
            return any(data == name.value and item.live for data, item in self.machine.exchange.pool_shares.items())
        if call in POOLED or call == "cudaFreeAsync":
            memory = state.memory.at(name.value)
            return isinstance(memory, Pooled) and memory.start == name.value and not memory.importers
        if name.kind == "handle":
            return name.value in state.handles and state.handles[name.value].references > 0
        if name.kind == "va":
            return call not in TRUSTED | self.trusted and state.reservations.at(name.value) is not None
        return name.kind not in ADDRESSES or name.kind == "host" or state.memory.at(name.value) is not None


class RuntimeArguments(Arguments):
    """Draws arguments of calls of the runtime API, too: what the calls of one made, the other's use."""

    trusted = COPIES

    def _choices(self, process: str, call: str, param: Param) -> tuple[Sequence[Any], Sequence[Any]]:
        found = BY_CALL.get((call, param.name)) or BY_NAME.get(param.name) if api_of(call) is RUNTIME else None
        return found or super()._choices(process, call, param)

    def _names(self, process: str, call: str, name: Name) -> bool:
        """Return whether a name stands for what a call can be given: what others have mapped is not freed."""
        if not super()._names(process, call, name):
            return False
        if call not in FREES | COPIES or isinstance(name.value, bytes) or name.kind not in {"dptr", "va", "pinned"}:
            return call not in COPIES or name.kind != "host"
        memory = self.model.processes[process].memory.at(name.value)
        if call in COPIES:
            return memory is not None and name.kind != "va"
        shared = isinstance(memory, Allocation) and memory.share is not None
        importers = getattr(memory, "importers", None)
        return memory is not None and memory.start == name.value and not shared and not importers
