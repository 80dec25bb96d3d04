"""A fault has a call refused that would succeed: by whatever door, with no effect, and no other call."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda as module
from conformance.record.recordings import files
from fakecuda import FakeCuda, FakeCudaError, Machine, Result
from fakecuda.machine.faults.codes import answers_of, beneath, code_of, from_outside
from fakecuda.model.call import under_way
from fakecuda.model.effect import EFFECTS, watched
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.rules.registry import EVERY_API, EVERY_OP
from fakecuda.spec.codes import Error
from tests.conformance.test_effects import profile_of, rich, steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fakecuda import CallRecord, Process
    from fakecuda.model.effect import Act
    from fakecuda.reach.bindings.c import CLevel

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)
OUT_OF_MEMORY = int(Result.OUT_OF_MEMORY)
SIZE = 4096


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine with two devices."""
    with Machine("h200-x2", seed=0) as made:
        yield made


@pytest.fixture
def c(machine: Machine) -> CLevel:
    """The calls of a process with a context."""
    return started(machine.here)


def started(process: Process) -> CLevel:
    """Return the calls of a process, which has a context now."""
    c = process.c
    assert c.cuInit(0)[0] == 0
    assert c.cuCtxCreate(None, 0, 0)[0] == 0
    return c


def codes(c: CLevel, count: int, call: str = "cuMemAlloc") -> list[int]:
    """Return what so many calls answer."""
    return [getattr(c, call)(SIZE)[0] for _ in range(count)]


def is_bare(machine: Machine) -> bool:
    """Return whether nothing stands between the calls of a machine and their effects."""
    plain = all(getattr(one.home, one.function.__name__) is one.function for one in EFFECTS.values())
    return plain and machine.record == machine.calls.append


def test_the_nth_call_is_refused_and_no_other(machine: Machine, c: CLevel) -> None:
    """Once; with ``times`` as often in a row, with None for ever."""
    with machine.fail("cuMemAlloc", nth=2) as fault:
        assert codes(c, 4) == [0, OUT_OF_MEMORY, 0, 0]
    assert (fault.seen, fault.came) == (4, 1)
    with machine.fail("cuMemAlloc", nth=2, times=2):
        assert codes(c, 4) == [0, OUT_OF_MEMORY, OUT_OF_MEMORY, 0]
    with machine.fail("cuMemAlloc", times=None):
        assert codes(c, 3) == [OUT_OF_MEMORY] * 3
    assert codes(c, 1) == [0]


def test_two_faults_count_by_themselves(machine: Machine, c: CLevel) -> None:
    """What one has refused counts for the other."""
    with machine.fail("cuMemAlloc"), machine.fail("cuMemAlloc", nth=2):
        assert codes(c, 3) == [OUT_OF_MEMORY, OUT_OF_MEMORY, 0]


def test_only_calls_count_that_have_passed_their_checks(machine: Machine, c: CLevel) -> None:
    """A call that is refused anyway answers what it answers."""
    with machine.fail("cuMemAlloc") as fault:
        assert c.cuMemAlloc(0)[0] == Result.INVALID_VALUE
        assert fault.seen == 0
        assert codes(c, 1) == [OUT_OF_MEMORY]


def test_a_refused_call_has_no_effect(machine: Machine, c: CLevel) -> None:
    """It is made again as if it had not been made."""
    was = machine.snapshot()
    with machine.fail("cuMemAlloc"):
        assert c.cuMemAlloc(SIZE) == (OUT_OF_MEMORY, None)
    assert machine.snapshot() == was
    machine.check_invariants()


def test_a_query_is_refused_too(machine: Machine, c: CLevel) -> None:
    """A call without an effect is about to answer success."""
    with machine.fail("cuMemGetInfo", code="INVALID_CONTEXT") as fault:
        assert c.cuMemGetInfo() == (Result.INVALID_CONTEXT, None, None)
        assert c.cuMemGetInfo()[0] == 0
    assert (fault.seen, fault.came) == (2, 1)


def test_who_is_meant(machine: Machine, c: CLevel) -> None:
    """A process, by its name or itself, and what a function says."""
    other = started(machine.spawn("other"))
    for process in ("other", machine.processes["other"]):
        with machine.fail("cuMemAlloc", process=process):
            assert codes(c, 1) == [0]
            assert codes(other, 1) == [OUT_OF_MEMORY]
    seen: list[CallRecord] = []

    def large(call: CallRecord) -> bool:
        seen.append(call)
        return bool(call.args[0] > SIZE)

    with machine.fail("cuMemAlloc", when=large) as fault:
        assert codes(c, 1) == [0]
        assert c.cuMemAlloc(SIZE + 1)[0] == OUT_OF_MEMORY
    assert [(one.process, one.call, one.args, one.code) for one in seen] == [
        ("here", "cuMemAlloc", (SIZE,), None),
        ("here", "cuMemAlloc", (SIZE + 1,), None),
    ]
    assert fault.seen == 1


def test_a_call_of_the_runtime(machine: Machine, c: CLevel) -> None:
    """By its own name, or by that of the driver's call that it makes; a failure is its last error."""
    with machine.fail("cudaMalloc", code="cudaErrorMemoryAllocation"):
        assert codes(c, 1, "cuMemAlloc") == [0]
        assert codes(c, 2, "cudaMalloc") == [OUT_OF_MEMORY, 0]
    assert c.cudaGetLastError()[0] == OUT_OF_MEMORY
    with machine.fail("cuMemAlloc", nth=2):
        assert codes(c, 1, "cudaMalloc") == [0]
        assert codes(c, 2, "cudaMalloc") == [OUT_OF_MEMORY, 0]
    with machine.fail("cuMemGetInfo", code="INVALID_CONTEXT"):
        assert c.cudaMemGetInfo()[0] == Result.INVALID_CONTEXT
    with machine.fail("cudaMalloc", code=Error.INVALID_CONFIGURATION, force=True):
        assert codes(c, 1, "cudaMalloc") == [Error.INVALID_CONFIGURATION]


def test_a_first_call_of_the_runtime(machine: Machine) -> None:
    """Refused by its own name it has no effect at all; by the driver's call the context that it has made is there."""
    was, c = machine.snapshot(), machine.here.c
    was = machine.snapshot()
    with machine.fail("cudaMalloc"):
        assert codes(c, 1, "cudaMalloc") == [OUT_OF_MEMORY]
    assert machine.snapshot() == was
    with machine.fail("cuMemAlloc"):
        assert codes(c, 1, "cudaMalloc") == [OUT_OF_MEMORY]
    assert machine.here.contexts
    assert not machine.here.memory
    with machine.fail("cuMemGetInfo", code="INVALID_CONTEXT", process=machine.spawn("other")):
        assert machine.processes["other"].c.cudaMemGetInfo()[0] == Result.INVALID_CONTEXT
    assert machine.processes["other"].contexts


def test_a_call_that_waits_has_waited() -> None:
    """What it does beside its own effect is done: work of the stream, here."""
    with Machine(completion="manual", seed=0) as machine:
        c = started(machine.here)
        start = c.cuMemAlloc(SIZE)[1]
        with machine.fail(
            "cuStreamSynchronize", code="LAUNCH_FAILED", when=lambda _: not machine.scheduler.pending
        ) as fault:
            assert c.cuMemsetD8Async(start, 7, SIZE, 0)[0] == 0
            assert machine.scheduler.pending
            assert c.cuStreamSynchronize(0)[0] == Result.LAUNCH_FAILED
        assert fault.seen == 1


def test_hip_and_nvml() -> None:
    """Each answers codes of its own."""
    with Machine("hip-clr-2026", seed=0) as machine, machine.fail("hipMalloc"):
        assert codes(machine.here.c, 2, "hipMalloc") == [OUT_OF_MEMORY, 0]
    with Machine(seed=0) as machine:
        assert machine.here.c.nvmlInit_v2()[0] == 0
        with machine.fail("nvmlDeviceGetCount_v2", code="GPU_IS_LOST", force=True):
            assert machine.here.c.nvmlDeviceGetCount_v2()[0] == EVERY_API["nvml"].named("NVML_ERROR_GPU_IS_LOST")


def test_a_sticky_code_stays(machine: Machine, c: CLevel) -> None:
    """The context of the caller goes on answering it, and another process does not."""
    other = started(machine.spawn("other"))
    with machine.fail("cuMemAlloc", code="ILLEGAL_ADDRESS"):
        assert codes(c, 2) == [Result.ILLEGAL_ADDRESS] * 2
    assert codes(c, 1) == [Result.ILLEGAL_ADDRESS]
    assert codes(other, 1) == [0]


def test_the_record_says_that_it_was_injected(machine: Machine, c: CLevel) -> None:
    """As the log and the facts do."""
    with machine.fail("cuMemAlloc", nth=1) as fault:
        codes(c, 1)
    record = machine.log[-1]
    assert record.code == OUT_OF_MEMORY
    assert record.facts == {"injected": fault}
    assert str(record).endswith("[injected: fail('cuMemAlloc', code='OUT_OF_MEMORY')]")
    assert fault.line.startswith(f"{__file__}:")


def test_nothing_stands_between_without_a_fault(machine: Machine, c: CLevel) -> None:
    """Before, and after the last one has ended."""
    assert is_bare(machine)
    first, second = machine.fail("cuMemAlloc"), machine.fail("cuMemFree", code="INVALID_VALUE")
    first.end()
    assert not is_bare(machine)
    second.end()
    second.end()
    assert is_bare(machine)
    assert codes(c, 1) == [0]


def test_a_fault_that_never_came_is_an_error(machine: Machine) -> None:
    """Of its block, and of the machine's; not where another error is under way."""
    with (
        pytest.raises(AssertionError, match=r"fail\('cuMemAlloc', .*made no call fail: only 0 such calls"),
        machine.fail("cuMemAlloc"),
    ):
        pass
    with pytest.raises(KeyError), machine.fail("cuMemAlloc"):
        raise KeyError
    missed = r"nth=3.* made no call fail: only 1 such call would have succeeded"
    with pytest.raises(AssertionError, match=missed), Machine(seed=0) as other:
        ask(other, nth=3)
    with pytest.raises(AssertionError, match=missed), module.simulate(door="lookalike") as other:
        ask(other, nth=3)
    with pytest.raises(KeyError):
        interrupted()
    with Machine(seed=0) as other:
        ask(other, nth=1)


def interrupted() -> None:
    """End with an error of its own."""
    with Machine(seed=0) as machine:
        ask(machine, nth=3)
        raise KeyError


def ask(machine: Machine, nth: int) -> None:
    """Initialise a driver that fails then."""
    machine.fail("cuInit", nth=nth, code="NO_DEVICE")
    machine.here.c.cuInit(0)


@pytest.mark.parametrize(
    ("call", "options", "told"),
    [
        ("cuMemMop", {}, "did you mean: cuMemMap"),
        ("cuCtxFromGreenCtx", {}, "is not modelled"),
        (7, {}, "name the function"),
        ("cuMemMap", {"code": "OUT_OF_MEMRY"}, "did you mean: OUT_OF_MEMORY"),
        ("cuMemMap", {"code": 12345}, "not a code of the driver API"),
        ("cuMemMap", {"code": "FILE_NOT_FOUND"}, "use force=True, .*one of INVALID_VALUE"),
        ("cudaMalloc", {"code": "cudaErrorFileNotFound"}, "force=True"),
        ("cuMemMap", {"code": 0, "force": True}, "SUCCESS is not a failure"),
        ("cuMemMap", {"process": "hear"}, "did you mean: here"),
        ("cuMemMap", {"process": 7}, "not a process"),
        ("cuMemMap", {"nth": 0}, "nth=0"),
        ("cuMemMap", {"nth": True}, "nth=True"),
        ("cuMemMap", {"times": 0}, "times=0"),
        ("cuMemMap", {"when": 3}, "a CallRecord"),
        ("cuMemMap", {"force": 1}, "force=1"),
    ],
)
def test_what_is_wrong_is_refused(machine: Machine, call: str, options: dict[str, Any], told: str) -> None:
    """With the nearest name, or what to write; no fault is left."""
    with pytest.raises(FakeCudaError, match=told):
        machine.fail(call, **options)
    assert is_bare(machine)


def test_without_a_machine_there_is_no_fault() -> None:
    """It says where to use it."""
    with pytest.raises(FakeCudaError, match=r"fakecuda\.fail\(\) needs a simulated machine, and none is active"):
        module.fail("cuInit")


def test_each_code_of_each_call_can_be_told() -> None:
    """By its name and its number, and the API answers it and no other."""
    for op in EVERY_OP.values():
        for name, code in answers_of(op).items():
            assert code_of(op, name, force=False) == code_of(op, int(code), force=False) == code
            lower = beneath(op.name, code)
            assert op.api.codes.get(lower, lower) == code
        assert {*from_outside(op, first=True)} >= {*from_outside(op, first=False)}
        assert not STICKY.intersection(from_outside(op, first=True)) or op.api.name == "nvml"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=f"{path.parent.name}-{path.name.partition('.')[0]}")
        for path in [*files()][::3]
        if path.name.startswith(("cases", "machine", "runtime"))
    ],
)
def test_each_call_of_recorded_programs_can_fail(path: Path) -> None:
    """It changes nothing then, but for what it does beside; made again, it answers what it would have answered."""
    refused, own = 0, list[str]()

    def after(act: Act) -> None:
        if act.outer is None and not act.effect.beside and under_way() is not None:
            own.append(act.effect.name)

    with Machine(profile_of(path), strict=False, seed=0) as machine:
        for recorder, step in steps(machine, rich(path)):
            if step["call"] not in EVERY_OP:
                recorder.run(step)
                continue
            fault = machine.fail(step["call"], code="UNKNOWN", force=True)
            own.clear()
            with watched(after=after):
                recorder.run(step)
            fault.end()
            machine.check_invariants()
            if fault.came:
                refused += 1
                assert own == [], step
                assert machine.log[-1].facts == {"injected": fault}, step
                recorder.run(step)
    assert refused > 3


@pytest.mark.parametrize("others_work", [False, True])
def test_a_refused_call_has_used_no_memory(machine: Machine, c: CLevel, *, others_work: bool) -> None:
    """What another stream does then has nothing to come behind, whether that stream has work or not."""
    (_, first), (_, second) = (c.cuStreamCreate(1) for _ in range(2))
    _, memory = c.cuMemAlloc(SIZE)
    if others_work:
        assert c.cuMemsetD8Async(memory + SIZE // 2, 1, 1, second) == (0,)
    with machine.fail("cuMemsetD8Async", code="INVALID_VALUE"):
        assert c.cuMemsetD8Async(memory, 1, 8, first) == (int(Result.INVALID_VALUE),)
    assert c.cuMemsetD8Async(memory, 2, 8, second) == (0,)
    assert machine.findings == []


def test_the_look_alike_and_reports(fakecuda: FakeCuda) -> None:
    """What code under test calls is refused, and nobody has to expect that."""
    driver = pytest.importorskip("cuda.bindings.driver")
    with fakecuda.fail("cuInit", code="NO_DEVICE"):
        assert driver.cuInit(0) == (driver.CUresult.CUDA_ERROR_NO_DEVICE,)
    told = fakecuda.why()
    assert "cuInit in process here -> NO_DEVICE: a fault was injected" in told
    assert "fail('cuInit', code='NO_DEVICE')" in told
    assert f"set at     {__file__}" in told
    with fakecuda.expect("NO_DEVICE") as came, module.fail("cuInit", code="NO_DEVICE"):
        driver.cuInit(0)
    assert "[injected]" in str(came[0])


@needs_native
def test_c(fakecuda: FakeCuda) -> None:
    """By ctypes: a null result stays as it was."""
    cuda = ctypes.CDLL("libcuda.so.1")
    assert cuda.cuInit(0) == 0
    context = ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    pointer = ctypes.c_uint64(7)
    with fakecuda.fail("cuMemAlloc"):
        assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), SIZE) == OUT_OF_MEMORY
    assert pointer.value == 7
    assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), SIZE) == 0


@needs_native
def test_an_attached_process(fakecuda: FakeCuda) -> None:
    """Its calls are made where the fault is; it cannot set one itself."""
    text = """
        import ctypes
        cuda = ctypes.CDLL("libcuda.so.1")
        assert cuda.cuInit(0) == 0
        context = ctypes.c_void_p()
        assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
        assert cuda.cuCtxSetCurrent(context) == 0
        pointer = ctypes.c_uint64()
        print(*(cuda.cuMemAlloc_v2(ctypes.byref(pointer), 4096) for _ in range(3)))
    """
    program = "\n".join(line.strip() for line in text.splitlines())
    with fakecuda.fail("cuMemAlloc", nth=2, times=None):
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0", "2", "2"]
