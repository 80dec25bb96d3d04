"""cuLinkCreate: create a linker, which links several inputs into one image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import linking
from fakecuda.model.code.linking import ERRORS, INFO
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.linker.handle import ask_for_logs
from fakecuda.rules.driver.module.module_load import LOG_SIZE, SIZE, TARGET, known, options_of, target_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

FALLBACK = 10
"""CU_JIT_FALLBACK_STRATEGY."""

NOTHING_FALLS_BACK = Rule(
    "the JIT options of a linker or of its input do not have CU_JIT_FALLBACK_STRATEGY",
    Result.INVALID_VALUE,
    manual("CUjit_option", "This option cannot be used with cuLink* APIs"),
    fix="leave out CU_JIT_FALLBACK_STRATEGY",
)
LOGS_HAVE_MEMORY = Rule(
    "the buffer of a log is not null if its size is not 0",
    Result.INVALID_VALUE,
    observed("cuLinkCreate", "the driver answers INVALID_VALUE to a log of 100 bytes at null"),
    fix="pass a buffer of as many bytes as CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES or CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES says",
)


@guard
def without_fallback(options: tuple[int, ...] | None, _: tuple[int, ...] | None, count: int) -> None:
    """Check that the options have no CU_JIT_FALLBACK_STRATEGY."""
    if count and options and FALLBACK in options:
        raise NOTHING_FALLS_BACK.broken(options=options)


@DRIVER.op("cuLinkCreate")
def link_create(call: Call, count: int, options: tuple[int, ...] | None, values: tuple[int, ...] | None) -> int:
    """Create a linker for the device of the current context, or for the target that CU_JIT_TARGET names.

    Args:
        call: The call.
        count: The number of options.
        options: CUjit_option.
        values: The value of each: of a log its address.
    """
    # CHECK
    context = entered(call)
    known(call, options, values, count)
    without_fallback(options, values, count)
    # EFFECT
    return created(call, context, options_of(options, values, count))


@guard
def entered(call: Call) -> Context:
    """Return the current context of a call whose result pointer is not null."""
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return context


@guard
def created(call: Call, context: Context, given: dict[int, int]) -> int:
    """Create a linker, and return it.

    Args:
        call: The call.
        context: The current context.
        given: The values of options of the compiler, by CUjit_option.
    """
    logs = {log: (given[log], given.get(LOG_SIZE[log], 0) & SIZE) for log in (INFO, ERRORS) if log in given}
    if any(size and not address for address, size in logs.values()):
        raise LOGS_HAVE_MEMORY.broken(logs=logs)
    arch = target_of(given) if TARGET in given else context.device.architecture
    ask_for_logs(call, logs)
    return linking.create(call.thread, arch, given, logs, history.here()).handle
