"""What a page tells of a machine: the last calls that were made on it, and pictures of it as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.reports.text import caller

if TYPE_CHECKING:
    from collections.abc import Container

    from fakecuda.simulated.machine import CallRecord, Machine

CALLS = 200
"""How many of the last calls are told."""
LARGEST = 1 << 20
"""Characters of a picture; a larger one is left out."""

Story = tuple[list[tuple[str, bool]], list[tuple[str, str]]]
"""Calls as text, oldest first, each with whether it succeeded; and pictures, each as its title and its SVG."""


def story(machine: Machine, processes: Container[str] | None = None) -> Story:
    """Return what a page tells of a machine.

    Args:
        machine: The machine.
        processes: Whose calls, by names; of all by default.
    """
    with machine.lock:
        mine = [one for one in machine.log if processes is None or one.process in processes][-CALLS:]
        return [(_told(one), one.code == 0) for one in mine], [
            one for one in pictures(machine) if len(one[1]) <= LARGEST
        ]


def _told(one: CallRecord) -> str:
    return f"{caller(one.process, one.thread)}  {str(one).partition('  ')[2]}"


def pictures(machine: Machine) -> list[tuple[str, str]]:
    """Return the pictures of a machine, each as its title and its SVG: the one place that says which there are."""
    return [("The machine", machine.draw().svg), ("Its last calls", machine.draw(timeline=True).svg)]
