"""A handle names an allocation; the offset of the buffer in it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def views_on_hip(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process reads four views of one allocation."""
    owner, reader = (fakecuda.spawn(name).hip for name in ("owner", "reader"))
    base = int(checked(owner.hipMalloc(4096)))
    for view in range(4):
        checked(owner.hipMemset(base + view * 1024, view + 1, 1024))
    checked(owner.hipDeviceSynchronize())
    found = []
    for view in range(4):
        opened = int(checked(reader.hipIpcOpenMemHandle(checked(owner.hipIpcGetMemHandle(base + view * 1024)), 1)))
        received = bytearray(1)
        source = opened + (view * 1024 if fixed else 0)
        checked(reader.hipMemcpy(received, source, 1, reader.hipMemcpyKind.hipMemcpyDeviceToHost))
        checked(reader.hipIpcCloseMemHandle(opened))
        found.append(received[0])
    assert found == [1, 2, 3, 4], "each view has its own bytes"


def written_on_hip(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The importer writes to the second of two buffers, from its own device."""
    owner, writer = (fakecuda.spawn(name).hip for name in ("owner", "writer"))
    pool = int(checked(owner.hipMalloc(2 * MIB)))
    checked(owner.hipMemset(pool, 0, 2 * MIB))
    checked(owner.hipDeviceSynchronize())
    checked(writer.hipSetDevice(1))
    opened = int(checked(writer.hipIpcOpenMemHandle(checked(owner.hipIpcGetMemHandle(pool + MIB)), 1)))
    checked(writer.hipMemset(opened + (MIB if fixed else 0), 9, 16))
    checked(writer.hipDeviceSynchronize())
    checked(writer.hipIpcCloseMemHandle(opened))
    received = bytearray(16)
    checked(owner.hipMemcpy(received, pool + MIB, 16, owner.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert received == bytes([9]) * 16, "the buffer has what was written into it"


def small_tensors(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A tensor lies in the middle of a registered segment."""
    seed, target = (fakecuda.spawn(name).driver for name in ("seed", "target"))
    context(seed)
    context(target, 1)
    segment = checked(seed.cuMemAlloc(2 * MIB))
    checked(seed.cuMemsetD8(segment, 0xAA, 2 * MIB))
    tensor = int(segment) + 64 * 1024
    checked(seed.cuMemsetD8(tensor, 0x55, 4096))
    checked(seed.cuCtxSynchronize())

    base, _size = checked(seed.cuMemGetAddressRange(tensor))
    offset = tensor - int(base) if fixed else 0
    opened = int(checked(target.cuIpcOpenMemHandle(checked(seed.cuIpcGetMemHandle(tensor)), LAZY)))
    copy = checked(target.cuMemAlloc(4096))
    checked(target.cuMemcpyDtoD(copy, opened + offset, 4096))
    received = bytearray(4096)
    checked(target.cuMemcpyDtoH(received, copy, 4096))
    assert received == bytes([0x55]) * 4096, "the tensor arrives"


def by_the_runtime(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: two tensors of one segment, read on their device."""
    seed, target = (fakecuda.spawn(name).runtime for name in ("seed", "target"))
    kind = seed.cudaMemcpyKind
    segment = int(checked(seed.cudaMalloc(8192)))
    offsets = {"weight": 512, "bias": 4096}
    for name, offset in offsets.items():
        checked(seed.cudaMemcpy(segment + offset, name.encode(), 4, kind.cudaMemcpyHostToDevice))
    checked(seed.cudaDeviceSynchronize())
    for name, offset in offsets.items():
        opened = int(checked(target.cudaIpcOpenMemHandle(checked(seed.cudaIpcGetMemHandle(segment + offset)), 1)))
        received = bytearray(4)
        source = opened + offset if fixed else opened
        checked(target.cudaMemcpy(received, source, 4, kind.cudaMemcpyDeviceToHost))
        checked(target.cudaIpcCloseMemHandle(opened))
        assert received == name.encode()[:4], "the tensor arrives"


EXHIBITS = [
    Exhibit(
        number=20,
        report="kvcache-ai/Mooncake#3546",
        title="hipIpcGetMemHandle of a part of an allocation",
        happens=(
            "The IPC handle of a buffer inside an allocation names the whole allocation, and opens at its base. All "
            "buffers of the "
            "allocation arrive as the first one, and every call succeeds."
        ),
        part=Part.BYTES,
        told=("AssertionError: ",),
        programs={"views": views_on_hip, "written": written_on_hip},
        settings={"profile": "hip-clr-2026"},
    ),
    Exhibit(
        number=20,
        report="kvcache-ai/Mooncake#1622",
        title="cuIpcGetMemHandle of a part of an allocation",
        happens=(
            "The bug also occurs with CUDA: small tensors share a segment, the offset of a tensor in it is lost on "
            "the way, and another "
            "tensor's bytes arrive."
        ),
        part=Part.BYTES,
        told=("AssertionError: the tensor arrives",),
        programs={"small-tensors": small_tensors, "by-the-runtime": by_the_runtime},
        devices={"small-tensors": 2},
    ),
]
