"""Shared parts of NVML tests: a reset of NVML's state, and readers of answers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, cast

from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda import Machine, Process

MOST = 1000
"""More initialisations than tests leave behind."""


def shut_down() -> None:
    """Take back every initialisation of this process; a machine is installed."""
    library = ctypes.CDLL("libnvidia-ml.so.1")
    assert any(library.nvmlShutdown() for _ in range(MOST)), (
        "nvmlShutdown never says that there is nothing to shut down"
    )


def of(process: Process) -> Machine:
    """Return the machine of a process, with its controls."""
    return cast("Machine", process.machine)


def code(answer: tuple[Any, ...]) -> Nvml:
    """Return the code of an answer."""
    return Nvml(answer[0])
