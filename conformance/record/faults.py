"""The faults of ``record`` and ``check --real``, such as ``--fail "cuMemAlloc"``."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.machine.faults.codes import answers_of, code_of
from fakecuda.near import nearest
from fakecuda.reach.shadow.faults import Fault, symbols_of
from fakecuda.reach.shadow.tables import MOST_FAULTS, known
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.rules.registry import DRIVER, EVERY_OP, below

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "FAKECUDA_FAIL"
"""An environment variable with further faults, with semicolons between."""
BETWEEN = re.compile(r"[\s,]+")


def faults_of(texts: list[str]) -> list[Fault]:
    """Return the faults of the environment and of a command line.

    Args:
        texts: Each has the function, then any of ``nth=3``, ``code=OUT_OF_MEMORY``, ``times=2`` or ``times=None``,
            ``chance=0.05`` and ``seed=7``, with spaces or commas between.

    Raises:
        FakeCudaError: A word is unknown; or there are too many faults. The text says what to write.
    """
    texts = [*filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(";"))), *texts]
    if len(texts) > MOST_FAULTS:
        msg = f"--fail is given {len(texts)} times, and {MOST_FAULTS} are the limit"
        raise FakeCudaError(msg)
    return [_fault(text) for text in texts]


def _fault(text: str) -> Fault:
    call, *options = BETWEEN.split(text.strip())
    if not symbols_of(call):
        raise FakeCudaError(_unknown(call))
    given: dict[str, Any] = {"nth": 1, "code": "OUT_OF_MEMORY", "times": 1, "chance": 1.0, "seed": 0}
    for option in options:
        name, _, value = option.partition("=")
        if name not in READ:
            raise FakeCudaError(f"--fail {text!r}: " + nearest(name, READ, "option"))
        read, allowed = READ[name]
        try:
            given[name] = read(value.strip("\"'"))
        except ValueError as error:
            msg = f"--fail {text!r}: {name}={value}: use {allowed}"
            raise FakeCudaError(msg) from error
    op = EVERY_OP.get(call) or EVERY_OP[next(one.base for one in known() if call in {one.name, one.base})]
    code = code_of(op, given["code"], force=True)
    may = [name for name, one in answers_of(op).items() if one not in STICKY]
    if DRIVER.short(int(code)) not in may:
        msg = f"--fail {text!r}: {call} does not answer {given['code']} without an effect: use code= and one of {', '.join(may)}"
        raise FakeCudaError(msg)
    return Fault(call, given["nth"], int(code), DRIVER.short(int(code)), given["times"], given["chance"], given["seed"])


def _unknown(call: str) -> str:
    if call in EVERY_OP and EVERY_OP[call].api is not DRIVER:
        lower = sorted({one.name for one in below(EVERY_OP[call]) if symbols_of(one.name)})
        told = f"; {call} may make {', '.join(lower)}" if lower else ""
        return f"--fail {call!r}: beside a real driver only functions of the driver API fail{told}"
    return nearest(call, {one.base for one in known()}, "function of the driver API")


def _count(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if (number := int(text)) < least or number >= 1 << 63:
            raise ValueError(text)
        return number

    return read


def _times(text: str) -> int | None:
    return None if text == "None" else _count(1)(text)


def _chance(text: str) -> float:
    share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 1e-9 <= share <= 1:
        raise ValueError(text)
    return share


READ: dict[str, tuple[Callable[[str], Any], str]] = {
    "nth": (_count(1), "a number from 1 on: 3 is the third such call"),
    "code": (str, "a code's name, such as OUT_OF_MEMORY"),
    "times": (_times, "a number from 1 on, or None for every call from the nth on"),
    "chance": (_chance, "a share of the calls, such as 0.05 or 5%"),
    "seed": (_count(0), "a number from 0 on"),
}
"""The options of a fault, with their parsers."""
