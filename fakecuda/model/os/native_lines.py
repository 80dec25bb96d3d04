"""Source lines of native code, from debugging information by ``addr2line``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache

READER = "addr2line"
LONGEST = 10
"""The maximum seconds for reading a file."""
UNKNOWN = "?"
BETWEEN = re.compile(r"/usr/(include|lib/gcc|local/cuda[^:]*/include)/|/tmpxft_[^/:]*\.(stub\.c|cudafe1\.cpp):")
"""Source files between a program's line and the call: CUDA headers, nvcc stubs."""
STUB = re.compile(r" in (\S+ )?__device_stub__")
"""The end of the line of an nvcc stub, whose caller stands for the kernel."""
HELPER = re.compile(r" in (\S+ )?__cudaLaunchKernel_helper")
"""The end of the line of nvcc's function that launches a kernel."""


def are_between(texts: list[str]) -> list[bool]:
    """Return which native lines are between a program's line and the call.

    Args:
        texts: The lines, innermost first, as :func:`native_line` returns them.
    """
    inner = ["", *texts]
    named = BETWEEN, STUB, HELPER
    return [
        any(one.search(text) for one in named) or bool(STUB.search(inner[number])) for number, text in enumerate(texts)
    ]


def native_line(file: str, offset: int) -> str:
    """Return a line of text for a native address: file, line, function.

    It names the file and the offset instead of what is not known: without debugging information (``-g``), or without
    ``addr2line``. It may run that program, so the caller holds no lock.

    Args:
        file: The path of a program or a library.
        offset: The address in it, as its sections count.
    """
    return _line(file, offset, _identity(file))


def _identity(file: str) -> tuple[int, ...]:
    """Return numbers that change with each build of a file; empty without the file."""
    try:
        found = os.stat(file)  # noqa: PTH116 - a name that is not a path has no file
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4096)
def _line(file: str, offset: int, identity: tuple[int, ...]) -> str:  # noqa: ARG001 - a key of the cache
    """Return the line of an offset in a file with an identity."""
    read = _read(file, offset).splitlines()
    function, found = next(iter(read), ""), []
    for name, place in zip(read[::2], read[1::2], strict=False):  # of inlined functions, innermost first
        source, _, line = place.partition(" (")[0].rpartition(":")
        if source and line.isdecimal() and not source.startswith(UNKNOWN):
            found.append(f"{source}:{line} in {name}")
    if found:
        return next((text for text, between in zip(found, are_between(found), strict=True) if not between), found[0])
    named = f" in {function}" if function and not function.startswith(UNKNOWN) else ""
    return f"{file}+{offset:#x}{named}"


def _read(file: str, offset: int) -> str:
    """Return the output of ``addr2line``, with inlined functions; empty on failure."""
    command = shutil.which(READER)
    if command is None or not os.path.isabs(file):  # noqa: PTH117 - as shown
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - the file is a program that the user has run
            [command, "-f", "-i", "-C", "-e", file, f"{offset:#x}"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=LONGEST,
            env={"LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if not done.returncode else ""
