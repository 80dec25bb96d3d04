"""``python -m conformance.record.linking -o FILE``: ask the driver, and write what it answers as JSON."""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib
import json
import subprocess
import sys
from pathlib import Path

from conformance.record.linking import linkers, seen  # noqa: F401 - they enter themselves
from conformance.record.linking.asking import QUESTIONS, Asker

MODULE = "conformance.record.linking"
TIMEOUT = 40
"""Seconds for one question."""


def main() -> int:
    """Ask all questions, or one, and return the exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("-o", "--out", type=Path, help="the file to write")
    parser.add_argument("--one", help="a question that is asked here, each answer on a line")
    parser.add_argument("--jobs", type=int, default=6, help="questions at a time")
    options = parser.parse_args()
    if options.one:
        driver = importlib.import_module("cuda.bindings.driver")
        QUESTIONS[options.one](Asker(driver, _note))
        return 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        said = dict(zip(QUESTIONS, pool.map(_asked, QUESTIONS), strict=True))
    lines = [
        f" {json.dumps(name)}: [\n" + ",\n".join(f"  {json.dumps(x)}" for x in said[name]) + "\n ]" for name in said
    ]
    options.out.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return 0


def _note(line: object) -> None:
    """Write an answer at once: the next call may end the process."""
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


def _asked(name: str) -> list[object]:
    """Return the answers of a process of its own, and how it ended where it did not end well."""
    command = [sys.executable, "-m", MODULE, "--one", name]
    try:
        done = subprocess.run(  # noqa: S603 - this module
            command, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as late:
        out = (late.stdout or b"").decode()
        return [*map(json.loads, out.splitlines()), ["ended", "timeout"]]
    ended = [] if not done.returncode else [["ended", done.returncode, done.stderr.strip().splitlines()[-1:]]]
    return [*map(json.loads, done.stdout.splitlines()), *ended]


if __name__ == "__main__":
    sys.exit(main())
