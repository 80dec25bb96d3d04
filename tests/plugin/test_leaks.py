"""What a test leaves behind is listed, fails it, or is nobody's business, as it says."""

from __future__ import annotations

import gc
import re
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.reach.native.stubs import NATIVE, NEEDS

from .conftest import ALIKE

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)
WORLD = """
    import subprocess, sys
    import pytest
    from cuda.bindings import driver, runtime

    def context():
        driver.cuInit(0)
        return driver.cuCtxCreate(None, 0, 0)[1]

    class Buffer:
        def __init__(self):
            self.pointer, self.itself = driver.cuMemAlloc(4096)[1], self

        def __del__(self):
            driver.cuMemFree(self.pointer)
"""
LEFT = """
    def test_nothing(fakecuda):
        driver.cuCtxDestroy(context())

    def test_left(fakecuda):
        context()
        for _ in range(3):
            driver.cuMemAlloc(4096)

    def test_garbage(fakecuda):
        made = context()
        Buffer()
        fakecuda.assert_no_leaks("context")
        driver.cuCtxDestroy(made)

    def test_failed(fakecuda):
        context()
        buffer = Buffer()
        try:
            raise KeyError
        except KeyError:
            assert not buffer, "it is there"

    @pytest.fixture
    def made(fakecuda):
        yield context()
        driver.cuCtxDestroy(driver.cuCtxGetCurrent()[1])

    def test_fixture(made):
        driver.cuMemAlloc(4096)

    @pytest.mark.fakecuda(leaks="error", leaks_allowed=["context", lambda leak: leak.size == 4096])
    def test_allowed(fakecuda):
        context()
        driver.cuMemAlloc(4096)

    @pytest.mark.fakecuda(leaks="ignore")
    def test_ignored(fakecuda):
        context()

    @pytest.mark.fakecuda(leaks="error")
    def test_error(fakecuda):
        context()

    @pytest.mark.fakecuda(leaks="error")
    def test_runtime(fakecuda):
        runtime.cudaSetDevice(0)
        assert [leak.kind for leak in fakecuda.leaks(kept=True)] == ["kept"]
        assert fakecuda.leaks() == []
"""
CHILDREN = """
    PROGRAM = "from cuda.bindings import driver as d; d.cuInit(0); d.cuCtxCreate(None, 0, 0); d.cuMemAlloc(64)"

    @pytest.mark.fakecuda(leaks="error", door="native")
    def test_child(fakecuda):
        subprocess.run([sys.executable, "-c", PROGRAM], check=True)

    @pytest.mark.fakecuda(leaks="error")
    def test_spawned(fakecuda):
        a = fakecuda.spawn("a")
        a.driver.cuInit(0)
        a.driver.cuCtxCreate(None, 0, 0)
        a.exit()
        b = fakecuda.spawn("b")
        b.driver.cuInit(0)
        b.driver.cuCtxCreate(None, 0, 0)
        b.kill()
"""


@pytest.mark.parametrize("workers", [pytest.param((), id="here"), pytest.param(("-n2",), marks=ALIKE, id="xdist")])
def test_leaks_are_reported(suite: Suite, workers: tuple[str, ...]) -> None:
    """In the section of a failed test, as an error where it is one, and in a line that counts the tests."""
    pytest.importorskip("cuda.bindings.runtime")
    suite.write(test_it=WORLD + LEFT)
    done = suite.run(*workers)
    assert done.counts == {"PASSED": 8, "FAILED": 1, "ERROR": 1}, done.out
    assert "ERROR test_it.py::test_error - Failed: left behind: 1 context" in done.out
    assert "\nalso: 1 object was left behind (1 context), perhaps because the failure came first: " in done.out
    assert "fakecuda: 2 tests left something behind: --fakecuda-leaks=error fails each" in done.out


FAILED = """
    def test_own(fakecuda):
        context()
        for _ in range(2):
            driver.cuMemAlloc(4096)
        assert fakecuda is None

    def test_found(fakecuda):
        context()
        stream = driver.cuStreamCreate(0)[1]
        driver.cuStreamDestroy(stream)
        driver.cuStreamDestroy(stream)

    def test_traceback(fakecuda):
        made, buffer = context(), Buffer()
        driver.cuCtxDestroy(made)
        assert fakecuda is None
"""


def test_a_failed_test_has_a_line_of_its_leaks(suite: Suite) -> None:
    """Whether it failed by itself or by what was found at its end; what its traceback held is not counted."""
    suite.write(test_it=WORLD + FAILED)
    done = suite.run()
    assert done.counts == {"FAILED": 3}, done.out
    assert (
        "\nalso: 3 objects were left behind (2 allocations, 1 context), perhaps because the failure came first: "
        "--fakecuda-leaks=error lists them\n" in done.out
    )
    assert done.out.count("\nalso: ") == 2
    assert "left behind:" not in done.out
    assert "fakecuda: 2 tests left something behind: --fakecuda-leaks=error fails each and lists it\n" in done.out
    listed = suite.run("--fakecuda-leaks=error", "-k", "own")
    told = "what is left behind may follow from the failure, if the code behind it gives it back:\n"
    assert f"{told}left behind: 2 allocations, 1 context\n" in listed.out
    assert "also: " not in listed.out


@pytest.mark.parametrize("how", [pytest.param("option", marks=ALIKE), "setting"])
def test_leaks_are_errors(suite: Suite, how: str) -> None:
    """By the command line or the ini file; what one place has made is one line."""
    suite.write(test_it=WORLD + LEFT.partition("@pytest.mark")[0])
    pytest.importorskip("cuda.bindings.runtime")
    done = suite.run(*(["--fakecuda-leaks=error"] if how == "option" else ["-o", "fakecuda_leaks=error"]))
    assert done.counts == {"PASSED": 4, "FAILED": 1, "ERROR": 2}, done.out
    assert "ERROR test_it.py::test_left - Failed: left behind: 3 allocations, 1 context" in done.out
    assert "  3 alike, 12288 bytes together, the first: allocation: allocation " in done.out
    assert "left something behind" not in done.out
    assert "left" not in suite.run("--fakecuda-leaks=ignore").out.replace("test_left", "")


@needs_native
def test_every_process_is_asked(suite: Suite) -> None:
    """A child that has ended, and one that was spawned; not one that was killed."""
    pytest.importorskip("cuda.bindings.driver")
    suite.write(test_it=WORLD + CHILDREN)
    done = suite.run()
    assert done.counts == {"PASSED": 2, "ERROR": 2}, done.out
    child = done.out.partition("ERROR at teardown of test_child")[2]
    assert "left behind: 1 allocation, 1 context" in child
    assert "of process a, made at <string>:1 in <module>" in child
    assert "process b" not in done.out


@needs_native
def test_what_comes_after_its_test_is_told_at_the_end(suite: Suite) -> None:
    """On a shared machine, by a child that outlives the test which has started it."""
    pytest.importorskip("cuda.bindings.driver")
    suite.write(
        test_it=WORLD
        + """
    import subprocess
    import sys
    CHILD = "import sys; from cuda.bindings import driver as d; d.cuInit(0); print(flush=True); sys.stdin.read(); d.cuCtxCreate(None, 0, 0)"

    def test_it(fakecuda, request):
        context()
        assert [leak.kind for leak in fakecuda.leaks()] == ["context"]
        driver.cuCtxDestroy(driver.cuCtxGetCurrent()[1])
        child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.read(1)
        request.session.addfinalizer(lambda: child.communicate() and None)
"""
    )
    done = suite.run("--fakecuda-shared=h200", door="")
    assert "fakecuda: on the shared machine left behind: 1 context" in done.out
    assert done.code == 0
    assert suite.run("--fakecuda-shared=h200", "--fakecuda-leaks=error", door="").code == 1


MANY = """
    import gc
    import pytest
    from cuda.bindings import driver
    from fakecuda.reach.install import garbage

    FULL, HELD = [], {}
    gc.callbacks.append(lambda phase, info: FULL.append(info) if (phase, info["generation"]) == ("start", 2) else None)

    @pytest.mark.parametrize("number", range(151))
    def test_one(fakecuda, number):
        if number in (1, 50, 150):
            HELD[number] = len(gc.get_objects()), len(FULL)
        driver.cuInit(0)
        driver.cuCtxCreate(None, 0, 0)

    def test_growth():
        (begun, first), (early, _), (late, last) = HELD.values()
        print("full", last - first, "grown", (late - early) / 100)
"""


def test_a_leak_costs_the_same_in_a_large_suite(suite: Suite) -> None:
    """It makes no collection full but one in many, and what those leave is bounded; pytest's own reports are 20 objects a test."""
    suite.write(test_it=MANY)
    rarely = suite.run("-rP", fresh=True)
    assert "\nfull 0 grown" in rarely.out
    suite.write(test_it=MANY.replace("FULL, HELD", "garbage.MOST = 25; FULL, HELD"))
    often = suite.run("-rP", fresh=True)
    found = re.search(r"\nfull (\d+) grown ([\d.]+)", often.out)
    assert found, often.out
    full, grown = found.groups()
    assert int(full) in {149 // 25, 149 // 25 + 1}  # Python's own collections say from where on they are counted
    assert float(grown) < 40, "objects that each test leaves"


OLD = """
    import gc
    from fakecuda.reach.install import garbage

    class Holder:
        def __init__(self):
            self.held, self.itself = [], self

    HOLDERS = [Holder(), Holder()]
    gc.collect()

    def test_made_old_in_the_test(fakecuda):
        context()
        buffer = Buffer()
        gc.collect(garbage.YOUNG)
        del buffer

    def test_held_by_what_is_older(fakecuda):
        context()
        HOLDERS.pop().held.append(Buffer())

    def test_asking(fakecuda):
        context()
        HOLDERS.pop().held.append(Buffer())
        fakecuda.assert_no_leaks("context")
"""


def test_old_garbage_fails_no_test(suite: Suite) -> None:
    """What only garbage holds is no leak, whether the test made it old or something older holds it."""
    suite.write(test_it=WORLD + OLD)
    done = suite.run("--fakecuda-leaks=error")
    assert done.counts == {"PASSED": 3, "ERROR": 3}, done.out
    assert "left behind: 1 context\n" in done.out
    assert "allocation" not in done.out
    listed = suite.run("-rP", "-k", "made_old").out
    assert "left behind: 1 context\n" in listed
    assert "allocation" not in listed


def test_asking_at_any_time() -> None:
    """Garbage is none; what a function allows is none; the text lists what is there, most places of it."""
    with fakecuda.simulate("h200", door="lookalike") as machine:
        c = machine.here.c
        c.cuInit(0)
        assert fakecuda.leaks() == []
        fakecuda.assert_no_leaks()
        _, context = c.cuCtxCreate(None, 0, 0)

        class Owner:
            def __init__(self) -> None:
                self.pointer, self.itself = c.cuMemAlloc(512)[1], self

            def __del__(self) -> None:
                c.cuMemFree(self.pointer)

        gc.disable()
        Owner()
        (leak,) = fakecuda.leaks()
        gc.enable()
        assert (leak.kind, leak.process, leak.size, leak.item.handle) == ("context", "here", 0, context)
        fakecuda.assert_no_leaks("context")
        fakecuda.assert_no_leaks(lambda leak: leak.item.handle == context)
        with pytest.raises(
            AssertionError, match=r"^left behind: 1 context\n  context: context 0x\w+ on device 0, of process here"
        ):
            fakecuda.assert_no_leaks("stream")
        for number in range(25):
            exec(compile("\n" * number + "c.cuStreamCreate(0)", "streams.py", "exec"), {"c": c})  # noqa: S102 - lines of their own
        with pytest.raises(
            AssertionError,
            match=r"left behind: 1 context, 25 streams\n((  \w+: .+\n)(    from .+\n)*){20}  and 6 places more\n  fix of context: ",
        ):
            fakecuda.assert_no_leaks()
        with pytest.raises(fakecuda.FakeCudaError, match="'streams' is not a kind of leak; did you mean: stream"):
            fakecuda.assert_no_leaks("streams")


def test_without_a_machine_there_is_nobody_to_ask() -> None:
    """The text says what to do."""
    with pytest.raises(fakecuda.FakeCudaError, match="list leaks in a test"):
        fakecuda.leaks()
