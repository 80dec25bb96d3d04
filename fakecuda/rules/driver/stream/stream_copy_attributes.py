"""cuStreamCopyAttributes: copy the attributes of one stream to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

STREAMS_SHARE_A_CONTEXT = Rule(
    "`dst` and `src` belong to the same context",
    Result.INVALID_VALUE,
    manual("cuStreamCopyAttributes", "Both streams must have the same context"),
    fix="create both streams while the same context is current",
)


@DRIVER.op("cuStreamCopyAttributes")
def stream_copy_attributes(call: Call, dst: int, src: int) -> None:
    """Copy all attributes of stream ``src`` to stream ``dst``."""
    # CHECK
    target = stream_of(call, dst, "cuStreamCopyAttributes")
    source = stream_of(call, src, "cuStreamCopyAttributes")
    if target.context is not source.context:
        raise STREAMS_SHARE_A_CONTEXT.broken(dst=target, src=source)
    # EFFECT
    target.copy_attributes(source)
