"""Files that an attached process names: they are found where that process finds them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.ordered.kernels import CODE
from fakecuda.errors import FakeCudaError
from fakecuda.reach.remote.owner import remote_memory
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine
    from tests.remote.conftest import Child

NAME = "code.ptx"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Callable[[], Child]) -> Child:
    """Return an attached process with a context whose folder is another one, with a file of code."""
    (tmp_path / NAME).write_bytes(CODE.rstrip(b"\0"))
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        child = start()
        assert child.call("cuInit", 0) == (0,)
    assert child.call("cuCtxCreate", None, 0, 0)[0] == 0
    return child


LOADS: dict[str, Callable[[bytes], tuple[Any, ...]]] = {
    "cuModuleLoad": lambda name: (name,),
    "cuLibraryLoadFromFile": lambda name: (name, None, None, 0, None, None, 0),
}


@pytest.mark.parametrize("call", LOADS)
def test_code_is_loaded(elsewhere: Child, tmp_path: Path, call: str) -> None:
    """By a relative and an absolute path, and by a descriptor of the process."""
    descriptors = os.pathconf(tmp_path, "PC_NAME_MAX")  # more than the process has open
    for name, code in (
        (NAME, 0),
        (str(tmp_path / NAME), 0),
        ("/proc/self/cwd/code.ptx", 0),
        ("missing.ptx", Result.FILE_NOT_FOUND),
        ("", Result.INVALID_VALUE),
        (f"/dev/fd/{descriptors}", Result.FILE_NOT_FOUND),
    ):
        assert elsewhere.call(call, *LOADS[call](name.encode()))[0] == code, name


def test_a_graph_is_drawn(elsewhere: Child, tmp_path: Path) -> None:
    """In the process's folder."""
    _, graph = elsewhere.call("cuGraphCreate", 0)
    assert elsewhere.call("cuGraphDebugDotPrint", graph, b"graph.dot", 0) == (0,)
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")


def test_files_that_cannot_be_seen(machine: Machine, elsewhere: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says so, and what to do: nothing tells whether they are there."""
    [attached] = [one for one in machine.processes.values() if one.pid == elsewhere.pid]
    monkeypatch.setattr(remote_memory, "PROC", "/nowhere")
    with pytest.raises(FakeCudaError, match=r"cannot be seen .* pass the content of the file in place of its path"):
        attached.system.path(NAME.encode())
