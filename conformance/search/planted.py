"""A model with a planted bug in place of a card, which the search must find once."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from attrs import frozen

import fakecuda
from fakecuda.spec.codes import HANG, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.profiles import Profile

Answered = tuple[Any, ...]


@frozen
class Bug:
    """A planted bug.

    Attributes:
        what: What it is.
        call: The call that answers otherwise.
        answer: Makes another answer of the model's, with the call's inputs and the model's process.
    """

    what: str
    call: str
    answer: Callable[[tuple[Any, ...], Answered, Any], Answered]


def _other_code(_: tuple[Any, ...], answer: Answered, __: Any) -> Answered:
    return (int(Result.NOT_SUPPORTED), *answer[1:]) if answer[0] == Result.INVALID_VALUE else answer


def _other_order(inputs: tuple[Any, ...], answer: Answered, _: Any) -> Answered:
    no_size = inputs[0] == 0 and answer[0] == Result.INVALID_CONTEXT
    return (int(Result.INVALID_VALUE), *answer[1:]) if no_size else answer


def _third(_: tuple[Any, ...], answer: Answered, process: Any) -> Answered:
    return (int(Result.OUT_OF_MEMORY), None) if not answer[0] and len(process.handles) == 3 else answer


def _killed(_: tuple[Any, ...], __: Answered, ___: Any) -> Answered:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _after_another(_: tuple[Any, ...], answer: Answered, process: Any) -> Answered:
    odd = not answer[0] and process.reservations and any(not pool.default for pool in process.pools.live.values())
    return (0, answer[1] | 4) if odd else answer


def _unjoined(_: tuple[Any, ...], answer: Answered, __: Any) -> Answered:
    broken = answer[0] == Result.STREAM_CAPTURE_INVALIDATED
    return (int(Result.STREAM_CAPTURE_UNJOINED), *answer[1:]) if broken else answer


def _taken(_: tuple[Any, ...], answer: Answered, __: Any) -> Answered:
    return (int(Result.INVALID_PTX), *answer[1:]) if answer[0] == Result.INVALID_IMAGE else answer


def _hung(_: tuple[Any, ...], __: Answered, process: Any) -> Answered:
    process.kill()  # as realcuda ends a process whose call does not return
    return (HANG, None)


PLANTED = {
    "code": Bug("a code", "cuMemPoolSetAttribute", _other_code),
    "order": Bug("an order of checks", "cuMemAlloc", _other_order),
    "count": Bug("a count", "cuMemCreate", _third),
    "sequence": Bug("a sequence of two chapters", "cuStreamGetFlags", _after_another),
    "capture": Bug("what ends a capture that was broken", "cuStreamEndCapture", _unjoined),
    "image": Bug("an image that is taken", "cuModuleLoadData", _taken),
    "hang": Bug("a call that does not return", "cudaSetDevice", _hung),
    "death": Bug("the end of the worker", "cuMemCreate", _killed),
}
"""The bugs that a self-test plants, each of a different kind."""


class Card:
    """A model in place of a card.

    Args:
        profile: Its profile.
        bugs: The bugs that are planted.
    """

    def __init__(self, profile: Profile, bugs: tuple[str, ...] = ()) -> None:
        self._machine = fakecuda.Machine(profile, strict=False, seed=1).__enter__()
        self._machine.scheduler.census.alone = True
        self.bugs = {bug.call: bug for bug in (PLANTED[name] for name in bugs)}
        self.driver_version = profile.driver_version
        self.processes = self._machine.processes
        self.device_count = len(profile.devices)

    def spawn(self) -> Process:
        """Start a process."""
        return Process(self._machine.spawn(), self.bugs)

    def close(self) -> None:
        """Close the model."""
        self._machine.close()


class Process:
    """A process of a card with bugs, which is otherwise the model's process.

    Args:
        process: The model's.
        bugs: The bugs by call.
    """

    def __init__(self, process: Any, bugs: dict[str, Bug]) -> None:
        self._process = process
        self._bugs = bugs
        self.forked = Door(process.forked, bugs, process)

    def thread(self, name: str) -> Thread:
        """Return a thread."""
        return Thread(Door(self._process.thread(name).c, self._bugs, self._process))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)


@frozen
class Thread:
    """A thread of a process with bugs.

    Attributes:
        c: Its calls.
    """

    c: Door


class Door:
    """The calls of a thread, some of which return something else.

    Args:
        door: The model's.
        bugs: The bugs by call.
        process: The model's process.
    """

    def __init__(self, door: Any, bugs: dict[str, Bug], process: Any) -> None:
        self._door = door
        self._bugs = bugs
        self._process = process

    def __getattr__(self, name: str) -> Callable[..., Answered]:
        made = getattr(self._door, name)

        def call(*inputs: object, null: str = "") -> Answered:
            answer: Answered = made(*inputs, null=null)
            bug = self._bugs.get(name)
            return answer if bug is None else bug.answer(inputs, answer, self._process)

        return call
