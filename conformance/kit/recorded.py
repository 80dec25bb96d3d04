"""Recorded processes, with which authors write programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

from conformance.kit.calls import CALLS
from conformance.kit.under_way import MAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Recorder
    from conformance.kit.steps import Plain


class Door:
    """The calls of one thread: each is made, recorded and returned."""

    __slots__ = ("_process", "_recorder", "_thread")

    def __init__(self, recorder: Recorder, process: str, thread: str) -> None:
        self._recorder = recorder
        self._process = process
        self._thread = thread

    def __getattr__(self, name: str) -> Callable[..., tuple[Plain, ...]]:
        if name not in CALLS:
            msg = f"neither API has a {name}"
            raise AttributeError(msg)

        def call(door: Door, *inputs: Plain, null: str = "") -> tuple[Plain, ...]:
            return door._recorder.call(door._process, door._thread, name, inputs, null)

        setattr(Door, name, call)  # the next look-up finds it
        made: Callable[..., tuple[Plain, ...]] = getattr(self, name)
        return made


class Recorded:
    """A process of a recorder.

    Attributes:
        name: Its name in the program.
        c: The calls of its main thread.
    """

    def __init__(self, recorder: Recorder, name: str) -> None:
        self.recorder = recorder
        self.name = name
        self.c = Door(recorder, name, MAIN)

    @property
    def alive(self) -> bool:
        """Whether calls can be made."""
        return bool(self.recorder.processes[self.name].alive)

    def thread(self, name: str) -> RecordedThread:
        """Return the process's thread with a name, made on first use."""
        return RecordedThread(Door(self.recorder, self.name, name), name)

    def begin_exit(self) -> None:
        """Run the exit handlers, including the driver's."""
        self.recorder.end(self.name, "begin_exit")

    def exit(self) -> None:
        """End the process in order."""
        self.recorder.end(self.name, "exit")

    def kill(self) -> None:
        """End the process with SIGKILL."""
        self.recorder.end(self.name, "kill")


@define
class RecordedThread:
    """A named thread of a recorded process.

    Attributes:
        c: Its calls.
        name: Its name.
    """

    c: Door
    name: str
