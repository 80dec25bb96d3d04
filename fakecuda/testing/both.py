"""``pytest --fakecuda=both``.

Runs each test on the model and on the card; :mod:`fakecuda.testing.difference` reports the first differing answer.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.errors import UndefinedBehaviour
from fakecuda.machine import install, refusals
from fakecuda.testing import real, script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from fakecuda.machine.refusals import Refusal

MODEL, CARD = "model", "card"
SIDES = (MODEL, CARD)
MODULES = {"cuda.bindings.driver": "cu", "cuda.bindings.runtime": "cuda"}
"""The modules whose functions are compared, with the prefix of the function names."""
LARGE = 1 << 31
"""The number from which values are addresses or sizes, which differ."""
MOST = 1000
"""Maximum number of compared calls per thread."""


@frozen
class Side:
    """Whether a test runs on the model or on the card.

    Attributes:
        name: ``model`` or ``card``.
        profile: The profile of its mark; None for the default.
    """

    name: str
    profile: Any = None

    def __str__(self) -> str:
        return self.name if self.profile is None else f"{getattr(self.profile, 'name', self.profile)}-{self.name}"


@frozen
class Answer:
    """A call and its answer.

    Attributes:
        call: The function.
        args: Its arguments, as text.
        told: Its answer, as text.
        value: The part of the answer that two machines share; None if the following calls are not compared.
        refusal: The model's refusal of the call; None if the model did not refuse it.
        place: The line that called.
        written: The call as source.
        number: Its number among the calls of all threads.
    """

    call: str
    args: str
    told: str
    value: Any
    refusal: Refusal | None
    place: str
    written: script.Written
    number: int


@define(eq=False)
class Trace:
    """The calls of a test, by thread in the order of their first calls."""

    threads: dict[int, list[Answer]] = field(factory=dict)
    numbers: Iterator[int] = field(factory=count)

    def before(self, answer: Answer) -> list[script.Written]:
        """Return the calls of all threads before one, oldest first."""
        every = (one for answers in self.threads.values() for one in answers if one.number < answer.number)
        return [one.written for one in sorted(every, key=lambda one: one.number)]

    def add(self, answer: Answer) -> None:
        """Add a call of this thread."""
        answers = self.threads.setdefault(threading.get_ident(), [])
        if len(answers) < MOST:
            answers.append(answer)


@contextmanager
def side(one: Side, driver: Any) -> Iterator[Trace]:
    """Make new machines the model or the card, and yield a trace for the calls.

    Args:
        one: The model or the card, with the profile.
        driver: The real cuda.bindings.driver.
    """
    back = install.use_instead(None if one.name == MODEL else (lambda profile: real.machine(driver, profile)))
    try:
        yield Trace()
    finally:
        back()


@contextmanager
def traced(trace: Trace) -> Iterator[None]:
    """Record the calls of the bindings' functions.

    They reach the model or the card.
    """
    taken: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for name, prefix in MODULES.items():
        try:
            contents = vars(import_module(name))
        except ImportError:
            continue
        functions = {
            key: value
            for key, value in contents.items()
            if key.startswith(prefix) and callable(value) and not isinstance(value, type)
        }
        taken.append((contents, functions))
        contents.update({key: _noting(key, value, trace) for key, value in functions.items()})
    try:
        yield
    finally:
        for contents, functions in taken:
            contents.update(functions)


def _noting(name: str, function: Callable[..., Any], trace: Trace) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        args_told = ", ".join([*map(_told, args), *(f"{key}={_told(value)}" for key, value in keywords.items())])
        place = _place(sys._getframe(1))  # noqa: SLF001 - the caller's line
        try:
            result = function(*args, **keywords)
        except UndefinedBehaviour:
            source = script.written(name, args, keywords, None, place)
            trace.add(Answer(name, args_told, "undefined behaviour", None, None, place, source, next(trace.numbers)))
            raise
        source, told = script.written(name, args, keywords, result, place), _told(result)
        refusal = _refusal(name, result)
        trace.add(Answer(name, args_told, told, _value(result), refusal, place, source, next(trace.numbers)))
        return result

    return call


def _place(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _refusal(name: str, result: Any) -> Refusal | None:
    """Return the model's refusal of a call that it has just answered. None if it did not refuse the call."""
    machine: Any = install.installed()
    code = result[0] if isinstance(result, tuple) and result else 0
    calls = getattr(machine, "calls", None)
    if not int(code) or not calls:
        return None
    _, op, _, _, _, rule, _ = calls[-1]
    counted = refusals.counted(machine)
    last = counted.recent[-1] if counted is not None and counted.recent else None
    return last if last is not None and last.rule is rule and op.name.startswith(name) else None


def _value(value: Any) -> Any:
    """Return the part of an answer that model and card can share."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(_value, value))
    if isinstance(value, int):
        return int(value) if abs(value) < LARGE else "a large number"
    name = type(value).__name__
    if not hasattr(value, "__int__") or isinstance(value, float):
        return name
    return int(value) if name == "CUdevice" else (name, int(value) != 0)  # a handle or an address


def _told(value: Any) -> str:
    """Return a value as short text."""
    if isinstance(value, tuple):
        return ", ".join(map(_told, value))
    if isinstance(value, int) and (name := getattr(value, "name", "")):
        return str(name)
    if not isinstance(value, float | bool) and (isinstance(value, int) or hasattr(value, "__int__")):
        return str(int(value)) if abs(int(value)) < LARGE else hex(int(value))
    text = repr(value) or type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - a line's worth
