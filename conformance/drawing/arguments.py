"""Random arguments of any call, by its parameters: mostly legal or nearly legal.

What fits a parameter stands in :data:`conformance.drawing.table.FITTING`, or is something that the process holds: contexts,
events, addresses, memory for rows. That comes from the names that the program has given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing import nodes, objects
from conformance.drawing.images import NO_FILE
from conformance.drawing.joint import together
from conformance.drawing.rows import ROWS
from conformance.drawing.runtime_values import COPIES, FREES
from conformance.drawing.structs import structs
from conformance.drawing.table import FITTING
from conformance.drawing.values import DEFAULT_STREAMS, KEEPS_DEAD_CONTEXTS, NOWHERE, POOLED, RANGES, TRUSTED
from conformance.kit.kinds import ADDRESSES, TYPES, kind_of, newest
from conformance.kit.world import GRANULE
from fakecuda.model.memory.memory import Allocation, Managed
from fakecuda.model.memory.pool import Pooled
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from random import Random

    from conformance.drawing.values import Values
    from conformance.kit.names import Name
    from conformance.kit.program import Recorder
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
"""Calls that check a stale address, and the stale argument that they receive.

Contexts and allocation handles are never passed dead: the driver follows the pointer.
"""
LOOKS_UP = frozenset(
    {
        *("cuMemFree", "cuMemGetAddressRange", "cuPointerGetAttribute", "cuIpcGetMemHandle", "cuIpcCloseMemHandle"),
        "cuMemRetainAllocationHandle",
    }
)
"""Calls that accept an address without an allocation."""
CHANGES_POOLS = frozenset(
    {"cuMemPoolSetAttribute", "cuMemPoolSetAccess", "cudaMemPoolSetAttribute", "cudaMemPoolSetAccess"}
)
"""Calls that change a pool permanently."""
DESTROYERS = frozenset({"cuMemFree", *FREES})
"""Calls that must not free memory that other processes have open, as is undefined."""
FOLLOWS = TRUSTED | COPIES
"""Calls that treat an address as a host address if no device has it."""
CALLBACKS = ("hostFn", "HostFn_t", "hostFn_t", "Callback", "Callback_t")
"""Suffixes of the types of host functions."""


class Arguments:
    """Draws arguments from the objects of a model's processes.

    Args:
        random: Draws.
        model: The recorder of the program on the model.
        lasting: Whether programs change for good what a process has from the start.

    Attributes:
        keeps_dead: Calls that a destroyed context is passed to.
    """

    def __init__(self, random: Random, model: Recorder, *, lasting: bool = True) -> None:
        self.random = random
        self.model = model
        self.lasting = lasting
        self.keeps_dead = set(KEEPS_DEAD_CONTEXTS)
        self._old: set[str] = set()

    def arguments(self, process: str, call: str, wrong: int | None = None) -> tuple[Any, ...] | None:
        """Return arguments of a call, or None if the process has none for a parameter.

        Args:
            process: The calling process.
            call: The call.
            wrong: The place of the parameter that gets an illegal value; None if all are legal.
        """
        values = []
        for place, param in enumerate(CALLS[call].inputs):
            fitting = self._fitting(process, call, param)[place == wrong]
            if not fitting:
                return None
            chosen = self.random.choice(fitting)
            values.append(bytearray(len(chosen)) if isinstance(chosen, bytearray) else chosen)  # calls fill it
        named = {name.value for name in self.named(process, "node")}
        state = self.model.processes[process]
        return together(self.random, call, state, tuple(values), named, wrong=wrong is not None)

    def dead(self, process: str) -> list[int]:
        """Return the stale addresses of a process where nothing new can lie."""
        named = self.model.names.by_text
        return [int(named[text].value) for text in sorted(self.gone() - self._old) if named[text].process == process]

    def gone(self) -> set[str]:
        """Return the names of addresses without an allocation."""
        found = set()
        for name in self.model.names.by_text.values():
            if name.kind in ADDRESSES and name.kind != "host" and isinstance(name.value, int):
                state = self.model.processes[name.process]
                if state.memory.at(name.value) is None and state.reservations.at(name.value) is None:
                    found.add(name.text)
        return found

    def acquired(self, gone: set[str]) -> None:
        """Note that the addresses of these names may be in use again."""
        self._old |= gone

    def named(self, process: str, kind: str) -> list[Name]:
        """Return the names of a kind in a process."""
        return [one for one in self.model.names.by_text.values() if one.kind == kind and one.process == process]

    def large(self, process: str, *, managed: bool = False) -> list[int]:
        """Return addresses of a process's allocations with room for some rows."""
        memory = self.model.processes[process].memory
        found = []
        for name in self.named(process, "dptr"):
            item = memory.at(int(name.value))
            # A program names what lies in memory by it only where it knows how large that is.
            whole = item is not None and item.start == name.value and name.live
            if whole and min(item.size, name.size) >= 2 * ROWS:
                found.append(int(name.value))
        return [one for one in found if isinstance(memory.at(one), Managed)] if managed else found

    def arrays(self, process: str, kind: str) -> list[int]:
        """Return a process's live arrays, of the kind ``array`` or ``mipmapped``."""
        there = self.model.processes[process].arrays
        return [one.value for one in self.named(process, kind) if one.value in there]

    def handles(self, process: str) -> list[int]:
        """Return a process's allocation handles with a reference left."""
        there = self.model.processes[process].handles
        found = [one.value for one in self.named(process, "handle")]
        return [one for one in found if one in there and there[one].references > 0]

    # What fits a parameter

    def _fitting(self, process: str, call: str, param: Param) -> Values:
        """Return the legal and the illegal values of a parameter."""
        if param.type in objects.HANDLES and not param.array:
            return self._handles(process, param)
        if param.type == "CUgraphNode":
            return (None,), (None,)
        if (call, param.name) in objects.FREES_NODES:
            known = nodes.allocated(self, process)
            return known, (0, *self.large(process)[:1], *(one + 1 for one in known[:1]))
        if (call, param.name) in FITTING:
            return FITTING[call, param.name]
        if param.name in {"osHandle", "shareableHandle"} or (param.name == "handle" and "FromShareable" in call):
            return [one.value for one in self.model.names.by_text.values() if one.kind == "fd" and one.live], (-1,)
        if param.type.endswith(CALLBACKS):
            return [one.value for one in self.named(process, "function")], ()
        described = param.array or param.kind == "struct" or (call, param.name) in objects.DESCRIBED
        if described or param.type == "CUgraphNodeParams":
            return structs(self, process, call, param)
        return self._held(process, call, param)

    def _handles(self, process: str, param: Param) -> Values:
        """Return a parameter's live objects; illegal: null, stale, and of another kind."""
        state, kind = self.model.processes[process], TYPES[param.type]
        named = [one for name in self.named(process, kind) for one in _each(name.value)]
        sound = [one for one in named if objects.held(state, param, one)]
        dead = [one for one in named[-1:] if one not in sound]  # a newer one may have the handle of an older one
        others = self.named(process, objects.OTHER_KIND.get(kind, ""))
        other = [one for name in others for one in _each(name.value)]
        return sound, (0, 0, *dead, *other[-1:])

    def _held(self, process: str, call: str, param: Param) -> Values:
        """Return a process's objects for a parameter, and nearly legal values."""
        kind, call = kind_of(call, param, {}), newest(call)
        assert isinstance(kind, str)
        kinds = ADDRESSES if kind in ADDRESSES else (kind,)
        names = [name for name in self.model.names.by_text.values() if name.kind in kinds]
        held = [name.value for name in names if self._is_held(process, call, name)]
        if kind == "ipc":
            return held, (bytes(64),)
        if kind == "file":
            return held, (None, *NO_FILE)
        if kind == "pid":
            others = [name.value for name in names if name.process != process and name.live]
            return others, (0, -1, 999_999_999, 1)
        if kind in {"texture", "surface"}:
            return held, (0, 99, 1 << 40)
        if kind == "stream":
            ends = call in {"cuStreamDestroy", "cudaStreamDestroy"}
            return held if ends else (*DEFAULT_STREAMS, *held), DEFAULT_STREAMS
        if kind == "pooldata":
            return held, (None,)
        if kind == "ctx" and call in self.keeps_dead:
            return held, (0, *self.model.processes[process].dead_contexts)
        if kind in ADDRESSES:
            exact = [name.value for name in names if name.kind == kind and name.value in held]
            held = [*held, *exact * 2] if kind in {"pinned", "host", "va"} else held
            return self._addresses(process, call, held)
        return held, (None if param.kind == "string" else 0,)

    def _addresses(self, process: str, call: str, held: list[Any]) -> Values:
        if not held and call == "cuMemGetHandleForAddressRange":
            held = [NOWHERE]  # it looks at the address last
        if call in RANGES:
            memory = self.model.processes[process].memory
            return [one for one in held if isinstance(memory.at(int(one)), Managed)], (0, *held)
        dead = self.dead(process) if call in SAFE_DEAD else []
        nowhere = [NOWHERE] * (call in LOOKS_UP)
        return held, (0, *nowhere, *dead, *[int(value) + 1 for value in held[:2] if call not in FOLLOWS])

    def _is_held(self, process: str, call: str, name: Name) -> bool:
        """Return whether a name is an object of a process that a call may receive."""
        if not name.live or name.process not in {"", process}:
            return False
        state = self.model.processes[process]
        if name.kind in {"ctx", "event", "stream"}:
            return name.value in {"ctx": state.contexts, "event": state.events, "stream": state.streams}[name.kind]
        if name.kind == "pool":
            pool = state.pools.live.get(int(name.value))
            # A process keeps its default pools.
            return pool is not None and not (pool.default and call in CHANGES_POOLS and not self.lasting)
        if name.kind == "pooldata":
            shares = self.model.machine.exchange.pool_shares
            return any(data == name.value and item.live for data, item in shares.items())
        if name.kind == "handle":
            return name.value in state.handles and state.handles[name.value].references > 0
        return name.kind not in ADDRESSES or self._is_there(process, call, name)

    def _is_there(self, process: str, call: str, name: Name) -> bool:
        """Return whether a call may receive an address; imported memory is not freed."""
        state = self.model.processes[process]
        memory = state.memory.at(name.value)
        if call == "cuMemGetHandleForAddressRange" and name.size < GRANULE:
            return False  # whether it begins a page differs from run to run
        if call in POOLED:
            return isinstance(memory, Pooled) and memory.start == name.value and not memory.importers
        if call in COPIES:
            return memory is not None and name.kind not in {"va", "host"}
        if call in DESTROYERS and name.kind in {"dptr", "va", "pinned"}:
            shared = isinstance(memory, Allocation) and memory.share is not None
            whole = memory is not None and memory.start == name.value
            return whole and not shared and not getattr(memory, "importers", None)
        if name.kind == "va":
            return call not in FOLLOWS and state.reservations.at(name.value) is not None
        # What a driver has laid into the host's memory by itself has no size.
        return name.size > 0 if name.kind == "host" else memory is not None


def _each(value: Any) -> tuple[Any, ...]:
    """Return the handles that a name stands for: that of a list stands for several."""
    return tuple(one for one in value if one) if isinstance(value, tuple) else (value,)
