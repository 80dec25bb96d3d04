"""``python -m tools.new_call CALL [--chapter CHAPTER]``, in the root of a checkout."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.api.description import HERE
from fakecuda.evidence import SHOWN
from tools.codegen.steps import ROOT
from tools.new_call import skeletons
from tools.new_call.plan import Refused, plan
from tools.new_call.remaining import remaining

if TYPE_CHECKING:
    from tools.new_call.plan import Plan


def main(arguments: list[str] | None = None) -> int:
    """Begin a call; return the exit status, 1 where nothing was begun or a generator stopped."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.new_call", description="Begin a call that is described and not modelled."
    )
    parser.add_argument("call", help="the call, cuTexRefCreate, cudaExecutionCtxDestroy or hipFreeArray")
    parser.add_argument(
        "--chapter", default="", help="the folder of its rules; default: its chapter in tools/chapters.toml"
    )
    options = parser.parse_args(arguments)
    try:
        made = plan(options.call, options.chapter)
    except Refused as refused:
        print(refused)
        return 1
    begin(made)
    status = _run("tools.codegen", "index", "surfaces", "native")
    print()
    print("\n".join(remaining(made)))
    return status


def begin(made: Plan) -> None:
    """Write the skeletons of a call."""
    for path, text in ((made.operation, skeletons.operation(made)), (made.cases, skeletons.cases(made))):
        _package(path.parent, made.chapter)
        path.write_text(text)
        _run("ruff", "check", "-q", "--fix", "--select=I", str(path))
        _run("ruff", "format", "-q", str(path))
        print(f"wrote {path.relative_to(ROOT)}", flush=True)
    if not made.evidence.exists():
        kinds = (SHOWN / "__init__.py").as_posix()
        made.evidence.write_text(
            f"# What is known of {made.evidence.stem}, a chapter of {made.api.title}. The kinds of entries: {kinds}.\n"
        )
        print(f"wrote {made.evidence.relative_to(ROOT)}", flush=True)
    if how := skeletons.compared(made):
        with (HERE / f"{made.api.name}.compare.toml").open("a") as file:
            file.write(how)
        print(f"wrote how results compare: {Path(file.name).relative_to(ROOT)}", flush=True)


def _package(folder: Path, chapter: str) -> None:
    """Make the package of a chapter that is new."""
    folder.mkdir(exist_ok=True)
    if not (folder / "__init__.py").exists():
        (folder / "__init__.py").write_text(f'"""{chapter.replace("_", " ").capitalize()}."""\n')


def _run(module: str, *arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
