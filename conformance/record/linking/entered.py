"""The questions by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.record.asking import entering

if TYPE_CHECKING:
    from conformance.record.asking import Question

QUESTIONS: dict[str, Question] = {}
question = entering(QUESTIONS)
