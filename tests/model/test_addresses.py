"""The map of addresses against a plain list of ranges."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fakecuda.model.memory.addresses import SHIFTS, AddressMap

if TYPE_CHECKING:
    from types import FrameType

TOP = 1 << 48
sizes = st.integers(0, 40).flatmap(lambda bits: st.integers(1 << bits >> 1 or 1, 1 << bits))
"""Sizes from 1 to 2^40, with equal probability of each magnitude."""


@define(eq=False)
class Span:
    """A range of addresses."""

    start: int
    end: int


class Ranges(RuleBasedStateMachine):
    """Random ranges, in the map and in a list, which must agree."""

    def __init__(self) -> None:
        super().__init__()
        self.map: AddressMap[Span] = AddressMap()
        self.spans: list[Span] = []

    def _add(self, start: int, size: int) -> None:
        if all(start + size <= span.start or span.end <= start for span in self.spans):
            self.spans.append(Span(start, start + size))
            self.map.add(self.spans[-1])

    @rule(start=st.integers(0, TOP), size=sizes)
    def add(self, start: int, size: int) -> None:
        """Add a range anywhere, unless it overlaps."""
        self._add(start, size)

    @precondition(lambda self: self.spans)
    @rule(which=st.integers(0), gap=st.integers(0, 2), size=sizes)
    def add_behind(self, which: int, gap: int, size: int) -> None:
        """Add a range right behind another."""
        self._add(self.spans[which % len(self.spans)].end + gap, size)

    @rule(block=st.integers(1, 1 << 12), shift=st.sampled_from(SHIFTS[:-1]), before=sizes, after=sizes)
    def add_across(self, block: int, shift: int, before: int, after: int) -> None:
        """Add a range across the border of two blocks."""
        start = max(0, (block << shift) - before)
        self._add(start, (block << shift) + after - start)

    @precondition(lambda self: self.spans)
    @rule(which=st.integers(0))
    def remove(self, which: int) -> None:
        """Remove one of the ranges."""
        self.map.remove(self.spans.pop(which % len(self.spans)))

    @rule(address=st.integers(0, 2 * TOP))
    def look_anywhere(self, address: int) -> None:
        """Look an address up that mostly nothing holds."""
        self._agree(address)

    @precondition(lambda self: self.spans)
    @rule(which=st.integers(0), part=st.integers(0, 64))
    def look_inside(self, which: int, part: int) -> None:
        """Look an address up inside a range."""
        span = self.spans[which % len(self.spans)]
        self._agree(span.start + (span.end - span.start) * part // 64)

    @precondition(lambda self: self.spans)
    @rule(which=st.integers(0), before=sizes, size=sizes)
    def look_for_the_first(self, which: int, before: int, size: int) -> None:
        """Look for the lowest range that overlaps a long or a short one."""
        start = max(0, self.spans[which % len(self.spans)].start - before)
        held = [span for span in self.spans if span.start < start + size and start < span.end]
        assert self.map.first(start, start + size) is min(held, key=lambda span: span.start, default=None)

    def _agree(self, address: int) -> None:
        held = next((span for span in self.spans if span.start <= address < span.end), None)
        assert self.map.at(address) is held

    @invariant()
    def holds_the_same(self) -> None:
        """The map has each range once, and knows where it begins and ends."""
        assert len(self.map) == len(self.spans)
        assert sorted(map(id, self.map)) == sorted(map(id, self.spans))
        for span in self.spans:
            for address in (span.start - 1, span.start, span.end - 1, span.end):
                self._agree(address)

    def teardown(self) -> None:
        """A map that is emptied keeps nothing."""
        for span in self.spans:
            self.map.remove(span)
        assert _is_empty(self.map)


def _is_empty(space: AddressMap[Span]) -> bool:
    """Return whether a map keeps nothing, in no table."""
    return not (len(space) or space._new or space._units or any(blocks for _, blocks in space._classes))


TestRanges = Ranges.TestCase
TestRanges.settings = settings(max_examples=40, stateful_step_count=30)


def test_the_whole_address_space_is_a_range() -> None:
    """The last class takes what no block of the others could."""
    space: AddressMap[Span] = AddressMap()
    everything = Span(0, 1 << 64)
    space.add(everything)
    assert space.at((1 << 64) - 1) is everything
    assert space.at(1 << 64) is None


def test_a_range_beyond_64_bits_is_refused() -> None:
    """No address is wider than 64 bits; a caller that says otherwise has miscounted."""
    space: AddressMap[Span] = AddressMap()
    space.add(Span(0, (1 << 64) + 1))
    with pytest.raises(AssertionError):
        space.at(1)


def test_a_range_that_crosses_a_border_is_iterated_once() -> None:
    """It stands in two blocks, and is one range."""
    border = 1 << SHIFTS[0]
    space: AddressMap[Span] = AddressMap()
    crossing = Span(border - 1, border + 1)
    space.add(crossing)
    assert list(space) == [crossing]
    assert space.at(border) is space.at(border - 1) is crossing


def test_two_ranges_begin_in_one_unit() -> None:
    """The table of units has one of them: the other is found all the same, whichever goes."""
    for gone in (0, 1):
        space: AddressMap[Span] = AddressMap()
        spans = [Span(16, 24), Span(24, 32)]
        for span in spans:
            space.add(span)
        assert [space.at(span.end - 1) for span in spans] == spans
        space.remove(spans[gone])
        assert space.at(spans[gone].start) is None
        assert space.at(spans[1 - gone].start) is spans[1 - gone]
        space.remove(spans[1 - gone])
        assert _is_empty(space)


class CutError(Exception):
    """Interrupts a look-up."""


@pytest.mark.parametrize("removed", [0, 1, 2])
def test_a_look_up_that_is_cut_in_two_leaves_the_map_whole(removed: int) -> None:
    """An exception may end a look-up at any line: what has entered its class by then, and what has not, is found and goes."""
    border = 1 << SHIFTS[0]
    cut = 0
    while True:
        space: AddressMap[Span] = AddressMap()
        spans = [Span(0, 8), Span(border - 1, border + 1), Span(16, 24)]
        for span in spans:
            space.add(span)
        if not _is_cut(space, cut):
            break
        gone = spans.pop(removed)
        space.remove(gone)
        assert [space.at(span.end - 1) for span in spans] == spans
        assert space.at(gone.end - 1) is None
        for span in spans:
            space.remove(span)
        assert _is_empty(space)
        cut += 1
    assert cut > len(spans)


def _is_cut(space: AddressMap[Span], after: int) -> bool:
    """Look an address up, and cut that after so many lines; return whether it had so many."""
    left = after

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_globals["__name__"] != AddressMap.__module__:
            return None
        if event == "line":
            if not left:
                raise CutError
            left -= 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        space.at(1)
    except CutError:
        return True
    finally:
        sys.settrace(before)
    return False
