"""What the owner of a machine asks an attached process to do, since it alone can touch its memory and call its functions.

A question is ``(number, what, *arguments)``, its answer ``(number, result)``. No answer is awaited under the machine's lock.

=========  ==========================================  ==========================================================
what       arguments                                   result
=========  ==========================================  ==========================================================
LOAD       address, bytes                              the bytes
STORE      address, the bytes                          None
TO_FILE    address, file, offset, bytes                None: bytes were copied from memory to a file
TO_MEMORY  address, file, offset, bytes                None: bytes were copied from a file to memory
WITHIN     address, source, bytes                      None: bytes were copied from memory to memory
FILL       address, value of a byte, bytes             None: memory was set to the value
EACH       several questions, without numbers          None: all of these was done, in order
ACCESS     address, bytes                              what :func:`fakecuda.model.memory.space.access_of` returns
VALUES     several (address, bytes)                    the bytes at each
RUN        who, prototype, address, *arguments         None: the function has returned; who tells threads apart
=========  ==========================================  ==========================================================

Files go by their numbers in the owner's welcome.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

CHUNK = 1 << 20
"""Bytes that LOAD and STORE move at once."""
LARGE = 64 << 20
"""Bytes that the process moves for one question."""
AT_ONCE = 1000
"""Questions that are asked in one."""


class What(IntEnum):
    """What is asked."""

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


SHAPES: dict[int, tuple[type, ...]] = {
    What.LOAD: (int, int),
    What.STORE: (int, bytes),
    What.TO_FILE: (int, int, int, int),
    What.TO_MEMORY: (int, int, int, int),
    What.ACCESS: (int, int),
    What.WITHIN: (int, int, int),
    What.FILL: (int, int, int),
    What.VALUES: (tuple,),
    What.EACH: (tuple,),
}
"""The arguments of questions; of numbers each is that of an address, a file or bytes."""
SIZES = {What.LOAD: CHUNK, What.TO_FILE: LARGE, What.TO_MEMORY: LARGE, What.WITHIN: LARGE, What.FILL: LARGE}
"""The most that the last argument of a question can be."""


LOAD = int(What.LOAD)


def fits(question: Any, files: int) -> bool:
    """Return whether something is a question, without its number, that an owner can ask.

    Args:
        question: What it is.
        files: How many files the machine has.
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
    """Return whether a question's arguments name a function, and are as many as it takes."""
    who, letters, address, *rest = (*arguments, None, None, None)[: max(3, len(arguments))]
    return (
        type(who) is int
        and type(letters) is str
        and set(letters) <= {"P", "i"}
        and len(letters) == len(rest)
        and all(type(one) is int and -(1 << 63) <= one < 1 << 64 for one in (address, *rest))
    )


class Note(IntEnum):
    """What a process tells without being asked."""

    VISIBLE_DEVICES = 1
    """Its CUDA_VISIBLE_DEVICES, which initialisation reads."""
    TEAR_DOWN = 2
    """Its exit handlers have run."""
    LAST_ERROR = 3
    """What a call of the runtime API that is not modelled has answered in a thread."""
    HIP_ERROR = 4
    """What one of HIP has."""
    CANCEL = 5
    """The number of a call that need not wait any longer: it was interrupted where it was made."""
    FOUND = 6
    """What was found of a call that has not reached the owner: see :mod:`fakecuda.reach.remote.protocol.findings`."""
    REPORT = 7
    """A test ends: the owner answers with what it has done, see :mod:`fakecuda.reach.remote.protocol.outcome`."""
    STORY = 8
    """A test has failed: the owner answers with its calls and a picture, see :mod:`fakecuda.reach.remote.protocol.outcome`."""
