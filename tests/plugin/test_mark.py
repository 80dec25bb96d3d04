"""The mark of the fixture: which mark counts, profiles in a list, and what a wrong mark or option reports."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.testing import settings

if TYPE_CHECKING:
    from .conftest import Outcome, Suite

pytest.importorskip("cuda.bindings.driver")


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
                "@pytest.mark.fakecuda has no argument 'xyz'; one of: profile, strict, races, kernels, seed, handles, memory_cap, completion, "
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
        ("handles='crd'", "@pytest.mark.fakecuda has handles='crd': 'crd' is not a mode; did you mean: card"),
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
