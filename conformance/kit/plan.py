"""Plans: facts about calls that all steps share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.kit.calls import CALLS
from conformance.kit.kinds import INHERIT, SIZES, kind_of, newest
from fakecuda.spec.nvml import CALLS as NVML
from realcuda.guard import guarded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.kit.kinds import Described
    from conformance.kit.names import Names
    from fakecuda.spec.description import Function, Param

Kind = Any
"""The kind of a parameter's name; None if it depends on the inputs."""


@frozen
class Plan:
    """The facts about a call that do not depend on inputs.

    Attributes:
        call: Its description.
        guarded: Whether a real machine makes it only when told to.
        names: The names of its inputs.
        inputs: Its inputs with their kinds.
        outputs: Its results with their kinds.
        buffers: The places and names of inputs that it writes to.
        size: The place of the input that tells how many bytes the first result names, or None.
        inherits: The place of the input whose size the first result takes over, or None.
        releases: The place of the input whose value loses a reference, or None.
        tells: Whether it is a call of NVML, whose results are told as they lie in memory, and at times by a failure.
    """

    call: Function
    guarded: bool
    names: tuple[str, ...]
    inputs: tuple[tuple[Param, Kind], ...]
    outputs: tuple[tuple[Param, Kind], ...]
    buffers: tuple[tuple[int, str], ...]
    size: int | None
    inherits: int | None
    releases: int | None
    tells: bool

    def kind_of(self, param: Param, inputs: Sequence[Any]) -> str | tuple[Any, ...] | Described:
        """Return the kind of a parameter whose kind depends on the inputs."""
        return kind_of(self.call.name, param, dict(zip(self.names, inputs, strict=True)))

    def size_of(self, names: Names, inputs: Sequence[Any], args: Sequence[Any]) -> int:
        """Return the size of the first result's memory; 0 if the call does not have it.

        Args:
            names: The names so far.
            inputs: Plain values.
            args: The same as they stand in the step, references and all.
        """
        if self.size is not None:
            return int(inputs[self.size])
        given = None if self.inherits is None else referred(args[self.inherits])
        return names.by_text[given].size if given else 0


@cache
def plan_of(name: str) -> Plan:
    """Return the plan of a call."""
    call = CALLS[name]
    places = {param.name: index for index, param in enumerate(call.inputs)}
    return Plan(
        call,
        guarded(name),
        tuple(places),
        tuple((param, _fixed(name, param)) for param in call.inputs),
        tuple((param, _fixed(name, param)) for param in call.outputs),
        tuple((places[param.name], param.name) for param in call.inputs if param.role == "buffer_out"),
        places.get(SIZES.get(newest(name), "")),
        places.get(INHERIT.get(newest(name), "")),
        places.get(call.releases),
        call.name in NVML,
    )


def referred(data: Any) -> str | None:
    """Return the name that an argument refers to; None for a literal."""
    return data.get("ref") if isinstance(data, dict) else None


class _Asked(Exception):  # noqa: N818 - it is an answer
    """An exception: the kind of a parameter depends on an input."""


class _Unknown(dict[str, Any]):
    """Unknown inputs."""

    def __getitem__(self, name: str) -> Any:
        raise _Asked(name)

    def get(self, name: str, default: object = None) -> Any:  # noqa: ARG002 - it returns nothing
        raise _Asked(name)


def _fixed(name: str, param: Param) -> Kind:
    """Return the kind of a parameter; None if it depends on the inputs."""
    try:
        return kind_of(name, param, _Unknown())
    except _Asked:
        return None
