"""Questions to a real driver that no program of a recording can ask: ``python -m conformance.record.experiments``.

Each prints what it saw. They need a GPU; namespaces need the rights of ``unshare``.
"""

from __future__ import annotations

import sys
import uuid
from typing import Any

from conformance.kit.world import POSIX, access
from fakecuda.codes import name_of
from realcuda import Machine

POOL = (1, POSIX, (1, 0), 0, 0, 0)
"""CUmemPoolProps: pinned memory of device 0 whose handle is a descriptor."""
NAMESPACES = {
    "none of its own": (),
    "PID, with its own /proc": ("unshare", "--fork", "--pid", "--mount-proc"),
    "PID, with the host's /proc": ("unshare", "--fork", "--pid"),
    "IPC": ("unshare", "--ipc"),
    "network": ("unshare", "--net"),
    "mount": ("unshare", "--mount"),
    "UTS": ("unshare", "--uts"),
}
SIZE = 4096
VISIBLE = (
    *("0", "1", "1,0", "0,0", "0,1,0", "0,x,1", "x,0", "0,-1,1", "-1", "0,9,1", "9", "", " ", " 1 , 0 ", "0 1", "0;1"),
    *("00", "+0", "0x0", "0.0", "0,", ",0", "1x,0", "NoDevFiles", "GPU-", "MIG-", "GPU-0", "-0", "0,,1"),
)
"""Values of CUDA_VISIBLE_DEVICES."""


def made(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401 - a plain value
    """Return the result of a call that an experiment needs.

    Raises:
        RuntimeError: It failed.
    """
    if answer[0]:
        msg = f"a call that the experiment needs answered {name_of(answer[0])}"
        raise RuntimeError(msg)
    return answer[1] if len(answer) > 1 else None


def context(process: Any) -> Any:  # noqa: ANN401 - a process of either kind
    """Return the calls of a process after cuInit and cuCtxCreate on device 0."""
    made(process.c.cuInit(0))
    made(process.c.cuCtxCreate(None, 0, 0))
    return process.c


def namespaces(machine: Machine) -> list[str]:
    """Ask whether the legacy handles of memory and events open in processes of other namespaces."""
    exporter = context(machine.spawn())
    memory = made(exporter.cuIpcGetMemHandle(made(exporter.cuMemAlloc(SIZE))))
    event = made(exporter.cuIpcGetEventHandle(made(exporter.cuEventCreate(6))))
    lines = []
    for name, prefix in NAMESPACES.items():
        try:
            process = machine.spawn(prefix=prefix)
        except RuntimeError as error:
            lines.append(f"{name}: no such process ({error})")
            continue
        codes = [process.c.cuInit(0)[0]]
        if not codes[0]:
            made(process.c.cuCtxCreate(None, 0, 0))
            codes += [process.c.cuIpcOpenMemHandle(memory, 1)[0], process.c.cuIpcOpenEventHandle(event)[0]]
        told = zip(("cuInit", "cuIpcOpenMemHandle", "cuIpcOpenEventHandle"), codes, strict=False)
        lines.append(f"{name}: {', '.join(f'{call} {name_of(code)}' for call, code in told)}")
        process.kill()
    return lines


def pool_pointer_twice(machine: Machine) -> list[str]:
    """Ask what a pool's pointer is that is imported twice, and what remains of it after the first free."""
    exporter, importer = context(machine.spawn()), context(machine.spawn())
    pool = made(exporter.cuMemPoolCreate(POOL))
    shared = made(exporter.cuMemPoolExportToShareableHandle(pool, POSIX, 0))
    data = made(exporter.cuMemPoolExportPointer(made(exporter.cuMemAllocFromPoolAsync(SIZE, pool, 0))))
    mine = made(importer.cuMemPoolImportFromShareableHandle(shared, POSIX, 0))
    made(importer.cuMemPoolSetAccess(mine, (access(),), 1))
    pointers = [made(importer.cuMemPoolImportPointer(mine, data)) for _ in range(2)]
    lines = [f"the two imports give {'one address' if len(set(pointers)) == 1 else 'two addresses'}"]
    for number, pointer in enumerate(pointers, 1):
        read = importer.cuMemcpyDtoH(bytearray(4), pointers[1], 4)[0]
        freed = importer.cuMemFreeAsync(pointer, 0)[0]
        lines.append(f"before free {number}: a read answers {name_of(read)}; free {number} answers {name_of(freed)}")
        made(importer.cuCtxSynchronize())
    return lines


def visible(machine: Machine) -> list[str]:
    """Ask which devices each value of CUDA_VISIBLE_DEVICES leaves, by their ordinals without it."""
    first = machine.spawn()
    made(first.c.cuInit(0))
    uuids = [made(first.c.cuDeviceGetUuid(number)) for number in range(machine.device_count)]
    named = [f"GPU-{uuid.UUID(bytes=one)}" for one in uuids]
    first.kill()
    lines = []
    for value in (*VISIBLE, *named, named[0][:8], named[0].upper(), f"{named[0]},0", f"0,{named[0]}", named[0][4:]):
        process = machine.spawn(environ={"CUDA_VISIBLE_DEVICES": value})
        code = process.c.cuInit(0)[0]
        seen = made(process.c.cuDeviceGetCount()) if not code else 0
        found = [uuids.index(made(process.c.cuDeviceGetUuid(number))) for number in range(seen)]
        told = value.replace(named[0], "GPU-<the first's>")
        lines.append(f"{told!r}: cuInit answers {name_of(code)}, devices {found}")
        process.kill()
    return lines


def numbers_of_streams(machine: Machine) -> list[str]:
    """Ask the ids of streams and contexts, of which recordings keep no value."""
    process = machine.spawn()
    c = context(process)
    lines = []
    for round_ in ("the first context", "a second one", "the second one, from another thread"):
        door = process.thread("second").c if "thread" in round_ else c
        if round_ != "the first context":
            held = made(c.cuCtxCreate(None, 0, 0)) if "thread" not in round_ else made(c.cuCtxGetCurrent())
            made(door.cuCtxSetCurrent(held))
        streams = [0, 1, 2, *(made(door.cuStreamCreate(flags)) for flags in (0, 1, 0))]
        numbers = [made(door.cuStreamGetId(one)) for one in streams]
        lines.append(f"{round_}: id {made(door.cuCtxGetId(0))}, of streams 0, 1, 2 and three created ones {numbers}")
    return lines


def without_devices(machine: Machine) -> list[str]:
    """Ask what calls of the runtime API answer, and leave as the last error, in a process that sees no device."""
    calls: tuple[tuple[str, tuple[Any, ...]], ...] = (
        *(("cudaGetDeviceCount", ()), ("cudaGetDevice", ()), ("cudaSetDevice", (0,)), ("cudaGetDeviceFlags", ())),
        *(("cudaSetDeviceFlags", (0,)), ("cudaDeviceSynchronize", ()), ("cudaDeviceReset", ()), ("cudaFree", (0,))),
        *(("cudaMalloc", (SIZE,)), ("cudaMalloc", (0,)), ("cudaHostAlloc", (SIZE, 0)), ("cudaEventCreate", ())),
        *(("cudaStreamCreate", ()), ("cudaDeviceCanAccessPeer", (0, 1)), ("cudaDeviceEnablePeerAccess", (1, 0))),
        *(("cudaDeviceDisablePeerAccess", (1,)), ("cudaDeviceGetAttribute", (1, 0)), ("cudaDriverGetVersion", ())),
        *(("cudaRuntimeGetVersion", ()), ("cudaPointerGetAttributes", (0,)), ("cudaDeviceGetLimit", (0,))),
        *(("cudaGetErrorName", (100,)), ("cudaDeviceGetDefaultMemPool", (0,)), ("cudaMemGetInfo", ())),
        *(("cudaGetDriverEntryPoint", (b"cuInit", 0)), ("cudaIpcOpenMemHandle", (bytes(64), 1))),
    )
    lines = []
    for name, arguments in calls:
        process = machine.spawn(environ={"CUDA_VISIBLE_DEVICES": "-1"})
        answer = getattr(process.c, name)(*arguments)
        left = process.c.cudaPeekAtLastError()
        lines.append(
            f"{name}{arguments}: {answer}, last error {left[0]}, again {getattr(process.c, name)(*arguments)[0]}"
        )
        process.kill()
    return lines


def main() -> None:
    """Run every experiment; an argument names another library, as realcuda.Machine takes it."""
    with Machine(library=sys.argv[1] if sys.argv[1:] else None) as machine:
        if not machine.device_count:
            sys.exit("no GPU: these questions are for a real driver")
        for experiment in (visible, without_devices, numbers_of_streams, pool_pointer_twice, namespaces):
            print(experiment.__name__.replace("_", " "))
            try:
                lines = experiment(machine)
            except (RuntimeError, OSError) as error:
                lines = [f"it ended early: {error}"]
            for line in lines:
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
