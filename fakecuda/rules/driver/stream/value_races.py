"""Findings about values that streams and kernels write and wait for, beside other accesses: see docs/races.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import transfer
from fakecuda.model.work.accesses import POLLS, STRONG, UPDATES, VALUE, Operation, Poll
from fakecuda.model.work.stream_order import NOTHING
from fakecuda.model.work.written_values import Wait, Write
from fakecuda.rules.driver.stream import race
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.call import Call
    from fakecuda.model.memory.transfer import Piece
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.stream import Stream
    from fakecuda.model.work.written_values import Written


@orders.makes(orders.VALUE)
def value_written(call: Call, stream: Stream, place: tuple[int, int], piece: Piece, value: int | None) -> Written:
    """Judge the write of a value by a stream, and keep it for streams that wait for the value.

    Args:
        call: The call.
        stream: The stream.
        place: The address and the bytes of the value.
        piece: The memory of the value.
        value: The value. None if it is not known.
    """
    races = call.machine.races
    assert races is not None
    operation = Operation((stream, place[0], place[0]), VALUE, use_of_value(place, piece, UPDATES))
    races.number(operation)
    race.judge(call, races, operation, race.ASKED + 1)
    known = None if value is None else (value & (1 << 8 * piece[2]) - 1).to_bytes(piece[2], "little")
    write = Write(operation, races.captured(stream) or (NOTHING, ()), known)
    return write, races.values.write(piece[:2], write, transfer.content(piece))


@orders.makes(orders.VALUE)
def value_awaited(
    call: Call,
    stream: Stream,
    place: tuple[int, int],
    piece: Piece,
    holds: Callable[[int], bool],
    *,
    at_once: bool,
) -> Wait:
    """Judge the wait of a stream for a value, if memory holds one now; otherwise its end is judged by what comes later.

    Args:
        call: The call.
        stream: The stream.
        place: The address and the bytes of the value.
        piece: The memory of the value.
        holds: Returns whether a value ends the wait.
        at_once: Whether memory holds such a value now.
    """
    races = call.machine.races
    assert races is not None
    operation = Poll((stream, place[0], place[0]), VALUE, use_of_value(place, piece, POLLS))
    order = races.number(operation)
    captured = {**order.after, stream: order.last}, order.unsure
    wait = Wait(operation, captured, piece[:2], piece[2], holds, at_once=at_once)
    races.values.begin(wait, transfer.content(piece))
    if at_once:
        races.follow_value(stream, wait)
        race.judge(call, races, operation, race.ASKED + 1)
    elif races.sure(stream, order):
        races.keep(operation, order, history.here(race.ASKED + 1))
    return wait


def use_of_value(place: tuple[int, int], piece: Piece, does: str) -> tuple[Use]:
    """Return what a stream does to a value; arguments as for :func:`value_written`."""
    return ((does, place, [piece], None),)


@orders.makes(orders.ACQUIRED_VALUE)
def acquired(call: Call, stream: Stream, uses: Iterable[Use]) -> None:
    """Order a kernel that acquires after what was released in memory that it has read by strong accesses."""
    races = call.machine.races
    if races is not None and races.streams:
        races.follow_strong(stream, [piece for use in uses if use[0] in STRONG for piece in use[2]])


@orders.makes(orders.POLLED_VALUE)
def released(call: Call, stream: Stream, uses: Iterable[Use]) -> None:
    """Let the host see what a kernel has released in memory that the host can read."""
    races = call.machine.races
    if races is not None and any(
        use[0] == UPDATES and not race.is_of_devices(call, use[2][0][0].memory) for use in uses
    ):
        captured = races.captured(stream)
        assert captured is not None
        races.values.reveal(captured, races.seen)
