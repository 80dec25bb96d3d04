# ruff: noqa: PT012 - blocks with several statements are what is tested
"""RefusedError calls that a test expects by ``pytest.raises`` or by unittest's ``assertRaises``.

A refused call is expected if the exception that a block caught may come from it.
"""

from __future__ import annotations

import asyncio
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.machine import raising, refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        suite.write(conftest="from fakecuda.machine import raising\nraising.note = lambda *_: None\n")
    done = suite.run()
    assert done.counts == ({"FAILED": 8} if planted else {"PASSED": 5, "FAILED": 3}), done.out


class RefusedError(Exception):
    """The exception of a wrapper."""


def checked(answer: tuple[Any, ...]) -> None:
    """Raise an exception for a refused call, as wrappers do."""
    if answer[0]:
        raise RefusedError(answer[0])


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """A machine."""
    with fakecuda.simulate("h200", door="lookalike") as made:
        yield made


EXPECTED: list[Callable[[Any], None]] = []
COUNTED: list[Callable[[Any], None]] = []


@EXPECTED.append
def _variable(call: Any) -> None:
    block = pytest.raises(RefusedError)
    with block:
        checked(call(1))


@EXPECTED.append
def _other_name(call: Any) -> None:
    from pytest import raises as fails  # noqa: PLC0415, PT013 - another name for it

    with fails(RefusedError):
        checked(call(1))


@EXPECTED.append
def _exit_stack(call: Any) -> None:
    with ExitStack() as stack:
        stack.enter_context(pytest.raises(RefusedError))
        checked(call(1))


@EXPECTED.append
def _without_source(call: Any) -> None:
    program = "with pytest.raises(RefusedError):\n    checked(call(1))\n"
    exec(program, {"pytest": pytest, "RefusedError": RefusedError, "checked": checked, "call": call})  # noqa: S102 - no file


@EXPECTED.append
def _function(call: Any) -> None:
    pytest.raises(RefusedError, lambda: checked(call(1)))  # noqa: RUF061 - this form is meant
    case = unittest.TestCase()
    case.assertRaises(RefusedError, lambda: checked(call(1)))  # noqa: PT027 - unittest's own is meant
    with case.assertRaisesRegex(RefusedError, "1"):  # noqa: PT027 - unittest's own is meant
        checked(call(1))


@EXPECTED.append
def _future(call: Any) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(RefusedError):
        pool.submit(lambda: checked(call(1))).result()


@EXPECTED.append
def _future_in_a_variable(call: Any) -> None:
    block = pytest.raises(RefusedError)
    with ThreadPoolExecutor(2) as pool, block:
        futures = [pool.submit(lambda: checked(call(1))) for _ in range(2)]
        wrong = [one.exception() for one in futures]
        raise RefusedError from ExceptionGroup("both", [one for one in wrong if isinstance(one, Exception)])


@EXPECTED.append
def _group(call: Any) -> None:
    def one() -> Exception:
        try:
            checked(call(1))
        except RefusedError as error:
            return error
        raise AssertionError

    with pytest.RaisesGroup(RefusedError, RefusedError):
        raise ExceptionGroup("both", [one(), one()])  # noqa: EM101 - a name


@EXPECTED.append
def _coroutine(call: Any) -> None:
    async def fails() -> None:
        await asyncio.sleep(0)
        checked(call(1))

    async def both() -> None:
        await asyncio.gather(fails(), fails())

    with pytest.raises(RefusedError):
        asyncio.run(fails())
    with suppress(RefusedError):
        asyncio.run(fails())  # counts
    call(1)  # counts


@EXPECTED.append
def _another_exception(call: Any) -> None:
    def fails() -> None:
        checked(call(1))

    with pytest.raises(KeyError):
        try:
            fails()
        except RefusedError:
            raise KeyError from None
    with pytest.raises(ValueError, match="beside"):
        try:
            fails()
        except RefusedError as error:
            msg = "beside"
            raise ValueError(msg) from error


@EXPECTED.append
def _same_function(call: Any) -> None:
    with pytest.raises(RefusedError):
        code, *_ = call(1)
        if code:
            raise RefusedError


@EXPECTED.append
def _retried(call: Any) -> None:
    def twice() -> None:
        if call(1)[0]:
            checked(call(2))

    with pytest.raises(RefusedError):
        twice()


@EXPECTED.append
def _returned(call: Any) -> None:
    def code() -> Any:
        return call(1)

    def named() -> Any:
        code, *rest = call(1)
        return code, rest

    with pytest.raises(RefusedError):
        checked(code())
    with pytest.raises(RefusedError):
        checked(named())
    with pytest.raises(RefusedError):
        checked((lambda: code())())  # noqa: PLC3002, PLW0108 - one function more


@EXPECTED.append
def _raised_by_the_call(call: Any) -> None:
    with pytest.raises(RefusedError):
        CHECKED(call)


class _Checked:
    """A wrapper that raises inside the call, such as ctypes with ``errcheck``."""

    def __call__(self, call: Any) -> None:
        checked(call(1))


CHECKED = _Checked()


@EXPECTED.append
def _nested(call: Any) -> None:
    with pytest.raises(RefusedError), pytest.raises(KeyError):
        checked(call(1))
    with pytest.raises(KeyError):
        with pytest.raises(RefusedError):
            checked(call(1))
        raise KeyError


@COUNTED.append
def _before(call: Any) -> None:
    checked_later = call(1)
    with pytest.raises(RefusedError):
        checked(checked_later)


@COUNTED.append
def _before_another(call: Any) -> None:
    assert call(1)
    with pytest.raises(KeyError):
        raise KeyError


@COUNTED.append
def _before_another_within_a_block(call: Any) -> None:
    def inner() -> None:
        assert call(1)
        with pytest.raises(ValueError, match="inner"):
            raise ValueError("inner")  # noqa: EM101 - a name

    with pytest.raises(KeyError):
        inner()
        raise KeyError


@COUNTED.append
def _after(call: Any) -> None:
    with pytest.raises(KeyError):
        raise KeyError
    assert call(1)


@COUNTED.append
def _dropped(call: Any) -> None:
    with pytest.raises(KeyError):
        call(1)
        raise KeyError


@COUNTED.append
def _swallowed(call: Any) -> None:
    def falls_back() -> None:
        with suppress(RefusedError):
            checked(call(1))

    with pytest.raises(KeyError):
        falls_back()
        raise KeyError


@COUNTED.append
def _returned_otherwise(call: Any) -> None:
    def unchecked() -> Any:
        _answer = call(1)

    with pytest.raises(KeyError):
        answer = unchecked()
        raise KeyError(answer)


@COUNTED.append
def _returned_and_dropped(call: Any) -> None:
    with pytest.raises(KeyError):
        (lambda: call(1))()  # noqa: PLC3002 - a function that returns the answer
        raise KeyError


@COUNTED.append
def _of_another_thread(call: Any) -> None:
    with pytest.raises(KeyError):
        thread = Thread(target=lambda: call(1)[0])
        thread.start()
        thread.join()
        raise KeyError


@COUNTED.append
def _other_exception(call: Any) -> None:
    with suppress(RefusedError), pytest.raises(KeyError):
        checked(call(1))


@COUNTED.append
def _asserted(call: Any) -> None:
    with pytest.raises(AssertionError):
        assert call(1) == (0,)


@COUNTED.append
def _only_caught(call: Any) -> None:
    with suppress(RefusedError):
        checked(call(1))


@COUNTED.append
def _no_exception(call: Any) -> None:
    with suppress(pytest.fail.Exception), pytest.raises(RefusedError):
        assert call(1)


@pytest.mark.parametrize("program", EXPECTED, ids=lambda one: one.__name__)
def test_expected(machine: fakecuda.Machine, program: Callable[[Any], None]) -> None:
    """The exception that the block caught may come from the call."""
    counted = refusals.count(machine)
    program(machine.here.c.cuInit)
    assert len(counted.recent) > 0
    assert counted.number == (2 if program.__name__ == "_coroutine" else 0)
    assert not raising._noted  # no block is under way
    assert not raising._open


@pytest.mark.parametrize("program", COUNTED, ids=lambda one: one.__name__)
def test_counted(machine: fakecuda.Machine, program: Callable[[Any], None]) -> None:
    """No block caught an exception that comes from the call."""
    counted = refusals.count(machine)
    program(machine.here.c.cuInit)
    assert counted.number == len(counted.recent) == 1
    assert not raising._noted
