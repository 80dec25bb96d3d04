"""Reading of images, which lets signal handlers run in between.

A long read changes nothing, so a signal may end its call. A reader calls :func:`pause` between pieces of its work, as
often as it likes. Handlers that the call has deferred run there, with the machine's lock released. An exception of a
handler ends the call before its effect. If none raises, the reader continues. The call then runs again with the result
(:func:`read`), because handlers or other threads may have changed what it has checked.
"""

from __future__ import annotations

import gc
import sys
import threading
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.model.call import WAITING, RetryCall, has_paused, under_way
from fakecuda.model.code.code import Refused
from fakecuda.model.os.interruption import deferred, run_deferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Image


class _Pauses(threading.local):
    """The number of times that signal handlers ran while the thread was reading."""

    count = 0


_pauses = _Pauses()


@frozen(eq=False)
class Outcome:
    """The result of a read, kept for the next run of its call.

    Attributes:
        source: The reader and its arguments.
        image: The image that it returned, or the reason why it refused the arguments.
    """

    source: tuple[Any, ...]
    image: Image | Refused


def pause() -> None:
    """Run signal handlers that this thread's call has deferred.

    An exception of a handler ends the reading.
    """
    if deferred:
        this, under = threading.get_ident(), under_way()
        if under is not None and any(thread == this for thread, _ in list(deferred)):
            _pauses.count += 1
            _run_handlers(under[0])


def _run_handlers(call: Call) -> None:
    """Run handlers without the machine's lock, which the caller holds."""
    lock: Any = call.machine.lock
    paused = has_paused()
    held = lock._release_save()  # noqa: SLF001 - as conditions do
    try:
        if paused:
            gc.enable()
        run_deferred(sys._getframe())  # noqa: SLF001 - as call.under_way
    finally:
        if paused:
            gc.disable()
        lock._acquire_restore(held)  # noqa: SLF001 - as above


WAITING.add(_run_handlers.__code__)


def read(call: Call, reader: Callable[..., Image], *args: Any) -> Image:
    """Return a reader's result; signal handlers may run meanwhile.

    Args:
        call: The call that needs the image, and has changed nothing yet.
        reader: A function that calls :func:`pause` between pieces of its work.
        args: Its arguments.

    Raises:
        Refused: The reader refuses the arguments.
        RetryCall: Handlers have run, so the call runs again.
    """
    source = (reader, *args)
    known = next((one.image for one in call.awaited if isinstance(one, Outcome) and one.source == source), None)
    if known is None:
        before = _pauses.count
        try:
            known = reader(*args)
        except Refused as refused:
            known = refused
        if _pauses.count != before:
            raise RetryCall(Outcome(source, known))
    if isinstance(known, Refused):
        raise known
    return known
