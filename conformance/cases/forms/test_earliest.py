"""Forms of CUDA 3.1 with 32-bit addresses and sizes, in old and new contexts.

https://docs.nvidia.com/cuda/cuda-driver-api/index.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import SHARED, module
from conformance.cases.forms.fixtures import older
from conformance.kit.calls import CALLS
from conformance.kit.case import Entry, suite
from fakecuda.rules.forms.earliest import FLAT, ROWS, SOLID
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

BYTES, ROOM = 64, 4096
VARIABLE = b"counter"
LINE, BOX = (ROOM, 0, 1, 1), (8, 8, 4, 1, 1, 0)
HOST, DEVICE, UNIFIED = 1, 2, 4
MAPPED = 2
"""CU_MEMHOSTALLOC_DEVICEMAP and CU_MEMHOSTREGISTER_DEVICEMAP."""
NUMBERS: dict[str, Plain] = {
    "ByteCount": BYTES,
    "N": BYTES,
    "bytesize": ROOM,
    "Width": 4,
    "Height": 2,
    "dstPitch": BYTES,
}
NUMBERS |= {"WidthInBytes": BYTES, "ElementSizeBytes": 4, "pAllocateArray": LINE}
"""Arguments by name, where they do not depend on the process."""


def narrow(w: World) -> Process:
    """Return a process whose main thread has a context of CUDA 3.1."""
    a = w.process(context=False)
    a.context = a.ok.cuCtxCreate_v1(0, 0)
    return a


def argument(form: str, name: str, a: Process) -> Plain:
    """Return a valid argument of a form."""
    if name == "pCopy":
        ends = HOST, a.host_memory(ROOM), 0, 0, BYTES, DEVICE, 0, a.ok.cuMemAlloc_v1(ROOM), 0, BYTES
        return flat(*ends) if "2D" in form else solid(*ends)
    if name in {"dptr", "dstDevice", "srcDevice"}:
        return a.ok.cuMemAlloc_v1(ROOM)
    if name in {"dstHost", "srcHost"}:
        return a.host_memory(ROOM)
    if name in {"dstArray", "srcArray", "hArray"}:
        return a.ok.cuArrayCreate_v1(LINE)
    return BOX if form == "cuArray3DCreate_v1" else NUMBERS.get(name, 0)


def flat(kind: int, host: int, device: int, array: int, pitch: int, *target: int) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY2D of two rows."""
    return 0, 0, kind, host, device, array, pitch, 0, 0, *target, BYTES, 2


def solid(kind: int, host: int, device: int, array: int, pitch: int, *target: int) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY3D of two slices of two rows."""
    side = kind, host, device, array, 0, pitch, 2
    return *[0] * 4, *side, *[0] * 4, *target[:4], 0, target[4], 2, BYTES, 2, 2


def given(form: str, a: Process) -> tuple[Plain, ...]:
    """Return valid arguments of a form."""
    return tuple(argument(form, param.name, a) for param in CALLS[form].inputs)


def entry_of(form: str) -> Entry:
    """Return the entry of a form in a context of CUDA 3.1."""
    entry = Entry.of(form, partial(given, form), start=narrow)
    entry.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(in_a_context_of_today)
    return entry


def in_a_context_of_today(_w: World, i: Invocation) -> None:
    """Replace the context of CUDA 3.1 by a current one."""
    i.process.ok.cuCtxDestroy(i.process.context)
    i.process.ok.cuCtxCreate_v2(0, 0)


def unified(_w: World, i: Invocation) -> Invocation:
    """Use the memory type CU_MEMORYTYPE_UNIFIED."""
    copy = list(i.args["pCopy"])
    copy[(FLAT if "2D" in i.call else SOLID)[1]] = UNIFIED
    return i.evolve(pCopy=tuple(copy))


entries = {form: entry_of(form) for form in (*ROWS, "cuMemGetInfo_v1")}
entries["cuMemAlloc_v1"].breaks("SIZE_IS_POSITIVE", bytesize=0)
entries["cuMemAlloc_v1"].breaks("MEMORY_SUFFICES", bytesize=2**32 - 1)
entries["cuMemAlloc_v1"].null("dptr", "RESULT_IS_GIVEN")
entries["cuMemcpyHtoD_v1"].breaks("HOST_IS_GIVEN", srcHost=0)
for form in ("cuMemcpy2D_v1", "cuMemcpy2DAsync_v1", "cuMemcpy2DUnaligned_v1", "cuMemcpy3D_v1", "cuMemcpy3DAsync_v1"):
    entries[form] = entry_of(form)
    entries[form].also("the memory type of today", rule="MEMORY_TYPE_IS_OF_CUDA_3_1")(unified)
    entries[form].breaks("DESCRIPTION_IS_GIVEN", pCopy=None)

create = Entry.of("cuCtxCreate_v1", lambda _: (0, 0), start=lambda w: w.process(context=False))
create.breaks("DEVICE_IS_VALID", dev=99)
create.breaks("FLAGS_ARE_KNOWN", flags=256)
create.null("pctx", "RESULT_IS_GIVEN")


@create.also("a second one")
def second(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate_v1(0, 0)


@create.world("ADDRESSES_SUFFICE")
def full(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate_v1(0, 0)
    i.process.ok.cuMemAlloc_v1(3896 << 20)


@create.undefined("IMAGE_SUITS_CUDA_3_1", code=Result.NOT_SUPPORTED)
def beside_a_library(_w: World, i: Invocation) -> None:
    i.process.ok.cuLibraryLoadData(SHARED, None, None, 0, None, None, 0)


@create.also("beside a context of today", rule="CONTEXTS_ARE_ALIKE")
def beside_another(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate_v2(0, 0)


for form in ("cuArrayGetDescriptor_v1", "cuArray3DGetDescriptor_v1"):
    described = entries[form] = Entry.of(form, partial(given, form), start=narrow)
    described.breaks("ARRAY_IS_GIVEN", hArray=0)
    described.null("pArrayDescriptor", "RESULT_IS_GIVEN")
    described.without("not_initialized", "forked", "inside_function", "no_context")  # it looks at its array alone

    @described.also("of a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")
    def of_today(_w: World, i: Invocation) -> Invocation:
        in_a_context_of_today(_w, i)
        return i.evolve(hArray=i.process.ok.cuArrayCreate(LINE))

    @described.undefined("ARRAY_IS_KNOWN", "a mipmapped array of a context of today", code=Result.INVALID_HANDLE)
    def of_today_and_mipmapped(_w: World, i: Invocation) -> Invocation:
        in_a_context_of_today(_w, i)
        return i.evolve(hArray=i.process.ok.cuMipmappedArrayCreate((64, 64, 0, 32, 1, 0), 3))


free = entries["cuMemFree_v1"] = entry_of("cuMemFree_v1")
free.without("no_context")  # see below
free.breaks("POINTER_IS_A_BASE", dptr=ROOM)
free.also("null", dptr=0)


@free.also("an address without a context", rule="POINTER_IS_A_BASE")
def nothing_there(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


@free.also("null without a context")
def nothing(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(dptr=0)


ranged = entries["cuMemGetAddressRange_v1"] = entry_of("cuMemGetAddressRange_v1")
ranged.null("pbase psize", None, "nothing to tell")
ranged.breaks("POINTER_IS_IN_AN_ALLOCATION", dptr=ROOM)

variable = Entry.of("cuModuleGetGlobal_v1", lambda a: (module(a), VARIABLE), start=narrow)
variable.breaks("MODULE_IS_GIVEN", hmod=0)
variable.without("destroyed_context", "no_context")  # what counts is the context of the module


@variable.also("of a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")
def module_of_today(_w: World, i: Invocation) -> Invocation:
    in_a_context_of_today(_w, i)
    return i.evolve(hmod=module(i.process))


@variable.world("CONTEXT_OF_THE_MODULE_LIVES")
def context_gone(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.process.context)


pointer = Entry.of("cuMemHostGetDevicePointer_v1", lambda a: (a.ok.cuMemHostAlloc(ROOM, MAPPED), 0), start=narrow)
pointer.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(in_a_context_of_today)
pointer.breaks("MEMORY_IS_MAPPED", p=lambda i: i.process.ok.cuMemAllocHost_v1(ROOM))
pointer.breaks("FLAGS_ARE_ZERO", Flags=1)
pointer.null("pdptr", "RESULT_IS_GIVEN")


@pointer.also("of registered memory")
def registered(_w: World, i: Invocation) -> Invocation:
    memory = i.process.host_memory(ROOM)
    i.process.ok.cuMemHostRegister(memory, ROOM, MAPPED)
    return i.evolve(p=memory)


total = older("cuDeviceTotalMem_v1", thens=False)
total.breaks("DEVICE_IS_VALID", dev=99)

test_earliest = suite(*entries.values(), create, variable, pointer, total)
