"""Effects: the functions and methods of the model that change its state, and who watches them.

An operation checks its rules, and then calls effects: nothing else changes a machine. :func:`effect` says of a function that
it is one, and what it makes, ends and uses; it returns the function as it is, so that an effect costs a call and no more.
While somebody watches (:func:`watched`), a wrapper stands in the place of each. That is why an effect is looked up when it
is called: by its class, or by its module (``mapping.unmap(...)``), never by a name that another module has imported.

What a stream does later is looked up when it is queued.

An effect happens whole. What may still fail, because memory or addresses are used up, it finds before it changes
anything, and returns None.
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
        function: It.
        makes: The kind of object that it makes and returns, as the class is called; empty for none.
        ends: The parameter that is the object that it ends, or several; empty for none.
        reads: The parameter that is the memory that it reads; empty for none. One that is part of another tells it again.
        writes: The parameter that is the memory that it writes; empty for none.
        beside: Why calls have it beside their own; empty for what a call is made for.
    """

    function: Callable[..., Any]
    makes: str = ""
    ends: str = ""
    reads: str = ""
    writes: str = ""
    beside: str = ""

    @property
    def name(self) -> str:
        """Its module and its name there: ``mapping.unmap``, ``context.Context.connect``."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}"

    @property
    def home(self) -> Any:
        """The module or the class that it is looked up in."""
        *path, _ = self.function.__qualname__.split(".")
        return functools.reduce(getattr, path, sys.modules[self.function.__module__])

    def put(self, function: Callable[..., Any]) -> None:
        """Have those who call it call another function."""
        setattr(self.home, self.function.__name__, function)


EFFECTS: dict[str, Effect] = {}
"""Those of the modules that are imported, by their names."""
CODES: set[CodeType] = set()
"""The code of their functions, by which a traceback tells that one was under way."""
BEFORE: set[CodeType] = set()
"""Hook: the code of what keeps a call from acting when it raises. Each such module adds its function when it is imported.

An exception in such a frame leaves the machine whole. It must not change the model.
"""
FIRST: set[CodeType] = set()
"""Hook: the code of what an effect does before it changes anything. Each such module adds its function when it is imported.

An exception in such a frame leaves the machine whole, unless the call has several effects. It must not change the model.
"""


def effect(*, makes: str = "", ends: str = "", reads: str = "", writes: str = "", beside: str = "") -> Callable[[F], F]:
    """Declare a function or a method that changes the model's state; see :class:`Effect`."""

    def declare(function: F) -> F:
        declared = Effect(function, makes, ends, reads, writes, beside)
        EFFECTS[declared.name] = declared
        CODES.add(function.__code__)
        return function

    return declare


@define(eq=False)
class Act:
    """An effect that is about to act, or has acted.

    Attributes:
        effect: The effect.
        outer: The effect that it is part of; None for one that an operation or the machine's user called.
        result: What it has returned; None before it has acted.
    """

    effect: Effect
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    outer: Act | None
    result: Any = field(default=None)

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was called with, by the names of its parameters."""
        bound = _signature(self.effect.function).bind(*self._args, **self._kwargs)
        bound.apply_defaults()
        return bound.arguments

    @property
    def values(self) -> tuple[Any, ...]:
        """What it was called with, without names: those take a while to find."""
        return (*self._args, *self._kwargs.values())

    @property
    def made(self) -> list[Any]:
        """The object that it has made, if any."""
        return [self.result] if self.effect.makes and self.result is not None else []

    @property
    def ended(self) -> list[Any]:
        """The objects that it ends."""
        return self._of(self.effect.ends)

    @property
    def read(self) -> list[Any]:
        """The memory that it reads: pieces (extent, offset, bytes)."""
        return self._of(self.effect.reads)

    @property
    def written(self) -> list[Any]:
        """The memory that it writes: pieces (extent, offset, bytes)."""
        return self._of(self.effect.writes)

    def _of(self, parameter: str) -> list[Any]:
        if not parameter:
            return []
        given = self.arguments[parameter]
        return list(given) if isinstance(given, list) else [given]


@frozen(eq=False)
class Watcher:
    """Who watches effects.

    Attributes:
        before: Called with each before it acts; what it raises comes out of the call, and the effect does not act.
        after: Called with each when it has acted, those that are part of another before that one.
    """

    before: Callable[[Act], None]
    after: Callable[[Act], None]


_watchers: list[Watcher] = []
_coming_and_going = threading.Lock()
"""Held while the first watcher comes, and while the last one goes: machines of two threads may have some."""
_acting = threading.local()


def _nothing(_: Act) -> None:
    """Let an effect act."""


@contextmanager
def watched(
    before: Callable[[Act], None] = _nothing, after: Callable[[Act], None] = _nothing
) -> Iterator[dict[str, Effect]]:
    """See each effect of every machine of this OS process, and give the effects by their names.

    Hook: faults, runs, orders and checkpoints of a process set it for a block. A watcher must not call the driver.

    Which call it is part of tells :func:`fakecuda.model.call.under_way`.

    Args:
        before: Called with each before it acts. It may raise: then nothing of this effect has happened.
        after: Called with each when it has acted; not when it raised.
    """
    watcher = Watcher(before, after)
    with _coming_and_going:
        if not _watchers:
            _import_all()
            for one in EFFECTS.values():
                one.put(_seen(one))
        _watchers.append(watcher)
    try:
        yield EFFECTS
    finally:
        with _coming_and_going:
            _watchers.remove(watcher)
            if not _watchers:
                for one in EFFECTS.values():
                    one.put(one.function)


def _import_all() -> None:
    """Import every module of the model: operations import what they call with their first call."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.walk_packages(sys.modules[package].__path__, f"{package}."):
        import_module(module.name)


def _ask(act: Act) -> None:
    """Tell the watchers that an effect is about to act; they may raise."""
    for watcher in tuple(_watchers):
        watcher.before(act)


BEFORE.add(_ask.__code__)
_signature = functools.cache(inspect.signature)


@functools.cache
def _seen(this: Effect) -> Callable[..., Any]:
    """Return what shows an effect to the watchers when it is called."""

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
