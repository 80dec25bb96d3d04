"""Checks before the arguments in every call of the runtime API or of HIP.

It initialises the driver, and makes the context of the thread's device where there is none. Each world breaks one rule of that
for every call that checks it, in the codes of the call's API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.rules.registry import HIP, RUNTIME, Api, api_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.machine.machine import Machine

    Door = Callable[[Machine], Any]

DEFERRED = 128
"""CUDA_ARRAY3D_DEFERRED_MAPPING: the array has no memory yet."""
PROFILES = {RUNTIME: "h200-x2", HIP: "hip-clr-2026"}


def torn_down(machine: Machine) -> Any:
    """Return the calls of a process after its exit handlers."""
    process = machine.spawn()
    process.c.cuInit(0)
    process.begin_exit()
    return process.c


def forked(machine: Machine) -> Any:
    """Return the calls of forks of an initialised process."""
    process = machine.spawn()
    process.c.cuInit(0)
    return process.forked


def prohibited(machine: Machine) -> Any:
    """Return the calls of a process whose devices admit no contexts."""
    for number in range(len(machine.devices)):
        machine.set_compute_mode(number, "PROHIBITED")
    return machine.spawn().c


def exhausted(machine: Machine) -> Any:
    """Return the calls of a process whose devices have no free memory."""
    for number in range(len(machine.devices)):
        machine.exhaust_memory(number)
    return machine.spawn().c


def destroyed(machine: Machine) -> Any:
    """Return the calls of a thread whose driver context another thread has destroyed."""
    process = machine.spawn()
    process.c.cuInit(0)
    _, context = process.c.cuCtxCreate(None, 0, 0)
    process.thread("other").c.cuCtxDestroy(context)
    return process.c


def failed(machine: Machine) -> Any:
    """Return the calls of a process with a sticky error."""
    process = machine.spawn()
    process.c.cuInit(0)
    _, context = process.c.cuDevicePrimaryCtxRetain(0)
    process.c.cuCtxSetCurrent(context)
    machine.poison(process, context, fakecuda.Result.LAUNCH_FAILED)
    return process.c


def failed_elsewhere(machine: Machine) -> Any:
    """Return the calls without a context after another context's work has failed."""
    process = machine.spawn()
    process.c.cuInit(0)
    process.c.cuCtxCreate(None, 0, 0)
    _, array = process.c.cuArray3DCreate((64, 64, 0, 1, 1, DEFERRED))
    process.c.cuMemcpyHtoA(array, 0, bytes(16), 16)
    process.c.cuCtxPopCurrent()
    return process.c


WORLDS: dict[str, tuple[str, int, Door]] = {
    "torn down": ("core.initialized.DRIVER_IS_UP", 4, torn_down),
    "forked": ("core.init.PROCESS_IS_NO_FORK", 3, forked),
    "no device": ("core.init.DEVICE_IS_THERE", 100, lambda machine: machine.spawn(visible_devices="").c),
    "named twice": ("core.init.DEVICES_ARE_NAMED_ONCE", 101, lambda machine: machine.spawn(visible_devices="0,0").c),
}
"""By name: the rule that every call breaks, the code, and a function to the calls."""
IN_A_CONTEXT: dict[str, tuple[str, int, Door]] = {
    "prohibited": ("runtime.active.DEVICE_IS_NOT_PROHIBITED", 46, prohibited),
    "exhausted": ("context.ctx_create.MEMORY_SUFFICES", 2, exhausted),
    "destroyed": ("runtime.active.CONTEXT_IS_ALIVE", 201, destroyed),
    "failed": ("context.current.CONTEXT_IS_SOUND", 719, failed),
    "failed elsewhere": ("runtime.active.PROCESS_HAS_NOT_FAILED", 46, failed_elsewhere),
}
"""Worlds of runtime calls, which create the context before they check arguments."""
OF_BYTES = (
    *("cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpy2D", "cudaMemcpy2DAsync", "cudaMemcpyPeer", "cudaMemcpyPeerAsync"),
    *("cudaMemset", "cudaMemsetAsync", "cudaMemset2D", "cudaMemset2DAsync"),
    *("cudaMalloc", "cudaMallocHost", "cudaMallocManaged", "cudaMallocPitch", "cudaHostAlloc"),
)
"""Copies, memsets and allocations. Those of no bytes succeed in a context that has failed; no card was asked about cudaMemset2DAsync."""
LEFT_OUT = {
    **{call: {"failed"} for call in OF_BYTES},
    "cudaDriverGetVersion": {"torn down"},
    "cudaGetDeviceFlags": {"prohibited", "exhausted", "failed elsewhere"},
    "cudaArrayGetInfo": {"failed"},
    "cudaArrayGetPlane": {"failed"},
    "cudaHostGetDevicePointer": {"prohibited", "exhausted", "failed", "failed elsewhere", "destroyed"},
    "cudaEventDestroy": {"failed"},
    "cudaEventElapsedTime": {"failed"},
    "cudaEventQuery": {"failed"},
    "cudaEventSynchronize": {"failed"},
    "cudaGraphConditionalHandleCreate": {"failed"},
    "cudaLibraryUnload": {"failed"},
}
"""What needs no current context: the flags are told without one, an event and an array have one of their own, and a library
those that use it. A process that ends is left to crash by cudaDriverGetVersion. cudaHostGetDevicePointer looks at its
address first, and cudaGraphConditionalHandleCreate at its graph."""
OF_EVENTS: dict[str, tuple[Any, ...]] = {
    "EventCreate": (),
    "EventCreateWithFlags": (None,),
    "EventDestroy": (0,),
    "EventElapsedTime": (0, 1),
    "EventQuery": (0,),
    "EventRecord": (0, None),
    "EventRecordWithFlags": (0, None, None),
    "EventSynchronize": (0,),
}
"""Calls with events: the index of the event argument; None for 0."""


def empty(api: Api, call: str) -> list[Any]:
    """Return neutral arguments: 0, no bytes, or null."""
    zeros: dict[str, Any] = {"integer": 0, "host": 0, "bytes": bytes(64)}
    return [zeros.get(param.kind) for param in api.calls[call].inputs]


@pytest.mark.parametrize("call", [*RUNTIME.ops, *HIP.ops])
def test_beginning(call: str) -> None:
    """The call returns the code, and names its rule."""
    api = api_of(call)
    worlds = WORLDS | (IN_A_CONTEXT if api is RUNTIME else {})
    found = {}
    for name, (rule, code, door) in worlds.items():
        if name not in LEFT_OUT.get(call, ()) and rule in {one.id for one in api.ops[call].rules}:
            with fakecuda.Machine(PROFILES[api], strict=False) as machine:
                answer = getattr(door(machine), call)(*empty(api, call))[0]
                broken = machine.log[-1].rule
                if (answer, broken and broken.id) != (code, rule):
                    found[name] = answer, broken and broken.id
    assert not found


@pytest.mark.parametrize("name", [f"{prefix}{call}" for prefix in ("cuda", "hip") for call in OF_EVENTS])
def test_events_of_failed_work(name: str) -> None:
    """A query of an event's context returns the sticky error; other calls succeed."""
    api = api_of(name)
    with fakecuda.Machine(PROFILES[api], strict=False) as machine:
        process = machine.spawn()
        prefix = api.prefix
        assert getattr(process.c, f"{prefix}SetDevice")(0)[0] == 0
        events = [getattr(process.c, f"{prefix}EventCreate")()[1] for _ in range(2)]
        for event in events:
            assert getattr(process.c, f"{prefix}EventRecord")(event, 0)[0] == 0
        machine.poison(process, next(iter(process.contexts)), fakecuda.Result.LAUNCH_FAILED)
        arguments = [0 if one is None else events[one] for one in OF_EVENTS[name.removeprefix(prefix)]]
        checks = any(rule.id == "context.current.CONTEXT_IS_SOUND" for rule in api.ops[name].rules)
        assert getattr(process.c, name)(*arguments)[0] == (719 if checks else 0)
