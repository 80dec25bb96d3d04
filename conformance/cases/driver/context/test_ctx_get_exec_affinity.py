"""cuCtxGetExecAffinity: the multiprocessors that the current context may use.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.rules.driver.context.ctx_get_exec_affinity import MULTIPROCESSORS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetExecAffinity", type=0)


entry = Entry("cuCtxGetExecAffinity", valid)
entry.null("pExecAffinity", "RESULT_IS_GIVEN")
entry.breaks("AFFINITY_IS_KNOWN", type=1)
entry.breaks("AFFINITY_IS_KNOWN", "far away", type=99)


@entry.also("all multiprocessors of the device")
def all_of_them(_w: World, i: Invocation) -> None:
    a = i.process
    count = a.ok.cuDeviceGetAttribute(MULTIPROCESSORS, 0)
    assert a.ok.cuCtxGetExecAffinity(0) == (0, (count,))


test_ctx_get_exec_affinity = entry.test()
