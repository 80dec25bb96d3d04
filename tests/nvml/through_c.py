"""Recorded NVML programs through C in this OS process, on a model."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from conformance.fuzz.nvml_in_c import made
from conformance.kit.compare import compare
from conformance.kit.program import run
from conformance.record import recordings
from fakecuda.spec.codes import CRASH, Nvml
from tests.nvml.state import shut_down

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.kit.program import Program

MACHINES = "h100-x2", "h200-x2"
"""The machines with NVML recordings."""
BESIDE = "nvml/beside_cuda"
"""The program that also makes driver calls."""
NULL = "null result"
"""A part of labels of calls with different answers, by ``divergences.toml``."""


class Calls:
    """The calls of a program, made by ctypes."""

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        return lambda *inputs, null="": made(name, inputs, null)


class Machine:
    """A target whose processes are this OS process, in which NVML is not initialised."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def spawn(self) -> Any:
        """Return a process that begins."""
        shut_down()
        return SimpleNamespace(
            thread=lambda _: SimpleNamespace(c=Calls()), host_memory=self.host_memory, alive=True, kill=lambda: None
        )

    def host_memory(self, size: int) -> int:
        """Return the address of new memory."""
        self.kept.append(ctypes.create_string_buffer(size))
        return ctypes.addressof(self.kept[-1])


def programs(machine: str) -> list[Program]:
    """Return the recorded programs of a machine that make calls of NVML alone."""
    found = recordings.read(recordings.ROOT / machine / "nvml.jsonl.gz").programs
    return [program for program in found if program.name != BESIDE]


def differences(program: Program) -> Iterator[str]:
    """Yield how answers through C differ from those of a card, but for those that are known to.

    Where a card has crashed, the model answers that an argument is wrong.
    """
    for one in compare(program, run(program, Machine())):
        if NULL not in one.label and (one.expected, one.got) != (CRASH, Nvml.INVALID_ARGUMENT):
            yield f"{program.name}: {one}"
