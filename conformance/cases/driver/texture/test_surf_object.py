"""Surface objects: creation and queries.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.array.fixtures import BC1
from conformance.cases.driver.texture.fixtures import (
    linear,
    of_another,
    of_array,
    of_levels,
    pitched,
    refuse,
    surface,
)
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuSurfObjectCreate", pResDesc=of_array(a))


def described(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the surface object's description, and destroy it."""
    i.process.ok.cuSurfObjectGetResourceDesc(*results)
    i.process.ok.cuSurfObjectDestroy(*results)


create = Entry("cuSurfObjectCreate", valid, described)
refuse(create)
for name, made in {"mipmapped": of_levels, "linear": linear, "pitched": pitched}.items():
    create.breaks("SURFACES_ARE_ARRAYS", name, pResDesc=lambda i, made=made: made(i.process))
create.breaks("SURFACES_SHOW_ELEMENTS", pResDesc=lambda i: of_array(i.process, 0, 0, BC1, 4))
create.also("an array for surfaces", pResDesc=lambda i: of_array(i.process, 0, 2), then=described)


@create.undefined("SURFACE_HAS_A_PLACE", code=Result.INVALID_VALUE)
def nowhere(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="pSurfObject")


test_surf_object_create = create.test()


def destroyed(w: World) -> Invocation:
    a = w.process()
    return a.call("cuSurfObjectDestroy", surfObject=surface(a))


destroy = Entry("cuSurfObjectDestroy", destroyed)
destroy.also("null", surfObject=0)
destroy.also("unknown", surfObject=0x7777)


@destroy.world("CONTEXT_IS_CURRENT", "no object and no context", "surfObject")
def nothing(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(surfObject=0)


test_surf_object_destroy = destroy.test()


def told(w: World) -> Invocation:
    a = w.process()
    return a.call("cuSurfObjectGetResourceDesc", surfObject=surface(a))


resource = Entry("cuSurfObjectGetResourceDesc", told)
resource.null("pResDesc", "RESULT_IS_GIVEN")
for number in (0, 0x7777):
    resource.breaks("OBJECT_IS_THERE", f"{number}", surfObject=number)
resource.world("OBJECT_IS_THERE", "of another context")(lambda _, i: of_another(i))
test_surf_object_get_resource_desc = resource.test()
