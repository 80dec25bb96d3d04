"""Loading of modules, and refused images.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import (
    HUGE,
    SHARED,
    no_room,
    refuse_files,
    refuse_images,
    refuse_managed,
)
from conformance.cases.driver.module.test_module_load import answers
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def data(w: World) -> Invocation:
    return w.process().call("cuModuleLoadData", image=PTX)


def file(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleLoad", fname=a.file(PTX))


load = Entry("cuModuleLoad", file, answers)
load.null("module", "RESULT_IS_GIVEN")
refuse_files(load, "fname")
no_room(load, fname=lambda i: i.process.file(HUGE))
refuse_managed(load, "fname", lambda a: a.file(SHARED))
test_module_load = load.test()

load_data = Entry("cuModuleLoadData", data, answers)
load_data.null("module", "RESULT_IS_GIVEN")
refuse_images(load_data)
no_room(load_data, image=HUGE)
refuse_managed(load_data, "image", lambda _: SHARED)


@load_data.after("the next module lies where the last one did")
def at_the_same_place(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    a, (first,) = i.process, results
    names = (b"counter", b"table")
    places = [a.ok.cuModuleGetGlobal(first, name) for name in names]
    a.ok.cuModuleUnload(first)
    second = i.run()[1]
    assert [a.ok.cuModuleGetGlobal(second, name) for name in names] == places


@load_data.after("a variable is as the code says where another one was written")
def as_new(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that a second module uses the block of the first module's variables."""
    a = i.process
    for image, name in ((PTX, b"table"), (SHARED, b"shared")):
        first, _second = (a.ok.cuModuleLoadData(image) for _ in range(2))
        place, size = a.ok.cuModuleGetGlobal(first, name)
        a.ok.cuMemsetD8(place, 0xFF, size)
        a.ok.cuModuleUnload(first)
        place, size = a.ok.cuModuleGetGlobal(a.ok.cuModuleLoadData(image), name)
        assert content(a, place, size) == bytes(size)


test_module_load_data = load_data.test()
