"""Kernels that NVRTC 13.0 made of ``programs/kernels.cu``, by ``-arch=compute_90 -lineinfo``, against Python."""

from __future__ import annotations

import ctypes
import random
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .world import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = Path(__file__).parent / "programs"
NUMBER = ctypes.c_int32


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """Yield a process that has loaded the kernels."""
    with Bench((PROGRAMS / "kernels.ptx").read_bytes()) as made:
        yield made


def rounded(value: float) -> float:
    """Return a value as a float of 32 bits."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def some(count: int, low: float = -4, high: float = 4) -> list[float]:
    """Return numbers, the same each time."""
    drawn = random.Random(count)  # noqa: S311 - no secret
    return [rounded(drawn.uniform(low, high)) for _ in range(count)]


def test_vector_add(bench: Bench) -> None:
    """Threads beyond the end do nothing."""
    a, b = some(100), some(100)[::-1]
    out = bench.array("c_float", *[0] * 100)
    assert (
        bench.launch(
            "vector_add",
            bench.array("c_float", *a),
            bench.array("c_float", *b),
            out,
            NUMBER(100),
            grid=(4, 1, 1),
            block=(32, 1, 1),
        )
        == 0
    )
    assert bench.values(out, "c_float", 100) == [rounded(x + y) for x, y in zip(a, b, strict=True)]


def test_saxpy(bench: Bench) -> None:
    """A loop over the grid, and a product and a sum with one rounding."""
    x, y = some(100), some(100, 0, 1)
    out = bench.array("c_float", *y)
    factor = ctypes.c_float(2.5)
    assert (
        bench.launch("saxpy", factor, bench.array("c_float", *x), out, NUMBER(100), grid=(2, 1, 1), block=(16, 1, 1))
        == 0
    )
    assert bench.values(out, "c_float", 100) == [rounded(2.5 * a + b) for a, b in zip(x, y, strict=True)]


def test_matmul(bench: Bench) -> None:
    """Tiles in shared memory, and barriers."""
    size = 16
    a, b = some(size * size), some(size * size)[::-1]
    out = bench.array("c_float", *[0] * size * size)
    pointers = bench.array("c_float", *a), bench.array("c_float", *b), out
    assert bench.launch("matmul", *pointers, NUMBER(size), grid=(2, 2, 1), block=(8, 8, 1)) == 0
    found = bench.values(out, "c_float", size * size)
    for row in range(size):
        for column in range(size):
            wanted = sum(a[row * size + k] * b[k * size + column] for k in range(size))
            assert found[row * size + column] == pytest.approx(wanted, abs=1e-4)


def test_reduction(bench: Bench) -> None:
    """Shuffles, dynamic shared memory and an atomic sum."""
    numbers = [int(one * 1000) for one in some(300)]
    total = bench.array("c_int32", 5)
    data = bench.array("c_int32", *numbers)
    assert bench.launch("reduce", data, total, NUMBER(300), grid=(2, 1, 1), block=(64, 1, 1), shared=8) == 0
    assert bench.values(total, "c_int32", 1) == [5 + sum(numbers)]


def test_histogram(bench: Bench) -> None:
    """Atomic operations on shared and global memory."""
    data = random.Random(1).randbytes(400)  # noqa: S311 - no secret
    bins = bench.array("c_uint32", *[0] * 16)
    assert bench.launch("histogram", bench.memory(data), bins, NUMBER(400), grid=(2, 1, 1), block=(32, 1, 1)) == 0
    assert bench.values(bins, "c_uint32", 16) == [sum(one % 16 == place for one in data) for place in range(16)]


def test_collatz(bench: Bench) -> None:
    """Each thread loops as often as its own number needs."""

    def steps(number: int) -> int:
        count = 0
        while number != 1:
            number, count = (3 * number + 1 if number % 2 else number // 2), count + 1
        return count

    out = bench.array("c_uint32", *[0] * 40)
    assert bench.launch("collatz", bench.array("c_uint32", *range(1, 41)), out, block=(40, 1, 1)) == 0
    assert bench.values(out, "c_uint32", 40) == [steps(number) for number in range(1, 41)]


def test_spin_lock(bench: Bench) -> None:
    """Threads of one warp and of several blocks wait for each other."""
    lock, count = bench.array("c_int32", 0), bench.array("c_int32", 0)
    assert bench.launch("spin_lock", lock, count, grid=(3, 1, 1), block=(40, 1, 1)) == 0
    assert bench.values(count, "c_int32", 1) == [120]


def test_recursion(bench: Bench) -> None:
    """Each call has registers and parameters of its own."""
    out = bench.array("c_int32", *[0] * 10)
    assert bench.launch("fibonacci", out, block=(10, 1, 1)) == 0
    assert bench.values(out, "c_int32", 10) == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]


def test_structs_constants_and_local_memory(bench: Bench) -> None:
    """A struct by value, a table in constant memory, and a variable that keeps its value between launches."""
    out = bench.array("c_double", 0, 0)
    pair = ctypes.create_string_buffer(struct.pack("<ixxxxd", 1, 0.5), 16)
    for number in (7, 8):
        assert bench.launch("mixed", pair, out) == 0
        assert bench.values(out, "c_double", 2) == [1314.5, number]


def test_calls_by_address_and_branches(bench: Bench) -> None:
    """A function pointer, and a switch."""
    out = bench.array("c_int32", *[0] * 6)
    assert bench.launch("pick", out, NUMBER(1), block=(6, 1, 1)) == 0
    assert bench.values(out, "c_int32", 6) == [100, 2 - 7, 4 * 5, 6 ^ 9, 1, 10 | 64]
    assert bench.launch("pick", out, NUMBER(0), block=(6, 1, 1)) == 0
    assert bench.values(out, "c_int32", 6)[2] == 30


def test_printf(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints when the kernel has ended."""
    assert bench.launch("talk", NUMBER(3), block=(2, 1, 1)) == 0
    lines = [f"thread {number} of block says  4.50 {1 << 40}\n" for number in range(2)]
    assert capsys.readouterr().out == "".join(lines)


def test_assertions(capsys: pytest.CaptureFixture[str]) -> None:
    """An assertion that does not hold fails the context, and its text names the source."""
    with Bench((PROGRAMS / "kernels.ptx").read_bytes()) as bench:
        assert bench.launch("check", NUMBER(2)) == 0
        assert bench.sync() == 0
        assert bench.launch("check", NUMBER(3), block=(2, 1, 1)) == 0
        assert bench.sync() == 710
    error = capsys.readouterr().err
    assert "k.cu:12: check: block: [0, 0, 0], thread: [0, 0, 0] Assertion `x < 3` failed." in error
    assert "kernels.cu:" in error


def test_a_fault_names_the_line_and_the_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """A thread reads behind the end: the report has the thread, the source line, the argument and the history."""
    with Bench((PROGRAMS / "kernels.ptx").read_bytes()) as bench:
        data = bench.array("c_float", *[0] * 8)
        assert bench.launch("vector_add", data, data, data, NUMBER(99), block=(200, 1, 1)) == 0
        assert bench.sync() == 700
    error = capsys.readouterr().err
    assert "kernel vector_add: thread (8, 0, 0) of block (0, 0, 0) reads 4 bytes at" in error
    assert "kernels.cu:3: ld.global.f32" in error
    assert "parameter 0 points into allocation" in error
    assert "the address lies 0 bytes behind its end" in error
    assert "allocated at" in error
