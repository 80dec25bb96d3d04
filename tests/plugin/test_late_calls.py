"""Calls about objects of earlier tests: a failed test is not followed by a second failure, and a passed one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .test_findings import needs_native

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

LATE = """
    import gc

    import pytest
    from cuda.bindings import driver, runtime

    KEPT = []

    class Owner:
        def __init__(self):
            self.memory, self.stream = runtime.cudaMalloc(64)[1], runtime.cudaStreamCreate()[1]
            KEPT.append(self)

        def __del__(self):
            runtime.cudaFree(self.memory)
            runtime.cudaStreamDestroy(self.stream)

    def later():
        runtime.cudaSetDevice(0)
        KEPT.clear()
        gc.collect()

    def test_fails(fakecuda):
        Owner()
        raise ValueError

    @pytest.mark.fakecuda(errors="error")
    def test_after_a_failure(fakecuda):
        later()

    def test_fails_by_a_finding(fakecuda):
        Owner()
        stream = runtime.cudaStreamCreate()[1]
        for _ in range(2):
            try:
                runtime.cudaStreamDestroy(stream)
            except fakecuda.UndefinedBehaviour:
                pass

    @pytest.mark.fakecuda(errors="error")
    def test_after_a_finding(fakecuda):
        later()

    def test_passes(fakecuda):
        Owner()

    def test_after_a_pass(fakecuda):
        later()

    @pytest.mark.fakecuda(errors="error")
    def test_of_its_own(fakecuda):
        runtime.cudaSetDevice(0)
        runtime.cudaFree(1 << 20)
"""


@pytest.mark.parametrize("door", ["lookalike", pytest.param("native", marks=needs_native)])
def test_objects_of_earlier_tests(suite: Suite, door: str) -> None:
    """Their finalisers call in a later test. The calls fail it only if their own test has passed; then they name that test."""
    suite.write(test_it=LATE)
    done = suite.run("-W", "ignore", door=door)
    outcomes = {"fails", "fails_by_a_finding", "after_a_pass", "of_its_own"}
    for name in (
        "fails",
        "after_a_failure",
        "fails_by_a_finding",
        "after_a_finding",
        "passes",
        "after_a_pass",
        "of_its_own",
    ):
        assert (f"FAILED test_it.py::test_{name} - " in done.out) == (name in outcomes), f"{name}: {done.out}"
    text = " ".join(done.out.split())
    assert "of the machine of test_it.py::test_passes, which has ended" in text.replace("E ", ""), done.out
    assert "test_it.py::test_fails passed" not in text


def test_a_failure_by_a_check_has_the_last_calls(suite: Suite) -> None:
    """As any other failure has: by a finding that no exception told, by refused calls."""
    suite.write(
        test_it="""
        import pytest
        from cuda.bindings import runtime

        def test_finding(fakecuda):
            stream = runtime.cudaStreamCreate()[1]
            runtime.cudaStreamDestroy(stream)
            with pytest.raises(fakecuda.UndefinedBehaviour):
                runtime.cudaStreamDestroy(stream)

        @pytest.mark.fakecuda(errors="error")
        def test_refused(fakecuda):
            runtime.cudaFree(1 << 20)
        """
    )
    done = suite.run()
    for call in ("cudaStreamCreate() -> cudaSuccess", "cudaFree(devPtr=0x100000) -> cudaErrorInvalidValue"):
        assert call in done.out
    assert 'to expect it: `with fakecuda.expect("cudaErrorInvalidValue"):` around the call' in done.out
