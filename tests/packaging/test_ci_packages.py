"""The script behind ``.ci/long packages``: which Pythons it finds, and what it takes for wrong."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType


def load(path: Path) -> ModuleType:
    """Return a script, which lies in no package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


packages = load(Path(__file__).parents[2] / ".ci" / "packages.py")


def command(path: Path, text: str) -> Path:
    """Write a shell script."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def wheel(path: Path, *names: str) -> Path:
    """Write a wheel of empty files."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x-1.dist-info/RECORD", "".join(f"{name},,\n" for name in (*names, "x-1.dist-info/RECORD")))
    return path


def test_pythons_are_those_that_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shim that leads nowhere is passed by, and uv is asked for what PATH does not have."""
    command(tmp_path / "a" / "python3.12", "exit 127")
    first = command(tmp_path / "b" / "python3.12", "exit 0")
    command(tmp_path / "a" / "python3.13", "exit 127")
    second = command(tmp_path / "c" / "python", "exit 0")
    command(tmp_path / "a" / "uv", f'[ "$4" = 3.14 ] && echo {second}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert packages.pythons() == {12: first, 14: second}


def test_without_any_python_it_takes_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment's interpreter need not be on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert packages.pythons() == {sys.version_info.minor: Path(sys.executable)}


def test_names_at_the_top_are_read_from_the_record(tmp_path: Path) -> None:
    """Packages, modules and other files; a wheel's own metadata is no name that anybody imports."""
    made = wheel(tmp_path / "x-1-py3-none-any.whl", "fakecuda/a.py", "fakecuda/b/c.py", "fakecuda.pth", "tests/d.py")
    assert packages.top_level(made) == {"fakecuda", "fakecuda.pth", "tests"}


def test_a_wheel_with_another_name_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text has both lists."""
    wheel(tmp_path / "fakecuda-1-py3-none-any.whl", "fakecuda/a.py", "realcuda/a.py", "fakecuda.pth", "tests/d.py")
    wheel(tmp_path / "fakecuda_conformance-1-py3-none-any.whl", "conformance/a.py")
    (tmp_path / "fakecuda-1.tar.gz").touch()
    monkeypatch.setattr(packages, "run", lambda *_: "")
    with pytest.raises(packages.Wrong, match=r"has \['fakecuda', 'fakecuda.pth', 'realcuda', 'tests'\] at its top"):
        packages.build(tmp_path)


def test_a_command_with_another_status_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text has what it printed; nothing that the caller tells Python reaches it."""
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    code = "import os, sys; print(os.environ.get('PYTHONPATH')); sys.exit(3)"
    assert packages.run([sys.executable, "-c", code], tmp_path, status=3) == "None\n"
    with pytest.raises(packages.Wrong, match=r"ended with 3:\nNone\n"):
        packages.run([sys.executable, "-c", code], tmp_path)
