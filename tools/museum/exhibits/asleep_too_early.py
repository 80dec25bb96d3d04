"""Memory is unmapped while a stream still uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def copied_out(_: FakeCuda, *, fixed: bool) -> None:
    """Weights are copied to the host in a stream, and unmapped without a wait."""
    context(driver)
    stream = checked(driver.cuStreamCreate(1))
    handle = checked(driver.cuMemCreate(2 * MIB, properties(), 0))
    weights = mapped(driver, 2 * MIB, handle)
    backup = checked(driver.cuMemAllocHost(2 * MIB))
    checked(driver.cuMemcpyDtoHAsync(backup, weights, 2 * MIB, stream))
    if fixed:
        checked(driver.cuStreamSynchronize(stream))
    unmapped(driver, weights, 2 * MIB)
    checked(driver.cuMemRelease(handle))


def of_another_stream(_: FakeCuda, *, fixed: bool) -> None:
    """The program waits for an event of an unrelated stream."""
    context(driver)
    cache, other = (checked(driver.cuStreamCreate(1)) for _ in range(2))
    done = checked(driver.cuEventCreate(2))
    handle = checked(driver.cuMemCreate(4 * MIB, properties(), 0))
    blocks = mapped(driver, 4 * MIB, handle)
    checked(driver.cuMemsetD8Async(blocks + MIB, 0, MIB, cache))
    checked(driver.cuEventRecord(done, cache if fixed else other))
    checked(driver.cuEventSynchronize(done))
    unmapped(driver, blocks, 4 * MIB)
    checked(driver.cuMemRelease(handle))


EXHIBITS = [
    Exhibit(
        number=10,
        report="vllm-project/vllm#43020",
        title="cuMemUnmap while work on a stream is pending",
        happens=(
            "A server that sleeps unmaps its memory while a stream still works on it: cuMemUnmap waits for nothing. "
            "The work then reads or writes unmapped addresses."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "cuMemUnmap"),
        programs={"copied-out": copied_out, "of-another-stream": of_another_stream},
    ),
]
