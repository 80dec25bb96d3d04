"""Loading of modules with options of the compiler.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.module.fixtures import (
    EMPTY_FATBIN,
    FATBIN_OF_PTX,
    HUGE,
    SHARED,
    no_room,
    refuse_images,
    refuse_managed,
)
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


MAX_REGISTERS, THREADS, INFO_LOG_SIZE, LEVEL, TARGET, DEBUG, CACHE_MODE = 0, 1, 4, 7, 9, 11, 14
"""CU_JIT_MAX_REGISTERS, _THREADS_PER_BLOCK, _INFO_LOG_BUFFER_SIZE_BYTES, _OPTIMIZATION_LEVEL, _TARGET, _GENERATE_DEBUG_INFO and
_CACHE_MODE."""


REFUSED = {
    "OPTIONS_ARE_KNOWN": {99: 0},
    "LOGS_HAVE_BUFFERS": {INFO_LOG_SIZE: 100},
    "REGISTERS_ARE_SOME": {MAX_REGISTERS: 0},
    "CACHE_MODE_IS_KNOWN": {CACHE_MODE: 9},
    "THREADS_ARE_WITHOUT_TARGET": {TARGET: 90, THREADS: 64},
    "TARGET_IS_KNOWN": {TARGET: 999},
}
"""JIT options that every call refuses, with values, by rule."""
WITHOUT_TARGET = {"cuLinkAddData", "cuLinkAddData_v1", "cuLinkAddFile", "cuLinkAddFile_v1"}
"""Calls that accept no target option."""
UNCOMPILED = {
    "TARGET_IS_COMPILED_FOR": {TARGET: 0},
    "LEVEL_IS_NOT_NEGATIVE": {LEVEL: -1},
    "DEBUGGED_CODE_IS_NOT_OPTIMIZED": {DEBUG: 1, LEVEL: 4},
}
"""Options that are accepted, and compile nothing."""


def optioned(entry: Entry, options: str = "options", values: str = "optionValues", count: str = "numOptions") -> None:
    """Add the cases of refused JIT options; the names are the call's parameters."""
    entry.breaks("OPTIONS_ARE_GIVEN", **{count: 1})
    for rule, given in REFUSED.items():
        if rule != "TARGET_IS_KNOWN" or entry.call not in WITHOUT_TARGET:
            entry.breaks(rule, **{count: len(given), options: tuple(given), values: tuple(given.values())})
    no_threads: dict[str, Any] = {count: 1, options: (THREADS,), values: (0,)}
    entry.undefined("THREADS_ARE_SOME", code=Result.INVALID_VALUE, **no_threads)


def data_ex(w: World) -> Invocation:
    return w.process().call("cuModuleLoadDataEx", image=PTX, numOptions=0, options=None, optionValues=None)


def fatbin(w: World) -> Invocation:
    return w.process().call("cuModuleLoadFatBinary", fatCubin=PTX)


def answers(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the module's functions and variables are found, and that it unloads."""
    a, (module,) = i.process, results
    a.ok.cuModuleGetFunction(module, b"empty")
    a.ok.cuModuleGetGlobal(module, b"counter")
    a.ok.cuModuleUnload(module)


load_data_ex = Entry("cuModuleLoadDataEx", data_ex, answers)
load_data_ex.null("module", "RESULT_IS_GIVEN")
refuse_images(load_data_ex)
no_room(load_data_ex, image=HUGE)
refuse_managed(load_data_ex, "image", lambda _: SHARED)
optioned(load_data_ex)
for rule, given in UNCOMPILED.items():
    load_data_ex.breaks(rule, numOptions=len(given), options=tuple(given), optionValues=tuple(given.values()))
load_data_ex.undefined(
    "PTX_STANDS_ALONE", code=Result.INVALID_PTX, image=FATBIN_OF_PTX, numOptions=1, options=(LEVEL,), optionValues=(-1,)
)
load_data_ex.also(
    "a fatbin at a level", image=FATBIN_OF_PTX, numOptions=1, options=(LEVEL,), optionValues=(4,), then=answers
)
load_data_ex.breaks(
    "TARGET_IS_COMPILED_FOR", "a fatbin", image=FATBIN_OF_PTX, numOptions=1, options=(TARGET,), optionValues=(30,)
)
load_data_ex.breaks(
    "IMAGE_IS_CODE", "beside a level", image=b"nothing", numOptions=1, options=(LEVEL,), optionValues=(-1,)
)
for given in (UNCOMPILED["LEVEL_IS_NOT_NEGATIVE"], UNCOMPILED["DEBUGGED_CODE_IS_NOT_OPTIMIZED"]):
    load_data_ex.breaks(
        "BINARY_IS_THE_DEVICE_S",
        f"beside options {tuple(given)}",
        image=EMPTY_FATBIN,
        numOptions=len(given),
        options=tuple(given),
        optionValues=tuple(given.values()),
    )
load_data_ex.breaks(
    "TARGET_IS_COMPILED_FOR", "no code", image=EMPTY_FATBIN, numOptions=1, options=(TARGET,), optionValues=(30,)
)
load_data_ex.breaks("TARGET_IS_THE_DEVICE_S", numOptions=1, options=(TARGET,), optionValues=(75,))
load_data_ex.breaks("TARGET_IS_THE_DEVICE_S", "a newer one", numOptions=1, options=(TARGET,), optionValues=(100,))
load_data_ex.also("the device's target", numOptions=1, options=(TARGET,), optionValues=(90,), then=answers)
load_data_ex.also("options behind their number", numOptions=1, options=(DEBUG, LEVEL, 99), optionValues=(1, 4, 0))
load_data_ex.also("a cache", numOptions=1, options=(CACHE_MODE,), optionValues=(2,), then=answers)
load_data_ex.also("an option", numOptions=1, options=(MAX_REGISTERS,), optionValues=(32,), then=answers)
test_module_load_data_ex = load_data_ex.test()

load_fat_binary = Entry("cuModuleLoadFatBinary", fatbin, answers)
load_fat_binary.null("module", "RESULT_IS_GIVEN")
refuse_images(load_fat_binary, "fatCubin")
no_room(load_fat_binary, fatCubin=HUGE)
refuse_managed(load_fat_binary, "fatCubin", lambda _: SHARED)
test_module_load_fat_binary = load_fat_binary.test()
