"""Calls that known clients make knowing that they may be refused: they deal with the code, and it tells nothing of a test.

A client's call is known by the files in its stack. NOT_READY of a query is nobody's in particular, and never counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model import history
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.history import Stack


@frozen
class Probe:
    """Calls that a client makes knowing that they may be refused.

    Attributes:
        client: The client, with the releases that were looked at.
        file: How the path of its file ends that makes them.
        calls: The calls.
        code: What they may answer.
        why: What the client does then.
    """

    client: str
    file: str
    calls: tuple[str, ...]
    code: Result
    why: str


PROBES = (
    Probe(
        "cuda.core 1.2",
        "/cuda/core/cu13/_memory/_virtual_memory_resource.py",
        ("cuMemAddressReserve",),
        Result.OUT_OF_MEMORY,
        "it moves a buffer that cannot grow in place",
    ),
    Probe(
        "numba-cuda 0.30",
        "/numba/cuda/cudadrv/driver.py",
        ("cuInit",),
        Result.NO_DEVICE,
        "cuda.is_available() returns False",
    ),
    Probe(
        "numba-cuda 0.30",
        "/numba/cuda/cudadrv/driver.py",
        ("cuMemAlloc", "cuMemAllocManaged", "cuMemHostAlloc"),
        Result.OUT_OF_MEMORY,
        "it frees what it has yet to free and calls again; a second refusal is raised",
    ),
    Probe(
        "numba-cuda 0.30",
        "/numba/cuda/cudadrv/driver.py",
        ("cuMemsetD8", "cuMemsetD8Async"),
        Result.INVALID_VALUE,
        "the host writes managed memory; for other memory it raises",
    ),
)
"""By client, in the order of the page."""


def probe_of(call: str, code: int, stack: Stack) -> Probe | None:
    """Return the probe that a refused call is; None if it is none.

    Args:
        call: The call.
        code: What it answered.
        stack: The stack that called.
    """
    known = [probe for probe in PROBES if call in probe.calls and code == probe.code]
    files = [line.partition(".py:")[0] + ".py" for line in history.lines(stack)] if known else []
    return next((probe for probe in known if any(file.endswith(probe.file) for file in files)), None)
