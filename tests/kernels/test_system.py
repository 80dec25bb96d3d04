"""System functions: the formats of ``printf``, with arguments in memory, and conditions of graphs."""

from __future__ import annotations

import ctypes
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from fakecuda.errors import KernelError
from fakecuda.kernels.spaces import Flat
from fakecuda.kernels.system import Arguments, formatted
from fakecuda.spec.node_params import CONDITIONAL, pack

from .world import HEAD, Bench


@pytest.mark.parametrize(
    ("form", "layout", "values", "text"),
    [
        ("plain 100%%", "", (), "plain 100%"),
        ("%d %i %u %x %X %o", "<iiIIII", (-5, 6, 7, 255, 255, 8), "-5 6 7 ff FF 10"),
        ("%5d|%-5d|%05d|%+d", "<iiii", (1, 2, 3, 4), "    1|2    |00003|+4"),
        ("%ld %llu %zu", "<qQQ", (-(1 << 40), 1 << 40, 3), f"{-(1 << 40)} {1 << 40} 3"),
        ("%hd %hhu", "<iI", (0x1FFFF, 0x1FF), "-1 255"),
        ("%hd", "<i", (5,), "5"),
        ("%c", "<i", (65,), "A"),
        ("%*d|%.*f", "<iiixxxxd", (4, 7, 2, 1.234), "   7|1.23"),
        ("%f %.1e %g", "<ddd", (1.5, 1234.0, 0.25), "1.500000 1.2e+03 0.25"),
        ("%a", "<d", (1.0,), "0x1.0000000000000p+0"),
        ("%p", "<Q", (0x1234,), "0x1234"),
        ("%d %s", "<ixxxxQ", (1, 200), "1 text"),
    ],
)
def test_formats(form: str, layout: str, values: tuple[float, ...], text: str) -> None:
    """As C prints them."""
    memory = Flat("local", bytearray(256))
    memory.data[200:205] = b"text\0"
    data = struct.pack(layout, *values)
    memory.data[: len(data)] = data
    frame: Any = SimpleNamespace(resolve=lambda address: (memory, address))
    listed = Arguments(frame, 0)
    assert formatted(form, listed) == text
    assert listed.count == len(values)


CONDITION = """
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry set(.param .u64 out, .param .u64 handle) {
  .reg .b64 %d<3>; .reg .b32 %r<3>; .reg .pred %p; .param .b64 a; .param .b32 b;
  ld.param.u64 %d0, [out]; ld.param.u64 %d1, [handle]; mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;
  ld.global.u32 %r0, [%d0]; add.u32 %r0, %r0, 1; st.global.u32 [%d0], %r0; sub.u32 %r0, 5, %r0;
  st.param.b64 [a], %d1; st.param.b32 [b], %r0; call.uni cudaGraphSetConditional, (a, b); ret; }
"""


def test_a_kernel_ends_a_loop_of_its_graph() -> None:
    """By cudaGraphSetConditional, which the driver links. The kernel's graph must have the condition."""
    with Bench(HEAD + CONDITION) as bench:
        c, out = bench.c, bench.array("c_uint32", 0)
        graph = bench.ok(c.cuGraphCreate(0))
        condition = bench.ok(c.cuGraphConditionalHandleCreate(graph, bench.context, 1, 1))
        loop = pack(CONDITIONAL, (condition, 1, 1, 0, bench.context))
        _, (body,) = c.cuGraphAddNode(graph, None, None, 0, loop)[1:]
        arguments = ctypes.c_uint64(out), ctypes.c_uint64(condition)
        places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
        function = bench.ok(c.cuModuleGetFunction(bench.module, b"set"))
        node = function, 1, 1, 1, 32, 1, 1, 0, ctypes.addressof(places), 0, 0, 0
        bench.ok(c.cuGraphAddKernelNode(body, None, 0, node))
        bench.ok(c.cuGraphLaunch(bench.ok(c.cuGraphInstantiate(graph, 0)), 0))
        assert bench.values(out, "c_uint32", 1) == [5]
        with pytest.raises(KernelError, match=f"sets a condition, and {condition} is not the handle of a condition"):
            bench.launch("set", out, condition, block=(32, 1, 1))
