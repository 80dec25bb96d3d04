"""Compiled kernels on disk, for other OS processes.

A file's name says all that its code depends on, so that the code of other contents is never used. A file comes into being by a
rename, and begins with a digest of the rest. A damaged file is ignored, and replaced.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import tempfile
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

OFF = "FAKECUDA_KERNEL_CACHE"
"""The environment variable that disables the cache if it is 0."""
FOLDER = "XDG_CACHE_HOME"
MOST = 64 << 20
"""The maximum size of all files in bytes."""
HEAD = struct.Struct("<32sI")
"""The header of a file: a digest, and the size of the description."""
OURS = Path(__file__).parents[1]
"""The modules that generate code."""


def folder() -> Path | None:
    """Return the folder of the files. None if no file may be read or written."""
    if os.environ.get(OFF, "") == "0":
        return None
    found = Path(os.environ.get(FOLDER, ""))
    try:
        base = found if found.is_absolute() else Path("~/.cache").expanduser()
    except RuntimeError:  # the user has no home
        return None
    return base / "fakecuda" / "kernels"


@lru_cache(maxsize=1)
def version() -> str:
    """Return what identifies a version of fakecuda: module names, times and sizes."""
    found = [(one.name, one.stat()) for part in (OURS, OURS / "compiled") for one in os.scandir(part)]
    return str(sorted((name, one.st_mtime_ns, one.st_size) for name, one in found if name.endswith(".py")))


def name_of(*parts: object) -> str:
    """Return the name of a cache file, from everything that its code depends on."""
    return sha256("\0".join([version(), *map(str, parts)]).encode()).hexdigest()


def read(name: str) -> tuple[Any, bytes] | None:
    """Return the description and the code of a file; None if missing or damaged."""
    place = folder()
    if place is None:
        return None
    with contextlib.suppress(OSError, ValueError, struct.error):
        data = (place / name).read_bytes()
        digest, size = HEAD.unpack_from(data)
        if sha256(data[len(digest) :]).digest() == digest:
            os.utime(place / name)  # the oldest are removed
            return json.loads(data[HEAD.size : HEAD.size + size]), data[HEAD.size + size :]
    return None


def write(name: str, description: object, code: bytes) -> None:
    """Write a file if possible, and remove the oldest files if all are too large."""
    place = folder()
    if place is None:
        return
    text = json.dumps(description).encode()
    rest = struct.pack("<I", len(text)) + text + code
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, made = tempfile.mkstemp(dir=place)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(sha256(rest).digest() + rest)
            Path(made).replace(place / name)
        except OSError:
            Path(made).unlink()
            raise
        _trim(place)


def _trim(place: Path) -> None:
    """Remove the oldest files until the rest is small enough."""
    found = sorted((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path) for entry in os.scandir(place))
    total = sum(size for _, size, _ in found)
    for _, size, path in found:
        if total <= MOST:
            return
        with contextlib.suppress(OSError):  # another process has removed it
            Path(path).unlink()
        total -= size
