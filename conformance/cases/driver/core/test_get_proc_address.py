"""cuGetProcAddress: the address of a function of the driver.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DRIVER__ENTRY__POINT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.core.fixtures import in_a_fork
from conformance.kit.case import Entry
from fakecuda.rules.driver.core.get_proc_address import FOUND, NOT_FOUND, VERSION_NOT_SUFFICIENT
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LEGACY, PER_THREAD = 1, 2


def valid(w: World) -> Invocation:
    return w.process(init=False).call("cuGetProcAddress", symbol=b"cuMemAlloc", cudaVersion=12000, flags=0)


def found(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    address, status = results
    assert address
    assert status == FOUND


def unknown(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (0, NOT_FOUND)


def too_new(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (0, VERSION_NOT_SUFFICIENT)


def address(i: Invocation, **args: Plain) -> Plain:
    """Return the call's answer to other arguments."""
    code, found, _ = i.evolve(**args).run()
    assert code == Result.SUCCESS
    return found


entry = Entry("cuGetProcAddress", valid, found)
entry.breaks("FLAGS_ARE_KNOWN", flags=4)
entry.breaks("FLAGS_ARE_KNOWN", flags=8)
entry.breaks("FLAGS_ARE_KNOWN", "beyond 32 bits", flags=1 << 32)
entry.breaks("VERSION_IS_SUPPORTED", cudaVersion=99999)
entry.undefined("SYMBOL_IS_GIVEN", code=Result.INVALID_VALUE, symbol=None)
entry.null("symbolStatus", None)
entry.also("the driver's version", then=found, cudaVersion=lambda i: i.process.ok.cuDriverGetVersion())
entry.also("a negative version", then=found, cudaVersion=-1)
entry.also("version 0", then=too_new, cudaVersion=0)
entry.also("a version before the function", then=too_new, cudaVersion=1000)
entry.also("a function that came later", then=too_new, symbol=b"cuMemCreate", cudaVersion=9000)
entry.also(
    "a version before the per-thread symbol", then=too_new, symbol=b"cuMemcpyHtoD", cudaVersion=6000, flags=PER_THREAD
)
entry.also(
    "per thread without a per-thread symbol", then=found, symbol=b"cuMemAlloc", cudaVersion=6000, flags=PER_THREAD
)
entry.also("a function of 12.9", then=found, symbol=b"cuGreenCtxGetId", cudaVersion=12090)
entry.also("a function of other systems", then=unknown, symbol=b"cuWGLGetDevice")
entry.also("a function of embedded systems", then=unknown, symbol=b"cuEventCreateFromEGLSync")
entry.also("no function", then=unknown, symbol=b"cuNone")
entry.also("no function of any version", then=unknown, symbol=b"cuNone", cudaVersion=0)
entry.also("no name", then=unknown, symbol=b"")
entry.also("the symbol's own name", then=unknown, symbol=b"cuMemAlloc_v2")
entry.also("itself", then=found, symbol=b"cuGetProcAddress")
entry.also("legacy streams", then=found, flags=LEGACY)
entry.also("per-thread streams", then=found, flags=PER_THREAD)
entry.also("both", then=found, flags=LEGACY | PER_THREAD)
entry.also("in a fork of an initialised process", then=found)(in_a_fork)


@entry.undefined("POINTER_IS_GIVEN", code=Result.INVALID_VALUE)
def no_result(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="pfn")


@entry.world("VERSION_IS_SUPPORTED", "the release after the driver's")
def next_release(_w: World, i: Invocation) -> Invocation:
    return i.evolve(cudaVersion=i.process.ok.cuDriverGetVersion() + 10)


@entry.also("a status is not needed to find nothing")
def nothing(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(symbol=b"cuNone"), null="symbolStatus")


@entry.also("an older version has another function")
def older(_w: World, i: Invocation) -> None:
    assert len({address(i, cudaVersion=2000), address(i, cudaVersion=3010), address(i, cudaVersion=3020)}) == 2
    assert address(i, cudaVersion=3020) == address(i)


@entry.also("the newest function")
def newest(_w: World, i: Invocation) -> None:
    assert address(i, symbol=b"cuCtxCreate", cudaVersion=-1) != address(i, symbol=b"cuCtxCreate", cudaVersion=12000)


@entry.also("a per-thread variant where there is one")
def variant(_w: World, i: Invocation) -> None:
    assert address(i, symbol=b"cuMemcpy", flags=PER_THREAD) != address(i, symbol=b"cuMemcpy")
    assert address(i, symbol=b"cuMemcpy", flags=LEGACY) == address(i, symbol=b"cuMemcpy")
    assert address(i, flags=PER_THREAD) == address(i)


test_get_proc_address = entry.test()
