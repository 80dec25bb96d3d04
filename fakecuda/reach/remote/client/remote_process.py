"""This OS process as a process of a machine that another OS process owns."""

from __future__ import annotations

from functools import cached_property, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.model.os.runtimes import Runtimes
from fakecuda.model.os.thread import Thread
from fakecuda.model.os.threads import Callers, at_thread_end, own
from fakecuda.reach.bindings import lazy
from fakecuda.reach.bindings.c import CLevel
from fakecuda.reach.remote.client.rpc import Caller

if TYPE_CHECKING:
    from fakecuda.reach.bindings.driver import Driver
    from fakecuda.reach.bindings.hip import Hip
    from fakecuda.reach.bindings.runtime import Runtime
    from fakecuda.reach.native.cudart import Cudart
    from fakecuda.reach.remote.client.client import RemoteMachine


class RemoteProcess:
    """This OS process as a process of a remote machine.

    Args:
        machine: The machine.

    Attributes:
        name: Its name on the machine, once it is attached.
        state: The known state of its driver.
        started: Whether the runtime library is known to have initialised the driver.
        threads: Its threads by OS thread id or by name.
        driver: The look-alike of cuda.bindings.driver.
        runtime: The look-alike of cuda.bindings.runtime.
        hip: The look-alike of rocm.bindings.hip.
        cudart: The runtime library for ctypes.
        runtime_version: The version of the runtime library.
        c: The C level.
    """

    def __init__(self, machine: RemoteMachine) -> None:
        self.machine = machine
        self.name = "here"
        self.state = NOT_INITIALIZED
        self.runtimes = Runtimes()
        self.threads = Callers(self.current_thread)
        self.c = CLevel(self.current_thread)

    @cached_property
    def driver(self) -> Driver:
        """The look-alike of cuda.bindings.driver, for the machine's driver version."""
        self.machine.attach()
        return lazy.driver(self.threads, self.machine.profile.driver_version)

    @cached_property
    def runtime(self) -> Runtime:
        """The look-alike of cuda.bindings.runtime."""
        return lazy.runtime(self.threads)

    @cached_property
    def runtime_version(self) -> int:
        """The version of the runtime library."""
        return lazy.runtime_version()

    @cached_property
    def hip(self) -> Hip:
        """The look-alike of rocm.bindings.hip."""
        return lazy.hip(self.threads)

    @cached_property
    def cudart(self) -> Cudart:
        """The runtime library for ctypes."""
        from fakecuda.reach.native.cudart import Cudart, Functions, soname  # noqa: PLC0415 - few programs call it

        return Cudart(Functions(self.current_thread), soname(self.runtime_version))

    @property
    def alive(self) -> bool:
        """Whether calls can be made."""
        return not self.machine.lost

    def current_thread(self) -> Thread:
        """Return the calling thread's state; its connection ends with the thread."""
        number = own.number
        thread: Thread | None = self.threads.get(number)
        if thread is None:
            thread = self.thread_of(number)
            at_thread_end(self, number)
        return thread

    def thread_of(self, key: int | str) -> Thread:
        """Return the thread with an id or a name, which the first use makes.

        Raises:
            MachineClosed: The owner has ended.
        """
        thread: Thread | None = self.threads.get(key)
        if thread is None:
            caller = Caller(self.machine, key)
            made: Any = Thread(self, self.machine, str(key), remote=caller.invoke)  # type: ignore[arg-type]
            thread = self.threads[key] = made
        return thread

    def thread(self, name: str) -> SimpleNamespace:
        """Return the surfaces of the thread with a name."""
        self.machine.attach()
        callers = Callers(partial(self.thread_of, name))
        return SimpleNamespace(
            process=self,
            driver=lazy.driver(callers, self.machine.profile.driver_version),
            runtime=lazy.runtime(callers),
            hip=lazy.hip(callers),
            c=CLevel(callers.current),
        )


def caller_of(thread: Thread) -> Caller:
    """Return the caller of a thread of this process."""
    caller: Caller = thread.remote.__self__  # type: ignore[union-attr]
    return caller
