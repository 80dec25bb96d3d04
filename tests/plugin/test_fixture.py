"""The fixture, its mark and what a run reports."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.testing import settings

pytest.importorskip("cuda.bindings.driver")

if TYPE_CHECKING:
    from .conftest import Outcome, Suite


def test_fixture_gives_a_fresh_machine_and_the_public_names(suite: Suite) -> None:
    """Each test has a machine of its own, which the module reaches; the object has the module's names."""
    suite.write(
        test_it="""
            import pytest
            import fakecuda as module
            from cuda.bindings import driver
            from fakecuda.simulated import install

            seen = []

            @pytest.mark.parametrize("number", range(2))
            def test_fresh(fakecuda, number):
                assert fakecuda.calls == []
                assert driver.cuDeviceGetCount()[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
                assert driver.cuInit(0)[0] == 0
                assert fakecuda.here.driver.cuDeviceGetCount()[1] == 2
                assert [call.call for call in fakecuda.calls] == ["cuDeviceGetCount", "cuInit", "cuDeviceGetCount"]
                assert fakecuda.machine is install.installed()
                assert fakecuda.machine not in seen
                assert all(machine.closed for machine in seen)
                seen.append(fakecuda.machine)

            def test_nothing_remains():
                assert install.installed() is None
                assert seen[-1].closed

            def test_processes(fakecuda):
                other = fakecuda.spawn("other")
                assert fakecuda.processes == {"here": fakecuda.here, "other": other}
                assert fakecuda.spawn().name == "a"
                assert other.c.cuInit(0) == (0,)
                assert fakecuda.findings == []

            def test_names(fakecuda):
                assert set(module.__all__) - {"machine"} <= set(dir(fakecuda))
                assert fakecuda.UndefinedBehaviour is module.UndefinedBehaviour
                with pytest.raises(AttributeError, match="nor the module fakecuda has 'nothing'"):
                    fakecuda.nothing
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 5}, done.out
    assert done.code == 0


def test_closest_mark_wins(suite: Suite) -> None:
    """Function before class before module; the closest one counts whole."""
    suite.write(
        test_it="""
            import pytest

            pytestmark = pytest.mark.fakecuda(profile="h200-x3", strict=False)

            def shape(fakecuda):
                return len(fakecuda.machine.devices), fakecuda.machine.strict

            def test_module(fakecuda):
                assert shape(fakecuda) == (3, False)

            @pytest.mark.fakecuda(profile="h200")
            class TestClass:
                def test_class(self, fakecuda):
                    assert shape(fakecuda) == (1, True)

                @pytest.mark.fakecuda(strict=False)
                def test_function(self, fakecuda):
                    assert shape(fakecuda) == (2, False)

            @pytest.mark.fakecuda(seed=7)
            def test_seed(fakecuda):
                import fakecuda as module
                assert fakecuda.machine.random_bytes(8) == module.Machine(seed=7).random_bytes(8)
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 4}, done.out


def test_list_of_profiles_runs_the_test_on_each(suite: Suite) -> None:
    """The profile's name is the parameter's; other parameters multiply; a Profile and a path are profiles."""
    suite.write(
        test_it="""
            import pytest
            from fakecuda.profiles import HERE, load

            @pytest.fixture
            def count(fakecuda):
                return len(fakecuda.machine.devices)

            @pytest.mark.fakecuda(profile=["h200", "h200-x2", load("h200-x4"), HERE / "h200.toml"])
            @pytest.mark.parametrize("more", [1, 2])
            def test_each(count, more, request):
                assert f"[{more}-" in request.node.name or f"-{more}]" in request.node.name
                assert count == {"h200": 1, "h200-x2": 2, "h200-x4": 4}.get(request.node.callspec.id.strip("12-"), count)
                print("COUNT", count)

            @pytest.mark.fakecuda(profile=["h200"])
            def test_without_the_fixture():
                pass
        """
    )
    done = suite.run("-s")
    assert done.counts == {"PASSED": 9}, done.out
    assert sorted(line[-1] for line in done.out.splitlines() if "COUNT " in line) == list("11112244")
    assert any("test_each[" in line and "h200-x4" in line for line in done.lines), "a Profile is shown by its name"


def marked(suite: Suite, mark: str) -> Outcome:
    """Run a test with this mark."""
    suite.write(
        test_it=f"""
            import pytest

            @pytest.mark.fakecuda({mark})
            def test_a(fakecuda):
                pass
        """
    )
    return suite.run()


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("profil='h200'", "@pytest.mark.fakecuda has no argument 'profil'; did you mean: profile"),
        (
            "xyz=1",
            (
                "@pytest.mark.fakecuda has no argument 'xyz'; one of: profile, strict, races, kernels, seed, memory_cap, completion, "
                "wait_timeout, clock, schedule, door, shared, inherit, leaks, leaks_allowed, errors, errors_allowed, sweep, explore"
            ),
        ),
        ("'h200'", "@pytest.mark.fakecuda takes no positional arguments: write profile='h200'"),
        ("profile=[]", "@pytest.mark.fakecuda has an empty list of profiles: name at least one"),
        ("strict='no'", "@pytest.mark.fakecuda has strict='no': write True or False"),
        (
            "races='strickt'",
            "@pytest.mark.fakecuda has races='strickt': 'strickt' is not a value of this option; did you mean: strict",
        ),
        ("kernels='skp'", "@pytest.mark.fakecuda has kernels='skp': 'skp' is not a mode; did you mean: skip"),
    ],
)
def test_wrong_mark_is_one_line(suite: Suite, mark: str, text: str) -> None:
    """A wrong mark fails its test with the mistake and the fix; no traceback."""
    done = marked(suite, mark)
    assert f"\n{text}\n" in done.out
    assert done.counts == {"ERROR": 1}
    assert "Traceback" not in done.out
    assert "fakecuda/plugin.py" not in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


def test_a_wrong_mark_fails_its_test_alone(suite: Suite) -> None:
    """The others run: those of the module, of its parameters and of other fixtures. A skipped test stays skipped."""
    suite.write(
        test_it="""
            import unittest
            import pytest

            wrong = pytest.mark.fakecuda(leeks="error")

            def test_before(fakecuda):
                pass

            @wrong
            def test_wrong(fakecuda):
                pass

            @wrong
            def test_without_the_fixture():
                pass

            @pytest.mark.fakecuda(profile=["h200", "h200-x20"], sweep={"budgets": 3})
            def test_listed(fakecuda):
                pass

            @pytest.mark.fakecuda(profile=["h200", "h200-x2000"])
            def test_profiles(fakecuda):
                pass

            @pytest.mark.skip(reason="later")
            @wrong
            def test_skipped(fakecuda):
                pass

            class Test(unittest.TestCase):
                @wrong
                def test_of_unittest(self):
                    pass

            @pytest.mark.fakecuda(errors="error")
            def test_after(fakecuda):
                pass
        """,
        test_module="""
            import pytest

            pytestmark = pytest.mark.fakecuda(profil="h200")

            @pytest.mark.fakecuda(profile="h200")
            def test_with_its_own(fakecuda_module):
                pass

            @pytest.mark.fakecuda(profile="h200")
            def test_of_another_machine(fakecuda):
                pass
        """,
    )
    done = suite.run()
    assert done.counts == {"PASSED": 4, "ERROR": 6, "SKIPPED": 1}, done.out
    assert (
        "ERROR test_it.py::test_profiles[h200-x2000] - Failed: profile 'h200-x2000' is unknown; did you mean: "
        in done.out
    )
    assert done.out.count("has no argument 'leeks'; did you mean: leaks") >= 3
    assert "ERROR test_module.py::test_with_its_own - Failed: " in done.out


@pytest.mark.parametrize("name", [*settings.ARGUMENTS, *settings.CHECKS])
def test_each_argument_is_near_its_misspelling(name: str) -> None:
    """A letter too many, and one that is missing."""
    for wrong in (f"{name}s", name[:-1]):
        node: Any = SimpleNamespace(get_closest_marker=lambda _, wrong=wrong: pytest.mark.fakecuda(**{wrong: 1}).mark)
        told = settings.problem_of(node)
        assert re.search(rf"^@pytest.mark.fakecuda has no argument '{wrong}'; did you mean: (.*, )?{name}\b", told), (
            told
        )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fakecuda-leak=error"], "'--fakecuda-leak' is not an option; did you mean: --fakecuda-leaks"),
        (["-ofakecuda_leak=error"], "'fakecuda_leak' is not a setting of the ini file; did you mean: fakecuda_leaks"),
        (["-ofakecuda_findings=wran"], "fakecuda_findings: 'wran' is not a value of this option; did you mean: warn"),
        (["-ofakecuda_races=strick"], "fakecuda_races: 'strick' is not a value of this option; did you mean: strict"),
        (["--fakecuda=modle"], "argument --fakecuda: 'modle' is not a place where tests run; did you mean: model"),
        (["--fakecuda-shared=h20"], "--fakecuda-shared: profile 'h20' is unknown; did you mean: h200"),
        (["-ofakecuda_suppress=what"], "'what' is not an entry: write RULE MODULE: REASON, with * for any module"),
    ],
)
def test_a_wrong_option_stops_the_session(suite: Suite, options: list[str], says: str) -> None:
    """At its start, with the nearest name."""
    suite.write(test_it="def test_it(): pass")
    done = suite.run(*options)
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert says in done.out


def test_options_of_a_conftest_are_its_own(suite: Suite) -> None:
    """Also with fakecuda's prefix."""
    suite.write(
        conftest="""
            def pytest_addoption(parser):
                parser.addoption("--fakecuda-mine")
                parser.addini("fakecuda_mine", "a setting")
        """,
        test_it="def test_it(): pass",
    )
    done = suite.run("--fakecuda-mine=1", "-ofakecuda_mine=1")
    assert done.counts == {"PASSED": 1}, done.out


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("profile='h2000'", "profile 'h2000' is unknown; did you mean: h200"),
        (
            "wait_timeout=0",
            "wait_timeout=0 is not a number of seconds above 0: use 60, or float('inf') to wait forever",
        ),
        (
            "door='front'",
            "door='front': 'front' is not a door; one of: auto, native, lookalike",
        ),
    ],
)
def test_what_cannot_be_made_is_one_line(suite: Suite, mark: str, text: str) -> None:
    """A machine that cannot be made fails the test with one line that has the fix; no traceback."""
    done = marked(suite, mark)
    assert done.counts == {"ERROR": 1}
    assert f"ERROR test_it.py::test_a - Failed: {text}" in done.out
    assert "plugin.py" not in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("options", "mark", "says"),
    [
        (["--fakecuda-kernels=report"], "", "--fakecuda-kernels='report': 'report' is not a mode; did you mean: error"),
        (["--fakecuda-leaks=eror"], "", "--fakecuda-leaks='eror': 'eror' is not a mode; did you mean: error"),
        (
            ["-o", "fakecuda_leaks=ignored"],
            "",
            "fakecuda_leaks='ignored': 'ignored' is not a mode; did you mean: ignore",
        ),
        (
            [],
            'leaks="fail"',
            "@pytest.mark.fakecuda has leaks='fail': 'fail' is not a mode; one of: report, error, ignore",
        ),
        ([], 'leaks_allowed=["steam"]', "'steam' is not a kind of leak; did you mean: stream"),
        ([], 'leaks_allowed="stream"', "are a list of kinds and functions, not 'stream': write ['stream']"),
        ([], "leak=1", "has no argument 'leak'; did you mean: leaks"),
        (["--fakecuda-errors=erorr"], "", "--fakecuda-errors='erorr': 'erorr' is not a mode; did you mean: error"),
        (["-ofakecuda_errors=off"], "", "fakecuda_errors='off': 'off' is not a mode; one of: report, error, ignore"),
        ([], 'errors="rport"', "@pytest.mark.fakecuda has errors='rport': 'rport' is not a mode; did you mean: report"),
    ],
)
def test_what_is_unknown_is_an_error(suite: Suite, options: list[str], mark: str, says: str) -> None:
    """Which names what is near it."""
    suite.write(test_it=f"import pytest\n@pytest.mark.fakecuda({mark})\ndef test_it(fakecuda): pass")
    done = suite.run(*options)
    assert done.code
    assert says in done.out


def test_list_of_profiles_needs_the_argument(suite: Suite) -> None:
    """A fixture that is asked for at run time cannot run the test again."""
    suite.write(
        test_it="""
            import pytest

            @pytest.mark.fakecuda(profile=["h200"])
            def test_a(request):
                request.getfixturevalue("fakecuda")
        """
    )
    done = suite.run()
    assert done.counts == {"FAILED": 1}
    assert "a list of profiles needs a test with the argument fakecuda" in done.lines[0]


def test_undefined_behaviour_fails_the_test_at_its_end(suite: Suite) -> None:
    """Findings of calls through C fail the test itself, with rule, quote and facts."""
    suite.write(
        test_it="""
            import pytest
            from fakecuda import UndefinedBehaviour

            def garbage(fakecuda):
                fakecuda.here.c.cuInit(0)
                thread = fakecuda.here.current_thread()
                thread.call = thread.native
                fakecuda.here.c.cuMemRelease(0xDEAD)

            def test_fails(fakecuda):
                garbage(fakecuda)

            @pytest.mark.xfail(raises=UndefinedBehaviour)
            def test_expected(fakecuda):
                garbage(fakecuda)

            def test_expected_of_c(fakecuda):
                with fakecuda.expect_undefined() as came:
                    garbage(fakecuda)
                assert came[0].call == fakecuda.findings[0].call == "cuMemRelease"

            @pytest.mark.fakecuda(strict=False)
            def test_lax(fakecuda):
                garbage(fakecuda)

            def test_at_once(fakecuda):
                fakecuda.here.c.cuInit(0)
                with fakecuda.expect_undefined("va.handle.HANDLE_IS_HELD"):
                    fakecuda.here.c.cuMemRelease(0xDEAD)

            @pytest.fixture
            def late(fakecuda):
                yield
                garbage(fakecuda)

            def test_teardown(late):
                pass

            def test_both(fakecuda):
                garbage(fakecuda)
                assert False, "the test's own"
        """
    )
    done = suite.run()
    assert done.counts == {"FAILED": 2, "PASSED": 4, "XFAIL": 1, "ERROR": 1}, done.out
    assert (
        "FAILED test_it.py::test_fails - fakecuda.errors.UndefinedBehaviour: cuMemRelease in process here" in done.out
    )
    assert "FAILED test_it.py::test_both - AssertionError: the test's own" in done.out
    assert "ERROR test_it.py::test_teardown - fakecuda.errors.UndefinedBehaviour: cuMemRelease" in done.out
    own = done.out.partition("_ test_fails _")[2].partition("_ test_both _")[0]
    assert "rule       va.handle.HANDLE_IS_HELD (undefined)" in own
    assert "source     cuMemRelease: “If handle is not a valid handle the behavior is" in own
    assert "yield" not in own, "the plugin's own source is no part of the report"
    both = done.out.partition("_ test_both _")[2].partition("short test summary")[0]
    assert "- Captured fakecuda call -" in both
    assert "here/" in both
    assert "cuMemRelease(handle=57005) -> " in both
    assert "- Captured fakecuda undefined behaviour call -" in both
    assert "cuMemRelease in process here" in both
    assert done.code == pytest.ExitCode.TESTS_FAILED


OUTLIVED = """
    import threading, pytest
    from cuda.bindings import driver

    kept, go, done = [], threading.Event(), threading.Event()

    def work():
        go.wait()
        driver.cuDeviceGetCount()
        done.set()

    def test_thread(fakecuda):
        driver.cuInit(0)
        threading.Thread(target=work, daemon=True).start()

    def test_value(fakecuda):
        kept.append(fakecuda.spawn().c)
        c = fakecuda.here.c
        c.cuInit(0)
        kept.append(c.cuDevicePrimaryCtxRetain(0)[1])

    def test_user(fakecuda):
        driver.cuInit(0)
        go.set()
        done.wait()
        with fakecuda.expect_undefined():
            fakecuda.here.c.cuCtxSetCurrent(kept[1])
        assert "cuDeviceGetCount" not in [call.call for call in fakecuda.calls]

    def test_after(fakecuda):
        with pytest.raises(fakecuda.MachineClosed):
            kept[0].cuInit(0)
"""


def test_what_outlives_its_machine_is_an_error_of_its_test(suite: Suite) -> None:
    """The test that left a thread or a value behind has the error, the one in which it showed passes."""
    suite.write(test_it=OUTLIVED)
    done = suite.run()
    assert done.counts == {"PASSED": 4, "ERROR": 2}, done.out
    assert "ERROR test_it.py::test_thread - test_it.py::test_thread: thread " in done.out
    assert "called cuDeviceGetCount after the thread's machine had ended" in done.out
    assert (
        "ERROR test_it.py::test_value - test_it.py::test_value: test_it.py::test_user passed handle or address 0x"
        in done.out
    )
    assert " to cuCtxSetCurrent, but the machine that returned this value has ended: do not keep" in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


def test_what_outlives_its_machine_is_reported_by_workers(suite: Suite) -> None:
    """Under pytest-xdist the text names the test; the run fails all the same."""
    pytest.importorskip("xdist")
    suite.write(test_it=OUTLIVED)
    done = suite.run("-n1")
    assert done.counts == {"PASSED": 4, "ERROR": 2}, done.out
    assert "test_it.py::test_thread: thread " in done.out
    assert "test_it.py::test_value: test_it.py::test_user passed handle or address 0x" in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


def test_machine_inside_given(suite: Suite) -> None:
    """A property has a machine per example; the decorator works above and below ``@given``."""
    pytest.importorskip("hypothesis")
    suite.write(
        test_it="""
            import fakecuda
            from cuda.bindings import driver
            from hypothesis import given, settings, strategies as st

            seen = set()
            kept = []

            @settings(max_examples=5, database=None, deadline=None)
            @given(st.integers(1, 9))
            @fakecuda.machine("h200", door="lookalike")
            def test_below(size):
                assert driver.cuDeviceGetCount()[1] is None
                driver.cuInit(0)
                kept.append(fakecuda.installed())
                assert driver.cuDeviceGetCount()[1] == 1

            @fakecuda.machine("h200", door="lookalike")
            @settings(max_examples=5, database=None, deadline=None)
            @given(st.integers(1, 9))
            def test_above(size):
                driver.cuInit(0)
                seen.add(fakecuda.installed())

            def test_counts():
                assert len(set(map(id, kept))) == len(kept) > 1
                assert len(seen) == 1
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 3}, done.out


def test_options_are_checked(suite: Suite) -> None:
    """A wrong option is a usage error that lists the right ones."""
    suite.write(test_it="def test_a(): pass\n")
    done = suite.run("--fakecuda=gpu")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert "argument --fakecuda: 'gpu' is not a place where tests run; one of: model, real, both, shadow" in done.out
    done = suite.run(door="front")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert "argument --fakecuda-door: 'front' is not a door; one of: auto, native, lookalike" in done.out
    assert "fakecuda(profile=..." in suite.run("--markers").out


def test_hypothesis_is_not_needed(suite: Suite) -> None:
    """Where it is not installed, tests have their machine all the same."""
    suite.write(
        conftest="""
        import sys

        sys.modules["hypothesis"] = None
        """,
        test_it="""
        def test_it(fakecuda):
            assert fakecuda.here.c.cuInit(0) == (0,)
        """,
    )
    outcome = suite.run()
    assert outcome.counts == {"PASSED": 1}, outcome.out
