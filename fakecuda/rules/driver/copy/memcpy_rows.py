"""Copies of rows and slices that a struct describes: 2D, 3D, between contexts.

The rules are those of the struct. The operations of the calls stand at the end of the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.plan import perform, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import across, described, flat, solid
from fakecuda.rules.driver.stream.handle import ready_stream_of, using
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.plan import Plan
    from fakecuda.rules.driver.copy.shape import Copy

READERS: dict[str, Callable[[Call, Context, Copy], Plan | None]] = {"CUDA_MEMCPY2D": flat, "CUDA_MEMCPY3D": solid}
"""The function that reads each type of struct."""


def _now(name: str, struct: str) -> Callable[[Call, Copy], None]:
    """Declare a synchronous copy call with a struct of this type."""
    plan_of = READERS[struct]

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), struct=struct)
    def memcpy(call: Call, copy: Copy) -> None:
        """Copy the rows that a {struct} describes."""
        # CHECK
        context = current(call)
        plan = plan_of(call, context, copy)
        if plan is None:
            return
        # EFFECT
        perform(call, context, plan)

    return memcpy


def _queued(name: str, struct: str) -> Callable[[Call, Copy, int], None]:
    """Declare an asynchronous copy call; arguments as for :func:`_now`."""
    plan_of = READERS[struct]

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), struct=struct)
    def memcpy_async(call: Call, copy: Copy, stream: int) -> None:
        """Have a stream copy the rows that a {struct} describes."""
        # CHECK
        working = ready_stream_of(call, stream, name)
        plan = plan_of(call, using(call, working), copy)
        if plan is None:
            return
        # EFFECT
        queue(call, working, name, plan)

    return memcpy_async


@DRIVER.op("cuMemcpy3DPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_peer(call: Call, copy: Copy) -> None:
    """Copy rows and slices between contexts, as a CUDA_MEMCPY3D_PEER describes them."""
    # CHECK
    copy = described(call, copy)
    context = current(call)
    plan = across(call, context, copy)
    if plan is None:
        return
    # EFFECT
    perform(call, context, plan)


@DRIVER.op("cuMemcpy3DPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_peer_async(call: Call, copy: Copy, stream: int) -> None:
    """Have a stream copy slices of rows between two contexts, as a CUDA_MEMCPY3D_PEER describes them."""
    # CHECK
    copy = described(call, copy)
    working = ready_stream_of(call, stream, "cuMemcpy3DPeerAsync")
    plan = across(call, working.context, copy)
    if plan is None:
        return
    # EFFECT
    queue(call, working, "cuMemcpy3DPeerAsync", plan)


memcpy2d = _now("cuMemcpy2D", "CUDA_MEMCPY2D")
memcpy2d_unaligned = _now("cuMemcpy2DUnaligned", "CUDA_MEMCPY2D")  # cuMemcpy2D takes every pitch, too
memcpy3d = _now("cuMemcpy3D", "CUDA_MEMCPY3D")
memcpy2d_async = _queued("cuMemcpy2DAsync", "CUDA_MEMCPY2D")
memcpy3d_async = _queued("cuMemcpy3DAsync", "CUDA_MEMCPY3D")
