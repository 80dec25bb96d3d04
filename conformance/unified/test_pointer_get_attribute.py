"""cuPointerGetAttribute: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html

The valid call asks for the device pointer: it alone looks at the current context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NO_ACCESS, NOWHERE, POSIX, READ, G, alloc, freed, imported, mapped
from fakecuda.api import ENUMS

if TYPE_CHECKING:
    from conformance.case import Process

NAMES = {name.removeprefix("CU_POINTER_ATTRIBUTE_"): value for name, value in ENUMS["CUpointer_attribute"].items()}
ASKED = [name for name in NAMES if name not in {"HOST_POINTER", "LOCALITY_DOMAIN_ORDINAL"}]
"""What every machine that was asked answers for device memory."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuPointerGetAttribute", attribute=NAMES["DEVICE_POINTER"], ptr=alloc(a))


def ask(a: Process, name: str, ptr: int) -> object:
    """Return an attribute of a pointer."""
    return a.c.cuPointerGetAttribute(NAMES[name], ptr)[1]


entry = Entry("cuPointerGetAttribute", valid)
entry.null("data", "RESULT_IS_GIVEN")
entry.breaks("ATTRIBUTE_IS_KNOWN", attribute=0)
entry.breaks("ATTRIBUTE_IS_KNOWN", "negative", attribute=-1)
entry.breaks("ATTRIBUTE_IS_KNOWN", "beyond the last", attribute=99)
entry.breaks("POINTER_IS_KNOWN", ptr=NOWHERE)
entry.breaks("POINTER_IS_KNOWN", "null", ptr=0)
entry.breaks("POINTER_IS_KNOWN", "just behind", ptr=lambda i: i.args["ptr"] + 4096)
entry.breaks("POINTER_IS_KNOWN", "freed", ptr=lambda i: freed(i.process))
entry.breaks("POINTER_IS_KNOWN", "merely reserved", ptr=lambda i: mapped(i.process)[0] + G)
entry.breaks("DEVICE_CAN_ACCESS_IT", ptr=lambda i: mapped(i.process, NO_ACCESS)[0])
entry.breaks("HOST_CAN_ACCESS_IT", attribute=NAMES["HOST_POINTER"])

for attribute in ASKED:
    entry.also(f"{attribute} of an allocation", attribute=NAMES[attribute], ptr=lambda i: i.args["ptr"] + 100)
    entry.also(f"{attribute} of a mapping", attribute=NAMES[attribute], ptr=lambda i: mapped(i.process)[0] + 100)


@entry.also("every attribute of what another process allocated")
def opened(w: World, i: Invocation) -> None:
    ptr, _ = imported(i.process, w.process(), 100)
    for name in ASKED:
        ask(i.process, name, ptr)


@entry.also("the context that allocated it")
def context(_w: World, i: Invocation) -> None:
    c = i.process.c
    _, other = c.cuCtxCreate(None, 0, 0)
    ptr = alloc(i.process)
    c.cuCtxPopCurrent()
    assert ask(i.process, "CONTEXT", ptr) == other


@entry.also("a mapping belongs to no context")
def no_context_of_a_mapping(_w: World, i: Invocation) -> None:
    assert ask(i.process, "CONTEXT", mapped(i.process)[0]) == 0


@entry.also("the pointer itself is the device pointer")
def device_pointer(_w: World, i: Invocation) -> None:
    assert ask(i.process, "DEVICE_POINTER", i.args["ptr"] + 5) == i.args["ptr"] + 5


@entry.also("buffer ids are not reused")
def buffer_ids(_w: World, i: Invocation) -> None:
    a, seen = i.process, set()
    for _ in range(3):
        ptr = alloc(a)
        seen.add(ask(a, "BUFFER_ID", ptr))
        a.c.cuMemFree(ptr)
    assert len(seen) == 3


@entry.also("small allocations share a block")
def block(_w: World, i: Invocation) -> None:
    a, one, two = i.process, alloc(i.process), alloc(i.process)
    assert [ask(a, "MEMORY_BLOCK_ID", one), 2 << 20] == [ask(a, "MEMORY_BLOCK_ID", two), ask(a, "MAPPING_SIZE", one)]


@entry.also("the device's ordinal")
def ordinal(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.c.cuCtxCreate(None, 0, 1)
    assert ask(i.process, "DEVICE_ORDINAL", alloc(i.process)) == 1


@entry.also("the range of a mapping is its reservation")
def reservation(_w: World, i: Invocation) -> None:
    ptr, _ = mapped(i.process)
    assert [ask(i.process, name, ptr + 5) for name in ("RANGE_START_ADDR", "RANGE_SIZE")] == [ptr, 2 * G]


@entry.also("only linear memory has legacy IPC handles")
def legacy(w: World, i: Invocation) -> None:
    a = i.process
    pointers = i.args["ptr"], mapped(a)[0], imported(a, w.process())[0]
    assert [ask(a, "IS_LEGACY_CUDA_IPC_CAPABLE", ptr) for ptr in pointers] == [1, 0, 0]


@entry.also("the handle types that were requested")
def handle_types(_w: World, i: Invocation) -> None:
    a = i.process
    pointers = i.args["ptr"], mapped(a)[0], mapped(a, handle_types=0)[0]
    assert [ask(a, "ALLOWED_HANDLE_TYPES", ptr) for ptr in pointers] == [0, POSIX, 0]


@entry.also("the access of a mapping")
def access(_w: World, i: Invocation) -> None:
    assert [ask(i.process, "ACCESS_FLAGS", mapped(i.process, flags)[0]) for flags in (0, READ, 3)] == [0, READ, 3]


@entry.also("GPUDirect RDMA as it was asked for")
def rdma(_w: World, i: Invocation) -> None:
    a = i.process
    pointers = i.args["ptr"], mapped(a)[0], mapped(a, rdma=1)[0]
    assert [ask(a, "IS_GPU_DIRECT_RDMA_CAPABLE", ptr) for ptr in pointers] == [1, 0, 1]


test_pointer_get_attribute = entry.test()
