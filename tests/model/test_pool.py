"""Memory pools: what no call can bring about while no call makes a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.machine import HANDLES
from fakecuda.model.pool import Pool

if TYPE_CHECKING:
    from fakecuda import Machine


def test_another_pool_becomes_current(machine: Machine) -> None:
    """For its device and process alone; the default pool stays what it was."""
    a, b = machine.spawn(), machine.spawn()
    for process in (a, b):
        process.c.cuInit(0)
    _, default = a.c.cuDeviceGetDefaultMemPool(0)
    made = Pool(next(HANDLES), machine.devices[0])
    a.pools[made.handle] = made
    assert a.c.cuDeviceSetMemPool(0, made.handle) == (Result.SUCCESS,)
    assert a.c.cuDeviceGetMemPool(0) == (Result.SUCCESS, made.handle)
    assert a.c.cuDeviceGetDefaultMemPool(0) == (Result.SUCCESS, default)
    assert a.c.cuDeviceGetMemPool(1) == a.c.cuDeviceGetDefaultMemPool(1)
    assert b.c.cuDeviceGetMemPool(0)[1] not in {made.handle, default}
    assert str(made) == f"memory pool {made.handle:#x} on {machine.devices[0]}"
    machine.check_invariants()


def test_the_end_of_a_process_is_the_end_of_its_pools(machine: Machine) -> None:
    """Nothing of them is left."""
    a = machine.spawn()
    a.c.cuInit(0)
    a.c.cuDeviceSetMemPool(0, a.c.cuDeviceGetDefaultMemPool(0)[1])
    a.exit()
    assert (a.pools, a.default_pools, a.current_pools) == ({}, {}, {})
    machine.check_invariants()
