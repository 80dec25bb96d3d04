"""Calls of older forms by ctypes, to compare with ``programs/older_forms.c``."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

MANAGED_GLOBAL, LAZY_PEER_ACCESS, NON_BLOCKING = 1, 1, 1
SET_PREFERRED, CPU, NOWHERE = 3, -1, 99
EMPTY_NODE = 5
BYTES = 4096


class Handle(ctypes.Structure):
    """A CUipcMemHandle, which is passed by value."""

    _fields_ = (("reserved", ctypes.c_char * 64),)


class Driver:
    """The driver library, which prints a line for each call."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.lines: list[str] = []

    def call(self, name: str, *args: Any) -> int:
        """Make a call of a symbol."""
        code: int = self.library[name](*args)
        return code

    def ok(self, name: str, *args: Any) -> None:
        """Make a call that succeeds."""
        code = self.call(name, *args)
        assert code == 0, (name, code)

    def say(self, name: str, code: int, *results: int) -> None:
        """Add a line."""
        self.lines.append(" ".join((name, *map(str, map(int, (code, *results))))))


def answers(handle: bytes) -> list[str]:
    """Make the calls, and return the lines.

    Args:
        handle: A CUipcMemHandle of another process.
    """
    driver = Driver()
    driver.ok("cuInit", 0)
    contexts(driver)
    captures(driver)
    memory(driver, handle)
    graphs(driver)
    others(driver)
    return driver.lines


def contexts(driver: Driver) -> None:
    """Make contexts; the last one stays current."""
    context = c_void_p()
    driver.say("cuCtxCreate_v2", driver.call("cuCtxCreate_v2", byref(context), 256, 0))
    driver.say("cuCtxCreate_v2", driver.call("cuCtxCreate_v2", byref(context), 0, 0), bool(context.value))
    driver.say("cuCtxCreate_v3", driver.call("cuCtxCreate_v3", byref(context), None, 1, 0, 0))
    driver.say("cuCtxCreate_v3", driver.call("cuCtxCreate_v3", byref(context), None, 0, 0, 0), bool(context.value))
    driver.say("cuCtxPushCurrent", driver.call("cuCtxPushCurrent", context))
    driver.say("cuDevicePrimaryCtxRelease", driver.call("cuDevicePrimaryCtxRelease", 0))


def captures(driver: Driver) -> None:
    """Capture a memset, and look at the capture before and after."""
    stream, graph, pointer = c_void_p(), c_void_p(), c_uint64()
    driver.ok("cuMemAlloc_v2", byref(pointer), c_size_t(BYTES))
    driver.ok("cuStreamCreate", byref(stream), NON_BLOCKING)
    driver.say("cuStreamBeginCapture", driver.call("cuStreamBeginCapture", stream))
    for _ in range(2):
        status, number, nodes, edges, count = c_int(-1), c_uint64(), c_void_p(1), c_void_p(1), c_size_t(9)
        code = driver.call("cuStreamGetCaptureInfo", stream, byref(status), byref(number))
        driver.say("cuStreamGetCaptureInfo", code, status.value, bool(number.value))
        results = byref(status), byref(number), byref(graph), byref(nodes)
        code = driver.call("cuStreamGetCaptureInfo_v2", stream, *results, byref(count))
        driver.say("cuStreamGetCaptureInfo_v2", code, status.value, bool(nodes.value), count.value)
        code = driver.call("cuStreamGetCaptureInfo_v3", stream, *results, byref(edges), byref(count))
        driver.say("cuStreamGetCaptureInfo_v3", code, bool(nodes.value), bool(edges.value), count.value)
        driver.ok("cuMemsetD8Async", pointer, 7, c_size_t(BYTES), stream)
    driver.say("cuStreamEndCapture", driver.call("cuStreamEndCapture", stream, byref(graph)), bool(graph.value))
    driver.say("cuStreamDestroy", driver.call("cuStreamDestroy", stream))


def memory(driver: Driver, handle: bytes) -> None:
    """Advise and move managed memory, copy in a batch, and open another process's memory."""
    stream, pointer, opened, at = c_void_p(), c_uint64(), c_uint64(), c_size_t(9)
    driver.ok("cuStreamCreate", byref(stream), NON_BLOCKING)
    driver.ok("cuMemAllocManaged", byref(pointer), c_size_t(BYTES), MANAGED_GLOBAL)
    for device in (0, CPU, NOWHERE):
        code = driver.call("cuMemAdvise", pointer, c_size_t(BYTES), SET_PREFERRED, device)
        driver.say("cuMemAdvise", code)
        driver.say("cuMemPrefetchAsync", driver.call("cuMemPrefetchAsync", pointer, c_size_t(BYTES), device, stream))
    first, second, sizes = (c_uint64 * 2)(), (c_uint64 * 2)(), (c_size_t * 2)(16, 16)
    for copy in range(2):
        driver.ok("cuMemAlloc_v2", byref(first, 8 * copy), c_size_t(BYTES))
        driver.ok("cuMemAlloc_v2", byref(second, 8 * copy), c_size_t(BYTES))
    attributes, indices = (c_int * 6)(1), (c_size_t * 1)(0)
    for source in (second[1], 0):
        second[1] = source
        arrays = first, second, sizes, c_size_t(2), attributes, indices, c_size_t(1)
        code = driver.call("cuMemcpyBatchAsync", *arrays, byref(at), stream)
        driver.say("cuMemcpyBatchAsync", code, at.value)
    for _ in range(2):
        code = driver.call("cuIpcOpenMemHandle", byref(opened), Handle.from_buffer_copy(handle), LAZY_PEER_ACCESS)
        driver.say("cuIpcOpenMemHandle", code, bool(opened.value))


def graphs(driver: Driver) -> None:
    """Add nodes, instantiate a graph with a log, and update it from another one."""
    graph, other, node, executable = c_void_p(), c_void_p(), c_void_p(), c_void_p()
    parameters = (c_int * 64)(EMPTY_NODE)
    for one, nodes in ((graph, 1), (other, 2)):
        driver.ok("cuGraphCreate", byref(one), 0)
        for _ in range(nodes):
            code = driver.call("cuGraphAddNode", byref(node), one, None, c_size_t(0), parameters)
            driver.say("cuGraphAddNode", code, bool(node.value))
    wrong, log, why = c_void_p(1), ctypes.create_string_buffer(b"xxxxxxx"), c_int(-1)
    code = driver.call("cuGraphInstantiate", byref(executable), graph, byref(wrong), log, c_size_t(8))
    driver.say("cuGraphInstantiate", code, bool(executable.value), bool(wrong.value), log.raw[0], log.raw[1])
    for one in (graph, other):
        code = driver.call("cuGraphExecUpdate", executable, one, byref(wrong), byref(why))
        driver.say("cuGraphExecUpdate", code, bool(wrong.value), why.value)


def others(driver: Driver) -> None:
    """Measure time between events, ask for memory at addresses of 32 bits, and search for a function."""
    start, end, milliseconds, found = c_void_p(), c_void_p(), c_float(-1), c_void_p()
    driver.ok("cuEventCreate", byref(start), 0)
    driver.ok("cuEventCreate", byref(end), 0)
    for _ in range(2):
        code = driver.call("cuEventElapsedTime", byref(milliseconds), start, end)
        driver.say("cuEventElapsedTime", code, milliseconds.value >= 0)
        driver.ok("cuEventRecord", start, None)
        driver.ok("cuEventRecord", end, None)
        driver.ok("cuCtxSynchronize")
    driver.say("cuEventDestroy", driver.call("cuEventDestroy", start))
    short = c_uint(9)
    driver.say("cuMemAlloc", driver.call("cuMemAlloc", byref(short), 64), short.value)
    for name in (b"cuCtxCreate", b"cuNothing"):
        code = driver.call("cuGetProcAddress", c_char_p(name), byref(found), 11000, c_uint64(0))
        is_the_form = found.value == ctypes.cast(driver.library.cuCtxCreate_v2, c_void_p).value
        driver.say("cuGetProcAddress", code, is_the_form)


if __name__ == "__main__":
    from fakecuda.reach.remote.client.start import watch

    watch()
    sys.stdout.write("\n".join(answers(bytes.fromhex(sys.argv[1]))) + "\n")
