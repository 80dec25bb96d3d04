"""Calls through C that no driver answers: what is not modelled, ended or out of memory, and what a callback raises."""

from __future__ import annotations

import ctypes
import threading
import warnings

import pytest

from fakecuda import Machine, NotModelledWarning
from fakecuda.errors import FakeCudaError
from fakecuda.reach.native.generated import callbacks as generated
from tests.native.test_callbacks import ARGS, function, ready

INVALID_VALUE, NOT_SUPPORTED = 1, 801


def test_what_is_not_modelled_says_so_once(machine: Machine) -> None:
    """The first call of a machine warns, at the place of the call; all answer NOT_SUPPORTED."""
    assert machine.here.alive
    call = function("cuCtxFromGreenCtx")
    with pytest.warns(
        NotModelledWarning, match="^cuCtxFromGreenCtx is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED$"
    ) as seen:
        assert [call(0, 0), call(0, 0)] == [NOT_SUPPORTED] * 2
    assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.parametrize(
    ("old", "new"),
    [("cuGraphAddNode_v3", "cuGraphAddNode_v2")],
)
def test_an_older_form_names_the_one_to_use(machine: Machine, old: str, new: str) -> None:
    """A symbol that the model does not serve, of a call that it has, says which one to use."""
    assert machine.here.alive
    with pytest.warns(NotModelledWarning, match=f"^{old} is not modelled: .*; use {new}$"):
        assert function(old)(*[0] * len(ARGS[old])) == NOT_SUPPORTED


def test_the_runtime_is_told_about(machine: Machine) -> None:
    """The private tables that the CUDA runtime asks for explain themselves."""
    assert machine.here.alive
    with pytest.warns(NotModelledWarning, match="; this process asks the driver for a private table"):
        assert function("cuGetExportTable")(0, 0) == NOT_SUPPORTED


def test_a_warning_that_is_an_error_is_raised_after_the_call(machine: Machine) -> None:
    """Under ``-W error`` the caller gets the warning, though no exception can travel through C."""
    assert machine.here.alive
    call = function("cuCtxFromGreenCtx")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(NotModelledWarning):
            call(0, 0)
    assert not machine.findings


def test_a_lack_of_memory_is_raised_after_the_call(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the program's affair, and no mistake of the simulator's."""

    def lacks(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(generated, "_cuMemFree", lacks)
    monkeypatch.setitem(globals(), "__name__", "fakecuda.tests")
    with pytest.raises(MemoryError):
        function("cuMemFree_v2")(0)
    assert not machine.findings


def test_what_the_simulator_raises_is_a_finding(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call answers CUDA_ERROR_UNKNOWN, and the finding has the traceback."""
    monkeypatch.setattr(generated, "_cuMemFree", lambda *_: machine.missing)  # type: ignore[attr-defined]
    # The lambda counts as the simulator's: it runs in a module of that name.
    monkeypatch.setitem(globals(), "__name__", "fakecuda.tests")
    assert function("cuMemFree_v2")(0) == 999
    (finding,) = machine.findings
    assert (finding.call, finding.rule.id) == ("cuMemFree", "fakecuda.reach.native.callbacks.CALL_IS_ANSWERED")
    assert "'Machine' object has no attribute 'missing'" in str(finding)


def test_what_is_not_modelled_is_a_finding_in_a_thread(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be raised there. The finding says what is not modelled, and blames no program."""

    def refused(*_: object) -> None:
        msg = "this is not modelled: do something else"
        raise FakeCudaError(msg)

    monkeypatch.setattr(generated, "_cuMemFree", refused)
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(function("cuMemFree_v2")(0)))
    thread.start()
    thread.join()
    (finding,) = machine.findings
    assert codes == [999]
    assert (finding.call, finding.rule.id) == ("cuMemFree", "fakecuda.reach.native.callbacks.CALL_IS_MODELLED")
    assert finding.facts == {"raised": "this is not modelled: do something else"}


def test_an_ended_process_is_deinitialized(machine: Machine) -> None:
    """After ``machine.here.exit()`` calls answer as in a process that is being torn down."""
    ready(machine)
    machine.here.exit()
    assert function("cuMemFree_v2")(0) == 4


def test_undefined_behaviour_answers_as_the_driver_does(machine: Machine) -> None:
    """Nothing is raised through C: the finding is kept."""
    ready(machine)
    place = ctypes.c_uint64(0)
    assert function("cuGetErrorName")(1, 0) == 1
    assert [finding.call for finding in machine.findings] == ["cuGetErrorName"]
    assert place.value == 0
    with pytest.raises(Exception, match="cuGetErrorName"):
        machine.here.c.cuGetErrorName(1, null="pStr")


def test_finalisers_may_call_the_driver_anywhere(machine: Machine) -> None:
    """The collector runs them inside calls, with arguments of their own; nobody notices."""
    import gc  # noqa: PLC0415 - one test needs it

    pointer = ready(machine)
    free, range_of, alloc = map(function, ("cuMemFree_v2", "cuMemGetAddressRange_v2", "cuMemAlloc_v2"))
    codes = []

    class Held:
        def __init__(self) -> None:
            place = ctypes.c_uint64()
            codes.append(alloc(ctypes.addressof(place), 256))
            self.address, self.me = place.value, self

        def __del__(self) -> None:
            codes.extend((range_of(0, 0, self.address), free(self.address)))

    size = ctypes.c_uint64()
    before = gc.get_threshold()
    gc.set_threshold(5)
    try:
        for _ in range(3000):
            Held()
            size.value = 0
            codes.append(range_of(0, ctypes.addressof(size), pointer))
            assert size.value == 4096
    finally:
        gc.set_threshold(*before)
        gc.collect()
    assert set(codes) == {0}
    assert len(codes) == 3000 * 4
    machine.check_invariants()
