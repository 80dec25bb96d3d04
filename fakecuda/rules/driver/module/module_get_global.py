"""cuModuleGetGlobal: the address of a variable of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.module.handle import module_of, named
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Image

VARIABLE_IS_NO_KERNEL = Rule(
    "the name that is passed is not a kernel's",
    Result.INVALID_VALUE,
    observed("cuModuleGetGlobal", "the driver answers INVALID_VALUE to the name of a kernel"),
    fix="pass the name of a variable; cuModuleGetFunction and cuLibraryGetKernel find kernels",
)
VARIABLE_IS_IN_THE_MODULE = Rule(
    "the module or library has a variable with the name that is passed",
    Result.NOT_FOUND,
    manual("cuModuleGetGlobal", "If no variable of that name exists, cuModuleGetGlobal() returns CUDA_ERROR_NOT_FOUND"),
    fix="pass the name that the variable has in the image",
)
BOTH = 2


@guard
def declared(image: Image, name: str) -> int:
    """Return the size in bytes of a variable of an image."""
    variable = image.variables.get(name)
    if name in image.entries:
        raise VARIABLE_IS_NO_KERNEL.broken(name=name)
    if variable is None:
        raise VARIABLE_IS_IN_THE_MODULE.broken(name=name, known=list(image.variables))
    return variable.size


@DRIVER.op("cuModuleGetGlobal")
def module_get_global(call: Call, handle: int, name: bytes | None) -> tuple[int, int]:
    """Return the address and the bytes of a variable; either result may be null."""
    # CHECK
    module = module_of(call, handle)
    if len(call.nulls) == BOTH:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    wanted = named(name)
    size = declared(module.image, wanted)
    # EFFECT
    return module.variables[wanted].start, size
