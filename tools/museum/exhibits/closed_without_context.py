"""An opened handle is closed by a thread that has no current context."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tools.museum.exhibit import ERRORS, Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context, logged

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def cache_thread(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A thread that cleans up the cache closes another thread's handles."""
    owner, reader = (fakecuda.spawn(name).driver for name in ("owner", "reader"))
    context(owner)
    handle = checked(owner.cuIpcGetMemHandle(checked(owner.cuMemAlloc(MIB))))
    current = context(reader, 1)
    opened = checked(reader.cuIpcOpenMemHandle(handle, LAZY))

    def tidy() -> None:
        if fixed:
            checked(reader.cuCtxPushCurrent(current))
        logged(reader.cuIpcCloseMemHandle(opened))

    thread = threading.Thread(target=tidy)
    thread.start()
    thread.join()


def popped(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The program has popped its context before the library tears down."""
    owner, reader = (fakecuda.spawn(name).driver for name in ("owner", "reader"))
    context(owner)
    handles = [checked(owner.cuIpcGetMemHandle(checked(owner.cuMemAlloc(size)))) for size in (512, 4 * MIB)]
    checked(reader.cuInit(0))
    primary = checked(reader.cuDevicePrimaryCtxRetain(0))
    checked(reader.cuCtxPushCurrent(primary))
    regions = [checked(reader.cuIpcOpenMemHandle(handle, LAZY)) for handle in handles]
    checked(reader.cuCtxPopCurrent())

    for region in regions:
        if fixed:
            checked(reader.cuCtxPushCurrent(primary))
        logged(reader.cuIpcCloseMemHandle(region))
        if fixed:
            checked(reader.cuCtxPopCurrent())


EXHIBITS = [
    Exhibit(
        number=18,
        report="openucx/ucx#10618",
        title="cuIpcCloseMemHandle without a current context",
        happens=(
            "A cache closes its regions where it happens to be torn down, in a thread without a current context. The "
            "close is "
            "refused and logged, and the memory stays open."
        ),
        part=Part.IGNORED,
        told=("context.current.CONTEXT_IS_CURRENT", "cuIpcCloseMemHandle"),
        programs={"cache-thread": cache_thread, "popped": popped},
        devices={"cache-thread": 2},
        settings=ERRORS,
    ),
]
