"""cuMemcpy3DPeer: a copy of slices of rows, of two contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.plan import perform
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import across, described

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpy3DPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_peer(call: Call, copy: tuple[int, ...] | None) -> None:
    """Copy what a CUDA_MEMCPY3D_PEER describes."""
    # CHECK
    copy = described(call, copy)
    context = current(call)
    plan = across(call, context, copy)
    if plan is None:
        return
    # EFFECT
    perform(call, context, plan)
