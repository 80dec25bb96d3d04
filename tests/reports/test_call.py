"""Calls as text, and the objects that their arguments name."""

from __future__ import annotations

import pytest

from fakecuda import Machine
from fakecuda.explain.reports.call import called, named_by
from tests.model.world import done, started


@pytest.mark.parametrize(
    ("call", "args", "text"),
    [
        ("cuMemFree", (0x7000000,), "cuMemFree(dptr=0x7000000)"),
        ("cuMemRelease", (7,), "cuMemRelease(handle=7)"),
        (
            "cuPointerGetAttribute",
            (7, 1 << 40),
            "cuPointerGetAttribute(attribute=CU_POINTER_ATTRIBUTE_BUFFER_ID, ptr=0x10000000000)",
        ),
        ("cuIpcOpenMemHandle", (bytes(range(64)), 1), "cuIpcOpenMemHandle(handle=0001020304050607…, Flags=1)"),
        ("cuMemCreate", (4096, (1, None), 0), "cuMemCreate(size=4 KiB, prop=(1, null), flags=0)"),
        ("cuMemCreate", (4097, (1, None), 0), "cuMemCreate(size=4097, prop=(1, null), flags=0)"),
        (
            "cuMemCreate",
            (4096, (1, 0, (1, 2), 0, (0, 0, 0)), 0),
            (
                "cuMemCreate(size=4 KiB, prop={type=CU_MEM_ALLOCATION_TYPE_PINNED, "
                "location={type=CU_MEM_LOCATION_TYPE_DEVICE, id=2}}, flags=0)"
            ),
        ),
        ("cuMemCreate", (4096, (0, 0, (0, 0), 0, (0, 0, 0)), 0), "cuMemCreate(size=4 KiB, prop={}, flags=0)"),
        ("hipFree", (1,), "hipFree(ptr=1)"),
        ("cuDeviceGetByPCIBusId", ([1],), "cuDeviceGetByPCIBusId(pciBusId=[1])"),
        ("cuNobodysCall", (1, 1 << 40), "cuNobodysCall(1, 0x10000000000)"),
    ],
)
def test_arguments_have_their_names(call: str, args: tuple[object, ...], text: str) -> None:
    """Enums theirs, addresses are hexadecimal, handles short; a size is exact."""
    assert called(call, args) == text


def test_arguments_name_objects() -> None:
    """What is there counts; else what was there last. Small numbers are no addresses."""
    with Machine(seed=1) as machine:
        a = started(machine)
        pointer = done(a.c.cuMemAlloc(4096))
        share = done(a.c.cuIpcGetMemHandle(pointer))
        stream = done(a.c.cuStreamCreate(0))
        found = list(named_by(a, (pointer, stream, share, 7, bytes(64))))
        assert found == [a.memory.at(pointer), a.streams[stream], machine.exchange.shares[share]]
        allocation = a.memory.at(pointer)
        done(a.c.cuMemFree(pointer))
        assert list(named_by(a, (pointer,))) == [allocation]
