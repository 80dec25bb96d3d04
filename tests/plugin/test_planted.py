"""Bugs of users' programs, each planted in a test that ignores what calls answer: it fails and says why; its fixed twin is silent."""

from __future__ import annotations

import re
from textwrap import dedent, indent
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from .conftest import Suite

BEGIN = """
import ctypes, os
from concurrent.futures import ThreadPoolExecutor
import pytest
from cuda.bindings import driver, runtime

pytestmark = pytest.mark.fakecuda(profile="h200-x2", leaks_allowed=["context"])
MIB = 1 << 20
GRAIN = 2 * MIB

def of_device(number=0):
    prop = driver.CUmemAllocationProp()
    prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.requestedHandleTypes = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    prop.location.id = number
    return prop

def access(number=0):
    desc = driver.CUmemAccessDesc()
    desc.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    desc.location.id = number
    desc.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return [desc]

@pytest.fixture(autouse=True)
def contexts(fakecuda):
    driver.cuInit(0)
    return [driver.cuCtxCreate(None, 0, number)[1] for number in (1, 0)]

@pytest.fixture
def mapped(contexts):
    _, address = driver.cuMemAddressReserve(GRAIN, 0, 0, 0)
    _, handle = driver.cuMemCreate(GRAIN, of_device(), 0)
    driver.cuMemMap(address, GRAIN, 0, handle, 0)
    yield int(address)
    driver.cuCtxSynchronize()
    driver.cuMemUnmap(address, GRAIN)
    driver.cuMemRelease(handle)
    driver.cuMemAddressFree(address, GRAIN)
"""
SETTINGS = "--fakecuda-errors=error", "--fakecuda-leaks=error"
PLANTED: dict[str, tuple[str, ...]] = {
    "freed twice": (
        """
        _, memory = driver.cuMemAlloc(MIB)
        driver.cuMemFree(memory)
        driver.cuMemFree(memory)  # -
        """,
        "cuMemFree in process",
        "memory.mem_free.POINTER_IS_A_BASE",
    ),
    "freed twice by threads": (
        """
        _, memory = driver.cuMemAlloc(MIB)
        with ThreadPoolExecutor() as threads:
            threads.submit(driver.cuMemFree, memory).result()
            threads.submit(driver.cuMemFree, memory).result()  # -
        """,
        "cuMemFree in process",
        "memory.mem_free.POINTER_IS_A_BASE",
    ),
    "used after it was freed": (
        """
        _, memory = driver.cuMemAlloc(MIB)
        driver.cuMemsetD8(memory, 0, MIB)  # +
        driver.cuMemFree(memory)
        driver.cuMemsetD8(memory, 0, MIB)  # -
        """,
        "cuMemsetD8 in process",
        "copy.range.RANGE_IS_ALLOCATED",
    ),
    "written behind its end": (
        """
        _, memory = driver.cuMemAlloc(MIB)
        driver.cuMemsetD8(memory, 0, MIB + 1)  # -
        driver.cuMemsetD8(memory, 0, MIB)  # +
        driver.cuMemFree(memory)
        """,
        "cuMemsetD8 in process",
        "copy.range.RANGE_IS_ALLOCATED",
    ),
    "pool memory freed twice": (
        """
        _, memory = driver.cuMemAllocAsync(MIB, 0)
        driver.cuMemFreeAsync(memory, 0)
        driver.cuMemFreeAsync(memory, 0)  # -
        driver.cuCtxSynchronize()
        """,
        "cuMemFreeAsync in process",
        "pool.mem_free_async.POINTER_IS_A_BASE",
    ),
    "mapped without access": (
        """
        address = request.getfixturevalue("mapped")
        driver.cuMemSetAccess(address, GRAIN, access(), 1)  # +
        driver.cuMemsetD8(address, 0, GRAIN)
        """,
        "cuMemsetD8 in process",
        "copy.range.ACCESS_IS_GRANTED",
    ),
    "mapped without access of the peer": (
        """
        address = request.getfixturevalue("mapped")
        driver.cuMemSetAccess(address, GRAIN, access(), 1)
        driver.cuMemSetAccess(address, GRAIN, access(1), 1)  # +
        driver.cuCtxSetCurrent(contexts[0])
        driver.cuMemsetD8(address, 0, GRAIN)
        driver.cuCtxSynchronize()
        driver.cuCtxSetCurrent(contexts[1])
        """,
        "cuMemsetD8 in process",
        "copy.range.ACCESS_IS_GRANTED",
    ),
    "mapped twice at one address": (
        """
        address = request.getfixturevalue("mapped")
        _, handle = driver.cuMemCreate(GRAIN, of_device(), 0)
        driver.cuMemMap(address, GRAIN, 0, handle, 0)  # -
        driver.cuMemRelease(handle)
        """,
        "cuMemMap in process",
        "va.mem_map.RANGE_IS_NOT_MAPPED",
    ),
    "reservation freed while it is mapped": (
        """
        address = request.getfixturevalue("mapped")
        driver.cuMemAddressFree(address, GRAIN)  # -
        """,
        "cuMemAddressFree in process",
        "va.mem_address_free.NOTHING_IS_MAPPED",
    ),
    "size of another granularity": (
        """
        _, handle = driver.cuMemCreate(MIB, of_device(), 0)  # -
        _, handle = driver.cuMemCreate(GRAIN, of_device(), 0)  # +
        driver.cuMemRelease(handle)  # +
        """,
        "cuMemCreate in process",
        "va.mem_create.SIZE_IS_ALIGNED",
    ),
    "handle released twice": (
        """
        _, handle = driver.cuMemCreate(GRAIN, of_device(), 0)
        driver.cuMemRelease(handle)
        driver.cuMemRelease(handle)  # -
        """,
        "cuMemRelease in process",
        "va.handle.HANDLE_IS_HELD",
    ),
    "stream destroyed twice": (
        """
        _, stream = driver.cuStreamCreate(1)
        driver.cuStreamDestroy(stream)
        driver.cuStreamDestroy(stream)  # -
        """,
        "cuStreamDestroy in process",
        "stream.handle.STREAM_IS_LIVE",
    ),
    "event of another context": (
        """
        driver.cuCtxSetCurrent(contexts[0])  # -
        _, event = driver.cuEventCreate(0)
        driver.cuCtxSetCurrent(contexts[1])  # -
        _, stream = driver.cuStreamCreate(1)
        driver.cuEventRecord(event, stream)
        driver.cuStreamSynchronize(stream)
        driver.cuEventDestroy(event)
        driver.cuStreamDestroy(stream)
        """,
        "cuEventRecord in process",
        "event.event_record.EVENT_IS_THE_STREAM_S",
    ),
    "peer access enabled twice": (
        """
        driver.cuCtxEnablePeerAccess(contexts[0], 0)
        driver.cuCtxEnablePeerAccess(contexts[0], 0)  # -
        driver.cuCtxDisablePeerAccess(contexts[0])
        """,
        "cuCtxEnablePeerAccess in process",
        "peer.ctx_enable_peer_access.PEER_IS_NOT_ENABLED",
    ),
    "peer access never enabled": (
        """
        driver.cuCtxEnablePeerAccess(contexts[0], 0)  # +
        driver.cuCtxSetCurrent(contexts[0])
        _, memory = driver.cuMemAlloc(MIB)
        driver.cuCtxSetCurrent(contexts[1])
        driver.cuMemsetD8(memory, 0, MIB)
        driver.cuCtxSynchronize()
        driver.cuMemFree(memory)
        driver.cuCtxDisablePeerAccess(contexts[0])  # +
        """,
        "cuMemsetD8 in process",
        "copy.memset.PEER_IS_ENABLED",
    ),
    "memory left": ("_, memory = driver.cuMemAlloc(MIB)\ndriver.cuMemFree(memory)  # +", "1 allocation"),
    "handle left": (
        "_, handle = driver.cuMemCreate(GRAIN, of_device(), 0)\ndriver.cuMemRelease(handle)  # +",
        "1 handle",
    ),
    "reservation left": (
        "_, address = driver.cuMemAddressReserve(GRAIN, 0, 0, 0)\ndriver.cuMemAddressFree(address, GRAIN)  # +",
        "1 reservation",
    ),
    "mapping left": (
        """
        _, address = driver.cuMemAddressReserve(GRAIN, 0, 0, 0)
        _, handle = driver.cuMemCreate(GRAIN, of_device(), 0)
        driver.cuMemMap(address, GRAIN, 0, handle, 0)
        driver.cuMemRelease(handle)
        driver.cuMemUnmap(address, GRAIN)  # +
        driver.cuMemAddressFree(address, GRAIN)  # +
        """,
        "1 mapping",
    ),
    "stream left": ("_, stream = driver.cuStreamCreate(1)\ndriver.cuStreamDestroy(stream)  # +", "1 stream"),
    "event left": ("_, event = driver.cuEventCreate(0)\ndriver.cuEventDestroy(event)  # +", "1 event"),
    "exported descriptor left": (
        """
        _, handle = driver.cuMemCreate(GRAIN, of_device(), 0)
        _, descriptor = driver.cuMemExportToShareableHandle(
            handle, driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0
        )
        driver.cuMemRelease(handle)
        os.close(descriptor)  # +
        """,
        "1 descriptor",
    ),
    "primary context kept": (
        """
        driver.cuDevicePrimaryCtxRetain(0)
        driver.cuDevicePrimaryCtxRetain(0)
        driver.cuDevicePrimaryCtxRelease(0)  # +
        driver.cuDevicePrimaryCtxRelease(0)
        """,
        "1 retain",
    ),
}
"""Programs with their reports; ``# -`` marks the bug, ``# +`` the fix."""


def program(fixed: bool) -> str:  # noqa: FBT001 - which of the two
    """Return a file of tests that has all programs."""
    other = "# -" if fixed else "# +"
    tests = []
    for name, (lines, *_) in PLANTED.items():
        body = [line for line in dedent(lines).strip().splitlines() if not line.endswith(other)]
        tests.append(f"\ndef test_{name.replace(' ', '_')}(request, contexts):\n" + indent("\n".join(body), "    "))
    return BEGIN + "\n".join(tests)


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_each_fails_its_test(suite: Suite, door: str) -> None:
    """Also where all that is wrong is a code that nobody looks at, or what nobody gives back."""
    suite.write(test_it=program(fixed=False))
    outcome = suite.run(*SETTINGS, door=door)
    for name, (_, *told) in PLANTED.items():
        title = f"test_{name.replace(' ', '_')}"
        found = re.search(rf"(?ms)^_+ (ERROR at teardown of )?{title} _+$(.*?)^(_{{3}}|===)", outcome.out)
        assert found, title
        assert [text for text in told if text not in found[0]] == [], (title, found[0])


def test_their_twins_are_silent(suite: Suite) -> None:
    """Nothing is said of a program that does all that the bug leaves out."""
    suite.write(test_it=program(fixed=True))
    outcome = suite.run(*SETTINGS, door="lookalike")
    assert outcome.counts == {"PASSED": len(PLANTED)}, outcome.out
