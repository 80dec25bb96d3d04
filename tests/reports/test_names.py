"""What a fix tells to do, told in the names of the API whose call was made."""

from __future__ import annotations

import os
import threading

import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.explain.reports.names import NAME, named_for
from fakecuda.explain.reports.text import thread_name
from fakecuda.rules.registry import EVERY_OP, api_of


@pytest.mark.parametrize(
    ("call", "text", "told"),
    [
        ("cuMemAlloc", "call cuMemFree once", "call cuMemFree once"),
        ("cudaMalloc", "call cuMemFree once", "call cudaFree once"),
        ("hipMalloc", "call cuMemFree once", "call hipFree once"),
        ("cudaIpcCloseMemHandle", "call cuIpcCloseMemHandle", "call cudaIpcCloseMemHandle"),
        ("cudaDeviceEnablePeerAccess", "cuCtxEnablePeerAccess", "cudaDeviceEnablePeerAccess"),
        ("hipMemRelease", "cuMemAllocAsync, then cuMemRelease", "hipMallocAsync, then hipMemRelease"),
        ("cudaEventCreate", "leave CU_EVENT_INTERPROCESS out", "leave cudaEventInterprocess out"),
        ("cudaMemPoolCreate", "CU_MEM_LOCATION_TYPE_HOST_NUMA", "cudaMemLocationTypeHostNuma"),
        ("cudaMemPoolSetAccess", "CU_MEM_ACCESS_FLAGS_PROT_READWRITE", "cudaMemAccessFlagsProtReadWrite"),
        ("cudaMalloc", "CU_DEVICE_ATTRIBUTE_COMPUTE_MODE", "cudaDevAttrComputeMode"),
        ("hipMalloc", "CU_DEVICE_ATTRIBUTE_COMPUTE_MODE", "hipDeviceAttributeComputeMode"),
        ("cudaMalloc", "cuMemAddressReserve takes CU_POINTER_ATTRIBUTE_P2P_TOKENS", None),
        ("nvmlInit_v2", "call cuInit", None),
    ],
)
def test_a_text_in_the_names_of_an_api(call: str, text: str, told: str | None) -> None:
    """What it has not keeps the driver's name."""
    assert named_for(api_of(call), text) == (told or text)


def test_a_report_names_what_its_program_can_call() -> None:
    """A call of the runtime API that is refused for a rule of the driver."""
    with Machine("h200") as machine:
        c = machine.spawn().c
        event = c.cudaEventCreate()[1]
        c.cudaEventDestroy(event)
        with pytest.raises(UndefinedBehaviour) as raised:
            c.cudaEventDestroy(event)
    assert "call cudaEventDestroy once, after the last use of the event" in str(raised.value)


def test_functions_that_the_runtime_has_are_named() -> None:
    """In whatever fix of a rule that its calls check."""
    left = {
        name
        for call, op in EVERY_OP.items()
        if call.startswith("cuda")
        for rule in op.rules
        for name in NAME.findall(named_for(api_of(call), rule.fix))
        if name.startswith("cu") and not name.startswith("cuda")
    }
    assert left == {
        *(
            "cuInit",
            "cuCtxCreate",
            "cuCtxCreate_v4",
            "cuCtxDestroy",
            "cuPointerGetAttribute",
            "cuKernelGetFunction",
            "cuModuleGetFunction",
        ),
        *("cuMemSetAccess", "cuMemExportToShareableHandle", "cuMemImportFromShareableHandle"),
    }


def test_the_main_thread_of_a_fork_has_that_name() -> None:
    """Python keeps the number that the parent's main thread has."""
    assert thread_name(str(threading.main_thread().native_id)) == "main"
    if not (pid := os.fork()):
        os._exit(thread_name(str(threading.get_native_id())) != "main")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
