"""What NVML tells while a program uses the driver: memory and processes, beside what the driver tells of the same cards."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

from conformance.record.nvml.ask import LIBRARY, Asker

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 256 << 20
MEMORY: tuple[tuple[str, list[list[object]]], ...] = (
    ("nvmlDeviceGetMemoryInfo", [["dev", 0], ["out"]]),
    ("nvmlDeviceGetMemoryInfo_v2", [["dev", 0], ["out", (40 | 2 << 24).to_bytes(4, "little").hex()]]),
    ("nvmlDeviceGetBAR1MemoryInfo", [["dev", 0], ["out"]]),
    ("nvmlDeviceGetComputeRunningProcesses_v3", [["dev", 0], ["out", "40000000"], ["out"]]),
    ("nvmlDeviceGetComputeRunningProcesses_v3", [["dev", 1], ["out", "40000000"], ["out"]]),
)


def steps(library: str = LIBRARY, driver: str = "libcuda.so.1") -> Iterator[list[Any]]:
    """Yield what is told: [a name, the value], and answers of NVML between them. The process begins afresh."""
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    asker, cuda = Asker(library), ctypes.CDLL(driver)
    yield asker.ask("nvmlInit_v2", [])
    yield ["pid", os.getpid()]
    yield from _memory(asker, "before cuInit")
    yield ["cuInit", cuda.cuInit(0)]
    yield from _memory(asker, "before a context")
    yield asker.ask("nvmlDeviceGetCount_v2", [["out"]])
    number, size, free = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_size_t()
    text, context, pointer = ctypes.create_string_buffer(100), ctypes.c_void_p(), ctypes.c_uint64()
    yield ["cuDeviceGetCount", cuda.cuDeviceGetCount(ctypes.byref(number)), number.value]
    yield ["cuDriverGetVersion", cuda.cuDriverGetVersion(ctypes.byref(number)), number.value]
    yield ["cuDeviceGetName", cuda.cuDeviceGetName(text, 100, 0), text.value.decode()]
    yield ["cuDeviceGetUuid", cuda.cuDeviceGetUuid_v2(text, 0), text.raw[:16].hex()]
    yield ["cuDeviceGetPCIBusId", cuda.cuDeviceGetPCIBusId(text, 100, 0), text.value.decode()]
    yield ["cuDeviceTotalMem", cuda.cuDeviceTotalMem_v2(ctypes.byref(size), 0), size.value]
    yield ["cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)]
    yield ["cuCtxSetCurrent", cuda.cuCtxSetCurrent(context)]
    yield ["cuMemGetInfo", cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(size)), free.value, size.value]
    yield from _memory(asker, "with a context")
    yield ["cuMemAlloc", cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(SIZE)), SIZE]
    yield ["cuMemGetInfo", cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(size)), free.value, size.value]
    yield from _memory(asker, "with memory")
    yield ["cuMemFree", cuda.cuMemFree_v2(pointer)]
    yield from _memory(asker, "without memory")
    yield ["cuDevicePrimaryCtxRelease", cuda.cuDevicePrimaryCtxRelease_v2(0)]
    yield from _memory(asker, "without a context")
    yield asker.ask("nvmlSystemGetProcessName", [["int", os.getpid()], ["out"], ["int", 96]])
    yield asker.ask("nvmlShutdown", [])


def _memory(asker: Asker, when: str) -> Iterator[list[Any]]:
    yield ["when", when]
    for name, arguments in MEMORY:
        yield asker.ask(name, arguments)
