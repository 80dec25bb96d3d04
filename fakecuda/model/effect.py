"""Effects: functions and methods of the model that change its state.

An operation checks its rules, and then calls effects. Nothing else changes a machine. :func:`effect` declares a
function as an effect, with what it makes, ends and uses. It returns the function unchanged, so an effect costs only a
call. During :func:`watched` a wrapper replaces each effect. An effect must therefore be looked up at each call: on its
class, or in its module (``mapping.unmap(...)``), never by a name that another module has imported.

Work of a stream is looked up when it is queued.

An effect happens as a whole. It checks for shortage of memory or addresses before it changes anything, and returns None
in that case.
"""

from __future__ import annotations

import functools
import inspect
import pkgutil
import sys
import threading
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

F = TypeVar("F", bound="Callable[..., Any]")


@frozen(eq=False)
class Effect:
    """A function of the model that changes state.

    Attributes:
        function: The function.
        makes: The class name of the object that it makes and returns. Empty if it makes none.
        ends: The parameter with the object or objects that it ends. Empty if it ends none.
        reads: The parameter with the memory that it reads. Empty without any. An effect within another names it again.
        writes: The parameter with the memory that it writes. Empty without any.
        beside: Why it happens as a side effect of calls. Empty for the purpose of a call.
    """

    function: Callable[..., Any]
    makes: str = ""
    ends: str = ""
    reads: str = ""
    writes: str = ""
    beside: str = ""

    @property
    def name(self) -> str:
        """The module and name of the effect, such as ``mapping.unmap``."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}"

    @property
    def home(self) -> Any:
        """The module or the class that holds the effect."""
        return _home(self.function)


EFFECTS: dict[str, Effect] = {}
"""The effects of imported modules, by name."""
CODES: set[CodeType] = set()
"""The code objects of effects, by which a traceback shows an effect in progress."""
BEFORE: set[CodeType] = set()
"""Hook: the code of what keeps a call from acting when it raises. Each such module adds its function when it is imported.

An exception in such a frame leaves the machine whole. It must not change the model.
"""
FIRST: set[CodeType] = set()
"""Hook: the code of what an effect does before it changes anything. Each such module adds its function when it is imported.

An exception in such a frame leaves the machine whole, unless the call has several effects. It must not change the model.
"""


def effect(*, makes: str = "", ends: str = "", reads: str = "", writes: str = "", beside: str = "") -> Callable[[F], F]:
    """Declare a function or a method that changes the model's state.

    :class:`Effect` describes the arguments.
    """

    def declare(function: F) -> F:
        declared = Effect(function, makes, ends, reads, writes, beside)
        EFFECTS[declared.name] = declared
        CODES.add(function.__code__)
        return function

    return declare


@define(eq=False)
class Act:
    """One execution of an effect, before or after it acts.

    Attributes:
        effect: The effect.
        outer: The effect that it is part of. None if an operation or the machine's user called it.
        result: What it has returned. None before it has acted.
    """

    effect: Effect
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    outer: Act | None
    result: Any = field(default=None)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the effect by parameter name."""
        bound = _signature(self.effect.function).bind(*self._args, **self._kwargs)
        bound.apply_defaults()
        return bound.arguments

    @property
    def values(self) -> tuple[Any, ...]:
        """The argument values without names, which is faster."""
        return (*self._args, *self._kwargs.values())

    @property
    def made(self) -> list[Any]:
        """The object that the effect has made, as a list; empty without one."""
        return [self.result] if self.effect.makes and self.result is not None else []

    @property
    def ended(self) -> list[Any]:
        """The objects that the effect ends."""
        return self._of(self.effect.ends)

    @property
    def read(self) -> list[Any]:
        """The memory that the effect reads, as pieces: extent, offset, size."""
        return self._of(self.effect.reads)

    @property
    def written(self) -> list[Any]:
        """The memory that the effect writes, as pieces: extent, offset, size."""
        return self._of(self.effect.writes)

    def _of(self, parameter: str) -> list[Any]:
        if not parameter:
            return []
        given = self.arguments[parameter]
        return list(given) if isinstance(given, list) else [given]


@frozen(eq=False)
class Watcher:
    """A watcher of effects.

    Attributes:
        before: Called before each effect. If it raises, the effect does not act, and the exception leaves the call.
        after: Called after each effect. An inner effect comes before the outer one.
    """

    before: Callable[[Act], None]
    after: Callable[[Act], None]


_watchers: list[Watcher] = []
_coming_and_going = threading.Lock()
"""Held while the first watcher is added or the last one removed. Threads with separate machines may do so at the
same time."""
_acting = threading.local()


def _nothing(_: Act) -> None:
    """Let an effect act, without a watcher."""


@contextmanager
def watched(
    before: Callable[[Act], None] = _nothing, after: Callable[[Act], None] = _nothing
) -> Iterator[dict[str, Effect]]:
    """Watch the effects of all machines of this OS process.

    Return the effects by name.

    Hook: faults, runs, orders and checkpoints of a process set it for a block. A watcher must not call the driver.

    Which call it is part of tells :func:`fakecuda.model.call.under_way`.

    Args:
        before: Called before each effect. It may raise: then the effect does not act.
        after: Called after each effect that has not raised.
    """
    watcher = Watcher(before, after)
    with _coming_and_going:
        if not _watchers:
            _import_all()
            for one in EFFECTS.values():
                setattr(_home(one.function), one.function.__name__, _seen(one))
        _watchers.append(watcher)
    try:
        yield EFFECTS
    finally:
        with _coming_and_going:
            _watchers.remove(watcher)
            if not _watchers:
                for one in EFFECTS.values():
                    setattr(_home(one.function), one.function.__name__, one.function)


@functools.cache
def _home(function: Callable[..., Any]) -> Any:
    *path, _ = function.__qualname__.split(".")
    return functools.reduce(getattr, path, sys.modules[function.__module__])


@functools.cache
def _import_all() -> None:
    """Import all modules of the model, once.

    Without this, operations import modules only with their first call.
    """
    package = __name__.rpartition(".")[0]
    for module in pkgutil.walk_packages(sys.modules[package].__path__, f"{package}."):
        import_module(module.name)


def _ask(act: Act) -> None:
    """Call the watchers before an effect. Watchers may raise an exception."""
    for watcher in tuple(_watchers):
        watcher.before(act)


BEFORE.add(_ask.__code__)
_signature = functools.cache(inspect.signature)


@functools.cache
def _seen(this: Effect) -> Callable[..., Any]:
    """Return a wrapper that calls the watchers of an effect."""

    @functools.wraps(this.function)
    def seen(*args: Any, **kwargs: Any) -> Any:
        outer = getattr(_acting, "act", None)
        act = Act(this, args, kwargs, outer)
        _ask(act)
        _acting.act = act
        try:
            act.result = this.function(*args, **kwargs)
        finally:
            _acting.act = outer
        for watcher in tuple(_watchers):
            watcher.after(act)
        return act.result

    return seen
