"""cuModuleLoad and cuModuleLoadData: load an image of a file or in memory, without options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.module.file import content_of, named_file
from fakecuda.rules.driver.module.module_load import into, read_into
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuModuleLoad")
def module_load(call: Call, name: bytes | None) -> int:
    """Load the image in a file into the current context; return the module."""
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    data = content_of(call, named_file(name))
    # EFFECT
    return read_into(call, context, data).handle


@DRIVER.op("cuModuleLoadData")
def module_load_data(call: Call, image: bytes | None) -> int:
    """Load an image into the current context; return the module."""
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return into(call, context, image).handle
