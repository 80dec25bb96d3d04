"""The cache of the generators' steps.

A step with unchanged inputs and outputs is skipped.
An entry has the hashes of all files that the step read and wrote, and the versions of all installed packages. If
anything differs, the step runs. Git ignores the folder of the entries.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.codegen import reads

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.codegen.steps import Step

ROOT = Path(__file__).parents[2]
FOLDER = ".codegen_cache"
"""The folder of the entries, relative to the checkout."""


def holds(step: Step, root: Path = ROOT) -> bool:
    """Return whether a step's inputs and outputs are the same as in its last run.

    Args:
        step: The step.
        root: The checkout.
    """
    path = root / FOLDER / f"{step.name}.json"
    try:
        entry = json.loads(path.read_text())
        known = entry["environment"], entry["folders"], entry["files"], entry["owned"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(
        known == (environment(), _names(root, entry["folders"]), _hashes(root, entry["files"]), _owned(step, root))
    )


def keep(step: Step, outputs: Iterable[Path], begun: float, root: Path = ROOT) -> None:
    """Store the inputs and outputs of a step that has just run.

    Args:
        step: The step.
        outputs: The files that the step writes. They have the right content.
        begun: The start of this process, in seconds since the epoch. If an input is newer, nothing is stored: the step
            may have read an older content.
        root: The checkout.
    """
    read, listed = reads.inputs()
    written = {path.relative_to(root).as_posix() for path in outputs}
    if any((root / name).stat().st_mtime >= begun for name in read - written):
        return
    entry = {
        "environment": environment(),
        "folders": _names(root, sorted(listed)),
        "files": _hashes(root, sorted(read | written)),
        "owned": _owned(step, root),
    }
    (root / FOLDER).mkdir(exist_ok=True)
    (root / FOLDER / f"{step.name}.json").write_text(json.dumps(entry))


@cache
def environment() -> str:
    """Return a hash of Python's version and of all installed packages' versions."""
    installed = sorted(f"{one.name}=={one.version}" for one in importlib.metadata.distributions())
    return _digest("\n".join([sys.version, platform.platform(), *installed]).encode())


def _owned(step: Step, root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.glob(step.owns)) if step.owns else []


def _hashes(root: Path, names: Iterable[str]) -> dict[str, Any]:
    return {name: _digest(path.read_bytes()) if (path := root / name).is_file() else None for name in names}


def _names(root: Path, names: Iterable[str]) -> dict[str, Any]:
    """Return a hash of the names in each folder, without those of caches."""
    return {
        name: _digest(
            "\n".join(sorted(one.name for one in (root / name).iterdir() if one.name not in reads.APART)).encode()
        )
        if (root / name).is_dir()
        else None
        for name in names
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
