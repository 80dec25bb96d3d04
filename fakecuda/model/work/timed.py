"""Copies and memsets that advance the machine's clock by the time that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from fakecuda.model.memory.transfer import Pieces, Shape
    from fakecuda.model.work.clock import Clock


@effect(reads="sources", writes="targets")
def copy(clock: Clock, targets: Pieces, sources: Pieces) -> None:
    """Copy between pieces, and advance the clock."""
    transfer.copy(targets, sources)
    extent, _, size = targets[0]
    if len(targets) > 1:
        size = sum(piece[2] for piece in targets)
    clock.moved(extent.memory, sources[0][0].memory, size)


@effect(reads="sources", writes="targets")
def move(clock: Clock, targets: Pieces, sources: Pieces, shape: Shape | None) -> None:
    """Copy bytes or rows, as :func:`fakecuda.model.memory.transfer.copy_rows` does."""
    if shape is None:
        copy(clock, targets, sources)
        return
    transfer.copy_rows(targets, sources, shape)
    width, height, depth, *_ = shape
    clock.moved(targets[0][0].memory, sources[0][0].memory, width * height * depth)


@effect(writes="pieces")
def fill(clock: Clock, pieces: Pieces, value: int, width: int = 1) -> None:
    """Fill memory, as :func:`fakecuda.model.memory.transfer.fill` does."""
    transfer.fill(pieces, value, width)
    extent, _, size = pieces[0]
    if len(pieces) > 1:
        size = sum(piece[2] for piece in pieces)
    clock.moved(extent.memory, None, size)


@effect(writes="pieces")
def fill_rows(clock: Clock, pieces: Pieces, value: int, width: int, row: int, rows: int, pitch: int) -> None:
    """Fill rows, as :func:`fakecuda.model.memory.transfer.fill_rows` does."""
    transfer.fill_rows(pieces, value, width, row, rows, pitch)
    clock.moved(pieces[0][0].memory, None, row * rows)
