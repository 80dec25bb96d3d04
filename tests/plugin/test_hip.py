"""HIP under the fixture: unmodified hip-python and ctypes reach the machine, and no function reaches a real library."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import inspect
import re
import subprocess
import sys
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.machine import simulating
from fakecuda.reach.install.loading import PATHS
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.rules.registry import HIP
from tests.each import each

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Suite

hip: Any = pytest.importorskip("rocm.bindings.hip", reason="hip-python: pip install -e '.[hip]'")
PROFILE = "hip-clr-2026"
DOORS = [
    pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")),
    "lookalike",
]
FUNCTIONS = sorted(
    name
    for name, value in vars(hip).items()
    if name.startswith("hip") and callable(value) and not inspect.isclass(value)
)
HARMLESS = {"hipCreateChannelDesc"}
"""A function that does not query a device."""
WITHOUT_CODE = {"hipApiName", "hipGetStreamDeviceId", "hipKernelNameRef", "hipKernelNameRefByPtr"}
"""Functions that return something else."""
BROKEN = {"hipExecutionCtxRecordEvent", "hipGetChannelDesc", "hipGraphKernelNodeCopyAttributes"}
"""hip-python functions that raise before a call, for lack of a method."""
ARGUMENT = re.compile(r"^    \w+ \(:py:obj:`~\.([\w.]+)`", re.MULTILINE)
native = pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")


@pytest.mark.parametrize("door", DOORS)
def test_examples(suite: Suite, door: str) -> None:
    """What hip-python's own examples do without a kernel, by either door, test after test."""
    suite.write(
        test_it="""
            import ctypes
            import pytest
            from hip import hip

            def check(answer):
                error, *results = answer
                assert error == hip.hipError_t.hipSuccess, error
                return results[0] if len(results) == 1 else results

            pytestmark = pytest.mark.fakecuda(profile="hip-clr-2026")

            @pytest.mark.parametrize("again", range(3))
            def test_device_properties(fakecuda, again):
                assert check(hip.hipGetDeviceCount()) == 2
                properties = check(hip.hipGetDeviceProperties(0))
                assert properties.gcnArchName.startswith("gfx942")
                assert properties.totalGlobalMem > 1 << 30
                attribute = hip.hipDeviceAttribute_t.hipDeviceAttributeWarpSize
                assert check(hip.hipDeviceGetAttribute(attribute, 0)) == properties.warpSize == 64

            @pytest.mark.parametrize("again", range(3))
            def test_streams_and_events(fakecuda, again):
                size = 4096
                source, target = bytearray(b"x" * size), bytearray(size)
                stream = check(hip.hipStreamCreate())
                start, stop = check(hip.hipEventCreate()), check(hip.hipEventCreate())
                memory = check(hip.hipMalloc(size))
                check(hip.hipEventRecord(start, stream))
                kind = hip.hipMemcpyKind
                check(hip.hipMemcpyAsync(memory, source, size, kind.hipMemcpyHostToDevice, stream))
                check(hip.hipMemcpyAsync(target, memory, size, kind.hipMemcpyDeviceToHost, stream))
                check(hip.hipEventRecord(stop, stream))
                check(hip.hipStreamSynchronize(stream))
                assert target == source
                assert check(hip.hipEventElapsedTime(start, stop)) >= 0
                for one in (start, stop):
                    check(hip.hipEventDestroy(one))
                check(hip.hipStreamDestroy(stream))
                check(hip.hipFree(memory))
                assert hip.hipFree(memory)[0] == hip.hipError_t.hipErrorInvalidValue
                assert fakecuda.calls[-1].call == "hipFree"
                assert fakecuda.calls[-1].rule.id == "hip.memory.POINTER_IS_A_BASE"

            @pytest.mark.fakecuda(profile="hip-clr-2026", strict=False)
            def test_a_laxer_machine(fakecuda):
                assert hip.hipGetErrorName(hip.hipError_t.hipErrorNoDevice)[0] == hip.hipError_t.hipSuccess
                with pytest.warns(fakecuda.NotModelledWarning):
                    assert hip.hipModuleLoad(b"kernels.co")[0] == hip.hipError_t.hipErrorNotSupported
        """
    )
    done = suite.run(door=door)
    assert done.counts == {"PASSED": 7}, done.out


def arguments(name: str) -> list[Any]:
    """Return arguments that hip-python takes: zeros, first members of enums, and structs, some of which C takes by value."""
    found: list[Any] = []
    for kind in ARGUMENT.findall(getattr(hip, name).__doc__.partition("Returns:")[0]):
        made: Any = getattr(hip, kind, None)
        if inspect.isclass(made) and issubclass(made, IntEnum):
            found.append(next(iter(made)))
        else:
            found.append(made() if hasattr(made, "PROPERTIES") else 0)
    return found


@pytest.mark.parametrize("door", DOORS)
@each("name", [name for name in FUNCTIONS if name not in HIP.ops and name not in HARMLESS])
def test_no_other_function_reaches_a_library(name: str, door: str) -> None:
    """Those out of the scope are not supported, and say so."""
    taken = arguments(name)
    if name in BROKEN and door == "native":
        with pytest.raises(AttributeError, match="has no attribute 'new'"):
            getattr(hip, name)(*taken)
        return
    text = f"^{name} is not modelled: it answers hipErrorNotSupported"
    code: Any = None
    with simulating.simulate(PROFILE, door=door, strict=False) as machine:
        with (
            pytest.warns(fakecuda.NotModelledWarning, match=text),
            suppress(ValueError),
        ):  # of an enum that nobody wrote
            code, *results = getattr(hip, name)(*taken)
        if name not in WITHOUT_CODE:
            assert code in {hip.hipError_t.hipErrorNotSupported, None}
        elif door == "native":  # hip-python has no code of theirs
            assert results == [-1] if name == "hipGetStreamDeviceId" else str(results[0]) == ""
        assert machine.here.c.hipGetLastError()[0] == 801


@pytest.mark.parametrize("door", DOORS)
def test_outside_of_machines_it_is_as_it_was(door: str) -> None:
    """Functions of hip-python are its own again, and those that outlive a machine reach nothing."""
    before = hip.hipGetDeviceCount
    searched = importlib.import_module(PATHS).get_library_path
    with simulating.simulate(PROFILE, door=door):
        held = hip.hipGetDeviceCount
        assert held() == (hip.hipError_t.hipSuccess, 2)
        with simulating.simulate("h200", door=door):
            assert hip.hipGetDeviceCount is before
        assert hip.hipGetDeviceCount() == (hip.hipError_t.hipSuccess, 2)
    assert hip.hipGetDeviceCount is before
    assert importlib.import_module(PATHS).get_library_path is searched
    assert held()[0] == hip.hipError_t.hipErrorNoDevice


@native
def test_paths_lead_to_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads a real HIP by its path gets ours while a machine with HIP is installed, and so does hip-python."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libamdhip64.so").write_text("no library")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    paths: Any = importlib.import_module(PATHS)
    assert paths.get_library_path("amdhip64") == str(tmp_path / "lib" / "libamdhip64.so").encode()
    with simulating.simulate("h200"), simulating.simulate(PROFILE):
        assert paths.get_library_path("amdhip64") == b"libamdhip64.so"
        assert paths.get_library_path("hiprtc") == b"libhiprtc.so"
        assert ctypes.util.find_library("amdhip64") == "libamdhip64.so"
        count = ctypes.c_int()
        for name in (
            str(tmp_path / "lib" / "libamdhip64.so"),
            "/opt/rocm-7.2.0/lib/libamdhip64.so.7",
            "libamdhip64.so.6",
        ):
            assert ctypes.CDLL(name).hipGetDeviceCount(ctypes.byref(count)) == 0
            assert count.value == 2
    with pytest.raises(OSError, match=r"file too short|invalid ELF header"):
        ctypes.CDLL(str(tmp_path / "lib" / "libamdhip64.so"))


WITHOUT = """
import sys
for name in ("rocm", "rocm.bindings", "rocm.bindings.hip", "hip"):
    sys.modules[name] = None
from fakecuda.machine.simulating import simulate
with simulate("hip-clr-2026", door="lookalike") as made:
    from hip import hip
    from rocm.bindings import hip as other
    assert hip is other
    print(hip.hipGetDeviceCount()[1], int(hip.hipModuleLoad("x")[0]), hip.hipError_t.hipErrorNoDevice.name)
assert "hip" not in sys.modules
"""


def test_without_the_wheel() -> None:
    """Modules of its names stand in for it while a machine with HIP is installed, by the look-alike's door."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 801 hipErrorNoDevice\n"
