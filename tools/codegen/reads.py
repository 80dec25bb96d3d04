"""The inputs of a generator.

The files of the checkout that this process reads, recorded while it runs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
APART = frozenset(
    {".git", ".venv", "__pycache__", ".codegen_cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)
"""Folders that are not inputs. Installed packages count by their versions."""
WHOLE = ("fakecuda", "realcuda", "conformance", "tools")
"""Folders whose files all count as read, if a generator starts another Python process."""
SOURCES = frozenset({".py", ".toml", ".json", ".jsonl", ".gz", ".css", ".js", ".c", ".md", ".svg"})
STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec"})

files: set[str] = set()
folders: set[str] = set()
state = {"watching": False, "started": False}
"""Whether reads are recorded, and whether this process has started another one."""


def watch() -> None:
    """Record this process's reads from now on. This cannot be stopped."""
    state["watching"] = True
    sys.addaudithook(_note)


def inputs() -> tuple[set[str], set[str]]:
    """Return the files read so far, and the listed folders.

    The sources of imported modules are included.
    All are relative to the checkout.
    """
    found = {name for name in map(_inside, files) if name}
    found |= {
        name for module in list(sys.modules.values()) if (name := _inside(getattr(module, "__file__", None) or ""))
    }
    if state["started"]:
        found |= {
            path.relative_to(ROOT).as_posix()
            for top in WHOLE
            for path in (ROOT / top).rglob("*")
            if path.suffix in SOURCES and not APART & set(path.parts)
        }
    listed = {name for name in map(_inside, folders) if name}
    # A missing file may be looked up without an event. Its folder's listing changes when the file appears.
    listed |= {Path(name).parent.as_posix() for name in found}
    return {name for name in found if (ROOT / name).is_file()}, listed


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str):
        files.add(arguments[0])
    elif event in {"os.listdir", "os.scandir"} and isinstance(arguments[0], str):
        folders.add(arguments[0])
    elif event in STARTS and _reads_us(str(arguments[0]) if arguments else ""):
        state["started"] = True


def _reads_us(program: str) -> bool:
    """Return whether a program may read the checkout.

    This is Python, or a fork, which has no program name.
    """
    return not program or os.path.basename(program).startswith("python")  # noqa: PTH119 - only a name


def _inside(name: str) -> str:
    """Return a path relative to the checkout; empty for a path outside."""
    path = os.path.abspath(name)  # noqa: PTH100 - called thousands of times
    if not path.startswith(f"{ROOT}/"):
        return ""
    inside = path.removeprefix(f"{ROOT}/")
    return "" if APART & set(inside.split("/")) else inside
