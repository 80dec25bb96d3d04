"""Experiments on a real driver that recorded programs cannot make.

Each prints what it saw; names of some on the command line leave out the others. They need a GPU; namespaces need the
rights of ``unshare``.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING, Any

from conformance.kit.world import GRANULE, POSIX, access, pinned
from fakecuda.spec.codes import name_of
from realcuda import Machine
from realcuda.cudart import load

if TYPE_CHECKING:
    from collections.abc import Callable

POOL = (1, POSIX, (1, 0), 0, 0, 0)
"""A CUmemPoolProps for pinned memory of device 0, exportable by descriptor."""
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
"""Values of CUDA_VISIBLE_DEVICES to try."""


def made(answer: tuple[Any, ...]) -> Any:
    """Return the result of a call that an experiment needs.

    Raises:
        RuntimeError: It failed.
    """
    if answer[0]:
        msg = f"a call that the experiment needs answered {name_of(answer[0])}"
        raise RuntimeError(msg)
    return answer[1] if len(answer) > 1 else None


def context(process: Any) -> Any:
    """Return the calls of a process after cuInit and cuCtxCreate."""
    made(process.c.cuInit(0))
    made(process.c.cuCtxCreate(None, 0, 0))
    return process.c


def namespaces(machine: Machine) -> list[str]:
    """Test whether IPC handles open in processes of other namespaces."""
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
    """Test a pool pointer that is imported twice, and its first free."""
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
    """Test which devices each CUDA_VISIBLE_DEVICES value selects."""
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
    """Query the ids of streams and contexts, which recordings leave out."""
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
    """Test runtime calls in a process without devices."""
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


def _apart(addresses: list[int]) -> str:
    return " ".join(f"{address - addresses[0]:+#x}" for address in addresses)


MEMORY: tuple[tuple[str, Callable[[Any, int], Any], Callable[[Any, int, int], Any]], ...] = (
    (
        "reservations",
        lambda c, size: c.cuMemAddressReserve(size, 0, 0, 0),
        lambda c, at, size: c.cuMemAddressFree(at, size),
    ),
    ("linear memory", lambda c, size: c.cuMemAlloc(size), lambda c, at, _: c.cuMemFree(at)),
    ("managed memory", lambda c, size: c.cuMemAllocManaged(size, 1), lambda c, at, _: c.cuMemFree(at)),
    ("page-locked memory", lambda c, size: c.cuMemAllocHost(size), lambda c, at, _: c.cuMemFreeHost(at)),
    ("memory of the pool", lambda c, size: c.cuMemAllocAsync(size, 0), lambda c, at, _: c.cuMemFreeAsync(at, 0)),
)
"""Kinds of memory with their allocation and free functions."""


def places(machine: Machine) -> list[str]:
    """Test the addresses of consecutive and of reused allocations."""
    lines = []
    for what, make, end in MEMORY:
        for size in (512, 4096, GRANULE, 4 * GRANULE, 16 * GRANULE):
            if what == "reservations" and size < GRANULE:
                continue
            process = machine.spawn()
            c = context(process)
            first = [made(make(c, size)) for _ in range(6)]
            for number in (1, 3, 4):
                made(end(c, first[number], size))
            made(c.cuCtxSynchronize())
            again = [made(make(c, size)) for _ in range(4)]
            half = [made(make(c, max(size // 2, GRANULE if what == "reservations" else 1))) for _ in range(2)]
            lines.append(f"{what} of {size}: {_apart(first)}; 1, 3 and 4 freed: {_apart([first[0], *again, *half])}")
            process.kill()
    return lines


def past_a_reservation(machine: Machine) -> list[str]:
    """Test addresses after a mapping past the end of its reservation."""
    lines = []
    for granules, wanted in ((2, 0), (4, 0), (4, 1), (32, 0)):
        process = machine.spawn()
        c = context(process)
        ptr = made(c.cuMemAddressReserve(GRANULE, 0, 0, 0))
        handle = made(c.cuMemCreate(granules * GRANULE, pinned(), 0))
        code = c.cuMemMap(ptr, granules * GRANULE, 0, handle, 0)[0]
        later = [ptr]
        for number in range(4):
            answer = c.cuMemAddressReserve(GRANULE, 0, ptr + number * GRANULE if wanted else 0, 0)
            later.append(answer[1] if not answer[0] else ptr)
        later += [made(c.cuMemAlloc(GRANULE)) for _ in range(2)]
        told = c.cuMemGetAddressRange(ptr + GRANULE)
        lines.append(
            f"{granules} granules in one: {name_of(code)}; the next four, two allocations: {_apart(later)}; {told}"
        )
        process.kill()
    return lines


def rest_of(buffer: ctypes.Array[ctypes.c_char], size: int) -> str:
    """Return what a call left in a buffer filled with 0xFF."""
    raw = bytes(buffer)
    text = raw.split(b"\0")[0]
    tail = raw[len(text) :]
    return f"{len(text)} characters, then {tail[: size - len(text)].count(0)} zeros of {size - len(text)}, {tail.count(0)} in all"


def buffers(machine: Machine) -> list[str]:  # noqa: ARG001 - libraries are called here
    """Test the bytes behind a name in the caller's buffer."""
    driver, runtime = ctypes.CDLL("libcuda.so.1"), load()
    made((driver.cuInit(0),))
    lines = []
    asked: tuple[tuple[str, Callable[[Any, int], int]], ...] = (
        ("cuDeviceGetName", lambda room, size: driver.cuDeviceGetName(room, size, 0)),
        ("cuDeviceGetPCIBusId", lambda room, size: driver.cuDeviceGetPCIBusId(room, size, 0)),
        ("cudaDeviceGetPCIBusId", lambda room, size: runtime.cudaDeviceGetPCIBusId(room, size, 0)),
    )
    for name, ask in asked:
        for size in (1, 2, 5, 12, 13, 14, 20, 64, 256, 1024):
            room = ctypes.create_string_buffer(b"\xff" * 1100, 1100)
            lines.append(f"{name}, {size} bytes: {ask(room, size)}, {rest_of(room, size)}")
    room = ctypes.create_string_buffer(b"\xff" * 4096, 4096)
    code = runtime.cudaGetDeviceProperties_v2(room, 0) if hasattr(runtime, "cudaGetDeviceProperties_v2") else -1
    lines.append(f"cudaGetDeviceProperties_v2: {code}, {rest_of(room, 256)}")
    return lines


NULL = """
import sys
from cuda.bindings import driver, runtime
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
say = lambda *what: print(*what, flush=True)
call = sys.argv[1]
if call == "cuLaunchHostFunc": say(driver.cuLaunchHostFunc(0, {null}, 0))
if call == "cuStreamAddCallback": say(driver.cuStreamAddCallback(0, {null_callback}, 0, 0))
if call == "cudaLaunchHostFunc": say(runtime.cudaLaunchHostFunc(0, {null_runtime}, 0))
if call == "cudaStreamAddCallback": say(runtime.cudaStreamAddCallback(0, {null_runtime_callback}, 0, 0))
say(driver.cuStreamQuery(0))
say(driver.cuCtxSynchronize())
"""


def null_functions(machine: Machine) -> list[str]:  # noqa: ARG001 - cuda.bindings are called here
    """Test null callbacks in cuda.bindings, and the crash of their process."""
    lines = []
    for null in ("None", "0", "of the type"):
        text = NULL
        for place, kind in (
            ("{null}", "driver.CUhostFn()"),
            ("{null_callback}", "driver.CUstreamCallback()"),
            ("{null_runtime}", "runtime.cudaHostFn_t()"),
            ("{null_runtime_callback}", "runtime.cudaStreamCallback_t()"),
        ):
            text = text.replace(place, kind if null == "of the type" else null)
        for call in ("cuLaunchHostFunc", "cuStreamAddCallback", "cudaLaunchHostFunc", "cudaStreamAddCallback"):
            done = subprocess.run(  # noqa: S603 - the interpreter, with the program above
                [sys.executable, "-c", text, call], capture_output=True, text=True, timeout=60, check=False
            )
            told = " / ".join([*done.stdout.split("\n"), *done.stderr.strip().split("\n")[-1:]])
            lines.append(f"{call} with {null}: status {done.returncode}, {told}")
    return lines


EXPERIMENTS: tuple[Callable[[Machine], list[str]], ...] = (
    *(visible, without_devices, numbers_of_streams, pool_pointer_twice, namespaces),
    *(places, past_a_reservation, null_functions, buffers),
)


def main() -> None:
    """Run experiments."""
    parser = argparse.ArgumentParser(prog="python -m conformance.record.experiments", description="ask a driver")
    parser.add_argument("names", nargs="*", help="which; all without any")
    parser.add_argument("--library", help="another library, as realcuda.Machine takes it")
    options = parser.parse_args()
    if unknown := set(options.names) - {one.__name__ for one in EXPERIMENTS}:
        parser.error(f"there is no experiment {min(unknown)!r}")
    with Machine(library=options.library) as machine:
        if not machine.device_count:
            sys.exit("no GPU: these questions are for a real driver")
        for experiment in EXPERIMENTS:
            if options.names and experiment.__name__ not in options.names:
                continue
            print(experiment.__name__.replace("_", " "))
            try:
                lines = experiment(machine)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                lines = [f"it ended early: {error}"]
            for line in lines:
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
