"""The CPU times of whole interpreters, as multiples of one that imports ``cuda.bindings.driver``.

All run in turns, so that other load of the machine meets them alike. Files of bytecode are written before.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import fakecuda

from .effort import EFFORT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PLAIN = ("-c", "import cuda.bindings.driver")
STARTS = {
    "python -m fakecuda --help": (("-m", "fakecuda", "--help"), 1.2),
    "a machine": (("-c", "import fakecuda; fakecuda.Machine()"), 3.0),
    "a machine, installed": (("-c", "import fakecuda; fakecuda.machine().__enter__()"), 4.0),
    "python -m fakecuda rules --evidence": (("-m", "fakecuda", "rules", "--evidence", "PEER_IS_NOT_ENABLED"), 65.0),
}
"""Interpreters with their limits."""
CHILD = "import ctypes; assert ctypes.CDLL('libcuda.so.1').cuInit(0) == 0"
CHILD_LIMIT = 3.5
RUNS = 7


def starts() -> Iterator[tuple[str, float, float]]:
    """Yield each start, its multiple of the plain import, and its limit; the best of several runs counts."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with fakecuda.machine():
        attached = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        rows = {what: (arguments, plain, limit) for what, (arguments, limit) in STARTS.items()}
        rows["a child's first call"] = ("-c", CHILD), attached, CHILD_LIMIT
        best = dict.fromkeys((*rows, ""), float("inf"))
        for _ in range(EFFORT.of(RUNS) + 1):  # the first round writes the files of bytecode
            best[""] = min(best[""], _spent(PLAIN, plain))
            for what, (arguments, environ, _) in rows.items():
                best[what] = min(best[what], _spent(arguments, environ))
    for what, (_, _, limit) in rows.items():
        yield what, best[what] / best[""], limit


def _spent(arguments: tuple[str, ...], environ: Mapping[str, str]) -> float:
    """Return the CPU time of an interpreter from its start to its end in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environ, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own interpreter
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
