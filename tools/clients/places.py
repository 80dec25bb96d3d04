"""Where a suite runs: an environment of its own, and the files of its source."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from typing import TYPE_CHECKING

from attrs import frozen

from tools.clients.suites import HERE
from tools.codegen.steps import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tools.clients.suites import Source, Suite

ALWAYS = ("pytest==9.2.0", "msgpack", "setuptools")
"""What each environment has beside fakecuda and the suite's packages."""
STATED = "packages.txt"
"""The file that says what an environment was made with."""


class Unavailable(Exception):  # noqa: N818 - a suite, not an error of the command
    """What a suite needs is not to be had here; the text says what to do."""


@frozen
class Place:
    """Where a suite runs.

    Attributes:
        python: The environment's interpreter.
        folder: The folder that pytest runs in.
        commit: The commit of the source; empty without one.
    """

    python: Path
    folder: Path
    commit: str


def place(suite: Suite, kept: Path, sources: Mapping[str, Path]) -> Place:
    """Make what a suite needs, or take it from an earlier run.

    Args:
        suite: The suite.
        kept: The folder of environments and clones.
        sources: Clones that are there, by the names of the sources.

    Raises:
        Unavailable: A package or a source cannot be had.
    """
    python = _environment(suite, kept / "environments" / suite.name)
    root, commit = kept / "suites" / suite.name, ""
    shutil.rmtree(root, ignore_errors=True)
    (root / suite.folder).mkdir(parents=True)
    if suite.source is not None:
        clone = sources.get(suite.source.name) or _clone(suite.source, kept / "clones" / suite.source.name)
        commit = _extract(suite.source, clone, root)
    if suite.ours:
        shutil.copy(HERE / suite.ours, root)
    (root / "pytest.ini").touch()  # or pytest looks for one above
    change(suite, root)
    packages = python.parents[1] / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    for folder, where in suite.installed.items():
        shutil.copytree(root / folder, packages / where, dirs_exist_ok=True)
    return Place(python, root / suite.folder, commit)


def change(suite: Suite, root: Path) -> None:
    """Make a suite's changes in the files of its source.

    Raises:
        Unavailable: A text is not there.
    """
    for one in suite.changes:
        text = (root / one.file).read_text(encoding="utf-8")
        if one.old not in text:
            msg = f"{suite.name}: {one.file} has no {one.old!r}: correct the change"
            raise Unavailable(msg)
        (root / one.file).write_text(text.replace(one.old, one.new), encoding="utf-8")


def _environment(suite: Suite, folder: Path) -> Path:
    """Return the interpreter of the suite's environment, which is made where it has other packages or is not there."""
    wanted, python = "\n".join((*ALWAYS, *suite.packages)), folder / "bin" / "python"
    stated = folder / STATED
    if not stated.exists() or stated.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", folder], f"{suite.name}: no environment")
        _run([python, "-m", "pip", "install", "-q", "-e", ROOT, *ALWAYS, *suite.packages], f"{suite.name}: no packages")
        stated.write_text(wanted)
    return python


def _clone(source: Source, folder: Path) -> Path:
    if not folder.exists():
        hint = f"{source.url} cannot be cloned: give a clone with --source {source.name}=PATH"
        _run(["git", "clone", "-q", "--bare", source.url, folder], hint)
    return folder


def _extract(source: Source, clone: Path, folder: Path) -> str:
    """Put the files of a commit into a folder; return the commit's whole name."""
    hint = f"{clone} has no commit {source.commit} with {', '.join(source.files)}: fetch it there"
    packed = _run(["git", "-C", clone, "archive", source.commit, *source.files], hint)
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return _run(["git", "-C", clone, "rev-parse", f"{source.commit}^{{commit}}"], hint).decode().strip()


def _run(command: list[str | Path], hint: str) -> bytes:
    """Run a command and return what it prints.

    Raises:
        Unavailable: It fails; the text is the hint, with what the command said.
    """
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        msg = f"{hint}\n{done.stderr.decode(errors='replace')[-2000:]}"
        raise Unavailable(msg)
    return done.stdout
