"""Programs over the memory resources of cuda.core, each with its fix where it needs one: ``python -m tests.orders.cuda_core``.

The command prints what all their orders, or a thousand, have shown.
"""

from __future__ import annotations

import argparse
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Exploration, Orders

core: Any = import_module("cuda.core")  # whose types differ from release to release
SIZE = 4096
GRANULE = 2 << 20


def device() -> Any:
    """Return the device, made current in this thread."""
    found = core.Device(0)
    found.set_current()
    return found


def copied(orders: Orders, resource: Any) -> None:
    """Two threads allocate from a resource, copy from one buffer to another and give both back, each in its own stream."""

    def work() -> None:
        stream = device().create_stream()
        one, other = (resource.allocate(SIZE, stream=stream) for _ in range(2))
        other.copy_from(one, stream=stream)
        one.close(stream)
        other.close(stream)
        stream.sync()
        stream.close()

    orders.start(work, name="one")
    orders.start(work, name="two")
    orders.join()
    resource.close()
    fakecuda.assert_no_leaks()


def device_memory(orders: Orders) -> None:
    """Two threads share a DeviceMemoryResource."""
    copied(orders, core.DeviceMemoryResource(device()))


def pinned_memory(orders: Orders) -> None:
    """Two threads share a PinnedMemoryResource."""
    device()
    copied(orders, core.PinnedMemoryResource())


def managed_memory(orders: Orders) -> None:
    """Two threads share a ManagedMemoryResource."""
    device()
    copied(orders, core.ManagedMemoryResource())


def handed_over(orders: Orders, *, fixed: bool) -> None:
    """A buffer is handed over behind an event, and closed by default, in the stream that has allocated it, once it was called done.

    It is done when the consumer's stream is; the consumer says so before.
    """
    here = device()
    resource = core.DeviceMemoryResource(here)
    first, second = here.create_stream(), here.create_stream()
    made: list[Any] = []
    done: list[bool] = []

    def produce() -> None:
        device()
        buffer = resource.allocate(SIZE, stream=first)
        buffer.fill(1, stream=first)
        made.append((buffer, first.record()))
        orders.wait(lambda: done, "the consumer")
        buffer.close()
        first.sync()

    def consume() -> None:
        device()
        orders.wait(lambda: made, "a buffer")
        buffer, event = made[0]
        second.wait(event)
        other = resource.allocate(SIZE, stream=second)
        other.copy_from(buffer, stream=second)
        if not fixed:
            done.append(True)
        second.sync()
        done.append(True)
        other.close(second)
        second.sync()

    orders.start(produce)
    orders.start(consume)
    orders.join()


def moved(orders: Orders, *, fixed: bool) -> None:
    """A buffer of a VirtualMemoryResource grows while another thread copies it; it moves, since its neighbour is there.

    The lock that both take is held until the copy was called, or until it is done.
    """
    here = device()
    resource, pool = core.VirtualMemoryResource(here), core.DeviceMemoryResource(here)
    buffers = [resource.allocate(GRANULE), resource.allocate(GRANULE)]
    stream = here.create_stream()
    lock = orders.lock()

    def read() -> None:
        device()
        with lock:
            copy = pool.allocate(buffers[0].size, stream=stream)
            copy.copy_from(buffers[0], stream=stream)
            if fixed:
                stream.sync()
        stream.sync()
        copy.close(stream)

    def grow() -> None:
        device()
        with lock:
            buffers[0] = resource.modify_allocation(buffers[0], 2 * GRANULE)

    orders.start(read)
    orders.start(grow)
    orders.join()
    stream.sync()


def grown(orders: Orders) -> None:
    """Two threads each grow a buffer of a VirtualMemoryResource, and close it: it moves in some orders, and not in others."""
    resource = core.VirtualMemoryResource(device())

    def work() -> None:
        device()
        resource.modify_allocation(resource.allocate(GRANULE), 2 * GRANULE).close()

    orders.start(work, name="one")
    orders.start(work, name="two")
    orders.join()
    fakecuda.assert_no_leaks("handle")  # which cuda.core 1.2.2 leaves in every order: cuda-python#2344


PROGRAMS: dict[str, Callable[..., object]] = {
    "device memory": device_memory,
    "pinned memory": pinned_memory,
    "managed memory": managed_memory,
    "handed over": partial(handed_over, fixed=False),
    "handed over, fixed": partial(handed_over, fixed=True),
    "moved": partial(moved, fixed=False),
    "moved, fixed": partial(moved, fixed=True),
    "grown": grown,
}


def told(found: Exploration) -> str:
    """Return what a search has shown, as a table tells it."""
    if found.error is None:
        return "none fails" + ("; there are no other orders" if found.whole else "")
    return f"{found.schedule or 'the first order'}: {str(found.error).splitlines()[0]}"


def main() -> None:
    """Search programs, and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.orders.cuda_core")
    parser.add_argument("--schedules", type=int, default=1000, help="how many orders of each are tried at most")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a program; all by default")
    options = parser.parse_args()
    for name in options.names or PROGRAMS:
        found = fakecuda.explore(PROGRAMS[name], schedules=options.schedules)
        print(f"{name:20} {found.orders:5} orders  {told(found)}", flush=True)  # noqa: T201 - a command


if __name__ == "__main__":
    main()
