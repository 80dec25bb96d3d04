"""cuLibraryGetManaged, cuLibraryGetUnifiedFunction: what all devices share of a library."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model import history
from fakecuda.model.code import module_effects
from fakecuda.model.code.code import MANAGED
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable, require_initialized
from fakecuda.rules.driver.library.handle import library_of
from fakecuda.rules.driver.library.module import image_of
from fakecuda.rules.driver.module.handle import named
from fakecuda.rules.driver.module.image import VARIABLES_HAVE_ROOM
from fakecuda.rules.driver.module.module_get_global import BOTH
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

UNIFIED = re.compile(rb"\.unified\b")
"""The PTX directive of a function with one address on all devices."""

MANAGED_VARIABLE_IS_THERE = Rule(
    "the library has a managed variable with the name that is passed",
    Result.NOT_FOUND,
    manual(
        "cuLibraryGetManaged",
        "If no managed memory with the requested name name exists, the call returns CUDA_ERROR_NOT_FOUND",
    ),
    fix="pass the name of a managed variable of the library",
)
FUNCTION_IS_UNIFIED = Rule(
    "the library has a unified function with the name that is passed",
    Result.INVALID_VALUE,
    observed(
        "cuLibraryGetUnifiedFunction",
        "the driver answers INVALID_VALUE to the names of kernels and variables and to unknown names, also if the "
        "library has no valid code: the driver does not read it",
    ),
    fix="pass the name of a unified function of the library",
)


@DRIVER.op("cuLibraryGetManaged")
def library_get_managed(call: Call, handle: int, name: bytes | None) -> tuple[int, int]:
    """Return the address and the bytes of a managed variable, the same in all contexts; either result may be null."""
    # CHECK
    require_driver_callable(call)
    if len(call.nulls) == BOTH:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    wanted = named(name)
    library = library_of(call, handle)
    image = image_of(call, library)
    variable = image.variables.get(wanted)
    if variable is None or variable.kind != MANAGED:
        raise MANAGED_VARIABLE_IS_THERE.broken(name=wanted, library=library)
    placed = module_effects.share(library, image, history.here())
    if placed is None:
        raise VARIABLES_HAVE_ROOM.broken(library=library)
    # EFFECT
    return placed[wanted].start, variable.size


@DRIVER.op("cuLibraryGetUnifiedFunction")
def library_get_unified_function(call: Call, handle: int, symbol: bytes | None) -> int:
    """Report that the library has no unified function: the model has none.

    Raises:
        FakeCudaError: The library is PTX that has some: they are not modelled.
    """
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    library = library_of(call, handle)
    wanted = named(symbol)
    if UNIFIED.search(library.data):
        msg = f"{library} has functions with the PTX attribute .unified, which is not modelled: remove .unified from the PTX"
        raise FakeCudaError(msg)
    raise FUNCTION_IS_UNIFIED.broken(name=wanted, library=library)
