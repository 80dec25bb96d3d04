"""Exceptions that Python raises in a callback before its first line."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.reach.native.callbacks import DOORS, Door

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


TEXTS = frozenset({"cuGetErrorName", "cuGetErrorString"})
"""Calls that are answered although an exception came: code in C that goes on after a failed call shows their texts."""


def hook() -> None:
    """Receive exceptions that a callback raises before its first line.

    A test runner may have its own hook.
    """
    found = sys.unraisablehook
    if not (isinstance(found, partial) and found.func is unraisable):
        sys.unraisablehook = partial(unraisable, found)


def unraisable(previous: Callable[[Any], Any], what: Any) -> None:
    """Handle an exception that a callback raised before its first line.

    Pass other exceptions to the previous hook.

    Args:
        previous: The previous hook.
        what: The exception and its place, as ``sys.unraisablehook`` gets them.
    """
    error, trace = what.exc_value, what.exc_traceback
    ours, name = _called(trace.tb_frame if trace is not None else None, what.object)
    if error is not None and ours is not None and not sys.is_finalizing():
        if name in TEXTS and trace is not None:
            _answer(trace.tb_frame)
        # The stub has returned an answer in any case.
        with contextlib.suppress(type(error)):
            ours.raised(name, error, trace)
            return
    previous(what)


def _answer(frame: FrameType) -> None:
    """Make the call of a callback that has raised before its first line; its result goes to memory.

    Args:
        frame: The callback's frame.
    """
    code, given = frame.f_code, frame.f_locals
    frame.f_globals[code.co_name](*(given[name] for name in code.co_varnames[: code.co_argcount]))


def _called(frame: FrameType | None, function: Any) -> tuple[Door | None, str]:
    """Return the door and the call of a callback, or None.

    Args:
        frame: The callback's frame. None before it has one.
        function: The callback.
    """
    bound: dict[str, Any] = {}
    if frame is not None:
        place, name, bound = frame.f_globals.get("__name__"), frame.f_code.co_name, frame.f_locals
    else:
        place, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    # A function that answers several calls gets its door and the call as arguments.
    given = bound.get("door", bound.get("self"))
    ours = given if isinstance(given, Door) else DOORS.get(str(place))
    return ours, str(bound.get("name", name))
