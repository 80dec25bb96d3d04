"""The code blocks of a page, and how to run each; see ``tests/README.md``."""

from __future__ import annotations

import doctest
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from tests import warm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)[ ]*(\w*)$")
MARKER = re.compile(r"<!-- (\w+) -->")
CHANGE = re.compile(r"<!-- changed: (.+?) => ?(.*?) ?-->")
TEST = re.compile(r"^(?:def|class) test", re.MULTILINE | re.IGNORECASE)
OUTPUT = "text"
"""The language of a block with the output of the block before it."""
GPU = "gpu"
"""The word after the language of a block that needs a GPU."""


@frozen
class Block:
    """A code block.

    Attributes:
        page: The page's name.
        line: The number of its first line.
        language: What stands behind the opening fence.
        gpu: Whether it says that it needs a GPU.
        marker: The marker that stands above it: ``test`` of ``<!-- test -->``.
        change: What is another way in the block before, of which it shows the output: the line's old and new text.
        text: Its lines.
        output: What it prints, if a block of that follows; else None.
        fails: Whether it must fail: it is an earlier block with a bug in it.
    """

    page: str
    line: int
    language: str
    gpu: bool
    marker: str
    text: str
    change: tuple[str, str] | None = None
    output: str | None = None
    fails: bool = False

    @property
    def id(self) -> str:
        """``README.md:12``."""
        return f"{self.page}:{self.line}"


def blocks_of(page: str, text: str) -> list[Block]:
    """Return the blocks of a page in their order, those of output with the blocks that print it.

    Raises:
        ValueError: A fence is left open, or has words behind it that mean nothing here.
    """
    found: list[Block] = []
    for block, between in _fenced(page, text):
        if block.change:
            found.append(
                _changed(block, next(one for one in reversed(found) if one.language == "python" and not one.fails))
            )
            continue
        follows = bool(found) and not between and found[-1].language != OUTPUT
        if block.language == OUTPUT and follows and found[-1].output is None:
            found[-1] = evolve(found[-1], output=block.text)
        else:
            found.append(block)
    return found


def _changed(shown: Block, block: Block) -> Block:
    """Return a block with the bug in it whose output another one shows; a line without new text is left out.

    Raises:
        ValueError: The text is not in one line of the block.
    """
    assert shown.change is not None
    old, new = shown.change
    lines = [line for line in block.text.splitlines(keepends=True) if old in line]
    if len(lines) != 1:
        msg = f"{shown.id}: {old!r} is in {len(lines)} lines of the block before: name what is in one"
        raise ValueError(msg)
    text = block.text.replace(lines[0], lines[0].replace(old, new) if new else "")
    return evolve(block, line=shown.line, text=text, output=shown.text, fails=True)


def _fenced(page: str, text: str) -> Iterator[tuple[Block, str]]:
    """Yield each block and what stands between it and the one before."""
    lines = iter(enumerate(text.splitlines(), 1))
    between: list[str] = []
    for number, line in lines:
        if not line.lstrip().startswith("```"):
            between.append(line)
            continue
        fence = FENCE.match(line)
        if fence is None or fence[2] not in {"", GPU}:
            msg = f"{page}:{number}: write ```LANGUAGE, or ```LANGUAGE {GPU} where it needs a GPU, not {line}"
            raise ValueError(msg)
        inside: list[str] = []
        for _, inner in lines:
            if inner == "```":
                break
            inside.append(inner)
        else:
            msg = f"{page}:{number}: the block has no end"
            raise ValueError(msg)
        above = next((one for one in reversed(between) if one), "")
        marker, change = MARKER.fullmatch(above), CHANGE.fullmatch(above)
        body = "".join(f"{one}\n" for one in inside)
        block = Block(page, number + 1, fence[1], fence[2] == GPU, marker[1] if marker else "", body)
        yield evolve(block, change=(change[1], change[2]) if change else None), "".join(between)
        between = []


def run(block: Block, folder: Path, *, fresh: bool = True) -> None:
    """Run a block as somebody who pastes it.

    Args:
        block: The block.
        folder: An empty folder for what is pasted into a file.
        fresh: Whether a new Python runs it. A fork has imported parts of fakecuda, which costs half.

    Raises:
        AssertionError: It fails, or prints something else than the page says.
    """
    done = warm.run(
        WAYS[block.language](block, folder),
        cwd=ROOT if block.language == "sh" else folder,
        env=_environment(),
        input=_typed(block.text) if block.language == "pycon" else "",
        merged=True,
        fresh=fresh or block.language == "sh",
        ends=False,
    )
    wanted = _answered(block.text) if block.language == "pycon" else block.output
    # The status of a prompt tells whether something was raised, which the page may show.
    if block.language != "pycon":
        assert (done.returncode != 0) == block.fails, f"{block.id}: status {done.returncode}\n{done.stdout}"
    if wanted is not None:
        compare(block.id, wanted, done.stdout)


def compare(where: str, wanted: str, got: str) -> None:
    """Assert that output is what a page shows; ``...`` there stands for anything, spaces at ends of lines for nothing."""
    wanted, got = ("".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines()) for text in (wanted, got))
    checker = doctest.OutputChecker()
    if not checker.check_output(wanted, got, doctest.ELLIPSIS):
        difference = checker.output_difference(doctest.Example("", wanted), got, doctest.ELLIPSIS)
        message = f"{where}: the page shows something else\n{difference}"
        raise AssertionError(message)


def _environment() -> dict[str, str]:
    """Return what a reader has: this Python first on PATH, a terminal of 80 columns, nothing of a test run."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COVERAGE_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return kept | {"PATH": path, "COLUMNS": "80"}


def _python(block: Block, folder: Path) -> list[str]:
    """Put the block into a file: a module of tests, or a program."""
    name = "test_it.py" if TEST.search(block.text) else "it.py"
    (folder / name).write_text(block.text)
    command = [sys.executable, "-W", "error"]
    if name == "it.py":
        return [*command, name]
    return [*command, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", name]


def _prompt(_: Block, __: Path) -> list[str]:
    return [sys.executable, "-m", "fakecuda"]


def _shell(block: Block, _: Path) -> list[str]:
    return ["bash", "-euo", "pipefail", "-c", block.text]


def _typed(session: str) -> str:
    return "".join(example.source for example in doctest.DocTestParser().get_examples(session))


def _answered(session: str) -> str:
    return "".join(example.want for example in doctest.DocTestParser().get_examples(session))


WAYS: dict[str, Callable[[Block, Path], list[str]]] = {"python": _python, "pycon": _prompt, "sh": _shell}
"""The way to run a block, by its language."""
