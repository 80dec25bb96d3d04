"""Rule coverage of a run: the calls that broke each rule, and that kept it.

Every model of the run is watched, whatever makes the calls: cases, functions of their own, and recorded programs. A
rule is kept by a call that succeeded and by one that failed at a later rule.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field

from fakecuda.explain import ledger
from fakecuda.explain.ledger.codes import HANDS_ON, IN_FORKS, is_masked
from fakecuda.model.hooks import COUNT, RECORD
from fakecuda.model.machine import Machine
from fakecuda.rules.driver.context.ctx_create import PROCESS_IS_SOUND
from fakecuda.rules.driver.context.current import CONTEXT_IS_SOUND
from fakecuda.rules.driver.context.fault import FAULTS
from fakecuda.rules.driver.graph.memory import MEMORY_IS_FREED_ONCE, MEMORY_IS_OF_A_GRAPH
from fakecuda.rules.driver.graph.params import MEMORY_IS_USABLE
from fakecuda.rules.driver.graph.without_memory import GRAPH_IS_NO_CHILD_S
from fakecuda.rules.driver.stream.capture_state import CAPTURE_IS_VALID, LEGACY_STREAM_IS_FREE
from fakecuda.rules.gated import GATED
from fakecuda.rules.registry import Api, api_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from fakecuda.rules.core import Rule
    from fakecuda.rules.dispatch import Op
    from fakecuda.spec.codes import Code

    Record = Callable[[tuple[Any, ...]], None]

OWN = "suite"
"""The chapter of tests that concern no call."""
REFUSALS = {
    "array.array_get_properties.ARRAY_HAS_PLANES",
    *("module.module_get_reference.SURFACE_IS_IN_THE_MODULE", "module.module_get_reference.TEXTURE_IS_IN_THE_MODULE"),
    *("library.library_get_managed.FUNCTION_IS_UNIFIED", "runtime.kernel_node.FUNCTION_IS_REGISTERED"),
    *("forms.behaviour.OPERATIONS_ARE_SUPPORTED", "forms.earliest.MEMORY_IS_MAPPED"),
    *("hip.context.CALL_IS_IMPLEMENTED", "hip.context.PRIMARY_FLAGS_STAY", "hip.va.ARRAYS_ARE_IMPLEMENTED"),
    *("nvml.accounting.PROCESS_IS_ACCOUNTED", "nvml.rights.USER_IS_ROOT", "nvml.unit.ONE_IS_THERE"),
    *("nvml.link.COUNTERS_ARE_SUPPORTED", "nvml.memory.PAGES_ARE_RETIRED"),
    *(
        "nvml.sample.PROCESS_IS_SEEN",
        "nvml.vgpu.CARD_IS_SHARED_OUT",
        "nvml.vgpu.INSTANCE_IS_FOUND",
        "nvml.vgpu.TYPE_IS_FOUND",
    ),
}
"""Rules that a call breaks with any arguments."""

OF_CAPTURES = frozenset(
    {
        *GATED,
        CAPTURE_IS_VALID,
        GRAPH_IS_NO_CHILD_S,
        LEGACY_STREAM_IS_FREE,
        MEMORY_IS_FREED_ONCE,
        MEMORY_IS_OF_A_GRAPH,
        MEMORY_IS_USABLE,
    }
)
"""Rules of captures that apply to calls which do not name them."""
SHOWN_BENEATH = {
    "context.ctx_create.DEVICE_ADMITS_CONTEXTS": "no program changes the compute mode of a card",
    "context.current.CONTEXT_IS_ALIVE": "the runtime makes a primary context anew that was destroyed",
    "graph.listing.NO_DATA_ARE_LOST": "edges with data are made by the driver's calls",
}
"""Rules whose code only driver calls show, with why no higher-level program does."""


_around: list[Callable[[Record], Record]] = []
"""Wrappers for the records of new machines."""


@contextmanager
def watching() -> Iterator[None]:
    """Let every ``Seen.watch`` in this block watch new machines.

    It wraps ``Machine.__init__``. Each change of a class costs Python what it knows of its attributes. So a block around
    many checks spares each of them two such changes.
    """
    make = Machine.__init__
    if getattr(make, "around", None) is _around:
        yield
        return

    @wraps(make)
    def made(machine: Machine, *args: Any, **options: Any) -> None:
        make(machine, *args, **options)
        for around in _around:
            RECORD.put(machine, COUNT, around)

    made.around = _around  # type: ignore[attr-defined]  # which says that this is done
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Machine, "__init__", made)
        yield


@define
class Seen:
    """Outcomes of calls, by rule.

    Attributes:
        outcomes: Operations with the rule that was broken, or None for a success.
        made: How many calls there were.
    """

    outcomes: set[tuple[Op, Rule | None]] = field(factory=set)
    made: int = 0

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Watch all calls on machines that the block creates, and add their outcomes."""
        broke: set[tuple[Op, Rule | None]] = set()

        def around(record: Record) -> Record:
            def noted(call: tuple[Any, ...]) -> None:
                broke.add((call[1], call[5]))
                self.made += 1
                record(call)

            return noted

        with watching():
            _around.append(around)
            try:
                yield
            finally:
                _around.remove(around)
                self.outcomes.update((op, _named(op, rule)) for op, rule in broke)

    @property
    def by_id(self) -> frozenset[tuple[str, str]]:
        """The outcomes by the call's name and the rule's id, with "" for a success."""
        return frozenset((op.name, rule.id if rule else "") for op, rule in self.outcomes)

    @property
    def calls(self) -> set[str]:
        """The calls that were made."""
        return {op.name for op, _ in self.outcomes}

    @property
    def broken(self) -> set[tuple[str, Rule]]:
        """Each call with the rules that it broke."""
        return {(op.name, rule) for op, rule in self.outcomes if rule is not None}

    @property
    def held(self) -> set[tuple[str, Rule]]:
        """Each call with the rules that it kept."""
        kept: set[tuple[str, Rule]] = set()
        for op, rule in self.outcomes:
            before = op.rules.index(rule) if rule in op.rules else 0 if rule else len(op.rules)
            kept.update((op.name, one) for one in op.rules[:before])
        return kept

    def missing(
        self, ops: Collection[Op], excused: Collection[tuple[str, str]] = (), unseen: Collection[tuple[str, str]] = ()
    ) -> list[str]:
        """Return a line for each rule of an operation not seen both broken and kept.

        The rules of the driver that a call of a higher API takes over are seen in the driver's calls.

        Args:
            ops: The operations.
            excused: Calls with the ids of rules that no program of the call breaks.
            unseen: Those that it breaks unseen: whatever the code is, it answers something else.
        """
        named = {(op.name, rule) for op in ops for rule in op.rules}
        own = {(op.name, rule) for op in ops for rule in api_of(op.name).of_rules(op)}
        pairs = {(name, rule) for name, rule in own if (name, rule.id) not in excused}
        names = {op.name for op in ops}
        broken, held = self.broken, self.held
        lines = [f"{name} never broke {rule.id}" for name, rule in pairs - broken if (name, rule.id) not in unseen]
        lines += [f"{name} broke {rule.id}, which is said never to be" for name, rule in (own - pairs) & broken]
        lines += [f"{name} never kept {rule.id}" for name, rule in pairs - held if rule.id not in REFUSALS]
        strange = {(name, rule) for name, rule in broken - named if name in names and rule not in OF_CAPTURES}
        lines += [f"{name} broke {rule.id}, which its operation does not name" for name, rule in strange]
        return sorted(lines)

    def unshown(self, api: Api) -> list[str]:
        """Return a line for each documented code with a rule that a call has not returned."""
        given: dict[str, set[Code]] = {}
        for name, rule in self.broken:
            if api_of(name) is api:
                codes = {api.code(fault.code) for fault in FAULTS.values()} if rule is CONTEXT_IS_SOUND else set()
                given.setdefault(name, set()).update({api.code(rule.code), *codes})
        rows = [row for row in ledger.pairs(*ledger.modelled(api)) if row.status == "broken"]
        lost = {
            row.function: row.code
            for row in rows
            if row.rule not in HANDS_ON
            and row.code not in given.get(row.function, ())
            and (row.rule is None or row.rule.id not in SHOWN_BENEATH)
        }
        lines = [f"{name} never answered {code.name}, which its manual names" for name, code in lost.items()]
        masked = {
            (name, rule.id)
            for name, rule in self.broken
            if rule.id not in IN_FORKS and is_masked(rule, name) and api_of(name) is api
        }
        return sorted([*lines, *(f"{name} broke {rule}, which no call of {api.title} does" for name, rule in masked)])


def _named(op: Op, rule: Rule | None) -> Rule | None:
    """Return the rule that an operation names for a broken one, such as a fault."""
    if rule is None or FAULTS.get(rule.code) is not rule:
        return rule
    return CONTEXT_IS_SOUND if CONTEXT_IS_SOUND in op.rules else PROCESS_IS_SOUND
