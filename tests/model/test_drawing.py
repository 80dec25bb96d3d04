"""``machine.draw()``: what is there is drawn, to scale, and can be read."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from conformance.kit.world import GRANULE, access, pinned
from fakecuda import Machine
from fakecuda.explain.pictures import machine as pictures
from fakecuda.explain.pictures.svg import FILLS
from tests.tools.test_pictures import SVG, boxes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Return a machine with a process that has a context."""
    with Machine("h200-x2", strict=False, seed=0) as made:
        c = made.spawn("a").c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        yield made


def words(machine: Machine) -> list[str]:
    """Return the lines of text of a machine's picture."""
    return [one.text or "" for one in ET.fromstring(machine.draw().svg).iter(f"{SVG}text")]  # noqa: S314 - our own


def filled(machine: Machine, kind: str) -> list[tuple[float, float, float, float]]:
    """Return the boxes of a colour."""
    text = machine.draw().svg
    colours = [one.attrib["fill"] for one in ET.fromstring(text).iter(f"{SVG}rect")]  # noqa: S314 - our own
    return [box for box, colour in zip(boxes(text), colours, strict=True) if colour == FILLS[kind]]


def test_mappings_are_drawn_to_the_scale_of_their_reservation(machine: Machine) -> None:
    """At their places in it, with who may use each."""
    c = machine.processes["a"].c
    start = c.cuMemAddressReserve(4 * GRANULE, 0, 0, 0)[1]
    for place in (0, 3):
        c.cuMemMap(start + place * GRANULE, GRANULE, 0, c.cuMemCreate(GRANULE, pinned(0), 0)[1], 0)
    c.cuMemSetAccess(start, GRANULE, (access(0), access(1, 1)), 2)
    (whole,) = filled(machine, "ground")
    first, second = filled(machine, "model")
    assert whole[2] - whole[0] == pytest.approx(pictures.WIDE)
    assert [first[0], first[2]] == pytest.approx([whole[0], whole[0] + pictures.WIDE / 4])
    assert second[2] == pytest.approx(whole[2])
    told = words(machine)
    assert "device 0 reads and writes, device 1 reads" in told
    assert "nobody may use it" in told


def test_what_is_far_away_has_a_scale_of_its_own(machine: Machine) -> None:
    """The smallest thing is seen all the same."""
    c = machine.processes["a"].c
    c.cuMemAlloc(8 << 20)
    c.cuMemAlloc(1)
    large, small = filled(machine, "rules")[1:]
    assert small[2] - small[0] == pytest.approx(pictures.LEAST)
    assert large[2] - large[0] > 10 * pictures.LEAST
    spans = [SimpleNamespace(start=start, end=start + 10) for start in (0, pictures.FAR, 3 * pictures.FAR)]
    assert list(map(len, pictures.near(spans))) == [2, 1]


def test_stacks_and_peers(machine: Machine) -> None:
    """The current context is first; who enabled access to whom is one cell."""
    c = machine.processes["a"].c
    first = c.cuCtxGetCurrent()[1]
    second = c.cuCtxCreate(None, 0, 1)[1]
    assert len(filled(machine, "rules")) == 1
    c.cuCtxEnablePeerAccess(first, 0)
    told = words(machine)
    assert told.index(f"context {second:#x} on device 1") < told.index(f"context {first:#x} on device 0")
    assert len(filled(machine, "rules")) == 2


def test_who_has_what_open_is_drawn_once(machine: Machine) -> None:
    """Of memory with two names, too, and when its exporter has freed it."""
    a, b = machine.processes["a"].c, machine.spawn("b").c
    memory = a.cuMemAlloc(4096)[1]
    handle = a.cuIpcGetMemHandle(memory)[1]
    b.cuInit(0)
    b.cuCtxCreate(None, 0, 0)
    where = b.cuIpcOpenMemHandle(handle, 1)[1]
    assert [line for line in words(machine) if "opened" in line][-1] == f"b: {where:#x}, opened once"
    b.cuIpcOpenMemHandle(handle, 1)
    assert words(machine)[-1] == f"b: {where:#x}, opened 2 times"
    a.cuMemFree(memory)
    assert any(line.endswith(", freed") for line in words(machine))
    b.cuIpcCloseMemHandle(where)
    b.cuIpcCloseMemHandle(where)
    assert "exported by IPC handles" not in words(machine)


def test_handles_pools_and_events_that_others_have(machine: Machine) -> None:
    """Each way to share has its heading, the exporter's and the importer's; an exporter that has released it is told."""
    a, b = machine.processes["a"].c, machine.spawn("b").c
    b.cuInit(0)
    b.cuCtxCreate(None, 0, 0)
    handle = a.cuMemCreate(GRANULE, pinned(0, handle_types=1), 0)[1]
    descriptor = a.cuMemExportToShareableHandle(handle, 1, 0)[1]
    imported = b.cuMemImportFromShareableHandle(descriptor, 1)[1]
    start = b.cuMemAddressReserve(GRANULE, 0, 0, 0)[1]
    b.cuMemMap(start, GRANULE, 0, imported, 0)
    pool = a.cuMemPoolCreate((1, 1, (1, 0), 0, 0, 0, 0))[1]
    exported = a.cuMemPoolExportToShareableHandle(pool, 1, 0)[1]
    b.cuMemPoolImportFromShareableHandle(exported, 1, 0)
    event = a.cuEventCreate(2 | 4)[1]
    opened = b.cuIpcOpenEventHandle(a.cuIpcGetEventHandle(event)[1])[1]
    told = words(machine)
    ours, theirs = (
        f"{name}: allocation handle {value:#x} of {GRANULE:#x} bytes, 1 reference"
        for name, value in (("a", handle), ("b", imported))
    )
    assert told[told.index("allocation handles that were exported") + 1 :][:2] == [ours, f"{theirs}, mapped once"]
    assert told[told.index("pools that were exported") + 1].startswith(
        f"a: {machine.processes['a'].pools.live[pool]!r}"
    )
    first, second = told[told.index("events that were exported") + 1 :]
    assert first.startswith(f"a: event {event:#x}")
    assert second.startswith(f"b: event {opened:#x}")
    a.cuMemRelease(handle)
    assert "a process that has released it" in words(machine)
    os.close(descriptor)
    os.close(exported)


def test_memory_of_the_host_and_much_of_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mapping of the host's says that the host may use it; what is too much is counted."""
    c = machine.processes["a"].c
    start = c.cuMemAddressReserve(GRANULE, 0, 0, 0)[1]
    c.cuMemMap(start, GRANULE, 0, c.cuMemCreate(GRANULE, (1, 0, (2, 0), 0, (0, 0, 0)), 0)[1], 0)
    c.cuMemSetAccess(start, GRANULE, (((2, 0), 3),), 1)
    assert "the host reads and writes" in words(machine)
    monkeypatch.setattr(pictures, "MOST", 1)
    assert words(machine)[-1] == "and 1 more"


def test_a_picture_of_nothing(tmp_path: Path) -> None:
    """It says so; a hostile name of a process is text; it is written to a file, and a notebook has it."""
    with Machine("h200", seed=0) as machine:
        picture = machine.draw()
        assert "no process has a context" in picture.svg
        picture.save(tmp_path / "machine.svg")
        assert (tmp_path / "machine.svg").read_text(encoding="utf-8") == picture.svg == picture._repr_svg_()
        c = machine.spawn('<script>"&').c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        assert words(machine)[0] == 'process <script>"&'
        assert machine.draw().svg == machine.draw().svg
