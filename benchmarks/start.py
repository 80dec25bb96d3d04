"""The CPU times of whole interpreters, as multiples of one that imports ``cuda.bindings.driver``.

The interpreters run in turns, so that other load of the computer slows all of them alike. The first round writes the
files of bytecode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda

from .effort import EFFORT
from .measure import cached, spent

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = ("-c", "import cuda.bindings.driver")
STARTS = {
    "python -m fakecuda --help": (("-m", "fakecuda", "--help"), 1.2),
    "a machine": (("-c", "import fakecuda; fakecuda.Machine()"), 3.0),
    "a machine, installed": (("-c", "import fakecuda; fakecuda.simulate().__enter__()"), 4.0),
    "python -m fakecuda rules --evidence": (("-m", "fakecuda", "rules", "--evidence", "PEER_IS_NOT_ENABLED"), 32.0),
}
"""Interpreters with their limits."""
CHILD = "import ctypes; assert ctypes.CDLL('libcuda.so.1').cuInit(0) == 0"
CHILD_LIMIT = 3.5
RUNS = 7


def starts() -> Iterator[tuple[str, float, float]]:
    """Yield each start, its multiple of the plain import, and its limit; the best of several runs counts."""
    plain = cached()
    with fakecuda.simulate():
        attached = cached()
        rows = {what: (arguments, plain, limit) for what, (arguments, limit) in STARTS.items()}
        rows["a child's first call"] = ("-c", CHILD), attached, CHILD_LIMIT
        best = dict.fromkeys((*rows, ""), float("inf"))
        for _ in range(EFFORT.of(RUNS) + 1):  # the first round writes the files of bytecode
            best[""] = min(best[""], spent(*PLAIN, environ=plain))
            for what, (arguments, environ, _) in rows.items():
                best[what] = min(best[what], spent(*arguments, environ=environ))
    for what, (_, _, limit) in rows.items():
        yield what, best[what] / best[""], limit
