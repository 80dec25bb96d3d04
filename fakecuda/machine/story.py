"""The calls and pictures of a machine, for HTML pages.

These are its last calls, and pictures of its current state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.reports.text import caller

if TYPE_CHECKING:
    from collections.abc import Container

    from fakecuda.machine.call_record import CallRecord
    from fakecuda.machine.machine import Machine

CALLS = 200
"""Maximum number of calls."""
LARGEST = 1 << 20
"""Maximum number of characters of a picture. Larger pictures are left out."""

Story = tuple[list[tuple[str, bool]], list[tuple[str, str]]]
"""Calls as text, oldest first, each with whether it succeeded; and pictures, each as title and SVG."""


def story(machine: Machine, processes: Container[str] | None = None) -> Story:
    """Return the last calls and the pictures of a machine.

    Args:
        machine: The machine.
        processes: The names of the processes whose calls count; None for all.
    """
    with machine.lock:
        mine = [one for one in machine.log if processes is None or one.process in processes][-CALLS:]
        return [(_told(one), one.code == 0) for one in mine], [
            one for one in pictures(machine) if len(one[1]) <= LARGEST
        ]


def _told(one: CallRecord) -> str:
    return f"{caller(one.process, one.thread)}  {str(one).partition('  ')[2]}"


def pictures(machine: Machine) -> list[tuple[str, str]]:
    """Return all pictures of a machine, each as title and SVG."""
    return [("The machine", machine.draw().svg), ("Its last calls", machine.draw(timeline=True).svg)]
