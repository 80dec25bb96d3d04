"""Machines installed by hand: what is reached, what is restored, what is reported."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fakecuda
import fakecuda.plugin
from fakecuda.model.os.threads import running
from fakecuda.reach.install import modules
from fakecuda.simulated import install, late_uses, simulating
from tests.limits import LONG

if TYPE_CHECKING:
    from fakecuda.simulated.simulation import Simulation

driver: Any = pytest.importorskip("cuda.bindings.driver")
ROOT = Path(__file__).parents[2]


def here(profile: str = "h200-x2", *, strict: bool = True, seed: int | None = None) -> Simulation:
    """Return a machine that is reached through the module."""
    return simulating.machine(profile, strict=strict, seed=seed, door="lookalike")


def run(code: str, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a program in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env={**{k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}, "PYTHONPATH": path(), **environ},
    )


def path() -> str:
    """Return the PYTHONPATH by which a child finds the package."""
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))


def test_module_reaches_machine_and_is_restored() -> None:
    """Whoever holds the module calls the machine while it is installed, and the real functions afterwards."""
    before = dict(vars(driver))
    with here("h200-x2") as machine:
        assert install.installed() is machine
        assert int(driver.cuInit(0)[0]) == 0
        assert driver.cuDeviceGetCount()[1] == 2
        assert [record.call for record in machine.log] == ["cuInit", "cuDeviceGetCount"]
        assert driver.cuInit.__doc__ == before["cuInit"].__doc__
    assert install.installed() is None
    assert dict(vars(driver)) == before
    assert machine.closed


def test_inner_machine_hides_outer() -> None:
    """The innermost machine is reached; the outer one comes back as it was."""
    with here("h200-x2") as outer:
        driver.cuInit(0)
        with here("h200") as inner:
            assert int(driver.cuDeviceGetCount()[0]) == fakecuda.Result.NOT_INITIALIZED
            driver.cuInit(0)
            assert driver.cuDeviceGetCount()[1] == 1
            assert install.installed() is inner
        assert inner.closed
        assert not outer.closed
        assert install.installed() is outer
        assert driver.cuDeviceGetCount()[1] == 2


def test_decorator_makes_a_machine_per_call() -> None:
    """Each call of a decorated function has a machine of its own."""
    seen = []

    @here("h200")
    def decorated(number: int) -> tuple[int, int]:
        seen.append(install.installed())
        return number, int(driver.cuInit(0)[0])

    assert decorated(1) == (1, 0)
    assert decorated(2) == (2, 0)
    assert len({id(machine) for machine in seen}) == 2
    assert all(machine and machine.closed for machine in seen)
    assert install.installed() is None


SEEN: list[Any] = []


@settings(max_examples=5)
@given(size=st.integers(1, 1 << 20))
def test_inside_given_each_example_is_fresh(size: int) -> None:
    """Nothing of an example is there in the next."""
    with here() as machine:
        SEEN.append(machine)
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        free = driver.cuMemGetInfo()[1]
        assert int(driver.cuMemAlloc(size)[0]) == 0
        assert driver.cuMemGetInfo()[1] < free
    assert len(SEEN) == 1 or SEEN[-1] is not SEEN[-2]
    del SEEN[:-1]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"profile": "h2000"}, "profile 'h2000' is unknown; did you mean: h200"),
        (
            {"door": "back"},
            "door='back': 'back' is not a door; one of: auto, native, lookalike",
        ),
        ({"profile": "nope.toml"}, "there is no file 'nope.toml' (current folder: "),
        ({"strict": 1}, "strict=1: use True or False"),
        ({"kernels": True}, "kernels=True: 'True' is not a mode; did you mean: run"),
        ({"seed": "x"}, "seed='x': use a whole number, or leave it out"),
        ({"seed": True}, "seed=True: use a whole number, or leave it out"),
        ({"memory_cap": "1G"}, "memory_cap='1G': use a whole number of bytes, as 1 << 30"),
        ({"memory_cap": -1}, "memory_cap=-1: use a whole number of bytes, as 1 << 30"),
        ({"shared": "yes"}, "shared='yes': use True or False, or leave it out"),
        ({"inherit": 0}, "inherit=0: use True or False, or leave it out"),
    ],
)
def test_bad_argument_names_the_fix(options: dict[str, Any], text: str) -> None:
    """A wrong argument is one line that says what to write, and installs nothing."""
    with pytest.raises(fakecuda.FakeCudaError) as info, simulating.machine(**{"door": "lookalike", **options}):
        pass
    assert str(info.value).startswith(text)
    assert "\n" not in str(info.value)
    assert install.installed() is None


def test_native_door_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other platforms the native door is refused with the fix, and ``auto`` is the look-alike."""
    monkeypatch.setattr(install, "NATIVE", False)
    with pytest.raises(fakecuda.FakeCudaError, match=r"use door='lookalike'"), simulating.machine(door="native"):
        pass
    with simulating.machine("h200") as machine:
        driver.cuInit(0)
        assert [record.call for record in machine.log] == ["cuInit"]


def test_findings_of_calls_through_c_are_raised_at_the_end() -> None:
    """No exception travels through C: the first finding is raised at the end, the others are its notes."""
    machine: Any = None

    def block() -> None:
        nonlocal machine
        with here() as machine:
            machine.here.c.cuInit(0)
            thread = machine.here.current_thread()
            thread.call = thread.native
            release_garbage(machine)
            release_garbage(machine)
            assert len(machine.findings) == 2

    with pytest.raises(fakecuda.UndefinedBehaviour) as info:
        block()
    assert info.value.finding is machine.findings[0]
    assert info.value.__notes__ == [f"and then: {machine.findings[1]}"]
    assert machine.closed
    assert install.installed() is None


def test_findings_are_notes_of_an_exception_under_way() -> None:
    """The test's own exception is the one that is raised."""

    def block() -> None:
        with here() as machine:
            machine.here.c.cuInit(0)
            thread = machine.here.current_thread()
            thread.call = thread.native
            release_garbage(machine)
            raise ValueError

    with pytest.raises(ValueError) as info:  # noqa: PT011 - the text is not the point
        block()
    assert len(info.value.__notes__) == 1
    assert "rule" in info.value.__notes__[0]


def release_garbage(machine: fakecuda.Machine) -> None:
    """Do what the manual calls undefined."""
    machine.here.c.cuMemRelease(0xDEAD)


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


def test_functions_imported_by_name_are_told_of() -> None:
    """The look-alike says which module's calls pass it by, once."""
    done = run("""
        import warnings
        from cuda.bindings import driver
        from cuda.bindings.driver import cuMemAlloc, CUresult
        from fakecuda.simulated import simulating
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                with simulating.machine(door="lookalike"):
                    from cuda.bindings.driver import cuMemFree
        for one in caught:
            print(one.category.__name__, one.filename, one.message)
    """)
    assert done.stdout.startswith("ImportedByNameWarning <string> module __main__ has imported cuMemAlloc from"), done
    assert done.stdout.count("\n") == 1
    assert "use door='native'" in done.stdout


def test_function_kept_from_a_machine_is_led_nowhere() -> None:
    """A function of the look-alike that somebody kept reaches the machine of the day, and none between machines."""
    with here():
        kept = driver.cuInit
    assert int(kept(0)[0]) == fakecuda.Result.NO_DEVICE
    with here() as machine:
        assert int(kept(0)[0]) == 0
        assert [record.call for record in machine.log] == ["cuInit"]


@pytest.mark.parametrize("missing", ["cuda", "cuda.bindings"])
def test_stands_in_where_the_package_is_missing(missing: str) -> None:
    """Without cuda.bindings, modules of its names are there while a machine is installed, and gone afterwards."""
    code = """
        import sys
        missing = {missing!r}
        class Missing:
            def find_spec(self, name, path=None, target=None):
                if f"{name}.".startswith(f"{missing}."):
                    raise ModuleNotFoundError(name)
        sys.meta_path.insert(0, Missing())
        from fakecuda.simulated import simulating
        for profile in ("h200-x2", "h200"):
            with simulating.machine(profile, door="lookalike"):
                import cuda.bindings.driver as whole
                from cuda.bindings import driver
                from cuda.bindings.driver import cuInit, CUresult
                assert whole is driver
                assert cuInit(0) == (CUresult(0),), cuInit(0)
                print(driver.cuDeviceGetCount()[1], "cuMemAlloc" in dir(driver))
            assert not [name for name in sys.modules if f"{name}.".startswith(f"{missing}.")]
            assert not hasattr(sys.modules.get("cuda"), "bindings")
        print(int(cuInit(0)[0]))
    """
    done = run(code.replace("{missing!r}", repr(missing)))
    assert done.stdout == "2 True\n1 True\n100\n", done


def test_outside_pytest_what_outlives_its_machine_is_a_warning() -> None:
    """The warning names the place that made the machine."""
    done = run("""
        import warnings
        from fakecuda.simulated import simulating
        warnings.simplefilter("always")
        with simulating.machine(door="lookalike") as machine:
            machine.here.c.cuInit(0)
            context = machine.here.c.cuDevicePrimaryCtxRetain(0)[1]
        with simulating.machine(door="lookalike") as machine:
            machine.here.c.cuInit(0)
            machine.here.c.cuCtxSetCurrent(context)
    """)
    assert (
        "OutlivedWarning: <string>:5 in <module>: <string>:8 in <module> passed handle or address 0x" in done.stderr
    ), done
    assert " to cuCtxSetCurrent, but the machine that returned this value has ended" in done.stderr


def test_native_door_is_attached_to_the_innermost_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One machine at a time is attached, whatever the doors of those around it; ``auto`` is native where it can be."""
    told: list[tuple[str, str]] = []
    door: Any = ModuleType("fakecuda.reach.native.door")
    door.attach = lambda machine: told.append(("attach", machine.profile.name))
    door.detach = lambda machine: told.append(("detach", machine.profile.name))
    monkeypatch.setitem(sys.modules, "fakecuda.reach.native", ModuleType("fakecuda.reach.native"))
    monkeypatch.setitem(sys.modules, "fakecuda.reach.native.door", door)
    monkeypatch.setattr(install, "NATIVE", True)
    before = driver.cuInit
    with simulating.machine("h200-x2"):
        assert driver.cuInit is before
        with simulating.machine("h200", door="native"):
            assert told == [("attach", "h200-x2"), ("detach", "h200-x2"), ("attach", "h200")]
        told.clear()
        with here("h200-x3"):
            assert told == [("detach", "h200-x2")]
            with simulating.machine("h200"):
                assert told == [("detach", "h200-x2"), ("attach", "h200")]
                assert driver.cuInit is before
            assert told[2:] == [("detach", "h200")]
            assert driver.cuInit is not before
        assert told[3:] == [("attach", "h200-x2")]
    assert told[4:] == [("detach", "h200-x2")]
    told.clear()
    outer, inner = simulating.machine("h200-x2"), simulating.machine("h200")
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    assert told[2:] == [("attach", "h200"), ("detach", "h200")], "the order of the ends is the caller's"


def test_failure_to_attach_installs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the door does not open, the machine is closed and the outer one is reached as before."""
    made: list[fakecuda.Machine] = []
    shown = modules.Lookalike.show

    def fail(this: modules.Lookalike, machine: fakecuda.Machine) -> None:
        if machine.profile.name == "h200":
            made.append(machine)
            raise fakecuda.FakeCudaError
        shown(this, machine)

    monkeypatch.setattr(modules.Lookalike, "show", fail)
    with here() as outer:
        driver.cuInit(0)
        with pytest.raises(fakecuda.FakeCudaError), here("h200"):
            pass
        assert made[0].closed
        assert install.installed() is outer
        assert driver.cuDeviceGetCount()[1] == 2


def test_warnings_of_the_look_alike_leave_nothing_behind() -> None:
    """A warning that is an error stops the installation with everything restored."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = run(
            """
            from cuda.bindings.driver import cuMemAlloc
            from cuda.bindings import driver
            from fakecuda.simulated import install, late_uses, simulating
            before = driver.cuMemAlloc
            try:
                with simulating.machine(door="lookalike"):
                    raise SystemExit("installed")
            except install.ImportedByNameWarning:
                print(driver.cuMemAlloc is before, install.installed())
            """,
            "-Werror::UserWarning",
        )
    assert done.stdout == "True None\n", done


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
