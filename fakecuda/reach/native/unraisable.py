"""Exceptions that Python raises in a callback before its first line: they are the door's, not the program's."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.reach.native.callbacks import DOORS, NVML_CALLS, door

if TYPE_CHECKING:
    from collections.abc import Callable


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
    frame = trace.tb_frame if trace is not None else None
    place = frame.f_globals.get("__name__") if frame else getattr(what.object, "__module__", None)
    ours = DOORS.get(str(place))
    if place == __name__:
        ours = frame.f_locals.get("self", door) if frame else door
    if error is not None and ours is not None and not sys.is_finalizing():
        name = frame.f_code.co_name if frame else getattr(what.object, "__name__", "")
        if frame is not None and place == NVML_CALLS:
            name = frame.f_locals.get("name", "nvml")
        # The stub has returned an answer in any case.
        with contextlib.suppress(type(error)):
            ours.raised(name, error, trace)
            return
    previous(what)
