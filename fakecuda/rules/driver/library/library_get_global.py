"""cuLibraryGetGlobal: the address of a library's variable in the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable
from fakecuda.rules.driver.library.handle import library_of
from fakecuda.rules.driver.library.module import image_of, module_in, run_by
from fakecuda.rules.driver.module.handle import named
from fakecuda.rules.driver.module.module_get_global import BOTH, declared
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuLibraryGetGlobal")
def library_get_global(call: Call, handle: int, name: bytes | None) -> tuple[int, int]:
    """Return the address and the bytes of a variable in the current context; either result may be null."""
    # CHECK
    require_driver_callable(call)
    if len(call.nulls) == BOTH:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    wanted = named(name)
    library = library_of(call, handle)
    context = current(call)
    image = image_of(call, library)
    run_by(library, context)
    size = declared(image, wanted)
    # EFFECT
    return module_in(call, library, context).variables[wanted].start, size
