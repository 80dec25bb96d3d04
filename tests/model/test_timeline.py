"""``machine.draw(timeline=True)`` and ``finding.draw()``: who gave which stream what, what comes after what, and what has no order."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from fakecuda import FakeCudaError, Machine, Result, UndefinedBehaviour
from fakecuda.explain.pictures import timeline
from fakecuda.explain.pictures.svg import FILLS
from tests.tools.test_pictures import SVG, boxes, overlap, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process
    from fakecuda.explain.pictures.svg import Picture

NON_BLOCKING, NO_TIMING, INTERPROCESS = 1, 2, 4


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Return a strict machine."""
    with Machine("h200-x2", seed=0) as made:
        yield made


def ready(machine: Machine, name: str, device: int = 0) -> Process:
    """Return a process with a device's primary context current."""
    process = machine.spawn(name)
    process.c.cuInit(0)
    process.c.cuCtxSetCurrent(process.c.cuDevicePrimaryCtxRetain(device)[1])
    return process


def words(picture: Picture) -> list[str]:
    """Return the lines of text of a picture."""
    return [one.text or "" for one in ET.fromstring(picture.svg).iter(f"{SVG}text")]  # noqa: S314 - our own


def place(picture: Picture, text: str) -> tuple[float, float]:
    """Return where the only line of text of a picture begins that is so."""
    (found,) = [one for one in ET.fromstring(picture.svg).iter(f"{SVG}text") if one.text == text]  # noqa: S314 - our own
    return float(found.attrib["x"]), float(found.attrib["y"])


def arrows(picture: Picture, style: str) -> list[tuple[float, ...]]:
    """Return the arrows of a style: where each begins and ends."""
    lines = [one for one in ET.fromstring(picture.svg).iter(f"{SVG}polyline") if one.get("class") == style]  # noqa: S314 - our own
    paths = [
        [float(at) for at in one.attrib["points"].replace(" ", ",").split(",")]
        for one in lines
        if one.get("marker-end")
    ]
    return [(*path[:2], *path[-2:]) for path in paths]


def race(c: Any) -> tuple[int, int]:
    """Let one stream fill what another one reads, and then fill it again at once; return the streams."""
    fills, copies = (c.cuStreamCreate(NON_BLOCKING)[1] for _ in range(2))
    data, result, event = c.cuMemAlloc(64)[1], c.cuMemAlloc(64)[1], c.cuEventCreate(NO_TIMING)[1]
    c.cuMemsetD8Async(data, 1, 64, fills)
    c.cuEventRecord(event, fills)
    c.cuStreamWaitEvent(copies, event, 0)
    c.cuMemcpyDtoDAsync(result, data, 64, copies)
    with pytest.raises(UndefinedBehaviour):
        c.cuMemsetD8Async(data, 1, 64, fills)
    return fills, copies


def test_a_race_is_drawn_with_the_edge_that_is_missing(machine: Machine) -> None:
    """Both accesses have its colour; the event that is there is an arrow, that which is not is dashed, and named."""
    c = ready(machine, "a").c
    race(c)
    (finding,) = machine.findings
    picture = finding.draw()
    assert "host" in words(machine.draw(timeline=True))
    assert "host" not in words(picture)  # what makes memory orders nothing
    colours = [one.attrib["fill"] for one in ET.fromstring(picture.svg).iter(f"{SVG}rect")]  # noqa: S314 - our own
    assert colours.count(FILLS["race"]) == 2
    (event,), (missing,) = arrows(picture, "event"), arrows(picture, "missing")
    record, wait, copy, fill = (
        place(picture, text)
        for text in ("cuEventRecord", "cuStreamWaitEvent", "cuMemcpyDtoDAsync", "cuMemsetD8Async: undefined")
    )
    assert record[1] < event[1] < event[3] < wait[1]
    assert record[0] < event[0] < event[2]
    assert missing[1] < copy[1]
    assert fill[1] < missing[3]
    assert copy[0] < missing[0] < missing[2]
    earlier = finding.facts["earlier"]
    told = words(picture)
    assert "64 bytes" in told
    assert f"no order: cuMemsetD8Async does not come after {earlier}" in told
    assert f"missing: {finding.facts['missing']}" in told


def test_a_findings_picture_ends_with_it(machine: Machine) -> None:
    """That of all calls goes on, and tells of all findings."""
    process = ready(machine, "a")
    fills, _ = race(process.c)
    process.c.cuStreamSynchronize(fills)
    (finding,) = machine.findings
    assert "cuStreamSynchronize" not in words(finding.draw())
    whole = machine.draw(timeline=True)
    assert "cuStreamSynchronize" in words(whole)
    (waited,) = arrows(whole, "line")
    assert waited[3] < waited[1]  # up, from the stream to the host


def test_another_finding_is_drawn_with_its_call(machine: Machine) -> None:
    """One that is no race has no edge; one without a record of calls says where there is one."""
    c = ready(machine, "a").c
    memory = c.cuMemAlloc(64)[1]
    handle = c.cuIpcGetMemHandle(memory)[1]
    b = ready(machine, "b").c
    b.cuIpcOpenMemHandle(handle, 1)
    with pytest.raises(UndefinedBehaviour):
        c.cuMemFree(memory)
    (finding,) = machine.findings
    picture = finding.draw()
    colours = [one.attrib["fill"] for one in ET.fromstring(picture.svg).iter(f"{SVG}rect")]  # noqa: S314 - our own
    assert colours.count(FILLS["race"]) == 1
    assert "cuMemFree: undefined" in words(picture)
    assert not arrows(picture, "missing")
    with pytest.raises(FakeCudaError, match=r"machine\.findings"):
        evolve(finding, machine=None).draw()


def test_events_cross_processes(machine: Machine) -> None:
    """One that was opened is the exporter's: the arrow begins where that has recorded it."""
    a, b = ready(machine, "a").c, ready(machine, "b").c
    event = a.cuEventCreate(NO_TIMING | INTERPROCESS)[1]
    opened = b.cuIpcOpenEventHandle(a.cuIpcGetEventHandle(event)[1])[1]
    first, second = a.cuStreamCreate(NON_BLOCKING)[1], b.cuStreamCreate(NON_BLOCKING)[1]
    a.cuEventRecord(event, first)
    b.cuStreamWaitEvent(second, opened, 0)
    b.cuEventSynchronize(opened)
    picture = machine.draw(timeline=True)
    assert [one for one in words(picture) if one.startswith("process")] == ["process a", "process b"]
    assert len(arrows(picture, "event")) == len(arrows(picture, "line")) == 1


def test_default_streams_are_those_of_contexts(machine: Machine) -> None:
    """Calls that name no stream are in that of the context that is current."""
    c = ready(machine, "a").c
    memory = c.cuMemAlloc(64)[1]
    c.cuMemsetD8(memory, 0, 64)
    c.cuMemsetD8Async(memory, 0, 64, 0)
    context = c.cuCtxCreate(None, 0, 1)[1]
    c.cuMemsetD8(c.cuMemAlloc(64)[1], 0, 64)
    c.cuCtxPopCurrent()
    c.cuMemsetD8(memory, 0, 64)
    c.cuCtxPushCurrent(context)
    c.cuMemsetD8Async(c.cuMemAlloc(64)[1], 0, 64, 2)
    rows = [one for one in words(machine.draw(timeline=True)) if "default" in one]
    assert rows == [
        "default stream, device 0",
        f"default stream, context {context:#x}",
        f"per-thread default stream, context {context:#x}",
    ]


@pytest.mark.parametrize(("profile", "prefix"), [("h200-x2", "cuda"), ("hip-clr-2026", "hip")])
def test_the_runtime_and_hip_have_rows_too(profile: str, prefix: str) -> None:
    """Their streams are told by the same description."""
    with Machine(profile, seed=0) as machine:
        c = machine.spawn("a").c
        call = {name: getattr(c, prefix + name) for name in ("Malloc", "StreamCreate", "MemsetAsync", "Memset")}
        call |= {name: getattr(c, prefix + name) for name in ("SetDevice", "StreamSynchronize", "DeviceSynchronize")}
        call["SetDevice"](0)
        memory, stream = call["Malloc"](64)[1], call["StreamCreate"]()[1]
        call["MemsetAsync"](memory, 0, 64, stream)
        call["StreamSynchronize"](stream)
        call["Memset"](memory, 0, 64)
        call["DeviceSynchronize"]()
        picture = machine.draw(timeline=True)
    rows = ["process a", "host", f"stream {stream:#x}", "default stream, device 0"]
    assert words(picture)[:4] == rows
    assert words(picture)[4:] == [
        prefix + name for name in ("Malloc", "MemsetAsync", "StreamSynchronize", "Memset", "DeviceSynchronize")
    ]
    assert len(arrows(picture, "line")) == 2


def test_what_is_refused_is_told_with_its_code(machine: Machine) -> None:
    """Of each API; calls that only ask and are answered are left out."""
    c = ready(machine, "a").c
    c.cuMemGetInfo()
    c.cuMemFree(12)
    c.nvmlDeviceGetCount_v2()
    told = words(machine.draw(timeline=True))
    assert told == ["process a", "host", "cuMemFree: INVALID_VALUE", "nvmlDeviceGetCount_v2: NVML_ERROR_UNINITIALIZED"]


def test_work_that_is_not_done_is_no_failure() -> None:
    """A stream that is asked tells so until it is."""
    with Machine("h200", seed=0, completion="manual") as machine:
        c = ready(machine, "a").c
        stream = c.cuStreamCreate(NON_BLOCKING)[1]
        c.cuMemsetD8Async(c.cuMemAlloc(64)[1], 0, 64, stream)
        assert c.cuStreamQuery(stream)[0] == Result.NOT_READY
        assert "cuStreamQuery" not in machine.draw(timeline=True).svg
        machine.complete()
        c.cuStreamQuery(stream)
        assert "cuStreamQuery" in words(machine.draw(timeline=True))


def test_a_large_run_is_cut(machine: Machine) -> None:
    """Calls that are alike are counted, the last ones are drawn, and the accesses of a race however long ago."""
    c = ready(machine, "a").c
    fills, _ = race(c)
    for _ in range(7):
        c.cuMemAlloc(64)
    assert "cuMemAlloc x7" in words(machine.draw(timeline=True))
    for _ in range(100):
        c.cuMemFree(c.cuMemAlloc(64)[1])
    for _ in range(timeline.MOST_LANES):
        c.cuMemsetD8Async(c.cuMemAlloc(64)[1], 0, 64, c.cuStreamCreate(NON_BLOCKING)[1])
    picture = machine.draw(timeline=True)
    told = words(picture)
    assert len(boxes(picture.svg)) == timeline.MOST
    assert "cuMemsetD8Async: undefined" in told
    assert f"stream {fills:#x}" in told
    assert sum(one.startswith("stream") for one in told) + told.count("host") == timeline.MOST_LANES
    assert any(one.startswith("… ") and one.endswith(" more") for one in told)
    assert any(one.startswith("and 3 more rows") for one in told)


def test_nothing_is_drawn_over_something_else(machine: Machine) -> None:
    """Boxes stand apart, and no two lines of text."""
    race(ready(machine, "a").c)
    ready(machine, "b").c.cuMemFree(1)
    text = machine.draw(timeline=True).svg
    for found in (boxes(text), texts(text)):
        assert not [1 for number, one in enumerate(found) for other in found[:number] if overlap(one, other)]


def test_a_timeline_of_nothing(machine: Machine) -> None:
    """It says so."""
    ready(machine, "a")
    assert words(machine.draw(timeline=True)) == ["no call was made that gives a stream work, or shares memory"]
