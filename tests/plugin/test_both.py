"""``--fakecuda=both``: each test on the model and on the card, and the first answer that differs.

Where no GPU is there, a machine that was installed before pytest asks for the driver stands for the card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.testing import difference

from .test_real import DRIVER, GPU

if TYPE_CHECKING:
    from .conftest import Suite

pytest.importorskip("cuda.bindings.driver")

OPENED = """
    import pytest
    from cuda.bindings import driver, runtime

    def opened():
        driver.cuInit(0)
        return driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(driver.cuDeviceGet(0)[1])[1])
"""


def run(suite: Suite, tests: str, card: str = "h200-x2", *options: str) -> tuple[dict[str, int], str]:
    """Run tests on both; return how many ended how, and what was told."""
    suite.write(conftest=DRIVER.format(profile=card), test_it=OPENED + tests)
    done = suite.run("--fakecuda=both", *options)
    return done.counts, done.out


def test_where_they_agree_both_runs_pass(suite: Suite) -> None:
    """Addresses, handles and what is free differ from machine to machine; each profile of a mark runs on both."""
    counts, out = run(
        suite,
        """
    def test_memory(fakecuda):
        opened()
        pointer = driver.cuMemAlloc(512)[1]
        assert driver.cuMemGetInfo()[0] == 0
        assert driver.cuMemAlloc(0)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
        assert driver.cuMemFree(pointer)[0] == 0
        assert runtime.cudaMalloc(512)[0] == 0

    @pytest.mark.parametrize("size", [1, 2])
    @pytest.mark.fakecuda(profile=["h200-x2", "h200-x4"])
    def test_sizes(fakecuda, size):
        opened()
        assert driver.cuMemAlloc(size)[0] == 0
""",
    )
    assert counts == {"PASSED": 8, "SKIPPED": 1}, out
    assert "test_it.py::test_memory[model]" in out
    assert "test_it.py::test_memory[card]" in out


def test_a_code_that_differs_is_told_with_the_rule(suite: Suite) -> None:
    """The call, its arguments, its line, what each answered, and what stands behind the rule."""
    counts, out = run(
        suite,
        """
    def test_it(fakecuda):
        opened()
        event = driver.cuEventCreate(6)[1]
        driver.cuMemAlloc(0)
        driver.cuIpcGetEventHandle(event)
""",
        "wsl",
    )
    assert counts == {"PASSED": 1, "FAILED": 1}
    assert "FAILED test_it.py::test_it[card] - Failed: card and model answer differently in call " in out
    assert "  model      CUDA_SUCCESS, " in out
    assert "  card       CUDA_ERROR_" in out
    assert "  why        no rule of the model gives the card's answer\n" in out
    assert (
        "             | driver.cuIpcGetEventHandle(event)\n" in out
        or "             | event = driver.cuEventCreate(6)[1]\n" in out
    )


def test_a_refusal_of_the_model_names_its_rule(suite: Suite) -> None:
    """And the command that tells where it was recorded."""
    counts, out = run(
        suite,
        """
    def test_it(fakecuda):
        opened()
        driver.cuDeviceGet(3)
""",
        "h200-x4",
    )
    assert counts == {"PASSED": 1, "FAILED": 1}
    assert "cuDeviceGet(3)\n" in out
    assert "             | driver.cuDeviceGet(3)\n" in out
    assert "  model      CUDA_ERROR_INVALID_DEVICE, None\n  card       CUDA_SUCCESS, 3\n" in out
    labels = [
        line.split()[0]
        for line in out.partition("  card       ")[2].splitlines()
        if line.startswith("  ") and line[2] != " "
    ]
    assert labels[:9] == ["why", "code", "state", "fix", "rule", "source", "evidence", "next", "script:"]
    assert "  why        the model refuses the call, because it breaks the rule: each\n" in out
    assert "  rule       device.ordinal.DEVICE_IS_VALID (manual)\n" in out
    assert "choose a profile that is like\n             this card" in out


def test_numbers_are_compared_too(suite: Suite) -> None:
    """As far as machines agree on them; a test that fails on one tells the difference with it."""
    counts, out = run(
        suite,
        """
    def test_it(fakecuda):
        opened()
        assert driver.cuDeviceGetCount()[1] == 2
""",
        "h200",
    )
    assert counts == {"PASSED": 1, "FAILED": 1}
    assert "  model      CUDA_SUCCESS, 2\n  card       CUDA_SUCCESS, 1\n" in out
    assert "result 1 is 2 on\n             the model and 1 on the card" in out
    assert "rules      `python -m fakecuda rules cuDeviceGetCount`" in out


def test_another_way_through_the_test_is_told(suite: Suite) -> None:
    """A call more, or another one."""
    counts, out = run(
        suite,
        """
    def test_more(fakecuda):
        opened()
        if len(getattr(fakecuda.machine, "devices", "")) == 2:
            driver.cuCtxGetCurrent()

    def test_other(fakecuda):
        opened()
        (driver.cuCtxGetCurrent if hasattr(fakecuda.machine, "devices") else driver.cuCtxGetDevice)()
""",
    )
    assert counts == {"PASSED": 2, "FAILED": 2}
    assert "the test made fewer calls on the card: call 5 is missing there, cuCtxGetCurrent at " in out
    assert "call 5 differs: on the model cuCtxGetCurrent at " in out
    reports = out.partition(" short test summary info ")[0]  # under CI, pytest's summary has whole messages, too
    assert reports.count("  last same  cuCtxSetCurrent at ") == 2
    assert reports.count("  next       the test takes another branch on the other machine") == 2


def test_behind_undefined_behaviour_nothing_is_compared(suite: Suite) -> None:
    """The model tells of it, the card goes on as it likes."""
    counts, out = run(
        suite,
        """
    def test_it(fakecuda):
        opened()
        stream = driver.cuStreamCreate(0)[1]
        driver.cuStreamDestroy(stream)
        with fakecuda.expect_undefined():
            driver.cuStreamQuery(stream)
        driver.cuDeviceGetCount() if hasattr(fakecuda.machine, "devices") else None
""",
    )
    assert counts == {"PASSED": 2}, out


def test_several_workers_are_refused(suite: Suite) -> None:
    """They might have one half each."""
    counts, out = run(suite, "    def test_it(fakecuda):\n        pass\n", "h200-x2", "-n", "2")
    assert not counts.get("PASSED")
    assert "--fakecuda=both runs each test twice" in out


def test_on_the_gpu_of_this_machine(suite: Suite) -> None:
    """An allocation, an exchange by virtual memory, refused calls and the runtime: model and card agree."""
    tests = """
    def test_memory(fakecuda):
        opened()
        pointer = driver.cuMemAlloc(512)[1]
        driver.cuMemsetD8(pointer, 7, 512)
        read = bytearray(4)
        driver.cuMemcpyDtoH(read, pointer, 4)
        assert bytes(read) == bytes([7] * 4)
        driver.cuMemFree(pointer)
        driver.cuMemFree(pointer)
        driver.cuMemAlloc(0)

    def test_mapping(fakecuda):
        opened()
        prop = driver.CUmemAllocationProp()
        prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        size = driver.cuMemGetAllocationGranularity(prop, minimum)[1]
        driver.cuMemCreate(size + 1, prop, 0)
        handle = driver.cuMemCreate(size, prop, 0)[1]
        address = driver.cuMemAddressReserve(2 * size, 0, 0, 0)[1]
        driver.cuMemMap(address, size + 1, 0, handle, 0)
        driver.cuMemMap(address, size, 0, handle, 0)
        driver.cuMemMap(address, size, 0, handle, 0)
        driver.cuMemAddressFree(address, 2 * size)
        driver.cuMemUnmap(address, size)
        driver.cuMemRelease(handle)
        driver.cuMemAddressFree(address, 2 * size)

    def test_runtime(fakecuda):
        pointer = runtime.cudaMalloc(512)[1]
        runtime.cudaMemGetInfo()
        runtime.cudaFree(pointer)
        runtime.cudaSetDevice(99)
        runtime.cudaGetLastError()

    def test_expected(fakecuda):
        opened()
        with fakecuda.expect("INVALID_VALUE"):
            driver.cuMemAlloc(0)
"""
    suite.write(conftest=GPU, test_it=OPENED + tests)
    done = suite.run("--collect-only")
    if done.code == 77:
        pytest.skip(next(line for line in done.out.splitlines() if "NO GPU" in line))
    done = suite.run("--fakecuda=both")
    assert done.counts == {"PASSED": 8}, done.out
    assert "fakecuda: 1 test expects what a driver does not report; this was not checked" in done.out


def test_answers_of_other_lengths_are_given_whole() -> None:
    """A function that answers no tuple, or more results on one machine; a test without a call before the difference."""
    for ours, theirs, told in (
        (1, 2, "1 and 2"),
        ((0, 1), (0, 1, 2), "(0, 1) and (0, 1, 2)"),
        ((0, 1, 5), (0, 2, 5), "result 1 is 1 on the model and 2 on the card"),
    ):
        assert difference.results(ours, theirs) == told
