"""The place where a suite runs: its own environment, and the files of its source."""

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
"""Packages of every environment besides fakecuda and the suite's own packages."""
STATED = "packages.txt"
"""The file that lists the packages of an environment."""


class Unavailable(Exception):  # noqa: N818 - a suite, not an error of the command
    """A suite needs something that is not available; the text says what to do."""


@frozen
class Place:
    """The place where a suite runs.

    Attributes:
        python: The environment's interpreter.
        folder: pytest's working directory.
        commit: The commit of the source; empty without one.
    """

    python: Path
    folder: Path
    commit: str


def place(suite: Suite, kept: Path, sources: Mapping[str, Path]) -> Place:
    """Prepare the place of a suite.

    Reuse the environment and clone of an earlier run.

    Args:
        suite: The suite.
        kept: The folder of environments and clones.
        sources: Existing clones, by the names of the sources.

    Raises:
        Unavailable: A package or a source is not available.
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
    (root / "pytest.ini").touch()  # otherwise pytest looks for one in the parent folders
    change(suite, root)
    packages = python.parents[1] / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    for folder, where in suite.installed.items():
        shutil.copytree(root / folder, packages / where, dirs_exist_ok=True)
    return Place(python, root / suite.folder, commit)


def change(suite: Suite, root: Path) -> None:
    """Apply a suite's changes to the files of its source.

    Raises:
        Unavailable: A text to change is not in its file.
    """
    for one in suite.changes:
        text = (root / one.file).read_text(encoding="utf-8")
        if one.old not in text:
            msg = f"{suite.name}: {one.file} does not contain {one.old!r}: correct the change in suites.toml"
            raise Unavailable(msg)
        (root / one.file).write_text(text.replace(one.old, one.new), encoding="utf-8")


def _environment(suite: Suite, folder: Path) -> Path:
    """Return the interpreter of the suite's environment.

    If its packages differ, the environment is made again.
    """
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
    """Extract the files of a commit into a folder; return the full commit id."""
    hint = f"{clone} has no commit {source.commit} with {', '.join(source.files)}: fetch it there"
    packed = _run(["git", "-C", clone, "archive", source.commit, *source.files], hint)
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return _run(["git", "-C", clone, "rev-parse", f"{source.commit}^{{commit}}"], hint).decode().strip()


def _run(command: list[str | Path], hint: str) -> bytes:
    """Run a command and return its output.

    Raises:
        Unavailable: The command fails; the text is the hint and the command's error output.
    """
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        msg = f"{hint}\n{done.stderr.decode(errors='replace')[-2000:]}"
        raise Unavailable(msg)
    return done.stdout
