"""How many calls a second live reports follow: ``python -m benchmarks.live``.

The records are those of a loop of PyTorch on an H200: the queries around each launch, and the copies, queries and waits of a step.
"""

from __future__ import annotations

import io
import struct
import sys
from time import process_time
from typing import TYPE_CHECKING

import msgpack
from attrs import define

from conformance.record.live import follow
from conformance.record.repeated import number_of
from fakecuda import profiles
from fakecuda.reach.shadow import ring

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = 200_000
"""About so many calls are followed."""
STEP = 40
"""Launches of a training step."""
OWN, DEVICE, HOST = 0x7D6DDB000000, 0x137B00000000, 0x7FFF578D0000
"""Where handles, memory of the device and the host's memory are."""
PROCESS = 1000


@define
class Records:
    """Records as a program writes them.

    Attributes:
        data: Their bytes.
        calls: How many calls they are of.
        launches: How many of these launch.
    """

    data: bytearray
    calls: int = 0
    launches: int = 0

    def call(self, name: str, words: tuple[int, ...], *values: object) -> None:
        """Add a call: the words of its arguments, then its decoded arguments and results."""
        number = number_of(name)
        self.add(ring.CALLED, number, struct.pack(f"<{len(words)}Q", *words))
        self.add(ring.ANSWERED, number, msgpack.packb(values or words))
        self.calls += 1
        self.launches += name == "cuLaunchKernel"

    def add(self, kind: int, number: int, body: bytes) -> None:
        """Add a record."""
        size = ring.RECORD.size + len(body)
        self.data += ring.RECORD.pack(size, kind, 0, number, 0, PROCESS, PROCESS, 0, 0) + body + bytes(-size % 8)

    def queries(self, times: int) -> None:
        """Add what PyTorch asks before a launch."""
        self.call("cuDevicePrimaryCtxGetState", (0, HOST, HOST), 0, 0, 1)
        for _ in range(times):
            self.call("cuCtxGetDevice_v2", (HOST, 0), 0, 0)

    def launch(self, blocks: int) -> None:
        """Add a launch in the legacy default stream."""
        self.call("cuLaunchKernel", (OWN + 2, blocks, 1, 1, 128, 1, 1, 0, 0, HOST, 0))


def start(to: Records) -> None:
    """Add what comes before the loop."""
    to.add(ring.STARTED, 0, b"/program")
    to.call("cuInit", (0,))
    to.call("cuDevicePrimaryCtxRetain", (HOST, 0), 0, OWN)
    to.call("cuCtxSetCurrent", (OWN,))
    to.call("cuModuleLoadData", (HOST, HOST), None, OWN + 1)
    to.call("cuModuleGetFunction", (HOST, OWN + 1, HOST), OWN + 1, b"k", OWN + 2)
    to.call("cuMemAlloc_v2", (HOST, 1 << 24), 1 << 24, DEVICE)
    to.call("cuEventCreate", (HOST, 2), 2, OWN + 3)


def launches(to: Records) -> None:
    """Add the calls of a launch."""
    to.queries(3)
    to.launch(1)


def training(to: Records) -> None:
    """Add the calls of a training step."""
    for number in range(STEP):
        to.queries(2)
        to.queries(5)
        to.launch(1 + number)
    to.call("cuMemcpyDtoDAsync_v2", (DEVICE, DEVICE + 4096, 4, 0))
    to.call("cuMemcpyDtoDAsync_v2", (DEVICE + 8192, DEVICE, 4, 0))
    to.call("cuEventRecordWithFlags", (OWN + 3, 0, 0))
    to.call("cuEventQuery", (OWN + 3,))
    to.call("cuMemcpyDtoHAsync_v2", (HOST, DEVICE, 4, 0))
    to.call("cuStreamSynchronize", (0,))


def followed(part: Callable[[Records], None]) -> tuple[float, float]:
    """Return how many calls and how many launches of a loop are followed in a second of a processor."""
    to, one = Records(bytearray()), Records(bytearray())
    part(one)
    start(to)
    times = CALLS // one.calls
    data = bytes(to.data) + bytes(one.data) * times
    profile = profiles.load("h200-x2")
    list(follow(io.BytesIO(bytes(to.data)), profile, lambda: True))  # imports and caches
    before = process_time()
    found = list(follow(io.BytesIO(data), profile, lambda: True))
    took = process_time() - before
    assert not found, found[0]
    return one.calls * times / took, one.launches * times / took


def main() -> None:
    """Print the rates, and beside each the time of a fixed loop of Python."""
    for name, part in (("a loop of launches", launches), ("training steps", training)):
        calls, launched = followed(part)
        before = process_time()
        for _ in range(10_000_000):
            pass
        sys.stdout.write(
            f"{name}: {calls:,.0f} calls a second, {launched:,.0f} launches; "
            f"10 million turns of a loop take {process_time() - before:.2f} s\n"
        )


if __name__ == "__main__":
    main()
