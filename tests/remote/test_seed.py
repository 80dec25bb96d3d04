"""A shared machine keeps its seed: programs whose calls are ordered are answered the same each time."""

from __future__ import annotations

from typing import Any

from fakecuda import Machine

from .conftest import Child


def answers(seed: int) -> list[Any]:
    """Return what two processes and the owner's own were answered, call by call, and by what names they are known."""
    with Machine("h200-x2", seed=seed, strict=False) as machine, machine.shared(export=False) as sharing:
        children: list[Child] = []
        try:
            for device in (0, 1):
                child = Child(sharing.path)
                children.append(child)
                child.call("cuInit", 0)
                child.call("cuCtxCreate", None, 0, device)
            a, b = children
            for child in (a, b, a):
                _, pointer = child.call("cuMemAlloc", 1 << 20)
                _, stream = child.call("cuStreamCreate", 1)
                events = [child.call("cuEventCreate", 0)[1] for _ in range(2)]
                child.call("cuEventRecord", events[0], stream)
                child.call("cuMemcpyHtoD", pointer, "buffer", 1 << 20)
                child.call("cuEventRecord", events[1], stream)
                child.call("cuEventElapsedTime", *events)
                child.call("cuIpcGetMemHandle", pointer)
                child.call("cuMemHostAlloc", 4096, 0)
            machine.here.c.cuInit(0)
            machine.here.c.cuCtxCreate(None, 0, 0)
            machine.here.c.cuMemAlloc(1)
        finally:
            for child in children:
                child.kill()
        return [(call.process, call.call, call.code, call.outs) for call in machine.log]


def test_the_same_seed_gives_the_same_answers() -> None:
    """Of all processes; another seed gives others."""
    first = answers(7)
    assert {process for process, *_ in first} == {"a", "b", "here"}
    assert {code for _, _, code, _ in first} == {0}
    assert answers(7) == first
    assert answers(8) != first


def test_handles_are_the_seeds(machine: Machine) -> None:
    """As those of a machine that is not shared."""
    with Machine(seed=7) as alone, Machine(seed=7) as other, other.shared(export=False):
        assert alone.random_bytes(64) == other.random_bytes(64) != machine.random_bytes(64)
