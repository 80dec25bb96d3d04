"""What a call or a file touches: calls, modules, chapters and tests.

They are found by names and paths. Modules that may be broken are not imported: a file that does not compile still has
its tests.
"""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, field

from tools.imports import package

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
RULES = "fakecuda/rules/"
CASES = "conformance/cases/"
EVIDENCE = "fakecuda/explain/evidence/"
PAGES = "docs/rules/"
APIS = ("driver", "runtime", "hip", "nvml")
GENERATED = "/generated/"
SHORT = 3
"""Letters of a module's name that is also part of other words."""
FEW = 6
"""Maximum number of test files for a module without a test file of its own."""
TEST_FOLDERS = {
    "tools": "tools",
    "conformance": "conformance",
    "realcuda": "realcuda",
    "benchmarks": "benchmarks",
    ".ci": "packaging",
}
"""Test folders, by the folder of what they test. Tests of a package of fakecuda have its name."""


class UnknownTargetError(Exception):
    """A name is neither a call nor a file; the text says what to write."""


@define
class Touched:
    """What is touched.

    Attributes:
        calls: Calls with touched operations, cases or evidence.
        files: Files, relative to the checkout.
        chapters: Chapters, as folders below ``fakecuda/rules`` or ``docs/rules``: ``driver/va``.
        tests: Test files, relative to the checkout.
    """

    calls: set[str] = field(factory=set)
    files: set[str] = field(factory=set)
    chapters: set[str] = field(factory=set)
    tests: set[str] = field(factory=set)


@cache
def homes() -> dict[str, str]:
    """Return the module of each modelled call.

    It is relative to ``fakecuda/rules``: ``driver/va/mem_unmap.py``.
    """
    index = json.loads((ROOT / RULES / "generated/index.json").read_text())
    return {call: f"{module.replace('.', '/')}.py" for calls in index.values() for call, module in calls.items()}


def touched(targets: Iterable[str]) -> Touched:
    """Return what calls and files touch.

    Args:
        targets: Names of calls, and paths of files that exist or were deleted.

    Raises:
        UnknownTargetError: A target is neither.
    """
    found = Touched()
    for target in targets:
        if target in homes():
            _add_call(found, target)
        else:
            _add_file(found, _path(target))
    return found


def changed(base: str = "") -> list[str]:
    """Return the files that differ from the branch point on ``main``.

    Uncommitted and new files are included.

    Args:
        base: The revision to compare with; by default the branch point on ``main``, or HEAD without a ``main``.

    Raises:
        UnknownTargetError: Git does not know the revision.
    """
    base = base or _git("merge-base", "main", "HEAD", allowed=True).strip() or "HEAD"
    names = _git("diff", "--name-only", "-z", "--no-renames", base, "--") + _git(
        "ls-files", "-z", "--others", "--exclude-standard"
    )
    return sorted(filter(None, names.split("\0")))


def _git(*arguments: str, allowed: bool = False) -> str:
    """Return git's output; empty if it fails and ``allowed`` is True."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    if ran.returncode and not allowed:
        msg = f"git {' '.join(arguments)} failed: {ran.stderr.strip()}"
        raise UnknownTargetError(msg)
    return "" if ran.returncode else ran.stdout


def _path(target: str) -> str:
    """Return a file's path in the checkout.

    Raises:
        UnknownTargetError: The file does not exist, and git does not know it.
    """
    path = (
        Path(target)
        if Path(target).is_absolute()
        else next((p for p in (Path.cwd() / target, ROOT / target) if p.exists()), ROOT / target)
    )
    name = path.resolve().relative_to(ROOT).as_posix() if path.resolve().is_relative_to(ROOT) else ""
    if name and (
        path.is_file()
        or _git("ls-files", "--", name, allowed=True)
        or _git("log", "-1", "--format=%h", "--", name, allowed=True)
    ):
        return name
    near = difflib.get_close_matches(target, homes(), n=3)
    hint = f"; did you mean: {', '.join(near)}" if near else ""
    msg = f"{target} is neither a modelled call nor a file of the checkout{hint}"
    raise UnknownTargetError(msg)


def _add_call(found: Touched, call: str) -> None:
    """Add a call with its files."""
    home = homes()[call]
    found.calls.add(call)
    found.chapters.add(chapter_of(home))
    found.files.add(RULES + home)
    found.files |= {path for path in cases_of(home) if (ROOT / path).exists()}
    if home.startswith("nvml/"):
        found.tests |= naming(call, "tests/nvml")


def _add_file(found: Touched, name: str) -> None:
    """Add a file with what belongs to it."""
    found.files.add(name)
    top, _, rest = name.partition("/")
    if name.startswith(RULES) and GENERATED not in name and (api := name.removeprefix(RULES).partition("/")[0]) in APIS:
        home = name.removeprefix(RULES)
        found.calls |= {call for call, module in homes().items() if module == home}
        found.files |= {path for path in cases_of(home) if (ROOT / path).exists()}
        if Path(home).stem != "__init__":
            found.chapters.add(chapter_of(home))
        if api == "nvml":
            found.tests |= naming(f"fakecuda.{name[9:-3].replace('/', '.')}", "tests/nvml") | {
                "tests/nvml/test_rules.py"
            }
    elif name.startswith(CASES):
        found.calls |= {call for call, home in homes().items() if name in cases_of(home)}
        found.tests |= {name} if Path(name).name.startswith("test_") else users(name)
    elif name.startswith((EVIDENCE, PAGES)) and Path(name).suffix in {".toml", ".md"}:
        found.chapters.add(name.removeprefix(EVIDENCE).removeprefix(PAGES).rpartition(".")[0])
    elif top == "tests":
        found.tests |= {name} if Path(name).name.startswith("test_") and name.endswith(".py") else users(name)
    elif name.endswith(".py") or top == ".ci":
        found.tests |= mirrors(top, rest)
    elif name.endswith(".md"):
        found.tests |= {"tests/docs/test_pages.py", "tests/docs/test_named.py"}
    found.tests = {path for path in found.tests if (ROOT / path).exists()}


def chapter_of(home: str) -> str:
    """Return the chapter of a module of rules: ``driver/va``.

    For a module without a folder, this is ``runtime/active``.
    """
    parts = home.removesuffix(".py").split("/")
    return "/".join(parts[:2])


def cases_of(home: str) -> set[str]:
    """Return the possible paths of the cases for a module of rules."""
    folder, _, name = home.rpartition("/")
    return {f"{CASES}{folder}/{kind}_{name}" for kind in ("test", "call")}


def mirrors(top: str, rest: str) -> set[str]:
    """Return the test files that mirror a module's path.

    Without any, return some that import it.

    Args:
        top: The first folder of its path.
        rest: The rest of the path.
    """
    if top == "fakecuda" and "/" in rest:
        folder = package(".".join(Path(top, rest).with_suffix("").parts)).rpartition(".")[2]
    else:
        folder = TEST_FOLDERS.get(top, rest.partition("/")[0])
    stem = Path(rest).stem
    words = [stem] if stem not in {"__init__", "__main__"} else []
    words += [part for part in Path(rest).parent.parts[-1:] if top != "fakecuda" or not words]
    for word in words:
        named = [path for path in (ROOT / "tests" / folder).glob(f"test_*{word}*.py") if _names(path.stem, word)]
        if named:
            return {path.relative_to(ROOT).as_posix() for path in named}
    return users(f"{top}/{rest}")


def _names(stem: str, word: str) -> bool:
    """Return whether a file's name has a module's name; a short name such as ``va`` counts as a whole word only."""
    return word in stem.split("_") or (len(word) > SHORT and word in stem)


def users(name: str) -> set[str]:
    """Return at most :data:`FEW` test files that import a module, the shortest first."""
    module = re.sub(r"(/__init__)?\.py$", "", name).replace("/", ".")
    folder, _, stem = module.rpartition(".")
    imported = re.compile(
        rf"(?:from|import) {re.escape(module)}\b|from {re.escape(folder)} import [^\n]*\b{re.escape(stem)}\b"
    )
    found = {path: text for path, text in _tests().items() if imported.search(text)}
    return set(sorted(found, key=lambda path: len(found[path]))[:FEW])


def naming(text: str, folder: str) -> set[str]:
    """Return the test files of a folder that contain a text."""
    return {path for path, content in _tests().items() if path.startswith(f"{folder}/") and text in content}


@cache
def _tests() -> dict[str, str]:
    """Return the texts of all test files, by path."""
    paths = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / CASES).rglob("test_*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}
