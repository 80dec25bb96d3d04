"""cuModuleGetTexRef, cuModuleGetSurfRef: texture and surface references of a module.

No image here has one: PTX that declares some is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.module.handle import module_of, named
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TEXTURE_IS_IN_THE_MODULE = Rule(
    "the module `hmod` has a texture reference with the name `name`",
    Result.NOT_FOUND,
    manual(
        "cuModuleGetTexRef",
        "If no texture reference of that name exists, cuModuleGetTexRef() returns CUDA_ERROR_NOT_FOUND",
    ),
    fix="use texture objects (cuTexObjectCreate): images no longer have texture references",
)
SURFACE_IS_IN_THE_MODULE = Rule(
    "the module `hmod` has a surface reference with the name `name`",
    Result.NOT_FOUND,
    manual(
        "cuModuleGetSurfRef",
        "If no surface reference of that name exists, cuModuleGetSurfRef() returns CUDA_ERROR_NOT_FOUND",
    ),
    fix="use surface objects (cuSurfObjectCreate): images no longer have surface references",
)


@guard
def looked_for(call: Call, handle: int, name: bytes | None) -> dict[str, object]:
    """Return the facts of a failed look-up in a loaded module."""
    module = module_of(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return {"name": named(name), "module": module}


@DRIVER.op("cuModuleGetTexRef")
def module_get_tex_ref(call: Call, handle: int, name: bytes | None) -> int:
    """Report that a module has no texture reference: the model has none."""
    # CHECK
    facts = looked_for(call, handle, name)
    raise TEXTURE_IS_IN_THE_MODULE.broken(**facts)


@DRIVER.op("cuModuleGetSurfRef")
def module_get_surf_ref(call: Call, handle: int, name: bytes | None) -> int:
    """Report that a module has no surface reference: the model has none."""
    # CHECK
    facts = looked_for(call, handle, name)
    raise SURFACE_IS_IN_THE_MODULE.broken(**facts)
