"""The return value of :func:`fakecuda.simulate`.

Installs a machine for a block, function, coroutine or class.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from fakecuda.errors import FakeCudaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fakecuda import Machine

T = TypeVar("T")
PREFIX = "test"
"""Prefix of the names of a class's tests, as for unittest and pytest."""


class Simulation(AbstractContextManager["Machine"]):
    """Installs a machine.

    It lasts for a ``with`` block, or, as a decorator, for each call.
    A decorated function gets a machine for each call. A decorated coroutine function or generator keeps its machine
    until the coroutine or generator ends. In a decorated class, each test gets its own machine.

    Args:
        install: Returns a context manager that installs a new machine.
    """

    def __init__(self, install: Callable[[], AbstractContextManager[Machine]]) -> None:
        self._install = install
        self._installed: list[AbstractContextManager[Machine]] = []

    def __enter__(self) -> Machine:
        """Install a machine and return it."""
        __tracebackhide__ = True
        installed = self._install()
        machine = installed.__enter__()
        self._installed.append(installed)
        return machine

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Uninstall the machine."""
        __tracebackhide__ = True
        return self._installed.pop().__exit__(kind, error, trace)

    def __call__(self, decorated: T) -> T:
        """Decorate a function or a class.

        Raises:
            FakeCudaError: The object is neither.
        """
        if isinstance(decorated, type):
            tests = [name for name in dir(decorated) if name.startswith(PREFIX) and callable(getattr(decorated, name))]
            for name in tests:
                setattr(decorated, name, self(inspect.getattr_static(decorated, name)))
            return decorated
        if isinstance(decorated, staticmethod | classmethod):
            return type(decorated)(self(decorated.__func__))
        if not callable(decorated):
            msg = f"simulate() decorates functions and classes; {decorated!r} is neither"
            raise FakeCudaError(msg)
        return functools.wraps(decorated)(_wrapper(decorated, self._install))  # type: ignore[return-value]


def _wrapper(
    decorated: Callable[..., Any], install: Callable[[], AbstractContextManager[Machine]]
) -> Callable[..., Any]:
    """Return a wrapper that runs each call on its own machine.

    The machine lasts until the call's coroutine or generator ends.
    """
    if inspect.iscoroutinefunction(decorated):

        async def coroutine(*args: Any, **keywords: Any) -> Any:
            with install():
                return await decorated(*args, **keywords)

        return coroutine
    if inspect.isasyncgenfunction(decorated):

        async def stream(*args: Any, **keywords: Any) -> Any:
            with install():
                async for item in decorated(*args, **keywords):
                    yield item

        return stream
    if inspect.isgeneratorfunction(decorated):

        def generator(*args: Any, **keywords: Any) -> Any:
            with install():
                return (yield from decorated(*args, **keywords))

        return generator

    def function(*args: Any, **keywords: Any) -> Any:
        with install():
            return decorated(*args, **keywords)

    return function
