"""What a step of the generators was made from, so that it is not taken again: by content, in a folder that git ignores.

An entry holds the hashes of all that the step read, of what it wrote, and the versions of what is installed. It says only that there is
nothing to do: where anything differs the step is taken.
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
"""The folder of the entries, below the checkout."""


def holds(step: Step, root: Path = ROOT) -> bool:
    """Return whether a step was taken with the inputs that there are, and its outputs are as it wrote them.

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
    """Note what a step was made from that has just been taken.

    Args:
        step: The step.
        outputs: The files that it writes, which are as they should be.
        begun: When this process began, in seconds since the epoch: what was changed since is not known to have been read so.
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
    """Return a hash of the Python and of the versions of all that is installed."""
    installed = sorted(f"{one.name}=={one.version}" for one in importlib.metadata.distributions())
    return _digest("\n".join([sys.version, platform.platform(), *installed]).encode())


def _owned(step: Step, root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.glob(step.owns)) if step.owns else []


def _hashes(root: Path, names: Iterable[str]) -> dict[str, Any]:
    return {name: _digest(path.read_bytes()) if (path := root / name).is_file() else None for name in names}


def _names(root: Path, names: Iterable[str]) -> dict[str, Any]:
    """Return for each folder a hash of the names in it, what Python compiles and tools keep apart."""
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
