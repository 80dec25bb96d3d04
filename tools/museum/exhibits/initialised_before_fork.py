"""A process initialises the driver and forks; the child's driver is unusable."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def engine() -> None:
    """Run the child, an engine that uses the card."""
    checked(driver.cuInit(0))
    checked(driver.cuCtxCreate(None, 0, 0))
    checked(driver.cuMemAlloc(4096))


def detected(_: FakeCuda, *, fixed: bool) -> None:
    """Platform detection calls cuInit in the parent, unless the child does it."""
    if not fixed:
        checked(driver.cuInit(0))
    child = multiprocessing.get_context("fork").Process(target=engine)
    child.start()
    child.join()
    assert child.exitcode == 0, "the engine starts"


def by_ctypes(_: FakeCuda, *, fixed: bool) -> None:
    """By ctypes and os.fork: the parent initialises its driver in any case."""
    cuda = ctypes.CDLL("libcuda.so.1")
    if not fixed:
        assert cuda.cuInit(0) == 0
    number = os.fork()
    if not number:
        os._exit(cuda.cuInit(0))
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0, "the engine starts"
    assert cuda.cuInit(0) == 0


EXHIBITS = [
    Exhibit(
        number=29,
        report="vllm-project/vllm#32611",
        title="cuInit before a fork",
        happens=(
            "A library in the parent calls cuInit. The framework sees no context, and forks. A driver does not "
            "work in the fork of a process that has initialised it."
        ),
        part=Part.REFUSED,
        told=("core.init.PROCESS_IS_NO_FORK", "AssertionError: the engine starts"),
        programs={"detected": detected, "by-ctypes": by_ctypes},
    ),
]
