"""Programs with garbage for arguments by two doors of each API: the same codes, exceptions, results and machines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz import doors
from conformance.fuzz.nonsense import Held
from conformance.fuzz.sides import OfNvml, Side
from fakecuda.reach.bindings import options
from fakecuda.reach.native import nvml as of_nvml
from fakecuda.reach.native.generated import cudart as generated
from fakecuda.reach.native.generated import hip as of_hip
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
pytestmark = pytest.mark.skipif(not NATIVE, reason=NEEDS)
SEEDS = (15, 50, 63, 103, 134, 256)
"""Seeds that once found a difference: launches, options and null arrays."""
OF_RUNTIME = (8, 24, 38, 72, 90)
"""Seeds with results and arguments that C cannot have, large sizes, and null."""
OF_LIBRARIES = [("hip", 4), ("hip", 48), ("hip", 82), ("nvml", 0), ("nvml", 3), ("nvml", 21)]
"""Seeds of HIP with attributes and functions, and of NVML with structs and a wait."""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_doors_agree(seed: int) -> None:
    """On the codes, the exceptions and the machines; ``python -m conformance.fuzz.doors`` draws further programs."""
    assert not doors.report(seed)


@pytest.mark.parametrize("seed", OF_RUNTIME)
def test_libcudart_agrees_with_python(seed: int) -> None:
    """On the codes, the results and the machines."""
    assert not doors.report(seed, "runtime")


@pytest.mark.parametrize(("api", "seed"), OF_LIBRARIES)
def test_libraries_agree_with_python(api: str, seed: int) -> None:
    """On the codes, the results and the machines: libamdhip64 and libnvidia-ml."""
    assert not doors.report(seed, api)


@pytest.mark.parametrize("count", [100, (1 << 32) - 1])
def test_an_array_is_compared_as_far_as_it_is_written(count: int) -> None:
    """However long it is said to be."""
    assert doors.difference([("hipExtStreamGetCUMask", (0, count))], "hip") == (0, "")


def test_a_planted_difference_of_libamdhip64_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operation behind its function returns a device too many."""
    monkeypatch.setattr(of_hip, "_hipGetDeviceCount", lambda _: (0, 9))
    program: list[Any] = [("hipDeviceSynchronize", ()), ("hipGetDeviceCount", ())]
    assert doors.difference(program, "hip") == (
        1,
        "hipGetDeviceCount: (0, 2) by the operations, (0, 9) by the library",
    )


def test_a_planted_difference_of_libnvidia_ml_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its function leaves out the first member of a struct."""
    real = of_nvml.store

    def planted(kind: Any, address: int, out: Any, skipped: int = 0) -> None:
        real(kind, address, (0, *out[1:]) if isinstance(out, tuple) else out, skipped)

    monkeypatch.setattr(of_nvml, "store", planted)
    card = Held("nvmlDevice_t", 0)
    program: list[Any] = [("nvmlDeviceGetIndex", (card,)), ("nvmlDeviceGetMemoryInfo", (card,))]
    place, told = doors.difference(program, "nvml")
    assert place == 1
    assert re.fullmatch(
        r"nvmlDeviceGetMemoryInfo: \(0, \([1-9]\d*, (.*)\)\) by the operations, \(0, \(0, \1\)\) by the library", told
    )


def test_a_comparison_that_fails_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that cannot be made is not a program without differences."""

    def fails(_: OfNvml) -> None:
        raise KeyError

    monkeypatch.setattr(OfNvml, "load", fails)
    with pytest.raises(RuntimeError, match="KeyError"):
        doors.report(0, "nvml")


def test_a_planted_difference_of_libcudart_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operation behind its function returns a device too many, also in a library that was loaded before."""
    monkeypatch.setattr(generated, "_cudaGetDeviceCount", lambda _: (0, 3))
    program: list[Any] = [("cudaDeviceSynchronize", ()), ("cudaGetDeviceCount", ())]
    assert doors.difference(program, "runtime") == (
        1,
        "cudaGetDeviceCount: (0, 2) by the operations, (0, 3) by the library",
    )


def test_the_command_compares_each_api(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Some programs of each, or of those that are named; it says what differs."""
    seen: list[tuple[int, str]] = []

    def report(seed: int, api: str) -> str:
        seen.append((seed, api))
        return "it differs" * (seed == 5)

    monkeypatch.setattr(doors, "report", report)
    assert doors.main(["--programs", "2", "--seed", "5"]) == 1
    assert seen == [(seed, api) for api in ("driver", "runtime", "hip", "nvml") for seed in (5, 6)]
    assert "runtime: 2 programs from seed 5, the doors differ in 1" in capsys.readouterr().out
    assert doors.main(["--programs", "1", "--api", "runtime"]) == 0


@pytest.mark.parametrize(
    ("seed", "planted", "found"),
    [
        (66, lambda *_: None, "cuLinkCreate: TypeError by the look-alike, RuntimeError by the bindings"),
    ],
)
def test_a_planted_difference_is_found(
    monkeypatch: pytest.MonkeyPatch, seed: int, planted: Callable[..., None], found: str
) -> None:
    """With a program of the one call that it takes."""
    monkeypatch.setattr(options, "suffices", planted)
    told, *program = doors.report(seed).splitlines()
    assert told == f"seed {seed}: {found}"
    assert [line.strip()[:15] for line in program] == ["('cuLinkCreate'"]


def test_a_machine_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though each call answers the same."""
    state = Side.state
    monkeypatch.setattr(Side, "state", lambda side: state(side) + "more" * side.real)
    assert "by both, and the machines differ" in doors.report(SEEDS[0])


def test_reasons_are_those_of_a_difference() -> None:
    """An answer of another call, or another exception, has none."""
    outcomes = {
        ("cuModuleLoadData", "Unreadable", "CUDA_ERROR_INVALID_VALUE"): True,
        ("cuModuleLoadData", "Unreadable", "CUDA_ERROR_INVALID_IMAGE"): False,
        ("cudaLaunchKernelExC", "Unreadable", "1"): True,
        ("cudaLaunchKernelExC", "Unreadable", "98"): False,
        ("hipModuleLoadData", "Unreadable", "1"): False,
        ("cuModuleEnumerateFunctions", "CUDA_ERROR_INVALID_HANDLE", "MemoryError"): True,
        ("cuMemAlloc", "TypeError", "ValueError"): False,
        ("cuTensorMapEncodeTiled", "TypeError", "ValueError"): True,
    }
    for (call, mine, real), has in outcomes.items():
        assert any(one.fits(call, (mine, real)) for one in doors.REASONS) is has
    assert all(one.why for one in doors.REASONS)
