"""Threads of simulated processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model.call import Call, Unmodelled
from fakecuda.model.effect import effect
from fakecuda.model.history import Caller, FailedCall, here
from fakecuda.model.work.stream import PER_THREAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.context import Context, Device
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.rules.dispatch import Op


@define(eq=False)
class Thread:
    """A thread of a simulated process, which makes calls.

    Attributes:
        process: Its process.
        machine: The machine.
        name: Its name.
        stack: Its contexts, the current one last.
        in_function: Whether it runs functions of the host for streams, which may make no calls.
        device: The device of its calls of the runtime API while no context is current.
        chosen: Whether it has chosen that by cudaSetDevice.
        valid: The devices that its calls of the runtime API try in turn while no context is current, unless it has chosen one;
            all if empty.
        last_error: What its last call of the runtime API that failed has answered.
        failed: That call, for reports. None if it is not known.
        hip_error: What its last call of HIP has answered, as far as its variant keeps that.
        hip_failed: That call, for reports. None if it is not known.
        failed_at: Which copy of a batch of HIP has failed last.
        hip_contexts: The devices that its calls of HIP have pushed as contexts, the top one last.
        hip_chosen: Whether it has called hipSetDevice.
        refused_text: The code with which a call of it has refused PTX last, which linkers notice; 0 if none has.
        capture_mode: Which captures forbid it calls that are unsafe, CUstreamCaptureMode.
        forked_stack: Whether a context was current to the thread of which it is the copy in a fork.
        call: How it calls from Python.
        native: How it calls through C.
        per_thread: How it calls the variants through C whose stream 0 is its own.
    """

    process: Process = field(repr=False)
    machine: Machine = field(repr=False)
    name: str
    stack: list[Context] = field(factory=list)
    in_function: bool = False
    device: int = 0
    chosen: bool = False
    valid: tuple[int, ...] = ()
    last_error: int = 0
    failed: FailedCall | None = field(default=None, repr=False)
    hip_error: int = 0
    hip_failed: FailedCall | None = field(default=None, repr=False)
    failed_at: int = 0
    hip_contexts: list[Device] = field(factory=list)
    hip_chosen: bool = False
    refused_text: int = 0
    capture_mode: int = 0
    forked_stack: bool = False
    remote: Callable[[Call, Op, tuple[Any, ...]], tuple[int, Any]] | None = field(default=None, repr=False)
    """Hook: makes a call on the machine of another OS process. Set by an attached client when it makes the thread, else None.

    Called with the call, the operation and its plain arguments, without a lock. It returns the code and the plain results. It
    must not touch the model: a client has no state.
    """
    call: Call = field(init=False, repr=False)
    native: Call = field(init=False, repr=False)
    per_thread: Call = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.call = Call(self)
        self.native = Call(self, native=True)
        self.per_thread = Call(self, native=True, default_stream=PER_THREAD)

    def follow(self, parent: Thread) -> None:
        """Take over the state of the thread that forked."""
        self.device, self.last_error, self.forked_stack = parent.device, parent.last_error, bool(parent.stack)
        self.chosen, self.valid = parent.chosen, parent.valid
        self.capture_mode, self.refused_text = parent.capture_mode, parent.refused_text
        if self.process.captures is not None:
            self.process.captures.pass_on(parent, self)

    @effect()
    def push_context(self, context: Context) -> None:
        """Push a context, which becomes current."""
        self.stack.append(context)

    def answer_unmodelled(self, call: str, code: int) -> None:
        """Record a call that is not modelled, and report it as refused.

        Args:
            call: The call.
            code: What it answers.
        """
        if self.remote is not None:
            return
        machine = self.machine
        with machine.lock:
            machine.record((self, Unmodelled(call), (), code, None, None, {"caller": Caller(here(1))}))
            if machine.refused is not None:
                machine.refused(self, call, (), code, None, {})

    @effect()
    def pop_context(self) -> Context:
        """Pop the current context, and return it."""
        return self.stack.pop()

    @effect()
    def make_current(self, context: Context | None) -> None:
        """Replace the current context; with None, pop it."""
        stack = self.stack
        if stack:
            stack.pop()
        if context is not None:
            stack.append(context)

    @effect()
    def choose(self, number: int) -> None:
        """Select a device by number for runtime and HIP calls of the thread."""
        self.device = number

    @effect()
    def use(self, number: int, context: Context) -> None:
        """Select a device and make its context current."""
        self.device, self.chosen = number, True
        self.stack[-1:] = [context]

    @effect()
    def prefer(self, numbers: tuple[int, ...]) -> None:
        """Set the devices that runtime calls try, and pop the current context."""
        self.valid = numbers
        if not self.chosen:
            self.device = numbers[0] if numbers else 0
        del self.stack[-1:]

    @effect()
    def note_choice(self) -> None:
        """Note that the thread has called hipSetDevice."""
        self.hip_chosen = True

    @effect()
    def push_hip(self, device: Device) -> None:
        """Push a device onto HIP's context stack."""
        self.hip_contexts.append(device)

    @effect()
    def pop_hip(self) -> Device:
        """Pop HIP's context stack, and return the popped device."""
        return self.hip_contexts.pop()

    @effect()
    def replace_hip(self, device: Device | None) -> None:
        """Replace the top of HIP's context stack; with None, pop it."""
        self.hip_contexts[-1:] = [] if device is None else [device]


def forbid(process: Process, number: int) -> None:
    """Note that an OS thread runs host functions, which must not make calls."""
    process.threads[number] = Thread(process, process.machine, str(number), in_function=True)
