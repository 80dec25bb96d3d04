"""Processes that have initialised NVML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process


@pytest.fixture
def process() -> Iterator[Process]:
    """A process with NVML, on two cards."""
    with Machine("h200-x2") as machine:
        made = machine.spawn()
        made.c.nvmlInit_v2()
        yield made


@pytest.fixture
def card(process: Process) -> int:
    """The handle of the first card."""
    return int(process.c.nvmlDeviceGetHandleByIndex_v2(0)[1])


@pytest.fixture
def split() -> Iterator[Process]:
    """A process with NVML, on a card that is split in two."""
    with Machine("h200-mig") as machine:
        made = machine.spawn()
        made.c.nvmlInit_v2()
        yield made
