"""Shared parts of kernel tests: a process that launches kernels, and instructions."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Self

import fakecuda
from fakecuda.kernels.lower import meaning_of
from fakecuda.kernels.row import Row

from .engines import Twins

if TYPE_CHECKING:
    from collections.abc import Callable

CLUSTER = 4
"""CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION."""
HEAD = ".version 8.1\n.target sm_90\n.address_size 64\n"


def meaning(text: str, *shapes: int) -> Callable[..., Any]:
    """Return the function of an instruction, as ``add.sat.s32``.

    Args:
        text: The instruction with its modifiers.
        shapes: How many elements each operand has.
    """
    name, *modifiers = text.split(".")
    row = Row.of(name, tuple(f".{one}" for one in modifiers), shapes or (1, 1))
    found = meaning_of(row)
    row.finish()
    return found.function


class Bench:
    """A process that has loaded an image.

    Args:
        image: The image.
        profile: The profile of the machine.
        options: Options of the machine.
    """

    def __init__(self, image: bytes | str, *, profile: str = "h200", **options: Any) -> None:
        self.machine = fakecuda.Machine(profile, **{"kernels": "run"} | options)
        self.twins = Twins()
        if self.machine.ptx is not None:
            self.machine.ptx = self.twins
        self.c: Any = self.machine.spawn().c
        self.ok(self.c.cuInit(0))
        self.context = self.ok(self.c.cuCtxCreate(None, 0, 0))
        data = image.encode() if isinstance(image, str) else image
        self.module = self.ok(self.c.cuModuleLoadData(data))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.machine.close()

    @staticmethod
    def ok(answer: tuple[Any, ...]) -> Any:
        """Return the result of a call that must succeed."""
        assert answer[0] == 0, answer
        return answer[1] if len(answer) > 1 else None

    def memory(self, data: bytes) -> int:
        """Return the address of new memory with some bytes."""
        address = self.ok(self.c.cuMemAlloc(len(data)))
        self.ok(self.c.cuMemcpyHtoD(address, data, len(data)))
        return int(address)

    def array(self, code: str, *values: float) -> int:
        """Return the address of new memory with an array, by a type of ctypes such as ``c_int32``."""
        return self.memory(bytes((getattr(ctypes, code) * len(values))(*values)))

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of memory."""
        data = bytearray(size)
        self.ok(self.c.cuMemcpyDtoH(data, address, size))
        return bytes(data)

    def values(self, address: int, code: str, count: int) -> list[Any]:
        """Return an array in memory."""
        kind = getattr(ctypes, code) * count
        return list(kind.from_buffer_copy(self.read(address, ctypes.sizeof(kind))))

    def launch(  # as the driver's call
        self,
        name: str,
        *args: Any,
        grid: tuple[int, int, int] = (1, 1, 1),
        block: tuple[int, int, int] = (1, 1, 1),
        shared: int = 0,
        cooperative: bool = False,
        cluster: tuple[int, int, int] | None = None,
    ) -> int:
        """Launch a kernel, and return what the call answers; a plain number is a parameter of 8 bytes."""
        function = self.ok(self.c.cuModuleGetFunction(self.module, name.encode()))
        kept = [ctypes.c_uint64(one) if isinstance(one, int) else one for one in args]
        places = (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept))
        pointer = ctypes.addressof(places) if kept else 0
        if cooperative:
            return int(self.c.cuLaunchCooperativeKernel(function, *grid, *block, shared, 0, pointer)[0])
        if cluster is not None:
            config = (*grid, *block, shared, 0, ((CLUSTER, *cluster),))
            return int(self.c.cuLaunchKernelEx(config, function, pointer, 0)[0])
        (code,) = self.c.cuLaunchKernel(function, *grid, *block, shared, 0, pointer, 0)
        return int(code)

    def sync(self) -> int:
        """Return what a wait for the context answers."""
        return int(self.c.cuCtxSynchronize()[0])


def kernel(body: str, before: str = "", params: str = ".param .u64 out") -> str:
    """Return a text with a kernel ``k``: registers %p, %h, %r, %d, %f, %g of all widths, and %d0 as its first parameter."""
    load = "ld.param.u64 %d0, [out];" if ".u64 out" in params else ""
    return f"""{HEAD}{before}
.visible .entry k({params}) {{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>; .reg .f64 %g<9>;
{load}
{body}
ret;
}}
"""


def words(body: str, count: int, *, before: str = "", races: bool = True, **launch: Any) -> list[int]:
    """Return the words that a kernel has written to the memory at %d0."""
    with Bench(kernel(body, before), races=races) as bench:
        out = bench.memory(bytes(4 * count))
        assert bench.launch("k", out, **launch) == 0
        assert bench.sync() == 0
        return bench.values(out, "c_uint32", count)
