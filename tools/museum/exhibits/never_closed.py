"""A handle is opened as a test, and stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.museum.exhibit import LEAKS, Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def unpacked(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A key is opened once to test whether the peer is reachable."""
    owner, reader = (fakecuda.spawn(name).driver for name in ("owner", "reader"))
    context(owner)
    key = checked(owner.cuIpcGetMemHandle(checked(owner.cuMemAlloc(MIB))))

    context(reader, 1)
    code, opened = reader.cuIpcOpenMemHandle(key, LAZY)
    reachable = not int(code)
    if fixed:
        checked(reader.cuIpcCloseMemHandle(opened))
    assert reachable


def local_pointer(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: a local pointer to remote memory for each of two buffers."""
    owner, reader = (fakecuda.spawn(name).runtime for name in ("owner", "reader"))
    buffers = [checked(owner.cudaMalloc(size)) for size in (4096, 8192)]
    checked(reader.cudaSetDevice(0))
    pointers = [checked(reader.cudaIpcOpenMemHandle(checked(owner.cudaIpcGetMemHandle(one)), 1)) for one in buffers]
    for pointer in pointers if fixed else pointers[1:]:
        checked(reader.cudaIpcCloseMemHandle(pointer))


EXHIBITS = [
    Exhibit(
        number=17,
        report="openucx/ucx#11288",
        title="opened when a key is unpacked, and never closed",
        happens=(
            "Unpacking a remote key opens its memory to see whether the peer can be reached, and leaves it open. The "
            "exporter's memory cannot be released until the reader ends."
        ),
        part=Part.LEFT,
        told=("left behind: ", "ipc: "),
        programs={"unpacked": unpacked, "local-pointer": local_pointer},
        devices={"unpacked": 2},
        settings={**LEAKS, "leaks_allowed": ["context", "allocation"]},
    ),
]
