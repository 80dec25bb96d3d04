"""Finds or builds a C library: the wheel's, the user's, or a new one.

A wheel for a processor has a built client, so that no compiler is needed. A checkout and a wheel for any processor have
none. There, the first program compiles it. A library's folder has the digest of its sources as its name, so a library of
other sources is never used.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = Path(__file__).parent
BUILT = HERE / "built"
"""The folder of clients in the wheel."""
SOURCES = (
    "attach.c",
    "calls.c",
    "client.c",
    "exports.c",
    "invoke.c",
    "line.c",
    "memory.c",
    "program.c",
    "report.c",
    "requests.c",
    "room.c",
    "sites.c",
    "state.c",
    "values.c",
    "versions.h",
)
COMPILERS = ("cc", "gcc", "clang")
OPTIONS = ("-std=gnu11", "-O0", "-g0", "-shared", "-fPIC", "-pthread", "-Wl,-z,nodelete")
CACHE = "XDG_CACHE_HOME"


class NoCompilerError(FakeCudaError):
    """An exception: there is no C compiler, or it fails."""


def compiler() -> list[str] | None:
    """Return the command of a C compiler: CC, or a compiler that is found.

    The result is None without a compiler.
    """
    named = shlex.split(os.environ.get("CC", ""))
    return named or next(([found] for found in map(shutil.which, COMPILERS) if found), None)


@frozen
class Sources:
    """The sources of a C library.

    Attributes:
        file: The name of the library's file.
        main: The file that includes all others.
        purpose: What the library is for, for messages.
        texts: Returns the contents of all files, by name.
        options: The compiler's options.
    """

    file: str
    main: str
    purpose: str
    texts: Callable[[], dict[str, str]]
    options: tuple[str, ...]

    def digest(self, machine: str) -> str:
        """Return the name of the library's folder.

        It depends on the contents and on the processor, because machines may share a cache.

        Args:
            machine: The processor, as :func:`platform.machine` returns it.
        """
        texts = self.texts()
        return sha256("\0".join([machine, *self.options, *texts, *texts.values()]).encode()).hexdigest()[:32]

    def library(self) -> Path:
        """Return the path of the library.

        Build it if neither this installation nor this user's cache has it.

        Raises:
            NoCompilerError: It must be built, and there is no C compiler or no room, or it fails; the text says what to do.
        """
        name = self.digest(platform.machine())
        for folder in (BUILT, _cache()):
            if (path := folder / name / self.file).exists():
                return path
        try:
            self.build(path)
        except OSError as error:
            msg = (
                f"fakecuda cannot write the C library {self.purpose} to {path.parent} ({error.strerror}): set the "
                f"environment variable {CACHE} to a writable folder with free space"
            )
            raise NoCompilerError(msg) from error
        return path

    def build(self, path: Path, *options: str) -> None:
        """Compile the library into a file.

        Args:
            path: The file. Missing folders are made.
            options: Further options of the compiler.

        Raises:
            NoCompilerError: As for :meth:`library`.
        """
        command = compiler()
        if command is None:
            raise NoCompilerError(self._without_compiler())
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            for name, text in self.texts().items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            made = Path(folder) / self.file
            done = _compiled([*command, *self.options, "-o", str(made), str(Path(folder) / self.main), *options])
            if done:
                msg = (
                    f"fakecuda cannot compile the C library {self.purpose}: set the environment variable CC to a C "
                    f"compiler that works. {shlex.join(command)} fails with: {done}"
                )
                raise NoCompilerError(msg)
            made.replace(path)  # another process may have built the same file meanwhile

    def _without_compiler(self) -> str:
        """Return advice if the library is not built and cannot be built."""
        stale = next(BUILT.glob(f"*/{self.file}"), None)
        why = (
            f"the file {stale} is for another processor or other sources than this installation's"
            if stale
            else "this installation of fakecuda has no built one, because it is a checkout or a wheel for any processor"
        )
        return (
            f"there is no C library {self.purpose}: {why}, and no C compiler was found ({', '.join(COMPILERS)}): install a "
            f"wheel for {platform.machine()} or a compiler, or set the environment variable CC to one"
        )


def _cache() -> Path:
    folder = os.environ.get(CACHE, "")
    return (Path(folder) if os.path.isabs(folder) else Path("~/.cache").expanduser()) / "fakecuda"  # noqa: PTH117 - "" is not a path


def read(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the contents of source files, by name."""
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


@cache
def _texts() -> dict[str, str]:
    """Return the source files of the client, by name."""
    from fakecuda.reach.remote.linked import constants, tables  # noqa: PLC0415 - it reads all descriptions

    made = {"constants.h": constants.constants(), "functions.h": tables.functions(), "tables.h": tables.tables()}
    return read(HERE, SOURCES) | made


CLIENT = Sources(
    objects.CLIENT,
    "client.c",
    "by which programs without Python reach the machine",
    lambda: _texts(),  # noqa: PLW0108 - a test replaces it
    OPTIONS,
)
"""The client of a shared machine."""


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
        (directory / objects.CLIENT).symlink_to(CLIENT.library())
    for kind in (*objects.every(), *map(objects.runtime, objects.RUNTIMES)):
        library.place(directory, kind, linked=True)
