"""Undefined behaviour fails its test, however it came and whoever swallowed it; what a test expects does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

HELD = "va.handle.HANDLE_IS_HELD"
LOST = """
    import ctypes, subprocess, sys, threading
    import pytest
    from cuda.bindings import runtime

    TWICE = "from cuda.bindings import runtime; e, s = runtime.cudaStreamCreate(); [runtime.cudaStreamDestroy(s) for _ in range(2)]"

    pytestmark = [
        pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
        pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    ]

    def destroyed():
        stream = runtime.cudaStreamCreate()[1]
        runtime.cudaStreamDestroy(stream)
        return stream

    def test_swallowed(fakecuda):
        try:
            runtime.cudaStreamDestroy(destroyed())
        except Exception:
            pass
        assert len(fakecuda.findings) == 1

    def test_thread(fakecuda):
        stream = destroyed()
        thread = threading.Thread(target=runtime.cudaStreamDestroy, args=(stream,))
        thread.start()
        thread.join()

    class Owner:
        def __init__(self):
            self.stream = destroyed()

        def __del__(self):
            runtime.cudaStreamDestroy(self.stream)

    def test_finaliser(fakecuda):
        Owner()

    def test_finaliser_of_a_fixture(fakecuda, request):
        request.addfinalizer(Owner)

    def test_ctypes(fakecuda):
        library = fakecuda.cudart()
        stream = ctypes.c_void_p()
        library.cudaStreamCreate(ctypes.byref(stream))
        library.cudaStreamDestroy(stream)
        try:
            library.cudaStreamDestroy(stream)
        except fakecuda.UndefinedBehaviour:
            pass

    def test_several(fakecuda):
        for _ in range(2):
            with pytest.raises(fakecuda.UndefinedBehaviour):
                runtime.cudaStreamDestroy(destroyed())
"""
CHILD = """

    def test_child(fakecuda):
        assert subprocess.run([sys.executable, "-c", TWICE]).returncode
"""


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_none_is_lost(suite: Suite, door: str) -> None:
    """A failure each, and an error where it came behind the test."""
    pytest.importorskip("cuda.bindings.runtime")
    suite.write(test_it=LOST + (CHILD if door == "native" else ""))
    done = suite.run(f"--fakecuda-door={door}")
    assert done.counts == {"FAILED": 5 + (door == "native"), "PASSED": 1, "ERROR": 1}, done.out
    assert (
        "ERROR test_it.py::test_finaliser_of_a_fixture - fakecuda.errors.UndefinedBehaviour: cudaStreamDestroy"
        in done.out
    )
    for name in ("swallowed", "thread", "finaliser", "ctypes", "several"):
        assert f"FAILED test_it.py::test_{name} - fakecuda.errors.UndefinedBehaviour: cudaStreamDestroy" in done.out
    several = re.split("_ test_several _+|=+ short test summary", done.out)[1]
    assert several.count("cudaStreamDestroy in process here: the stream has not been destroyed: broken") == 2
    assert "and then: cudaStreamDestroy" in several


@pytest.fixture
def release() -> Any:  # noqa: ANN401 - a generator of a function
    """Have a machine on which undefined behaviour can be done."""
    with fakecuda.machine("h200", door="lookalike") as machine:
        calls = machine.here.c
        calls.cuInit(0)
        yield lambda: calls.cuMemRelease(0xDEAD)


@pytest.mark.parametrize("rules", [(), (HELD,)])
def test_what_is_expected_fails_nothing(release: Any, rules: tuple[str, ...]) -> None:  # noqa: ANN401 - see there
    """Raised, or swallowed within."""
    with fakecuda.expect_undefined(*rules) as came:
        release()
    assert [one.rule.id for one in came] == [HELD]
    with fakecuda.expect_undefined(*rules) as came, pytest.raises(fakecuda.UndefinedBehaviour):
        release()
    assert len(came) == 1


@pytest.mark.usefixtures("release")
def test_what_is_expected_must_come() -> None:
    """And is named as it is called."""
    with (
        pytest.raises(AssertionError, match=r"^undefined behaviour was expected, and none came$"),
        fakecuda.expect_undefined(),
    ):
        pass
    with (
        pytest.raises(AssertionError, match=rf"^no undefined behaviour by {HELD} came$"),
        fakecuda.expect_undefined(HELD),
    ):
        pass
    with (
        pytest.raises(AssertionError, match=f"'va.handle.HANDLE_IS_HELP' is no rule; near it: {HELD}"),
        fakecuda.expect_undefined("va.handle.HANDLE_IS_HELP"),
    ):
        pass


def test_what_is_not_expected_is_told_as_ever() -> None:
    """Whatever else is expected there."""

    def block() -> None:
        with fakecuda.machine("h200", door="lookalike") as machine:
            machine.here.c.cuInit(0)
            with (
                pytest.raises(AssertionError, match=f"came; broken were {HELD}"),
                fakecuda.expect_undefined("stream.handle.STREAM_IS_LIVE"),
                pytest.raises(fakecuda.UndefinedBehaviour),
            ):
                machine.here.c.cuMemRelease(0xDEAD)
            with pytest.raises(fakecuda.UndefinedBehaviour), fakecuda.expect_undefined("stream.handle.STREAM_IS_LIVE"):
                machine.here.c.cuMemRelease(0xDEAD)

    with pytest.raises(fakecuda.UndefinedBehaviour) as caught:
        block()
    assert len(caught.value.__notes__) == 1


def test_without_a_machine_nothing_can_be_expected() -> None:
    """The text says what to do."""
    with (
        pytest.raises(fakecuda.FakeCudaError, match="use expect_undefined\\(\\) in a test"),
        fakecuda.expect_undefined(),
    ):
        pass


def test_a_finding_has_the_stack_that_called(release: Any) -> None:  # noqa: ANN401 - see there
    """All of it, from the test on."""
    with fakecuda.expect_undefined() as came:
        release()
    assert came[0].stack[2] is test_a_finding_has_the_stack_that_called.__code__
