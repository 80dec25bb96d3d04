"""cuTensorMapReplaceAddress: replace the base address of a tensor map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory import tensor
from fakecuda.model.memory.pointers import reaches
from fakecuda.model.memory.space import WRITE
from fakecuda.model.os.system import OWN
from fakecuda.rules.core import Rule, observed, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.tensor.region import FARTHEST, NARROW
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TENSOR_MAP_IS_GIVEN = Rule(
    "`tensorMap` points to a tensor map that the process can write",
    Result.INVALID_VALUE,
    undefined(
        "cuTensorMapReplaceAddress",
        "the manual says nothing about a null argument; driver 580 reads from the null pointer (segmentation fault)",
    ),
    fix="pass the address of a tensor map",
)
NEW_ADDRESS_IS_ALIGNED = Rule(
    "`globalAddress` is not null, is less than 2^57 and is a multiple of 16",
    Result.INVALID_VALUE,
    observed(
        "cuTensorMapReplaceAddress",
        "the driver answers INVALID_VALUE to a null address and to a multiple of 8; it accepts a multiple of 16 for a "
        "map that needs 32",
    ),
    fix="pass an address that is a multiple of 16",
)


@DRIVER.op("cuTensorMapReplaceAddress")
def tensor_map_replace_address(call: Call, place: int, address: int) -> None:
    """Change the base address of a tensor map.

    Args:
        call: The call.
        place: Where the map lies in host memory.
        address: Where the tensor begins from now on.

    Raises:
        FakeCudaError: The caller is another OS process, whose memory is not written.
    """
    # CHECK
    current(call)
    if call.process.system is not OWN:
        msg = (
            "changing the address of a tensor map is not modelled for an OS process that has attached to another "
            "process's machine: make the call in the OS process that made the machine"
        )
        raise FakeCudaError(msg)
    if not place or not reaches(place, tensor.LAYOUT.size, WRITE):
        call.undefined(TENSOR_MAP_IS_GIVEN)
        raise TENSOR_MAP_IS_GIVEN.broken()
    if not address or address % NARROW or address >= FARTHEST:
        raise NEW_ADDRESS_IS_ALIGNED.broken(address=address)
    # EFFECT
    tensor.replace(place, address)
