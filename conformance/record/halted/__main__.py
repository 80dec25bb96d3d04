"""``python -m conformance.record.halted --out FILE``: ask the driver, and write what it answers as JSON lines."""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import realcuda
from conformance.record.halted.calls import Keeper, ask, plan
from conformance.record.halted.scenes import ALONE, SCENES, Scene
from conformance.record.recorder import load_cases

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.record.halted.calls import Line

LIMIT = 12.0
"""Seconds that one call may take."""


def play(name: str, machine: Any) -> list[Line]:
    """Play a scene; return what was seen in one line."""
    one = Scene(machine)
    line: Line = {"scene": name, "seen": one.lines}
    try:
        SCENES[name](one)
    except Exception as error:  # noqa: BLE001 - what was seen until here is worth keeping
        line["error"] = f"{type(error).__name__}: {error}"[:300]
    one.close()
    return [line]


def main() -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m conformance.record.halted")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--jobs", type=int, default=8, help="processes at a time that are halted")
    parser.add_argument("--minutes", type=float, default=3.5, help="when to begin nothing more")
    parser.add_argument("--only", default="*", help="the calls and scenes: patterns, with commas between")
    parser.add_argument("--library", help="the driver's library; libcuda.so.1 without it")
    parser.add_argument("--cudart", help="the runtime library; the one that is found without it")
    options = parser.parse_args()
    begun = time.monotonic()
    patterns = options.only.split(",")

    def wanted(name: str) -> bool:
        return any(fnmatch.fnmatch(name, one) for one in patterns)

    machine = realcuda.Machine(
        limit=LIMIT, library=options.library, cudart=options.cudart, preloaded=("cuda.bindings.driver",)
    )
    keepers = threading.local()

    def call(name: str, *, fully: bool) -> list[Line]:
        if not hasattr(keepers, "one") or not keepers.one.process.alive:
            process = machine.spawn()
            process.c.cuInit(0)
            keepers.one = Keeper(process)
        return ask(name, machine, keepers.one, fully=fully)

    for problem in load_cases():
        sys.stderr.write(f"{problem}\n")
    asked: list[Callable[[], list[Line]]] = [partial(play, name, machine) for name in SCENES if wanted(name)]
    first = [one for one, name in zip(asked, filter(wanted, SCENES), strict=True) if name in ALONE]
    rest = [one for one in asked if one not in first]
    rest += [partial(call, name, fully=fully) for name, fully in plan(wanted)]
    late, lock = [0], threading.Lock()
    with options.out.open("w") as out:

        def keep(make: Callable[[], list[Line]]) -> None:
            if time.monotonic() > begun + 60 * options.minutes:
                late[0] += 1
                return
            lines = make()
            with lock:
                out.writelines(f"{json.dumps(line, default=str)}\n" for line in lines)
                out.flush()

        for one in first:
            keep(one)
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(keep, rest))
    sys.stdout.write(
        f"{len(first) + len(rest) - late[0]} of {len(first) + len(rest)} asked in {time.monotonic() - begun:.0f} s\n"
    )
    sys.stdout.flush()
    os._exit(0)  # whatever waits still


if __name__ == "__main__":
    sys.exit(main())
