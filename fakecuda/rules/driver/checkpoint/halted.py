"""Calls of a locked or checkpointed process: which answer, wait or are refused.

Such a process makes its calls through :func:`gate`. A refused call answers at once, as usual. Of the successful calls,
some answer at once, and others wait before they act or before they check. The lists are an H100's answers, driver 580
(``conformance/data/recordings/h100-d/halted.jsonl.gz``); a call without a recorded answer waits.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import watched
from fakecuda.model.memory.holding import own_sizes
from fakecuda.model.os import checkpoint
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
"""Calls that succeed at once in a locked or checkpointed process."""
BEHIND: dict[str, list[str]] = SEEN["behind"]
"""By call, the rules that are checked only after the process is unlocked."""
PUT_AWAY: dict[str, int | None] = SEEN["put away"]
"""By call, the code in checkpointed processes only; None if it never returns."""
CHECKPOINTS = "cuCheckpoint"
"""The prefix of the checkpoint calls, which run as usual."""


class Held(Exception):  # noqa: N818 - no error
    """The exception of a call that must wait before it acts."""


def gate(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call of a locked or checkpointed process.

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
        if refused or broken.rule.id not in BEHIND.get(op.name, ()):
            raise
    if refused:
        _refuse(call, PUT_AWAY[op.name])
    return _again(process)


def _again(process: Process) -> Any:
    """Wait until a process is unlocked."""
    waiting.wait(process.machine, f"cuCheckpointProcessUnlock of {process}", lambda: process.state not in HALTED)


def _refuse(call: Call, code: int | None) -> None:
    """Refuse a call of a checkpointed process."""
    if code is not None:
        raise WHILE_PUT_AWAY[code].broken(process=call.process)
    call.undefined(MEMORY_IS_THERE_TO_READ)
    raise MEMORY_IS_THERE_TO_READ.broken(process=call.process)


def _made_beside(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call of a checkpointed process; its memory is restored during the call."""
    process = call.process
    checkpoint.restore(process)
    try:
        return _made(call, op, args)
    finally:
        checkpoint.save(process, own_sizes(process))


def holding(number: int) -> Callable[[Act], None]:
    """Return the function that makes a thread wait before it acts."""

    def hold(_: Act) -> None:
        if threading.get_ident() == number:
            raise Held

    return hold


def _made(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call as usual."""
    behind = call.process.behind_halt()
    return op.function(call, *args) if behind is None else behind(call, op, args)
