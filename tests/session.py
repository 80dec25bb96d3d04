"""Hooks of a whole test run: compiled files, coverage, and order of long tests.

A plugin of pytest, named in ``pyproject.toml``.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import math
import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coverage import Coverage

MEASURED = (
    "tests/faults/",
    "tests/kernels/",
    "tests/model/",
    "tests/nvml/",
    "tests/profiles/",
    "tests/rules/",
    "conformance/",
)
"""Tests that must cover the model, the rules and the kernels."""
LOOPS = (
    "tests/faults/test_sweep_of_bugs.py",
    "tests/model/test_interrupted_controls.py::test_a_control_happens_or_does_not",
    "tests/model/test_interrupts.py::test_calls_happen_or_do_not",
    "tests/model/test_interrupts.py::test_what_does_not_wait_is_found",
    "tests/model/test_happens_before.py::test_nothing_else_orders",
    "tests/model/test_stateful.py",
    "tests/model/test_waits.py::test_a_call_that_looks_again",
    "tests/model/test_waits.py::test_a_change_before_a_wait",
    "tests/model/test_woken.py::test_an_end_at_every_wake_up",
    "tests/nvml/test_proofs.py",
    "tests/nvml/test_recording.py",
    "tests/nvml/test_symbols.py",
    "tests/rules/test_effects.py",
    "tests/rules/test_layers.py",
)
"""Long tests among them that reach no further lines."""
BROWSER = "browser"
"""The fixture of tests with Chromium, which .ci/long runs separately."""
HERE = Path(__file__).parent
LEFT_OUT = "tests marked long are left out, and those in a browser; --long runs them, as .ci/long does"
WORKER = "PYTEST_XDIST_WORKER" in os.environ
HANGS = 600.0
"""Seconds after which a test hangs; Python prints all stacks and exits."""
AGAIN = 60.0
"""Tolerance in seconds of this limit, because each change starts a thread."""
_limited = [-math.inf]
"""The time of the last change of the limit."""

# Many tests start a Python. Each would compile all of fakecuda anew where a container's image says so.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--long``."""
    parser.getgroup("fakecuda").addoption("--long", action="store_true", help="run the tests that are marked long, too")


def pytest_cmdline_main(config: pytest.Config) -> None:
    """Have a worker that has nothing left take tests of another: the long ones stand together."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "worksteal"


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; measure coverage, if that is asked for, in the processes that run tests and in no other."""
    if config.getoption("long"):
        from tests import rotation  # noqa: PLC0415 - most runs take samples

        rotation.whole = True
    config.addinivalue_line("markers", "long(reason): need not run on each commit; --long runs it")
    measured = _measured()
    if measured is not None and (WORKER or not config.getoption("numprocesses", None)):
        del os.environ["COVERAGE_PROCESS_START"]
        config.pluginmanager.register(Measuring(measured))


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Have each second worker import the last tests first: in a fresh clone pytest compiles tests for ten seconds, so each compiles half.

    The garbage collector waits meanwhile: all that is collected stays.
    """
    if isinstance(collector, pytest.Session):
        gc.disable()
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if isinstance(collector, pytest.Session) and number % 2 and HERE.name in collector.config.args:
        for path in sorted(HERE.rglob("test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # collection meets it again, and reports it
                import_module(".".join((HERE.name, *path.relative_to(HERE).with_suffix("").parts)))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Tell what is left out."""
    return None if config.option.long else LEFT_OUT


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long tests out; without a word to other plugins, for nobody has chosen among the tests."""
    if not config.option.long:
        items[:] = [
            item for item in items if item.get_closest_marker("long") is None and BROWSER not in _fixtures(item)
        ]


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Limit the time of a test, unless pytest's plugin for stacks is switched off."""
    stderr = item.config.stash.get(fault_handler_stderr_fd_key, None)
    if stderr is not None and time.monotonic() - _limited[0] >= AGAIN:
        faulthandler.dump_traceback_later(HANGS, file=stderr, exit=True)
        _limited[0] = time.monotonic()
    try:
        return (yield)
    finally:
        if nextitem is None:
            _unlimit()


def pytest_exception_interact() -> None:
    """Set the limit again for the next test: pytest has cancelled it."""
    _limited[0] = -math.inf


def _unlimit() -> None:
    faulthandler.cancel_dump_traceback_later()
    _limited[0] = -math.inf


BYTES = bytes(range(256))
SINGLE = [BYTES[number : number + 1] for number in range(256)]
"""Python's own objects of one byte. A slice is one, and so is a literal in a module that has just been compiled;
``bytes((number,))`` is a new object."""
NAMES_THE_TEST = b"PYTEST_CURRENT_TEST"
_found: dict[bytes, bytes] = {}
"""The environment variables before the current test, undecoded."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Note the environment variables that a test finds."""
    _found.clear()
    _found.update(_environment())
    yield


def _environment() -> dict[bytes, bytes]:
    """Return the environment variables, without the one in which pytest names the test."""
    found: dict[bytes, bytes] = os.environ._data.copy()  # type: ignore[attr-defined]
    found.pop(NAMES_THE_TEST, None)
    return found


def _text(environment: dict[bytes, bytes], name: bytes) -> str:
    value = environment.get(name)
    return repr(value if value is None else os.fsdecode(value))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Fail a test that leaves a machine whose lock is held: whoever raises in another thread waits for it, in later tests, too."""
    yield
    if (
        nextitem is None or nextitem.path != item.path
    ):  # what a file keeps, recordings say, is looked at in no later collection
        gc.collect()
        gc.freeze()
    if "fakecuda.model.os.async_exceptions" in sys.modules:
        from conformance.fuzz.whole import is_held  # noqa: PLC0415 - most runs of a few tests do without
        from fakecuda.model.os.async_exceptions import machines  # noqa: PLC0415 - likewise

        for machine in list(machines):
            if is_held(machine):
                machines.discard(machine)
                pytest.fail(
                    f"{item.nodeid} leaves the lock of {machine!r} held; what breaks machines asks for broken_machines"
                )
    if (now := _environment()) != _found:
        changed = sorted(name for name in {*now, *_found} if now.get(name) != _found.get(name))
        told = ", ".join(f"{os.fsdecode(name)} is {_text(now, name)}, it was {_text(_found, name)}" for name in changed)
        os.environb.update(_found)
        for name in now.keys() - _found.keys():
            del os.environb[name]
        pytest.fail(f"{item.nodeid} changes the environment of later tests ({told}); use monkeypatch.setenv")
    if (joined := b"".join(SINGLE)) != BYTES:  # a copy to the host went into one of them
        for one, byte in zip(SINGLE, BYTES, strict=True):
            ctypes.memset(id(one) + bytes.__basicsize__ - 1, byte, 1)
        wrong = [byte for byte, there in zip(BYTES, joined, strict=True) if byte != there]
        pytest.fail(f"{item.nodeid} writes into Python's own objects of one byte: {wrong}; pass a bytearray")


def pytest_collection_finish() -> None:
    """Have the collector leave alone what was collected: tests ask for it often, and it would look at all of that."""
    gc.enable()
    gc.collect()
    gc.freeze()


class Measuring:
    """Measures coverage during counted tests and imports only.

    Args:
        coverage: What measures in this process.
    """

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Begin with the tests that count: what is made once is made in one of them, and measured."""
        items.sort(key=lambda item: not _counts(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Pause in a test that does not count."""
        if _counts(item):
            return (yield)
        self.coverage.stop()
        try:
            return (yield)
        finally:
            self.coverage.start()


def _counts(item: pytest.Item) -> bool:
    return item.nodeid.startswith(MEASURED) and not item.nodeid.startswith(LOOPS)


def _measured() -> Coverage | None:
    """Return what measures coverage in this process, which the environment asked for."""
    if "COVERAGE_PROCESS_START" not in os.environ:
        return None
    from coverage import Coverage  # noqa: PLC0415 - most runs go without

    return Coverage.current()
