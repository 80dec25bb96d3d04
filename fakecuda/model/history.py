"""Call stacks that show where objects came from, formatted only on demand."""

from __future__ import annotations

import re
import sys
import sysconfig
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from attrs import define, field

from fakecuda.model.os.native_lines import are_between, native_line
from fakecuda.model.os.thread_starts import is_library, starter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, FrameType

T = TypeVar("T", bound=tuple[Any, ...])
Stack = tuple[Any, ...]
"""Code, instruction, code, instruction and so on. One flat tuple, because the garbage collector visits each tuple in
it."""

DEEPEST = 8
"""The maximum number of native frames that are kept."""
KEPT = 8
"""The number of items in a stack of four frames."""
OURS = 4
"""The least number of fakecuda's own frames in a call: this module's, the operation's, ``Op.invoke`` and the
surface's."""
PACKAGE = __name__.partition(".")[0] + "."
NOWHERE: Stack = ()
PACKAGES = ("/site-packages/", "/dist-packages/")
"""Path parts of installed packages, in any environment."""
OWN = f"{Path(__file__).parents[1]}/"
"""The folder of the fakecuda package."""
CUDA = re.compile(
    r"/lib(cuda\.|cudart|cu(blas|dnn|fft|file|rand|solver|sparse|tensor|pti)|nvidia-|nvrtc|nvJitLink|nvjpeg|nvshmem|npp|nccl"
    r"|amdhip|hip|roc|rccl|hsa|MIOpen)[^/]*\.so"
)
"""Names of libraries of CUDA and AMD that call the driver for a program."""
SYSTEM = ("/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/local/cuda", "/opt/rocm")
"""Folders of system libraries."""
NATIVE = re.compile(r"\+0x[0-9a-f]+")
"""The name of a code object that stands for an offset in a native file."""
BENEATH = 3
"""The number of library lines to show below the user's line."""
FOLDED = ("_pytest/", "pluggy/", "fakecuda/", "cuda/bindings/", "hypothesis/")
"""Packages whose lines reports leave out."""
bottoms: set[CodeType] = set()
"""Hook: code at which stacks end; the frames below make calls for other OS processes. ``call_sites`` adds its own on import.

It must not be code that a user's program runs.
"""


OUTSIDE, OWNED, LIBRARY = 0, 1, 2
"""Owners of a module: the program or a client, fakecuda, the standard library."""


class _Inside(dict[str | None, int]):
    """A cache of the owner of each module, by name.

    A look-up is faster than a check.
    """

    def __missing__(self, name: str | None) -> int:
        inside = OWNED if (name or "").startswith(PACKAGE) else LIBRARY if is_library(name) else OUTSIDE
        self[name] = inside
        return inside


_inside = _Inside()
_frame = sys._getframe  # noqa: SLF001 - the cheapest stack there is


class Caller:
    """The place of a call, formatted on demand.

    Args:
        stack: The stack that called.
    """

    __slots__ = ("stack",)
    in_c: ClassVar[Callable[[], Stack]] = tuple
    """Hook: returns the stack of the C code that calls, where no Python code does. Set when the native door is loaded, else ``tuple``.

    Called without arguments, perhaps under the machine's lock. It must not raise or take a lock.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    def __str__(self) -> str:
        return next(iter(places(self.stack)), "")


def here(depth: int = OURS) -> Stack:
    """Return the caller's innermost frames outside fakecuda, at most four. All of them if the standard library calls.

    Args:
        depth: How many frames, including this function's, are known to be fakecuda's own.
    """
    try:
        frame: Any = _frame(depth)
        while whose := _inside[frame.f_globals["__name__"]]:
            if whose == LIBRARY:
                return _rest(frame)
            frame = frame.f_back
    except (ValueError, AttributeError):  # a thread made by C; only own frames
        return Caller.in_c()[:KEPT]
    except KeyError:  # code without a module
        return (_rest(_outside(depth)) or Caller.in_c())[:KEPT]
    if (second := frame.f_back) is None or (third := second.f_back) is None or (fourth := third.f_back) is None:
        return _down(frame)
    # A loop would take twice as long, and every call that makes or ends an object comes here.
    # fmt: off
    return (
        frame.f_code, frame.f_lasti, second.f_code, second.f_lasti,
        third.f_code, third.f_lasti, fourth.f_code, fourth.f_lasti,
    )
    # fmt: on


def caller() -> FrameType | None:
    """Return the innermost frame of the caller outside fakecuda. None without one."""
    return _outside(1)


def whole() -> Stack:
    """Return the caller's whole stack outside fakecuda."""
    return _rest(_outside(1)) or Caller.in_c()


def of(frame: FrameType | None) -> Stack:
    """Return the stack of another thread from a frame on, without fakecuda's frames.

    Empty for None.
    """
    while frame is not None and _inside[frame.f_globals.get("__name__")] == OWNED:
        frame = frame.f_back
    return _rest(frame)


def _outside(depth: int) -> FrameType | None:
    """Return the first frame outside fakecuda, from a depth on; None without one."""
    try:
        frame: FrameType | None = _frame(depth + 1)
    except ValueError:
        return None
    while frame is not None and _inside[frame.f_globals.get("__name__")] == OWNED:
        frame = frame.f_back
    return frame


def _rest(frame: FrameType | None) -> Stack:
    """Return the stack from a frame down, and where standard library work began."""
    return _down(frame) + starter_of(frame)


def _down(frame: FrameType | None) -> Stack:
    """Return the stack from a frame down to the thread's first frame."""
    found: list[Any] = []
    while frame is not None:
        found += frame.f_code, frame.f_lasti
        frame = frame.f_back
    return tuple(found)


def lines(stack: Stack) -> list[str]:
    """Return a line of text for each frame: file, line, function."""
    return [_text(code, offset) for code, offset in _frames(stack)]


def _frames(stack: Stack) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and the instruction of each frame, down to the first in ``bottoms``."""
    return takewhile(lambda frame: frame[0] not in bottoms, zip(stack[::2], stack[1::2], strict=True))


def _text(code: CodeType, offset: int) -> str:
    if (inside := native_offset(code)) is not None:
        return native_line(code.co_filename, inside)
    return f"{code.co_filename}:{_line(code, offset)} in {code.co_qualname}"


def native_name(offset: int) -> str:
    """Return the name of a code object for an offset in a native file."""
    return f"+{offset:#x}"


@lru_cache(maxsize=4096)
def native_code(file: str, offset: int) -> CodeType:
    """Return a code object for an offset in a native file."""
    name = native_name(offset)
    return _NATIVE.replace(co_filename=file, co_name=name, co_qualname=name)


_NATIVE = (lambda: None).__code__


def native_stack(sites: Sequence[tuple[str, int]]) -> Stack:
    """Return a native stack from offsets in files, innermost first."""
    return tuple(part for site in nearest(sites) for part in (native_code(*site), 0))


def nearest(sites: Sequence[T]) -> Sequence[T]:
    """Return the frames of native code that a report shows: the user's, and one of a library beneath them.

    Args:
        sites: The frames, innermost first; each is a tuple that begins with a file.
    """
    own = next((number for number, (file, *_) in enumerate(sites) if not _is_library(file)), 0)
    first = max(own - 1, 0)
    return sites[first : first + DEEPEST]


def native_offset(code: CodeType) -> int | None:
    """Return the native offset of a code object; None for Python code."""
    return int(code.co_qualname[1:], 16) if NATIVE.fullmatch(code.co_qualname) else None


def _line(code: CodeType, offset: int) -> int:
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def places(stack: Stack) -> list[str]:
    """Return the user's line of a call, then lines of libraries beneath it.

    The nearest line of a library comes first.

    If no line is the user's, the innermost lines are returned.
    """
    kept, own = _unfolded(stack)
    if own is None:
        return [line for _, line in kept[: 1 + BENEATH]]
    return [line for _, line in (kept[own], *kept[max(own - BENEATH, 0) : own][::-1])]


def user_lines(stack: Stack) -> list[tuple[str, int, str]]:
    """Return file, line and function of each frame of the user's Python code, innermost first."""
    return [
        (code.co_filename, _line(code, offset), code.co_name)
        for code, offset in _frames(stack)
        if native_offset(code) is None and not _is_folded(code.co_filename) and not _is_library(code.co_filename)
    ]


def _unfolded(stack: Stack) -> tuple[list[tuple[str, str]], int | None]:
    """Return the lines of a stack that are not folded, and the index of the user's.

    Each line comes with its file. Lines of headers and of kernels' stubs are left out, if there are others.

    The index is None if no line is the user's.
    """
    frames = _frames(stack)
    kept = [(code.co_filename, _text(code, offset)) for code, offset in frames if not _is_folded(code.co_filename)]
    between = are_between([text for _, text in kept])
    kept = [one for one, left_out in zip(kept, between, strict=True) if not left_out] or kept
    return kept, next((number for number, (file, _) in enumerate(kept) if not _is_library(file)), None)


@cache
def _is_folded(file: str) -> bool:
    """Return whether a file belongs to a folded package, or does not exist on disk."""
    inside = next((file.rpartition(part)[2] for part in PACKAGES if part in file), "")
    return inside.startswith(FOLDED) or file.startswith(("<frozen ", "<attrs ", OWN))


@cache
def _is_library(file: str) -> bool:
    """Return whether a file belongs to an installed package, to Python, to CUDA or to the system."""
    return (
        any(part in file for part in PACKAGES) or file.startswith((*_libraries(), *SYSTEM)) or bool(CUDA.search(file))
    )


@cache
def _libraries() -> tuple[str, ...]:
    """Return the folders of Python's modules, installed packages and their commands."""
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")  # scripts: pytest's own, for instance
    return tuple(
        {f"{Path(sysconfig.get_path(name)).resolve()}/" for name in names}
        | {f"{Path(sysconfig.get_path(name))}/" for name in names}
    )


def story(created: Stack, ended: Stack, words: tuple[str, str]) -> list[str]:
    """Return an object's history: a line for where it was made and where it ended.

    The user's line comes first, then lines of libraries beneath it (``by``), then the user's outer lines (``from``).
    """
    rows = []
    for word, stack in zip(words, (created, ended), strict=True):
        kept, own = _unfolded(stack)
        outer = [line for file, line in kept[own + 1 :] if not _is_library(file)] if own is not None else []
        rows += [f"{word} at {line}" for line in places(stack)[:1]]
        rows += [f"  by {line}" for line in places(stack)[1:]]
        rows += [f"  from {line}" for line in outer]
    return rows


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with a noun: ``1 mapping``, ``2 mappings``.

    Args:
        number: The number.
        noun: The noun.
        several: Its plural, if that is not formed by an s.
    """
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


@define(eq=False)
class Lifetime:
    """An object that records where it was made and where it ended.

    Attributes:
        words: The verbs for these two.
        created: The stack that made it.
        ended: The stack that ended it. Empty while it exists.
    """

    words: ClassVar[tuple[str, str]] = ("created", "destroyed")
    created: Stack = field(default=NOWHERE, repr=False, kw_only=True)
    ended: Stack = field(default=NOWHERE, repr=False, kw_only=True)

    def history(self) -> list[str]:
        """Return where the object was made and where it ended, a line for each."""
        return story(self.created, self.ended, self.words)


@define(eq=False)
class FailedCall(Lifetime):
    """A failed call, for reports of what it left behind.

    Attributes:
        call: The function.
        answer: The name of the code that it answered.
    """

    words = ("called", "")
    call: str
    answer: str

    def __str__(self) -> str:
        return f"{self.call}, which answered {self.answer}"
