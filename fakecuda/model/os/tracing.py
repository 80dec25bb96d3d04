"""Trace and profile functions, as debuggers set them: what one raises while an operation is under way comes out behind it.

The functions see each event of operations, as of all code. Those that are written in C are left alone, for they are fast
and do not raise: that is what measures coverage.
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
"""How many functions a thread keeps that it has set: no event sets more."""


class Traced:
    """What stands for a trace function, or a profile function.

    Args:
        function: The function.
        unset: Sets none in its place, as Python does when it raises.
    """

    __slots__ = ("function", "unset")

    def __init__(self, function: Callable[..., Any], unset: Callable[[], object]) -> None:
        self.function = function
        self.unset = unset

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        """Have the function see an event; what it raises comes out behind the operation."""
        if frame.f_globals is _OWN:  # what stands for sys.settrace is as little seen as that
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
    """Have what trace and profile functions raise wait for the end of operations: those that are set, and those to come."""
    if not isinstance(sys.settrace, _Setter):
        sys.settrace, sys.gettrace = _stand_ins(sys.settrace, sys.gettrace)
        sys.setprofile, sys.getprofile = _stand_ins(sys.setprofile, sys.getprofile)


class _Kept(threading.local):
    """What a thread has set of late.

    The interpreter is about to call the function that is set, and the collector runs first: another call comes, whose event
    has the function set none, as coverage's does in each new thread. Then nobody would have what is called next.
    """

    def __init__(self) -> None:
        self.last: deque[Any] = deque(maxlen=LAST)


class _Setter:
    """What stands for ``sys.settrace``, or for ``sys.setprofile``."""

    def __init__(self, real: Callable[[Any], None]) -> None:
        functools.update_wrapper(self, real)
        self._real = real
        self._kept = _Kept()

    def __call__(self, function: Any, /) -> None:
        stand_in = _traced(function, functools.partial(self._real, None))
        self._kept.last.append(stand_in)
        self._real(stand_in)


def _stand_ins(setter: Callable[[Any], None], getter: Callable[[], Any]) -> tuple[Any, Any]:
    """Return what stands for a function that sets another, and for the one that tells which; that is set anew."""

    @functools.wraps(getter)
    def get() -> Any:
        function = getter()
        return function.function if isinstance(function, Traced) else function

    stand_in = _Setter(setter)
    if isinstance(getter(), FunctionType | MethodType):
        stand_in(getter())
    return stand_in, get
