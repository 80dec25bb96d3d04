"""Rules of most calls: the thread has a current context that has not been destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from fakecuda.model.os.process import READY
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.fault import caused, report
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.os.process import Process

CONTEXT_IS_CURRENT = Rule(
    "the calling thread has a current context",
    Result.INVALID_CONTEXT,
    manual("cuCtxEnablePeerAccess", "Returns CUDA_ERROR_INVALID_CONTEXT if there is no current context"),
    fix="call cuCtxSetCurrent in this thread first; each thread has its own current context",
)
CONTEXT_IS_ALIVE = Rule(
    "the current context has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    manual(
        "cuCtxDestroy",
        "attempting to access ctx from those threads will result in the error CUDA_ERROR_CONTEXT_IS_DESTROYED",
    ),
    fix="make a context current that has not been destroyed",
)
CONTEXT_IS_SOUND = Rule(
    "no work of the current context, or of the context of a handle that the call uses, has failed",
    Result.LAUNCH_FAILED,
    manual(
        "CUresult",
        "This leaves the process in an inconsistent state and any further CUDA work will return the same error",
    ),
    fix="find the work that failed earlier: since then, every call in its context returns this error",
)


@guard
def top(call: Call) -> Context:
    """Return the current context of the calling thread, destroyed or not."""
    if call.process.state != READY or call.thread.in_function:
        require_initialized(call)
    stack = call.thread.stack
    if not stack:
        raise CONTEXT_IS_CURRENT.broken(thread=call.thread.name)
    return stack[-1]


@guard
def require_usable_context(context: Context) -> None:
    """Check that a context is alive and that none of its work has failed."""
    if context.destroyed:
        raise CONTEXT_IS_ALIVE.broken(context=context)
    if context.lost:
        failed(context)


@guard
def failed(context: Context) -> NoReturn:
    """Raise the rule that failed work of a context has broken permanently."""
    cause = caused(context.process)
    report(context.lost, context=context, **cause)
    raise CONTEXT_IS_SOUND.broken(context=context, **cause)


@guard
def current(call: Call) -> Context:
    """Return the current context of the calling thread, which must be alive."""
    if call.process.state != READY or call.thread.in_function:
        require_initialized(call)
    stack = call.thread.stack
    if not stack:
        raise CONTEXT_IS_CURRENT.broken(thread=call.thread.name)
    context = stack[-1]
    if context.destroyed or context.lost:
        require_usable_context(context)
    return context


@guard
def alive(call: Call) -> Process:
    """Return the calling process, initialised; its current context, if any, is alive."""
    process, thread = call.process, call.thread
    if process.state != READY or thread.in_function:
        require_initialized(call)
    stack = thread.stack
    if stack and (stack[-1].destroyed or stack[-1].lost):
        require_usable_context(stack[-1])
    return process
