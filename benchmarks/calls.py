"""Modelled calls through the look-alike, beside a configured mock.

The yardstick is ``MagicMock(spec=cuda.bindings.driver)`` with return values, which tests without a simulator use. The
mock gets the arguments of the real call and returns its answer. A circle is a list of calls that leaves the world
unchanged, so that each of its calls can be repeated and has its own time.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import MagicMock

from attrs import frozen

from fakecuda import Machine
from fakecuda.model.memory.blocks import UNIT
from fakecuda.reach.bindings.fallback_classes import binding
from tests.bindings.valid import VALID
from tests.bindings.world import SIZE, World

from .effort import EFFORT

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fakecuda import Process

    Args = Callable[[Any, Any], tuple[Any, ...]]
    Circle = dict[str, Args | None]

LIMIT = 0.25
"""Maximum time of a call, relative to the mock's."""
PLAIN = {
    **dict.fromkeys(
        ("cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuCtxGetCurrent", "cuCtxGetDevice"), 0.1
    ),
    **dict.fromkeys(("cuMemGetInfo", "cuMemGetAddressRange"), 0.1),
    **dict.fromkeys(("cuMemAlloc", "cuMemFree", "cuMemAddressReserve", "cuMemAddressFree"), 0.3),
    **dict.fromkeys(("cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap"), 0.3),
}
"""Maximum times of getters and of state-changing calls, relative to a mock without a spec, which takes 0.4 of the other
mock's time."""
SYSTEM = {"cuLaunchHostFunc": 0.5, "cuMemHostRegister": 0.5, "cuStreamAddCallback": 0.5}
"""Calls with their own limit: they wake another thread, or ask the operating system about the caller's memory, because
touching unmapped memory would end the process."""
ROUNDS, CALLS_PER_ROUND = 12, 200
AGAIN = 2
"""Calls in a single round. If a circle does not leave the world unchanged, its second round fails."""

NODES = [
    f"cuGraphAdd{kind}Node" for kind in ("Empty", "Memset", "Memcpy", "Host", "EventRecord", "EventWait", "ChildGraph")
]
"""Calls that add a node to a graph."""
CIRCLES: tuple[Circle, ...] = (
    {"cuMemAlloc": None, "cuMemFree": lambda _, made: (made,)},
    {"cuMemMap": None, "cuMemUnmap": lambda w, _: (w.empty, w.granularity)},
    {"cuMemCreate": None, "cuMemRelease": lambda _, made: (made,)},
    {"cuMemAddressReserve": None, "cuMemAddressFree": lambda w, made: (made, w.granularity)},
    {"cuMemRetainAllocationHandle": None, "cuMemRelease": lambda _, made: (made,)},
    {"cuMemImportFromShareableHandle": None, "cuMemRelease": lambda _, made: (made,)},
    {"cuCtxCreate": None, "cuCtxDestroy": lambda _, made: (made,)},
    {"cuCtxPushCurrent": None, "cuCtxPopCurrent": None},
    {"cuCtxEnablePeerAccess": None, "cuCtxDisablePeerAccess": None},
    {"cuDevicePrimaryCtxRetain": None, "cuDevicePrimaryCtxRelease": None},
    {"cuDevicePrimaryCtxRetain": None, "cuDevicePrimaryCtxReset": None, "cuDevicePrimaryCtxRelease": None},
    {"cuIpcOpenMemHandle": None, "cuIpcCloseMemHandle": lambda _, made: (made,)},
    {"cuMemAllocPitch": None, "cuMemFree": lambda _, made: (made,)},
    {"cuMemAllocManaged": None, "cuMemFree": lambda _, made: (made,)},
    {"cuMemAllocHost": lambda *_: (UNIT,), "cuMemFreeHost": lambda _, made: (made,)},
    {"cuMemHostAlloc": lambda *_: (UNIT, 0), "cuMemFreeHost": lambda _, made: (made,)},
    {"cuMemHostRegister": None, "cuMemHostUnregister": lambda w, _: (w.page,)},
    {"cuCtxAttach": None, "cuCtxDetach": lambda _, made: (made,)},
    {"cuMemAllocAsync": None, "cuMemFreeAsync": lambda _, made: (made, 0)},
    {"cuMemAllocFromPoolAsync": None, "cuMemFreeAsync": lambda _, made: (made, 0)},
    {"cuMemPoolCreate": None, "cuMemPoolDestroy": lambda _, made: (made,)},
    {"cuMemPoolImportFromShareableHandle": None, "cuMemPoolDestroy": lambda _, made: (made,)},
    {"cuMemPoolImportPointer": None, "cuMemFree": lambda _, made: (made,)},
    {"cuEventCreate": None, "cuEventDestroy": lambda _, made: (made,)},
    {"cuIpcOpenEventHandle": None, "cuEventDestroy": lambda _, made: (made,)},
    {"cuStreamCreate": None, "cuStreamDestroy": lambda _, made: (made,)},
    {"cuStreamCreateWithPriority": None, "cuStreamDestroy": lambda _, made: (made,)},
    {"cuStreamSynchronize": None},
    {"cuLaunchHostFunc": lambda w, _: (w.stream, w.function, 0), "cuStreamSynchronize": lambda w, _: (w.stream,)},
    {"cuStreamAddCallback": lambda w, _: (w.stream, w.function, 0, 0), "cuStreamSynchronize": lambda w, _: (w.stream,)},
    {"cuArrayCreate": None, "cuArrayDestroy": lambda _, made: (made,)},
    {"cuArray3DCreate": None, "cuArrayDestroy": lambda _, made: (made,)},
    {"cuMipmappedArrayCreate": None, "cuMipmappedArrayDestroy": lambda _, made: (made,)},
    {"cuModuleLoadData": None, "cuModuleUnload": lambda _, made: (made,)},
    {"cuModuleLoadDataEx": None, "cuModuleUnload": lambda _, made: (made,)},
    {"cuModuleLoadFatBinary": None, "cuModuleUnload": lambda _, made: (made,)},
    {"cuLibraryLoadData": None, "cuLibraryUnload": lambda _, made: (made,)},
    {"cuLinkCreate": None, "cuLinkDestroy": lambda _, made: (made,)},
    {"cuLinkAddData": lambda w, _: (w.new_linker(), *VALID["cuLinkAddData"](w)[1:])},
    {"cuLinkAddFile": lambda w, _: (w.new_linker(), *VALID["cuLinkAddFile"](w)[1:])},
    {"cuLinkComplete": lambda w, _: (w.new_linker(),)},
    {"cuGraphCreate": None, "cuGraphDestroy": lambda _, made: (made,)},
    {"cuGraphClone": None, "cuGraphDestroy": lambda _, made: (made,)},
    {"cuGraphInstantiate": None, "cuGraphExecDestroy": lambda _, made: (made,)},
    *({name: None, "cuGraphDestroyNode": lambda _, made: (made,)} for name in NODES),
    {"cuGraphAddMemFreeNode": lambda w, _: (w.graph, [w.node], 1, w.graph_memory())},
    {"cuGraphRetainUserObject": None, "cuGraphReleaseUserObject": None},
    {"cuUserObjectRetain": None, "cuUserObjectRelease": None},
    {
        "cuGraphAddDependencies": None,
        "cuGraphRemoveDependencies": lambda w, _: (w.graph, [w.node], [w.child], [w.edge], 1),
    },
    {"cuMulticastCreate": None, "cuMemRelease": lambda _, made: (made,)},
    {"cuStreamBeginCapture": None, "cuStreamEndCapture": lambda w, _: (w.stream,)},
    {"cuStreamBeginCaptureToGraph": None, "cuStreamEndCapture": lambda w, _: (w.stream,)},
    {"cuMulticastAddDevice": lambda w, _: (w.new_team(), 0)},
    {"cuMulticastBindMem": None, "cuMulticastUnbind": lambda w, _: (w.multicast, 0, 0, w.granularity)},
    {"cuMulticastBindAddr": None, "cuMulticastUnbind": lambda w, _: (w.multicast, 0, 0, w.granularity)},
    {"cuMemcpyHtoD": lambda w, _: (w.pointer, w.host, SIZE)},
    {"cuMemcpyDtoH": lambda w, _: (w.host, w.pointer, SIZE)},
    {"cuMemcpyDtoD": lambda w, _: (w.pointer, w.pointer, SIZE)},
    {"cuMemcpy": lambda w, _: (w.pointer, w.pointer, SIZE)},
    {"cuMemcpyPeer": lambda w, _: (w.pointer, w.context, w.pointer, w.context, SIZE)},
    {"cuMemcpyHtoDAsync": lambda w, _: (w.pointer, w.host, SIZE, 0)},
    {"cuMemcpyDtoHAsync": lambda w, _: (w.host, w.pointer, SIZE, 0)},
    {"cuMemcpyDtoDAsync": lambda w, _: (w.pointer, w.pointer, SIZE, 0)},
    {"cuMemcpyAsync": lambda w, _: (w.pointer, w.pointer, SIZE, 0)},
    {"cuMemcpyPeerAsync": lambda w, _: (w.pointer, w.context, w.pointer, w.context, SIZE, 0)},
    {"cuMemcpyBatchAsync": lambda w, _: ([w.pointer], [w.pointer], [SIZE], 1, [w.attributes], [0], 1, 2)},
)
"""Circles of calls that undo each other, and calls with other arguments than in ``VALID``, where they do nothing.

A call's arguments come from the world and from the previous call's result; None stands for those in ``VALID``.
Page-locked memory comes in pieces of 512 bytes. With larger pieces, a strict machine, which reuses no address, soon
fills its block of 2 MiB. Then the timing would measure mapping and unmapping blocks.
"""
IMPORTS = {"cuIpcOpenMemHandle", "cuIpcCloseMemHandle", "cuIpcOpenEventHandle"}
"""Calls that another process makes, with the following calls of their circle."""
DESCRIPTORS = {"cuMemExportToShareableHandle", "cuMemGetHandleForAddressRange", "cuMemPoolExportToShareableHandle"}
"""Calls that return a new descriptor."""
REFUSED = {
    "cuArrayGetMemoryRequirements",
    "cuArrayGetPlane",
    "cuArrayGetSparseProperties",
    *(
        f"cuCheckpointProcess{does}"
        for does in ("Checkpoint", "GetRestoreThreadId", "GetState", "Lock", "Restore", "Unlock")
    ),
    "cuDeviceGetLuid",
    "cuLibraryGetUnifiedFunction",
    "cuModuleGetSurfRef",
    "cuModuleGetTexRef",
    "cuMipmappedArrayGetMemoryRequirements",
    "cuMipmappedArrayGetSparseProperties",
}
"""Calls that never succeed on the described machines, arrays and libraries."""


@frozen
class Api:
    """The timed calls of an API.

    Attributes:
        profile: The profile of the machine.
        world: Makes the world of a process.
        valid: Arguments of valid calls.
        circles: Circles of calls that undo each other.
        imports: Calls that another process makes, with the following calls of their circle.
        descriptors: Calls that return a new descriptor.
        refused: Calls that need not succeed.
    """

    profile: str
    world: Callable[[Process], Any]
    valid: dict[str, Callable[[Any], tuple[Any, ...]]]
    circles: tuple[Circle, ...]
    imports: frozenset[str] = frozenset()
    descriptors: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()

    def circle_of(self, name: str) -> Circle:
        """Return the circle of a call; most calls need no other call."""
        return next((circle for circle in self.circles if name in circle), {name: None})


DRIVER = Api(
    "h200-x2",
    lambda process: World(process.driver),
    VALID,
    CIRCLES,
    frozenset(IMPORTS),
    frozenset(DESCRIPTORS),
    frozenset(REFUSED),
)


def circle_of(name: str) -> Circle:
    """Return the circle of a call of the driver API."""
    return DRIVER.circle_of(name)


class LookAlike:
    """A strict machine with its call record, for timing modelled calls.

    It is a context manager.

    Args:
        api: The API of the calls.
    """

    def __init__(self, api: Api = DRIVER) -> None:
        self.api = api
        self.machine = Machine(api.profile)
        self.world: Any = api.world(self.machine.spawn())
        self.importer: Any = api.world(self.machine.spawn()).driver
        self._valid: dict[str, tuple[Any, ...]] = {}

    def __enter__(self) -> Self:
        """Return the machine."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the machine."""
        for name in ("descriptor", "pool_descriptor"):
            if hasattr(self.world, name):
                os.close(getattr(self.world, name))
        self.machine.close()

    def go_round(self, circle: Circle, timed: str) -> tuple[float, Any, tuple[Any, ...]]:
        """Make the calls of a circle once.

        Return the time, the answer and the arguments of one of them.
        """
        taken, answered, given = 0.0, None, ()
        made = None
        for name, make in circle.items():
            args = make(self.world, made) if make else self._arguments(name)
            driver = self.importer if self.api.imports & {name, next(iter(circle))} else self.world.driver
            start = perf_counter()
            answer = getattr(driver, name)(*args)
            end = perf_counter()
            if answer[0] and name not in self.api.refused:
                msg = f"{name} answered {answer[0]!r}"
                raise RuntimeError(msg)
            made = answer[1] if len(answer) > 1 else None
            if name == timed:
                taken, answered, given = end - start, answer, args
            if name in self.api.descriptors:
                os.close(answer[1])
        return taken, answered, given

    def against_the_mock(self, name: str, spec: object = binding) -> tuple[float, float]:
        """Return the times in seconds of a call and of the mock's call.

        The runs alternate, and each time is the best of several rounds.

        Args:
            name: The call.
            spec: The spec of the mock; None for none.
        """
        circle = circle_of(name)
        _, answer, args = self.go_round(circle, name)
        call = mock = float("inf")
        number = EFFORT.of(CALLS_PER_ROUND)
        for _ in range(EFFORT.of(ROUNDS)):
            call = min(call, sum(self.go_round(circle, name)[0] for _ in range(number)))
            mock = min(mock, _mocked(MagicMock(spec=spec), name, answer, args, number))
        return call / number, mock / number

    def round(self, name: str, circle: Circle | None = None) -> float:
        """Return the average time of a call in seconds, in a given circle or its own."""
        circle = circle or self.api.circle_of(name)
        number = EFFORT.of(CALLS_PER_ROUND, AGAIN)
        return sum(self.go_round(circle, name)[0] for _ in range(number)) / number

    def _arguments(self, name: str) -> tuple[Any, ...]:
        if name not in self._valid:
            self._valid[name] = self.api.valid[name](self.world)
        return self._valid[name]


def _mocked(driver: MagicMock, name: str, answer: Any, args: tuple[Any, ...], number: int) -> float:
    """Return the total time of some calls of a new mock.

    A mock with many recorded calls would be slower.
    """
    getattr(driver, name).return_value = answer
    taken = 0.0
    for _ in range(number):
        start = perf_counter()
        getattr(driver, name)(*args)
        taken += perf_counter() - start
    return taken
