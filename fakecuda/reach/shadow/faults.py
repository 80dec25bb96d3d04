"""Faults on a real driver: calls that the recording library fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.reach.native.forms import MODELLED
from fakecuda.reach.shadow.tables import known

if TYPE_CHECKING:
    from collections.abc import Iterable

ALL = (1 << 64) - 1
"""The number of calls to fail until the program ends."""
SHARE = 1 << 32
"""The upper bound of the random number that the library draws for each call."""


@frozen
class Fault:
    """Calls that fail although the driver might accept them.

    Attributes:
        call: The function of the driver API; without a version's suffix, all of its versions.
        nth: The first call to refuse, counted from 1 over all processes.
        code: The code that the refused call answers.
        name: The code's name.
        times: How many calls are refused; None for all from the nth on.
        chance: The share of these calls that is refused, more than 0 and at most 1.
        seed: What the share is drawn from.
    """

    call: str
    nth: int
    code: int
    name: str
    times: int | None
    chance: float
    seed: int

    def __str__(self) -> str:
        told = [repr(self.call)]
        told += [f"nth={self.nth}"] * (self.nth != 1)
        told.append(f"code={self.name!r}")
        told += [f"times={self.times}"] * (self.times != 1)
        told += [f"chance={self.chance:g}", f"seed={self.seed}"] * (self.chance != 1)
        return f"fail({', '.join(told)})"


def symbols_of(call: str) -> list[int]:
    """Return the numbers of the driver functions that a name stands for."""
    return [
        number for number, one in enumerate(known()) if call in {one.name, one.base, MODELLED.get(one.name, one.name)}
    ]


def text_of(faults: Iterable[Fault]) -> str:
    """Return the faults file for the library: a line of numbers for each fault."""
    return "".join(f"{' '.join(map(str, _numbers(one)))}\n" for one in faults)


def _numbers(one: Fault) -> list[int]:
    times = ALL if one.times is None else one.times
    return [one.code, one.nth, times, round(one.chance * SHARE), one.seed, *symbols_of(one.call)]
