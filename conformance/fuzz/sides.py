"""Two equal machines with calls by two doors, compared as text."""

from __future__ import annotations

import os
import re
import struct
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fuzz import nvml_in_c
from conformance.fuzz.garbage import World, fits
from conformance.fuzz.hip_in_c import Native, Unsayable, flat
from fakecuda.rules.registry import api_of
from fakecuda.spec import hip
from realcuda import child, plain
from realcuda.cudart import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    import fakecuda

UNFIT, UNSAYABLE = "no operation has such arguments", "C cannot have such arguments"


@define(eq=False)
class Side(World):
    """A world with calls by one of the two doors."""

    real: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.real:
            from fakecuda.reach.native.door import attach  # noqa: PLC0415 - it loads a library

            self.lead(attach)
            self.module = import_module("cuda.bindings.driver")

    def lead(self, attach: Callable[[fakecuda.Machine], None]) -> None:
        """Attach a door, with this process's earlier NVML state."""
        kept = {name: process.nvml for name, process in self.machine.processes.items()}
        attach(self.machine)
        for name, process in self.machine.processes.items():
            process.nvml = kept[name]

    def outcome(self, name: str, args: tuple[Any, ...]) -> str:
        """Make a call; return the name of its code or of its exception."""
        try:
            answer = getattr(self.module, name)(*self.resolve(args))
        except Exception as error:  # noqa: BLE001 - whatever comes is compared
            return type(error).__name__
        if not int(answer[0]):
            self._keep(name, args, answer)
        return str(answer[0].name)

    def state(self) -> str:
        """Return the machine's state as text, without the number of this process."""
        return without_number(repr(self.machine.snapshot()))


def without_number(text: str) -> str:
    """Return a text without the number of this process."""
    return re.sub(rf"\b{os.getpid()}\b", "this process", text)


class Boundless:
    """A memory budget without a limit."""

    def check(self, *_: object) -> None:
        """Accept a call."""

    note = check


@define(eq=False)
class InC(Side):
    """A world with plain values, by Python or by the functions of a library."""

    def __attrs_post_init__(self) -> None:
        real, self.real = self.real, False
        super().__attrs_post_init__()
        self.real = real
        if real:
            self.load()

    def load(self) -> None:
        """Load the library."""
        raise NotImplementedError

    def outcome(self, name: str, args: tuple[Any, ...]) -> str:
        """Make a call; return its code with its results, or its exception's name."""
        values = _counted(name, self.resolve(args))
        if not fits(name, values):
            return UNFIT
        try:
            answer = self.by_c(name, values) if self.real else getattr(self.module, name)(*values)
        except Unsayable:
            return UNSAYABLE
        except Exception as error:  # noqa: BLE001 - as above
            return type(error).__name__
        if not int(answer[0]):
            self._keep(name, args, answer)
        return without_number(self.shown(name, values, answer))

    def by_c(self, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Make a call by the library.

        Raises:
            Unsayable: Its arguments, or its results, have no layout in C that is described.
        """
        raise NotImplementedError

    def shown(self, _name: str, _values: tuple[Any, ...], answer: tuple[Any, ...]) -> str:
        """Return an answer as text."""
        return str(int(answer[0])) if int(answer[0]) else repr(answer)


@define(eq=False)
class OfRuntime(InC):
    """A world of the runtime API with calls by libcudart."""

    library: Any = field(default=None, init=False)

    def load(self) -> None:
        """Load the library."""
        from fakecuda.reach.native.door import attach  # noqa: PLC0415 - it loads a library
        from fakecuda.reach.native.runtime import load_cudart  # noqa: PLC0415 - also this one

        self.lead(attach)
        load_cudart()
        self.library = child.Driver("libcuda.so.1", NAMES[0], multicast=True)
        self.library.managed = Boundless()

    def by_c(self, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Make a call by the library; in-out arguments cannot be null."""
        inputs = api_of(name).calls[name].inputs
        if any(value is None and param.role == "inout" for param, value in zip(inputs, values, strict=True)):
            raise Unsayable
        try:
            request = plain.prepare(name, values)
        except (TypeError, struct.error) as error:
            raise Unsayable from error
        (code, results), arrived = self.library.c(request.descriptors, request.symbol, request.arguments)
        return plain.finish(request, code, results, arrived)


@define(eq=False)
class OfHip(InC):
    """A world of HIP with calls by libamdhip64."""

    library: Native = field(factory=Native, init=False)

    def load(self) -> None:
        """Load the library."""
        from fakecuda.reach.native.hip import attach  # noqa: PLC0415 - it loads a library

        attach(self.machine)

    def by_c(self, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Make a call by the library."""
        call = hip.CALLS[name]
        given = {param.name: value for param, value in zip(call.inputs, values, strict=True)}
        try:
            return self.library.through(call, given, "")
        except (TypeError, struct.error) as error:
            raise Unsayable from error

    def shown(self, name: str, values: tuple[Any, ...], answer: tuple[Any, ...]) -> str:
        """Return an answer as text, with flattened structs as C has them."""
        return super().shown(name, values, tuple(map(flat, answer)))


@define(eq=False)
class OfNvml(InC):
    """A world of NVML with calls by libnvidia-ml."""

    def load(self) -> None:
        """Load the library, which forwards to the driver's door."""
        from fakecuda.reach.native.door import attach  # noqa: PLC0415 - it loads a library

        self.lead(attach)

    def by_c(self, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Make a call by the library."""
        try:
            return nvml_in_c.made(name, values)
        except (TypeError, ValueError, OverflowError) as error:
            raise Unsayable from error

    def _keep(self, name: str, args: tuple[Any, ...], answer: tuple[Any, ...]) -> None:
        super()._keep(name, args, answer)
        for kind, value in nvml_in_c.handles(name, answer[1:]):
            self.held.setdefault(kind, []).append(value)

    def shown(self, name: str, values: tuple[Any, ...], answer: tuple[Any, ...]) -> str:
        """Return an answer as text; of a failure, with the written results."""
        return nvml_in_c.shown(name, values, answer)


def _counted(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a call's arguments with arrays cut to their counts."""
    given = {param.name: value for param, value in zip(api_of(name).calls[name].inputs, values, strict=True)}
    return tuple(
        value[: given[param.count]] if param.array and type(value) is tuple and param.count in given else value
        for param, value in zip(api_of(name).calls[name].inputs, values, strict=True)
    )


SIDES: dict[str, type[Side]] = {"driver": Side, "runtime": OfRuntime, "hip": OfHip, "nvml": OfNvml}
"""The worlds of each API."""
