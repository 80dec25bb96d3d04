"""Calls that the machine refuses are listed, fail their test, or are expected by it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.machine import refusals
from fakecuda.machine.probes import PROBES
from fakecuda.reach.native.stubs import NATIVE, NEEDS

from .conftest import ALIKE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugin.conftest import Suite

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)
PAGE = Path(fakecuda.__file__).parents[1] / "docs" / "behaviour.md"
REFUSED = """
    import pytest
    from cuda.bindings import driver, runtime

    def test_granted(fakecuda):
        driver.cuInit(0)

    def test_refused(fakecuda):
        driver.cuInit(0)
        for _ in range(3):
            driver.cuMemAlloc(4096)
        runtime.cudaMalloc(1 << 60)

    def test_failed(fakecuda):
        assert driver.cuInit(1)[0] == 0

    @pytest.fixture
    def late(fakecuda):
        yield
        driver.cuInit(2)

    def test_late(late):
        pass

    def test_expected(fakecuda):
        with fakecuda.expect("INVALID_VALUE") as came:
            driver.cuInit(1)
        assert [one.call for one in came] == ["cuInit"]

    @pytest.mark.fakecuda(errors="ignore")
    def test_ignored(fakecuda):
        driver.cuInit(1)

    @pytest.mark.fakecuda(errors="error")
    def test_error(fakecuda):
        with fakecuda.expect("OUT_OF_MEMORY"):
            runtime.cudaMalloc(1 << 60)
            driver.cuInit(3)

    @pytest.mark.fakecuda(errors="error", completion="manual")
    def test_queries_may_say_that_it_is_not_ready(fakecuda):
        stream = runtime.cudaStreamCreate()[1]
        pointer = runtime.cudaMalloc(64)[1]
        runtime.cudaMemsetAsync(pointer, 0, 64, stream)
        assert runtime.cudaStreamQuery(stream)[0] == runtime.cudaError_t.cudaErrorNotReady
"""


@pytest.mark.parametrize("workers", [pytest.param((), id="here"), pytest.param(("-n2",), marks=ALIKE, id="xdist")])
def test_refused_calls_are_reported(suite: Suite, workers: tuple[str, ...]) -> None:
    """In a section of a failed test, as a failure where they are one, and in a line that counts the tests."""
    pytest.importorskip("cuda.bindings.runtime")
    suite.write(test_it=REFUSED)
    done = suite.run(*workers)
    assert done.counts == {"PASSED": 6, "FAILED": 2}, done.out
    assert "FAILED test_it.py::test_error - Failed: 1 refused call: cuInit -> INVALID_VALUE" in done.lines
    failed = re.split(r"_ test_failed _+|_ test_error _+", done.out)
    section = next(part for part in failed if "Captured fakecuda refused calls call" in part)
    assert (
        "1 refused call: cuInit -> INVALID_VALUE\n  cuInit in process here -> INVALID_VALUE: breaks the rule: `Flags` of cuInit is 0"
        in section
    )
    assert re.search(r"\n    at         .*test_it.py:15 in test_failed\n", section)
    assert "    fix        call cuInit(0)\n" in section
    assert "fakecuda: 3 tests made calls that were refused: --fakecuda-errors=error fails each" in done.out


@pytest.mark.parametrize("how", [pytest.param("option", marks=ALIKE), "setting"])
def test_refused_calls_are_errors(suite: Suite, how: str) -> None:
    """A runtime's call counts once, whatever it calls; what comes at teardown is an error there."""
    pytest.importorskip("cuda.bindings.runtime")
    suite.write(test_it=REFUSED)
    done = suite.run("--fakecuda-errors=error" if how == "option" else "-ofakecuda_errors=error")
    assert done.counts == {"PASSED": 5, "FAILED": 3, "ERROR": 1}, done.out
    assert "FAILED test_it.py::test_refused - Failed: 4 refused calls: cuMemAlloc -> INVALID_CONTEXT, …" in done.lines
    assert (
        "  3 times: cuMemAlloc in process here -> INVALID_CONTEXT: breaks the rule: the calling thread has a current"
        in done.out
    )
    report = (
        r"  cudaMalloc in process here -> cudaErrorMemoryAllocation: .*\n.*\n    at  .*test_it.py:12 in test_refused\n"
    )
    assert re.search(report, done.out)
    assert "ERROR test_it.py::test_late - Failed: 1 refused call: cuInit -> INVALID_VALUE" in done.lines
    assert "refused" not in suite.run("--fakecuda-errors=ignore", "-k", "not error").out.replace("test_refused", "")


@needs_native
def test_a_childs_calls_count(suite: Suite) -> None:
    """With its line; so does a call through ctypes, and one that is not modelled."""
    pytest.importorskip("cuda.bindings.runtime")
    suite.write(
        test_it="""
    import subprocess, sys
    import pytest

    pytestmark = [pytest.mark.fakecuda(errors="error"), pytest.mark.filterwarnings("ignore")]

    def test_child(fakecuda):
        subprocess.run([sys.executable, "-c", "from cuda.bindings import driver; driver.cuInit(4)"], check=True)

    def test_ctypes(fakecuda):
        fakecuda.cudart().cudaSetDevice(99)

    def test_not_modelled(fakecuda):
        fakecuda.cudart().cudaGraphicsMapResources(0, None, None)

    def test_not_modelled_in_python(fakecuda):
        from cuda.bindings import runtime
        runtime.cudaGraphicsUnregisterResource(0)

    def test_not_modelled_through_c(fakecuda):
        from cuda.bindings import driver
        driver.cuCtxFromGreenCtx(0)

    def test_not_modelled_at_the_c_level(fakecuda):
        fakecuda.here.c.cuCtxFromGreenCtx(0)
"""
    )
    done = suite.run(door="native")
    assert done.counts == {"FAILED": 6}, done.out
    assert re.search(
        r"  cuInit in process a -> INVALID_VALUE: .*\n.*\n    at         <string>:1 in <module>\n", done.out
    )
    assert "1 refused call: cudaSetDevice -> cudaErrorInvalidDevice" in done.out
    assert done.out.count("Graph") > 3
    reports = done.out.partition("short test summary")[0]  # which tells all of each where CI is set
    assert reports.count("in process here -> NOT_SUPPORTED: fakecuda does not model the call\n    at         ") == 2
    assert (
        reports.count("in process here -> cudaErrorNotSupported: fakecuda does not model the call\n    at         ")
        == 2
    )


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """A machine, initialised."""
    with fakecuda.simulate("h200", door="lookalike") as made:
        made.here.c.cuInit(0)
        yield made


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("INVALID_CONTEXT",),
        ("CUDA_ERROR_INVALID_CONTEXT", "INVALID_VALUE"),
        ("context.current.CONTEXT_IS_CURRENT",),
    ],
)
def test_what_is_expected_does_not_count(machine: fakecuda.Machine, names: tuple[str, ...]) -> None:
    """By a code or a rule, or one of several."""
    counted = refusals.count(machine)
    with fakecuda.expect(*names) as came:
        machine.here.c.cuMemAlloc(64)
        machine.here.c.cuMemAlloc(64)
    assert [(one.call, one.args, one.process) for one in came] == [("cuMemAlloc", (64,), "here")] * 2
    assert came[0].line.startswith(f"{__file__}:")
    assert counted.take() == ""
    machine.here.c.cuMemAlloc(64)
    assert counted.take().startswith("1 refused call: cuMemAlloc -> INVALID_CONTEXT\n")


def test_codes_have_the_names_of_each_api(machine: fakecuda.Machine) -> None:
    """The driver's short ones stand for the runtime's, too, where these have the same number."""
    runtime = machine.here.runtime
    for name in ("cudaErrorMemoryAllocation", "OUT_OF_MEMORY"):
        with fakecuda.expect(name):
            runtime.cudaMalloc(1 << 60)
    with fakecuda.expect("cudaErrorInvalidMemcpyDirection") as came:
        runtime.cudaMemcpy(0, 0, 4, 77)
    assert len(came) == 1


def test_a_call_that_tells_the_last_error_does_not_count(machine: fakecuda.Machine) -> None:
    """The call that left the error has been counted."""
    counted, runtime = refusals.count(machine), machine.here.runtime
    runtime.cudaMalloc(1 << 60)
    assert int(runtime.cudaPeekAtLastError()[0]) == int(runtime.cudaGetLastError()[0]) == 2
    assert counted.take().startswith("1 refused call: cudaMalloc -> ")


def test_what_is_expected_must_come(machine: fakecuda.Machine) -> None:
    """And is named as it is called; what came else is listed, and counts."""
    counted = refusals.count(machine)
    with (
        pytest.raises(AssertionError, match=r"^no call was refused with INVALID_VALUE or OUT_OF_MEMORY$"),
        fakecuda.expect("INVALID_VALUE", "OUT_OF_MEMORY"),
    ):
        pass
    with pytest.raises(AssertionError, match=r"^expected a refused call, but every call succeeded$"), fakecuda.expect():
        pass
    with (
        pytest.raises(
            AssertionError,
            match=r"\nrefused calls:\n  cuMemAlloc -> INVALID_CONTEXT \[.*\n'context.current.CONTEXT_IS_CURENT' is not a rule; did",
        ),
        fakecuda.expect("context.current.CONTEXT_IS_CURENT"),
    ):
        machine.here.c.cuMemAlloc(64)
    assert counted.number == 1
    with pytest.raises(fakecuda.FakeCudaError, match="'INVALID_VALU' is not a code; did you mean: INVALID_VALUE"):
        fakecuda.expect("INVALID_VALU").__enter__()
    with pytest.raises(KeyError), fakecuda.expect("INVALID_VALUE"):
        raise KeyError


def test_an_inner_block_comes_first(machine: fakecuda.Machine) -> None:
    """What it does not expect is the outer one's."""
    with fakecuda.expect("INVALID_VALUE", "INVALID_CONTEXT") as outer:
        with fakecuda.expect("INVALID_CONTEXT") as inner:
            machine.here.c.cuMemAlloc(64)
            machine.here.c.cuInit(1)
        assert [one.call for one in inner] == ["cuMemAlloc"]
    assert [one.call for one in outer] == ["cuInit"]


def test_without_a_machine_nothing_can_be_expected() -> None:
    """The text says what to do."""
    with pytest.raises(fakecuda.FakeCudaError, match=r"expect\(\) needs a simulated machine"), fakecuda.expect():
        pass


def test_calls_without_end_are_counted(machine: fakecuda.Machine) -> None:
    """The first are kept, and those of a place are one line."""
    counted = refusals.count(machine)
    assert counted is refusals.count(machine)
    for number in range(25):
        exec(compile("\n" * number + "c.cuMemAlloc(64)", "calls.py", "exec"), {"c": machine.here.c})  # noqa: S102 - lines of their own
    for _ in range(refusals.KEPT):
        machine.here.c.cuMemAlloc(64)
    assert len(counted.kept) == refusals.KEPT
    lines = counted.take().splitlines()
    assert lines[0] == f"{refusals.KEPT + 25} refused calls: cuMemAlloc -> INVALID_CONTEXT, …"
    assert len(lines) == refusals.MOST + 2
    assert lines[-1] == f"  and {refusals.KEPT + 5} more calls"


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: f"{probe.client} {probe.calls[0]}")
def test_probes_of_clients_do_not_count(machine: fakecuda.Machine, probe: Any) -> None:
    """As long as the client makes them, and with that code alone."""
    counted = refusals.count(machine)
    thread = machine.here.current_thread()

    def called(file: str, code: int) -> int:
        scope = {"refuse": lambda: counted(thread, probe.calls[0], (), code, None, {})}
        exec(compile("refuse()", file, "exec"), scope)  # noqa: S102 - a file of the client's
        found, _ = counted.number, counted.take()
        return found

    assert called(f"/x/site-packages{probe.file}", int(probe.code)) == 0
    assert called(f"/x/site-packages{probe.file}", 999) == 1
    assert called("/x/test_it.py", int(probe.code)) == 1
    row = f"| {probe.client} | {', '.join(f'`{call}`' for call in probe.calls)} | `{probe.code.name}` | {probe.why} |"
    assert row in PAGE.read_text()
