"""Rules of calls with a CUlinkState: the linker is live, here or in the parent.

They ask neither whether cuInit was called nor for a context, and host functions can make them: a linker knows what it
links for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code.linking import Linker
from fakecuda.model.memory.space import WRITE
from fakecuda.model.os.process import FORKED
from fakecuda.rules.core import Broken, Rule, guard, observed, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.call import Call
    from fakecuda.model.code.linking import Log

LINKER_IS_GIVEN = Rule(
    "`state` is not null",
    Result.INVALID_HANDLE,
    observed("cuLinkComplete", "every linker call answers INVALID_HANDLE to a null linker, even before cuInit"),
    fix="pass the handle that cuLinkCreate returned",
)
LINKER_IS_KNOWN = Rule(
    "`state` is a linker of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuLinkComplete",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation "
        "fault), even before cuInit",
    ),
    fix="pass the handle that cuLinkCreate returned in this process",
)
LINKER_IS_LIVE = Rule(
    "`state` has not been destroyed",
    Result.INVALID_HANDLE,
    undefined(
        "cuLinkDestroy",
        "the manual says nothing about a later use; driver 580 reads freed memory: adding an input answers "
        "INVALID_IMAGE, cuLinkComplete answers UNKNOWN, and a second cuLinkDestroy crashes (segmentation fault)",
    ),
    fix="call cuLinkDestroy after the last use of the linker",
)
LINKER_IS_THE_THREAD_S = Rule(
    "the calling thread created the linker `state`",
    Result.SUCCESS,
    undefined(
        "cuLinkComplete",
        "the manual says nothing about other threads; driver 580 succeeds in other threads and in host "
        "functions, but in each of six trials a later linker call crashed (segmentation fault)",
    ),
    fix="call cuLinkComplete and cuLinkDestroy in the thread that called cuLinkCreate",
)
LINKER_HAS_NOT_FAILED = Rule(
    "`state` has not refused a cubin, an input that was linked already, or an input whose names clash with another's",
    Result.INVALID_SOURCE,
    observed(
        "cuLinkComplete",
        "after the linker has refused such an input, cuLinkComplete answers the code of that refusal: INVALID_IMAGE, "
        "UNKNOWN, NO_BINARY_FOR_GPU or INVALID_SOURCE; so does adding a cubin or a compiled image; other refused "
        "inputs have no effect",
    ),
    fix="destroy the linker, and create another one without the failed input",
)


@guard
def given(call: Call, handle: int) -> None:
    """Check that the linker handle is not null."""
    require_driver_up(call)
    if not handle:
        raise LINKER_IS_GIVEN.broken(linker=handle)


@guard
def ask_for_logs(call: Call, logs: Mapping[int, Log]) -> None:
    """Check the process's log buffers. An attached process may repeat the call here.

    So call this function before each effect.
    """
    for address, size in logs.values():
        if size:
            call.process.system.reaches(address, size, WRITE)


@guard
def linker_of(call: Call, handle: int) -> Linker:
    """Return the linker of a handle."""
    linker = call.process.loaded.get(handle)
    if isinstance(linker, Linker):
        ask_for_logs(call, linker.logs)
        return linker
    ended = call.process.freed.get(handle)
    if isinstance(ended, Linker):
        call.undefined(LINKER_IS_LIVE, linker=ended)
        raise LINKER_IS_LIVE.broken(linker=ended)
    call.undefined(LINKER_IS_KNOWN, linker=handle)
    raise LINKER_IS_KNOWN.broken(linker=handle)


@guard
def of_its_thread(call: Call, handle: int) -> Linker:
    """Return the linker of a handle, which the calling thread should have created."""
    linker = linker_of(call, handle)
    if linker.thread is not call.thread and call.process.state != FORKED:
        call.undefined(LINKER_IS_THE_THREAD_S, linker=linker, thread=call.thread.name)
    return linker


@guard
def able(linker: Linker) -> None:
    """Check that a linker has not failed."""
    if linker.failed:
        raise Broken(LINKER_HAS_NOT_FAILED, {"linker": linker, "code": linker.failed}, linker.failed)


def of_names(call: Call) -> int:
    """Return the code of name errors: it depends on the PTX refused last."""
    return Result.UNKNOWN if call.thread.refused_text == Result.INVALID_PTX else Result.INVALID_SOURCE
