"""Sessions on a real machine: what is used again, what is told, on a second model in the driver's place."""

from __future__ import annotations

import datetime as dt
import multiprocessing
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.runtime.fixtures_of_programs import COUNTER, EMPTY, NOTHING
from conformance.kit.case import Case, Entry, Invocation, World
from conformance.kit.world import CONTEXT, RUNTIME, Unavailable
from conformance.targets import processes
from conformance.targets.divergences import Divergence
from conformance.targets.sessions import MOST, Alongside, Lasting
from conformance.targets.target import Target, check_on_model
from fakecuda.errors import FakeCudaError
from fakecuda.profiles import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROFILE = load("h200-x2")
OUT_OF_MEMORY = 2
LARGE = 1 << 26
"""The size of a block that no context keeps."""

pytestmark = pytest.mark.usefixtures("entries_apart")


class Stand(fakecuda.Machine):
    """A model in place of a machine, which counts its processes."""

    driver_version = 13000

    def __init__(self) -> None:
        super().__init__(PROFILE, strict=False)
        self.spawned: list[Any] = []
        self.at_spawn: Callable[[], None] = lambda: None

    def spawn(self, *args: Any, **keywords: Any) -> Any:
        """Start a process."""
        self.at_spawn()
        self.spawned.append(super().spawn(*args, **keywords))
        return self.spawned[-1]


@pytest.fixture
def real() -> Iterator[Stand]:
    """Return what stands for the real machine."""
    with Stand() as machine:
        yield machine


@pytest.fixture
def session(real: Stand) -> Lasting:
    """Return a session on it."""
    return Lasting(recorder=Alongside(real, fakecuda.Machine(PROFILE, strict=False)))


@pytest.fixture
def entry() -> Entry:
    """Return cases that free memory."""
    return Entry("cuMemFree", lambda w: (a := w.process()).call("cuMemFree", dptr=a.ok.cuMemAlloc(LARGE)))


def name_of_next(session: Lasting, kind: str = CONTEXT, device: int = 0) -> str:
    """Return the name of the process that the next world gets."""
    world = session.world("next")
    made = world.runtime_process(device) if kind == RUNTIME else world.process(device, context=kind == CONTEXT)
    world.finish()
    return made.name


def peers(w: World) -> None:
    """Enable peer access, which is disabled again."""
    a = w.process()
    other = a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuCtxSetCurrent(a.context)
    a.ok.cuCtxEnablePeerAccess(other, 0)


def memory_of_every_kind(w: World) -> None:
    """Leave memory, events, streams, pools and mappings."""
    a = w.process()
    a.ok.cuMemAlloc(4096)
    a.ok.cuMemAllocHost(4096)
    a.ok.cuMemAllocManaged(4096, 1)
    a.ok.cuMemHostRegister(a.host_memory(4096), 4096, 0)
    a.ok.cuEventCreate(0)
    a.ok.cuStreamCreate(0)
    pool = a.ok.cuMemPoolCreate((1, 0, (1, 0), 0, 0, 0, 0))
    a.ok.cuMemAllocFromPoolAsync(4096, pool, 0)
    a.ok.cuMemAllocAsync(4096, 0)
    _, handle = a.mapped()
    a.ok.cuMemRetainAllocationHandle(a.mapped()[0])
    a.ok.cuMemExportToShareableHandle(a.ok.cuMemCreate(2 << 20, (1, 1, (1, 0), 0, (0, 0, 0)), 0), 1, 0)
    a.ok.cuDevicePrimaryCtxRetain(1)
    assert handle


def ipc(w: World) -> None:
    """Open memory of another process."""
    a, b = w.process(), w.process()
    b.ok.cuIpcOpenMemHandle(a.ok.cuIpcGetMemHandle(a.ok.cuMemAlloc(4096)), 1)


def failing(w: World) -> None:
    """Make calls that fail."""
    a = w.process()
    assert a.c.cuCtxSetLimit(99, 1)[0] == 1
    assert a.c.cuDevicePrimaryCtxRelease(0)[0] == 201
    assert a.thread("t").c.cuCtxDestroy(0)[0] == 1


def no_context(w: World) -> None:
    """Take the context from the stack, and push another."""
    a = w.process()
    a.ok.cuCtxPopCurrent()
    a.ok.cuCtxCreate(None, 0, 0)


def destroyed(w: World) -> None:
    """Destroy the process's context."""
    a = w.process()
    a.thread("t").ok.cuCtxDestroy(a.context)


@pytest.mark.parametrize("build", [peers, memory_of_every_kind, ipc, failing, no_context, destroyed])
def test_what_a_world_did_is_taken_back(session: Lasting, real: Stand, build: Callable[[World], None]) -> None:
    """The next world gets the same process, in which nothing is left on either side; the steps agree."""
    world = session.world("")
    build(world)
    first = world.used[0][1]
    world.finish()
    assert session.recorder.found == []
    assert not session.costs.dropped
    before = len(real.spawned)
    assert name_of_next(session) in {one.name for _, one in world.used}
    assert len(real.spawned) == before
    for process in (session.recorder.processes[first.name], session.recorder.model.processes[first.name]):
        spares = [one for one, _ in session.spares if one == process.name]
        assert len(process.contexts) == (process.name == "a" or build is not ipc) + len(spares)
        assert list(process.memory) == []
        assert [*process.handles, *process.events, *process.streams, *process.reservations] == []


def limits(w: World) -> None:
    """Set a limit, which has no way back to what it was."""
    w.process().ok.cuCtxSetLimit(0, 2048)


def broken(w: World) -> None:
    """Have a fork give work to a stream."""
    a = w.process()
    a.recorded.recorder.call(a.name, "forked", "cuDriverGetVersion", ())


def exited(w: World) -> None:
    """Begin to exit."""
    w.process().begin_exit()


def killed(w: World) -> None:
    """Kill the process."""
    w.process().kill()


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (limits, "its context's settings"),
        (broken, "it is broken"),
        (exited, "its state, its context is gone"),
        (killed, "it died"),
    ],
)
def test_what_cannot_be_taken_back_costs_a_process(session: Lasting, build: Callable[[World], None], why: str) -> None:
    """It is told, and the process is no more."""
    world = session.world("")
    build(world)
    world.finish()
    assert session.costs.dropped == {why: 1}
    assert not world.used[0][1].alive
    assert name_of_next(session) != world.used[0][1].name


def test_kinds_of_processes(session: Lasting) -> None:
    """One in which nothing was called stays so; one that was initialised gets a context; the runtime's are its own."""
    world = session.world("")
    new = world.process(context=False, init=False)
    assert new.c.cuMemAlloc(1)[0] == 3
    world.finish()
    assert name_of_next(session) == new.name
    assert name_of_next(session) == new.name
    runtime = name_of_next(session, RUNTIME, 1)
    assert runtime != new.name
    assert name_of_next(session, RUNTIME, 1) == runtime
    assert name_of_next(session, RUNTIME, 0) not in {runtime, new.name}


def test_a_process_is_not_used_for_ever(session: Lasting) -> None:
    """What a driver keeps of worlds must not grow without end."""
    assert len({name_of_next(session) for _ in range(MOST)}) == 1
    assert session.costs.dropped == {"its age": 1}
    assert name_of_next(session) == "b"


def test_checks_use_the_same_processes(entry: Entry, real: Stand) -> None:
    """From check to check; what they cost is told."""
    target = Target("both", PROFILE, real)
    for _ in range(3):
        target.check([Case(entry)])
    target.check(entry.pairs())
    assert len(real.spawned) == 2  # one of them is not initialised
    assert "2 processes" in target.account()
    target.close()
    assert not any(process.alive for process in real.spawned)


def test_a_difference_is_told_with_a_program_that_runs_by_itself(entry: Entry, real: Stand) -> None:
    """It is one of new processes, in which it differs as well; the next check goes on with others."""
    target = Target("both", PROFILE, real)
    target.check([Case(entry)])
    target.check([Case(entry)])
    memory = real.devices[0].memory
    total = memory.total
    real.exhaust_memory(0)
    with pytest.raises(AssertionError, match="SUCCESS instead of OUT_OF_MEMORY") as caught:
        target.check([Case(entry)])
    text = str(caught.value).partition('"""')
    scope: dict[str, Any] = {}
    exec(f'"""{text[2]}', scope)  # noqa: S102 - it is what a person would run
    scope["play"](real)
    with fakecuda.Machine(PROFILE, strict=False) as model, pytest.raises(AssertionError):
        scope["play"](model)
    memory.total = total
    target.check([Case(entry)])
    assert len(real.spawned) == 4  # with that of the second look and that of the program


def test_what_differs_in_used_processes_alone_is_no_failure(entry: Entry, real: Stand) -> None:
    """It is told: what earlier worlds left was at work, and not the call."""
    target = Target("both", PROFILE, real)
    assert target.check([Case(entry)]) == ""
    memory = real.devices[0].memory
    total = memory.total
    real.exhaust_memory(0)
    real.at_spawn = lambda: setattr(memory, "total", total)
    assert "SUCCESS instead of OUT_OF_MEMORY" in target.check([Case(entry)])


def out_of_memory(driver: str) -> Divergence:
    """Return the entry of a driver without memory."""
    return Divergence("", "", "cuMemAlloc", "code", ((driver, 13000),), OUT_OF_MEMORY, 0, "full", dt.date(2026, 1, 1))


def test_known_differences_are_no_failures(real: Stand) -> None:
    """As long as they are about that driver."""
    also = Entry("cuMemAlloc", lambda w: w.process().call("cuMemAlloc", bytesize=LARGE))
    target = Target("both", PROFILE, real, (out_of_memory("=="),))
    target.check([Case(also)])
    real.exhaust_memory(0)
    target.known = (out_of_memory(">"),)
    with pytest.raises(AssertionError, match="OUT_OF_MEMORY"):
        target.check([Case(also)])


def test_what_raises_is_told_and_costs_its_world_alone(entry: Entry, real: Stand) -> None:
    """With the program until there; several problems of one check are told together."""

    @entry.also("raises")
    def raises(_: World, __: Invocation) -> None:
        msg = "it is the case's fault"
        raise OSError(msg)

    target = Target("real", PROFILE, real)
    case = entry.singles()[-1]
    with pytest.raises(AssertionError, match=r"(?s)fault.*fault.*cuMemAlloc") as caught:
        target.check([case, case])
    assert str(caught.value).count("def play") == 2
    target.check([Case(entry)])


def test_what_is_lacking_is_said(real: Stand) -> None:
    """A case that needs a third device."""
    entry = Entry("cuCtxGetDevice", lambda w: w.process(2).call("cuCtxGetDevice"))
    target = Target("real", PROFILE, real)
    with pytest.raises(Unavailable, match="3 devices"):
        target.check([Case(entry)])


def test_workers_begin_with_different_cards(stub_devices: list[str | None]) -> None:
    """The processes of every second worker have the devices in another order, and so have the model's."""
    assert stub_devices == [None, "7,4", None]


@pytest.fixture
def stub_devices(real: Stand, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return the CUDA_VISIBLE_DEVICES of three workers' processes."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    made: list[str | None] = []

    def with_environ(environ: dict[str, str]) -> Stand:
        made[-1] = environ["CUDA_VISIBLE_DEVICES"]
        return real

    monkeypatch.setattr(real, "with_environ", with_environ, raising=False)
    for name in ("MainProcess", "ForkProcess-1", "ForkProcess-2"):
        monkeypatch.setattr(multiprocessing.current_process(), "_name", name)
        made.append(None)
        target = Target("both", PROFILE, real)
        target.check([Case(Entry("cuCtxGetDevice", lambda w: w.process().call("cuCtxGetDevice")))])
        assert target._session is not None
        seen = target._session.recorder.model.processes["a"].devices
        assert [device.ordinal for device in seen] == ([0, 1] if made[-1] is None else [1, 0])
        target._end_session()
    return made


def test_cases_of_hip_are_left_out_of_processes() -> None:
    """The suite's attached processes make calls of CUDA and NVML alone."""
    entry = Entry.of("hipDeviceSynchronize")
    with pytest.raises(Unavailable, match="no calls of HIP"):
        Target("processes", PROFILE).check(entry.singles()[:1])


FAR = "adding a node is not modelled for an OS process that has attached to another process's machine: add it there"


@pytest.mark.parametrize("error", [FakeCudaError(FAR), RuntimeError(f"FakeCudaError: {FAR}"), Unavailable(FAR)])
def test_a_call_that_attached_processes_cannot_make_leaves_a_case_out(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A case alone, and pairs if none of them is left. Any other exception fails the check."""

    def valid(w: World) -> Invocation:
        return w.process().call("cuCtxSynchronize")

    def raises(_: Invocation) -> Any:
        told.append(1)
        if len(told) > left:
            return (3, None)
        raise error

    monkeypatch.setattr(Invocation, "run", raises)
    entry = Entry("cuCtxSynchronize", valid)
    for cases, left in (entry.singles()[:1], 1), (entry.pairs()[:2], 2):
        told: list[int] = []
        with fakecuda.Machine(PROFILE, strict=False) as machine, pytest.raises(Unavailable) as caught:
            check_on_model(cases, machine)
        assert (str(caught.value), len(told)) == (FAR, left)
    told, left = [], 1
    with fakecuda.Machine(PROFILE, strict=False) as machine:
        check_on_model(entry.pairs()[:2], machine)
    assert len(told) == 2
    told, left, error = [], 1, RuntimeError("out of order")
    with fakecuda.Machine(PROFILE, strict=False) as machine, pytest.raises(RuntimeError, match="out of order"):
        check_on_model(entry.pairs()[:2], machine)


def test_names_that_this_process_has_registered_leave_a_case_out() -> None:
    """No attached process has them, whether a call passes the address or memory with the address in it."""
    entry = Entry(
        "cudaFuncSetCacheConfig", lambda w: w.process().call("cudaFuncSetCacheConfig", func=EMPTY, cacheConfig=0)
    )
    with pytest.raises(Unavailable, match="have registered no kernels"):
        Target("processes", PROFILE).check(entry.singles()[:1])
    assert processes.is_registered([("in", b"12345678" + COUNTER.to_bytes(8, "little") + b"1")])
    assert not processes.is_registered([("in", NOTHING.to_bytes(8, "little")), ("L", NOTHING), ("null", None), "name"])


def test_a_host_function_that_a_context_refuses_leaves_a_case_out() -> None:
    """A real host function needs calls that succeed."""

    class Refusing(fakecuda.Machine):
        """A machine whose processes refuse host functions."""

        inside_leaves_traces = True

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call("cuCtxSynchronize")

    def raises(*_: object) -> None:
        raise OSError("cannot call a host function")  # noqa: EM101, TRY003 - as realcuda does

    entry = Entry("cuCtxSynchronize", valid)
    with Refusing(PROFILE, strict=False) as machine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Invocation, "run", raises)
        with pytest.raises(Unavailable, match="cannot call a host function"):
            check_on_model([Case(entry)], machine)
