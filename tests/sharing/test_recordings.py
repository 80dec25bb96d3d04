"""Recorded programs run by real processes: the driver's answers in every step, for a program of each recording.

``pytest conformance --target=processes`` runs them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.replay import every, recording, replay

if TYPE_CHECKING:
    from pathlib import Path

MOST = 60
"""Steps of a program that is run here."""


def _short() -> list[tuple[Path, int]]:
    """Return the longest program of each recording that is short enough."""
    found: dict[Path, tuple[int, int]] = {}
    for path, number in every():
        read = recording(path)
        steps = 0 if isinstance(read, Exception) else len(read.programs[number].steps)
        if steps <= MOST:
            found[path] = max(found.get(path, (0, 0)), (steps, number))
    return [(path, number) for path, (_, number) in found.items()]


@pytest.mark.parametrize(("path", "number"), _short(), ids=lambda one: getattr(one, "stem", one))
def test_real_processes_answer_as_the_driver_did(path: Path, number: int) -> None:
    """Also in what several processes share."""
    assert replay(path, number, "processes").unknown == ()
