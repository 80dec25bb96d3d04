"""Tests as a user writes them, with annotations; mypy holds them to these types, here and beside an installed wheel."""

from __future__ import annotations

from typing import assert_type

import pytest

import fakecuda as module
from fakecuda import CallRecord, FakeCuda, Finding, Machine, Process, Rule


def exporter_of(fakecuda: FakeCuda) -> Process:
    """Return a new process with a context."""
    process = fakecuda.spawn()
    assert process.driver.cuInit(0) == (0,)
    error, context = process.driver.cuDevicePrimaryCtxRetain(0)
    assert error == 0
    assert process.driver.cuCtxSetCurrent(context) == (0,)
    return process


@pytest.mark.fakecuda(profile="h200-x2")
def test_a_call_is_recorded_with_the_rule_that_it_broke(fakecuda: FakeCuda) -> None:
    """Calls, rules and codes."""
    process = exporter_of(fakecuda)
    error, pointer = process.driver.cuMemAlloc(1 << 20)
    assert error == 0
    assert process.driver.cuMemFree(pointer) == (0,)
    assert process.driver.cuMemFree(pointer) == (module.Result.INVALID_VALUE,)
    last = fakecuda.calls[-1]
    assert_type(last, CallRecord)
    assert_type(last.rule, Rule | None)
    assert last.process == process.name
    assert last.rule is not None


def test_what_the_fixture_gives_has_types(fakecuda: FakeCuda) -> None:
    """A process takes its options by name."""
    other = fakecuda.spawn("other", visible_devices="1", imex_channels=())
    assert_type(other, Process)
    assert_type(fakecuda.machine, Machine)
    assert_type(fakecuda.here, Process)
    assert_type(fakecuda.processes, dict[str, Process])
    assert_type(fakecuda.findings, list[Finding])
    assert fakecuda.processes == {"other": other, "here": fakecuda.here}
    assert other.driver.cuInit(0) == (0,)
    assert other.driver.cuDeviceGetCount()[1] == 1


def test_undefined_behaviour_is_an_exception(fakecuda: FakeCuda) -> None:
    """The fixture has the module's names; a machine without the fixture is a context manager."""
    process = exporter_of(fakecuda)
    error, stream = process.driver.cuStreamCreate(0)
    assert error == 0
    assert process.driver.cuStreamDestroy(stream) == (0,)
    with (
        fakecuda.expect_undefined("stream.handle.STREAM_IS_LIVE") as came,
        pytest.raises(fakecuda.UndefinedBehaviour) as raised,
    ):
        process.driver.cuStreamDestroy(stream)
    assert_type(module.UndefinedBehaviour(fakecuda.findings[0]).finding, Finding)
    assert raised.value.finding is fakecuda.findings[0] is came[0]
    with module.simulate("h200") as machine:
        assert_type(machine, Machine)
        assert module.installed() is machine
    with Machine("h200", strict=False, seed=1) as machine:
        assert_type(machine, Machine)
        assert machine.spawn().c.cuInit(0) == (0,)
