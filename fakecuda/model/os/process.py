"""Simulated processes: the driver's state in each."""

from __future__ import annotations

import threading
from importlib import import_module
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.errors import FakeCudaError, MachineClosed, ProcessDied
from fakecuda.model.context import Context, PrimaryContext
from fakecuda.model.effect import effect
from fakecuda.model.exchange import Ipc
from fakecuda.model.graph.user_object import UserObjects
from fakecuda.model.memory.addresses import AddressMap
from fakecuda.model.memory.pool import Pools
from fakecuda.model.memory.space import Addresses
from fakecuda.model.os.runtimes import Runtimes
from fakecuda.model.os.system import OWN, System
from fakecuda.model.os.thread import Thread
from fakecuda.model.os.threads import Callers, at_thread_end, own

if TYPE_CHECKING:
    from fakecuda.model.code.module import Loaded
    from fakecuda.model.context import Device
    from fakecuda.model.graph.capture import Captures, Gate
    from fakecuda.model.graph.executables import Executable
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.model.graph.graph_memory import GraphMemory
    from fakecuda.model.history import Lifetime
    from fakecuda.model.leaks import Leak
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.array import Grid
    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.memory.memory import Import, Mapped, Placed, Registered
    from fakecuda.model.memory.narrow import Narrow
    from fakecuda.model.memory.pool import Kind, Pooled
    from fakecuda.model.memory.va import Handle, Mapping, Reservation
    from fakecuda.model.nvml import Management
    from fakecuda.model.os.checkpoint import Checkpoint
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream

NOT_INITIALIZED, READY, DEINITIALIZED, FORKED, LOCKED, CHECKPOINTED = range(6)
"""States of the driver in a process.

They are: before cuInit, after cuInit, during teardown, in a fork of a process that had called cuInit, locked, and
checkpointed.
"""
HALTED = frozenset({LOCKED, CHECKPOINTED})
"""States in which most calls wait."""
UP = frozenset({READY, *HALTED})
"""States in which the driver is initialised."""

FREED_KEPT, SPARE = 10_000, 128
"""How many destroyed objects are remembered at least, and how many more at most."""
MADE_UP = 4_200_000
"""The first number of simulated processes, above the pids of Linux (pid_max)."""
UNSEEN = -2
"""CU_DEVICE_INVALID, the number of a device that a process does not see."""


@define(eq=False)
class Process:
    """A simulated OS process: its own contexts, address space, handles and threads' stacks.

    Attributes:
        machine: The machine.
        name: Its name, ``a``.
        state: ``NOT_INITIALIZED``, ``READY``, ``DEINITIALIZED``, ``FORKED``, ``LOCKED`` or ``CHECKPOINTED``.
        alive: Whether calls can be made.
        contexts: Live contexts by handle.
        dead_contexts: Destroyed contexts by handle.
        primaries: Primary contexts by device ordinal.
        fault: The code that its contexts answer since work has met an address that it may not use, 0 before.
        cause: The work that has met it, if reports can name it.
        registered: How many ranges of the host's own memory are page-locked.
        runtimes: What the runtime API and HIP keep beside the driver.
        memory: What device pointers point to, by address.
        reservations: Reservations by address.
        handles: Allocation handles by value.
        ipc: What it has of others by IPC handles, and others of it.
        arrays: Live arrays and mipmapped arrays by handle.
        events: Live events by handle.
        streams: Live streams that were created, by handle.
        loaded: Modules, functions, libraries, kernels and linkers by handle.
        graphs: Graphs, their nodes and executable graphs by handle.
        shared: What stands for a context where managed variables of its libraries lie, once there were any: no context gives them.
        user_objects: Its user objects.
        numbered_graphs: How many graphs it has made, executable ones among them.
        gone_nodes: How many nodes of its graphs were destroyed by themselves, or refused.
        captures: Its captures, since there was one.
        narrow: The addresses of its context of CUDA 3.1, while it has one.
        checkpoint: Its checkpoint while it is locked, and since it was restored on other cards.
        graph_memory: The memory of its graphs, since there was some.
        pools: Its memory pools.
        leaving: Addresses of linear memory that a stream will free.
        left: What it held when it ended in order.
        freed: What was last at an address, for findings: the object by its start.
        addresses: Its free device addresses.
        threads: Threads by the OS's thread id, or by name.
        acting: Who acts as a thread that has a name, by that.
        visible_devices: Its CUDA_VISIBLE_DEVICES, which cuInit reads; None where it is not set.
        module_loading: Its CUDA_MODULE_LOADING, which cuInit reads. None if it is not set.
        is_own: Whether it stands for the OS process that holds the machine, so that it is never forgotten.
        number: Its number on the machine, from 0 on.
        pid: Its number in the system; a made-up one where it is no OS process of its own.
        command: Its number and its command line, where it is an OS process of its own; else empty.
        foreign_proc: Whether its /proc is another PID namespace's, as in a container that shares the host's.
        devices: The devices that it sees, in the order in which it numbers them.
        imex_channels: The IMEX channels that its user has access to.
        lasting: The handles that its OS process has for primary contexts and default pools on each machine, by the device's
            ordinal or the pool's kind; None where they are drawn.
        context_identities: The context ids to come.
        identities: The ids of buffers and of blocks to come.
        stream_identities: The stream ids to come.
    """

    machine: Machine = field(repr=False)
    name: str
    state: int = NOT_INITIALIZED
    alive: bool = True
    contexts: dict[int, Context] = field(factory=dict, repr=False)
    dead_contexts: dict[int, Context] = field(factory=dict, repr=False)
    primaries: dict[int, PrimaryContext] = field(factory=dict, repr=False)
    registered: int = 0
    fault: int = 0
    cause: Lifetime | None = field(default=None, repr=False)
    runtimes: Runtimes = field(factory=Runtimes, repr=False)
    memory: AddressMap[Placed | Registered | Mapped | Import | Mapping | Pooled] = field(factory=AddressMap, repr=False)
    reservations: AddressMap[Reservation] = field(factory=AddressMap, repr=False)
    handles: dict[int, Handle] = field(factory=dict, repr=False)
    ipc: Ipc = field(factory=Ipc, repr=False)
    arrays: dict[int, Grid] = field(factory=dict, repr=False)
    events: dict[int, Event] = field(factory=dict, repr=False)
    streams: dict[int, Stream] = field(factory=dict, repr=False)
    loaded: dict[int, Loaded] = field(factory=dict, repr=False)
    graphs: dict[int, Graph | Node | Executable] = field(factory=dict, repr=False)
    shared: Context | None = field(default=None, repr=False)
    user_objects: UserObjects = field(factory=UserObjects, repr=False)
    numbered_graphs: int = 0
    gone_nodes: int = 0
    captures: Captures | None = field(default=None, repr=False)
    narrow: Narrow | None = field(default=None, repr=False)
    checkpoint: Checkpoint | None = field(default=None, repr=False)
    gate: Gate | None = field(default=None, repr=False)
    """Hook: makes its calls in the place of their functions. Set by ``turn_gate``: that of a halted process comes before that of
    a context of CUDA 3.1, and that before that of captures; None without all three.

    Called with the call, the operation and its plain arguments, with the lock held. It must make the call by the operation's
    function, refuse it by ``Broken``, or wait. It must not write the record.
    """
    graph_memory: GraphMemory | None = field(default=None, repr=False)
    pools: Pools = field(factory=Pools, repr=False)
    leaving: dict[int, None] = field(factory=dict, repr=False)
    left: list[Leak] = field(factory=list, repr=False)
    is_own: bool = field(default=False, repr=False)
    freed: dict[int, Any] = field(factory=dict, repr=False)
    addresses: Addresses = field(init=False, repr=False)
    threads: Callers = field(init=False, repr=False)
    acting: dict[str, Callers] = field(factory=dict, repr=False)
    system: System = field(default=OWN, repr=False)
    """Hook: reaches host memory and host functions. Set by a session when another OS process attaches, else ``OWN``.

    Called with addresses of the process, with the lock held. It must not call the driver.
    """
    visible_devices: str | None = None
    module_loading: str | None = None
    number: int = field(init=False, repr=False)
    pid: int = field(init=False, repr=False)
    command: str = field(default="", init=False, repr=False)
    foreign_proc: bool = False
    devices: tuple[Device, ...] = field(init=False, repr=False)
    imex_channels: tuple[int, ...] = field(init=False, repr=False)
    lasting: dict[int | Kind, int] | None = field(default=None, repr=False)
    nvml: Management = field(factory=lambda: import_module("fakecuda.model.nvml").Management(), repr=False)
    """Hook: NVML's state in it. Set by NVML's door when a machine is entered, to what this OS process has; else its own.

    Its effects are called by NVML's operations, with the lock held. It must not be shared by two living processes.
    """
    context_identities: count[int] = field(factory=lambda: count(1), repr=False)
    identities: count[int] = field(factory=lambda: count(1), repr=False)
    stream_identities: count[int] = field(factory=lambda: count(1), repr=False)

    @threads.default
    def _threads(self) -> Callers:
        return Callers(self.current_thread)

    @addresses.default
    def _addresses(self) -> Addresses:
        return Addresses(self.machine.territory, reuse=not self.machine.strict)

    @number.default
    def _number(self) -> int:
        return next(self.machine.numbers)

    @pid.default
    def _pid(self) -> int:
        return MADE_UP + self.number

    @devices.default
    def _devices(self) -> tuple[Device, ...]:
        return self.machine.devices

    @imex_channels.default
    def _imex_channels(self) -> tuple[int, ...]:
        return (0,) if self.machine.profile.fabric else ()

    @property
    def runtime_version(self) -> int:
        """The version of the runtime library: 1000 * major + 10 * minor."""
        return 13040

    def card_of(self, device: Device) -> Device:
        """Return the card of a device, which may differ after a restore."""
        return device if self.checkpoint is None else self.checkpoint.onto.get(device, device)

    def stays(self) -> None:
        """Note that the process shares memory, and check that it is on its first cards.

        Raises:
            FakeCudaError: It was brought back on others.
        """
        if self.checkpoint is not None and self.checkpoint.onto:
            msg = (
                f"simulated {self} was restored on other devices by cuCheckpointProcessRestore. After that, sharing "
                "memory with other processes is not modelled: restore it on its own devices"
            )
            raise FakeCudaError(msg)
        self.ipc.shares = True

    def memory_of(self, device: Device) -> DeviceMemory:
        """Return the physical memory of a device, as the process sees it."""
        return self.card_of(device).memory

    def number_of(self, device: Device) -> int:
        """Return the process's number of a device, or ``UNSEEN``."""
        devices = self.devices
        if devices is self.machine.devices or device.ordinal < 0:
            return device.ordinal
        return devices.index(device) if device in devices else UNSEEN

    def __str__(self) -> str:
        return f"process {self.name}"

    def thread_of(self, key: int | str) -> Thread:
        """Return the thread with an OS id or a name, made on first use.

        Raises:
            MachineClosed: The machine's test has ended.
            ProcessDied: The process has exited or was killed.
        """
        thread: Thread | None = self.threads.get(key)
        if thread is None:
            self.lives()
            thread = self.threads[key] = Thread(self, self.machine, str(key))
        return thread

    def lives(self) -> None:
        """Check that the process can still make calls.

        Raises:
            MachineClosed: The machine's test has ended.
            ProcessDied: The process has exited or was killed.
        """
        if self.machine.closed:
            msg = (
                f"the machine of simulated process {self.name} is closed, because its test or `with` block has "
                "ended: use the machine of the current test"
            )
            raise MachineClosed(msg)
        if not self.alive:
            msg = f"simulated process {self.name} has ended: spawn another process with machine.spawn()"
            raise ProcessDied(msg)

    def handle_of(self, what: int | Kind) -> int:
        """Return a handle for a primary context or a default pool, by its key."""
        return self.machine.territory.new_handle() if self.lasting is None else self.lasting[what]

    def callers_as(self, name: str) -> Callers:
        """Return the OS threads that act as the thread with a name."""

        def find() -> Thread:
            self.machine.scheduler.census.calls(own.number)
            thread = callers[own.number] = self.thread_of(name)
            return thread

        callers = self.acting[name] = Callers(find)
        return callers

    def current_thread(self) -> Thread:
        """Return the thread of the calling OS thread, known until that thread ends."""
        number = own.number
        thread: Thread | None = self.threads.get(number)
        if thread is None:
            self.machine.scheduler.census.calls(number)
            thread = self.thread_of(number)
            at_thread_end(self, number)
        return thread

    def fork(self, forking: int) -> None:
        """Continue in a forked child, which has only the forking thread."""
        kept = self.threads.get(forking)
        for number in [key for key in self.threads if isinstance(key, int)]:
            del self.threads[number]
        if kept is not None:
            self.threads[threading.get_native_id()] = kept

    @effect()
    def become_fork(self, state: int) -> None:
        """Note that the process is a fork, which can initialise its own driver."""
        self.runtimes.over = state == DEINITIALIZED
        if state != NOT_INITIALIZED:
            self.state = FORKED

    @effect()
    def initialise(self, devices: tuple[Device, ...]) -> None:
        """Initialise the driver, with the devices that the process sees."""
        self.devices = devices
        self.state = READY

    def turn_gate(self) -> None:
        """Set the gate of the process's calls, behind that of a halted process."""
        self.gate = (self.checkpoint and self.checkpoint.gate) or self.behind_halt()

    def behind_halt(self) -> Gate | None:
        """Return the gate for a CUDA 3.1 context, else that of captures, else None."""
        if self.narrow is not None:
            return self.narrow.gate
        return None if self.captures is None else self.captures.gate

    def drop_gate(self) -> None:
        """Remove all gates, because the process ends."""
        self.checkpoint = self.gate = None

    def note_freed(self, key: int, item: Any) -> None:
        """Remember what was at an address or under a handle, for findings."""
        freed = self.freed
        freed[key] = item
        if len(freed) > FREED_KEPT + SPARE:
            for oldest in list(islice(freed, SPARE)):
                del freed[oldest]

    @effect(ends="handle")
    def forget(self, handle: Handle) -> None:
        """Drop an allocation handle without references and mappings."""
        del self.handles[handle.value]
        self.note_freed(handle.value, handle)

    def primary(self, ordinal: int) -> PrimaryContext:
        """Return the primary context record of a device."""
        primary = self.primaries.get(ordinal)
        if primary is None:
            primary = self.primaries[ordinal] = PrimaryContext()
        return primary
