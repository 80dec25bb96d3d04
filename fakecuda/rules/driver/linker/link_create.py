"""cuLinkCreate: a linker, which makes one image of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import linking
from fakecuda.model.code.linking import ERRORS, INFO
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.module.module_load import LOG_SIZE, known
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TARGET, NUMBER = 9, 0xFFFF
"""CU_JIT_TARGET; and the bits of a CUjit_target that are an architecture, without what is of one device alone."""
SIZE = 0xFFFFFFFF
"""The bits of an option's value that are the bytes of a log."""


@DRIVER.op("cuLinkCreate")
def link_create(call: Call, count: int, options: tuple[int, ...] | None, values: tuple[int, ...] | None) -> int:
    """Return a new linker for the current context's device, or for what CU_JIT_TARGET names.

    Args:
        call: The call.
        count: The number of options.
        options: CUjit_option.
        values: The value of each: of a log its address.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    known(options, values, count)
    given = dict(zip(options or (), values or (), strict=False)) if count else {}
    logs = {log: (given[log], given.get(LOG_SIZE[log], 0) & SIZE) for log in (INFO, ERRORS) if log in given}
    arch = given[TARGET] & NUMBER if TARGET in given else context.device.architecture
    # EFFECT
    return linking.create(call.thread, arch, logs, history.here()).handle
