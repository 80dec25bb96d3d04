"""Kernels from their PTX by both engines, and as C: ``python -m benchmarks.native_kernels`` needs ``fakecuda[kernels]`` and a C compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import fakecuda
from fakecuda.kernels import grid, launch, lower
from fakecuda.kernels.compiled import cache, engine
from fakecuda.kernels.parse import parsed
from fakecuda.model.code import kernels

from .effort import EFFORT
from .measure import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
void plain(const float *a, const float *b, float *c, int count) {
  for (int i = 0; i < count; i++) c[i] = a[i] + b[i];
}
void product(const float *a, const float *b, float *c, int size) {
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      float sum = 0;
      for (int k = 0; k < size; k++) sum += a[size * i + k] * b[size * k + j];
      c[size * i + j] = sum;
    }
}
"""
"""Loops that add, with a check of each address and without, and a product of matrices."""
BLOCK, TILE = 256, 8
ADDED, MULTIPLIED, LAUNCHED, COMPILED, READ = 6.0, 9.0, 2.6, 30.0, 7.0
"""Limits: a sum and a product as multiples of those in C, a launch as a multiple of one of an empty Python function, and a
kernel's first run, without and with a file, as multiples of a loop in Python."""
STEPS = 20_000


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

    def launch(
        self, name: str, grid: tuple[int, int, int], block: tuple[int, int, int], *args: Any, module: Any = None
    ) -> None:
        """Launch a kernel, of another module than its own if one is given."""
        function = self.c.cuModuleGetFunction(module or self.module, name.encode())[1]
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
    """Return the functions in C. None without a compiler."""
    if shutil.which("cc") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "add.c"), Path(folder, "add.so")
        source.write_text(C)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)  # noqa: S603, S607
        return ctypes.CDLL(str(library))


def vectors(bench: Bench) -> None:
    """Time sums of vectors, by blocks of several sizes: the addresses of a block are checked together."""
    add = compiled()
    for count, block in ((10**6, BLOCK), (10**7, BLOCK), (10**7, 64), (10**7, 1024)):
        places = [bench.ones(count) for _ in range(3)]

        def run(count: int = count, block: int = block, places: list[int] = places) -> None:
            bench.launch("vector_add", (-(-count // block), 1, 1), (block, 1, 1), *places, ctypes.c_int32(count))

        run()
        shown(f"vector_add of {count:,} floats, blocks of {block:,}", seconds(run), *_sums_in_c(add, count))


def _sums_in_c(native: Any, count: int) -> list[str]:
    """Return the times of a sum in C. Empty without a compiler."""
    if native is None:
        return []
    data = [(ctypes.c_float * count)(*[1.0] * count) for _ in range(3)]
    checked = seconds(lambda: native.add(*data, ctypes.c_size_t(4 * count), count))
    plain = seconds(lambda: native.plain(*data, count))
    return [f"C with checks {1000 * checked:.2f} ms", f"without {1000 * plain:.2f} ms"]


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


def reason() -> str:
    """Return why nothing can be measured here. Empty if it can."""
    if not engine.is_installed():
        return "llvmlite is not installed: pip install 'fakecuda[kernels]'"
    return "" if shutil.which("cc") else "there is no C compiler"


def ratios() -> Iterator[tuple[str, float, float]]:
    """Yield what takes how long relative to something else of the same run, with limits."""
    with files(), mock.patch.dict(kernels.MEANINGS):
        bench = Bench()
        yield from _in_c(bench, compiled())
        kept = [bench.ones(16) for _ in range(EFFORT.of(1000, 3))]
        fakecuda.kernel("saxpy", "f32", "u64", "u64", "i32")(lambda *_: None)
        few = ctypes.c_int32(16)
        launches: dict[str, Callable[[], object]] = {
            "run": lambda: bench.launch("vector_add", (1, 1, 1), (16, 1, 1), *kept[:3], few),
            "empty": lambda: bench.launch("saxpy", (1, 1, 1), (16, 1, 1), ctypes.c_float(1), *kept[:2], few),
        }
        taken = in_turn(launches, number=100, repeats=30, timer=time.process_time)
        what = "a launch of 16 threads beside 1,000 allocations / of an empty Python function"
        yield what, taken["run"] / taken["empty"], LAUNCHED
        taken = in_turn(_first_runs(bench), number=1, repeats=15, timer=time.process_time)
        yield "first run of a kernel of 50 instructions / a loop", taken["new"] / taken["loop"], COMPILED
        yield "the same with a file / a loop", taken["file"] / taken["loop"], READ
        bench.machine.close()


def _in_c(bench: Bench, native: Any) -> Iterator[tuple[str, float, float]]:
    """Yield the times of kernels relative to the same in C."""
    count, size = EFFORT.of(10**7, 10**4), EFFORT.of(256, 16)
    a, b, c = (bench.ones(max(count, size * size)) for _ in range(3))
    data = [(ctypes.c_float * max(count, size * size))() for _ in range(3)]
    many, wide = ctypes.c_int32(count), ctypes.c_int32(size)
    tiles = size // TILE, size // TILE, 1
    programs: dict[str, tuple[Callable[[], object], Callable[[], object], float]] = {
        f"vector_add of {count:,} floats": (
            lambda: bench.launch("vector_add", (-(-count // BLOCK), 1, 1), (BLOCK, 1, 1), a, b, c, many),
            lambda: native.add(*data, ctypes.c_size_t(4 * count), count),
            ADDED,
        ),
        f"matmul {size} x {size} by tiles": (
            lambda: bench.launch("matmul", tiles, (TILE, TILE, 1), a, b, c, wide),
            lambda: native.product(*data, size),
            MULTIPLIED,
        ),
    }
    for what, (kernel, loop, limit) in programs.items():
        kernel()
        taken = in_turn({"kernel": kernel, "C": loop}, number=1, repeats=15, timer=time.process_time)
        yield f"{what} / in C", taken["kernel"] / taken["C"], limit


def _first_runs(bench: Bench) -> dict[str, Callable[[], object]]:
    """Return first runs of a kernel of 50 instructions, and a loop."""
    steps = "".join(
        f"xor.b32 %r{one % 5}, %r{(one + 1) % 5}, {one}; add.u32 %r{one % 5}, %r{one % 5}, %r4;\n" for one in range(23)
    )
    text = f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {{
.reg .b32 %r<5>; .reg .b64 %d;
ld.param.u64 %d, [out]; mov.u32 %r0, %tid.x;
{steps}
st.global.u32 [%d], %r0; ret; }}
"""
    numbers = iter(range(1_000_000))
    out = bench.ones(1)

    def run(image: str) -> None:
        engine.native.cache_clear()
        launch.kernel_of.cache_clear()
        launch.program_of.cache_clear()
        module = bench.c.cuModuleLoadData(image.encode())[1]
        bench.launch("k", (1, 1, 1), (1, 1, 1), out, module=module)
        bench.c.cuModuleUnload(module)

    def loop() -> int:
        number = 0
        for step in range(STEPS):
            number = number * 31 + step & 0xFFFF
        return number

    run(text)
    return {"new": lambda: run(f"{text}// {next(numbers)}\n"), "file": lambda: run(text), "loop": loop}


@contextmanager
def files() -> Iterator[None]:
    """Keep compiled code in a folder of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict("os.environ", {cache.OFF: "", cache.FOLDER: folder}),
    ):
        yield


def main() -> None:
    """Print a line for each measure."""
    with files():
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
