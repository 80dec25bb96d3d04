"""cuMemGetAllocationPropertiesFromHandle: what memory was created with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rule import op
from fakecuda.spec.core.initialized import RESULT_IS_GIVEN
from fakecuda.spec.va.handle import handle_of
from fakecuda.spec.va.supported import supported

if TYPE_CHECKING:
    from fakecuda.model.process import Thread
    from fakecuda.model.va import Prop


@op("cuMemGetAllocationPropertiesFromHandle")
def mem_get_allocation_properties_from_handle(call: Thread, value: int) -> Prop:
    """Return the CUmemAllocationProp of a handle's memory."""
    # CHECK
    supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return handle_of(call, value, "cuMemGetAllocationPropertiesFromHandle").prop
