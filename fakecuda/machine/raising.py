"""Blocks of tests that expect an exception: ``pytest.raises`` and unittest's ``assertRaises``.

A wrapper of the driver turns the code of a refused call into an exception. When such a block has caught an exception, the
refused calls that it may come from are expected. An exception, or one that caused it, may come from a call if it ended a
function that had the call's answer: the function that called, or one that got the answer returned. An answer that a
function drops is not the reason, unless the call itself raised.

So a block may be held in a variable or entered by an ``ExitStack``, and the call may be made by another thread, whose
exception ``Future.result`` raises again.
"""

from __future__ import annotations

import dis
import sys
from functools import lru_cache, wraps
from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType, TracebackType

    from fakecuda.machine.refusals import Refusal, Refusals

NOTED = 1000
"""The maximum number of noted refused calls at a time."""
DROPPED, RETURNED, KEPT = "dropped", "returned", "kept"
"""Uses of a call's answer by a function: dropped, returned, or kept."""
SITES = 1024
"""The maximum number of call sites whose use of the answer is cached."""

JUMPS = frozenset([*dis.hasjrel, *dis.hasjabs])
ENDS = ("CALL", "PRECALL", "POP_TOP", "RAISE", "RETURN", "SEND", "YIELD", "RESUME")
"""Prefixes of instructions that end a direct path from a call to a return."""
CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT")
"""Prefixes of instructions that load a constant."""


@frozen
class Holder:
    """A function run that holds the answer of a refused call.

    Attributes:
        frame: The ``id`` of its frame, which may be used again after its end.
        code: Its code.
        at: The instruction that called.
        use: What it does with the answer.
    """

    frame: int
    code: CodeType
    at: int
    use: str


@frozen
class Noted:
    """A refused call within a block.

    Attributes:
        counted: The refused calls that count it.
        refusal: The call.
        holders: The functions that have its answer, the innermost first.
    """

    counted: Refusals
    refusal: Refusal
    holders: tuple[Holder, ...]


_numbers = count()
"""Counters of blocks and of noted calls, in order of their beginning."""
_open: dict[int, int] = {}
"""The number of each open block, by the ``id`` of its context manager."""
_noted: dict[int, Noted] = {}
"""Refused calls by number, without a lock, because signal handlers may call."""


def watch() -> None:
    """Wrap the blocks of pytest and unittest to learn what they catch, if loaded."""
    if pytest := sys.modules.get("pytest"):
        for kind in (type(pytest.raises(Exception)), getattr(pytest, "RaisesGroup", None)):
            if kind is not None:
                _watch(kind)
    if unittest := sys.modules.get("unittest"):
        _watch(type(unittest.TestCase().assertRaises(Exception)))  # noqa: PT027 - its class


def _watch(kind: Any) -> None:
    """Note the beginning of a class's blocks, and judge refused calls at their end."""
    enter, leave = kind.__enter__, kind.__exit__
    if hasattr(leave, "fakecuda"):
        return

    @wraps(enter)
    def entered(block: Any) -> Any:
        _open[id(block)] = next(_numbers)
        return enter(block)

    @wraps(leave)
    def left(
        block: Any, raised: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        __tracebackhide__ = True
        since = _open.pop(id(block), None)
        ended = [] if error is None or since is None else _behind(since, error)  # unittest drops the traceback
        _forget()
        caught = leave(block, raised, error, trace)
        if caught:
            for one in ended:
                one.counted.expect(one.refusal)
        return caught

    vars(left)["fakecuda"] = True
    kind.__enter__, kind.__exit__ = entered, left


def _forget() -> None:
    """Forget the refused calls before the first open block."""
    limit = next(_numbers)  # before the blocks are read: what begins meanwhile has a greater number
    oldest = min([limit, *_open.values()])
    for number in [number for number in list(_noted) if number < oldest]:
        _noted.pop(number, None)


def note(counted: Refusals, refusal: Refusal) -> None:
    """Note a refused call in an open block; the call is on this thread's stack."""
    if not _open or len(_noted) >= NOTED:
        return
    frame = history.caller()
    if holders := tuple(_holders(frame)):
        _noted[next(_numbers)] = Noted(counted, refusal, holders)


def _holders(frame: FrameType | None) -> Iterator[Holder]:
    """Yield the functions that receive the answer of the call."""
    use = RETURNED
    while frame is not None and use == RETURNED:
        use = use_of(frame.f_code, frame.f_lasti)
        yield Holder(id(frame), frame.f_code, frame.f_lasti, use)
        frame = frame.f_back


@lru_cache(SITES)
def use_of(code: CodeType, at: int) -> str:
    """Return what a function does with the answer of a call.

    Args:
        code: The function.
        at: The offset of the calling instruction.
    """
    behind = [one for one in dis.get_instructions(code) if one.offset > at]
    if behind and behind[0].opname == "POP_TOP":
        return DROPPED
    before = ""
    for one in behind:
        if one.opname == "RETURN_VALUE":
            return KEPT if before.startswith(CONSTANTS) else RETURNED
        if one.opcode in JUMPS or one.opname.startswith(ENDS):
            break
        before = one.opname
    return KEPT


def _behind(since: int, error: BaseException) -> list[Noted]:
    """Return the refused calls in a block that may have caused an exception."""
    calls = [one for number, one in list(_noted.items()) if number > since]
    if not calls:
        return []
    ended = {place for cause in _causes(error) for place in _ended(cause)}
    frames = {place[:2] for place in ended}
    return [
        one
        for one in calls
        if any(
            ((holder.frame, holder.code, holder.at) in ended)
            if holder.use == DROPPED
            else ((holder.frame, holder.code) in frames)
            for holder in one.holders
        )
    ]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, its causes, and the members of a group."""
    seen, left = set[int](), [error]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        left += [cause for cause in (one.__cause__, one.__context__) if cause is not None]
        if isinstance(one, BaseExceptionGroup):
            left += one.exceptions


def _ended(error: BaseException) -> Iterator[tuple[int, CodeType, int]]:
    """Yield the functions that an exception has ended, with frame and instruction.

    Wrappers raise no ``AssertionError``, but tests and fakecuda's own checks do.
    """
    trace = None if isinstance(error, AssertionError) else error.__traceback__
    while trace is not None:
        yield id(trace.tb_frame), trace.tb_frame.f_code, trace.tb_lasti
        trace = trace.tb_next
