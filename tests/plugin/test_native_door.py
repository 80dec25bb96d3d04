"""The fixture over the native door: whatever reaches libcuda in the process reaches the machine."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

pytest.importorskip("cuda.bindings.driver")
pytest.importorskip("fakecuda.reach.native.door")
if not NATIVE:
    pytest.skip(f"the native door needs {NEEDS}", allow_module_level=True)

if TYPE_CHECKING:
    from .conftest import Suite


def test_reaches_what_was_imported_before(suite: Suite) -> None:
    """Functions imported by name before any machine, and users of ctypes, reach the machine of each test."""
    suite.write(
        test_it="""
            import ctypes
            import fakecuda as module
            import pytest
            from cuda.bindings import driver
            from cuda.bindings.driver import cuDeviceGetCount, cuInit

            first = cuInit
            with pytest.raises(Exception):
                cuInit(0)

            @pytest.mark.fakecuda(profile=["h200", "h200-x2", "h200-x3"])
            def test_by_name(fakecuda):
                assert driver.cuInit is first
                assert cuDeviceGetCount()[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
                assert int(cuInit(0)[0]) == 0
                assert cuDeviceGetCount()[1] == len(fakecuda.machine.devices)
                assert [call.call for call in fakecuda.calls] == ["cuDeviceGetCount", "cuInit", "cuDeviceGetCount"]

            def test_through_ctypes(fakecuda):
                library = ctypes.CDLL("libcuda.so.1")
                count = ctypes.c_int()
                assert library.cuDeviceGetCount(ctypes.byref(count)) == 3
                assert library.cuInit(0) == 0
                assert library.cuDeviceGetCount(ctypes.byref(count)) == 0
                assert count.value == 2

            def test_between_machines():
                assert int(cuInit(0)[0]) == 100
                assert int(cuDeviceGetCount()[0]) == 3

            def test_inner_machine(fakecuda):
                cuInit(0)
                with module.simulate("h200"):
                    assert int(cuDeviceGetCount()[0]) == 3
                    cuInit(0)
                    assert cuDeviceGetCount()[1] == 1
                assert cuDeviceGetCount()[1] == 2
        """
    )
    done = suite.run(door="")
    assert done.counts == {"PASSED": 6}, done.out


def test_undefined_behaviour_fails_the_test_at_its_end(suite: Suite) -> None:
    """The call returns to C; the test fails when it is over."""
    suite.write(
        test_it="""
            from cuda.bindings import driver

            def test_fails(fakecuda):
                assert int(fakecuda.here.c.cuInit(0)[0]) == 0
                driver.cuMemRelease(0xDEAD)
                print("WENT ON")
        """
    )
    done = suite.run(door="native")
    assert done.counts == {"FAILED": 1}, done.out
    assert "WENT ON" in done.out
    assert "UndefinedBehaviour: cuMemRelease in process here" in done.lines[0]


def test_thread_of_former_machine_touches_nothing(suite: Suite) -> None:
    """A thread that a test left behind is led nowhere, and the test that left it has an error."""
    suite.write(
        test_it="""
            import threading
            from cuda.bindings import driver

            go, done, codes = threading.Event(), threading.Event(), []

            def work():
                codes.append(int(driver.cuDeviceGetCount()[0]))
                done.set()
                go.wait()
                codes.append(int(driver.cuDeviceGetCount()[0]))
                done.set()

            def test_leaves(fakecuda):
                driver.cuInit(0)
                threading.Thread(target=work, daemon=True).start()
                done.wait()
                done.clear()

            def test_other(fakecuda):
                driver.cuInit(0)
                go.set()
                done.wait()
                assert codes == [0, 3]
                assert [call.call for call in fakecuda.calls] == ["cuInit"]
        """
    )
    done = suite.run(door="native")
    assert done.counts == {"PASSED": 2, "ERROR": 1}, done.out
    assert done.lines[0].startswith("ERROR test_it.py::test_leaves - test_it.py::test_leaves: thread ")


def test_another_libcuda_is_refused_with_the_fix(suite: Suite) -> None:
    """One line that names the library that was loaded first; no traceback."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make another libcuda.so.1 with")
    library = suite.folder / "libcuda.so.1"
    subprocess.run([compiler, "-shared", "-Wl,-soname,libcuda.so.1", "-x", "c", "/dev/null", "-o", library], check=True)
    suite.write(
        conftest=f"""
            import ctypes
            ctypes.CDLL({str(library)!r})
        """,
        test_it="def test_it(fakecuda): pass\n",
    )
    done = suite.run(door="native")
    assert done.counts == {"ERROR": 1}, done.out
    assert f"Failed: another driver library, {library}, is already loaded in this process" in done.out
    assert "or use door='lookalike'" in done.out
    assert "Traceback" not in done.out
    assert "plugin.py" not in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


EARLY = """
    import ctypes, ctypes.util

    found = ctypes.util.find_library("cuda")
    driver = ctypes.CDLL("libcuda.so")
    at_import = driver.cuInit(0)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["", "a worker of xdist"])
def test_a_program_that_opens_the_library_when_it_is_imported(suite: Suite, workers: tuple[str, ...]) -> None:
    """With ``fakecuda_load`` it finds the library, which answers from the machine as soon as there is one."""
    suite.write(
        conftest=EARLY,
        test_it="""
            import ctypes, ctypes.util
            from conftest import at_import, driver, found

            def test_it(fakecuda):
                assert (found, at_import) == ("libcuda.so.1", 100)
                assert driver.cuInit(0) == 0
                assert [call.call for call in fakecuda.calls] == ["cuInit"]

            def test_between_machines():
                assert driver.cuInit(0) == 100
                assert ctypes.util.find_library("nvidia-ml") == "libnvidia-ml.so.1"
                assert ctypes.CDLL("libnvidia-ml.so").nvmlInit_v2() == 9
        """,
    )
    done = suite.run("-o", "fakecuda_load=true", *workers, door="native")
    assert done.counts == {"PASSED": 2}, done.out


@pytest.mark.parametrize("setting", ["false", "true"])
def test_a_run_without_the_native_door_loads_nothing_early(suite: Suite, setting: str) -> None:
    """Neither by default, nor with the look-alike."""
    suite.write(
        conftest="from fakecuda.machine import install; loaded = install._early",
        test_it="from conftest import loaded\ndef test_it(): assert not loaded\n",
    )
    door = "native" if setting == "false" else "lookalike"
    done = suite.run("-o", f"fakecuda_load={setting}", door=door)
    assert done.counts == {"PASSED": 1}, done.out


def test_another_libcuda_is_refused_early(suite: Suite) -> None:
    """The run ends with one line that names the file."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to make another libcuda.so.1 with")
    library = suite.folder / "libcuda.so.1"
    subprocess.run([compiler, "-shared", "-Wl,-soname,libcuda.so.1", "-x", "c", "/dev/null", "-o", library], check=True)
    suite.environ["LD_PRELOAD"] = str(library)
    done = suite.run("-o", "fakecuda_load=true", door="native")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: fakecuda_load: another driver library, {library}, is already loaded in this process" in done.out
