"""Tests of Triton kernels without PyTorch, with NumPy's results as reference."""

# ruff: noqa: ANN001, ANN201 - Triton reads the annotations of kernels
# mypy: disable-error-code="import-not-found, untyped-decorator, no-untyped-def"

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import triton
import triton.language as tl

RANDOM = np.random.default_rng(0)
CUDA = ctypes.CDLL("libcuda.so.1")


def done(code: int) -> None:
    """Check the result of a driver call."""
    assert code == 0, code


class Tensor:
    """A device array with the interface that Triton needs.

    Args:
        array: The array.
    """

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = np.ascontiguousarray(array)
        self.dtype = self.array.dtype
        address = ctypes.c_uint64()
        done(CUDA.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.array.nbytes)))
        self.address = address.value
        done(
            CUDA.cuMemcpyHtoD_v2(
                address, self.array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.array.nbytes)
            )
        )

    def data_ptr(self) -> int:
        """Return the address."""
        return self.address

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the content as a NumPy array."""
        found = np.empty_like(self.array)
        size = ctypes.c_size_t(found.nbytes)
        done(CUDA.cuMemcpyDtoH_v2(found.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address), size))
        return found


@pytest.fixture(autouse=True)
def _context() -> None:
    context = ctypes.c_void_p()
    done(CUDA.cuInit(0))
    done(CUDA.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    done(CUDA.cuCtxSetCurrent(context))


def drawn(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """Return an array of random numbers."""
    return RANDOM.uniform(-2, 2, shape).astype(dtype)


@triton.jit
def added(x, y, out, count, SIZE: tl.constexpr):
    """Add two vectors."""
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < count
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint16"])
@pytest.mark.parametrize("count", [1, 1000])
def test_sums(dtype: str, count: int) -> None:
    """Vectors need not fill the last block."""
    x, y = (RANDOM.integers(0, 50, count).astype(dtype) for _ in range(2))
    out = Tensor(np.zeros(count, dtype))
    added[(triton.cdiv(count, 256),)](Tensor(x), Tensor(y), out, count, 256)
    assert np.array_equal(out.numpy(), x + y)


@triton.jit
def softmax(x, out, row, SIZE: tl.constexpr):
    """Compute the softmax of each row."""
    at = tl.arange(0, SIZE)
    values = tl.load(x + tl.program_id(0) * row + at, at < row, -float("inf"))
    weights = tl.exp(values - tl.max(values, 0))
    tl.store(out + tl.program_id(0) * row + at, weights / tl.sum(weights, 0), at < row)


@pytest.mark.parametrize("row", [7, 200])
def test_softmax(row: int) -> None:
    """Softmax uses reductions within a block."""
    x, out = drawn(9, row), Tensor(np.zeros((9, row), "float32"))
    softmax[(9,)](Tensor(x), out, row, triton.next_power_of_2(row))
    weights = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out.numpy(), weights / weights.sum(1, keepdims=True), rtol=1e-5)


@triton.jit
def product(a, b, out, m, n, k, HOW: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Multiply matrices by tiles."""
    rows, columns = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for begin in range(0, k, K):
        inner = begin + tl.arange(0, K)
        left = tl.load(a + rows[:, None] * k + inner[None, :], (rows[:, None] < m) & (inner[None, :] < k), 0)
        right = tl.load(b + inner[:, None] * n + columns[None, :], (inner[:, None] < k) & (columns[None, :] < n), 0)
        total = tl.dot(left, right, total, input_precision=HOW)
    tl.store(out + rows[:, None] * n + columns[None, :], total, (rows[:, None] < m) & (columns[None, :] < n))


@pytest.mark.parametrize(
    ("dtype", "how", "error"), [("float16", None, 1e-4), ("float32", "tf32", 1e-2), ("float32", "ieee", 1e-5)]
)
@pytest.mark.parametrize("shape", [(64, 64, 64), (50, 70, 90)])
def test_products(dtype: str, how: str | None, error: float, shape: tuple[int, int, int]) -> None:
    """Matrix products work with and without matrix instructions."""
    m, n, k = shape
    a, b, out = drawn(m, k, dtype=dtype), drawn(k, n, dtype=dtype), Tensor(np.zeros((m, n), "float32"))
    grid = triton.cdiv(m, 64), triton.cdiv(n, 64)
    product[grid](Tensor(a), Tensor(b), out, m, n, k, how, 64, 64, 32)
    np.testing.assert_allclose(out.numpy(), a.astype("float32") @ b.astype("float32"), rtol=error, atol=10 * error)


@triton.jit
def normalised(x, out, row, SIZE: tl.constexpr):
    """Normalise each row."""
    at = tl.arange(0, SIZE)
    values = tl.load(x + tl.program_id(0) * row + at, at < row, 0.0)
    mean = tl.sum(values, 0) / row
    off = tl.where(at < row, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(off * off, 0) / row + 1e-5)
    tl.store(out + tl.program_id(0) * row + at, off * scale, at < row)


def test_layers_are_normalised() -> None:
    """Layer normalisation uses ``rsqrt``, in blocks of eight warps."""
    x, out = drawn(5, 300), Tensor(np.zeros((5, 300), "float32"))
    normalised[(5,)](Tensor(x), out, 300, 512, num_warps=8)
    want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-4, atol=1e-5)


@triton.jit
def counted(values, bins, SIZE: tl.constexpr):
    """Count values in a histogram."""
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.atomic_add(bins + tl.load(values + at), 1)


def test_a_histogram() -> None:
    """A histogram uses atomic operations of all blocks on the same words."""
    values, bins = RANDOM.integers(0, 10, 1024).astype("int32"), Tensor(np.zeros(10, "int32"))
    counted[(8,)](Tensor(values), bins, 128)
    assert np.array_equal(bins.numpy(), np.bincount(values, minlength=10))


@triton.jit
def in_order(x, sums, ordered, SIZE: tl.constexpr):
    """Compute prefix sums and sort values."""
    at = tl.arange(0, SIZE)
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, 0))
    tl.store(ordered + at, tl.sort(values))


@pytest.mark.parametrize("size", [32, 512])
def test_scans_and_sorting(size: int) -> None:
    """Scans and sorting use warp shuffles and shared memory."""
    x = RANDOM.integers(-99, 99, size).astype("int32")
    sums, ordered = Tensor(np.zeros(size, "int32")), Tensor(np.zeros(size, "int32"))
    in_order[(1,)](Tensor(x), sums, ordered, size)
    assert np.array_equal(sums.numpy(), x.cumsum())
    assert np.array_equal(ordered.numpy(), np.sort(x))


@triton.jit
def attention(q, k, v, out, count, scale, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Compute attention: sums of values, weighted by products of keys and queries."""
    rows, width = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    asked = tl.load(q + rows[:, None] * WIDTH + width[None, :])
    most = tl.full((ROWS,), -float("inf"), tl.float32)
    total, found = tl.zeros((ROWS,), tl.float32), tl.zeros((ROWS, WIDTH), tl.float32)
    for begin in range(0, count, ROWS):
        others = begin + tl.arange(0, ROWS)
        scores = tl.dot(asked, tl.load(k + others[None, :] * WIDTH + width[:, None])) * scale
        more = tl.maximum(most, tl.max(scores, 1))
        weights, shrunk = tl.exp(scores - more[:, None]), tl.exp(most - more)
        total = total * shrunk + tl.sum(weights, 1)
        values = tl.load(v + others[:, None] * WIDTH + width[None, :])
        found = tl.dot(weights.to(tl.float16), values, found * shrunk[:, None])
        most = more
    tl.store(out + rows[:, None] * WIDTH + width[None, :], found / total[:, None])


def test_attention() -> None:
    """Attention uses two products in each loop step, with prefetched loads."""
    q, k, v = (drawn(128, 32, dtype="float16") for _ in range(3))
    out = Tensor(np.zeros((128, 32), "float32"))
    attention[(2,)](Tensor(q), Tensor(k), Tensor(v), out, 128, 32**-0.5, 64, 32)
    scores = np.exp(q.astype("float32") @ k.astype("float32").T * 32**-0.5)
    np.testing.assert_allclose(out.numpy(), scores @ v.astype("float32") / scores.sum(1, keepdims=True), atol=5e-3)


@triton.jit
def random(out, seed, SIZE: tl.constexpr):
    """Draw random numbers."""
    at = tl.arange(0, SIZE)
    tl.store(out + at, tl.rand(seed, at))


def test_random_numbers() -> None:
    """A seed gives the same numbers each time, between 0 and 1."""
    found = []
    for seed in (1, 1, 2):
        out = Tensor(np.zeros(1024, "float32"))
        random[(1,)](out, seed, 1024)
        found.append(out.numpy())
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    assert found[0].min() >= 0
    assert found[0].max() < 1
    assert 0.45 < found[0].mean() < 0.55  # noqa: PLR2004 - of 1,024 numbers


@triton.jit
def doubled(x, SIZE: tl.constexpr):
    """Double each number."""
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(x + at, 2 * tl.load(x + at))


def test_launches_in_order() -> None:
    """Each launch sees the results of the launch before."""
    x = Tensor(np.ones(512, "int32"))
    for _ in range(5):
        doubled[(4,)](x, 128)
    assert np.array_equal(x.numpy(), np.full(512, 32))


def test_a_launch_of_a_compiled_kernel() -> None:
    """A compiled kernel is launched without another look at its types."""
    x = Tensor(np.ones(128, "int32"))
    kernel = doubled.warmup(x, 128, grid=(1,))
    kernel[(1, 1, 1)](x, 128)
    assert np.array_equal(x.numpy(), np.full(128, 2))
