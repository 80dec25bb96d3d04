"""What a machine has found of a program without Python: on request, at exit, and by a listener of GoogleTest."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda import Machine
from fakecuda.reach.remote import AT_EXIT
from fakecuda.reach.remote.protocol.questions import Report

from .conftest import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Program

DRIVER = "libcuda.so.1"
INCLUDE = Path(fakecuda.__file__).parent / "include"
COMPILER = shutil.which("c++")
GTEST = Path("/usr/include/gtest/gtest.h")
DOES = "init", "leaks", "findings", "errors"
LEFT = "left behind: 1 allocation\n"
BROKEN = "undefined behaviour: cuMemcpyHtoD in process "
REFUSED = "refused call: cuMemAlloc -> INVALID_VALUE\n"


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A shared machine that reports undefined behaviour."""
    with Machine("h200") as made, made.shared(export=False):
        made.link()
        yield made
        made.check_invariants()


@pytest.fixture
def leaves(compile_program: Callable[..., Path]) -> Path:
    """The program that does what its arguments say."""
    return compile_program("leaves", DRIVER, options=(f"-I{INCLUDE}", "-ldl"))


@pytest.mark.parametrize(
    ("asked", "does", "parts", "status"),
    [
        ("", DOES, (), 0),
        ("findings", DOES, (BROKEN,), 1),
        ("leaks", DOES, (LEFT,), 1),
        ("errors", DOES, (REFUSED,), 1),
        ("findings,leaks,errors", DOES, (BROKEN, LEFT, REFUSED), 1),
        ("findings,leaks,errors", ("init",), (), 0),
        ("findings,leaks,errors", (), (), 0),
        ("leaks", ("init", "leaks", "atexit"), (), 0),
        ("leaks", (*DOES, "3"), (LEFT,), 3),
        ("findings", (*DOES, "3"), (BROKEN,), 3),
    ],
)
def test_at_exit(
    leaves: Path, start: Callable[..., Program], asked: str, does: tuple[str, ...], parts: tuple[str, ...], status: int
) -> None:
    """It prints what the variable asks for. The exit status is 1 then, or the program's own if that is not 0."""
    process = start(leaves, *does, **{AT_EXIT: asked}).process
    out, said = process.communicate()
    assert (process.returncode, out) == (status, b""), said
    text = said.decode()
    assert text.startswith("fakecuda: ") is bool(parts)
    assert [part in text for part in (BROKEN, LEFT, REFUSED)] == [part in parts for part in (BROKEN, LEFT, REFUSED)], (
        text
    )


@pytest.mark.parametrize(("arguments", "status"), [((), 1), (("0",), 1), (("3",), 3)])
def test_at_exit_of_a_program_that_loads_the_driver(
    compile_program: Callable[..., Path], start: Callable[..., Program], arguments: tuple[str, ...], status: int
) -> None:
    """The client learns the exit status before its destructor runs, not after it."""
    process = start(compile_program("loads", options=("-ldl",)), *arguments, **{AT_EXIT: "leaks"}).process
    out, said = process.communicate()
    assert (process.returncode, out) == (status, b""), said
    assert said.decode().startswith(f"fakecuda: {LEFT}")


def test_an_unknown_word(leaves: Path, start: Callable[..., Program]) -> None:
    """The message has the word and the known ones."""
    process = start(leaves, **{AT_EXIT: "leak,,findings"}).process
    _, said = process.communicate()
    expected = f"fakecuda: {AT_EXIT} has leak: write findings, leaks, errors, or several with commas\n"
    assert (process.returncode, said.decode()) == (0, expected)


def test_a_request_reports_what_is_new(leaves: Path, start: Callable[..., Program]) -> None:
    """Each object is reported once."""
    first, second, third, rest = start(leaves, "init", "ask", "leaks", "ask", "ask").end().split("|")
    assert (first, third, rest) == ("", "", "")
    assert second.startswith(LEFT)


def test_the_python_test_reports_it_all_the_same(machine: Machine, leaves: Path, start: Callable[..., Program]) -> None:
    """What a program has printed is not taken from the machine."""
    start(leaves, *DOES, **{AT_EXIT: "findings"}).process.communicate()
    assert [one.rule.id for one in machine.findings] == ["copy.range.ADDRESS_IS_KNOWN"]
    machine.findings.clear()


def test_the_header_has_the_numbers() -> None:
    """Those of the protocol."""
    text = (INCLUDE / "fakecuda.h").read_text()
    numbers = dict(re.findall(r"FAKECUDA_(\w+) = (\d+)", text))
    assert numbers == {one.name: str(int(one)) for one in Report}


def test_the_command_names_the_folder() -> None:
    """The option for a compiler, or the folder alone."""
    command = [sys.executable, "-m", "fakecuda", "config"]
    assert subprocess.check_output(command, text=True) == f"-I{INCLUDE}\n"
    assert subprocess.check_output([*command, "--include"], text=True) == f"{INCLUDE}\n"


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler is found")
@pytest.mark.parametrize("is_real", [False, True], ids=["interface", "GoogleTest"])
def test_the_listener(machine: Machine, start: Callable[..., Program], tmp_path: Path, *, is_real: bool) -> None:
    """A test fails with its own findings and leaks, and with no other's."""
    if is_real and not GTEST.exists():
        pytest.skip("GoogleTest is not installed (apt-get install libgtest-dev)")
    program = tmp_path / "suite"
    gtest = ["-lgtest"] if is_real else [f"-I{PROGRAMS}"]
    command = [
        COMPILER,
        PROGRAMS / "suite.cc",
        "-o",
        program,
        f"-I{INCLUDE}",
        *gtest,
        machine.link() / DRIVER,
        "-pthread",
    ]
    subprocess.run([str(one) for one in (*command, "-ldl")], check=True)
    out = start(program).process.communicate()[0].decode()
    results = _results(out)
    assert results == {
        "IsClean": "OK",
        "Leaks": "FAILED",
        "FreesWhatAnotherHasLeaked": "OK",
        "ReadsUnknownMemory": "FAILED",
        "IsRefused": "FAILED",
        "ExpectsARefusal": "OK",
    }
    assert out.count(LEFT) == out.count(BROKEN) == out.count(REFUSED) == 1
    machine.findings.clear()


def _results(out: str) -> dict[str, str]:
    """Return the results of the tests by name."""
    return {name: result for result, name in re.findall(r"\[ +(OK|FAILED) +\] Driver\.(\w+) \(", out)}
