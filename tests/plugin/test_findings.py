"""Undefined behaviour fails its test, however it came and whoever swallowed it; what a test expects does not."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.reach.native.stubs import NATIVE, NEEDS

from .conftest import ALIKE

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)
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
    assert several.count("cudaStreamDestroy in process here: breaks the rule: no stream that the call uses") == 2
    assert "and then: cudaStreamDestroy" in several


@pytest.fixture
def release() -> Any:
    """Have a machine on which undefined behaviour can be done."""
    with fakecuda.simulate("h200", door="lookalike") as machine:
        calls = machine.here.c
        calls.cuInit(0)
        yield lambda: calls.cuMemRelease(0xDEAD)


@pytest.mark.parametrize("rules", [(), (HELD,)])
def test_what_is_expected_fails_nothing(release: Any, rules: tuple[str, ...]) -> None:
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
        pytest.raises(AssertionError, match=r"^expected undefined behaviour, but no rule was broken$"),
        fakecuda.expect_undefined(),
    ):
        pass
    with (
        pytest.raises(
            AssertionError, match=rf"^expected undefined behaviour by the rule {HELD}, but it was not broken$"
        ),
        fakecuda.expect_undefined(HELD),
    ):
        pass
    together = "stream.race.ACCESSES_ARE_ORDERED"  # no call has it for its own
    with pytest.raises(AssertionError, match=r"but it was not broken$"), fakecuda.expect_undefined(together):
        pass
    with (
        pytest.raises(AssertionError, match=f"'va.handle.HANDLE_IS_HELP' is not a rule; did you mean: {HELD}"),
        fakecuda.expect_undefined("va.handle.HANDLE_IS_HELP"),
    ):
        pass


def test_what_is_not_expected_is_told_as_ever() -> None:
    """Whatever else is expected there."""

    def block() -> None:
        with fakecuda.simulate("h200", door="lookalike") as machine:
            machine.here.c.cuInit(0)
            with (
                pytest.raises(AssertionError, match=f"broken; broken rules: {HELD}"),
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
        pytest.raises(fakecuda.FakeCudaError, match=r"expect_undefined\(\) needs a simulated machine"),
        fakecuda.expect_undefined(),
    ):
        pass


def test_a_finding_has_the_stack_that_called(release: Any) -> None:
    """All of it, from the test on."""
    with fakecuda.expect_undefined() as came:
        release()
    assert came[0].stack[2] is test_a_finding_has_the_stack_that_called.__code__


FOUND = """
    import pytest
    from fakecuda import UndefinedBehaviourWarning
    from helper.releases import release

    def test_release(fakecuda):
        calls = fakecuda.spawn().c
        calls.cuInit(0)
        release(calls)

    def test_other(fakecuda):
        pass
"""
HELPER = """
    def release(calls):
        calls.cuMemRelease(0xDEAD)
"""


def configured(suite: Suite, lines: str, *options: str) -> Any:
    """Run the tests with lines in the ini file."""
    suite.write(test_it=FOUND)
    folder = suite.folder / "helper"
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").touch()
    (folder / "releases.py").write_text(textwrap.dedent(HELPER))
    with (suite.folder / "pytest.ini").open("a") as file:
        file.write(textwrap.dedent(lines))
    return suite.run(*options)


def test_findings_may_warn(suite: Suite) -> None:
    """No exception is raised then, and nothing fails."""
    done = configured(suite, "fakecuda_findings = warn\n", "-Wdefault")
    assert done.counts == {"PASSED": 2}, done.out
    assert (
        "UndefinedBehaviourWarning: cuMemRelease in process a: breaks the rule: "
        "this process still holds a reference to each CUmemGenericAllocationHandle argument" in done.out
    )


@pytest.mark.parametrize(
    ("module", "workers"),
    [
        *(("helper", ()), ("helper.releases", ()), ("*", ("-n2",))),
        *(pytest.param(*one, marks=ALIKE) for one in (("helper", ("-n2",)), ("helper.releases", ("-n2",)), ("*", ()))),
    ],
)
def test_what_cannot_be_fixed_is_suppressed(suite: Suite, module: str, workers: tuple[str, ...]) -> None:
    """By its rule, and a module among the callers."""
    done = configured(suite, f"fakecuda_suppress =\n    {HELD} {module}: its issue 17\n", *workers)
    assert (done.counts, done.code) == ({"PASSED": 2}, pytest.ExitCode.OK), done.out


@needs_native
@pytest.mark.parametrize(("library", "outcome"), [("libc", "PASSED"), ("libc.so.6", "PASSED"), ("libcu", "FAILED")])
def test_a_library_in_c_is_suppressed(suite: Suite, library: str, outcome: str) -> None:
    """By its name with a version or without; here the C library sorts with a function of the driver's."""
    suite.write(
        test_it="""
        import ctypes

        def test_it(fakecuda):
            driver = ctypes.CDLL("libcuda.so.1")
            driver.cuInit(0)
            ctypes.CDLL(None).qsort((ctypes.c_uint64 * 2)(2, 1), 2, 8, driver.cuStreamDestroy_v2)
        """
    )
    with (suite.folder / "pytest.ini").open("a") as file:
        file.write(f"fakecuda_suppress = stream.handle.STREAM_IS_KNOWN {library}: its issue 18\n")
    done = suite.run("-k", "test_it", door="native")
    assert done.counts == {outcome: 1}, done.out
    assert ("  library    /" in done.out) == (outcome == "FAILED")


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=ALIKE)])
def test_what_suppresses_nothing_fails_a_whole_run(suite: Suite, workers: tuple[str, ...]) -> None:
    """Of a part of the tests nobody can tell."""
    lines = f"""
        fakecuda_suppress =
            {HELD} helper: its issue 17
            {HELD} elsewhere: was fixed
            {HELD}S *: a typo
    """
    done = configured(suite, lines, *workers)
    assert (done.counts, done.code) == ({"PASSED": 2}, pytest.ExitCode.TESTS_FAILED), done.out
    assert f"fakecuda_suppress: '{HELD} elsewhere: was fixed' suppresses nothing: delete it" in done.out
    assert f"'{HELD}S *: a typo' suppresses nothing: '{HELD}S' is not a rule; did you mean: {HELD}" in done.out
    assert "helper: its issue 17' suppresses" not in done.out
    assert suite.run(*workers, "-k", "other").code == pytest.ExitCode.TESTS_FAILED  # for the typo
    file = suite.folder / "pytest.ini"
    file.write_text(file.read_text().replace(f"{HELD}S *: a typo", ""))
    for part in (("-k", "other"), ("test_it.py",)):
        assert suite.run(*workers, *part).code == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fakecuda_findings = wran", "fakecuda_findings: 'wran' is not a value of this option; did you mean: warn"),
        ("fakecuda_suppress = what", "'what' is not an entry: write RULE MODULE: REASON, with * for any module"),
        (f"fakecuda_suppress = {HELD} elsewhere: another's", "this process still holds a reference to each"),
    ],
)
def test_options_that_fit_nothing(suite: Suite, line: str, said: str) -> None:
    """Are told with what to write; another module's findings are not suppressed."""
    done = configured(suite, line + "\n")
    assert said in done.out
    assert done.code != pytest.ExitCode.OK


def test_an_example_fails_by_what_it_does(suite: Suite) -> None:
    """On a machine of its own, so that Hypothesis shrinks it, and does not complain of the fixture."""
    pytest.importorskip("hypothesis")
    suite.write(
        test_it="""
            import pytest
            from hypothesis import given, settings, strategies as st

            seen = []

            @settings(max_examples=50, database=None, deadline=None, derandomize=True)
            @given(st.integers(0, 1000))
            def test_fails(fakecuda, number):
                calls = fakecuda.spawn().c
                calls.cuInit(0)
                seen.append(fakecuda.machine)
                if number > 99:
                    try:
                        calls.cuMemRelease(number)
                    except fakecuda.UndefinedBehaviour:
                        pass

            @pytest.fixture
            def calls(fakecuda):
                calls = fakecuda.spawn().c
                calls.cuInit(0)
                return calls

            @settings(max_examples=50, database=None, deadline=None, derandomize=True)
            @given(st.integers(0, 1000))
            def test_complains(calls, number):
                pass

            @settings(max_examples=50, database=None, deadline=None, derandomize=True,
                      suppress_health_check=["function_scoped_fixture"])
            @given(st.integers(0, 1000))
            def test_of_another_fixture(calls, number):
                if number > 99:
                    try:
                        calls.cuMemRelease(number)
                    except Exception:
                        pass

            def test_machines():
                assert len(set(map(id, seen))) == len(seen) > 5
                assert all(machine.closed for machine in seen)
        """
    )
    text = (suite.folder / "test_it.py").read_text()
    text = text.replace('["function_scoped_fixture"]', "[HealthCheck.function_scoped_fixture]")
    (suite.folder / "test_it.py").write_text(text.replace("import given", "import HealthCheck, given"))
    done = suite.run("-p_hypothesis_pytestplugin")
    assert done.counts == {"FAILED": 3, "PASSED": 1}, done.out
    fails, complains, other = re.split("_ test_(?:fails|complains|of_another_fixture) _+", done.out)[1:]
    assert "number=100," in fails
    assert (
        "UndefinedBehaviour: cuMemRelease in process a: breaks the rule: "
        "this process still holds a reference to each CUmemGenericAllocationHandle argument" in fails
    )
    assert "here/" not in fails
    assert "function-scoped fixture 'calls'" in complains
    assert "number=100," in other
