"""Probes: calls that known clients make although they may be refused.

Clients handle the code, so it shows no mistake.
A client is recognised by the files in the call's stack. NOT_READY of a query never counts, regardless of its caller.
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
    """Calls that a client makes although they may be refused.

    Attributes:
        client: The client, with the releases that were examined.
        file: The end of the path of the calling file.
        calls: The calls.
        code: The code that they may answer.
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
        "it frees memory whose release it had deferred and calls again; it raises if refused again",
    ),
    Probe(
        "numba-cuda 0.30",
        "/numba/cuda/cudadrv/driver.py",
        ("cuMemsetD8", "cuMemsetD8Async"),
        Result.INVALID_VALUE,
        "it writes managed memory on the host; for other memory it raises",
    ),
)
"""All probes, by client, in the order of the page."""


def probe_of(call: str, code: int, stack: Stack) -> Probe | None:
    """Return the probe that matches a refused call; None if there is no such probe.

    Args:
        call: The call.
        code: What it answered.
        stack: The caller's stack.
    """
    known = [probe for probe in PROBES if call in probe.calls and code == probe.code]
    files = [line.partition(".py:")[0] + ".py" for line in history.lines(stack)] if known else []
    return next((probe for probe in known if any(file.endswith(probe.file) for file in files)), None)
