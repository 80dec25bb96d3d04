"""What several processes see of one that is halted: its memory, its work, its threads, and what is refused."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.world import access, pinned

if TYPE_CHECKING:
    from collections.abc import Callable

SCENES: dict[str, Callable[[Scene], None]] = {}
"""By name."""
ALONE: set[str] = set()
"""Those that look at how much memory is free: nothing else may use the card meanwhile."""
GIGABYTE, PAGE, MAPPED = 1 << 30, 4096, 2
LOCK, CHECKPOINT, RESTORE, UNLOCK = (
    f"cuCheckpointProcess{name}" for name in ("Lock", "Checkpoint", "Restore", "Unlock")
)
STATE, THREAD = "cuCheckpointProcessGetState", "cuCheckpointProcessGetRestoreThreadId"


class Subject:
    """A process of either machine, whose calls are made by its main thread, whoever asks for them."""

    def __init__(self, process: Any) -> None:
        self.process = process
        self.c = process.thread("main").c

    def __getattr__(self, name: str) -> Any:
        return getattr(self.process, name)


@define
class Scene:
    """Processes of a machine, and what they were answered.

    Attributes:
        machine: Where they are.
        lines: What was seen.
        processes: The processes.
        begun: When it began, by the clock that cannot be set.
    """

    machine: Any
    lines: list[list[Any]] = field(factory=list)
    processes: list[Subject] = field(factory=list)
    begun: float = field(factory=time.monotonic)

    def process(self, *, context: bool = True) -> Subject:
        """Return a new process that has called cuInit."""
        made = Subject(self.machine.spawn())
        self.processes.append(made)
        assert made.c.cuInit(0) == (0,)
        if context:
            assert made.c.cuCtxCreate(None, 0, 0)[0] == 0
        return made

    def ask(self, label: str, process: Subject, call: str, *args: Any, thread: str = "main", show: bool = False) -> Any:
        """Make a call, keep its code and, if wanted, its results, and return these."""
        code, *results = getattr(process.thread(thread).c, call)(*args)
        self.lines.append([label, call, code, *(results if show else ())])
        return results[0] if len(results) == 1 else results

    def begin(self, label: str, process: Subject, call: str, *args: Any, thread: str = "main") -> threading.Thread:
        """Make a call in a thread of its own; when it answers is kept as well."""

        def make() -> None:
            begun = time.monotonic()
            try:
                code = getattr(process.thread(thread).c, call)(*args)[0]
            except Exception as error:  # noqa: BLE001 - it is an answer
                code = f"{type(error).__name__}: {error}"[:200]
            self.lines.append([label, call, code, "after", round(time.monotonic() - begun, 1)])

        made = threading.Thread(target=make, daemon=True)
        made.start()
        return made

    def enter(self, process: Subject, *threads: str) -> None:
        """Have the context of a process's main thread current in others."""
        context = process.c.cuCtxGetCurrent()[1]
        for name in threads:
            assert process.thread(name).c.cuCtxSetCurrent(context) == (0,)

    def look(self, label: str, caller: threading.Thread, seconds: float = 0.5) -> None:
        """Keep whether a call that was begun has answered after some seconds."""
        caller.join(seconds)
        self.tell(label, "waits" if caller.is_alive() else "has answered")

    def tell(self, label: str, value: Any) -> None:
        """Keep a value."""
        self.lines.append([label, value])

    def free(self, label: str, process: Subject) -> None:
        """Keep how many megabytes a process sees as free, in tenths, or the code that it is answered."""
        code, free, _ = process.c.cuMemGetInfo()
        self.tell(f"free: {label}", {"code": code} if code else round(free / (1 << 20), 1))

    def close(self) -> None:
        """End the processes."""
        for one in self.processes:
            one.kill()


def scene(ask: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Enter a scene."""
    SCENES[ask.__name__] = ask
    return ask


def alone(ask: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Enter a scene that is asked while no other is."""
    ALONE.add(ask.__name__)
    return scene(ask)


def _round(s: Scene, keeper: Subject, pid: int, each: Callable[[str], None]) -> None:
    """Take a process through all states, and look at it in each."""
    each("running")
    for call in (LOCK, CHECKPOINT, RESTORE, UNLOCK):
        s.ask(call, keeper, call, pid, None)
        s.ask(call, keeper, STATE, pid, show=True)
        each(call)


def _mapped(one: Subject) -> int:
    place = int(one.c.cuMemAddressReserve(GIGABYTE, 0, 0, 0)[1])
    one.c.cuMemMap(place, GIGABYTE, 0, one.c.cuMemCreate(GIGABYTE, pinned(0), 0)[1], 0)
    one.c.cuMemSetAccess(place, GIGABYTE, (access(0),), 1)
    return place


KINDS: dict[str, Callable[[Subject], int]] = {
    "none": lambda _: 0,
    "linear": lambda one: int(one.c.cuMemAlloc(GIGABYTE)[1]),
    "mapped": _mapped,
    "of a pool": lambda one: int(one.c.cuMemAllocAsync(GIGABYTE, 0)[1]),
    "managed": lambda one: int(one.c.cuMemAllocManaged(GIGABYTE, 1)[1]),
    "of the host": lambda one: int(one.c.cuMemHostAlloc(GIGABYTE, MAPPED)[1]),
}
"""What gives a process a gigabyte of memory of a kind."""


@alone
def memory_of_each_kind(s: Scene) -> None:
    """What is free in each state of a process that holds memory of one kind, as another process sees it."""
    watcher = s.process()
    for kind, make in KINDS.items():
        s.free(f"{kind}, not begun", watcher)
        other = s.process()
        if place := make(other):
            s.ask(kind, other, "cuMemsetD8", place, 7, GIGABYTE)
            s.ask(kind, other, "cuCtxSynchronize")
        _round(s, watcher, other.pid, lambda label, kind=kind: s.free(f"{kind}, {label}", watcher))  # type: ignore[misc]
        if place:
            out = bytearray(PAGE)
            s.ask(kind, other, "cuMemcpyDtoH", out, place, PAGE)
            s.tell(f"{kind}: bytes", sorted(set(out)))
        other.kill()


@alone
def what_it_sees_itself(s: Scene) -> None:
    """What a process sees as free while it is locked and put away."""
    keeper, other = s.process(context=False), s.process()
    s.ask("hold", other, "cuMemAlloc", GIGABYTE)

    def look(label: str) -> None:
        caller = threading.Thread(target=lambda: s.free(label, other), daemon=True)
        caller.start()
        s.look(label, caller)

    _round(s, keeper, other.pid, look)


@alone
def no_room_to_come_back(s: Scene) -> None:
    """A process is brought back while another one holds nearly all memory, and again when that is free."""
    keeper, other = s.process(), s.process()
    s.ask("hold", other, "cuMemAlloc", 4 * GIGABYTE)
    s.ask("lock", keeper, LOCK, other.pid, None)
    s.ask("checkpoint", keeper, CHECKPOINT, other.pid, None)
    free = int(keeper.c.cuMemGetInfo()[1])
    place = s.ask("fill", keeper, "cuMemAlloc", free - GIGABYTE)
    s.free("filled", keeper)
    s.ask("restore", keeper, RESTORE, other.pid, None)
    s.ask("restore", keeper, STATE, other.pid, show=True)
    s.ask("unlock", keeper, UNLOCK, other.pid, None)
    s.ask("empty", keeper, "cuMemFree", place)
    s.ask("restore again", keeper, RESTORE, other.pid, None)
    s.ask("restore again", keeper, STATE, other.pid, show=True)
    s.ask("unlock", keeper, UNLOCK, other.pid, None)
    s.ask("call", other, "cuCtxSynchronize")


@alone
def a_process_ends(s: Scene) -> None:
    """One that was locked, and one that was put away, is killed: what is free then, and what is said of its number."""
    watcher = s.process()
    for state in ("locked", "put away"):
        other = s.process()
        other.c.cuMemAlloc(GIGABYTE)
        s.ask(state, watcher, LOCK, other.pid, None)
        if state == "put away":
            s.ask(state, watcher, CHECKPOINT, other.pid, None)
        s.free(state, watcher)
        other.kill()
        s.free(f"{state}, ended", watcher)
        s.ask(state, watcher, STATE, other.pid, show=True)


@scene
def the_restore_thread(s: Scene) -> None:
    """Which thread brings a process back, in each state, and of several processes."""
    keeper = s.process(context=False)
    for context in (False, True):
        other = s.process(context=context)
        seen: list[int] = []

        def look(label: str, other: Subject = other, seen: list[int] = seen) -> None:
            number = int(keeper.c.cuCheckpointProcessGetRestoreThreadId(other.pid)[1] or 0)
            tasks = Path(f"/proc/{other.pid}/task")
            seen.append(number)
            there = (tasks / str(number)).exists()
            name = (tasks / str(number) / "comm").read_text().strip() if there else ""
            s.tell(label, {"of the process": there, "the first": number == other.pid, "name": name})
            s.tell(f"{label}: threads", len(list(tasks.iterdir())) if tasks.exists() else 0)
            own = int(other.c.cuCheckpointProcessGetRestoreThreadId(other.pid)[1] or 0)
            s.tell(f"{label}: the same to itself", own == number)

        _round(s, keeper, other.pid, look)
        s.tell("one number", len(set(seen)) == 1)


def _busy(s: Scene) -> tuple[Subject, Any, int]:
    """Return a process that waits, where a stream of another one waits for a value, and the value's address."""
    other = s.process()
    place = int(other.c.cuMemHostAlloc(PAGE, MAPPED)[1])
    stream = other.c.cuStreamCreate(1)[1]
    device = other.c.cuMemHostGetDevicePointer(place, 0)[1]
    s.ask("wait", other, "cuStreamWaitValue32", stream, device, 1, 1)
    return other, stream, device


def _limit(milliseconds: int) -> tuple[Any, ...]:
    return (milliseconds, 0, (0,) * 7)


@scene
def a_lock_gives_up(s: Scene) -> None:
    """A lock with a time to wait, over work that does not end; what calls of the process do meanwhile and afterwards."""
    keeper, (other, stream, device) = s.process(context=False), _busy(s)
    s.enter(other, "for cuMemAlloc", "for cuStreamQuery")
    lock = s.begin("lock", keeper, LOCK, other.pid, _limit(2500))
    s.look("lock", lock)
    s.ask("meanwhile", keeper, STATE, other.pid, thread="second", show=True)
    for call, args in (("cuMemAlloc", (64,)), ("cuCtxGetCurrent", ()), ("cuStreamQuery", (stream,))):
        s.look(f"meanwhile: {call}", s.begin("meanwhile", other, call, *args, thread=f"for {call}"), 0.3)
    lock.join(10)
    s.ask("afterwards", keeper, STATE, other.pid, show=True)
    s.ask("afterwards", other, "cuMemAlloc", 64)
    s.ask("write", other, "cuStreamWriteValue32", other.c.cuStreamCreate(1)[1], device, 1, 0)
    s.ask("synchronize", other, "cuStreamSynchronize", stream)
    s.ask("lock again", keeper, LOCK, other.pid, _limit(2500))
    s.ask("lock again", keeper, STATE, other.pid, show=True)


@scene
def a_lock_waits(s: Scene) -> None:
    """A lock over work that takes three seconds, with time enough, without an end, and with too little time."""
    for limit in (None, _limit(0), _limit(6000), _limit(1000)):
        keeper, other = s.process(context=False), s.process()
        s.ask("sleep", other, "cuLaunchHostFunc", 0, other.c_function("sleep"), 3)
        lock = s.begin(f"lock {limit and limit[0]}", keeper, LOCK, other.pid, limit)
        s.look("lock", lock, 0.5)
        lock.join(10)
        s.ask("state", keeper, STATE, other.pid, show=True)


@scene
def a_call_waits_for_work(s: Scene) -> None:
    """A process is locked while a call of it waits for work."""
    keeper, (other, stream, _) = s.process(context=False), _busy(s)
    s.enter(other, "second")
    caller = s.begin("synchronize", other, "cuStreamSynchronize", stream, thread="second")
    s.look("synchronize", caller)
    s.ask("lock", keeper, LOCK, other.pid, _limit(1500))
    s.ask("lock", keeper, STATE, other.pid, show=True)
    s.look("synchronize", caller)


@scene
def while_it_is_locked(s: Scene) -> None:
    """Threads without a context, calls that wait together, and the order in which they go on."""
    keeper, other = s.process(context=False), s.process()
    s.enter(other, "memory", "no bytes")
    s.ask("lock", keeper, LOCK, other.pid, None)
    callers = [
        (name, s.begin(name, other, call, *args, thread=name))
        for name, call, args in (
            ("without a context", "cuMemAlloc", (64,)),
            ("memory", "cuMemAlloc", (64,)),
            ("no bytes", "cuMemAlloc", (0,)),
            ("init", "cuInit", (0,)),
            ("init, flags", "cuInit", (1,)),
            ("context", "cuCtxCreate", (None, 0, 0)),
            ("current", "cuCtxSetCurrent", (0,)),
            ("device", "cuDeviceGet", (0,)),
            ("far device", "cuDeviceGet", (99,)),
            ("name", "cuDeviceGetName", (64, 0)),
        )
    ]
    for name, caller in callers:
        s.look(name, caller, 0.2)
    for name, call, args in (
        ("state", STATE, (other.pid,)),
        ("thread", THREAD, (other.pid,)),
        ("lock", LOCK, (other.pid, None)),
        ("restore", RESTORE, (other.pid, None)),
        ("another's state", STATE, (keeper.pid,)),
        ("checkpoint", CHECKPOINT, (other.pid, None)),
        ("checkpoint again", CHECKPOINT, (other.pid, None)),
        ("unlock", UNLOCK, (other.pid, None)),
        ("restore", RESTORE, (other.pid, None)),
        ("lock of another", LOCK, (keeper.pid, None)),
        ("unlock of another", UNLOCK, (keeper.pid, None)),
        ("unlock", UNLOCK, (other.pid, None)),
    ):
        s.look(f"its own: {name}", s.begin(f"its own: {name}", other, call, *args, thread="own"), 3)
    for name, caller in callers:
        s.look(name, caller, 1)


@scene
def arguments(s: Scene) -> None:
    """Reserved members that are not zero, and pairs of devices."""
    keeper, other = s.process(), s.process()
    for label, args in (
        ("reserved0", (1000, 1, (0,) * 7)),
        ("reserved1", (1000, 0, (1, *(0,) * 6))),
        ("the last", (1000, 0, (*(0,) * 6, 1))),
        ("none", _limit(1000)),
    ):
        s.ask(f"lock, {label}", keeper, LOCK, other.pid, args)
        s.ask(f"lock, {label}", keeper, STATE, other.pid, show=True)
        s.ask("unlock", keeper, UNLOCK, other.pid, None)
    uuid = bytes(keeper.c.cuDeviceGetUuid(0)[1] or b"")
    one, pairs = int(keeper.c.cuMemAlloc(PAGE)[1]), keeper.host_memory(PAGE)
    for label, content, count in (
        ("the same device", uuid + uuid, 1),
        ("the same device, twice", 2 * (uuid + uuid), 2),
        ("no pairs counted", uuid + uuid, 0),
        ("to no device", uuid + bytes(16), 1),
        ("from no device", bytes(16) + uuid, 1),
        ("null", b"", 1),
    ):
        if content:
            keeper.c.cuMemcpyHtoD(one, content, len(content))
            keeper.c.cuMemcpy(pairs, one, len(content))
        for call in (LOCK, CHECKPOINT):
            s.ask(f"pairs, {label}", keeper, call, other.pid, None)
        s.ask(f"pairs, {label}", keeper, RESTORE, other.pid, (pairs if content else 0, count, 0))
        s.ask(f"pairs, {label}", keeper, STATE, other.pid, show=True)
        s.ask(f"pairs, {label}: none then", keeper, RESTORE, other.pid, None)
        s.ask(f"pairs, {label}", keeper, UNLOCK, other.pid, None)


@scene
def memory_of_others(s: Scene) -> None:
    """Memory that another process has opened, and that was opened from one: what is halted, and what the other sees."""
    for opener_is_halted in (False, True):
        owner, opener = s.process(), s.process()
        memory = int(owner.c.cuMemAlloc(GIGABYTE)[1])
        opened = int(opener.c.cuIpcOpenMemHandle(owner.c.cuIpcGetMemHandle(memory)[1], 1)[1] or 0)
        halted, other = (opener, owner) if opener_is_halted else (owner, opener)
        place = memory if other is owner else opened
        for call in (LOCK, CHECKPOINT):
            s.ask(call, other, call, halted.pid, None)
            s.ask(call, other, STATE, halted.pid, show=True)
            s.ask(f"the other uses it after {call}", other, "cuMemsetD8", place, 3, PAGE)
            s.ask(f"the other uses it after {call}", other, "cuCtxSynchronize")
        for call in (RESTORE, UNLOCK):
            s.ask(call, other, call, halted.pid, None)
        s.ask("goes on", halted, "cuMemsetD8", opened if halted is opener else memory, 3, PAGE)
