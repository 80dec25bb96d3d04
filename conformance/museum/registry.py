"""The exhibits, in the order of the gallery."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from conformance.museum import exhibits
from conformance.museum.exhibit import Elsewhere

if TYPE_CHECKING:
    from conformance.museum.exhibit import Exhibit


def every_exhibit() -> list[Exhibit]:
    """Return the exhibits of all modules, by their numbers."""
    modules = [import_module(f"{exhibits.__name__}.{found.name}") for found in iter_modules(exhibits.__path__)]
    return sorted((one for module in modules for one in module.EXHIBITS), key=lambda one: one.number)


FAULTS = "a call that fails on demand: the sweep over faults"
UNORDERED = "work that nothing orders: the detector of unordered access"
ELSEWHERE = [
    Elsewhere(
        2,
        ("NVIDIA/cuda-python#2345",),
        "Where a reservation behind a buffer is refused, cuMemAddressFree is called on the address that was not given.",
        FAULTS,
    ),
    Elsewhere(
        6,
        ("NVIDIA/cuda-python#2388",),
        "A grow that fails maps the old memory again, without cuMemSetAccess: the buffer faults at its next use.",
        FAULTS,
    ),
    Elsewhere(9, ("vllm-project/vllm#34602",), "Memory runs out midway, and what was mapped before stays.", FAULTS),
    Elsewhere(10, ("vllm-project/vllm#43020",), "cuMemUnmap while work on a stream uses the memory.", UNORDERED),
    Elsewhere(
        21,
        ("openucx/ucx#2738", "openucx/ucx#10405"),
        "An address is given out again, and a cache finds the mapping of its former memory for it.",
        UNORDERED,
    ),
    Elsewhere(
        24,
        ("rapidsai/rmm#2489",),
        "The wait for an event is lost, and a block is used again while its former user writes it.",
        UNORDERED,
    ),
]
"""Reports without a program, and the part of fakecuda that is to catch each."""
