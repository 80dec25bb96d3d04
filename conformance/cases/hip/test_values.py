"""Stream memory operations of HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import NEW, NOWHERE, SIZE, entries, memory, stream, there
from conformance.kit.case import suite
from fakecuda.spec import mem_ops

if TYPE_CHECKING:
    from conformance.kit.world import Process

EQ, EVERY = 1, (1 << 32) - 1


def zeros(a: Process) -> int:
    """Return new memory of zeros."""
    address = memory(a)
    a.ok.hipMemset(address, 0, SIZE)
    return address


every = entries(
    {
        **{f"hipStreamWaitValue{bits}": lambda a: (stream(a), zeros(a), 0, EQ, EVERY) for bits in (32, 64)},
        **{f"hipStreamWriteValue{bits}": lambda a: (stream(a), memory(a), 7, 0) for bits in (32, 64)},
        "hipStreamBatchMemOp": lambda a: (stream(a), 1, ((mem_ops.WRITE_32, memory(a), 7, 0),), 0),
    }
)
batch = every.pop("hipStreamBatchMemOp")
for one in every.values():
    one.breaks("values.POINTER_IS_GIVEN", ptr=0)
    one.breaks("values.MEMORY_IS_KNOWN", ptr=NOWHERE)
    one.breaks("DEVICE_CAN_ACCESS_IT", ptr=lambda i: there(i.process))
    if "Wait" in one.call:
        one.breaks("CONDITION_IS_KNOWN", flags=4)
    else:
        one.breaks("WRITE_IS_KNOWN", flags=1)
        one.only(NEW, "WRITE_IS_KNOWN")
for name, value in {"paramArray": None, "count": 0, "flags": 1}.items():
    batch.breaks("BATCH_IS_GIVEN", name, **{name: value})
batch.breaks("BATCH_IS_GIVEN", "many", count=mem_ops.MOST + 1)
for label, operation in {"": (mem_ops.BARRIER, 0), "flush": (mem_ops.FLUSH, 0)}.items():
    batch.breaks("OPERATION_IS_SUPPORTED", label, paramArray=(operation,))
batch.breaks("OPERATION_IS_KNOWN", paramArray=((9,),))
batch.breaks("OPERATION_IS_KNOWN", "condition", paramArray=lambda i: ((mem_ops.WAIT_32, memory(i.process), 0, EQ + 3),))
batch.breaks("DEVICE_CAN_ACCESS_IT", paramArray=lambda i: ((mem_ops.WRITE_32, there(i.process), 7, 0),))

test_values = suite(*every.values(), batch)
