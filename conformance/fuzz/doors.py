"""Programs with garbage for arguments by two doors: ``python -m conformance.fuzz.doors [--programs N] [--seed S] [--api A]``.

Each call of the driver's API is made by the look-alike of cuda.bindings on one machine, and by the real bindings and the native
door on an equal one. Both answer the same code or raise the same exception, and leave equal machines. What the bindings
themselves decide the look-alike decides, too; where it cannot, :data:`REASONS` says why. Each call of the runtime's API, of HIP
and of NVML is made with plain values by Python, and with what C has of them by the functions of the library: results are
compared, too. A call that ends the process, as a driver does that follows an address to nowhere, is left out, and so is one whose
arguments C cannot have.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import traceback
import warnings
from typing import TYPE_CHECKING

from attrs import frozen

from conformance.fuzz.garbage import lines, shorter
from conformance.fuzz.sides import SIDES, UNSAYABLE
from fakecuda.errors import NotModelledWarning
from fakecuda.progress import say
from fakecuda.spec import cudart
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fuzz.garbage import Line

API, SEEN = "driver", "CUDA_"
LOOK_ALIKE, BINDINGS, OPERATIONS, LIBRARY = "look-alike", "bindings", "operations", "library"
DOORS = {
    "driver": (LOOK_ALIKE, BINDINGS),
    "runtime": (OPERATIONS, LIBRARY),
    "hip": (OPERATIONS, LIBRARY),
    "nvml": (OPERATIONS, LIBRARY),
}
"""The two compared doors of each API; the first one decides the drawn arguments."""
LEFT_OUT = (
    *("LaunchHostFunc", "StreamAddCallback", "LaunchHostFunc_spt", "StreamAddCallback_spt"),  # they would call garbage
    *(
        "GetDriverEntryPoint",
        "cudaGetDriverEntryPointByVersion",
        "hipGetProcAddress",
    ),  # without a library there are no functions
)
"""Suffixes of calls that are not compared."""
IN_12_ALONE = {one.call for one in cudart.exported(12)} - {one.call for one in cudart.exported(13)}
"""Runtime calls that libcudart.so.13 does not have."""


@frozen
class Reason:
    """A reason for different answers of two doors.

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
        """Return whether the reason applies to a difference."""
        by_lookalike = outcomes[0].startswith(self.by_lookalike)
        return call.startswith(self.calls) and by_lookalike and self.by_bindings == outcomes[1]


UNREADABLE = "a driver crashes when it reads memory that is not there: Python gets an exception, C a code and a finding"
REASONS = (
    Reason("", "Unreadable", "CUDA_ERROR_INVALID_VALUE", UNREADABLE),
    Reason("cuda", "Unreadable", str(int(Result.INVALID_VALUE)), UNREADABLE),
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


def made(program: Sequence[Line], door: str, api: str = API) -> list[tuple[str, str]]:
    """Make a program's calls in a new process; return outcomes and the final state.

    Those from the call on that has ended the process are missing.

    Raises:
        RuntimeError: The comparison itself has raised an exception; the text has its traceback.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            _tell(program, door, api, writing)
        except Exception:  # noqa: BLE001 - raised again in the parent
            os.write(writing, pickle.dumps(traceback.format_exc()))
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
    if found and isinstance(found[-1], str):
        raise RuntimeError(found[-1])
    return found


def _tell(program: Sequence[Line], door: str, api: str, writing: int) -> None:
    warnings.simplefilter("ignore", NotModelledWarning)
    world = SIDES[api](api, DOORS[api][0], strict=False, real=door != DOORS[api][0])
    for name, args in program:
        content = memoryview(pickle.dumps((world.outcome(name, args), world.state())))
        while content:
            content = content[os.write(writing, content) :]


def difference(program: list[Line], api: str = API) -> tuple[int, str]:
    """Return the index and text of the first difference between doors, or no text."""
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
    """Run a seed's program; return its difference with a shorter program, or no text."""
    first, second = DOORS[api]
    drawn = (line for line in lines(seed, api, first)[1] if line[0] not in IN_12_ALONE)
    program = [line for line in drawn if not line[0].endswith(LEFT_OUT)]
    while (place := _left_out(made(program, second, api))) < len(program):
        del program[place]
    place, wrong = difference(program, api)
    if not wrong:
        return ""
    program = shorter(program[: place + 1], lambda less: difference(less, api)[1] == wrong)
    return "\n".join([f"seed {seed}: {wrong}", *(f"    {line!r}," for line in program)])


def _left_out(through: list[tuple[str, str]]) -> int:
    """Return the index of the first call that is not compared, by earlier outcomes."""
    outcomes = [outcome for outcome, _ in through]
    return outcomes.index(UNSAYABLE) if UNSAYABLE in outcomes else len(outcomes)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if the doors differ."""
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
