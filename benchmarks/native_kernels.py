"""Kernels from their PTX by both engines, and as C: ``python -m benchmarks.native_kernels`` needs ``fakecuda[kernels]`` and a C compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import fakecuda
from fakecuda.kernels import grid, lower
from fakecuda.kernels.compiled import cache, engine
from fakecuda.kernels.parse import parsed

if TYPE_CHECKING:
    from collections.abc import Callable

PTX = Path(__file__).parents[1] / "tests/kernels/programs/kernels.ptx"
C = r"""
#include <stddef.h>
static int outside(size_t at, size_t size) { return at > size - 4 || at & 3; }
int add(const char *a, const char *b, char *c, size_t size, int count) {
  for (int i = 0; i < count; i++) {
    size_t at = 4 * (size_t)i;
    if (outside(at, size)) return 1;
    *(float *)(c + at) = *(const float *)(a + at) + *(const float *)(b + at);
  }
  return 0;
}
"""
"""A loop that adds, with a check of each address."""
BLOCK, TILE = 256, 8


class Bench:
    """A process that has loaded the kernels."""

    def __init__(self) -> None:
        self.machine = fakecuda.Machine("h200", kernels="run")
        self.c: Any = self.machine.spawn().c
        self.c.cuInit(0)
        self.c.cuCtxCreate(None, 0, 0)
        self.module = self.c.cuModuleLoadData(PTX.read_bytes())[1]

    def ones(self, count: int) -> int:
        """Return memory with floats."""
        address = int(self.c.cuMemAlloc(4 * count)[1])
        self.c.cuMemsetD32(address, 0x3F800000, count)
        return address

    def launch(self, name: str, grid: tuple[int, int, int], block: tuple[int, int, int], *args: Any) -> None:
        """Launch a kernel."""
        function = self.c.cuModuleGetFunction(self.module, name.encode())[1]
        kept = [ctypes.c_uint64(one) if isinstance(one, int) else one for one in args]
        places = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
        (code,) = self.c.cuLaunchKernel(function, *grid, *block, 0, 0, ctypes.addressof(places), 0)
        assert code == 0


def seconds(act: Callable[[], object], times: int = 3) -> float:
    """Return the least processor time of some runs."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        act()
        found.append(time.process_time() - begun)
    return min(found)


def shown(what: str, native: float, *others: str) -> None:
    """Print a line."""
    print(f"{what:48}{1000 * native:10.2f} ms  {', '.join(others)}")  # noqa: T201 - a command line


def compiled() -> Any:
    """Return the loop in C. None without a compiler."""
    if shutil.which("cc") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "add.c"), Path(folder, "add.so")
        source.write_text(C)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)  # noqa: S603, S607
        return ctypes.CDLL(str(library)).add


def vectors(bench: Bench) -> None:
    """Time sums of vectors."""
    add = compiled()
    for count in (10**6, 10**7):
        a, b, c = (bench.ones(count) for _ in range(3))

        def run(count: int = count, places: tuple[int, ...] = (a, b, c)) -> None:
            bench.launch("vector_add", (-(-count // BLOCK), 1, 1), (BLOCK, 1, 1), *places, ctypes.c_int32(count))

        run()
        others = []
        if add is not None:
            data = [(ctypes.c_float * count)() for _ in range(3)]
            loop = seconds(lambda data=data, count=count: add(*data, ctypes.c_size_t(4 * count), count))  # type: ignore[misc]
            others.append(f"C {1000 * loop:.2f} ms")
        shown(f"vector_add of {count:,} floats", seconds(run), *others)


def products(bench: Bench) -> None:
    """Time a product of matrices by tiles, with barriers."""
    size = 256
    places = [bench.ones(size * size) for _ in range(3)]

    def run() -> None:
        bench.launch("matmul", (size // TILE, size // TILE, 1), (TILE, TILE, 1), *places, ctypes.c_int32(size))

    run()
    shown(f"matmul {size} x {size} by tiles of {TILE} x {TILE}", seconds(run))


def in_python(bench: Bench) -> None:
    """Time both engines on a small vector."""
    count = 20_000
    places = [bench.ones(count) for _ in range(3)]

    def run() -> None:
        bench.launch("vector_add", (-(-count // BLOCK), 1, 1), (BLOCK, 1, 1), *places, ctypes.c_int32(count))

    native = seconds(run)
    with mock.patch.object(engine, "native", return_value=None):
        slow = seconds(run, 1)
    shown(f"vector_add of {count:,} floats", native, f"plain Python {1000 * slow:,.0f} ms")


def main() -> None:
    """Print a line for each measure."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict("os.environ", {cache.OFF: "", cache.FOLDER: folder}),
    ):
        bench = Bench()
        program = parsed(PTX.read_text())
        for name in ("vector_add", "matmul"):
            kernel = lower.lowered(program, name)
            number = sum(len(piece.instructions) for piece in kernel.codes[name].pieces)
            engine.library()

            def make(kernel: Any = kernel) -> None:
                engine.native.cache_clear()
                engine.native(kernel, grid.TURN)

            program.digest = ""
            new = seconds(make)
            program.digest = "of the text"
            make()
            shown(f"compile {name}, {number} instructions", new, f"from a file {1e3 * seconds(make):.2f} ms")
        in_python(bench)
        vectors(bench)
        products(bench)
        kept = [bench.ones(16) for _ in range(1000)]
        shown(
            "launch of 16 threads beside 1,000 allocations",
            seconds(lambda: bench.launch("vector_add", (1, 1, 1), (16, 1, 1), *kept[:3], ctypes.c_int32(16)), 20),
        )
        bench.machine.close()


if __name__ == "__main__":
    main()
