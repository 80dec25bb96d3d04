# ruff: noqa: T201 - the test reads the lines
"""What PyTorch does on the host, with kernels that are skipped; a line of standard output for each part."""

from __future__ import annotations

import os

import torch
import torch.multiprocessing as processes
from torch import nn

SIZE = 1024


def memory() -> None:
    """Copy tensors, and fill up a device."""
    assert (torch.cuda.is_available(), torch.cuda.device_count()) == (True, 2)
    numbers = torch.arange(float(SIZE))
    tensor = torch.empty(SIZE, device="cuda")
    tensor.copy_(numbers)
    assert torch.equal(tensor.to("cuda:1").cpu(), numbers)
    pinned = torch.empty(SIZE, pin_memory=True)
    pinned.copy_(tensor, non_blocking=True)
    torch.cuda.synchronize()
    assert torch.equal(pinned, numbers)
    try:
        torch.empty(1 << 42, device="cuda")
    except torch.OutOfMemoryError:
        print("memory")


def segments() -> None:
    """Give memory back that the allocator has mapped piece by piece."""
    blocks = [torch.empty(8 << 20, device="cuda") for _ in range(4)]
    assert torch.cuda.memory_allocated() >= 32 << 20
    del blocks
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() < 32 << 20
    print("segments")


def ordered() -> None:
    """Order two streams by a wait and by events."""
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    tensor = torch.zeros(SIZE, device="cuda")
    first.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(first):
        start.record()
        tensor.add_(1)
        end.record()
    second.wait_stream(first)
    with torch.cuda.stream(second):
        tensor.mul_(2)
    second.synchronize()
    assert start.elapsed_time(end) >= 0
    print("streams")


def trained() -> None:
    """Make a step forward, backward and of an optimizer, and capture one."""
    model = nn.Sequential(nn.Embedding(100, 32), nn.LayerNorm(32), nn.ReLU()).to("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    batch = torch.randint(0, 100, (4, 16), device="cuda")
    for _ in range(2):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    print("training")
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        model(batch)
    graph.replay()
    torch.cuda.synchronize()
    print("graph")


def seen(given: processes.Queue, told: processes.Queue) -> None:
    """Read and write a tensor of another process."""
    tensor = given.get()
    told.put(tensor.cpu()[:4].tolist())
    tensor.copy_(torch.full((SIZE,), 5.0))
    torch.cuda.synchronize()
    del tensor
    told.put("written")


def shared() -> None:
    """Send a tensor to another process."""
    context = processes.get_context("spawn")
    given, told = context.Queue(), context.Queue()
    tensor = torch.empty(SIZE, device="cuda")
    tensor.copy_(torch.arange(float(SIZE)))
    torch.cuda.synchronize()
    child = context.Process(target=seen, args=(given, told))
    child.start()
    given.put(tensor)
    assert told.get() == [0, 1, 2, 3]
    assert told.get() == "written"
    child.join()
    assert tensor.cpu().tolist() == [5.0] * SIZE
    print("processes")


def read() -> None:
    """Read what a skipped kernel would have written."""
    torch.ones(1, device="cuda").item()
    print("read")


if __name__ == "__main__":
    parts = (segments,) if "PYTORCH_CUDA_ALLOC_CONF" in os.environ else (memory, ordered, trained, shared, read)
    for part in parts:
        part()
