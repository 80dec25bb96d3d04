"""Texture and surface references of a module, which modules here lack.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import module, refuse_module
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def texture(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleGetTexRef", hmod=module(a), name=b"none")


def surface(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleGetSurfRef", hmod=module(a), name=b"none")


get_tex_ref = Entry("cuModuleGetTexRef", texture, answers=Result.NOT_FOUND)
get_surf_ref = Entry("cuModuleGetSurfRef", surface, answers=Result.NOT_FOUND)
for entry, result, rule in (
    (get_tex_ref, "pTexRef", "TEXTURE_IS_IN_THE_MODULE"),
    (get_surf_ref, "pSurfRef", "SURFACE_IS_IN_THE_MODULE"),
):
    refuse_module(entry)
    entry.null(result, "RESULT_IS_GIVEN")
    entry.breaks("NAME_IS_GIVEN", name=None)
    entry.breaks(rule, "a kernel", name=b"empty")
    entry.breaks(rule, "a variable", name=b"counter")
test_module_get_tex_ref = get_tex_ref.test()
test_module_get_surf_ref = get_surf_ref.test()
