"""Programs with garbage for arguments by two doors: ``python -m conformance.fuzz.doors [--programs N] [--seed S] [--api A]``.

Each call of the driver's API is made by the look-alike of cuda.bindings on one machine, and by the real bindings and the native
door on an equal one. Both answer the same code or raise the same exception, and leave equal machines. What the bindings
themselves decide the look-alike decides, too; where it cannot, :data:`REASONS` says why. Each call of the runtime's API is made
with plain values by Python, and with what C has of them by the functions of libcudart: results are compared, too. A call that ends
the process, as a driver does that follows an address to nowhere, is left out, and so is one whose arguments C cannot have.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import struct
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.fuzz.garbage import World, fits, lines, shorter
from fakecuda.errors import NotModelledWarning
from fakecuda.model.nvml import Management
from fakecuda.progress import say
from fakecuda.rules.registry import api_of
from realcuda import child, plain
from realcuda.cudart import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fuzz.garbage import Line

API, SEEN = "driver", "CUDA_"
LOOK_ALIKE, BINDINGS, OPERATIONS, LIBRARY = "look-alike", "bindings", "operations", "library"
DOORS = {"driver": (LOOK_ALIKE, BINDINGS), "runtime": (OPERATIONS, LIBRARY)}
"""The doors that are compared of each API; the first one tells how arguments are drawn."""
LEFT_OUT = (
    *("LaunchHostFunc", "StreamAddCallback"),  # they would call garbage
    *("cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"),  # without a library there are no functions
)
"""How the names of calls end that are not compared."""
UNFIT, UNSAYABLE = "no operation has such arguments", "C cannot have such arguments"


@frozen
class Reason:
    """Why two doors answer differently.

    Attributes:
        calls: What the names of the calls begin with; empty for all.
        by_lookalike: What the look-alike answers or raises.
        by_bindings: What the bindings answer or raise.
        why: Why.
    """

    calls: str
    by_lookalike: str
    by_bindings: str
    why: str

    def fits(self, call: str, outcomes: tuple[str, str]) -> bool:
        """Return whether it is the reason of a difference."""
        by_lookalike = outcomes[0].startswith(self.by_lookalike)
        return call.startswith(self.calls) and by_lookalike and self.by_bindings == outcomes[1]


REASONS = (
    Reason(
        "",
        "Unreadable",
        "CUDA_ERROR_INVALID_VALUE",
        "a driver ends the process where it reads what is not there: Python is told by an exception, C by a code and a finding",
    ),
    Reason(
        "",
        SEEN,
        "MemoryError",
        "the bindings make an array for the results: whether there is room for a huge one the system decides",
    ),
    Reason(
        "cuTensorMapEncode",
        "TypeError",
        "ValueError",
        "the bindings count an array before they look at what the next one holds",
    ),
)


@define(eq=False)
class Side(World):
    """A world whose calls are made by one of the two doors; its ``door`` tells how arguments are drawn."""

    real: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.real:
            from fakecuda.reach.native.door import attach  # noqa: PLC0415 - it loads a library

            attach(self.machine)
            for process in self.machine.processes.values():
                process.nvml = Management()  # the door hands on what this process had of NVML before
            self.module = import_module("cuda.bindings.driver")

    def outcome(self, name: str, args: tuple[Any, ...]) -> str:
        """Make a call; return the name of its code, or of the exception that it raised."""
        try:
            answer = getattr(self.module, name)(*self.resolve(args))
        except Exception as error:  # noqa: BLE001 - whatever comes is compared
            return type(error).__name__
        if not int(answer[0]):
            self._keep(name, args, answer)
        return str(answer[0].name)

    def state(self) -> str:
        """Return what tells two machines apart, as text, without the number of this process."""
        return re.sub(rf"\b{os.getpid()}\b", "this process", repr(self.machine.snapshot()))


class Boundless:
    """What counts managed memory where there is as much of it as a machine has."""

    def check(self, *_: object) -> None:
        """Let a call be made."""

    note = check


@define(eq=False)
class InC(Side):
    """A world whose calls are made with plain values: by Python, or by the functions of a library."""

    library: Any = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        real, self.real = self.real, False
        super().__attrs_post_init__()
        self.real = real
        if real:
            from fakecuda.reach.native.door import attach  # noqa: PLC0415 - it loads a library
            from fakecuda.reach.native.runtime import load_cudart  # noqa: PLC0415 - also this one

            attach(self.machine)
            load_cudart()
            for process in self.machine.processes.values():
                process.nvml = Management()  # as above
            self.library = child.Driver("libcuda.so.1", NAMES[0], multicast=True)
            self.library.managed = Boundless()

    def outcome(self, name: str, args: tuple[Any, ...]) -> str:
        """Make a call; return its code with its results if it succeeds, or the name of the exception that it raised."""
        values = _counted(name, self.resolve(args))
        if not fits(name, values):
            return UNFIT
        try:
            answer = self._by_c(name, values) if self.real else getattr(self.module, name)(*values)
        except Unsayable:
            return UNSAYABLE
        except Exception as error:  # noqa: BLE001 - as above
            return type(error).__name__
        if int(answer[0]):
            return str(int(answer[0]))
        self._keep(name, args, answer)
        return repr(answer)

    def _by_c(self, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Make a call by the library.

        Raises:
            Unsayable: Its arguments, or its results, have no layout in C that is described.
        """
        inputs = api_of(name).calls[name].inputs
        if any(value is None and param.role == "inout" for param, value in zip(inputs, values, strict=True)):
            raise Unsayable  # the door answers for an operation, which is given no null
        try:
            request = plain.prepare(name, values)
        except (TypeError, struct.error) as error:
            raise Unsayable from error
        (code, results), arrived = self.library.c(request.descriptors, request.symbol, request.arguments)
        return plain.finish(request, code, results, arrived)


def _counted(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a call with as many members of each array as its count says: C's calls see no others."""
    given = {param.name: value for param, value in zip(api_of(name).calls[name].inputs, values, strict=True)}
    return tuple(
        value[: given[param.count]] if param.array and type(value) is tuple and param.count in given else value
        for param, value in zip(api_of(name).calls[name].inputs, values, strict=True)
    )


class Unsayable(Exception):  # noqa: N818 - a fact about a call
    """C has no such arguments."""


SIDES: dict[str, type[Side]] = {"driver": Side, "runtime": InC}


def made(program: Sequence[Line], door: str, api: str = API) -> list[tuple[str, str]]:
    """Make a program's calls by a door, in a process of its own; return what came of each, and the machine after it.

    Those from the call on that has ended the process are missing.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            _tell(program, door, api, writing)
        finally:
            os._exit(0)
    os.close(writing)
    found = []
    with os.fdopen(reading, "rb") as pipe:
        while pipe.peek(1):
            try:
                found.append(pickle.load(pipe))  # noqa: S301 - our own child's
            except (EOFError, pickle.UnpicklingError):
                break
    os.waitpid(child, 0)
    return found


def _tell(program: Sequence[Line], door: str, api: str, writing: int) -> None:
    warnings.simplefilter("ignore", NotModelledWarning)
    world = SIDES[api](api, DOORS[api][0], strict=False, real=door != DOORS[api][0])
    with os.fdopen(writing, "wb", 0) as pipe:
        for name, args in program:
            pipe.write(pickle.dumps((world.outcome(name, args), world.state())))


def difference(program: list[Line], api: str = API) -> tuple[int, str]:
    """Return the place of the first call of a program that the doors answer differently, and the difference; or an empty text."""
    first, second = DOORS[api]
    pairs = zip(made(program, first, api), made(program, second, api), strict=False)
    for place, ((mine, state), (real, other)) in enumerate(pairs):
        name = program[place][0]
        if mine != real and not any(one.fits(name, (mine, real)) for one in REASONS):
            return place, f"{name}: {mine} by the {first}, {real} by the {second}"
        if mine == real and state != other:
            return place, f"{name}: {mine} by both, and the machines differ"
    return 0, ""


def report(seed: int, api: str = API) -> str:
    """Run the program of a seed; return the difference and the program, made shorter, or an empty text."""
    first, second = DOORS[api]
    program = [line for line in lines(seed, api, first)[1] if not line[0].endswith(LEFT_OUT)]
    while (place := _left_out(made(program, second, api))) < len(program):
        del program[place]
    place, wrong = difference(program, api)
    if not wrong:
        return ""
    program = shorter(program[: place + 1], lambda less: difference(less, api)[1] == wrong)
    return "\n".join([f"seed {seed}: {wrong}", *(f"    {line!r}," for line in program)])


def _left_out(through: list[tuple[str, str]]) -> int:
    """Return the place of the first call that is not compared, by what came of those before it."""
    outcomes = [outcome for outcome, _ in through]
    return outcomes.index(UNSAYABLE) if UNSAYABLE in outcomes else len(outcomes)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its status: 1 when the doors differ."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.doors", description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100, help="how many programs; 100 by default")
    parser.add_argument("--seed", type=int, default=0, help="the first program's; others follow")
    parser.add_argument("--api", choices=list(DOORS), action="append", help="whose calls; those of each by default")
    options = parser.parse_args(arguments)
    differ = 0
    for api in options.api or DOORS:
        found = [told for seed in range(options.seed, options.seed + options.programs) if (told := report(seed, api))]
        for told in found:
            say(told)
        say(f"{api}: {options.programs} programs from seed {options.seed}, the doors differ in {len(found)}")
        differ += len(found)
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
