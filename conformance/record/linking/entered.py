"""The questions by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.record.arrays.asking import Asker

QUESTIONS: dict[str, Callable[[Asker], None]] = {}


def question(ask: Callable[[Asker], None]) -> Callable[[Asker], None]:
    """Decorate a question."""
    QUESTIONS[ask.__name__] = ask
    return ask
