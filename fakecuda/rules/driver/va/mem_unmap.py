"""cuMemUnmap: unmap mappings; the address reservation remains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.rules.driver.stream.order import at_rest
from fakecuda.rules.driver.va.mapped import mappings_of
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemUnmap")
def mem_unmap(call: Call, ptr: int, size: int) -> None:
    """Unmap whole mappings. Memory without references and mappings is freed."""
    # CHECK
    process = supported(call)
    mappings = mappings_of(call, ptr, size)
    at_rest(call, mappings)
    # EFFECT
    mapping.leave(process, mappings, history.here())
