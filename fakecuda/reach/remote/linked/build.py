"""Builds the C client with the system's C compiler, once for each content."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import objects

HERE = Path(__file__).parent
SOURCES = ("calls.c", "client.c", "exports.c", "line.c", "memory.c", "room.c", "sites.c", "values.c")
COMPILERS = ("cc", "gcc", "clang")
OPTIONS = ("-std=gnu11", "-O0", "-g0", "-shared", "-fPIC", "-pthread", "-Wl,-z,nodelete")
CACHE = "XDG_CACHE_HOME"


def compiler() -> list[str] | None:
    """Return the command of a C compiler: CC, or a compiler that is found.

    The result is None without a compiler.
    """
    named = shlex.split(os.environ.get("CC", ""))
    return named or next(([found] for found in map(shutil.which, COMPILERS) if found), None)


def client() -> Path:
    """Return the path of the client.

    Build it if this user's cache does not have it.

    Raises:
        FakeCudaError: There is no C compiler, or it fails; the text says what to do.
    """
    texts = _texts()
    # The name depends on the contents and on the processor, because machines may share a cache.
    name = sha256("\0".join([os.uname().machine, *OPTIONS, *texts, *texts.values()]).encode()).hexdigest()[:32]
    path = _cache() / name / objects.CLIENT
    if not path.exists():
        _build(path, texts)
    return path


def _cache() -> Path:
    folder = os.environ.get(CACHE, "")
    return (Path(folder) if os.path.isabs(folder) else Path("~/.cache").expanduser()) / "fakecuda"  # noqa: PTH117 - "" is not a path


@cache
def _texts() -> dict[str, str]:
    """Return the source files of the client, by name."""
    from fakecuda.reach.remote.linked import tables  # noqa: PLC0415 - it reads all descriptions

    made = {"constants.h": tables.constants(), "functions.h": tables.functions(), "tables.h": tables.tables()}
    return {name: (HERE / name).read_text(encoding="utf-8") for name in SOURCES} | made


def _build(path: Path, texts: dict[str, str]) -> None:
    command = compiler()
    if command is None:
        msg = (
            "programs without Python reach the machine by a C library that fakecuda compiles, but no C compiler was "
            f"found ({', '.join(COMPILERS)}): install one, or set the environment variable CC to one"
        )
        raise FakeCudaError(msg)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        made = Path(folder) / objects.CLIENT
        done = _compiled([*command, *OPTIONS, "-o", str(made), str(Path(folder) / "client.c")])
        if done:
            msg = (
                "fakecuda cannot compile the C library by which programs without Python reach the machine: set the "
                f"environment variable CC to a C compiler that works. {shlex.join(command)} fails with: {done}"
            )
            raise FakeCudaError(msg)
        made.replace(path)  # another process may have built the same file meanwhile


def _compiled(command: list[str]) -> str:
    """Run a compiler; return its error output if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - the user's own
    except OSError as error:
        return str(error)
    return done.stderr.strip()[-1000:] or "nothing" if done.returncode else ""


def place(directory: Path) -> None:
    """Put the client and its stub libraries into a directory.

    Raises:
        FakeCudaError: As for :func:`client`; or there are no stubs for this processor.
    """
    from fakecuda.reach.native import library  # noqa: PLC0415 - it needs ctypes' callbacks

    with contextlib.suppress(FileExistsError):
        (directory / objects.CLIENT).symlink_to(client())
    for kind in (*objects.every(), *map(objects.runtime, objects.RUNTIMES)):
        library.place(directory, kind, linked=True)
