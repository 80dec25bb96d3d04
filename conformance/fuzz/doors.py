"""Programs with garbage for arguments by two doors: ``python -m conformance.fuzz.doors [--programs N] [--seed S]``.

Each call of a program is made by the look-alike of cuda.bindings on one machine, and by the real bindings and the native
door on an equal one. Both answer the same code or raise the same exception, and leave equal machines. What the bindings
themselves decide the look-alike decides, too; where it cannot, :data:`REASONS` says why. A call that ends the process, as
a driver does that follows an address to nowhere, is left out.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.fuzz.garbage import World, lines, shorter
from fakecuda.errors import NotModelledWarning
from fakecuda.model.nvml import Management
from fakecuda.progress import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fuzz.garbage import Line

API, SEEN = "driver", "CUDA_"
LOOK_ALIKE, BINDINGS = "look-alike", "bindings"
CALL_BACK = {"cuLaunchHostFunc", "cuStreamAddCallback"}
"""Calls that would call garbage."""


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


def made(program: Sequence[Line], door: str) -> list[tuple[str, str]]:
    """Make a program's calls by a door, in a process of its own; return what came of each, and the machine after it.

    Those from the call on that has ended the process are missing.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            _tell(program, door, writing)
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


def _tell(program: Sequence[Line], door: str, writing: int) -> None:
    warnings.simplefilter("ignore", NotModelledWarning)
    world = Side(API, LOOK_ALIKE, strict=False, real=door == BINDINGS)
    with os.fdopen(writing, "wb", 0) as pipe:
        for name, args in program:
            pipe.write(pickle.dumps((world.outcome(name, args), world.state())))


def difference(program: list[Line]) -> tuple[int, str]:
    """Return the place of the first call of a program that the doors answer differently, and the difference; or an empty text."""
    pairs = zip(made(program, LOOK_ALIKE), made(program, BINDINGS), strict=False)
    for place, ((mine, state), (real, other)) in enumerate(pairs):
        name = program[place][0]
        if mine != real and not any(one.fits(name, (mine, real)) for one in REASONS):
            return place, f"{name}: {mine} by the look-alike, {real} by the bindings"
        if mine == real and state != other:
            return place, f"{name}: {mine} by both, and the machines differ"
    return 0, ""


def report(seed: int) -> str:
    """Run the program of a seed; return the difference and the program, made shorter, or an empty text."""
    program = [line for line in lines(seed, API, LOOK_ALIKE)[1] if line[0] not in CALL_BACK]
    while len(through := made(program, BINDINGS)) < len(program):
        del program[len(through)]
    place, wrong = difference(program)
    if not wrong:
        return ""
    program = shorter(program[: place + 1], lambda less: difference(less)[1] == wrong)
    return "\n".join([f"seed {seed}: {wrong}", *(f"    {line!r}," for line in program)])


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its status: 1 when the doors differ."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.doors", description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100, help="how many programs; 100 by default")
    parser.add_argument("--seed", type=int, default=0, help="the first program's; others follow")
    options = parser.parse_args(arguments)
    found = [told for seed in range(options.seed, options.seed + options.programs) if (told := report(seed))]
    for told in found:
        say(told)
    say(f"{options.programs} programs from seed {options.seed}, the doors differ in {len(found)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
