"""Questions to a real driver that no program of a recording can ask: ``python -m conformance.experiments``.

Each prints what it saw. They need a GPU; namespaces need the rights of ``unshare``.
"""

from __future__ import annotations

import sys
from typing import Any

from conformance.world import POSIX, access
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


def main() -> None:
    """Run every experiment."""
    with Machine() as machine:
        if not machine.device_count:
            sys.exit("no GPU: these questions are for a real driver")
        for experiment in (namespaces, pool_pointer_twice):
            print(experiment.__name__.replace("_", " "))
            for line in experiment(machine):
                print(f"  {line}")


if __name__ == "__main__":
    main()
