"""Refused calls that a test expects by ``expect`` or by ``errors_allowed``."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.machine import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugin.conftest import Suite


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """A machine, initialised."""
    with fakecuda.simulate("h200", door="lookalike") as made:
        made.here.c.cuInit(0)
        yield made


def test_a_probe_may_be_refused(machine: fakecuda.Machine) -> None:
    """It need not be; only the call that is named may be."""
    counted, c = refusals.count(machine), machine.here.c
    with fakecuda.expect("INVALID_VALUE", call="cuInit", required=False) as came:
        pass
    assert came == []
    with fakecuda.expect("INVALID_VALUE", call="cuInit", required=False) as came:
        c.cuInit(1)
        c.cuDeviceGet(99)
        c.cuMemAlloc(4)
    assert [one.call for one in came] == ["cuInit"]
    assert [one.call for one in counted.kept] == ["cuDeviceGet", "cuMemAlloc"]
    with fakecuda.expect("cuMemAlloc", "cuDeviceGet") as came:
        c.cuDeviceGet(99)
        c.cuMemAlloc(4)
    assert len(came) == 2
    for told, names, call in (
        (r"^no call of cuInit was refused$", (), "cuInit"),
        (r"^no call of cuInit was refused with OUT_OF_MEMORY$", ("OUT_OF_MEMORY",), "cuInit"),
    ):
        with pytest.raises(AssertionError, match=told), fakecuda.expect(*names, call=call):
            pass
    for wrong in ("INVALID_VALUE", "cuInti", "core.init.FLAGS_ARE_ZERO"):
        with pytest.raises(fakecuda.FakeCudaError, match=f"^'{wrong}' is not a call; "), fakecuda.expect(call=wrong):
            pass


@pytest.mark.parametrize(
    "allowed",
    [
        ["cuInit", "cuMemAlloc"],
        ["INVALID_VALUE", "context.current.CONTEXT_IS_CURRENT"],
        [lambda refusal: refusal.call in {"cuInit", "cuMemAlloc"}],
        ["CUDA_ERROR_INVALID_VALUE", lambda refusal: refusal.code == 201],
    ],
)
def test_errors_are_allowed(allowed: list[Any]) -> None:
    """By names of calls and codes, by rules, and by functions."""
    with fakecuda.simulate("h200", door="lookalike", errors="error", errors_allowed=allowed) as made:
        made.here.c.cuInit(1)
        made.here.c.cuInit(0)
        made.here.c.cuMemAlloc(4)
    with (
        pytest.raises(AssertionError, match=r"^1 refused call: cuDeviceGet -> NOT_INITIALIZED"),
        fakecuda.simulate("h200", door="lookalike", errors="error", errors_allowed=allowed) as made,
    ):
        assert made.here.c.cuDeviceGet(0)[0] + made.here.c.cuInit(1)[0] == 4


def test_functions_judge_outside_of_calls() -> None:
    """When no call is under way, each refused call once, however many there are; faults, too."""
    asked: list[Any] = []

    def accepts(refusal: Any) -> bool:
        assert made.lock.acquire(timeout=0)
        made.lock.release()
        asked.append(refusal)
        return True

    number = refusals.KEPT + 5
    with fakecuda.simulate("h200", door="lookalike", errors="error", errors_allowed=[accepts, accepts]) as made:
        for _ in range(number):
            made.here.c.cuInit(1)
        fault = made.fail("cuInit", code="NO_DEVICE")
        made.here.c.cuInit(0)
        assert asked == []
    assert len(asked) == number + 1
    assert fault.expected
    with fakecuda.simulate("h200", door="lookalike", errors="error", errors_allowed=[lambda _: False]) as made:
        fault = made.fail("cuInit", code="NO_DEVICE")
        made.here.c.cuInit(0)
    assert not fault.expected


def calls_the_driver(_: object) -> bool:
    """Make a call, which a function that judges must not."""
    machine = fakecuda.installed()
    assert machine is not None
    return machine.here.c.cuInit(0) == (0,)


def raises(_: object) -> bool:
    """Raise an exception."""
    raise KeyError("planted")  # noqa: EM101 - what the report has


@pytest.mark.parametrize(
    ("judge", "did"), [(calls_the_driver, "called cuInit"), (raises, "raised KeyError: 'planted'")]
)
@pytest.mark.parametrize("errors", ["report", "error"])
def test_a_wrong_function_is_an_error(judge: Any, did: str, errors: str) -> None:
    """Of the block, in any mode, and the refused calls are listed. Another thread may call meanwhile."""
    told = rf"^errors_allowed: the function {judge.__name__} {did}, when asked about cuInit -> INVALID_VALUE .*: write a function"
    with (
        pytest.raises(AssertionError, match=told) as caught,
        fakecuda.simulate("h200", door="lookalike", errors=errors, errors_allowed=[judge]) as made,
    ):
        made.here.c.cuInit(1)
    assert "\n1 refused call: cuInit -> INVALID_VALUE\n" in str(caught.value)

    def accepts(_: object) -> bool:
        thread = Thread(target=made.here.c.cuInit, args=(0,))
        thread.start()
        thread.join()
        return True

    with fakecuda.simulate("h200", door="lookalike", errors=errors, errors_allowed=[accepts]) as made:
        made.here.c.cuInit(1)


@pytest.mark.parametrize(
    ("allowed", "told"),
    [
        (["INVALID_VALU"], "'INVALID_VALU' is not a code; did you mean: INVALID_VALUE"),
        (["cuMemCreat"], "'cuMemCreat' is not a call; did you mean: cuMemCreate"),
        (["cudaErrorInvalidValu"], "'cudaErrorInvalidValu' is not a code; did you mean: cudaErrorInvalidValue"),
        (
            ["va.handle.HANDLE_IS_HELDD"],
            "'va.handle.HANDLE_IS_HELDD' is not a rule; did you mean: va.handle.HANDLE_IS_HELD",
        ),
        ("INVALID_VALUE", r"a list of names and functions, not 'INVALID_VALUE': write \['INVALID_VALUE'\]"),
        (5, "a list of names and functions, not 5"),
    ],
)
def test_unknown_names_are_told(allowed: Any, told: str) -> None:
    """With the nearest."""
    with pytest.raises(fakecuda.FakeCudaError, match=told):
        fakecuda.simulate(errors_allowed=allowed)


def test_the_mark_allows_errors(suite: Suite) -> None:
    """As ``leaks_allowed`` allows leaks."""
    pytest.importorskip("cuda.bindings.driver")
    suite.write(
        test_it="""
            import pytest
            from cuda.bindings import driver

            @pytest.mark.fakecuda(errors="error", errors_allowed=["cuInit"])
            def test_allowed(fakecuda):
                driver.cuInit(1)

            @pytest.mark.fakecuda(errors="error", errors_allowed=["cuInit"])
            def test_other(fakecuda):
                driver.cuInit(1)
                driver.cuMemAlloc(4)

            @pytest.mark.fakecuda(errors="error", errors_allowed=["cuInitt"])
            def test_wrong(fakecuda):
                pass

            @pytest.mark.fakecuda(errors_allowed=[lambda refusal: refusal.calll == "cuInit"])
            def test_wrong_function(fakecuda):
                driver.cuInit(1)

            @pytest.mark.fakecuda(errors="error", errors_allowed=[lambda refusal: driver.cuInit(0) == (0,)])
            def test_function_that_calls(fakecuda):
                driver.cuInit(1)
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 2, "FAILED": 2, "ERROR": 2}, done.out
    assert "<lambda> raised AttributeError: 'Refusal' object has no attribute 'calll'" in done.out
    assert "<lambda> called cuInit, when asked about cuInit -> INVALID_VALUE" in done.out
    assert "1 refused call: cuMemAlloc -> NOT_INITIALIZED" in done.out
    assert "'cuInitt' is not a call; did you mean: cuInit" in done.out
