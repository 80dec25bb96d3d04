"""Forms with other arguments than the newest form.

https://docs.nvidia.com/cuda/cuda-driver-api/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.linker.fixtures import FATBINARY
from conformance.cases.driver.linker.test_link_create import FALLBACK
from conformance.cases.driver.module.test_module_load import optioned
from conformance.cases.forms.fixtures import older
from conformance.kit.case import Entry, suite
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

SET_PREFERRED = ENUMS["CUmem_advise"]["CU_MEM_ADVISE_SET_PREFERRED_LOCATION"]
SET_READ_MOSTLY = ENUMS["CUmem_advise"]["CU_MEM_ADVISE_SET_READ_MOSTLY"]
CPU, NOWHERE = -1, 99
PAGE = 4096


same = [
    older(form)
    for form in (
        "cuCtxCreate_v2",
        "cuDeviceGetUuid_v1",
        "cuEventElapsedTime_v1",
        "cuLinkAddData_v1",
        "cuLinkAddFile_v1",
        "cuLinkCreate_v1",
        "cuMemHostRegister_v1",
    )
]

create = same[0]
create.breaks("DEVICE_IS_VALID", dev=NOWHERE)
create.breaks("FLAGS_ARE_KNOWN", flags=256)
create.null("pctx", "RESULT_IS_GIVEN")

affine = older("cuCtxCreate_v3", lambda _: {"paramsArray": 0, "numParams": 0})
affine.breaks("DEVICE_IS_VALID", dev=NOWHERE)
affine.breaks("FLAGS_ARE_KNOWN", flags=256)
affine.breaks("AFFINITY_IS_GIVEN", numParams=1)
affine.null("pctx", "RESULT_IS_GIVEN")
affine.also("a negative number of parameters", numParams=-1)


@affine.world("AFFINITY_IS_LEFT_OUT")
def parameters(_w: World, i: Invocation) -> Invocation:
    return i.evolve(paramsArray=i.process.host_memory(PAGE), numParams=1)


@affine.also("parameters and unknown flags", rule="AFFINITY_IS_LEFT_OUT")
def parameters_first(_w: World, i: Invocation) -> Invocation:
    return i.evolve(paramsArray=i.process.host_memory(PAGE), numParams=1, flags=256)


advise = older("cuMemAdvise_v1", lambda _: {"device": 0, "advice": SET_PREFERRED}, thens=False)
advise.without("not_initialized")
advise.breaks("ADVICE_IS_KNOWN", advice=99)
advise.breaks("RANGE_IS_NOT_EMPTY", count=0)
advise.breaks("DEVICE_IS_VALID", device=NOWHERE)
advise.breaks("DEVICE_IS_VALID", "less than the host", device=-2)
advise.also("the host", device=CPU)
advise.also("a device that the advice does not look at", device=NOWHERE, advice=SET_READ_MOSTLY)

prefetch = older("cuMemPrefetchAsync_v1", lambda _: {"dstDevice": 0}, thens=False)
prefetch.also("to the host", dstDevice=CPU)

batch = older("cuMemcpyBatchAsync_v1", thens=False)
batch.null("failIdx", None)
batch.breaks("STREAM_IS_NOT_LEGACY", hStream=0)


added = next(one for one in same if one.call == "cuLinkAddData_v1")
added.also("a strategy of fallback with a fatbin", type=FATBINARY, numOptions=1, options=(FALLBACK,), optionValues=(0,))
linked = next(one for one in same if one.call == "cuLinkCreate_v1")
linked.null("stateOut", "RESULT_IS_GIVEN")
optioned(linked)
linked.also("a strategy of fallback", numOptions=1, options=(FALLBACK,), optionValues=(7,))
registered = next(one for one in same if one.call == "cuMemHostRegister_v1")
registered.also("unknown flags", Flags=1 << 16)
registered.breaks("POINTER_IS_GIVEN", p=0)


def search(w: World) -> Invocation:
    return w.process(init=False).call("cuGetProcAddress_v1", symbol=b"cuInit", cudaVersion=12000, flags=0)


found = Entry("cuGetProcAddress_v1", search)
found.without("not_initialized", "no_context", "destroyed_context", "forked", "inside_function", "torn_down")
found.breaks("FUNCTION_IS_FOUND", symbol=b"cuNothing")
found.breaks("FUNCTION_IS_FOUND", "of a later version", symbol=b"cuMemMap", cudaVersion=2000)
found.breaks("FLAGS_ARE_KNOWN", flags=99)

test_arguments = suite(
    *same,
    affine,
    advise,
    prefetch,
    batch,
    found,
)
