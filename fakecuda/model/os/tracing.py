"""Deferral of exceptions from trace and profile functions, such as a debugger's.

An exception that such a function raises in an operation is raised after the operation.

The functions see each event of operations, as of all other code. Functions written in C, such as those that measure
coverage, are left alone: they are fast and do not raise.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections import deque
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from fakecuda.model.os import interruption

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


_OWN = globals()
LAST = 8
"""The number of recently set functions that a thread keeps."""


class Traced:
    """A wrapper of a trace function or a profile function.

    Args:
        function: The function.
        unset: Removes the function, as Python does when it raises.
    """

    __slots__ = ("function", "unset")

    def __init__(self, function: Callable[..., Any], unset: Callable[[], object]) -> None:
        self.function = function
        self.unset = unset

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        """Call the function with an event.

        Its exception is deferred to the end of the operation.
        """
        if frame.f_globals is _OWN:  # the replacement of sys.settrace is not traced, like the original
            return None
        try:
            local = self.function(frame, event, argument)
        except BaseException as error:
            if not interruption.is_operating(frame):
                raise
            self.unset()
            interruption.defer(threading.get_ident(), functools.partial(_throw, error))
            return None
        return self if local == self.function else _traced(local, self.unset)


def _throw(error: BaseException) -> None:
    raise error


def _traced(function: Any, unset: Callable[[], object]) -> Any:
    return Traced(function, unset) if isinstance(function, FunctionType | MethodType) else function


def put_off_traces() -> None:
    """Defer exceptions of all trace and profile functions to the end of operations.

    This includes functions that are set later.
    """
    if not isinstance(sys.settrace, _Setter):
        sys.settrace, sys.gettrace = _stand_ins(sys.settrace, sys.gettrace)
        sys.setprofile, sys.getprofile = _stand_ins(sys.setprofile, sys.getprofile)


class _Kept(threading.local):
    """The functions that a thread has set recently.

    The interpreter may run the collector when it is about to call the function. An event there may remove the function,
    as coverage's does in each new thread. These references keep the function alive until it was called.
    """

    def __init__(self) -> None:
        self.last: deque[Any] = deque(maxlen=LAST)


class _Setter:
    """A replacement of ``sys.settrace`` or ``sys.setprofile``."""

    def __init__(self, real: Callable[[Any], None]) -> None:
        functools.update_wrapper(self, real)
        self._real = real
        self._kept = _Kept()

    def __call__(self, function: Any, /) -> None:
        stand_in = _traced(function, functools.partial(self._real, None))
        self._kept.last.append(stand_in)
        self._real(stand_in)


def _stand_ins(setter: Callable[[Any], None], getter: Callable[[], Any]) -> tuple[Any, Any]:
    """Return replacements of a setter and its getter.

    The function that is set at present is set again, with a wrapper.
    """

    @functools.wraps(getter)
    def get() -> Any:
        function = getter()
        return function.function if isinstance(function, Traced) else function

    stand_in = _Setter(setter)
    if isinstance(getter(), FunctionType | MethodType):
        stand_in(getter())
    return stand_in, get
