"""Calls of a process that has a context of CUDA 3.1: which are made as always, which are refused, and which are not modelled.

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
"""Where a CUDA_MEMCPY3D has its memory types."""


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
    """Check that a call of the driver can be made while the process has a context of CUDA 3.1."""
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
    """Check that a call of the runtime API or of HIP can be made in a context of CUDA 3.1; without one it answers as always."""
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
"""Calls of the runtime API that end before they need a context, for some arguments."""


def _check_captures(call: Call, args: tuple[Any, ...]) -> None:
    """Check that the stream of a form of CUDA 3.1 is not being captured: forms add no nodes."""
    captures = call.process.captures
    for stream, one in () if captures is None else captures.of.items():
        if stream.handle == args[-1]:
            invalidate([one], STREAM_IS_NOT_CAPTURED)
            raise STREAM_IS_NOT_CAPTURED.broken(stream=stream, capture=one)


def _array(_: Call, args: tuple[Any, ...]) -> None:
    """Check what the description of an array looks at before its context."""
    if not args[0]:
        raise ARRAY_IS_GIVEN.broken()


def _batch(call: Call, args: tuple[Any, ...]) -> None:
    """Check what copies of a batch look at before their context."""
    if (args[-1] or call.default_stream) == LEGACY:
        raise STREAM_IS_NOT_LEGACY.broken(stream=args[-1])


def _managed(call: Call, args: tuple[Any, ...]) -> None:
    """Check what an allocation of managed memory looks at before its context."""
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
"""What calls look at before their context."""


def _is_pooled(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a free is of pool memory, which no call can free in a context of CUDA 3.1."""
    return isinstance(call.process.memory.at(args[0]), Pooled)


def _is_anothers(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether memory was registered in another context than the current one, and not for all contexts."""
    stack, item = call.thread.stack, call.process.memory.at(args[0])
    return isinstance(item, Registered) and not item.flags & PORTABLE and not (stack and item.context is stack[-1])


def _is_without_context(_: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a node is given no context."""
    return not args[-1]


def _copies_anywhere(_: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a node that copies is given no context, or names a memory type that needs unified addressing."""
    copy, context = args[-2:]
    unified = copy is not None and UNIFIED in (copy[FROM], copy[TO])
    if unified and not context:
        unmodelled("cuGraphAddMemcpyNode with CU_MEMORYTYPE_UNIFIED")
    return unified or not context


def _is_of_the_host(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a memory operation is on page-locked memory, whose address no device knows."""
    return isinstance(call.process.memory.at(args[1]), Pinned | Registered)


LOOKS: dict[str, Callable[[Call, tuple[Any, ...]], bool]] = {
    "cuMemFreeAsync": _is_pooled,
    **dict.fromkeys(("cuStreamWaitValue32", "cuStreamWaitValue64"), _is_of_the_host),
    **dict.fromkeys(("cuStreamWriteValue32", "cuStreamWriteValue64"), _is_of_the_host),
    "cuGraphAddMemcpyNode": _copies_anywhere,
    "cuGraphAddMemsetNode": _is_without_context,
}
"""Calls that need unified addressing for some arguments."""


def unmodelled(name: str) -> NoReturn:
    """Refuse a call that is not modelled in a context of CUDA 3.1, and warn."""
    msg = (
        f"{name} is not modelled in a context of CUDA 3.1, and answers {Result.NOT_SUPPORTED.cname}: make the context "
        "with cuCtxCreate_v2"
    )
    warnings.warn(msg, NotModelledWarning, stacklevel=6)
    raise MODELLED_IN_CUDA_3_1.broken(call=name)
