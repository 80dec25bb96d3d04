"""Refused calls that a test expects by ``pytest.raises``, by ``expect`` or by ``errors_allowed``."""

from __future__ import annotations

import linecache
import unittest
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.simulated import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugin.conftest import Suite

RAISES = """
    import unittest
    import pytest
    from cuda.bindings import driver

    pytestmark = pytest.mark.fakecuda(errors="error")

    class CudaError(Exception):
        pass

    def checked(answer):
        if answer[0]:
            raise CudaError(answer[0].name)

    def test_block(fakecuda):
        with pytest.raises(
            CudaError,
            match="INVALID_VALUE",
        ) as raised:
            checked(driver.cuInit(1))
        assert raised

    def test_several(fakecuda, tmp_path):
        with open(tmp_path / "file", "w"), pytest.raises(CudaError): checked(driver.cuInit(1))

    def test_function(fakecuda):
        pytest.raises(CudaError, lambda: checked(driver.cuInit(1)))

    @pytest.mark.usefixtures("fakecuda")
    class Test(unittest.TestCase):
        def test_block(self):
            with self.assertRaises(CudaError):
                checked(driver.cuInit(1))
            with self.assertRaisesRegex(CudaError, "VALUE"):
                checked(driver.cuInit(1))

        def test_function(self):
            self.assertRaises(CudaError, lambda: checked(driver.cuInit(1)))

    def test_before(fakecuda):
        driver.cuInit(1)
        with pytest.raises(KeyError):
            raise KeyError

    def test_after(fakecuda):
        with pytest.raises(KeyError):
            raise KeyError
        driver.cuInit(1)

    def test_swallowed(fakecuda):
        try:
            checked(driver.cuInit(1))
        except CudaError:
            pass
"""


@pytest.mark.parametrize("planted", [False, True], ids=["as it is", "without the block"])
def test_blocks_that_expect_an_exception(suite: Suite, *, planted: bool) -> None:
    """Their refused calls fail no test; those before and after do. Without the rule, all tests fail."""
    pytest.importorskip("cuda.bindings.driver")
    suite.write(test_it=RAISES)
    if planted:
        suite.write(conftest="from fakecuda.simulated import raising\nraising.is_expected = lambda: False\n")
    done = suite.run()
    assert done.counts == ({"FAILED": 8} if planted else {"PASSED": 5, "FAILED": 3}), done.out


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """A machine, initialised."""
    with fakecuda.machine("h200", door="lookalike") as made:
        made.here.c.cuInit(0)
        yield made


def within(file: str, source: str, **names: Any) -> None:
    """Run a program that has a file of its own."""
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), {"pytest": pytest, **names})  # noqa: S102 - a file of its own


def test_sources_that_cannot_be_read(machine: fakecuda.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their blocks are not known, so their refused calls count."""
    counted = refusals.count(machine)
    call = machine.here.c.cuInit
    program = "with pytest.raises(KeyError):\n    call(1)\n    raise KeyError\n"
    within("readable.py", program, call=call)
    assert counted.number == 0
    code = compile(program, "missing.py", "exec")
    exec(code, {"pytest": pytest, "call": call})  # noqa: S102 - it has no file
    assert counted.number == 1
    within(
        "named.py", "expected = pytest.raises(KeyError)\nwith expected:\n    call(1)\n    raise KeyError\n", call=call
    )
    within("other.py", "pytest.raises\nwith [open][0]('/dev/null'):\n    call(1)\n", call=call)
    assert counted.number == 3

    def within_another(*_: object) -> object:
        raise SystemError

    monkeypatch.setattr("ast.parse", within_another)
    within("nested.py", program, call=call)
    assert counted.number == 4


def test_unittests_blocks_are_found(machine: fakecuda.Machine) -> None:
    """Without pytest, too. Wrappers raise no AssertionError, so a block for one expects no refused call."""
    counted, case = refusals.count(machine), unittest.TestCase()

    def fails() -> None:
        raise KeyError(machine.here.c.cuInit(1))

    def asserts() -> None:
        assert machine.here.c.cuInit(1) == (0,), "of the test"

    with case.assertRaises(KeyError):  # noqa: PT027 - unittest's own is meant
        fails()
    case.assertRaises(KeyError, fails)  # noqa: PT027 - unittest's own is meant
    assert counted.number == 0
    with pytest.raises(AssertionError, match="of the test"):
        asserts()
    assert counted.number == 1


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
    counted = refusals.Block(allowed)
    with fakecuda.simulate("h200", door="lookalike") as made:
        refusals.count(made).blocks.append(counted)
        made.here.c.cuDeviceGet(0)
        assert refusals.count(made).take().startswith("1 refused call: cuDeviceGet -> NOT_INITIALIZED")


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
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 1, "FAILED": 1, "ERROR": 1}, done.out
    assert "1 refused call: cuMemAlloc -> NOT_INITIALIZED" in done.out
    assert "'cuInitt' is not a call; did you mean: cuInit" in done.out
