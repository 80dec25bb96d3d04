"""The library that these tests call instead of a driver."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from realcuda import Machine
from tests.limits import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from realcuda import Process


@pytest.fixture(scope="session")
def stub(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a driver of a few functions, compiled from ``stub.c``."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed: the stub driver cannot be built")
    made = tmp_path_factory.mktemp("stub") / "libcuda.so.1"
    source = Path(__file__).with_name("stub.c")
    command = [compiler, "-O1", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(made), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return str(made)


@pytest.fixture
def machine(stub: str) -> Iterator[Machine]:
    """Return a machine whose processes call the stub; they end with the test."""
    with Machine(library=stub, limit=LONG) as made:
        yield made


@pytest.fixture
def a(machine: Machine) -> Process:
    """Return an initialised process."""
    process = machine.spawn()
    assert process.c.cuInit(0) == (0,)
    return process
