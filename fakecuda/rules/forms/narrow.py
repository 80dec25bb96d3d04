"""Calls in a process with a context of CUDA 3.1: usual, refused or not modelled.

Such a process makes its calls through :func:`gate`. The lists of :mod:`fakecuda.rules.forms.narrow_calls` are an H200's answers,
driver 580. A call that is in none of them is made as always.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NoReturn

from fakecuda.errors import NotModelledWarning
from fakecuda.model.memory.memory import Pinned, Registered
from fakecuda.model.memory.memory_effects import PORTABLE
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.os.process import UP
from fakecuda.model.work.stream import LEGACY, PER_THREAD
from fakecuda.rules.capturing import STREAM_IS_NOT_CAPTURED
from fakecuda.rules.driver.array.handle import ARRAY_IS_GIVEN
from fakecuda.rules.driver.context.ctx_create import CONTEXTS_ARE_ALIKE
from fakecuda.rules.driver.copy.memcpy_batch_async import STREAM_IS_NOT_LEGACY
from fakecuda.rules.driver.copy.shape import UNIFIED
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.memory import mem_alloc_managed
from fakecuda.rules.driver.memory.mem_free import POINTER_IS_A_BASE
from fakecuda.rules.driver.module.handle import module_of
from fakecuda.rules.driver.stream.capture_state import invalidate
from fakecuda.rules.forms.narrow_calls import (
    BOTH_NULL,
    OF_64_BITS,
    OF_ADDRESSES,
    OF_THE_RUNTIME,
    OF_THE_RUNTIMES_CONTEXT,
    QUEUED,
    RANGES,
    UNASKED,
    UNASKED_OF_SEVERAL,
    WITH_A_CONTEXT,
)
from fakecuda.rules.forms.narrow_memory import owned
from fakecuda.rules.narrowing import (
    ADDRESSING_IS_UNIFIED,
    CONTEXT_IS_OF_TODAY,
    CONTEXT_SUITS_THE_RUNTIME,
    MODELLED_IN_CUDA_3_1,
)
from fakecuda.rules.registry import DRIVER, FORMS, RUNTIME
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.rules.dispatch import Op

FROM, TO = 4, 15
"""The indices of the memory types in a CUDA_MEMCPY3D."""


def gate(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call of a process that has a context of CUDA 3.1.

    Args:
        call: The call.
        op: Its operation.
        args: Its arguments.
    """
    process, stack = call.process, call.thread.stack
    usable = not stack or not (stack[-1].destroyed or stack[-1].lost)
    if process.state in UP and not call.thread.in_function and usable:
        if op.api is DRIVER or op.api is FORMS:
            _check(call, op.name, args)
        else:
            _check_other(call, op, args)
    captures = process.captures
    return op.function(call, *args) if captures is None else captures.gate(call, op, args)


def _check(call: Call, name: str, args: tuple[Any, ...]) -> None:
    """Check that a driver call is possible in a process with a context of CUDA 3.1."""
    stack = call.thread.stack
    if name in OF_64_BITS and not (name == BOTH_NULL and len(call.nulls) == len(("pbase", "psize"))):
        if not stack and name == "cuMemFree":
            if not args[0]:
                return
            raise POINTER_IS_A_BASE.broken(pointer=args[0], found=call.process.memory.at(args[0]))
        first = FIRST.get(name)
        if first is not None:
            first(call, args)
        raise CONTEXT_IS_OF_TODAY.broken(context=stack[-1] if stack else None)
    if name in OF_ADDRESSES or (name in WITH_A_CONTEXT and stack):
        raise ADDRESSING_IS_UNIFIED.broken()
    look = LOOKS.get(name)
    if look is not None and look(call, args):
        raise ADDRESSING_IS_UNIFIED.broken()
    if (
        name in UNASKED
        or name == "cuPointerGetAttributes"
        or (name == "cuMemHostUnregister" and _is_anothers(call, args))
    ):
        unmodelled(name)
    if name in QUEUED:
        _check_captures(call, args)
    narrow = call.process.narrow
    assert narrow is not None
    if len(narrow.rooms) > 1:
        if name in UNASKED_OF_SEVERAL:
            unmodelled(f"{name} beside a second context")
        owned(call, name, args)
    elif not stack and (name == "cuMemFreeHost" or (name in QUEUED and args[-1] > PER_THREAD)):
        owned(call, name, args)


def _check_other(call: Call, op: Op, args: tuple[Any, ...]) -> None:
    """Check that a runtime or HIP call is possible in a context of CUDA 3.1."""
    stack, name, narrow = call.thread.stack, op.name, call.process.narrow
    assert narrow is not None
    if not stack:
        return
    if name in OF_THE_RUNTIME:
        if name == "cudaSetDevice" and 0 <= args[0] < len(call.process.devices):
            narrow.chosen.add(call.thread)
        if name == "cudaFreeAsync" and _is_pooled(call, args):
            raise ADDRESSING_IS_UNIFIED.broken()
        return
    if op.api is not RUNTIME or name not in OF_THE_RUNTIMES_CONTEXT:
        if name == "cudaPointerGetAttributes":
            raise ADDRESSING_IS_UNIFIED.broken()
        if name in RANGES:
            raise CONTEXT_IS_OF_TODAY.broken(context=stack[-1])
        unmodelled(name)
    if name in NOTHING and NOTHING[name](args):
        return
    if call.thread in narrow.chosen:
        raise CONTEXTS_ARE_ALIKE.broken(contexts=call.process.contexts)
    raise CONTEXT_SUITS_THE_RUNTIME.broken(context=stack[-1])


COUNT, FUNCTION = 2, 1
NOTHING: dict[str, Callable[[tuple[Any, ...]], bool]] = {
    **dict.fromkeys(
        (f"cudaMemcpy{way}Symbol{when}" for way in ("From", "To") for when in ("", "Async")),
        lambda args: not args[COUNT],
    ),
    "cudaStreamAddCallback": lambda args: not args[FUNCTION],
}
"""Tests for arguments with which a runtime call needs no context."""


def _check_captures(call: Call, args: tuple[Any, ...]) -> None:
    """Check that the stream of a CUDA 3.1 form is not captured: forms add no nodes."""
    captures = call.process.captures
    for stream, one in () if captures is None else captures.of.items():
        if stream.handle == args[-1]:
            invalidate([one], STREAM_IS_NOT_CAPTURED)
            raise STREAM_IS_NOT_CAPTURED.broken(stream=stream, capture=one)


def _array(_: Call, args: tuple[Any, ...]) -> None:
    """Check the array of a descriptor query, before its context is checked."""
    if not args[0]:
        raise ARRAY_IS_GIVEN.broken()


def _batch(call: Call, args: tuple[Any, ...]) -> None:
    """Check the stream of a batch of copies, before its context is checked."""
    if (args[-1] or call.default_stream) == LEGACY:
        raise STREAM_IS_NOT_LEGACY.broken(stream=args[-1])


def _managed(call: Call, args: tuple[Any, ...]) -> None:
    """Check the arguments of cuMemAllocManaged, before its context is checked."""
    size, flags = args
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not size:
        raise mem_alloc_managed.SIZE_IS_POSITIVE.broken()
    if flags not in mem_alloc_managed.ATTACH:
        raise mem_alloc_managed.FLAGS_ARE_KNOWN.broken(flags=flags)


FIRST: dict[str, Callable[[Call, tuple[Any, ...]], object]] = {
    **dict.fromkeys(("cuArrayGetDescriptor", "cuArray3DGetDescriptor"), _array),
    "cuMemAllocManaged": _managed,
    "cuMemcpyBatchAsync": _batch,
    "cuModuleGetGlobal": lambda call, args: module_of(call, args[0]),
}
"""Checks that calls make before they check their context."""


def _is_pooled(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a free is for pool memory, which needs unified addressing."""
    return isinstance(call.process.memory.at(args[0]), Pooled)


def _is_anothers(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether memory is registered in another context, and not portable."""
    stack, item = call.thread.stack, call.process.memory.at(args[0])
    return isinstance(item, Registered) and not item.flags & PORTABLE and not (stack and item.context is stack[-1])


def _is_without_context(_: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a new node has no context."""
    return not args[-1]


def _copies_anywhere(_: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a new memcpy node has no context, or a unified memory type."""
    copy, context = args[-2:]
    unified = copy is not None and UNIFIED in (copy[FROM], copy[TO])
    if unified and not context:
        unmodelled("cuGraphAddMemcpyNode with CU_MEMORYTYPE_UNIFIED")
    return unified or not context


def _is_of_the_host(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a memory operation uses page-locked memory."""
    return isinstance(call.process.memory.at(args[1]), Pinned | Registered)


LOOKS: dict[str, Callable[[Call, tuple[Any, ...]], bool]] = {
    "cuMemFreeAsync": _is_pooled,
    **dict.fromkeys(("cuStreamWaitValue32", "cuStreamWaitValue64"), _is_of_the_host),
    **dict.fromkeys(("cuStreamWriteValue32", "cuStreamWriteValue64"), _is_of_the_host),
    "cuGraphAddMemcpyNode": _copies_anywhere,
    "cuGraphAddMemsetNode": _is_without_context,
}
"""Tests for arguments with which a call needs unified addressing."""


def unmodelled(name: str) -> NoReturn:
    """Refuse a call that is not modelled in a context of CUDA 3.1, and warn."""
    msg = (
        f"{name} is not modelled in a context of CUDA 3.1, and answers {Result.NOT_SUPPORTED.cname}: make the context "
        "with cuCtxCreate_v2"
    )
    warnings.warn(msg, NotModelledWarning, stacklevel=6)
    raise MODELLED_IN_CUDA_3_1.broken(call=name)
