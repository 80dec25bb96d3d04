"""cuCtxSetLimit: set a limit of the current context, rounded for the hardware.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.context.fixtures import LIMIT, described, without
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSetLimit", limit=LIMIT["STACK_SIZE"], value=2048)


def value_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuCtxGetLimit(i.args["limit"])


entry = Entry("cuCtxSetLimit", valid, value_of_it)
entry.breaks("LIMIT_IS_KNOWN", limit=LIMIT["MAX"])
entry.breaks("LIMIT_IS_KNOWN", "per-block memory", limit=LIMIT["PER_BLOCK_MEMORY_SIZE"])
entry.breaks("LIMIT_IS_KNOWN", "far away", limit=99)
entry.breaks("LIMIT_IS_SUPPORTED", limit=LIMIT["DEV_RUNTIME_SYNC_DEPTH"])
entry.breaks("LIMIT_IS_SUPPORTED", "CIG fallback", limit=LIMIT["CIG_SHMEM_FALLBACK_ENABLED"])
entry.breaks("LIMIT_IS_SETTABLE", "shared memory", limit=LIMIT["SHMEM_SIZE"])
entry.breaks("LIMIT_IS_SETTABLE", "CIG", limit=LIMIT["CIG_ENABLED"])
entry.breaks("VALUE_IS_POSSIBLE", "stack", value=1 << 30)
entry.breaks("VALUE_IS_POSSIBLE", "stack that is too large for any device", value=1 << 40)
entry.breaks("VALUE_IS_POSSIBLE", "fetch granularity", limit=LIMIT["MAX_L2_FETCH_GRANULARITY"], value=129)
entry.breaks("VALUE_IS_POSSIBLE", "persisting cache", limit=LIMIT["PERSISTING_L2_CACHE_SIZE"], value=1 << 30)
for name, values in {
    "STACK_SIZE": (0, 1, 16, 100, 1025),
    "PRINTF_FIFO_SIZE": (0, 4096, 1 << 20, (1 << 20) + 1),
    "MALLOC_HEAP_SIZE": (0, 1, 8 << 20, (8 << 20) + 1),
    "DEV_RUNTIME_PENDING_LAUNCH_COUNT": (0, 1, 2049),
    "MAX_L2_FETCH_GRANULARITY": (0, 1, 100, 128),
    "PERSISTING_L2_CACHE_SIZE": (0, 1, 20 << 20),
}.items():
    for value in values:
        entry.also(f"{name} {value}", then=value_of_it, limit=LIMIT[name], value=value)


@entry.also("a refused value changes nothing", then=value_of_it)
def refused(_w: World, i: Invocation) -> Invocation:
    i.process.c.cuCtxSetLimit(i.args["limit"], 1 << 30)
    return i


test_ctx_set_limit = entry.test()


@pytest.mark.parametrize(
    ("name", "value", "becomes"),
    [
        ("STACK_SIZE", 0, 0),
        ("STACK_SIZE", 1, 16),
        ("STACK_SIZE", 100, 112),
        ("STACK_SIZE", 1025, 1040),
        ("STACK_SIZE", 262144, 262144),
        ("PRINTF_FIFO_SIZE", 1, 524288),
        ("PRINTF_FIFO_SIZE", 1048577, 1048832),
        ("MALLOC_HEAP_SIZE", 0, 4194304),
        ("MALLOC_HEAP_SIZE", 8388609, 8454144),
        ("DEV_RUNTIME_PENDING_LAUNCH_COUNT", 1, 32),
        ("DEV_RUNTIME_PENDING_LAUNCH_COUNT", 2049, 2049),
        ("MAX_L2_FETCH_GRANULARITY", 100, 100),
        ("PERSISTING_L2_CACHE_SIZE", 0, 0),
        ("PERSISTING_L2_CACHE_SIZE", 1, 3932160),
        ("PERSISTING_L2_CACHE_SIZE", 33554432, 35389440),
    ],
)
def test_what_a_limit_becomes_on_an_h200(name: str, value: int, becomes: int) -> None:
    with described() as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxSetLimit(LIMIT[name], value) == (Result.SUCCESS,)
        assert c.cuCtxGetLimit(LIMIT[name]) == (Result.SUCCESS, becomes)


@pytest.mark.parametrize(("name", "value"), [("STACK_SIZE", 524272), ("PERSISTING_L2_CACHE_SIZE", 62914560)])
def test_what_an_h200_refuses(name: str, value: int) -> None:
    with described() as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxSetLimit(LIMIT[name], value) == (Result.INVALID_VALUE,)


def test_no_heap_exceeds_the_memory_of_the_device() -> None:
    with described() as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxSetLimit(LIMIT["MALLOC_HEAP_SIZE"], (1 << 64) - 1) == (Result.SUCCESS,)
        assert c.cuCtxGetLimit(LIMIT["MALLOC_HEAP_SIZE"])[1] == c.cuDeviceTotalMem(0)[1]


def test_no_cache_persists_where_the_device_has_none() -> None:
    with described(without("L2_CACHE_SIZE", "MAX_PERSISTING_L2_CACHE_SIZE")) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxSetLimit(LIMIT["PERSISTING_L2_CACHE_SIZE"], 0) == (Result.SUCCESS,)
        assert c.cuCtxSetLimit(LIMIT["PERSISTING_L2_CACHE_SIZE"], 1) == (Result.INVALID_VALUE,)
