"""cuCtxGetApiVersion: the API version of a context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, accept_given, destroyed, inactive_primary
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetApiVersion", ctx=0)


entry = Entry("cuCtxGetApiVersion", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.null("version", "RESULT_IS_GIVEN")
entry.world("CONTEXT_HAS_A_VERSION")(destroyed)
entry.world("CONTEXT_HAS_A_VERSION", "inactive primary context")(inactive_primary)
accept_given(entry)

test_ctx_get_api_version = entry.test()
