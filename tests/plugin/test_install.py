"""Machines installed by hand: what is reached, what is restored, what is reported."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fakecuda
import fakecuda.plugin
from fakecuda.machine import install, installation, simulating
from fakecuda.reach.install import modules

if TYPE_CHECKING:
    from fakecuda.machine.simulation import Simulation

driver: Any = pytest.importorskip("cuda.bindings.driver")
ROOT = Path(__file__).parents[2]


def here(profile: str = "h200-x2", *, strict: bool = True, seed: int | None = None) -> Simulation:
    """Return a machine that is reached through the module."""
    return simulating.simulate(profile, strict=strict, seed=seed, door="lookalike")


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
    with pytest.raises(fakecuda.FakeCudaError) as info, simulating.simulate(**{"door": "lookalike", **options}):
        pass
    assert str(info.value).startswith(text)
    assert "\n" not in str(info.value)
    assert install.installed() is None


def test_native_door_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other platforms the native door is refused with the fix, and ``auto`` is the look-alike."""
    monkeypatch.setattr(installation, "NATIVE", False)
    with pytest.raises(fakecuda.FakeCudaError, match=r"use door='lookalike'"), simulating.simulate(door="native"):
        pass
    with simulating.simulate("h200") as machine:
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


def test_functions_imported_by_name_are_told_of() -> None:
    """The look-alike says which module's calls pass it by, once."""
    done = run("""
        import warnings
        from cuda.bindings import driver
        from cuda.bindings.driver import cuMemAlloc, CUresult
        from fakecuda.machine import simulating
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                with simulating.simulate(door="lookalike"):
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
        from fakecuda.machine import simulating
        for profile in ("h200-x2", "h200"):
            with simulating.simulate(profile, door="lookalike"):
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


def test_native_door_is_attached_to_the_innermost_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One machine at a time is attached, whatever the doors of those around it; ``auto`` is native where it can be."""
    told: list[tuple[str, str]] = []
    door: Any = ModuleType("fakecuda.reach.native.door")
    door.attach = lambda machine: told.append(("attach", machine.profile.name))
    door.detach = lambda machine: told.append(("detach", machine.profile.name))
    monkeypatch.setitem(sys.modules, "fakecuda.reach.native", ModuleType("fakecuda.reach.native"))
    monkeypatch.setitem(sys.modules, "fakecuda.reach.native.door", door)
    monkeypatch.setattr(installation, "NATIVE", True)
    before = driver.cuInit
    with simulating.simulate("h200-x2"):
        assert driver.cuInit is before
        with simulating.simulate("h200", door="native"):
            assert told == [("attach", "h200-x2"), ("detach", "h200-x2"), ("attach", "h200")]
        told.clear()
        with here("h200-x3"):
            assert told == [("detach", "h200-x2")]
            with simulating.simulate("h200"):
                assert told == [("detach", "h200-x2"), ("attach", "h200")]
                assert driver.cuInit is before
            assert told[2:] == [("detach", "h200")]
            assert driver.cuInit is not before
        assert told[3:] == [("attach", "h200-x2")]
    assert told[4:] == [("detach", "h200-x2")]
    told.clear()
    outer, inner = simulating.simulate("h200-x2"), simulating.simulate("h200")
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
            from fakecuda.machine import install, late_uses, simulating
            before = driver.cuMemAlloc
            try:
                with simulating.simulate(door="lookalike"):
                    raise SystemExit("installed")
            except install.ImportedByNameWarning:
                print(driver.cuMemAlloc is before, install.installed())
            """,
            "-Werror::UserWarning",
        )
    assert done.stdout == "True None\n", done
