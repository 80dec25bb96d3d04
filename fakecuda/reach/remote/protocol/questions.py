"""Requests of a machine's owner to an attached process.

Only that process can use its memory and functions.
A request is ``(number, what, *arguments)``, its answer ``(number, result)``. The owner never waits for an answer while
it holds the machine's lock.

=========  ==========================================  ==========================================================
what       arguments                                   result
=========  ==========================================  ==========================================================
LOAD       address, bytes                              the bytes
STORE      address, the bytes                          None
TO_FILE    address, file, offset, bytes                None: bytes were copied from memory to a file
TO_MEMORY  address, file, offset, bytes                None: bytes were copied from a file to memory
WITHIN     address, source, bytes                      None: bytes were copied from memory to memory
FILL       address, value of a byte, bytes             None: memory was set to the value
EACH       several requests, without numbers           None: all of them were done, in order
ACCESS     address, bytes                              what :func:`fakecuda.model.memory.space.access_of` returns
VALUES     several (address, bytes)                    the bytes at each
PRINT      the bytes                                   None: the process has printed them
RUN        who, prototype, address, *arguments         None: the function has returned; ``who`` selects the thread
=========  ==========================================  ==========================================================

Files have the numbers of the owner's welcome.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

CHUNK = 1 << 20
"""Maximum number of bytes for a LOAD, STORE or PRINT."""
LARGE = 64 << 20
"""Maximum number of bytes that a process copies for one request."""
AT_ONCE = 1000
"""Maximum number of requests within one EACH."""


class What(IntEnum):
    """The kind of a request."""

    LOAD = 1
    STORE = 2
    TO_FILE = 3
    TO_MEMORY = 4
    ACCESS = 5
    RUN = 6
    WITHIN = 7
    FILL = 8
    EACH = 9
    VALUES = 10
    PRINT = 11


SHAPES: dict[int, tuple[type, ...]] = {
    What.LOAD: (int, int),
    What.STORE: (int, bytes),
    What.TO_FILE: (int, int, int, int),
    What.TO_MEMORY: (int, int, int, int),
    What.ACCESS: (int, int),
    What.WITHIN: (int, int, int),
    What.FILL: (int, int, int),
    What.VALUES: (tuple,),
    What.PRINT: (bytes,),
    What.EACH: (tuple,),
}
"""Types of the arguments of requests. Numbers are addresses, files or sizes."""
SIZES = {What.LOAD: CHUNK, What.TO_FILE: LARGE, What.TO_MEMORY: LARGE, What.WITHIN: LARGE, What.FILL: LARGE}
"""Maximum value of the last argument of a request."""


LOAD = int(What.LOAD)


def fits(question: Any, files: int) -> bool:
    """Return whether a value is a request of an owner, without its number.

    Args:
        question: The value.
        files: The number of the machine's files.
    """
    if type(question) is not tuple or not question or type(question[0]) is not int:
        return False
    what, *arguments = question
    if what == What.RUN:
        return _is_run(arguments)
    shape = SHAPES.get(what)
    if shape is None or tuple(map(type, arguments)) != shape:
        return False
    if not all(0 <= one < 1 << 64 for one in arguments if type(one) is int):
        return False
    if what == What.VALUES:
        return all(type(one) is tuple and fits((LOAD, *one), files) for one in arguments[0])
    if what == What.EACH:
        return all(fits(one, files) and one[0] in SIZES.keys() | {What.STORE} for one in arguments[0])
    if what in {What.TO_FILE, What.TO_MEMORY} and arguments[1] >= files:
        return False
    return what not in SIZES or arguments[-1] <= SIZES[what]


def _is_run(arguments: list[Any]) -> bool:
    """Return whether arguments name a function and fit its prototype."""
    who, letters, address, *rest = (*arguments, None, None, None)[: max(3, len(arguments))]
    return (
        type(who) is int
        and type(letters) is str
        and set(letters) <= {"P", "i"}
        and len(letters) == len(rest)
        and all(type(one) is int and -(1 << 63) <= one < 1 << 64 for one in (address, *rest))
    )


class Note(IntEnum):
    """The kind of a message that a process sends without being asked."""

    VISIBLE_DEVICES = 1
    """The process's CUDA_VISIBLE_DEVICES, which initialisation reads."""
    TEAR_DOWN = 2
    """The process's exit handlers have run."""
    LAST_ERROR = 3
    """The answer of a runtime call that is not modelled, for the thread's last error."""
    HIP_ERROR = 4
    """The answer of a HIP call that is not modelled, for the thread's last error."""
    CANCEL = 5
    """The number of a call that was interrupted in its process and need not wait any longer."""
    FOUND = 6
    """A finding about a call that did not reach the owner: see :mod:`fakecuda.reach.remote.protocol.findings`."""
    OUTCOME = 7
    """A test ends. The owner answers with its outcome: see :mod:`fakecuda.reach.remote.protocol.outcome`."""
    STORY = 8
    """A test has failed, so the owner answers with calls and pictures."""
    REPORT = 9
    """A program without Python asks for new findings; the owner answers with text."""
    ORIGINS = 10
    """A test ends, as with ``OUTCOME``; leaks have their calls."""
    PROGRAM = 11
    """A part of what the process's program has registered: see :mod:`fakecuda.reach.remote.protocol.registered`."""
    MODULE_LOADING = 12
    """The process's CUDA_MODULE_LOADING, which initialisation reads."""


class Report(IntFlag):
    """The parts of a report, with the numbers in ``fakecuda/include/fakecuda.h``."""

    FINDINGS = 1
    """Undefined behaviour."""
    LEAKS = 2
    """Leaks: what the process holds."""
    ERRORS = 4
    """Refused calls."""
