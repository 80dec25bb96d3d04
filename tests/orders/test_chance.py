"""What a program leaves to chance and the search does not: when threads of the system end, and when the garbage collector comes."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda import Result
from tests.model.world import done, started

if TYPE_CHECKING:
    from fakecuda import Orders

ROOT = Path(__file__).parents[2]
LATE = 0.2
"""Seconds for another actor, if the end of a thread were not awaited."""


def test_an_actor_has_ended_in_c_before_the_next_one_goes_on() -> None:
    """Destructors of a thread's own objects in C run when Python has left it: cuda.core releases primary contexts there."""
    c = ctypes.CDLL(None)
    key = ctypes.c_uint()
    overtaken: list[bool] = []
    acted = threading.Event()

    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: overtaken.append(acted.wait(LATE)))
    assert c.pthread_key_create(ctypes.byref(key), destroy) == 0

    def program(orders: Orders) -> None:
        process = started(orders.machine)
        acted.clear()

        def hold() -> None:
            done(process.c.cuDeviceGetCount())
            assert c.pthread_setspecific(key, ctypes.c_void_p(1)) == 0

        def act() -> None:
            done(process.c.cuDeviceGetCount())
            acted.set()

        orders.start(hold)
        orders.start(act)

    try:
        fakecuda.explore(program, schedule="").check()
    finally:
        c.pthread_key_delete(key)
    assert overtaken == [False]


class Holder:
    """Holds memory in a cycle, which only the garbage collector frees."""

    def __init__(self, orders: Orders, freed: list[object]) -> None:
        self.c, self.freed, self.itself = started(orders.machine).c, freed, self
        self.address = done(self.c.cuMemAlloc(4096))

    def __del__(self) -> None:
        self.freed.append(self.c.cuMemFree(self.address)[0])


def test_the_garbage_of_an_order_ends_on_its_machine() -> None:
    """Not at some moment of another order: none of them lasts longer than its own."""
    freed: list[object] = []
    before: list[int] = []

    def program(orders: Orders) -> None:
        before.append(len(freed))
        assert not gc.isenabled()
        Holder(orders, freed)
        for name in ("one", "two"):
            orders.start(orders.point, name=name)
        orders.join()
        assert len(freed) == before[-1], "the collector comes at no other moment"

    found = fakecuda.explore(program)
    found.check()
    assert found.orders > 1
    assert before == list(range(len(before)))
    assert freed == [Result.SUCCESS] * len(before)
    assert gc.isenabled()


def test_what_the_functions_of_an_order_hold_ends_on_its_machine() -> None:
    """The actors that the order knows have had them, and the exception by which it fails has come through them."""
    freed: list[object] = []

    def program(orders: Orders) -> None:
        holder = Holder(orders, freed)
        del holder.itself

        def act() -> None:
            assert holder.address == 0, "fails"

        orders.start(act)

    found = fakecuda.explore(program)
    assert isinstance(found.error, AssertionError)
    assert freed
    assert set(freed) == {Result.SUCCESS}


def test_the_programs_over_cuda_core() -> None:
    """Do the same each time; those with a bug fall in an order that is not the first."""
    pytest.importorskip("cuda.core", reason="cuda-core: pip install -e '.[dev]'")
    command = [sys.executable, "-m", "tests.orders.cuda_core", "--schedules=50"]
    names = ["device memory", "handed over", "moved"]
    ended = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    lines = dict(zip(names, ended.stdout.splitlines(), strict=True))
    assert lines["device memory"].endswith(" 50 orders  none fails")
    for name in names[1:]:
        assert "two accesses to the same bytes are ordered" in lines[name]
        assert "the first order" not in lines[name]
