"""A null function by the look-alike: cuda.bindings wrap it, and the process ends when a stream calls what they made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.errors import ProcessDied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAUNCHES: dict[str, Callable[[Any, Any], Any]] = {
    "cuLaunchHostFunc": lambda process, null: process.driver.cuLaunchHostFunc(0, null, 0),
    "cuStreamAddCallback": lambda process, null: process.driver.cuStreamAddCallback(0, null, 0, 0),
    "cudaLaunchHostFunc": lambda process, null: process.runtime.cudaLaunchHostFunc(0, null, 0),
    "cudaStreamAddCallback": lambda process, null: process.runtime.cudaStreamAddCallback(0, null, 0, 0),
}


@pytest.fixture
def lax() -> Iterator[fakecuda.Machine]:
    """Return a machine that answers as the driver does."""
    with fakecuda.Machine("h200", strict=False) as machine:
        yield machine


def started(process: fakecuda.Process) -> None:
    """Make a context of a process."""
    assert process.c.cuInit(0) == (0,)
    assert process.c.cuCtxCreate(None, 0, 0)[0] == 0


@pytest.mark.parametrize("null", [None, 0])
@pytest.mark.parametrize("launch", LAUNCHES)
def test_it_ends_a_simulated_process(launch: str, null: Any, lax: fakecuda.Machine) -> None:
    """The launch succeeds; memory of the process is given back, another process goes on, and nothing is found."""
    a, b = lax.spawn(), lax.spawn()
    started(a)
    started(b)
    (code,) = LAUNCHES[launch](a, null)
    assert code == 0
    with pytest.raises(ProcessDied):
        a.c.cuCtxSynchronize()
    assert not a.alive
    assert b.c.cuCtxSynchronize() == (0,)
    assert lax.findings == []
    lax.check_invariants()


@pytest.mark.parametrize("launch", LAUNCHES)
def test_the_tests_own_process_gets_a_finding(launch: str, lax: fakecuda.Machine) -> None:
    """It goes on: a test that ends tells nobody why. Work behind the function is done."""
    started(lax.here)
    (code,) = LAUNCHES[launch](lax.here, None)
    assert code == 0
    assert lax.here.c.cuCtxSynchronize() == (0,)
    (finding,) = lax.findings
    assert (finding.call, finding.process) == (launch, "here")
    assert finding.rule.statement in {"`fn` is not null", "`callback` is not null"}
    lax.findings.clear()


@pytest.mark.parametrize("launch", LAUNCHES)
def test_a_strict_machine_says_so_at_once(launch: str) -> None:
    """And nothing waits in the stream."""
    with fakecuda.Machine("h200") as machine:
        a = machine.spawn()
        started(a)
        with pytest.raises(fakecuda.UndefinedBehaviour, match="is not null"):
            LAUNCHES[launch](a, None)
        assert a.c.cuStreamQuery(0) == (0,)
        machine.findings.clear()
