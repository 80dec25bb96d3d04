"""cuCtxSetSharedMemConfig: request a bank width of shared memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX__DEPRECATED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


CONFIG = ENUMS["CUsharedconfig"]


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSetSharedMemConfig", config=CONFIG["CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE"])


def config_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuCtxGetSharedMemConfig()


entry = Entry("cuCtxSetSharedMemConfig", valid, config_of_it)
entry.breaks("CONFIG_IS_KNOWN", config=3)
entry.breaks("CONFIG_IS_KNOWN", "far away", config=99)
for name in ("DEFAULT", "EIGHT_BYTE"):
    entry.also(name, then=config_of_it, config=CONFIG[f"CU_SHARED_MEM_CONFIG_{name}_BANK_SIZE"])

test_ctx_set_shared_mem_config = entry.test()
