"""Forms of CUDA 3.1, with 32 bits for addresses and sizes, in a context of today.

https://docs.nvidia.com/cuda/cuda-driver-api/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.array.fixtures import array
from conformance.cases.driver.module.fixtures import module
from conformance.cases.forms.fixtures import older
from conformance.kit.calls import CALLS
from conformance.kit.case import Entry, suite
from fakecuda.rules.forms.earliest import PLAIN
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

REFUSED = int(Result.INVALID_CONTEXT)
BYTES = 64
VARIABLE = b"counter"


def given(form: str, _: Process) -> tuple[Plain, ...]:
    """Return arguments of a form: no addresses, and some bytes of no array."""
    return tuple(BYTES if param.name in {"ByteCount", "N", "bytesize"} else 0 for param in CALLS[form].inputs)


def entry_of(form: str) -> Entry:
    """Return the entry of a form that looks at its context first."""
    entry = Entry.of(form, lambda a: given(form, a), answers=REFUSED)
    entry.also("without a context", code=Result.INVALID_CONTEXT)(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)
    return entry


def looked_at(_w: World, _i: Invocation) -> None:
    """Pass what the form looks at before its context."""


entries = [entry_of(form) for form in PLAIN]
for one in entries:
    one.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(looked_at)

for form in ("cuArrayGetDescriptor_v1", "cuArray3DGetDescriptor_v1"):
    described = Entry.of(form, lambda a: (a.host_memory(4096), array(a)), answers=REFUSED)
    described.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(looked_at)
    described.breaks("ARRAY_IS_GIVEN", hArray=0)
    described.without("not_initialized", "forked", "inside_function")  # it looks at its context alone
    entries.append(described)

free = Entry.of("cuMemFree_v1", lambda _: (0,), answers=REFUSED)
free.without("no_context")  # null is no memory then, see below
free.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(looked_at)
free.also("an address", rule="CONTEXT_IS_OF_CUDA_3_1", dptr=4096)


@free.also("an address without a context", rule="POINTER_IS_A_BASE")
def nothing_there(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(dptr=4096)


free.also("null without a context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)

ranged = Entry.of("cuMemGetAddressRange_v1", lambda _: (0,), answers=REFUSED)
ranged.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(looked_at)
ranged.null("pbase psize", None, "nothing to tell")
ranged.also("of an address", rule="CONTEXT_IS_OF_CUDA_3_1", dptr=4096)

variable = Entry.of("cuModuleGetGlobal_v1", lambda a: (module(a), VARIABLE), answers=REFUSED)
variable.also("in a context of today", rule="CONTEXT_IS_OF_CUDA_3_1")(looked_at)
variable.breaks("MODULE_IS_GIVEN", hmod=0)
variable.without("destroyed_context")  # it is of the module, too


@variable.world("CONTEXT_OF_THE_MODULE_LIVES")
def context_gone(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.process.ok.cuCtxGetCurrent())


total = older("cuDeviceTotalMem_v1", thens=False)
total.breaks("DEVICE_IS_VALID", dev=99)

test_earliest = suite(*entries, free, ranged, variable, total)
