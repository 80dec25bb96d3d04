"""The texts of objects in reports."""

from __future__ import annotations

from typing import Any

import fakecuda
from fakecuda.model.memory.memory import ManagedStatic
from fakecuda.model.memory.multicast import Binding
from fakecuda.model.memory.va import Location, Physical


def test_memory_is_told_by_its_place_and_size() -> None:
    """Not by the members that the model has for it."""
    with fakecuda.Machine("h200", strict=False) as machine:
        a: Any = machine.spawn()
        a.c.cuInit(0)
        a.c.cuCtxCreate(None, 0, 0)
        memory = a.c.cuMemAlloc(4096)[1]
        (item,) = a.memory
        device, block = item.device, item.block
        assert str(block) == f"memory block {memory:#x}+0x200000"
        physical = Physical(item.extent, device, 1 << 21)
        assert str(physical) == "physical memory of 0x200000 bytes on device 0"
        assert str(Binding(device, 4096, 8192, physical, 0, 8192)) == f"binding 0x1000+0x2000 of {physical}"
        assert str(Location(3, 1)) == "type 3, id 1"
        variable = ManagedStatic(item.start, item.end, item.context, item.block, 0, item.created)
        assert str(variable) == f"managed variable {memory:#x}+0x1000"
