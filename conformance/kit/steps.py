"""Programs: sequences of calls with answers, recorded once and run on any target.

A step is JSON: ``{"process": "a", "call": "cuMemAlloc", "args": [4096]}``, with ``"thread"`` where it is not the main
one, ``"forked": true`` where a fork of the process makes the call, ``"inside": true`` where a function of the host that
a stream calls makes it, ``"own_stream": true`` where 0 stands for the thread's own default stream, and ``"null": "dptr"`` where result pointers are null. An argument that the program obtained is
``{"ref": "a.dptr1", "plus": 512}``, or one of a list of handles at that place. Beside calls there are the steps ``spawn``, ``begin_exit``, ``exit`` and ``kill`` of a process,
``memory``, plain pages of the host, ``write``, bytes or 64-bit numbers that the host writes there, ``read``, bytes that it reads
(with ``"sorted": 4`` items of 4 bytes that come in no order), ``function``, one of the C library by its name, ``file``, one that holds some bytes, ``close`` of a descriptor, ``open`` of one
that is no exported memory, and ``world``, whose argument is the label of what follows: a stretch of the program that does not depend on the stretches before it.

A call with ``"begun": 0.5`` is made by its thread while the program goes on. The same call with ``"again": 0.5`` says how it stands.
The number is how many seconds a card's call may take before it counts as waiting; its code is ``WAITS`` then.

An answer is ``{"code": 0, "outs": {"dptr": {"new": "a.dptr1"}}}``; a result is a new name, ``{"name": …, "plus": …}``,
``{"volatile": true}``, a literal, or ``{"untold": true}`` if the recording did not keep it, which equals any.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from conformance.kit import listing

Step = dict[str, Any]
Answer = dict[str, Any]
Plain = Any
FORKED = "forked"
"""The thread of calls in a fork of the process."""
INSIDE = "inside"
"""The thread of calls inside a host function."""
OWN_STREAM = "own_stream"
"""The mark of calls with the per-thread default stream."""
LIFE = ("spawn", "begin_exit", "exit", "kill")
OTHER_STEPS = frozenset({*LIFE, "memory", "write", "read", "function", "pid", "file", "close", "open", "world"})
"""Steps that are not calls."""


@define
class Program:
    """A program with the answers of a target.

    Attributes:
        name: What it is called in a recording.
        steps: The steps.
        answers: One for each step; empty if no target has run it.
        origin: ``case``, ``pairs``, ``machine``, ``questions``, or another kind of program.
        about: What the program asks, or why its answers stay open, a sentence; empty if its name says it.
        alone: Whether no other program may use the card meanwhile.
        lost: Which records of a recorded program were lost, a sentence's end; empty if none was.
    """

    name: str
    steps: list[Step] = field(factory=list)
    answers: list[Answer] = field(factory=list)
    origin: str = "case"
    about: str = ""
    alone: bool = False
    lost: str = ""

    def as_python(self) -> str:
        """Return the program as Python text that runs on any machine."""
        return listing.as_python(self)
