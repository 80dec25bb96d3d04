"""A range is backed with memory piece by piece, and memory runs out midway."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver

from tools.museum.exhibit import SWEEP, Exhibit, Part
from tools.museum.workshop import MIB, checked, context, open_to, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda

GRAIN = 2 * MIB


def backed(start: int, pieces: int, made: list[Any]) -> None:
    """Map new memory to each piece, and note the handles of mapped pieces."""
    for number in range(pieces):
        handle = checked(driver.cuMemCreate(GRAIN, properties(), 0))
        answer = driver.cuMemMap(start + number * GRAIN, GRAIN, 0, handle, 0)
        if int(answer[0]):
            checked(driver.cuMemRelease(handle))
        checked(answer)
        made.append(handle)
    open_to(driver, start, pieces * GRAIN, 0)


def given_back(start: int, pieces: int, made: list[Any]) -> None:
    """Unmap and release the mapped pieces, and free the range."""
    for number, handle in enumerate(made):
        checked(driver.cuMemUnmap(start + number * GRAIN, GRAIN))
        checked(driver.cuMemRelease(handle))
    checked(driver.cuMemAddressFree(start, pieces * GRAIN))


def woken(_: FakeCuda, *, fixed: bool) -> None:
    """A wake-up stops without memory; mapped pieces stay without an owner."""
    context(driver)
    start = int(checked(driver.cuMemAddressReserve(3 * GRAIN, 0, 0, 0)))
    made: list[Any] = []
    try:
        backed(start, 3, made)
    except RuntimeError:
        if fixed:
            given_back(start, 3, made)
        raise
    given_back(start, 3, made)


def of_two_ranges(_: FakeCuda, *, fixed: bool) -> None:
    """Two ranges wake up in turn; if the second one fails, the first one stays awake."""
    context(driver)
    with ExitStack() as whole:
        undo = whole.enter_context(ExitStack()) if fixed else ExitStack()
        for pieces in (1, 2):
            start = int(checked(driver.cuMemAddressReserve(pieces * GRAIN, 0, 0, 0)))
            made: list[Any] = []
            undo.callback(given_back, start, pieces, made)
            backed(start, pieces, made)
        undo.close()


EXHIBITS = [
    Exhibit(
        number=9,
        report="vllm-project/vllm#34602",
        title="memory runs out midway, and mappings stay",
        happens=(
            "Waking up maps memory piece by piece. If memory runs out, the pieces that were mapped before stay: the "
            "memory is neither "
            "used nor free, and the next try finds less."
        ),
        part=Part.SWEPT,
        told=("left       ", "OUT_OF_MEMORY"),
        programs={"woken": woken, "of-two-ranges": of_two_ranges},
        settings=SWEEP,
    ),
]
