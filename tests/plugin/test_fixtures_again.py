"""Fixtures that act on the machine of a swept or explored test are made again for each of its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.testing import fixtures_again, settings

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytest.importorskip("cuda.bindings.driver")

SUITE = """
    import pytest
    from cuda.bindings import driver

    MADE, ENDED = [], []

    def begin():
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        return driver.cuMemAlloc(64)[1]

    def use(memory):
        assert driver.cuMemsetD8(memory, 0, 64) == (0,), "the memory is of this run"
        assert driver.cuCtxSynchronize() == (0,)

    def end(memory):
        assert driver.cuMemFree(memory) == (0,)
        driver.cuDevicePrimaryCtxRelease(0)
        ENDED.append(int(memory))

    @pytest.fixture
    def other():
        MADE.append("other")

    @pytest.fixture
    def depends(fakecuda, other):
        memory = begin()
        MADE.append("depends")
        yield memory
        end(memory)

    @pytest.fixture
    def twice(depends):
        return [depends]

    @pytest.fixture
    def calls():
        memory = begin()
        MADE.append("calls")
        yield memory
        end(memory)

    @pytest.fixture
    def asks(request):
        made = request.getfixturevalue("fakecuda")
        MADE.append("asks")
        return made

    @pytest.fixture(params=[1, 2])
    def several(fakecuda, request):
        return request.param

    @pytest.fixture(scope="module")
    def wide():
        MADE.append("wide")

    @pytest.fixture
    def finalized(fakecuda, request):
        memory = begin()
        request.addfinalizer(lambda: end(memory))
        return memory
"""
TESTS = """
    @pytest.mark.fakecuda({run}, leaks="error")
    @pytest.mark.parametrize("value", [3])
    def test_depends(wide, twice, value, tmp_path, monkeypatch):
        use(twice[0])

    @pytest.mark.fakecuda({run}, leaks="error")
    def test_calls(fakecuda, calls):
        use(calls)

    @pytest.mark.fakecuda({run})
    def test_asks(asks):
        assert asks.machine is asks.installed()
        assert driver.cuInit(0) == (0,)

    @pytest.mark.fakecuda({run}, leaks="error")
    def test_finalized(finalized):
        use(finalized)

    @pytest.mark.fakecuda({run}, profile=["h200", "h200-x2"])
    def test_several(fakecuda, several):
        assert several in {{1, 2}}
        assert driver.cuInit(0) == (0,)

    def test_what_was_made():
        print("MADE", {{one: MADE.count(one) for one in MADE}})
        assert MADE.count("other") == MADE.count("wide") == 1
        assert min(MADE.count(one) for one in ("depends", "calls", "asks")) >= 2
        assert len(ENDED) >= 6
"""


@pytest.mark.parametrize("run", ["sweep=True", "explore=True"])
def test_fixtures_are_made_again(suite: Suite, run: str) -> None:
    """Those that take the machine or call the driver, and those that take such a one; the rest stays."""
    suite.write(test_it=SUITE + TESTS.format(run=run))
    done = suite.run()
    assert done.counts == {"PASSED": 9}, done.out
    assert done.out.count(f"fakecuda {run.partition('=')[0]} call") == 8


XUNIT = """
    @pytest.fixture(autouse=True)
    def machine(fakecuda):
        pass

    class TestXunit:
        def setup_method(self):
            self.memory = begin()

        def teardown_method(self):
            end(self.memory)

        @pytest.mark.fakecuda(sweep=True, leaks="error")
        def test_of_a_class(self):
            use(self.memory)
"""
OWN = """
    @pytest.fixture
    def fakecuda(fakecuda):
        begin()
        return fakecuda

    @pytest.mark.fakecuda(sweep=True)
    def test_own(fakecuda, request):
        assert request.getfixturevalue("fakecuda") is fakecuda
        assert fakecuda.machine is fakecuda.installed()
        assert driver.cuMemAlloc(64)[0] == 0
"""


def test_a_suites_own_fixture_of_that_name_is_made_again(suite: Suite) -> None:
    """It takes the plugin's, which gives the machine of the run."""
    suite.write(test_it=SUITE + OWN)
    done = suite.run()
    assert done.counts == {"PASSED": 1}, done.out


OVERRIDDEN = """
    import pytest

    from cuda.bindings import driver

    ended = []

    @pytest.fixture
    def memory(fakecuda):
        driver.cuInit(0)
        yield "base"
        ended.append("base")

    class TestOverridden:
        @pytest.fixture
        def memory(self, memory):
            yield f"over {memory}"
            ended.append("over")

        @pytest.mark.fakecuda(sweep=True)
        def test_swept(self, memory):
            assert memory == "over base"

    def test_what_ended():
        assert ended[-2:] == ["over", "base"]
        assert ended.count("over") == ended.count("base")
"""


def test_the_fixture_that_another_overrides_is_ended_too(suite: Suite) -> None:
    """Once for each run, and once for the test's own."""
    suite.write(test_it=OVERRIDDEN)
    done = suite.run()
    assert done.counts == {"PASSED": 2}, done.out


def test_methods_of_a_class_are_called_again(suite: Suite) -> None:
    """They call the driver without taking the machine."""
    suite.write(test_it=SUITE + XUNIT)
    done = suite.run()
    assert done.counts == {"PASSED": 1}, done.out


SWEPT = """
    class Failed(Exception):
        pass

    @pytest.fixture
    def untidy(fakecuda):
        begin()
        yield
        driver.cuMemAlloc(32)  # ignores what it answers

    @pytest.mark.fakecuda(sweep={"codes": ["OUT_OF_MEMORY"]})
    def test_swept(untidy):
        if driver.cuMemAlloc(128)[0]:
            raise Failed

    @pytest.fixture
    def breaks(fakecuda):
        yield
        if len(fakecuda.calls) != BROKEN[0]:
            raise Failed("teardown")

    BROKEN = [1]

    @pytest.mark.fakecuda(sweep=True)
    def test_teardown(breaks):
        driver.cuInit(0)
        BROKEN[0] += 1 if ENDED else 0
        ENDED.append(1)
"""


def test_fixtures_meet_no_fault(suite: Suite) -> None:
    """Neither before nor after the test's function. What a fixture raises at its end is the test's."""
    suite.write(test_it=SUITE + SWEPT)
    done = suite.run("-rA")
    assert "sweep of test_swept: 1 call, 1 injected failure, 0 handled wrongly" in done.out
    assert "#1  cuMemAlloc (no. 1) -> OUT_OF_MEMORY: Failed" in done.out
    assert "Failed: teardown" in done.out
    assert [line.partition(" -")[0] for line in done.lines if "FAILED" in line] == ["FAILED test_it.py::test_teardown"]


def test_a_planted_bug_is_found(suite: Suite) -> None:
    """Without the fixtures of each run, correct tests fail."""
    suite.write(
        test_it=SUITE + TESTS.format(run="sweep=True"),
        test_class=SUITE + XUNIT,
        conftest="""
            from fakecuda.testing import fixtures_again

            fixtures_again._again = lambda item, known, own: set()
        """,
    )
    done = suite.run("-k", "depends or calls or finalized or class")
    assert done.counts == {"FAILED": 4}, done.out


@pytest.mark.parametrize(
    ("planted", "name"),
    [
        ("NEEDED['item._request'] += ('_planted',)", "item._request._planted"),
        ("NEEDED['item.session'] += ('_setupstate.stack.planted',)", "item.session._setupstate.stack.planted"),
        ("OF_FIXTURES += ('planted',)", "FixtureDef.planted"),
    ],
)
def test_another_pytest_is_refused(suite: Suite, planted: str, name: str) -> None:
    """If it lacks a private name, the text says which, and what to do instead."""
    suite.write(
        conftest=f"from fakecuda.testing import fixtures_again\nfixtures_again.{planted}\n",
        test_it="""
            import pytest

            @pytest.mark.fakecuda(sweep=True)
            def test_swept(fakecuda):
                pass

            @pytest.mark.fakecuda(explore=True)
            def test_explored(fakecuda):
                pass

            def test_other(fakecuda):
                pass
        """,
    )
    done = suite.run()
    assert done.counts == {"FAILED": 2, "PASSED": 1}, done.out
    for word in ("sweep", "explore"):
        told = f"{word}: pytest {pytest.__version__} has no {name}, which making fixtures again needs: use another release from 8 on"
        assert f"{told}, or fakecuda.{word}(function) in the test" in done.out


@pytest.mark.parametrize(("release", "refused"), [("7.4.4", True), ("8.0.0rc1", False), ("10.0", False)])
def test_an_old_pytest_is_refused(monkeypatch: pytest.MonkeyPatch, release: str, *, refused: bool) -> None:
    """When the session begins; the text says what to install."""
    monkeypatch.setattr(pytest, "__version__", release)
    try:
        settings.check_pytest()
    except pytest.UsageError as error:
        assert refused
        assert str(error).startswith("fakecuda's plugin needs pytest 8 or newer, and this is 7.4.4: pip install")  # noqa: PT017 - as above
    else:
        assert not refused


def test_finalizers_all_run() -> None:
    """The last one first; an exception comes out when all have run."""
    told: list[Any] = []

    def fails() -> None:
        told.append("fails")
        raise KeyError

    with pytest.raises(KeyError):
        fixtures_again._finish([lambda: told.append(1), fails, lambda: told.append(2)])
    assert told == [2, "fails", 1]
