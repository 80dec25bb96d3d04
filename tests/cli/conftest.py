"""A prompt with something to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.prompt.console import Prompt

if TYPE_CHECKING:
    from collections.abc import Iterator

WORLD = """
_ = b.c.cuInit(0), b.c.cuCtxSetCurrent(b.c.cuDevicePrimaryCtxRetain(1)[1])
_, other = a.c.cuDevicePrimaryCtxRetain(1)
_ = a.c.cuCtxEnablePeerAccess(other, 0)
_, p = a.c.cuMemAlloc(3 << 20)
_ = b.c.cuIpcOpenMemHandle(a.c.cuIpcGetMemHandle(p)[1], 1)
prop = (1, 1, (1, 0), 0, (0, 0, 0))
_, h = a.c.cuMemCreate(2 << 20, prop, 0)
_, r = a.c.cuMemAddressReserve(6 << 20, 0, 0, 0)
_ = a.c.cuMemMap(r + (2 << 20), 2 << 20, 0, h, 0), a.c.cuMemSetAccess(r + (2 << 20), 2 << 20, (((1, 0), 3),), 1)
""".strip().splitlines()
"""Statements that make an object of each kind: a shared allocation, a mapping between two holes, an enabled peer."""


@pytest.fixture
def prompt() -> Iterator[Prompt]:
    """Return a prompt whose process a has the primary context of device 0 current."""
    with Machine("h200-x2") as machine:
        prompt = Prompt(machine)
        prompt.feed(["_ = a.c.cuInit(0), a.c.cuCtxSetCurrent(a.c.cuDevicePrimaryCtxRetain(0)[1])"])
        yield prompt


@pytest.fixture
def world(prompt: Prompt) -> Prompt:
    """Return a prompt whose machine holds an object of each kind."""
    prompt.feed(WORLD)
    assert not prompt.failed
    return prompt
