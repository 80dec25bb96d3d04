"""Kernels of images that a linker made of several texts."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

import fakecuda
from fakecuda.model.code.program import Binary, Symbol
from fakecuda.model.os.system import OWN
from tests.model.test_image import cubin

from .world import HEAD, Bench

CUBIN, TEXT = 0, 1
PRIVATE = """.global .align 4 .u32 own = {number};
.func (.param .b32 r) mine () {{ .reg .b32 %r; ld.global.u32 %r, [own]; st.param.b32 [r], %r; ret; }}
.global .align 8 .u64 table[1] = {{mine}};
.visible .func (.param .b32 r) get{number} () {{
  .reg .b64 %d; .reg .b32 %r; .param .b32 s;
  ld.global.u64 %d, [table]; call (s), %d, (), P; P: .callprototype (.param .b32 _) _ ();
  ld.param.b32 %r, [s]; call (s), mine, ();
  st.param.b32 [r], %r; ret; }}
"""
KERNEL = (
    HEAD
    + """.file 1 "first.cu"
.extern .func (.param .b32 r) get5 ();
.extern .func (.param .b32 r) get6 ();
.extern .func (.param .b32 r) better ();
.extern .global .u32 count, strong;
.weak .func (.param .b32 r) both () { st.param.b32 [r], 7; ret; }
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %d; .param .b32 s;
  ld.param.u64 %d, [out];
  call (s), get5, (); ld.param.b32 %r0, [s]; st.global.u32 [%d], %r0;
  call (s), get6, (); ld.param.b32 %r0, [s]; st.global.u32 [%d+4], %r0;
  ld.global.u32 %r0, [count]; st.global.u32 [%d+8], %r0;
  call (s), both, (); ld.param.b32 %r0, [s]; st.global.u32 [%d+12], %r0;
  ld.global.u32 %r0, [strong]; st.global.u32 [%d+16], %r0;
  call (s), better, (); ld.param.b32 %r0, [s]; st.global.u32 [%d+20], %r0;
  ret;
}
"""
)
FIVE = (
    HEAD
    + PRIVATE.format(number=5)
    + """.visible .global .u32 count = 9;
.weak .func (.param .b32 r) both () { st.param.b32 [r], 8; ret; }
.weak .global .u32 strong = 1;
.weak .func (.param .b32 r) better () { st.param.b32 [r], 1; ret; }
"""
)
SIX = (
    HEAD
    + '.file 1 "last.cu"\n'
    + PRIVATE.format(number=6)
    + ".visible .global .u32 strong = 2; .visible .func (.param .b32 r) better () { st.param.b32 [r], 3; ret; }\n"
    + ".visible .entry wrong() {\n.reg .b64 %d;\n.loc 1 77 0\nst.global.u64 [%d], %d; ret; }"
)


def linked(*inputs: bytes, **options: Any) -> Bench:
    """Return a process that has loaded the image of some inputs."""
    bench = Bench(HEAD, **options)
    state = bench.ok(bench.c.cuLinkCreate(0, None, None))
    for data in inputs:
        kind = CUBIN if data.startswith(b"\x7fELF") else TEXT
        bench.ok(bench.c.cuLinkAddData(state, kind, data, len(data), None, 0, None, None))
    _, place, _ = bench.c.cuLinkComplete(state)
    bench.module = bench.ok(bench.c.cuModuleLoadData(place))
    return bench


def test_functions_and_variables_of_other_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    """Equal names of private things stay apart; of weak ones the first counts, if none is strong. A fault names the file of its own input."""
    with linked(*[one.encode() for one in (KERNEL, FIVE, SIX)]) as bench:
        out = bench.memory(bytes(24))
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 6) == [5, 6, 9, 7, 2, 3]
        assert bench.launch("wrong") == 0
        assert bench.sync() == 700
    assert "last.cu:77: st.global.u64" in capsys.readouterr().err


def test_an_input_without_ptx() -> None:
    """Its kernels have no instructions."""
    elf = cubin()[:16] + b"\1\0" + cubin()[18:]
    with linked(elf, (HEAD + ".visible .entry t() { ret; }").encode()) as bench:
        assert bench.launch("t") == 0
        with pytest.raises(fakecuda.KernelNotDefined, match="the image has no PTX of it"):
            bench.launch("k", 0, grid=(2, 1, 1), block=(64, 1, 1))


def test_a_program_that_was_linked_from_object_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """The PTX of its object files runs, although the linked code has code for the device."""
    using = (
        HEAD
        + """.extern .func (.param .b32 r) get ();
    .visible .entry k(.param .u64 out) { .reg .b32 %r; .reg .b64 %d; .param .b32 s;
    ld.param.u64 %d, [out]; call (s), get, (); ld.param.b32 %r, [s]; st.global.u32 [%d], %r; ret; }"""
    )
    other = HEAD + ".visible .func (.param .b32 r) get () { st.param.b32 [r], 41; ret; }"
    host = ctypes.create_string_buffer(8)
    binary = Binary(0, 0, cubin(), parts=[using.encode(), other.encode()])
    monkeypatch.setitem(OWN.program.functions, ctypes.addressof(host), Symbol(binary, "k"))
    with Bench(HEAD) as bench:
        out = bench.memory(bytes(4))
        pointer = ctypes.c_uint64(out)
        places = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
        launch = ctypes.addressof(host), (2, 1, 1), (64, 1, 1), ctypes.addressof(places), 0, 0
        assert bench.c.cudaLaunchKernel(*launch) == (0,)
        assert bench.values(out, "c_uint32", 1) == [41]
