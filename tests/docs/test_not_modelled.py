"""What pages say that fakecuda does not do is so: each claim is tried, and what is missing in the code stands on the page."""

from __future__ import annotations

import ctypes
from mmap import mmap
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.execution.launch_config import attribute
from conformance.cases.driver.graph.fixtures import copy
from fakecuda import FakeCudaError, GraphLaunch, Machine
from fakecuda.model.code.kernels import MEANINGS
from fakecuda.rules.registry import EVERY_API
from fakecuda.spec.node_params import CONDITIONAL, pack
from tests.docs.blocks import ROOT
from tests.docs.claims import (
    ATTACHED,
    FROM_TABLES,
    NOT_MODELLED,
    PARTS,
    RACES,
    SITES,
    Streams,
    calls,
    elsewhere,
    firsts,
    is_found,
    patterns,
    says,
    sites,
)
from tests.each import each
from tests.model.test_conditional import Bench, sets, setting
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable


@each("pattern", patterns)
def test_what_matches_is_not_modelled(pattern: str) -> None:
    """Of NVML the page says that some calls are; a call of which no API has a description is not."""
    matched = calls(pattern)
    if not matched:
        assert "*" not in pattern
        assert all(pattern not in api.ops for api in EVERY_API.values())
    elif pattern.startswith("nvml"):
        assert not all(matched.values())
    else:
        assert [name for name, modelled in matched.items() if modelled] == []


def test_all_that_is_not_modelled_is_on_the_page() -> None:
    """Every described call without an operation matches a pattern."""
    named = {name for pattern in patterns() for name in calls(pattern)}
    missing = [name for api in EVERY_API.values() for name in api.calls if name not in api.ops and name not in named]
    assert missing == [], f"name them in {NOT_MODELLED}"


@pytest.mark.parametrize(
    ("heading", "tried"), [("## Parts of modelled calls", PARTS), ("### In an attached process", ATTACHED)]
)
def test_each_part_is_tried(heading: str, tried: dict[str, tuple[str, str]]) -> None:
    """By a test or a case that fails when the claim is false."""
    assert firsts(NOT_MODELLED, heading) == [*tried]
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file, _ in tried.values()}
    assert [row for row, (file, text) in tried.items() if text not in texts[file]] == []


def test_each_message_is_on_the_page() -> None:
    """A module that says "not modelled" is covered by a row."""
    assert sites() == SITES.keys(), f"give {NOT_MODELLED} a row, and tests/docs/claims.py its test"
    assert {*SITES.values()} <= {*PARTS, *ATTACHED}


def test_other_pages_make_no_claim() -> None:
    """A sentence that says that something is not modelled links to the page, where each row is tried."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guides/*.md")]
    texts = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in pages}
    assert [one for name, text in texts.items() if name not in FROM_TABLES for one in elsewhere(name, text)] == []


@pytest.mark.parametrize(
    "text", ["Kernels that launch graphs are not modelled.", "| races | fakecuda does not model it |"]
)
def test_a_planted_claim_is_found(text: str) -> None:
    """Whatever the page says besides."""
    assert list(elsewhere("docs/kernels.md", f"Kernels run. {text} A call that is not modelled warns.")) != []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f():\n    msg = f'{a} is not modelled'\n", True),
        ("def f():\n    return 'it is not modelled here' if a else ''\n", True),
        ("def f():\n    unmodelled(op)\n", True),
        ('def f():\n    """Arrays are not modelled."""\n', False),
        ("modelled = 1\n", False),
    ],
)
def test_a_planted_message_is_found(source: str, found: bool) -> None:  # noqa: FBT001 - a parameter
    """However it is put together; what a docstring says raises nothing."""
    assert says(source) == found


def test_copies_behind_a_condition_of_a_far_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """The launch is refused before anything runs."""
    monkeypatch.setattr("fakecuda.rules.driver.graph.conditional.OWN", object())
    fakecuda.kernel("set", "u64", "u32*", "u32")(sets)
    with Machine("h200", strict=False, seed=0) as machine:
        bench = Bench(machine)
        c, of = bench.c, bench.graph()
        counter = done(c.cuMemAlloc(64))
        condition = done(c.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 0))
        first = setting(bench, of, condition, counter, 1)
        _, _, (body,) = c.cuGraphAddNode(of, (first,), None, 1, pack(CONDITIONAL, (condition, 0, 1, 0, bench.ctx)))
        done(c.cuGraphAddMemcpyNode(body, None, 0, copy(counter + 16, counter), bench.ctx))
        with pytest.raises(
            FakeCudaError, match="controls memcpy nodes, which is not modelled for an OS process that has attached"
        ):
            c.cuGraphLaunch(done(c.cuGraphInstantiate(of, 0)), 0)


def rows(streams: Streams, count: int) -> None:
    """Write rows with gaps between in two streams."""
    for stream in (streams.one, streams.two):
        done(streams.c.cuMemsetD2D8Async(streams.place, 64, 1, 8, count, stream))


def behind_work(streams: Streams) -> None:
    """Launch a kernel while earlier work waits for a value, then write the same bytes."""
    done(streams.c.cuStreamWaitValue32(streams.third, streams.flag, 1, 0))
    streams.launch(streams.one)
    streams.fill(streams.two)
    done(streams.c.cuStreamWriteValue32(0, streams.flag, 1, 0))


def graph_beside(streams: Streams) -> None:
    """Launch a graph beside another stream's write."""
    done(streams.c.cuGraphLaunch(streams.graph(0), streams.one))
    streams.fill(streams.two)


def copied_in(streams: Streams) -> None:
    """Copy from plain memory without a stream, then read the bytes in a stream."""
    done(streams.c.cuMemcpyHtoD(streams.place, bytes(64), 64))
    done(streams.c.cuMemcpyDtoDAsync(streams.other, streams.place, 64, streams.one))


def launched(streams: Streams) -> None:
    """Launch a kernel, then write the same bytes in another stream."""
    streams.launch(streams.one)
    streams.fill(streams.two)


def launched_with(streams: Streams, *attributes: Any) -> None:
    """Launch a kernel with attributes that record an event. Another stream waits for the event and writes there."""
    event = int(done(streams.c.cuEventCreate(2)))  # CU_EVENT_DISABLE_TIMING
    function = streams.function(lambda _grid, _block, to: to.__setitem__(0, 1))
    held = ctypes.c_uint64(streams.place)
    places = (ctypes.c_void_p * 1)(ctypes.addressof(held))
    config = *[1] * 6, 0, streams.one, tuple(attribute(name, event, 0) for name in attributes)
    done(streams.c.cuLaunchKernelEx(config, function, ctypes.addressof(places), 0))
    done(streams.c.cuStreamWaitEvent(streams.two, event, 0))
    streams.fill(streams.two)


def launched_without_function(streams: Streams) -> None:
    """Launch a kernel without a function, then write the same bytes in another stream."""
    function = streams.function(lambda *_: None)
    del MEANINGS["claimed"]
    held = ctypes.c_uint64(streams.place)
    places = (ctypes.c_void_p * 1)(ctypes.addressof(held))
    done(streams.c.cuLaunchKernel(function, *[1] * 6, 0, streams.one, ctypes.addressof(places), 0))
    streams.fill(streams.two)


def launched_by_a_kernel(streams: Streams) -> None:
    """Have a kernel launch a graph that fills the memory, then fill it in another stream."""
    c = streams.c
    of = done(c.cuGraphCreate(0))
    done(c.cuGraphAddMemsetNode(of, None, 0, (streams.place, 0, 7, 1, 16, 1), 0))
    inner = done(c.cuGraphInstantiate(of, DEVICE_LAUNCH))
    done(c.cuGraphUpload(inner, 0))
    done(c.cuCtxSynchronize())
    came: list[int] = []
    function = streams.function(lambda *_: came.append(fakecuda.launch_graph(inner, GraphLaunch.TAIL)))
    held = ctypes.c_uint64(streams.other)
    places = (ctypes.c_void_p * 1)(ctypes.addressof(held))
    outer = done(c.cuGraphCreate(0))
    done(c.cuGraphAddKernelNode(outer, None, 0, (function, *[1] * 6, 0, ctypes.addressof(places), 0, 0, 0)))
    done(c.cuGraphLaunch(done(c.cuGraphInstantiate(outer, 0)), streams.one))
    assert came == [0]
    streams.fill(streams.two)


def pinned(streams: Streams, bytes_before: int = 0) -> int:
    """Copy to page-locked memory in a stream, and return where."""
    place = int(done(streams.c.cuMemHostAlloc(4096, 0))) + bytes_before
    done(streams.c.cuMemcpyDtoHAsync(place, streams.place, 64, streams.one))
    return place


def read_early(streams: Streams) -> None:
    """Read the memory before the copy is done."""
    ctypes.string_at(pinned(streams), 64)


def read_behind(streams: Streams) -> None:
    """Read other bytes of the page first."""
    place = pinned(streams, 64)
    ctypes.string_at(place - 64, 64)
    ctypes.string_at(place, 64)


def prefetched(streams: Streams) -> None:
    """Prefetch what another stream discards."""
    memory = int(done(streams.c.cuMemAllocManaged(4096, 1)))
    done(streams.c.cuMemDiscardBatchAsync((memory,), (64,), 1, 0, streams.one))
    done(streams.c.cuMemPrefetchAsync(memory, 64, (1, 0), 0, streams.two))


def discarded(streams: Streams) -> None:
    """Discard what another stream writes."""
    memory = int(done(streams.c.cuMemAllocManaged(4096, 1)))
    done(streams.c.cuMemsetD8Async(memory, 1, 64, streams.two))
    done(streams.c.cuMemDiscardBatchAsync((memory,), (64,), 1, 0, streams.one))


def freed(streams: Streams, *, prefetches: bool) -> None:
    """Free managed memory that a stream prefetches or writes."""
    memory = int(done(streams.c.cuMemAllocManaged(4096, 1)))
    if prefetches:
        done(streams.c.cuMemPrefetchAsync(memory, 64, (1, 0), 0, streams.one))
    else:
        done(streams.c.cuMemsetD8Async(memory, 1, 64, streams.one))
    done(streams.c.cuMemFree(memory))


def shown(streams: Streams, place: int) -> None:
    """Fill memory and write a value; fill the memory in another stream."""
    streams.fill(streams.one)
    done(streams.c.cuStreamWriteValue32(streams.one, place, 1, 0))
    streams.fill(streams.two)


def polled(streams: Streams) -> None:
    """Read page-locked memory that a kernel writes."""
    place, streams.place = streams.place, int(done(streams.c.cuMemHostAlloc(4096, 0)))
    streams.launch(streams.one)
    ctypes.string_at(streams.place, 1)
    streams.place = place


def written_again(streams: Streams, *, late: bool) -> None:
    """Wait for a value that two streams write. One of them has filled the memory before."""
    c = streams.c
    streams.fill(streams.one)
    done(c.cuStreamWriteValue32(streams.one, streams.flag, 1, 0))
    if not late:
        done(c.cuStreamWriteValue32(streams.third, streams.flag, 1, 0))
    done(c.cuStreamWaitValue32(streams.two, streams.flag, 1, 0))
    if late:
        done(c.cuStreamWriteValue32(streams.third, streams.flag, 1, 0))
    streams.fill(streams.two)


def registered(streams: Streams, size: int) -> None:
    """Read a page of registered memory before a copy of so many bytes to it is done."""
    room = mmap(-1, PAGE)
    place = ctypes.addressof(ctypes.c_char.from_buffer(room))
    done(streams.c.cuMemHostRegister(place, PAGE, 0))
    done(streams.c.cuMemcpyDtoHAsync(place, streams.place, size, streams.one))
    ctypes.string_at(place, 64)
    done(streams.c.cuStreamSynchronize(streams.one))
    done(streams.c.cuMemHostUnregister(place))


Case = tuple["Callable[[Streams], object]", dict[str, Any]]
DEVICE_LAUNCH = 4
PAGE = 4096
MANUAL, STRICT = {"completion": "manual"}, {"races": "strict"}
SEEN: dict[str, tuple[Case, Case]] = {
    "loads and stores of the host, by default": ((read_early, {}), (read_early, STRICT)),
    "kernels beside loads and stores of the host": ((polled, STRICT), (read_early, STRICT)),
    "an access of the host behind an access to other bytes of a page": ((read_behind, STRICT), (read_early, STRICT)),
    "kernels that attributes or edges let begin before earlier kernels end, and events that these attributes record": (
        (lambda streams: launched_with(streams, "LAUNCH_COMPLETION_EVENT"), {}),
        (launched_with, {}),
    ),
    'kernels that wait for earlier work, or run with `completion="manual"`': ((behind_work, {}), (launched, {})),
    "reads of registered memory on a page that is only partly registered or copied": (
        (lambda streams: registered(streams, 64), STRICT),
        (lambda streams: registered(streams, PAGE), STRICT),
    ),
    "a value that is written after a wait for it has returned, if memory held such a value then": (
        (lambda streams: written_again(streams, late=True), {}),
        (lambda streams: written_again(streams, late=False), {}),
    ),
    "skipped launches": ((launched_without_function, {"kernels": "skip"}), (launched, {})),
    "a prefetch beside a discard of the same bytes": ((prefetched, {}), (discarded, {})),
    "a prefetch that may be under way when the memory is freed": (
        (lambda streams: freed(streams, prefetches=True), STRICT),
        (lambda streams: freed(streams, prefetches=False), STRICT),
    ),
    "a host function or a polled value that tells the host nothing": (
        (lambda streams: shown(streams, int(done(streams.c.cuMemHostAlloc(64, 0)))), {}),
        (lambda streams: shown(streams, streams.flag), {}),
    ),
    "what kernels launch": ((launched_by_a_kernel, {}), (graph_beside, {})),
    "rows of a copy or memset with more than 256 rows and gaps between the rows": (
        (lambda streams: rows(streams, 257), {}),
        (lambda streams: rows(streams, 256), {}),
    ),
    "the last part of a copy from plain memory without a stream, by default": (
        (copied_in, {}),
        (copied_in, {"races": "strict"}),
    ),
}
"""By row of the page: an undetected race, and a similar detected one."""
UNTRIED = [
    "reads of the host in another OS process, such as a program in C",
    "a device that loses its access to a pool while its work uses the pool's memory",
    "atomic operations, strong loads and strong stores whose scopes leave out the other kernel, or whose sizes differ",
]
"""Rows that need another OS process, two devices or kernels from PTX; tests/model tries the last two."""


@pytest.mark.parametrize("row", SEEN)
def test_what_races_are_not_seen(row: str) -> None:
    """And what lies beside it is."""
    (missed, options), (found, others) = SEEN[row]
    assert not is_found(missed, **options)
    assert is_found(found, **others)


def test_kernels_are_not_seen_with_manual_completion() -> None:
    """The second half of a row."""
    assert not is_found(launched, **MANUAL)


def test_each_row_of_races_is_tried() -> None:
    """All but those that other machines show."""
    assert sorted(firsts(RACES, "## What is not seen")) == sorted([*SEEN, *UNTRIED])
