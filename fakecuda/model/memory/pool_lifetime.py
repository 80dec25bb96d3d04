"""Effects that create pools, set current pools, and end pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.history import NOWHERE
from fakecuda.model.memory.blocks import Arena
from fakecuda.model.memory.pool import MANAGED, READ_WRITE, Pool, PoolProps
from fakecuda.model.memory.va import Location

if TYPE_CHECKING:
    from fakecuda.model.context import Device
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.pool import Kind
    from fakecuda.model.os.process import Process


@effect(makes="Pool")
def create_pool(
    process: Process,
    props: PoolProps,
    device: Device,
    stack: Stack,
    *,
    default: bool = False,
    source: Pool | None = None,
) -> Pool:
    """Create a pool, and return it.

    Args:
        process: The process.
        props: Its properties.
        device: The device that its memory is on, or the host.
        stack: The stack that creates it.
        default: Whether it is a default pool.
        source: For an imported pool, the exporting process's pool.
    """
    machine = process.machine
    memory = machine.managed if props.type == MANAGED else process.memory_of(device)
    access = {} if props.type == MANAGED else {device.ordinal: READ_WRITE}
    pool = Pool(
        process.handle_of((props.type, *props.location)) if default else machine.territory.new_handle(),
        process,
        device,
        props,
        Arena(memory),
        default,
        source,
        access=access,
        created=stack,
    )
    process.pools.live[pool.handle] = pool
    return pool


@effect(beside="a look-up makes it")
def default_pool(process: Process, kind: Kind, device: Device) -> Pool:
    """Return the default pool of a kind, which is created on first use."""
    pool = process.pools.defaults.get(kind)
    if pool is None:
        props = PoolProps(kind[0], 0, Location(*kind[1:]))
        pool = process.pools.defaults[kind] = create_pool(process, props, device, NOWHERE, default=True)
    return pool


def current_pool(process: Process, kind: Kind, device: Device) -> Pool:
    """Return the current pool of a kind, or its default pool."""
    return process.pools.current.get(kind) or default_pool(process, kind, device)


@effect()
def use_pool(process: Process, kind: Kind, pool: Pool) -> None:
    """Set the current pool for allocations of a kind."""
    process.pools.current[kind] = pool


@effect()
def release_pool(pool: Pool, stack: Stack) -> None:
    """Release a reference to a pool; the last one ends the pool."""
    pool.references -= 1
    if not pool.references:
        end_pool(pool, stack)


@effect(ends="pool")
def end_pool(pool: Pool, stack: Stack) -> None:
    """End a pool; its allocations live until they are freed."""
    pools = pool.process.pools
    pool.ended = stack
    del pools.live[pool.handle]
    pool.process.note_freed(pool.handle, pool)
    pools.retired[pool.handle] = pool
    for place in [place for place, current in pools.current.items() if current is pool]:
        del pools.current[place]
    pool.reclaim()
