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
ACCESS     address, bytes                              what :func:`fakecuda.model.space.access_of` returns
VALUES     several (address, bytes)                    the bytes at each
RUN        who, prototype, address, *arguments         None: the function has returned; who tells threads apart
=========  ==========================================  ==========================================================

Files go by their numbers in the owner's welcome.
"""

from __future__ import annotations

from enum import IntEnum

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
