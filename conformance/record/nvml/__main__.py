"""``python -m conformance.record.nvml -o FILE``: ask the NVML of this machine, and write its answers as JSON.

It needs two cards, a driver with its library, and nothing else but ctypes; it changes nothing.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import sys
from pathlib import Path

from conformance.record.nvml import ask, beside_cuda
from conformance.record.nvml.plan import programs


def main(arguments: list[str] | None = None) -> int:
    """Ask, and write what was answered.

    Args:
        arguments: The command line; by default that of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m conformance.record.nvml", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file")
    parser.add_argument("--library", default=ask.LIBRARY, help="the library's name or path")
    options = parser.parse_args(arguments)
    recorded = {}
    for name, program in programs().items():
        recorded[name] = ask.answers(program, options.library)
        codes = sorted({str(answer[2]) for answer in recorded[name]})
        print(f"{name}: {len(recorded[name])} answers: {', '.join(codes)}", flush=True)
    told = ask.in_fork(lambda: beside_cuda.steps(options.library))
    [exported] = ask.in_fork(lambda: iter([_exported(options.library)]))
    lines = ",\n".join(f"  {json.dumps(name)}: {_lines(found)}" for name, found in recorded.items())
    head = json.dumps({"exported": exported})[1:-1]
    options.output.write_text(
        f'{{{head},\n "beside cuda": {_lines(told)},\n "programs": {{\n{lines}\n }}\n}}\n', encoding="utf-8"
    )
    return 0


def _lines(rows: list[ask.Answer]) -> str:
    return "[\n" + ",\n".join(f"   {json.dumps(row)}" for row in rows) + "\n  ]"


def _exported(library: str) -> list[str]:
    """Return the functions that the library exports."""
    loaded = ctypes.CDLL(library)
    paths = re.findall(r"(/\S*libnvidia-ml\.so\S*)", Path("/proc/self/maps").read_text())
    names = {
        name.decode() for path in paths[:1] for name in re.findall(rb"\0(nvml[A-Z]\w+)(?=\0)", Path(path).read_bytes())
    }
    return sorted(name for name in names if hasattr(loaded, name))


if __name__ == "__main__":
    sys.exit(main())
