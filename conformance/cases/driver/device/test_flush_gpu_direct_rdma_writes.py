"""cuFlushGPUDirectRDMAWrites: make remote GPUDirect RDMA writes visible.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import lose
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

SCOPE = {
    name.removeprefix("CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_"): n
    for name, n in ENUMS["CUflushGPUDirectRDMAWritesScope"].items()
}


def valid(w: World) -> Invocation:
    return w.process().call("cuFlushGPUDirectRDMAWrites", target=0, scope=SCOPE["OWNER"])


entry = Entry("cuFlushGPUDirectRDMAWrites", valid)
entry.breaks("TARGET_IS_KNOWN", target=1)
entry.breaks("TARGET_IS_KNOWN", "negative target", target=-1)
entry.breaks("SCOPE_IS_KNOWN", scope=0)
entry.breaks("SCOPE_IS_KNOWN", scope=1)
entry.breaks("SCOPE_IS_KNOWN", scope=300)
entry.breaks("SCOPE_IS_KNOWN", "negative scope", scope=-1)
entry.also("all devices", scope=SCOPE["ALL_DEVICES"])


@entry.world("CONTEXT_IS_SOUND")
def lost(w: World, i: Invocation) -> None:
    lose(w, i.process)


entry.model_only("CONTEXT_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card, which nobody needs to see twice

test_flush_gpu_direct_rdma_writes = entry.test()
