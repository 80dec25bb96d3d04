"""A shared machine with a client, and compiled C programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.reach.remote.linked.build import CACHE, compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.reach.process import Process

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where nothing can be compiled, or run."""
    reason = f"linked programs need {NEEDS}" if not NATIVE else "" if compiler() else "no C compiler is found"
    for item in items:
        if reason and item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the client once for all workers of a run, and leave the user's own alone."""
    base = tmp_path_factory.getbasetemp()
    monkeypatch.setenv(CACHE, str((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"))


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A shared machine with two devices that programs without Python find."""
    with Machine("h200-x2", strict=False) as made, made.shared(export=False):
        made.link()
        yield made
        made.check_invariants()


@pytest.fixture
def stand_in(tmp_path: Path) -> tuple[Path, str]:
    """The stand-in driver, and a program that is linked to it."""
    library, program = tmp_path / "stand_in" / "libcuda.so.1", tmp_path / "future"
    library.parent.mkdir()
    command = compiler()
    assert command is not None
    shared = ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-Wl,-Bsymbolic"]
    subprocess.run([*command, *shared, "-o", str(library), str(PROGRAMS / "stand_in.c")], check=True)
    subprocess.run([*command, "-o", str(program), str(PROGRAMS / "future.c"), str(library)], check=True)
    return library, str(program)


@pytest.fixture
def exporter(machine: Machine) -> Process:
    """A process of the machine in Python, with a current context of device 0."""
    process = machine.spawn()
    process.c.cuInit(0)
    assert process.c.cuCtxCreate(None, 0, 0)[0] == 0
    return process


class Program:
    """A running program.

    Args:
        command: Its command line.
        environ: Its environment.
    """

    def __init__(self, command: list[str], environ: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, stderr=pipe)

    def line(self) -> str:
        """Return the next line that it prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().rstrip("\n")

    def say(self, text: str) -> None:
        """Give it a line to read."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """Wait until it has ended well, and return what it has printed since."""
        out, said = self.process.communicate()
        assert not said, said
        assert self.process.returncode == 0, out
        return out.decode()

    def kill(self) -> None:
        """End it with SIGKILL; it is gone when this returns."""
        self.process.kill()
        self.process.communicate()


_compiled: dict[tuple[str, ...], Path] = {}
"""Compiled programs of this process, by source."""


@pytest.fixture
def compile_program(tmp_path: Path, machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return what compiles a program of this folder, linked to some libraries; further options may follow.

    Each test has a copy of its own.
    """

    def compiled(name: str, *libraries: str, options: tuple[str, ...] = ()) -> Path:
        file = f"{name}{sysconfig.get_config_var('EXT_SUFFIX') if '-shared' in options else ''}"
        asked = (*(compiler() or ()), file, *libraries, *options)
        if asked not in _compiled:
            _compiled[asked] = _compile(
                name, tmp_path_factory.mktemp("programs") / file, machine.link(), libraries, options
            )
        return Path(shutil.copy(_compiled[asked], tmp_path))

    return compiled


def _compile(name: str, made: Path, folder: Path, libraries: tuple[str, ...], options: tuple[str, ...]) -> Path:
    command = compiler()
    assert command is not None
    linked = [str(folder / library) for library in libraries]
    done = subprocess.run(
        [*command, "-Wall", "-o", str(made), str(PROGRAMS / f"{name}.c"), *options, *linked, "-pthread"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def start(machine: Machine) -> Iterator[Callable[..., Program]]:
    """Return what starts a program on the machine."""
    started: list[Program] = []

    def begin(path: Path, *arguments: str, **environ: str) -> Program:
        assert machine.offer is not None
        variables = {**os.environ, **machine.offer.environ(), **environ}
        started.append(Program([str(path), *arguments], variables))
        return started[-1]

    yield begin
    for program in started:
        program.kill()
        streams: list[IO[bytes] | None] = [program.process.stdin, program.process.stdout, program.process.stderr]
        for stream in streams:
            if stream is not None:
                stream.close()
