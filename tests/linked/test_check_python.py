"""Programs in Python that are checked beside a driver: findings have their lines, and the test that ran."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda.__main__ import main
from fakecuda.reach.shadow.build import PROCESSOR

from .shadow import on

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda import Machine

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

SUITE = """
import ctypes
import os

import pytest

os.environ["FAKECUDA_MACHINE"] = os.environ["ADDRESS"]  # too late for this Python to use the machine without the driver
driver = ctypes.CDLL("libcuda.so.1")


@pytest.fixture(scope="module", autouse=True)
def context():
    made = ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0) == 0
    assert driver.cuCtxSetCurrent(made) == 0


@pytest.mark.parametrize("how", ["frees", "leaks", "frees again"])
def test_memory(how):
    memory = ctypes.c_uint64()
    assert driver.cuMemAlloc_v2(ctypes.byref(memory), 4096) == 0
    if how != "leaks":
        assert driver.cuMemFree_v2(memory) == 0
"""


def by_python(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: str
) -> tuple[str, str]:
    """Check a run of Python that has one finding; return what was printed. ``ADDRESS`` is what SUITE's Python needs."""
    library, environ = on(machine)
    for name, value in {**environ, "LD_LIBRARY_PATH": str(library.parent)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ADDRESS", environ["FAKECUDA_MACHINE"])
    command = ["env", "-u", "FAKECUDA_MACHINE", sys.executable, *arguments]
    assert main(["check", "--real", "--profile", "h200-x2", "--", *command]) == 1
    return capfd.readouterr()


def test_a_finding_names_its_test(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program is pytest: the report says in which test the leaked memory was made."""
    (tmp_path / "test_suite.py").write_text(SUITE)
    monkeypatch.chdir(tmp_path)
    options = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py"]
    out, said = by_python(machine, monkeypatch, capfd, *options)
    assert "3 passed" in out
    assert said.count("left behind: ") == 1
    assert "  test       test_suite.py::test_memory[leaks]\n" in said
    line = SUITE.splitlines().index("    assert driver.cuMemAlloc_v2(ctypes.byref(memory), 4096) == 0") + 1
    assert re.search(rf"made at    call:\d+ in cuMemAlloc\n +from \S*test_suite.py:{line} in test_memory\n", said)


LEAK = """
import ctypes
import os
import threading

os.environ["FAKECUDA_MACHINE"] = os.environ["ADDRESS"]
driver = ctypes.CDLL("libcuda.so.1")


class Größe:
    def __init__(self):
        memory = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(memory), 4096) == 0


def in_a_thread():
    assert driver.cuCtxSetCurrent(context) == 0
    sorted([0], key=lambda _: Größe() and 0)  # C calls Python


context = ctypes.c_void_p()
assert driver.cuInit(0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
"""


def test_a_finding_has_lines_of_python(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The interpreter's frames are read without the GIL, which ctypes has released. Names may have any characters."""
    program = tmp_path / "größe_\u2200_\U0001f600.py"
    program.write_text(LEAK, encoding="utf-8")
    _, said = by_python(machine, monkeypatch, capfd, str(program))
    found = re.findall(rf"from {re.escape(str(program))}:(\d+) in (.*)", said)
    inner = "in_a_thread.<locals>.<lambda>"
    assert found == [("13", "Größe.__init__"), ("18", inner), ("18", "in_a_thread")]
