"""Threads and values that outlive the machine that was installed: they reach no other machine, and are reported."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import pytest

import fakecuda
import fakecuda.plugin
from fakecuda.machine import late_uses
from fakecuda.model.os.threads import running
from tests.limits import LONG
from tests.plugin.test_install import here, run

driver: Any = pytest.importorskip("cuda.bindings.driver")


def test_thread_of_former_machine_touches_nothing() -> None:
    """A thread that outlives its machine is led nowhere and reported against what made the machine."""
    late_uses.take_outlived()
    go, done = threading.Event(), threading.Event()
    codes: list[int] = []

    def work() -> None:
        codes.append(int(driver.cuDeviceGetCount()[0]))
        for _ in range(2):
            go.wait(LONG)
            go.clear()
            codes.append(int(driver.cuDeviceGetCount()[0]))
            done.set()

    thread = threading.Thread(target=work)
    with here():
        driver.cuInit(0)
        thread.start()
        while not codes:
            pass
    with here() as second:
        driver.cuInit(0)
        go.set()
        assert done.wait(LONG)
        done.clear()
        assert [record.call for record in second.log] == ["cuInit"]
    with here() as third:
        driver.cuInit(0)
        go.set()
        assert done.wait(LONG)
        thread.join()
        assert [record.call for record in third.log] == ["cuInit"]
    assert codes == [0, fakecuda.Result.NOT_INITIALIZED, fakecuda.Result.NOT_INITIALIZED]
    outlived = late_uses.take_outlived()
    assert [maker.rpartition("::")[2] for maker, _ in outlived] == ["test_thread_of_former_machine_touches_nothing"]
    assert f"thread {thread.native_id} called cuDeviceGetCount after" in outlived[0][1]
    assert late_uses.take_outlived() == []
    while thread.native_id in running():
        pass
    with here() as fourth:
        assert thread.native_id not in fourth.here.threads


@pytest.mark.parametrize("strict", [True, False])
def test_thread_of_inner_machine_does_not_reach_the_outer_one(*, strict: bool) -> None:
    """A thread that was started inside the inner machine belongs to it; of a permissive machine nothing is reported."""
    late_uses.take_outlived()
    begun, go = threading.Event(), threading.Event()
    codes: list[int] = []

    def work() -> None:
        begun.set()
        go.wait(LONG)
        codes.append(int(driver.cuDeviceGetCount()[0]))

    thread = threading.Thread(target=work)
    with here() as outer:
        driver.cuInit(0)
        with here(strict=strict):
            thread.start()
            begun.wait(LONG)
        go.set()
        thread.join()
        assert [record.call for record in outer.log] == ["cuInit"]
    assert codes == [fakecuda.Result.NOT_INITIALIZED]
    assert bool(late_uses.take_outlived()) == strict


def test_threads_that_outlive_both_an_inner_and_an_outer_machine() -> None:
    """Both machines of one maker leave threads behind; each is reported."""
    late_uses.take_outlived()
    begun, go = threading.Barrier(2), threading.Event()
    codes: list[int] = []

    def work() -> None:
        begun.wait(LONG)
        go.wait(LONG)
        codes.append(int(driver.cuDeviceGetCount()[0]))

    inside, outside = threading.Thread(target=work), threading.Thread(target=work)
    with here():
        with here():
            inside.start()
            begun.wait(LONG)
        outside.start()
        begun.wait(LONG)
    with here():
        go.set()
        inside.join()
        outside.join()
    assert codes == [fakecuda.Result.NOT_INITIALIZED] * 2
    assert len(late_uses.take_outlived()) == 2


def test_thread_from_before_serves_every_machine() -> None:
    """A thread that ran before any machine was installed belongs to each of them."""
    late_uses.take_outlived()
    ask, answers = threading.Semaphore(0), []
    answered = threading.Semaphore(0)

    def work() -> None:
        for _ in range(2):
            ask.acquire()
            answers.append(int(driver.cuDeviceGetCount()[0]))
            answered.release()

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(2):
        with here():
            driver.cuInit(0)
            ask.release()
            answered.acquire()
    thread.join()
    assert answers == [0, 0]
    assert late_uses.take_outlived() == []


def test_value_of_former_machine_is_reported() -> None:
    """A failing call with a former machine's address, handle or IPC handle tells where the value is from."""
    late_uses.take_outlived()
    with here(strict=True) as first:
        c = first.here.c
        c.cuInit(0)
        context = c.cuDevicePrimaryCtxRetain(0)[1]
        c.cuCtxSetCurrent(context)
        pointer = c.cuMemAlloc(4096)[1]
        handle = c.cuIpcGetMemHandle(pointer)[1]
        batched = c.cuMemAlloc(4096)[1]
        assert c.cuMemFree(pointer)[0] == 0
        assert c.cuMemFree(1 << 40)[0] != 0
    assert late_uses.take_outlived() == []
    with here(strict=False) as second:
        c = second.here.c
        c.cuInit(0)
        c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
        assert c.cuMemFree(pointer)[0] != 0
        assert c.cuCtxSetCurrent(context)[0] != 0
        assert c.cuIpcOpenMemHandle(handle, 1)[0] != 0
        own = c.cuMemAlloc(4096)[1]
        c.cuMemFree(own)
        c.cuMemFree(own)
        attributes = (1, (0, 0), (0, 0), 0)
        assert c.cuMemcpyBatchAsync([own, own], [own, batched], [8, 8], 2, [attributes], [0], 1, 2)[0] != 0
    outlived = late_uses.take_outlived()
    assert len(outlived) == 4
    assert {maker.rpartition("::")[2] for maker, _ in outlived} == {"test_value_of_former_machine_is_reported"}
    text = "\n".join(text for _, text in outlived)
    assert f"{pointer:#x} to cuMemFree, but the machine that returned this value has ended" in text
    assert f"{context:#x} to cuCtxSetCurrent, but the machine that returned this value has ended" in text
    assert f"{batched:#x} to cuMemcpyBatchAsync, but the machine that returned this value has ended" in text
    assert (
        f"IPC handle {handle[:8].hex()}... to cuIpcOpenMemHandle, but the machine that returned this value has ended"
        in text
    )


@pytest.mark.parametrize("strict", [True, False])
def test_value_of_former_machine_that_fails_nothing_is_not_reported(*, strict: bool) -> None:
    """A call that succeeds, with an old address as its wish, is fine; so is everything of a permissive machine."""
    late_uses.take_outlived()
    with here(strict=strict) as first:
        c = first.here.c
        c.cuInit(0)
        c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
        pointer = c.cuMemAlloc(4096)[1]
    with here() as second:
        c = second.here.c
        c.cuInit(0)
        c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
        if strict:
            assert c.cuMemAddressReserve(2 << 20, 0, pointer, 0)[0] == 0
        else:
            assert c.cuMemFree(pointer)[0] != 0
    assert late_uses.take_outlived() == []


def test_values_that_were_drawn_again_are_the_machines_own() -> None:
    """Of a seed that another machine had before, all values are the same: none is reported, but for what it did not have."""
    late_uses.take_outlived()
    for makes_more in (True, False):
        with here(strict=makes_more, seed=7) as machine:
            c = machine.here.c
            c.cuInit(0)
            context = c.cuCtxCreate(None, 0, 0)[1]
            pointer = c.cuMemAlloc(4096)[1]
            handle = c.cuIpcGetMemHandle(pointer)[1]
            if makes_more:
                more = c.cuCtxCreate(None, 0, 0)[1], c.cuIpcGetMemHandle(c.cuMemAlloc(4096)[1])[1]
            else:
                assert c.cuCtxDestroy(context)[0] == 0
                assert c.cuCtxDestroy(context)[0] != 0
                assert c.cuMemFree(pointer)[0] != 0
                assert c.cuIpcOpenMemHandle(handle, 1)[0] != 0
                assert late_uses.take_outlived() == []
                assert c.cuCtxSetCurrent(more[0])[0] != 0
                assert c.cuIpcOpenMemHandle(more[1], 1)[0] != 0
    first, second = (text for _, text in late_uses.take_outlived())
    assert f" passed handle or address {more[0]:#x} to cuCtxSetCurrent, " in first
    assert f" passed IPC handle {more[1][:8].hex()}... to cuIpcOpenMemHandle, " in second


def test_value_of_inner_machine_is_told_from_the_outer_ones() -> None:
    """The handles of a machine inside another are none of the outer one's, also where both have one seed."""
    late_uses.take_outlived()
    with here(strict=False, seed=7) as outer:
        outer.here.c.cuInit(0)
        mine = outer.here.c.cuDevicePrimaryCtxRetain(0)[1]
        with here(seed=7) as inner:
            inner.here.c.cuInit(0)
            other = inner.here.c.cuDevicePrimaryCtxRetain(0)[1]
        outer.here.c.cuDevicePrimaryCtxRelease(0)
        outer.here.c.cuCtxSetCurrent(mine)
        outer.here.c.cuCtxSetCurrent(other)
    (only,) = (text for _, text in late_uses.take_outlived())
    assert f" passed handle or address {other:#x} to cuCtxSetCurrent, " in only


def test_outside_pytest_what_outlives_its_machine_is_a_warning() -> None:
    """The warning names the place that made the machine."""
    done = run("""
        import warnings
        from fakecuda.machine import simulating
        warnings.simplefilter("always")
        with simulating.simulate(door="lookalike") as machine:
            machine.here.c.cuInit(0)
            context = machine.here.c.cuDevicePrimaryCtxRetain(0)[1]
        with simulating.simulate(door="lookalike") as machine:
            machine.here.c.cuInit(0)
            machine.here.c.cuCtxSetCurrent(context)
    """)
    assert (
        "OutlivedWarning: <string>:5 in <module>: <string>:8 in <module> passed handle or address 0x" in done.stderr
    ), done
    assert " to cuCtxSetCurrent, but the machine that returned this value has ended" in done.stderr


def test_strays_that_have_ended_are_forgotten() -> None:
    """With the processes that they were of, so that tests that leave threads to end cost nothing that stays."""
    ended: set[int] = set()
    for _ in range(3):
        go = threading.Event()
        with here():
            stray = threading.Thread(target=go.wait)
            stray.start()
        go.set()
        stray.join()
        assert stray.native_id is not None
        ended.add(stray.native_id)
        while stray.native_id in running():  # what join waits for comes before the thread's end
            pass
    with here():
        left = late_uses._strays  # earlier tests may have left some that run still
        assert not ended & {number for _, threads in left for number in threads}
        nowhere = late_uses.nowhere()
        kept = {"here", *(process.name for process, _ in left)}
        assert set(nowhere.processes) == {process.name for process in nowhere.living} == kept
        assert not set(nowhere.here.threads) - running()
    late_uses.take_outlived()


def test_what_a_failure_keeps_alive_is_not_reported() -> None:
    """A traceback keeps objects, whose finalisers call later; a test that has passed is told of these."""
    late_uses.take_outlived()

    class Buffer:
        def __init__(self) -> None:
            driver.cuInit(0)
            driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
            self.memory = driver.cuMemAlloc(64)[1]

    def late(*, fails: bool) -> list[tuple[str, str]]:
        with contextlib.suppress(KeyError), here():
            made = Buffer()
            if fails:
                raise KeyError
        with here():
            driver.cuInit(0)
            driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
            driver.cuMemFree(made.memory)
        return late_uses.take_outlived()

    assert [len(late(fails=fails)) for fails in (False, True)] == [1, 0]
