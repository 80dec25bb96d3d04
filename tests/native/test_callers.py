"""Which library in C has called, where the driver finds undefined behaviour."""

from __future__ import annotations

import ctypes
import platform
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.reach.native import callers
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not NATIVE, reason=NEEDS)


@pytest.fixture
def driver() -> Iterator[ctypes.CDLL]:
    """The driver's library over a machine, on which undefined behaviour is expected."""
    with fakecuda.simulate("h200", door="native"), fakecuda.expect_undefined():
        library = ctypes.CDLL("libcuda.so.1")
        assert library.cuInit(0) == 0
        yield library


def test_a_library_that_calls_is_named(driver: ctypes.CDLL) -> None:
    """Here the C library, which sorts with a function of the driver's; Python's own ways to C are no caller."""
    values = (ctypes.c_uint64 * 2)(2, 1)
    ctypes.CDLL(None).qsort(values, 2, 8, driver.cuStreamDestroy_v2)
    driver.cuStreamDestroy_v2(ctypes.c_void_p(0xDEAD0))
    machine = fakecuda.installed()
    assert machine is not None
    sorting, python = machine.findings
    assert [file.rpartition("/")[2].partition(".")[0] for file in sorting.libraries] == ["libc"]
    assert f"\n  library    {sorting.libraries[0]}\n" in str(sorting)
    assert python.libraries == ()
    assert "\n  library " not in str(python)


def test_outside_of_calls_nobody_has_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the stack cannot be read."""
    assert callers.libraries() == ()
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert callers.libraries() == ()
