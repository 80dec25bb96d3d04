"""A rank frees its own buffer, but leaves the others' buffers open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.museum.exhibit import LEAKS, Exhibit, Part
from tools.museum.workshop import checked

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def shared_buffer(fakecuda: FakeCuda, size: int, ranks: int) -> list[list[int]]:
    """Return each rank's pointers: its own buffer, and the opened ones of others."""
    apis = [fakecuda.spawn(f"rank-{number}").runtime for number in range(ranks)]
    own: list[int] = []
    for number, api in enumerate(apis):
        checked(api.cudaSetDevice(number % 2))
        own.append(int(checked(api.cudaMalloc(size))))
    handles = [checked(api.cudaIpcGetMemHandle(one)) for api, one in zip(apis, own, strict=True)]
    return [
        [
            own[rank] if other == rank else int(checked(api.cudaIpcOpenMemHandle(handle, 1)))
            for other, handle in enumerate(handles)
        ]
        for rank, api in enumerate(apis)
    ]


def all_reduce(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Both ranks free what they have shared."""
    pointers = shared_buffer(fakecuda, 8 << 20, 2)
    apis = [fakecuda.processes[f"rank-{number}"].runtime for number in range(2)]
    if fixed:
        for rank, api in enumerate(apis):
            checked(api.cudaIpcCloseMemHandle(pointers[rank][1 - rank]))
    for rank, api in enumerate(apis):
        checked(api.cudaFree(pointers[rank][rank]))


def restart(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """One of three ranks ends and forgets the buffers that the others then free."""
    pointers = shared_buffer(fakecuda, 4096, 3)
    ranks = [fakecuda.processes[f"rank-{number}"] for number in range(3)]
    for rank in (0, 1, 2) if fixed else (0, 1):
        for other in {0, 1, 2} - {rank}:
            checked(ranks[rank].runtime.cudaIpcCloseMemHandle(pointers[rank][other]))
    checked(ranks[2].runtime.cudaFree(pointers[2][2]))
    ranks[2].exit()
    for rank in (0, 1):
        checked(ranks[rank].runtime.cudaFree(pointers[rank][rank]))


EXHIBITS = [
    Exhibit(
        number=28,
        report="sgl-project/sglang@0.5.23",
        title="free_shared_buffer leaves the others' buffers open",
        happens=(
            "A shared buffer is a list of pointers: the rank's own buffer, and the opened buffers of other ranks. The "
            "code that frees the list frees only the rank's own buffer. The other buffers stay open, so every rank "
            "frees memory that other ranks have open."
        ),
        part=Part.LEFT,
        told=("left behind: ", "ipc: "),
        programs={"all-reduce": all_reduce, "restart": restart},
        devices={"all-reduce": 2, "restart": 2},
        settings=LEAKS,
        where="https://github.com/sgl-project/sglang/blob/v0.5.23/python/sglang/srt/distributed/device_communicators/custom_all_reduce.py",
    ),
]
