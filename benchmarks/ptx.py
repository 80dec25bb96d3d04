"""How many instructions of PTX a second run in plain Python: ``python -m benchmarks.ptx``."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import fakecuda
from fakecuda.kernels.launch import program_of
from fakecuda.kernels.threads import WARP

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
LOOPS = 4000
BODIES = {
    "integers": "mad.lo.u32 %r2, %r2, 5, %r1; xor.b32 %r2, %r2, %r1; add.u32 %r3, %r3, %r2;",
    "floats": "fma.rn.f32 %f0, %f0, %f1, %f1; mul.f32 %f2, %f0, %f1; add.f32 %f2, %f2, %f0;",
    "memory": "ld.global.u32 %r2, [%d0]; add.u32 %r2, %r2, 1; st.global.u32 [%d0], %r2;",
}
"""Three instructions of a loop. Three more count and jump."""
IN_LOOP = 6


def text(body: str) -> str:
    """Return a kernel that repeats instructions."""
    return f"""{HEAD}.visible .entry k(.param .u64 out) {{
.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .f32 %f<3>; ld.param.u64 %d0, [out]; mov.u32 %r1, 0;
mov.f32 %f1, 0f3F800001; L: {body} add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, {LOOPS}; @%p bra L; ret; }}"""


def main() -> None:
    """Print a line for each kind of instruction."""
    for name, body in BODIES.items():
        with fakecuda.Machine("h200", kernels="run") as machine:
            c: Any = machine.spawn().c
            c.cuInit(0)
            c.cuCtxCreate(None, 0, 0)
            data = text(body).encode()
            _, module = c.cuModuleLoadData(data)
            _, function = c.cuModuleGetFunction(module, b"k")
            _, memory = c.cuMemAlloc(4)
            pointer = ctypes.c_uint64(memory)
            places = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
            program_of(data, 90)
            begun = time.process_time()
            (code,) = c.cuLaunchKernel(function, 1, 1, 1, WARP, 1, 1, 0, 0, ctypes.addressof(places), 0)
            spent = time.process_time() - begun
            assert code == 0
        print(f"{name:10}{WARP * LOOPS * IN_LOOP / spent:12,.0f} instructions a second")  # noqa: T201 - a command line


if __name__ == "__main__":
    main()
