"""A test as a user of cuda.bindings writes it: the PTX comes from NVRTC, and the numbers come back."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fakecuda

from .test_programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterator

driver = pytest.importorskip("cuda.bindings.driver", reason="cuda.bindings is not installed")


@pytest.fixture
def module() -> Iterator[object]:
    """Yield the module of the kernels, on a machine that runs PTX."""
    with fakecuda.simulate("h200", kernels="run"):
        driver.cuInit(0)
        driver.cuCtxCreate(None, 0, 0)
        _, module = driver.cuModuleLoadData((PROGRAMS / "kernels.ptx").read_bytes())
        yield module


def test_saxpy(module: object) -> None:
    """``y = a * x + y`` on a simulated card."""
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, dtype=np.float32)
    _, kernel = driver.cuModuleGetFunction(module, b"saxpy")
    _, there = driver.cuMemAlloc(x.nbytes)
    _, result = driver.cuMemAlloc(y.nbytes)
    driver.cuMemcpyHtoD(there, x, x.nbytes)
    driver.cuMemcpyHtoD(result, y, y.nbytes)

    values = (2.0, there, result, x.size)
    types = (ctypes.c_float, None, None, ctypes.c_int)
    (error,) = driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, 0, (values, types), 0)
    assert error == driver.CUresult.CUDA_SUCCESS

    driver.cuMemcpyDtoH(y, result, y.nbytes)
    np.testing.assert_array_equal(y, 2 * x + 1)
