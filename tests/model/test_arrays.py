"""Arrays take memory as an H200 gave it to them, and are listed if nothing destroys them.

What calls answer is recorded: ``conformance/data/recordings/h200-x2/arrays.jsonl.gz``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.model.leaks import leaks_on
from fakecuda.rules.driver.texture.resource import SHARED_EXPONENT, element_of
from fakecuda.spec.resources import ARRAY

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 1 << 20
TAKEN = (
    (1, (1, 0, 0, 1, 1, 0), 2),
    (1, (512, 0, 0, 1, 1, 0), 2),
    (1, (65536, 0, 0, 1, 1, 0), 2),
    (1, (131072, 0, 0, 1, 1, 0), 2),
    (300, (1, 0, 0, 1, 1, 0), 2),
    (300, (64, 0, 0, 1, 1, 0), 2),
    (300, (512, 0, 0, 1, 1, 0), 2),
    (300, (4096, 0, 0, 1, 1, 0), 10),
    (300, (65536, 0, 0, 1, 1, 0), 150),
    (300, (1, 1, 0, 1, 1, 0), 2),
    (300, (1, 8, 0, 1, 1, 0), 2),
    (300, (1, 100, 0, 1, 1, 0), 4),
    (300, (1, 128, 0, 1, 1, 0), 4),
    (300, (1, 129, 0, 1, 1, 0), 6),
    (300, (64, 1, 0, 1, 1, 0), 2),
    (300, (64, 8, 0, 1, 1, 0), 2),
    (300, (64, 100, 0, 1, 1, 0), 4),
    (300, (64, 128, 0, 1, 1, 0), 4),
    (300, (64, 129, 0, 1, 1, 0), 6),
    (300, (100, 1, 0, 1, 1, 0), 2),
    (300, (100, 8, 0, 1, 1, 0), 2),
    (300, (100, 100, 0, 1, 1, 0), 6),
    (300, (100, 128, 0, 1, 1, 0), 6),
    (300, (100, 129, 0, 1, 1, 0), 10),
    (300, (512, 1, 0, 1, 1, 0), 2),
    (300, (512, 8, 0, 1, 1, 0), 2),
    (300, (512, 100, 0, 1, 1, 0), 20),
    (300, (512, 128, 0, 1, 1, 0), 20),
    (300, (512, 129, 0, 1, 1, 0), 38),
    (40, (512, 512, 0, 1, 1, 0), 10),
    (40, (512, 512, 0, 32, 1, 0), 40),
    (40, (512, 512, 0, 32, 4, 0), 160),
    (40, (512, 512, 0, 2, 2, 0), 40),
    (40, (64, 64, 1, 1, 1, 0), 2),
    (40, (64, 64, 2, 1, 1, 0), 2),
    (40, (64, 64, 16, 1, 1, 0), 4),
    (40, (64, 64, 17, 1, 1, 0), 6),
    (40, (64, 64, 1, 1, 1, 1), 2),
    (40, (64, 64, 2, 1, 1, 1), 2),
    (40, (64, 64, 16, 1, 1, 1), 4),
    (40, (64, 64, 17, 1, 1, 1), 4),
    (40, (64, 64, 0, 32, 1, 0), 2),
    (40, (64, 64, 0, 32, 1, 2), 2),
    (40, (64, 64, 0, 32, 1, 8), 2),
    (1, (4096, 4096, 0, 32, 4, 0), 256),
    (1, (1000, 1000, 0, 32, 1, 0), 4),
    (1, (1920, 1080, 0, 1, 4, 0), 10),
    (1, (256, 256, 256, 32, 1, 0), 64),
)
"""Number of arrays, their descriptor, and their MiB of memory on an H200."""
LEVELLED = (
    (1, 10, 2),
    (40, 1, 40),
    (40, 10, 80),
)
"""Number of mipmapped arrays, their levels, and their MiB of memory on an H200."""


@pytest.fixture(name="c")
def calls_of_a_process() -> Iterator[Any]:
    """The calls of a process with a context in which an array was made before."""
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        c = machine.spawn("p").c
        assert c.cuInit(0) == (0,)
        assert c.cuCtxCreate(None, 0, 0)[0] == 0
        assert c.cuArrayDestroy(c.cuArrayCreate((8, 8, 1, 1))[1]) == (0,)
        yield c


def used(c: Any) -> int:
    """Return the bytes in use on the device."""
    _, free, total = c.cuMemGetInfo()
    return int(total - free)


def test_arrays_take_memory_as_a_card_gives_it(c: Any) -> None:
    """Together, in blocks; all of it comes back. No call answers that, so no recording holds it."""
    before = used(c)
    for count, descriptor, taken in TAKEN:
        made = [c.cuArray3DCreate(descriptor)[1] for _ in range(count)]
        assert (used(c) - before, descriptor) == (taken * MIB, descriptor)
        assert {c.cuArrayDestroy(one) for one in made} == {(0,)}
        assert used(c) == before
    for count, levels, taken in LEVELLED:
        made = [c.cuMipmappedArrayCreate((512, 512, 0, 32, 1, 0), levels)[1] for _ in range(count)]
        assert (used(c) - before, levels) == (taken * MIB, levels)
        assert {c.cuMipmappedArrayDestroy(one) for one in made} == {(0,)}
        assert used(c) == before


def test_texture_objects_are_numbered_and_take_no_memory(c: Any) -> None:
    """From 1 on, as an H200 numbers them."""
    _, array = c.cuArrayCreate((64, 64, 32, 1))
    before = used(c)
    resource, texture = (ARRAY, (array,), 0), ((1, 1, 1), 0, 0, 0, 0, 0.0, 0.0, 0.0, (0.0,) * 4)
    made = [c.cuTexObjectCreate(resource, texture, None) for _ in range(4)]
    assert made == [(0, number) for number in (1, 2, 3, 4)]
    assert used(c) == before


def test_what_nobody_has_destroyed_is_told() -> None:
    """An array and a mipmapped one, whose levels are no leak of their own."""
    with fakecuda.simulate("h200") as machine:
        process = machine.spawn("p")
        c = process.c
        assert c.cuInit(0) == (0,)
        _, context = c.cuCtxCreate(None, 0, 0)
        before = machine.devices[0].memory.used
        _, made = c.cuArrayCreate((64, 16, 1, 1))
        _, levels = c.cuMipmappedArrayCreate((64, 16, 0, 1, 1, 0), 3)
        _, level = c.cuMipmappedArrayGetLevel(levels, 1)
        assert [str(leak.item) for leak in leaks_on(machine) if leak.kind == "array"] == [
            f"array {made:#x} of 64 x 16 elements on device 0",
            f"mipmapped array {levels:#x} of 64 x 16 elements on device 0",
        ]
        machine.check_invariants()
        assert str(process.arrays[level]) == f"level {level:#x} of 32 x 8 elements on device 0"
        assert c.cuCtxDestroy(context) == (0,)
        assert not process.arrays
        assert machine.devices[0].memory.used < before


def test_linear_memory_may_hold_shared_exponents() -> None:
    """An element has four bytes and one channel."""
    assert element_of(SHARED_EXPONENT, 1) == 4
    assert element_of(SHARED_EXPONENT, 2) == 0
