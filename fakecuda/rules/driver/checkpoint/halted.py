"""What calls do while their process is locked or put away: which answer at once, which wait, which are refused.

Such a process makes its calls through :func:`gate`. What is refused is refused at once, as ever; of what succeeds some calls
answer at once, and others wait before they act, or before they look. The lists are an H100's answers, driver 580
(``conformance/data/halted``); a call that it was not asked of waits.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import watched
from fakecuda.model.memory.holding import own_sizes
from fakecuda.model.os.process import CHECKPOINTED, HALTED, LOCKED
from fakecuda.model.work import waiting
from fakecuda.rules.core import Broken
from fakecuda.rules.halting import MEMORY_IS_THERE_TO_READ, WHILE_PUT_AWAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.effect import Act
    from fakecuda.model.os.process import Process
    from fakecuda.rules.dispatch import Op

SEEN: dict[str, Any] = json.loads((Path(__file__).parents[2] / "generated" / "halted.json").read_text(encoding="utf-8"))
AT_ONCE = frozenset(SEEN["at once"])
"""Calls that answer at once where they succeed."""
BEHIND: dict[str, str] = SEEN["behind"]
"""A rule that is looked at only when the process goes on, by the call."""
PUT_AWAY: dict[str, int | None] = SEEN["put away"]
"""What a process that is put away is answered otherwise than one that is locked, by the call: a code, or nothing any more."""
CHECKPOINTS = "cuCheckpoint"
"""What calls begin with that halt processes and let them go on: they are made as ever."""


class Held(Exception):  # noqa: N818 - no error
    """A call would act, and has to wait."""


def gate(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call of a process that is halted.

    Args:
        call: The call.
        op: Its operation.
        args: Its arguments.
    """
    process = call.process
    if op.name.startswith(CHECKPOINTS):
        return op.function(call, *args)
    refused = process.state == CHECKPOINTED and op.name in PUT_AWAY
    at_once = op.name in AT_ONCE and not refused
    if at_once and op.name not in BEHIND:
        return _made(call, op, args) if process.state == LOCKED else _made_beside(call, op, args)
    try:
        with watched(before=holding(threading.get_ident())):
            outs = _made(call, op, args)
        if at_once:
            return outs
    except Held:
        pass
    except Broken as broken:
        if refused or broken.rule.id != BEHIND.get(op.name):
            raise
    if refused:
        _refuse(call, PUT_AWAY[op.name])
    return _again(process)


def _again(process: Process) -> Any:
    """Wait until a process goes on."""
    waiting.wait(process.machine, f"cuCheckpointProcessUnlock of {process}", lambda: process.state not in HALTED)


def _refuse(call: Call, code: int | None) -> None:
    """Refuse a call of a process that is put away."""
    if code is not None:
        raise WHILE_PUT_AWAY[code].broken(process=call.process)
    call.undefined(MEMORY_IS_THERE_TO_READ)
    raise MEMORY_IS_THERE_TO_READ.broken(process=call.process)


def _made_beside(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call of a process that is put away; the books of its memory are as if it were not, while nobody looks."""
    process = call.process
    process.restore()
    try:
        return _made(call, op, args)
    finally:
        process.checkpoint(own_sizes(process))


def holding(number: int) -> Callable[[Act], None]:
    """Return what keeps a thread from acting."""

    def hold(_: Act) -> None:
        if threading.get_ident() == number:
            raise Held

    return hold


def _made(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call as ever."""
    captures = call.process.captures
    return op.function(call, *args) if captures is None else captures.gate(call, op, args)
