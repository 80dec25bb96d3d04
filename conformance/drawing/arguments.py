"""Arguments of any call, drawn by what its parameters are: mostly legal, often nearly legal.

What fits a parameter stands in :data:`conformance.drawing.table.FITTING`, or is something that the process holds: contexts,
events, addresses, memory for rows. That comes from the names that the program has given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import struct
from conformance.drawing import objects
from conformance.drawing.rows import MEMBERS, ROW, ROWS, WRONG_ROWS
from conformance.drawing.runtime_values import COPIES, EXTENT, FREES, NO_EXTENT
from conformance.drawing.table import FITTING
from conformance.drawing.values import DEFAULT_STREAMS, KEEPS_DEAD_CONTEXTS, NOWHERE, POOLED, RANGES, TRUSTED
from conformance.kit.names import ADDRESSES, TYPES, kind_of
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
"""Calls that check an address which names nothing any more, and what is passed to them.

Contexts and allocation handles are never passed dead: the driver follows the pointer.
"""
LOOKS_UP = frozenset(
    {
        *("cuMemFree", "cuMemGetAddressRange", "cuPointerGetAttribute", "cuIpcGetMemHandle", "cuIpcCloseMemHandle"),
        "cuMemRetainAllocationHandle",
    }
)
"""Calls that take an address at which there never was anything."""
CHANGES_POOLS = frozenset(
    {"cuMemPoolSetAttribute", "cuMemPoolSetAccess", "cudaMemPoolSetAttribute", "cudaMemPoolSetAccess"}
)
"""Calls that change what a pool is for good."""
DESTROYERS = frozenset({"cuMemFree", *FREES})
"""Calls that are not given memory that other processes have open: what comes after is undefined."""
FOLLOWS = TRUSTED | COPIES
"""Calls that take an address for one of the host if no device has it."""
CALLBACKS = ("hostFn", "HostFn_t", "hostFn_t", "Callback", "Callback_t")
"""How the types of host functions end."""


class Arguments:
    """Draws arguments from what the processes of a model hold.

    Args:
        random: Draws.
        model: The recorder of the program on the model.
        lasting: Whether programs change for good what a process has from the start.
    """

    def __init__(self, random: Random, model: Recorder, *, lasting: bool = True) -> None:
        self.random = random
        self.model = model
        self.lasting = lasting
        self._old: set[str] = set()

    def arguments(self, process: str, call: str, wrong: int | None = None) -> tuple[Any, ...] | None:
        """Return arguments of a call, or None if the process holds nothing that fits one of them.

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
            values.append(self.random.choice(fitting))
        nodes = {name.value for name in self.named(process, "node")}
        return objects.together(self.random, call, self.model.processes[process], tuple(values), nodes)

    def dead(self, process: str) -> list[int]:
        """Return addresses that name nothing any more in a process, and where nothing new can be."""
        named = self.model.names.by_text
        return [int(named[text].value) for text in sorted(self.gone() - self._old) if named[text].process == process]

    def gone(self) -> set[str]:
        """Return the names of addresses at which nothing is any more."""
        found = set()
        for name in self.model.names.by_text.values():
            if name.kind in ADDRESSES and name.kind != "host" and isinstance(name.value, int):
                state = self.model.processes[name.process]
                if state.memory.at(name.value) is None and state.reservations.at(name.value) is None:
                    found.add(name.text)
        return found

    def acquired(self, gone: set[str]) -> None:
        """Note that something new may lie where the addresses of these names were."""
        self._old |= gone

    def named(self, process: str, kind: str) -> list[Name]:
        """Return the names of a kind in a process."""
        return [one for one in self.model.names.by_text.values() if one.kind == kind and one.process == process]

    def large(self, process: str, *, managed: bool = False) -> list[int]:
        """Return addresses of a process's memory that holds some rows."""
        memory = self.model.processes[process].memory
        found = []
        for name in self.named(process, "dptr"):
            item = memory.at(int(name.value))
            # A program names what lies in memory by it only where it knows how large that is.
            whole = item is not None and item.start == name.value and name.live
            if whole and min(item.size, name.size) >= 2 * ROWS:
                found.append(int(name.value))
        return [one for one in found if isinstance(memory.at(one), Managed)] if managed else found

    # What fits a parameter

    def _fitting(self, process: str, call: str, param: Param) -> Values:
        """Return the legal and the illegal values of a parameter."""
        if param.type in objects.HANDLES and not param.array:
            state, kind = self.model.processes[process], TYPES[param.type]
            return [one.value for one in self.named(process, kind) if objects.held(state, param, one.value)], (0,)
        if param.type == "CUgraphNode":
            return (None,), (None,)
        if (call, param.name) in FITTING:
            return FITTING[call, param.name]
        if param.name in {"osHandle", "shareableHandle"} or (param.name == "handle" and "FromShareable" in call):
            return [one.value for one in self.model.names.by_text.values() if one.kind == "fd" and one.live], (-1,)
        if param.type.endswith(CALLBACKS):
            return [one.value for one in self.named(process, "function")], ()
        if param.array or param.kind == "struct":
            return self._structs(process, call, param)
        return self._held(process, call, param)

    def _held(self, process: str, call: str, param: Param) -> Values:
        """Return what a process holds of the kind that a parameter takes, and what is a step from it."""
        kind = kind_of(call, param, {})
        assert isinstance(kind, str)
        kinds = ADDRESSES if kind in ADDRESSES else (kind,)
        names = [name for name in self.model.names.by_text.values() if name.kind in kinds]
        held = [name.value for name in names if self._is_held(process, call, name)]
        if kind == "ipc":
            return held, (bytes(64),)
        if kind == "stream":
            ends = call in {"cuStreamDestroy", "cudaStreamDestroy"}
            return held if ends else (*DEFAULT_STREAMS, *held), DEFAULT_STREAMS
        if kind == "pooldata":
            return held, (None,)
        if kind == "ctx" and call in KEEPS_DEAD_CONTEXTS:
            return held, (0, *self.model.processes[process].dead_contexts)
        if kind in ADDRESSES:
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
        """Return whether a name stands for something that a process holds and a call can be given."""
        if not name.live or name.process not in {"", process}:
            return False
        state = self.model.processes[process]
        if name.kind in {"ctx", "event", "stream"}:
            return name.value in {"ctx": state.contexts, "event": state.events, "stream": state.streams}[name.kind]
        if name.kind == "pool":
            pool = state.pools.get(int(name.value))
            # A process keeps its default pools.
            return pool is not None and not (pool.default and call in CHANGES_POOLS and not self.lasting)
        if name.kind == "pooldata":
            shares = self.model.machine.exchange.pool_shares
            return any(data == name.value and item.live for data, item in shares.items())
        if name.kind == "handle":
            return name.value in state.handles and state.handles[name.value].references > 0
        return name.kind not in ADDRESSES or self._is_there(process, call, name)

    def _is_there(self, process: str, call: str, name: Name) -> bool:
        """Return whether something lies at an address that a call can be given: what others have mapped is not freed."""
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
        return name.kind == "host" or memory is not None

    def _structs(self, process: str, call: str, param: Param) -> Values:
        """Return descriptions of copies from one place to another, and arrays of addresses."""
        if param.type == "CUDA_KERNEL_NODE_PARAMS":
            kernels = [one.value for one in self.named(process, "kernel")]
            return [(one, *[1] * 6, 0, 0, 0, 0, 0) for one in kernels], [None, (0, *[1] * 6, 0, 0, 0, 0, 0)]
        large = self.large(process, managed="Batch" in call and "Memcpy" not in call)
        if not large:
            return (), ()
        target, source = self.random.choice(large), self.random.choice(large) + ROWS
        if param.type in MEMBERS:
            members = {"dstDevice": target, "srcDevice": source, **ROW}
            mine = MEMBERS[param.type]

            def made(wrong: dict[str, int]) -> tuple[Any, ...]:
                merged = {**members, **wrong}
                return struct(param.type, **{name: value for name, value in merged.items() if name in mine})

            return (made({}),), [made(wrong) for wrong in WRONG_ROWS if "pCopy" not in wrong]
        rows = (target, 64, 64, 4)
        match param.type:
            case "CUDA_MEMSET_NODE_PARAMS":
                return ((target, 0, 7, 1, 16, 1),), ((target, 0, 7, 3, 16, 1), (target, 0, 7, 1, 0, 1), None)
            case "CUDA_HOST_NODE_PARAMS":
                return [(one.value, 0) for one in self.named(process, "function")], ()
            case "cudaPitchedPtr":
                return (rows,), ((target, 8, 64, 4), (target, 64, 64, 1), (0, 64, 64, 4))
            case "cudaMemcpy3DParms":
                ends = (0, (0, 0, 0), (source, 64, 64, 4), 0, (0, 0, 0), rows)
                nothing = (0, (0, 0, 0), (0, 64, 64, 4), *ends[3:], EXTENT[0], 4)
                return [(*ends, one, 4) for one in EXTENT], [None, nothing, *((*ends, one, 4) for one in NO_EXTENT)]
            case "cudaMemcpy3DPeerParms":
                both = (0, (0, 0, 0), (source, 64, 64, 4), 0, 0, (0, 0, 0), rows, 0)
                return [(*both, one) for one in EXTENT], [None, *((*both, one) for one in NO_EXTENT)]
        if param.name in {"dsts", "srcs", "dptrs"}:
            start = source if param.name == "srcs" else target
            return ((start, start + 32),), ((0, 0), None)
        return (), ()
