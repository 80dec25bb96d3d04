"""The heap that kernels use by ``malloc`` and ``free``, with both engines."""

from __future__ import annotations

from typing import Any

import pytest

from fakecuda.errors import KernelError
from fakecuda.model import snapshot
from fakecuda.model.code.device_heap import UNIT, Places

from .world import Bench, kernel

INVALID, ILLEGAL, HEAP = 1, 700, 2
DECLARED = """
.extern .func (.param .b64 place) malloc (.param .b64 size);
.extern .func free (.param .b64 place);
"""
MALLOC = (
    "{{ .param .b64 a; .param .b64 b; st.param.b64 [a], {size}; call.uni (b), malloc, (a); ld.param.b64 {to}, [b]; }}"
)
FREE = "{{ .param .b64 a; st.param.b64 [a], {of}; call.uni free, (a); }}"


def malloc(size: int, to: str = "%d1") -> str:
    """Return PTX that takes memory."""
    return MALLOC.format(size=size, to=to)


def free(of: str = "%d1") -> str:
    """Return PTX that frees memory."""
    return FREE.format(of=of)


def image(body: str, more: str = "") -> str:
    """Return a text with a kernel that uses the heap, and perhaps others."""
    return kernel(body, DECLARED) + more


def contexts(bench: Bench) -> list[Any]:
    """Return the contexts of the process."""
    (process,) = bench.machine.processes.values()
    return list(process.contexts.values())


def launched(bench: Bench, out: int, **launch: Any) -> list[int]:
    """Return the two words of 8 bytes that a kernel leaves."""
    assert bench.launch("k", out, **launch) == 0
    assert bench.sync() == 0
    return bench.values(out, "c_uint64", 2)


def test_memory_stays_from_kernel_to_kernel() -> None:
    """Each has its own bytes, which the next kernel reads by the pointer that the first has left."""
    second = """
    .visible .entry second(.param .u64 out) {
    .reg .b64 %d<9>; ld.param.u64 %d0, [out]; ld.global.u64 %d1, [%d0]; ld.u64 %d2, [%d1]; st.global.u64 [%d0+8], %d2; ret; }
    """
    body = f"{malloc(24)} {malloc(8, '%d2')} st.global.u64 [%d0], %d1; st.global.u64 [%d0+8], %d2; st.u64 [%d2], 5; st.u64 [%d1], 7;"
    with Bench(image(body, second)) as bench:
        out = bench.memory(bytes(16))
        first, other = launched(bench, out)
        assert first % UNIT == other % UNIT == 0
        assert other - first >= 24
        assert bench.launch("second", out) == 0
        assert bench.values(out, "c_uint64", 2) == [first, 7]
        assert not bench.twins.refused


def test_freed_memory_is_taken_again() -> None:
    """Also by the next kernel; null is not freed."""
    body = f"{malloc(48)} st.global.u64 [%d0], %d1; {free()} {free('0')} {malloc(48, '%d2')} st.global.u64 [%d0+8], %d2; {free('%d2')}"
    with Bench(image(body)) as bench:
        out = bench.memory(bytes(16))
        found = launched(bench, out)
        assert found[0] == found[1]
        assert launched(bench, out) == found


def test_the_limit_of_the_heap() -> None:
    """CU_LIMIT_MALLOC_HEAP_SIZE: then there is null."""
    size = 5 << 20
    body = f"{malloc(size)} st.global.u64 [%d0], %d1; {malloc(size, '%d2')} st.global.u64 [%d0+8], %d2;"
    with Bench(image(body)) as bench:
        found = launched(bench, bench.memory(bytes(16)))
        assert found[0]
        assert not found[1]
    with Bench(image(body)) as bench:
        bench.ok(bench.c.cuCtxSetLimit(HEAP, 4 * size))
        assert all(launched(bench, bench.memory(bytes(16))))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{malloc(8)} {free()} {free()}", "which was freed before"),
        (free("%d0"), "which malloc has not returned"),
        (malloc(0), "asks for 0 bytes"),
    ],
)
def test_what_is_undefined(body: str, text: str) -> None:
    """It raises, and the heap stays as it was."""
    with Bench(image(body)) as bench:
        out = bench.memory(bytes(16))
        with pytest.raises(KernelError, match=text):
            bench.launch("k", out)
        assert [one.heap for one in contexts(bench)] == [None]


def test_the_host_cannot_use_it() -> None:
    """The manual: not by copies, and not by cuMemFree."""
    body = f"{malloc(64)} st.global.u64 [%d0], %d1;"
    with Bench(image(body)) as bench:
        found, _ = launched(bench, bench.memory(bytes(16)))
        c = bench.c
        assert c.cuMemcpyDtoH(bytearray(8), found, 8)[0] == INVALID
        assert c.cuMemFree(found) == (INVALID,)
        assert c.cuPointerGetAttribute(2, found)[0] == INVALID


@pytest.mark.parametrize("place", [8 << 20, (8 << 20) - 4])
def test_the_end_of_the_heap(place: int, capfd: pytest.CaptureFixture[str]) -> None:
    """An access beyond it fails the context."""
    body = f"{malloc(16)} st.u64 [%d1+{place}], 1;"
    with Bench(image(body), strict=False) as bench:
        assert bench.launch("k", bench.memory(bytes(16))) == 0
        assert bench.sync() in {ILLEGAL, 716}
    assert "8 bytes at" in capfd.readouterr().err


def test_each_context_has_its_own() -> None:
    """It ends with its context."""
    body = f"{malloc(16)} st.global.u64 [%d0], %d1;"
    with Bench(image(body)) as bench:
        first, _ = launched(bench, bench.memory(bytes(16)))
        old, bench.context = bench.context, bench.ok(bench.c.cuCtxCreate(None, 0, 0))
        bench.module = bench.ok(bench.c.cuModuleLoadData(image(body).encode()))
        assert launched(bench, bench.memory(bytes(16)))[0] != first
        bench.ok(bench.c.cuCtxDestroy(old))
        assert [one.heap is None for one in contexts(bench)] == [False]


def test_it_is_state() -> None:
    """Of the context: snapshots tell whether it has changed."""
    with Bench(image(malloc(16))) as bench:
        out = bench.memory(bytes(16))
        assert bench.launch("k", out) == 0
        bench.machine.ptx = None
        before = snapshot.snapshot(bench.machine)
        (context,) = contexts(bench)
        context.heap.places.take(16)
        assert snapshot.snapshot(bench.machine) != before


def test_holes_are_joined() -> None:
    """If nothing else is left."""
    places = Places(64, 64 + 8 * UNIT, 64)
    taken = [places.take(1) for _ in range(8)]
    assert taken == [64 + UNIT * number for number in range(8)]
    assert not places.take(1)
    for number in (1, 2, 3, 6):
        assert places.give(taken[number])
    assert not places.give(taken[1])
    assert places.take(2 * UNIT) == taken[1]
    assert not places.take(2 * UNIT)
    assert {places.take(UNIT), places.take(UNIT)} == {taken[3], taken[6]}
    assert not places.take(UNIT)
    copy = places.copy()
    assert copy.give(taken[0])
    assert not places.take(UNIT)
    assert copy.take(UNIT) == taken[0]
