"""Memory of sparse arrays and arrays with deferred mapping, in pages of 64 KiB.

An H200 reads zeros from pages of a sparse array without memory, and ignores what is written there. A copy that uses an
array with deferred mapping while it has no memory fails with ILLEGAL_ADDRESS, as any work on such addresses does. One
from or to host memory that is not managed fails with LAUNCH_FAILED, and so does one between two arrays whose slices lie
otherwise. What an array was mapped to stays with the array, also unmapped, until it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, field

from fakecuda.model.effect import effect
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.scattered import Scattered
from fakecuda.model.work import stream_scheduler
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fakecuda.model.os.process import Process

    Place = tuple[Extent, int]
    """Memory, and an offset in it."""
    Key = tuple[int, ...]
    """A page: its level, and the numbers of its tile in z, y and x; of a tail -1, the layer, and its number there."""
    Located = Callable[[int], tuple[Key, int, int]]

BEYOND = 1 << 64
"""An address outside of all memory."""
FLAT, SOLID, APART = 1, 2, 3
"""How the slices of an array lie: one slice or layers, slices in depth, layers with levels or of one row."""
MOST = 1 << 48
"""More bytes than any array has."""


class Change(NamedTuple):
    """An operation that maps or unmaps array memory in a stream.

    Attributes:
        key: The page.
        place: The memory that it gets. None if it is unmapped.
    """

    key: Key
    place: Place | None


@define(eq=False)
class Pages(Scattered):
    """The bytes of an array without memory of its own.

    Attributes:
        process: The process that has the array.
        start: The array's first address, which no call returns.
        size: How many bytes.
        faults: Whether work must not use bytes that lie nowhere: whether the array has deferred mapping.
        located: Returns the page of a byte, the offset in the page, and how many bytes follow there. None before a
            stream maps the first page.
        extent: Its bytes, without a place in any memory.
        mapped: The memory of each mapped page.
        held: The memory that was ever mapped.
        coming: The memory of maps that streams have not come to.
    """

    process: Process = field(repr=False)
    start: int
    size: int
    faults: bool
    located: Located | None = field(default=None, init=False, repr=False)
    extent: Extent = field(init=False, repr=False)
    mapped: dict[Key, Place] = field(factory=dict, repr=False)
    held: dict[Extent, None] = field(factory=dict, repr=False)
    coming: list[Extent] = field(factory=list, repr=False)

    def __attrs_post_init__(self) -> None:
        memory: Any = self
        self.extent = Extent(memory, 0, self.size)

    def meet(self, offset: int, other: Extent, there: int) -> None:
        """Prepare for a copy with other memory; fail without deferred memory."""
        if self.faults and not self.mapped:
            memory = other.memory
            of_host = isinstance(memory, HostMemory) and memory is not self.process.machine.managed
            engine = of_host or _differ(self._form(self.extent, offset), self._form(other, there))
            stream_scheduler.fail(self.process, Result.LAUNCH_FAILED if engine else Result.ILLEGAL_ADDRESS)

    def _form(self, extent: Extent, offset: int) -> int:
        """Return how the slices of the array lie that an offset of memory belongs to; 0 if it is no array's."""
        grids = (grid for grid in self.process.arrays.values() if grid.extent is extent and grid.form)
        lies = (grid for grid in grids if not grid.room or grid.start <= grid.origin + offset < grid.end)
        return next((grid.form for grid in lies), 0)

    def parts(
        self,
        extent: Extent,  # noqa: ARG002 - as of other memory
        offset: int,
        size: int,
    ) -> Iterator[tuple[int, Extent, int, int]]:
        """Yield the mapped parts of a range; fail without deferred memory."""
        if self.faults and not self.mapped:
            stream_scheduler.fail(self.process, Result.ILLEGAL_ADDRESS)
        if not self.mapped:
            return
        located, at = self.located, 0
        assert located is not None  # as the first map has set it
        while at < size:
            key, inside, run = located(offset + at)
            run = min(run, size - at)
            place = self.mapped.get(key)
            if place is not None:
                yield at, place[0], place[1] + inside, run
            at += run


def _differ(*forms: int) -> bool:
    """Return whether no kernel of the driver copies between two arrays, by how their slices lie."""
    return all(forms) and (APART in forms or forms[0] != forms[1])


def of_array(process: Process, size: int, *, faults: bool) -> Pages:
    """Return the bytes of a new array that is mapped later."""
    return Pages(process, BEYOND + process.machine.territory.new_handle() * MOST, size, faults)


@effect()
def begin(pages: Pages, extents: Sequence[Extent], located: Located) -> None:
    """Note that a stream will map an array to memory."""
    pages.coming += extents
    pages.located = located
    for extent in extents:
        if extent not in pages.held:
            extent.references += 1
            pages.held[extent] = None


@effect()
def change(pages: Pages, changes: Sequence[Change]) -> None:
    """Map and unmap pages, in order."""
    for key, place in changes:
        if place is None:
            pages.mapped.pop(key, None)
        else:
            pages.coming.remove(place[0])
            pages.mapped[key] = place


@effect()
def let_go(pages: Pages) -> None:
    """End the mappings of an array that ends."""
    for extent in pages.held:
        extent.release()
    pages.held, pages.mapped = {}, {}
