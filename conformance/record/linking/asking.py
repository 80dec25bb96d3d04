"""How questions are put: calls with a label, whose codes and plain results are kept in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Question = Callable[["Asker"], None]


QUESTIONS: dict[str, Question] = {}
"""The questions by their names."""


def question(ask: Question) -> Question:
    """Decorate a question, which is entered by its name."""
    QUESTIONS[ask.__name__] = ask
    return ask


class Asker:
    """A module of the driver's calls, and what notes its answers."""

    def __init__(self, cu: Any, note: Callable[[list[Any]], object]) -> None:
        """Begin to ask a module, and have what it answers noted at once: a call may be the last."""
        self.cu = cu
        self.note = note

    def begin(self, flags: int = 0) -> Any:
        """Return a new context on the first device, current."""
        self.cu.cuInit(0)
        return self.get("cuCtxCreate", None, flags, 0)

    def get(self, call: str, *args: Any) -> Any:
        """Make a call that is none of the question, and return its result."""
        code, *results = getattr(self.cu, call)(*args)
        if int(code):
            msg = f"{call} answered {code!r}"
            raise RuntimeError(msg)
        return results[0] if len(results) == 1 else results

    def ask(self, label: str, call: str, *args: Any, show: Callable[[Any], Any] | None = None) -> Any:
        """Make a call, keep its code and what ``show`` makes of its result, and return that result."""
        try:
            code, *results = getattr(self.cu, call)(*args)
        except (TypeError, ValueError, OverflowError, RuntimeError) as refusal:
            self.note([label, call, type(refusal).__name__])  # the binding's, before the driver is asked
            return None
        result = results[0] if len(results) == 1 else results
        plain = [] if show is None or int(code) else [show(result)]
        self.note([label, call, int(code), *plain])
        return None if int(code) else result

    def tell(self, label: str, value: Any) -> None:
        """Keep a value."""
        self.note([label, value])

    def form(self, number: int) -> Any:
        """Return a format, known or not."""
        return enum(self.cu.CUarray_format, number)


class _Odd(int):
    """A number that passes for a member of an enum that has none of it."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


def enum(kind: Any, number: int) -> Any:
    """Return a member of an enum, or the number where it has none."""
    try:
        return kind(number)
    except ValueError:
        return _Odd(number)
