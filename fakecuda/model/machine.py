"""The machine: devices that simulated processes share, and what is known machine-wide."""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from hashlib import blake2b
from itertools import count
from threading import Condition, RLock, current_thread
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.model import options
from fakecuda.model.code.linking import blocks_of
from fakecuda.model.context import Context, Device
from fakecuda.model.effect import effect
from fakecuda.model.left import left_in
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.model.memory.backing import FILES, DeviceMemory, HostMemory, hide, new_pipe
from fakecuda.model.memory.headroom import heed_limits
from fakecuda.model.memory.memory import Placed, Registered
from fakecuda.model.memory.multicast import Fabric
from fakecuda.model.memory.pool import Pool, Pooled, pools_of
from fakecuda.model.memory.pool import end as end_pools
from fakecuda.model.memory.space import REGION
from fakecuda.model.memory.va import Mapping
from fakecuda.model.memory.visible import visible
from fakecuda.model.nvml import cards_of
from fakecuda.model.os.async_exceptions import machines, put_off_thrown
from fakecuda.model.os.interruption import is_torn, put_off, whole
from fakecuda.model.os.process import DEINITIALIZED, FORKED, NOT_INITIALIZED, Process
from fakecuda.model.os.rng import Chance
from fakecuda.model.os.tracing import put_off_traces
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.clock import REAL, VIRTUAL, Clock, Rates
from fakecuda.model.work.happens_before import Races
from fakecuda.model.work.stream_scheduler import forked, running
from fakecuda.model.work.wait_graph import Census
from fakecuda.model.work.waiting import drop_work, wait
from fakecuda.profiles import DeviceProfile, Profile, load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda.model.finding import Finding
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.memory import Share
    from fakecuda.model.memory.va import Physical
    from fakecuda.model.nvml import Card
    from fakecuda.model.os.process import Thread
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream
    from fakecuda.model.work.worker import Worker
    from fakecuda.rules.core import Rule

CALLS_KEPT = 10_000
DEAD_KEPT = 1000
"""Processes that have ended of which everything is known still; of earlier ones it is that handles are theirs."""
MARK = 8
"""Bytes of an IPC handle by which a machine knows it for its own."""
EAGER, MANUAL = "eager", "manual"
MEMORY_CAP = 8 << 30
PATIENCE = 60.0
"""Seconds that a call waits by default for what somebody may bring about."""
VMM = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"]
HOST = -1
"""The ordinal of the host in tables of devices."""
HOST_PROFILE = DeviceProfile("host", bytes(16), "", 256 << 30, 256 << 30, {})


@define(eq=False)
class Export:
    """A descriptor that stands for memory or a pool, as long as a copy of it is open.

    Attributes:
        physical: The memory or the pool.
        descriptor: Our end of the pipe.
        process: The process that has made it.
        created: The stack that has.
    """

    physical: Physical | Pool
    descriptor: int
    process: Process
    created: Stack = field(repr=False)

    def __repr__(self) -> str:
        what = self.physical if isinstance(self.physical, Pool) else f"memory of {self.physical.size:#x} bytes"
        return f"exported file descriptor of {what}"


@define(eq=False, init=False)
class Machine:
    """The state that the processes of one machine share.

    Attributes:
        profile: What the machine reports of itself.
        strict: Whether undefined behaviour is reported.
        devices: The cards.
        vmm: Whether the devices support virtual memory management.
        host: The host's memory, for allocations that lie there.
        processes: The processes by name, dead ones included.
        living: Those that live: what a call asks of all processes costs nothing for dead ones.
        dead: Those of the processes by name that have ended, oldest first: the last ``DEAD_KEPT``, and those of whose memory
            others have something.
        numbers: The numbers of processes to come.
        calls: The last calls, oldest first, as raw tuples (thread, op, arguments, code, results, rule, facts).
        findings: Undefined behaviour seen on a strict machine.
        deadlocks: Calls that waited in vain.
        tolerates: Asked of each finding: whether it is kept without being raised.
        pinned: The host's memory that is page-locked.
        managed: The memory that devices and host share.
        fabric: The multicast objects.
        shares: What legacy IPC handles name, by their 64 bytes.
        exported_events: What IPC event handles name, by their 64 bytes; they outlive the events and their processes.
        pool_shares: Memory of pools that other processes import, by the 64 bytes that name it.
        exports: Exported memory and pools by the descriptor's device and inode.
        fabric_handles: What fabric handles name, by their 64 bytes: the memory and the exporter's IMEX channels.
        poller: Watches our ends of the pipes.
        manual: Whether work is done only when somebody waits for it.
        pending: Streams with work that is not done.
        workers: What calls functions of the host for streams, as far as it may not have ended.
        lock: Held by every operation.
        progress: Tells those who wait for work that some was done.
        patience: Seconds that a call waits for what somebody may bring about.
        census: Who calls, and who waits.
        clock: Its time.
        meters: How often the meter of a card's energy has told something new, as far as anybody asked, by the card's number.
        territory: Its addresses and handles.
        random_bytes: Returns so many bytes that nobody can guess without the seed.
        races: What is known of the order of accesses; None where nobody asks.
        refused: Told of each call that answers another code than success; None while nobody listens. It is called with the
            thread, the call, its arguments, the code, the rule, or None where the call is not modelled, and what broke it.
        elsewhere: Whether another OS process owns it.
    """

    elsewhere: ClassVar[bool] = False
    profile: Profile = field(repr=lambda profile: repr(profile.name))
    strict: bool = True
    devices: tuple[Device, ...] = field(init=False, repr=False)
    host: Device = field(init=False, repr=False)
    vmm: bool = field(init=False, repr=False)
    pinned: HostMemory = field(init=False, repr=False)
    managed: HostMemory = field(init=False, repr=False)
    fabric: Fabric = field(init=False, repr=False)
    processes: dict[str, Process] = field(factory=dict, repr=False)
    living: dict[Process, None] = field(factory=dict, init=False, repr=False)
    dead: deque[Process] = field(factory=deque, init=False, repr=False)
    numbers: count[int] = field(factory=lambda: count(0), init=False, repr=False)
    calls: deque[tuple[Any, ...]] = field(factory=lambda: deque(maxlen=CALLS_KEPT), repr=False)
    findings: list[Finding] = field(factory=list, repr=False)
    deadlocks: list[Deadlock] = field(factory=list, init=False, repr=False)
    tolerates: Callable[[Finding], bool] = field(default=lambda _: False, init=False, repr=False)
    shares: dict[bytes, Share] = field(factory=dict, repr=False)
    exported_events: dict[bytes, Event] = field(factory=dict, repr=False)
    pool_shares: dict[bytes, Pooled] = field(factory=dict, repr=False)
    exports: dict[tuple[int, int], Export] = field(factory=dict, repr=False)
    fabric_handles: dict[bytes, tuple[Physical, tuple[int, ...]]] = field(factory=dict, repr=False)
    poller: select.poll = field(factory=select.poll, repr=False)
    manual: bool = field(default=False, init=False, repr=False)
    pending: dict[Stream, None] = field(factory=dict, init=False, repr=False)
    workers: list[Worker] = field(factory=list, init=False, repr=False)
    lock: RLock = field(factory=RLock, init=False, repr=False)
    progress: Condition = field(init=False, repr=False)
    record: Callable[[tuple[Any, ...]], None] = field(init=False, repr=False)
    clock: Clock = field(init=False, repr=False)
    meters: dict[int, int] = field(factory=dict, init=False, repr=False)
    territory: Territory = field(init=False, repr=False)
    random_bytes: Callable[[int], bytes] = field(init=False, repr=False)
    patience: float = field(default=PATIENCE, init=False)
    census: Census = field(factory=Census, init=False, repr=False)
    _chance: Chance = field(init=False, repr=False)
    _remains: dict[Device, Context] = field(factory=dict, init=False, repr=False)
    _key: bytes | None = field(default=None, init=False, repr=False)
    closed: bool = True
    races: Races | None = field(default=None, init=False, repr=False)
    refused: Callable[[Thread, str, tuple[Any, ...], int, Rule | None, dict[str, Any]], None] | None = field(
        default=None, init=False, repr=False
    )

    def __init__(
        self,
        profile: str | Path | Profile = "h200-x2",
        *,
        strict: bool = True,
        races: bool = True,
        seed: int | None = None,
        memory_cap: int = MEMORY_CAP,
        completion: str = EAGER,
        patience: float = PATIENCE,
        clock: str = VIRTUAL,
    ) -> None:
        """Make a machine.

        Args:
            profile: A profile's name, a path of a TOML file, or a Profile.
            strict: Report undefined behaviour; otherwise answer as the driver does.
            races: Report accesses to memory that nothing orders, if it is strict.
            seed: Rules all randomness, together with the id of the test that makes the machine: the same addresses,
                handles and IPC handles each time. None draws from that id and the machine's number among those that the
                test makes so, outside of tests from the system.
            memory_cap: Bytes of simulated memory that may be written, for each device and each kind of the host's.
            completion: When streams do their work: ``eager``, as soon as it can be done; ``manual``, when somebody waits
                for it or calls :meth:`complete`.
            patience: Seconds, more than 0, that a call waits for what another thread, another OS process or the host may
                bring about, before it raises EndlessWait; a thirtieth of it where there are only threads that ran before
                the machine was made and never called it. A call that nobody can wake ends at once.
            clock: What events record: ``virtual``, a time that work and ``clock.advance`` move on; ``real``, the system's.

        Raises:
            ProfileError: The profile is unknown or malformed.
            FakeCudaError: An argument is none of those; the text says what to write.
        """
        options.switch("strict", strict)
        options.switch("races", races)
        if seed is not None:
            options.number("seed", seed, None, "a whole number, or leave it out")
        options.number("memory_cap", memory_cap, 0, "a whole number of bytes, as 1 << 30")
        if completion not in {EAGER, MANUAL}:
            msg = f"completion {completion!r} is unknown: use {EAGER!r} or {MANUAL!r}"
            raise FakeCudaError(msg)
        if isinstance(patience, bool) or not isinstance(patience, int | float) or not patience > 0:
            msg = f"patience {patience!r} is no number of seconds above 0: use {PATIENCE:g}, or float('inf') to wait for ever"
            raise FakeCudaError(msg)
        if clock not in {VIRTUAL, REAL}:
            msg = f"clock {clock!r} is unknown: use {VIRTUAL!r} or {REAL!r}"
            raise FakeCudaError(msg)
        put_off()
        put_off_traces()
        put_off_thrown()
        heed_limits()
        FILES.make_room()
        self.__attrs_init__(load(profile), strict)
        self.races = Races(self.calls) if strict and races else None
        self.manual = completion == MANUAL
        self.patience = patience
        machines.add(self)
        self.progress = Condition(self.lock)
        self.devices = tuple(
            Device(ordinal, device, DeviceMemory(device, memory_cap))
            for ordinal, device in enumerate(self.profile.devices)
        )
        self.host = Device(HOST, HOST_PROFILE, DeviceMemory(HOST_PROFILE, memory_cap))
        self.pinned = HostMemory(HOST_PROFILE.total_memory, memory_cap)
        self.managed = HostMemory(REGION, memory_cap)
        self.fabric = Fabric(self.profile.multicast.memory)
        self.vmm = all(device.profile.attributes.get(VMM) for device in self.devices)
        self.record = self.calls.append
        self.clock = Clock(Rates(self.profile, [device.memory for device in self.devices]), real=clock == REAL)
        self._chance = Chance(seed)
        self.random_bytes = self._chance.randbytes
        self.territory = Territory(self._chance)
        self.closed = False

    @property
    def notes(self) -> list[str]:
        """What its user should know: that addresses or handles that it drew are another machine's, so that it drew others."""
        return self.territory.notes

    @whole
    def complete(self) -> None:
        """Do the work of all streams, as far as nothing that it waits for is left; functions of the host return first.

        Raises:
            EndlessWait: One does not return.
        """
        stream_scheduler.advance(self)
        while running(self):
            wait(self, "running host functions", lambda: not running(self))
            stream_scheduler.advance(self)

    def seen_by(self, process: Process) -> tuple[Device, ...]:
        """Return the devices that a process sees once it calls cuInit, in its order."""
        seen = visible(self.devices, process.visible_devices)
        return self.devices if seen == self.devices else seen

    @property
    def cards(self) -> tuple[Card, ...]:
        """What is plugged in, in the order of the bus: as NVML counts the devices, whatever a process sees of them."""
        return cards_of(self.devices)

    def contexts_on(self, device: Device) -> list[Context]:
        """Return the contexts of all processes on a device."""
        return [context for process in self.living for context in process.contexts.values() if context.card is device]

    def connections(self) -> dict[Device, set[Device]]:
        """Return by device those that it is connected with: by enabled access or an IPC mapping of any process."""
        pairs = [
            (context.device, peer.device)
            for process in self.living
            for context in process.contexts.values()
            for peer in context.peers
        ]
        pairs += [
            (mapping.context.device, mapping.share.allocation.device)
            for process in self.living
            for mapping in process.imports.values()
        ]
        found: dict[Device, set[Device]] = {}
        for one, other in pairs:
            if one is not other:
                found.setdefault(one, set()).add(other)
                found.setdefault(other, set()).add(one)
        return found

    def keep(self, finding: Finding) -> bool:
        """Keep a finding; return whether it is raised where that can be."""
        self.findings.append(finding)
        return not self.tolerates(finding)

    @whole
    def end(self, process: Process) -> None:
        """Reclaim what a kernel reclaims when a process ends: all of its memory; what others still map stays."""
        if process.alive:
            self._tear_down(process)
            process.alive = False
            for callers in (process.threads, *process.acting.values()):
                callers.clear()
            self.living.pop(process, None)
            self._bury(process)

    @whole
    def crash(self, process: Process, finding: Finding) -> None:
        """End a process that did what ends one; that of a test goes on, and the finding is kept instead.

        Args:
            process: The process.
            finding: What it did.
        """
        if process.is_own:
            self.keep(finding)
        else:
            self.end(process)

    def _bury(self, process: Process) -> None:
        """Note that a process has ended, and forget one that ended long ago, unless others have something of it."""
        if self.processes.get(process.name) is not process:
            return
        self.dead.append(process)
        for _ in range(len(self.dead) - DEAD_KEPT):
            oldest = self.dead.popleft()
            if not self._forget(oldest):
                self.dead.append(oldest)

    def _forget(self, process: Process) -> bool:
        """Forget a process that has ended, and what handles of its memory name; return whether that could be."""
        if process.is_own or any(self.shares[name].importers for name in process.exports if name in self.shares):
            return False
        if any(pool.source and pool.source.process is process for other in self.living for pool in pools_of(other)):
            return False
        for name in process.exports:
            self.shares.pop(name, None)
            self.pool_shares.pop(name, None)
            if name in self.exported_events:  # which can be opened and used for ever
                event = self.exported_events[name]
                event.context = self._remain(event.context.device)
        if self.processes.get(process.name) is process:
            del self.processes[process.name]
        return True

    def _remain(self, device: Device) -> Context:
        """Return what stands for the contexts that forgotten processes had on a device."""
        if device not in self._remains:
            process = Process(self, "that ended long ago", state=DEINITIALIZED, alive=False)
            self._remains[device] = Context(0, process, device, 0, 0)
        return self._remains[device]

    def new_name(self, process: Process, size: int) -> bytes:
        """Return a handle of so many bytes for memory that a process exports; nobody can guess one."""
        drawn = self.random_bytes(size - MARK)
        name = drawn + self._mark(drawn)
        process.exports.append(name)
        return name

    def has_named(self, name: bytes) -> bool:
        """Return whether bytes are a handle for memory that a process exported here, if only one that is forgotten."""
        return name[-MARK:] == self._mark(name[:-MARK])

    def _mark(self, drawn: bytes) -> bytes:
        if self._key is None:
            self._key = self._chance.below(1 << 64, "handles of memory").to_bytes(8, "little")
        return blake2b(drawn, digest_size=MARK, key=self._key).digest()

    @whole
    def tear_down(self, process: Process) -> None:
        """Run the driver's exit handler in a process: all it holds is reclaimed, and every call answers DEINITIALIZED.

        What it holds then nobody has given back. One that is killed never comes here.
        """
        process.left += left_in(process)
        self._tear_down(process)

    @whole
    def exit(self, process: Process) -> None:
        """End a process in order: nobody that waits hears of its driver's end without its own."""
        self.tear_down(process)
        self.end(process)

    @effect(ends="process")
    def _tear_down(self, process: Process) -> None:
        if process.state == NOT_INITIALIZED:
            return  # no exit handler was set, nothing is held
        if process.state == FORKED:
            process.contexts.clear()  # they are its parent's, which goes on with them
            process.loaded.clear()
        if process.away:
            process.bring_back()
        process.state, process.gate = DEINITIALIZED, None
        drop_work(self, *process.contexts.values())
        if self.races is not None:
            self.races.end(process)
        for thread in list(process.threads.values()):  # one of another OS process may end meanwhile
            thread.stack.clear()
        for item in list(process.memory):
            if not isinstance(item, Placed | Registered | Pooled):
                if isinstance(item, Mapping) and item.host_access:
                    hide(item.start, item.size)
                item.extent.release()
        for mapping in list(process.imports.values()):
            mapping.share.importers.remove(mapping)
        end_pools(process)
        for handle in process.handles.values():
            if handle.references:
                handle.physical.extent.release()
        for context in process.contexts.values():
            context.card.memory.used -= self.profile.context_memory
            for arena in (context.linear, *context.arenas.values()):
                for block in arena.blocks.values():
                    block.extent.release()
        for block in blocks_of(process):
            block.extent.release()
        for name in process.exports:
            if name in self.shares:
                self.shares[name].live = False
        for table in (
            process.contexts,
            process.handles,
            process.imports,
            process.primaries,
            process.ipc_lines,
            process.arrays,
            process.events,
            process.streams,
            process.graphs,
            process.user_objects,
            process.loaded,
            process.pools,
            process.retired_pools,
            process.leaving,
            process.default_pools,
            process.current_pools,
        ):
            table.clear()
        process.memory = type(process.memory)()
        process.graph_memory = process.shared = None
        process.registered = 0
        process.reservations = type(process.reservations)()
        process.addresses.close()

    def close(self) -> None:
        """End every process and give the machine's memory back; functions of the host that run return first.

        Raises:
            EndlessWait: One does not return.
        """
        self._give_back()
        for worker in self._returned():
            worker.stop()
            worker.thread.join()

    @whole
    def _returned(self) -> list[Worker]:
        """Wait for functions of the host that run, and return what has run them, but for the calling thread."""
        others = [worker for worker in self.workers if worker.thread is not current_thread()]
        if not is_torn(self):  # else one may never have been given what it is counted for
            wait(self, "running host functions", lambda: not any(worker.busy for worker in others))
        return others

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        """Give back what a machine holds that was dropped without :meth:`close`; at the interpreter's end the system does."""
        if not getattr(self, "closed", True) and not finalizing():
            self._give_back()

    @whole
    def _give_back(self) -> None:
        for process in list(self.processes.values()):
            if is_torn(self):  # what the process holds does not fit together
                process.alive = False
            else:
                self.end(process)
        for exported in self.exports.values():
            os.close(exported.descriptor)
        self.exports.clear()
        self._close_files()
        self.territory.close()
        self.closed = True

    def _close_files(self) -> None:
        for device in (*self.devices, self.host):
            device.memory.close()
        if self.pinned.shelf is not None:
            os.close(self.pinned.shelf)
            self.pinned.shelf = self.managed.shelf = None

    def abandon(self) -> None:
        """Forget all without giving anything back, in a forked child of the OS process: the parent goes on with it."""
        for exported in self.exports.values():
            os.close(exported.descriptor)
        self.exports.clear()
        self.processes.clear()
        self.living.clear()
        self.dead.clear()
        self.pending.clear()
        self.workers = []
        self._close_files()
        self.lock = RLock()
        self.progress = Condition(self.lock)
        self.closed = True

    def fork(self, forking: int) -> None:
        """Go on in a forked child of the OS process: what happens to this copy of the machine the parent does not see.

        Args:
            forking: The OS's id of the thread that forked, in the parent; it is the only one that goes on.
        """
        self.lock = RLock()  # a thread that is not there may hold the old one
        self.progress = Condition(self.lock)
        self.census.fork()
        forked(self)
        if self.races is not None:
            self.races.forget()
        for device in (*self.devices, self.host):
            device.memory.fork()
        for process in self.processes.values():
            process.fork(forking)
            for item in process.memory:
                if isinstance(item, Mapping) and item.host_access:
                    assert isinstance(item.extent.memory, DeviceMemory)
                    item.extent.memory.show(item.extent, item.start, item.size)
            for pool in pools_of(process):
                for chunk in pool.chunks.values():
                    pool.show(chunk)

    @effect()
    def export(self, physical: Physical | Pool, process: Process, stack: Stack) -> int:
        """Return a new descriptor that stands for memory or a pool; memory lives while any copy of it is open.

        Args:
            physical: The memory or the pool.
            process: The process that makes it.
            stack: The stack that does.
        """
        theirs, ours = new_pipe()
        process.stays()
        # On some systems the two ends have inodes of their own, and a poll for nothing tells nothing.
        status = os.fstat(theirs)
        self.exports[status.st_dev, status.st_ino] = Export(physical, ours, process, stack)
        self.poller.register(ours, select.POLLHUP)
        if not isinstance(physical, Pool):
            physical.extent.references += 1
        return theirs

    def exported(self, descriptor: int) -> Physical | Pool | None:
        """Return the memory or the pool that a descriptor stands for, or None for any other descriptor."""
        try:
            status = os.fstat(descriptor)
        except (OSError, OverflowError):  # a pointer's number is wider than a descriptor's
            return None
        entry = self.exports.get((status.st_dev, status.st_ino))
        return entry.physical if entry else None

    @effect()
    def share(self, physical: Physical, channels: tuple[int, ...]) -> bytes:
        """Return the fabric handle of memory, the same each time.

        Args:
            physical: The memory.
            channels: The IMEX channels by which processes may open it.
        """
        for handle, (known, _) in list(self.fabric_handles.items()):
            if known is physical:
                return handle
            if not known.extent.references:
                del self.fabric_handles[handle]  # as unknown as any other
        handle = self.random_bytes(64)
        self.fabric_handles[handle] = physical, channels
        return handle

    @effect(beside="it says what happened outside")
    def take_reaped(self, memory: DeviceMemory | HostMemory, size: int) -> Extent | None:
        """Return new memory where there was none, once exported memory is freed that nobody holds; None where there is none still."""
        self.reap()
        return memory.take(size)

    def reap(self) -> None:
        """Free exported memory whose descriptors are all closed."""
        if not self.exports:
            return
        # Our end of a pipe reports an error once no other is open.
        events = self.poller.poll(0)
        if events:
            inodes = {exported.descriptor: inode for inode, exported in self.exports.items()}
            for ours, _ in events:
                physical = self.exports.pop(inodes[ours]).physical
                self.poller.unregister(ours)
                os.close(ours)
                if not isinstance(physical, Pool):
                    physical.extent.release()


def name_of(number: int) -> str:
    """Return the name of the process of that number: a to z, then a2 and so on."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    turn, place = divmod(number, len(letters))
    return f"{letters[place]}{turn + 1}" if turn else letters[place]
