"""Codes of the runtime API: the table between both APIs, names and texts, the last error of a thread, sticky errors."""

from __future__ import annotations

import pytest

from fakecuda import Machine, Result
from fakecuda.reach.bindings.runtime_classes import runtime_binding
from fakecuda.spec.codes import DRIVER_ONLY, FROM_RUNTIME, RUNTIME_NAMES, TO_RUNTIME, Error
from fakecuda.spec.runtime import ENUMS
from tests.bindings.runtime_valid import VALID
from tests.bindings.runtime_world import RuntimeWorld

CODES = ENUMS["cudaError_t"]


@pytest.fixture
def machine() -> Machine:
    """A machine of two devices that answers as the driver does."""
    return Machine("h200-x2", strict=False, seed=1)


def test_the_table_is_total_from_the_drivers_side() -> None:
    """Every code of the driver has one of the runtime API: that of its own number, or cudaErrorUnknown."""
    assert set(TO_RUNTIME) == {int(code) for code in Result}
    assert set(TO_RUNTIME.values()) <= set(CODES.values())
    assert {code for code in Result if TO_RUNTIME[code] != code} == DRIVER_ONLY
    assert {TO_RUNTIME[code] for code in DRIVER_ONLY} == {CODES["cudaErrorUnknown"]}
    assert {int(code) for code in Result} - set(CODES.values()) == {47, 202, 916} == set(map(int, DRIVER_ONLY))


def test_its_reverse_lists_what_has_no_counterpart() -> None:
    """Every code of the runtime API is in it."""
    assert set(FROM_RUNTIME) == set(CODES.values())
    lonely = {code for code, counterpart in FROM_RUNTIME.items() if counterpart is None}
    assert lonely == {int(code) for code in Error} == set(CODES.values()) - {int(code) for code in Result}
    for code, counterpart in FROM_RUNTIME.items():
        assert counterpart is None or TO_RUNTIME[counterpart] == code


def test_names_are_those_of_the_description() -> None:
    """In C, all 139."""
    assert {name: code for code, name in RUNTIME_NAMES.items()} == CODES
    assert {code.cname: int(code) for code in Error}.items() <= CODES.items()


def test_names_and_texts_are_the_bindings() -> None:
    """Of every code, and of numbers without a code; there is no driver under the real module, which needs none for that."""
    real = pytest.importorskip("cuda.bindings.runtime", reason="the real binding: pip install 'fakecuda[cuda]'")
    mine = Machine("h200").spawn().runtime
    for code in [*real.cudaError_t, 47, 5555]:
        assert mine.cudaGetErrorName(code) == real.cudaGetErrorName(code)
        assert mine.cudaGetErrorString(code) == real.cudaGetErrorString(code)


def test_names_need_no_driver_and_are_no_errors(machine: Machine) -> None:
    """They answer before anything else, and leave the last error alone."""
    c = machine.spawn().c
    assert c.cudaGetErrorName(1) == (0, b"cudaErrorInvalidValue")
    assert c.cudaGetErrorString(12) == (0, b"invalid pitch argument")
    assert c.cudaGetErrorName(4711) == (0, b"unrecognized error code")
    assert c.cuDeviceGetCount() == (3, None)
    c.cudaSetDevice(9)
    c.cudaGetErrorName(1)
    assert c.cudaPeekAtLastError() == (101,)


def test_get_clears_and_peek_does_not(machine: Machine) -> None:
    """A success in between leaves it; the latest failure counts; every thread has its own."""
    process = machine.spawn()
    one, two = process.thread("one").c, process.thread("two").c
    assert one.cudaPeekAtLastError() == one.cudaGetLastError() == (0,)
    assert one.cudaSetDevice(9) == (101,)
    assert one.cudaMalloc(64)[0] == 0
    assert one.cudaPeekAtLastError() == one.cudaPeekAtLastError() == (101,)
    assert one.cudaFree(5) == (1,)
    assert two.cudaGetLastError() == (0,)
    assert one.cudaGetLastError() == (1,)
    assert one.cudaGetLastError() == (0,)


def test_failures_of_the_driver_api_are_no_last_error(machine: Machine) -> None:
    """It is what calls of the runtime API have produced."""
    c = machine.spawn().c
    assert c.cuMemAlloc(64)[0] == 3
    assert c.cudaGetLastError() == (0,)


def test_not_ready_is_no_last_error() -> None:
    """CudaErrorNotReady is returned, and is not remembered."""
    with Machine("h200", strict=False, completion="manual") as machine:
        c = machine.spawn().c
        _, event = c.cudaEventCreate()
        _, stream = c.cudaStreamCreate()
        _, pointer = c.cudaMalloc(64)
        c.cudaMemsetAsync(pointer, 1, 64, stream)
        c.cudaEventRecord(event, stream)
        assert c.cudaEventQuery(event) == (600,)
        assert c.cudaGetLastError() == (0,)


def test_sticky_errors_come_back_until_the_process_ends(machine: Machine) -> None:
    """From every later call in the context, cudaGetLastError included."""
    process = machine.spawn()
    c = process.c
    c.cudaMalloc(64)
    _, context = c.cuCtxGetCurrent()
    machine.poison(process, context, Result.ILLEGAL_ADDRESS)
    for answer in (c.cudaMalloc(64), c.cudaDeviceSynchronize(), c.cudaStreamCreate()):
        assert answer[0] == 700
    assert c.cudaGetLastError() == c.cudaGetLastError() == c.cudaPeekAtLastError() == (700,)
    assert machine.spawn().c.cudaMalloc(64)[0] == 0


@pytest.mark.parametrize("suffix", ["", "Async"])
def test_no_bytes_are_set_after_a_fault(machine: Machine, suffix: str) -> None:
    """Without bytes these calls of the runtime API ask nothing of the failed context."""
    process = machine.spawn()
    c = process.c
    _, pointer = c.cudaMalloc(64)
    stream = (0,) if suffix else ()
    machine.poison(process, c.cuCtxGetCurrent()[1], Result.ILLEGAL_ADDRESS)
    assert getattr(c, f"cudaMemset{suffix}")(pointer, 1, 0, *stream) == (0,)
    assert getattr(c, f"cudaMemset{suffix}")(pointer, 1, 1, *stream) == (700,)
    for width, height in ((0, 1), (1, 0)):
        assert getattr(c, f"cudaMemset2D{suffix}")(pointer, 8, 1, width, height, *stream) == (0,)
    assert getattr(c, f"cudaMemset2D{suffix}")(pointer, 8, 1, 1, 1, *stream) == (700,)


def test_calls_that_are_not_modelled_are_last_errors(machine: Machine) -> None:
    """They answer cudaErrorNotSupported and warn."""
    runtime = machine.spawn().runtime
    with pytest.warns(UserWarning, match="cudaGreenCtxCreate is not modelled: it answers cudaErrorNotSupported"):
        assert runtime.cudaGreenCtxCreate(None, 0, 0)[0] == 801
    assert runtime.cudaGetLastError() == (801,)


def test_an_older_driver_is_not_enough() -> None:
    """A driver of the major version before serves no call but those that need none."""
    with Machine("driver-12.4", strict=False) as machine:
        c = machine.spawn().c
        assert c.cudaDriverGetVersion() == (0, 12040)
        assert c.cudaRuntimeGetVersion() == (0, runtime_binding.CUDART_VERSION)
        assert c.cudaGetDeviceCount() == (35, None)
        assert c.cudaGetLastError() == c.cudaGetLastError() == (35,)


def test_without_a_recent_driver_the_binding_answers_as_much() -> None:
    """There is none at all under the real module: whatever a call is given, the code is the same."""
    real = pytest.importorskip("cuda.bindings.runtime", reason="the real binding: pip install 'fakecuda[cuda]'")
    if int(real.cudaGetDeviceCount()[0]) != 35:
        pytest.skip("a driver library was loaded into this process before")
    with Machine("driver-12.4", strict=False) as old, Machine("h200-x2", strict=False) as new:
        mine, world = old.spawn().runtime, RuntimeWorld(new.spawn())
        for name in sorted(VALID.keys() - {"cudaLaunchHostFunc", "cudaStreamAddCallback"}):
            args = VALID[name](world)
            codes = [int(getattr(module, name)(*args)[0]) for module in (mine, real)]
            assert codes == [35, 35] or codes[0] == 0, name
            assert (codes[0] == 0) == (name in NEEDS_NONE), name
        for name, args in (
            ("cudaSetDeviceFlags", (1 << 20,)),
            ("cudaMemcpy", (1, 1, 1, 9)),
            ("cudaGetDriverEntryPoint", (b"", 9)),
        ):
            assert int(getattr(mine, name)(*args)[0]) == 35, name


NEEDS_NONE = {"cudaDriverGetVersion", "cudaGetErrorName", "cudaGetErrorString", "cudaRuntimeGetVersion"}


def test_no_device_is_told_by_the_first_call() -> None:
    """A process that sees none."""
    with Machine("h200", strict=False) as machine:
        c = machine.spawn(visible_devices="").c
        assert c.cudaGetDeviceCount() == (100, None)
        assert c.cudaMalloc(64) == (100, None)
