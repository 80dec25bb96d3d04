"""Which files of the checkout this process reads: the inputs of a generator, noted while it runs and not kept as a list by hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
APART = frozenset(
    {".git", ".venv", "__pycache__", ".codegen_cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)
"""Folders that are no input: what is installed counts by its versions."""
WHOLE = ("fakecuda", "realcuda", "conformance", "tools")
"""What a process may read that a generator starts: all of it."""
SOURCES = frozenset({".py", ".toml", ".json", ".jsonl", ".gz", ".css", ".js", ".c", ".md", ".svg"})
STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec"})

files: set[str] = set()
folders: set[str] = set()
state = {"watching": False, "started": False}
"""Whether reads are noted, and whether this process has started another one."""


def watch() -> None:
    """Note from now on what this process reads; it cannot be taken back."""
    state["watching"] = True
    sys.addaudithook(_note)


def inputs() -> tuple[set[str], set[str]]:
    """Return the files that were read so far, sources of imported modules included, and the folders that were listed.

    Both are relative to the checkout.
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
    # A file that is not there may be asked for without reading anything: its folder tells when it comes.
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
    """Return whether a program may read the checkout: a Python, or a fork, which has no program."""
    return not program or os.path.basename(program).startswith("python")  # noqa: PTH119 - a name alone


def _inside(name: str) -> str:
    """Return a path relative to the checkout; empty for one elsewhere."""
    path = os.path.abspath(name)  # noqa: PTH100 - it is asked for thousands
    if not path.startswith(f"{ROOT}/"):
        return ""
    inside = path.removeprefix(f"{ROOT}/")
    return "" if APART & set(inside.split("/")) else inside
