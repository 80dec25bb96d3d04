"""Finds a library in each way, and prints a function's answer and the log."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import subprocess
import sys
from pathlib import Path

ABSENT = -1


PATHFINDER = {"libcuda": "cuda", "libnvidia-ml": "nvml", "libcudart": "cudart"}
"""The names of the libraries in cuda.pathfinder."""
WHEELS = {"libcudart.so.13": "nvidia/cu13/lib", "libcudart.so.12": "nvidia/cuda_runtime/lib"}
"""The folder of a library in a wheel."""


def answers(asker: str, name: str, function: str) -> dict[str, int]:
    """Return the answer of a function of a library, by the way to find the library."""
    place = str(Path(os.environ["LD_LIBRARY_PATH"].partition(":")[0]) / name)
    compiled = ctypes.CDLL(asker)
    found: dict[str, int] = {}
    for way in (compiled.answer_here, compiled.answer_in_a_thread):
        for by, path in (("path", place), ("name", name)):
            found[f"{way.__name__} by {by}"] = way(path.encode(), function.encode())
    for by, path in (("path", place), ("name", name), ("CUDA_PATH", f"/usr/local/cuda/lib64/stubs/{name}")):
        found[f"ctypes by {by}"] = ctypes.CDLL(path)[function](0)
    if name in WHEELS:
        for way in (compiled.answer_here, compiled.answer_in_a_thread):
            wheel = str(Path(os.environ["PYTHONPATH"]) / WHEELS[name] / name)
            found[f"{way.__name__} in a wheel"] = way(wheel.encode(), function.encode())
    if (short := name.partition(".so")[0]) in PATHFINDER:
        from cuda import pathfinder  # noqa: PLC0415 - it loads libraries

        loaded = pathfinder.load_nvidia_dynamic_lib(PATHFINDER[short])
        found["pathfinder"] = ctypes.CDLL(None, handle=loaded._handle_uint)[function](0)
    searched = ctypes.util.find_library(name.removeprefix("lib").partition(".so")[0])
    found["find_library"] = ctypes.CDLL(searched)[function](0) if searched else ABSENT
    return found


def forked(*question: str) -> dict[str, int]:
    """Return the answers in a forked child."""
    reading, writing = os.pipe()
    if not os.fork():
        try:
            os.write(writing, json.dumps(answers(*question)).encode())
        finally:
            os._exit(0)
    os.wait()
    return dict(json.loads(os.read(reading, 10000)))


def main() -> None:
    """Ask in this process, a fork and a child; the arguments: the profile, when to link, and those of ``answers``."""
    profile, linking, *question = sys.argv[1:]
    import fakecuda  # noqa: PLC0415 - the child has another one

    with fakecuda.simulate(profile) as machine:
        if linking == "link":
            machine.link()
        found = {"fork": forked(*question)}
        found["here"] = answers(*question)
        command = [sys.executable, __file__, *question]
        found["child"] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        sys.stdout.write(json.dumps([found, [(record.process, record.call) for record in machine.log]]))


if __name__ == "__main__":
    if len(sys.argv) > 4:
        main()
    else:
        sys.stdout.write(json.dumps(answers(*sys.argv[1:])))
