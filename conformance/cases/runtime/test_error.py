"""The last error of a thread, and the names of codes.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import event, stream
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

last = Entry.of("cudaGetLastError")
peek = Entry.of("cudaPeekAtLastError")
name = Entry.of("cudaGetErrorName", lambda _: (1,))
text = Entry.of("cudaGetErrorString", lambda _: (1,))


@last.world("NO_CALL_HAS_FAILED")
@peek.world("NO_CALL_HAS_FAILED")
def failed(_w: World, i: Invocation) -> None:
    i.c.cudaSetDevice(99)


last.answers_inside()
peek.answers_inside()
for one in (last, peek):
    one.answering("NO_CALL_HAS_FAILED", code=Result.INVALID_DEVICE)
for one in (name, text):
    for code in (0, 2, 47, 100, 700, 999, 12345, -1):
        one.also(f"code-{code}", error=code)


@last.also("it is forgotten", code=0)
def forgotten(_w: World, i: Invocation) -> None:
    i.c.cudaSetDevice(99)
    i.run()


@peek.also("it stays", rule="NO_CALL_HAS_FAILED", code=Result.INVALID_DEVICE)
def stays(_w: World, i: Invocation) -> None:
    i.c.cudaSetDevice(99)
    i.run()


@last.also("a success does not clear it", rule="NO_CALL_HAS_FAILED", code=Result.INVALID_DEVICE)
def success(_w: World, i: Invocation) -> None:
    i.c.cudaSetDevice(99)
    i.process.ok.cudaGetDevice()


@last.also("calls of the driver API are none")
def driver(_w: World, i: Invocation) -> None:
    assert i.c.cuMemAlloc(0) == (Result.INVALID_VALUE, None)


@last.also("of another thread")
def another(w: World, i: Invocation) -> None:
    thread = i.process.thread(w.thread_name())
    assert thread.c.cudaSetDevice(99) == (Result.INVALID_DEVICE,)


@last.also("peer access that is enabled twice", rule="NO_CALL_HAS_FAILED", code=Result.PEER_ACCESS_ALREADY_ENABLED)
def lingers(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    a = i.process
    w.needs(a.ok.cudaDeviceCanAccessPeer(0, 1), "peer access")
    a.ok.cudaDeviceEnablePeerAccess(1, 0)
    assert a.c.cudaDeviceEnablePeerAccess(1, 0) == (Result.PEER_ACCESS_ALREADY_ENABLED,)


@last.also("a failure is no failure of the next call")
def nothing(_w: World, i: Invocation) -> None:
    i.c.cudaFree(5)
    i.run()
    event(i.process)
    stream(i.process)


@last.after("twice")
def twice(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.run() == (0,)


test_error = suite(last, peek, name, text)
