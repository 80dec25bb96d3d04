"""The machine: devices that simulated processes share, and machine-wide state."""

from __future__ import annotations

import os
import sys
from collections import deque
from itertools import count
from threading import Condition, RLock, current_thread
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field

from fakecuda import modes
from fakecuda.errors import FakeCudaError
from fakecuda.model import ending, forks, options
from fakecuda.model.context import Context, Device
from fakecuda.model.exchange import Exchange
from fakecuda.model.hooks import LOCK
from fakecuda.model.leaks import leaks_in
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.files import FILES
from fakecuda.model.memory.headroom import heed_limits
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.multicast import Fabric
from fakecuda.model.memory.space import REGION
from fakecuda.model.memory.visible import visible
from fakecuda.model.nvml import cards_of
from fakecuda.model.os.async_exceptions import machines, put_off_thrown
from fakecuda.model.os.interruption import is_torn, put_off, whole
from fakecuda.model.os.rng import Chance
from fakecuda.model.os.tracing import put_off_traces
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.clock import REAL, VIRTUAL, Clock, Rates
from fakecuda.model.work.happens_before import Races
from fakecuda.model.work.scheduler import Scheduler
from fakecuda.model.work.stream_scheduler import running
from fakecuda.model.work.waiting import wait
from fakecuda.profiles import DeviceProfile, Profile, load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda.model.code.kernels import Runner
    from fakecuda.model.finding import Finding
    from fakecuda.model.memory.unknown import UnknownBytes
    from fakecuda.model.nvml import Card
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.model.work.worker import Worker
    from fakecuda.rules.core import Rule

CALLS_KEPT = 10_000
EAGER, MANUAL = "eager", "manual"
MEMORY_CAP = 8 << 30
WAIT_TIMEOUT = 60.0
"""The default time in seconds that a call waits for another thread or process."""
VMM = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"]
HOST = -1
"""The ordinal of the host in tables of devices."""
HOST_PROFILE = DeviceProfile("host", bytes(16), "", 256 << 30, 256 << 30, {})


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
        pinned: The host's memory that is page-locked.
        managed: The memory that devices and host share.
        fabric: The multicast objects.
        exchange: The handles and descriptors by which processes share memory and events.
        scheduler: The streams' pending work, and the calls that wait.
        clock: Its time.
        meters: How often the meter of a card's energy has told something new, as far as anybody asked, by the card's number.
        territory: Its addresses and handles.
        random_bytes: Returns so many bytes that nobody can guess without the seed; no hook, only its fast name.
        layers: What stands around ``lock`` and ``record``, as :mod:`fakecuda.model.hooks` has it.
        races: What is known of the order of accesses; None where nobody asks.
        kernels: What becomes of launches of kernels without a Python function: ``error``, ``skip`` or ``run``.
        handles: Which handles new objects get: ``apart`` or ``card``.
        skipped: How many launches were skipped, by the kernel's name.
        unknown: The bytes that skipped launches may have written. None before the first, and if the machine is not strict.
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
    """Hook: says whether a finding is kept without an exception. Set by the plugin's policy when a test's machine is made.

    Called with each finding, with the lock held. It must not call the driver, and must not change the finding.
    """
    lock: RLock = field(factory=RLock, init=False, repr=False)
    """Hook: what every operation acquires. Set by ``hooks.LOCK.put`` in three layers: attached processes, turns, a torn effect.

    A layer has the methods of an RLock. ``acquire`` is called before an operation. It must not call the driver.
    """
    record: Callable[[tuple[Any, ...]], None] = field(init=False, repr=False)
    """Hook: writes the record of a call. Set by ``hooks.RECORD.put``: the prompt counts calls, and faults are asked first.

    Called with (thread, op, arguments, code, results, rule, facts) at the end of each call, with the lock held. It must call
    the layer inside, unless it raises ``Broken`` for a call that succeeds. It must not call the driver.
    """
    layers: dict[str, tuple[Any, list[Any]]] = field(factory=dict, init=False, repr=False)
    clock: Clock = field(init=False, repr=False)
    meters: dict[int, int] = field(factory=dict, init=False, repr=False)
    territory: Territory = field(init=False, repr=False)
    random_bytes: Callable[[int], bytes] = field(init=False, repr=False)
    exchange: Exchange = field(init=False, repr=False)
    scheduler: Scheduler = field(init=False, repr=False)
    _chance: Chance = field(init=False, repr=False)
    closed: bool = True
    races: Races | None = field(default=None, init=False, repr=False)
    kernels: str = field(default=modes.ERROR, init=False, repr=False)
    handles: str = field(default=modes.APART, init=False, repr=False)
    skipped: dict[str, int] = field(factory=dict, init=False, repr=False)
    unknown: UnknownBytes | None = field(default=None, init=False, repr=False)
    ptx: Runner | None = field(default=None, init=False, repr=False)
    """Hook: runs kernels from their PTX. Set by ``kernels.launch`` if the machine is made with ``kernels="run"``, else None.

    ``prepare`` is called with a function before a launch has an effect, and ``run`` with the launch, with the lock held. They
    must not change memory, and must not call the driver.
    """
    refused: Callable[[Thread, str, tuple[Any, ...], int, Rule | None, dict[str, Any]], None] | None = field(
        default=None, init=False, repr=False
    )
    """Hook: hears of refused calls. Set by ``refusals.count`` when a test or a run first asks for them; None before.

    Called with the thread, the call, its arguments, the code, the rule (None for a call that is not modelled) and the facts,
    after the record and with the lock held. It must not raise, and must not call the driver.
    """

    def __init__(
        self,
        profile: str | Path | Profile = "h200-x2",
        *,
        strict: bool = True,
        races: bool | str = True,
        kernels: str = modes.ERROR,
        seed: int | None = None,
        handles: str = modes.APART,
        memory_cap: int = MEMORY_CAP,
        completion: str = EAGER,
        wait_timeout: float = WAIT_TIMEOUT,
        clock: str = VIRTUAL,
    ) -> None:
        """Make a machine.

        Args:
            profile: A profile's name, a path of a TOML file, or a Profile.
            strict: Report undefined behaviour; otherwise answer as the driver does.
            races: Report accesses to memory that nothing orders, if it is strict; with ``strict``, those, too, that only
                a call orders which need not wait.
            kernels: What to do with a launch of a kernel without a Python function: ``error`` raises KernelNotDefined,
                ``skip`` checks and orders the launch and runs nothing, ``run`` runs the kernel's PTX.
            seed: Rules all randomness, together with the id of the test that makes the machine: the same addresses,
                handles and IPC handles each time. None draws from that id and the machine's number among those that the
                test makes so, outside of tests from the system.
            handles: Which handles new objects get: ``apart``, new ones; ``card``, those of destroyed objects again.
            memory_cap: Bytes of simulated memory that may be written, for each device and each kind of the host's.
            completion: When streams do their work: ``eager``, as soon as it can be done; ``manual``, when somebody waits
                for it or calls :meth:`complete`.
            wait_timeout: Seconds, more than 0, that a call waits for what another thread, another OS process or the host may
                bring about, before it raises EndlessWait; a thirtieth of it where there are only threads that ran before
                the machine was made and never called it. A call that nobody can wake ends at once.
            clock: What events record: ``virtual``, a time that work and ``clock.advance`` move on; ``real``, the system's.

        Raises:
            ProfileError: The profile is unknown or malformed.
            FakeCudaError: An argument is none of those; the text says what to write.
        """
        options.switch("strict", strict)
        options.races(races)
        options.mode("kernels", kernels, modes.KERNELS)
        options.mode("handles", handles, modes.HANDLES)
        if seed is not None:
            options.number("seed", seed, None, "a whole number, or leave it out")
        options.number("memory_cap", memory_cap, 0, "a whole number of bytes, as 1 << 30")
        if completion not in {EAGER, MANUAL}:
            msg = (
                f"completion={completion!r} is not a way to complete work: use completion={EAGER!r} or "
                f"completion={MANUAL!r}"
            )
            raise FakeCudaError(msg)
        if isinstance(wait_timeout, bool) or not isinstance(wait_timeout, int | float) or not wait_timeout > 0:
            msg = (
                f"wait_timeout={wait_timeout!r} is not a number of seconds above 0: use {WAIT_TIMEOUT:g}, or float('inf') to "
                "wait forever"
            )
            raise FakeCudaError(msg)
        if clock not in {VIRTUAL, REAL}:
            msg = f"clock={clock!r} is not a kind of clock: use clock={VIRTUAL!r} or clock={REAL!r}"
            raise FakeCudaError(msg)
        put_off()
        put_off_traces()
        put_off_thrown()
        heed_limits()
        FILES.make_room()
        self.__attrs_init__(load(profile), strict)
        self.races = Races(self.calls, strict=races == modes.STRICT) if strict and races else None
        self.kernels, self.handles = kernels, handles
        self.scheduler = Scheduler(completion == MANUAL, wait_timeout, Condition(self.lock))
        machines.add(self)
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
        if self.races is not None and self.races.strict:
            self.races.watch_host(self)
        self.clock = Clock(Rates(self.profile, [device.memory for device in self.devices]), real=clock == REAL)
        self._chance = Chance(seed)
        self.random_bytes = self._chance.randbytes
        self.exchange = Exchange(self._chance, self.random_bytes)
        self.territory = Territory(self._chance)
        self.closed = False

    @property
    def notes(self) -> list[str]:
        """Notes for the user: whether addresses or handles clashed with another machine's."""
        return self.territory.notes

    @whole
    def complete(self) -> None:
        """Do the work of all streams that does not wait, after running host functions.

        Raises:
            EndlessWait: One does not return.
        """
        stream_scheduler.advance(self)
        while running(self):
            wait(self, "running host functions", lambda: not running(self))
            stream_scheduler.advance(self)

    def seen_by(self, process: Process) -> tuple[Device, ...]:
        """Return the devices that a process sees after cuInit, in its order."""
        seen = visible(self.devices, process.visible_devices)
        return self.devices if seen == self.devices else seen

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in bus order, as NVML counts them, whatever a process can see."""
        return cards_of(self.devices)

    def contexts_on(self, device: Device) -> list[Context]:
        """Return the contexts of all processes on a device."""
        return [context for process in self.living for context in process.contexts.values() if context.card is device]

    def keep(self, finding: Finding) -> bool:
        """Keep a finding; return whether it can and should be raised."""
        self.findings.append(finding)
        return not self.tolerates(finding)

    @whole
    def end(self, process: Process) -> None:
        """End a process as an OS does: release its memory, except what others map."""
        if process.alive:
            ending.tear_down(self, process)
            process.alive = False
            for callers in (process.threads, *process.acting.values()):
                callers.clear()
            self.living.pop(process, None)
            ending.bury(self, process)

    @whole
    def crash(self, process: Process, finding: Finding) -> None:
        """End a process that crashes; the test's own process continues with a finding.

        Args:
            process: The process.
            finding: What it did.
        """
        if process.is_own:
            self.keep(finding)
        else:
            self.end(process)

    @whole
    def tear_down(self, process: Process) -> None:
        """Run the driver's exit handler in a process.

        What it holds then nobody has given back. One that is killed never comes here.
        """
        process.left += leaks_in(process)
        ending.tear_down(self, process)

    @whole
    def exit(self, process: Process) -> None:
        """End a process in order, as at a normal exit."""
        self.tear_down(process)
        self.end(process)

    def close(self) -> None:
        """End every process and free the machine's memory, after running host functions.

        Raises:
            EndlessWait: One does not return.
        """
        self._give_back()
        for worker in self._returned():
            worker.stop()
            worker.thread.join()

    @whole
    def _returned(self) -> list[Worker]:
        """Wait for running host functions of other threads, and return their threads."""
        others = [worker for worker in self.scheduler.workers if worker.thread is not current_thread()]
        if not is_torn(self):  # else one may never have been given what it is counted for
            wait(self, "running host functions", lambda: not any(worker.busy for worker in others))
        return others

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        """Free the memory of a machine that was dropped without :meth:`close`."""
        if not getattr(self, "closed", True) and not finalizing():
            self._give_back()

    @whole
    def _give_back(self) -> None:
        for process in list(self.processes.values()):
            if is_torn(self):  # what the process holds does not fit together
                process.alive = False
            else:
                self.end(process)
        self.exchange.close()
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
        """Forget everything without freeing it, in a forked child of the OS process."""
        self.exchange.close()
        self.processes.clear()
        self.living.clear()
        self.dead.clear()
        self.scheduler.pending.clear()
        self.scheduler.workers = []
        self._close_files()
        LOCK.renew(self, RLock())
        self.scheduler.renew(self.lock)
        self.closed = True

    def fork(self, forking: int) -> None:
        """Continue in a forked child of the OS process, with a copy of the machine.

        Args:
            forking: The OS's id of the thread that forked, in the parent; it is the only one that goes on.
        """
        forks.go_on(self, forking)


def name_of(number: int) -> str:
    """Return the name of the process with a number: a to z, then a2 and so on."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    turn, place = divmod(number, len(letters))
    return f"{letters[place]}{turn + 1}" if turn else letters[place]
