"""Copies and memsets of a machine, which take virtual time.

They advance its clock by the time that they take, and carry or remove the marks of unknown bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.transfer import Piece, Pieces, Shape


@effect(reads="sources", writes="targets")
def copy(machine: Machine, targets: Pieces, sources: Pieces) -> None:
    """Copy between pieces, and advance the clock."""
    transfer.copy(targets, sources)
    if machine.unknown is not None:
        machine.unknown.copied(targets, sources)
    extent, _, size = targets[0]
    if len(targets) > 1:
        size = sum(piece[2] for piece in targets)
    machine.clock.moved(extent.memory, sources[0][0].memory, size)


@effect(reads="sources", writes="targets")
def move(machine: Machine, targets: Pieces, sources: Pieces, shape: Shape | None) -> None:
    """Copy bytes or rows, as :func:`fakecuda.model.memory.transfer.copy_rows` does."""
    if shape is None:
        copy(machine, targets, sources)
        return
    transfer.copy_rows(targets, sources, shape)
    if machine.unknown is not None:
        machine.unknown.copied(targets, sources, shape)
    width, height, depth, *_ = shape
    machine.clock.moved(targets[0][0].memory, sources[0][0].memory, width * height * depth)


@effect(writes="pieces")
def fill(machine: Machine, pieces: Pieces, value: int, width: int = 1) -> None:
    """Fill memory, as :func:`fakecuda.model.memory.transfer.fill` does."""
    transfer.fill(pieces, value, width)
    if machine.unknown is not None:
        machine.unknown.clear(pieces)
    extent, _, size = pieces[0]
    if len(pieces) > 1:
        size = sum(piece[2] for piece in pieces)
    machine.clock.moved(extent.memory, None, size)


@effect(writes="pieces")
def fill_rows(machine: Machine, pieces: Pieces, value: int, width: int, row: int, rows: int, pitch: int) -> None:
    """Fill rows, as :func:`fakecuda.model.memory.transfer.fill_rows` does."""
    set_rows(machine, pieces, value, width, row, rows, pitch)
    machine.clock.moved(pieces[0][0].memory, None, row * rows)


@effect(writes="pieces")
def set_rows(machine: Machine, pieces: Pieces, value: int, width: int, row: int, rows: int, pitch: int) -> None:
    """Fill rows without advancing the clock, as part of a memset."""
    transfer.fill_rows(pieces, value, width, row, rows, pitch)
    if machine.unknown is not None:
        machine.unknown.clear_rows(pieces, row, rows, pitch)


@effect(writes="piece")
def set_value(machine: Machine, piece: Piece, value: int, width: int) -> None:
    """Write a value as a stream does; bytes after the piece are dropped."""
    extent, offset, size = piece
    if size == width:
        transfer.fill([piece], value, width)
    else:
        for index in range(size):
            transfer.fill([(extent, offset + index, 1)], value >> 8 * index)
    if machine.unknown is not None:
        machine.unknown.clear([piece])
