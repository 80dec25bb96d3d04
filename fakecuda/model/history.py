"""Where an object came from: call stacks kept as code and instruction pairs, formatted only when somebody asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

    Stack = tuple[tuple[CodeType, int], ...]

DEPTH = 6
PACKAGE = __name__.partition(".")[0] + "."
NOWHERE: Stack = ()


def here() -> Stack:
    """Return the caller's stack outside fakecuda, innermost frame first, six frames at most."""
    frame: FrameType | None = sys._getframe(3)  # noqa: SLF001 - the cheapest stack there is
    while frame is not None and (frame.f_globals.get("__name__") or "").startswith(PACKAGE):
        frame = frame.f_back
    found = []
    depth = DEPTH
    while frame is not None and depth:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
        depth -= 1
    return tuple(found)


def lines(stack: Stack) -> list[str]:
    """Return one line of text per frame: file, line, function."""
    return [f"{code.co_filename}:{_line(code, offset)} in {code.co_qualname}" for code, offset in stack]


def _line(code: CodeType, offset: int) -> int:
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def story(created: Stack, ended: Stack, words: tuple[str, str]) -> list[str]:
    """Return an object's history as lines: where it was made and, if it has ended, where it ended."""
    told = []
    for word, stack in zip(words, (created, ended), strict=True):
        told += [f"{word} at {line}" for line in lines(stack)[:1]] + [f"  from {line}" for line in lines(stack)[1:]]
    return told
