"""Kernels of images that a linker made of several texts."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import pytest

import fakecuda
from fakecuda.model.code.image import image_at
from fakecuda.model.code.program import Binary, Symbol
from fakecuda.model.os.system import OWN
from tests.model.test_image import cubin, fatbin

from .world import HEAD, Bench

CUBIN, TEXT, OBJECT, LIBRARY = 0, 1, 3, 4
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
        kind = LIBRARY if data.startswith(b"!<arch>") else CUBIN if data.startswith(b"\x7fELF") else TEXT
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


def test_functions_that_are_declared_in_other_words() -> None:
    """A caller may have another sign, alignment or kind of variable, and any prototype of what it does not call."""
    caller = """.extern .func (.param .u32 r) sum(.param .align 4 .b8 a[8], .param .s64 b);
.extern .func (.param .b64 r) uncalled(.param .f32 a);
.visible .entry k(.param .u64 out) { .reg .b64 %d; .reg .b32 %r; .param .align 4 .b8 a[8]; .param .b64 b; .param .b32 s;
ld.param.u64 %d, [out]; st.param.b32 [a], 40; st.param.b32 [a+4], 1; st.param.b64 [b], -2; call (s), sum, (a, b);
ld.param.b32 %r, [s]; st.global.u32 [%d], %r; ret; }"""
    callee = """.visible .func (.param .s32 r) sum(.param .align 8 .b8 a[8], .param .u64 b) { .reg .b64 %d; .reg .b32 %r<4>; .reg .s64 %h;
ld.param.b64 %d, [a]; mov.b64 {%r0, %r1}, %d; ld.param.u64 %h, [b]; cvt.u32.u64 %r2, %h;
add.s32 %r0, %r0, %r1; add.s32 %r0, %r0, %r2; st.param.b32 [r], %r0; ret; }
.visible .func uncalled() { ret; }"""
    for inputs in ((caller, callee), (callee, caller)):
        with linked(*[(HEAD + one).encode() for one in inputs]) as bench:
            out = bench.memory(bytes(4))
            assert bench.launch("k", out) == 0
            assert bench.values(out, "c_uint32", 1) == [39]
            assert bench.twins.compared == 1


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


def host_object(*fatbins: bytes, section: bytes = b"__nv_relfatbin") -> bytes:
    """Return an object file of the host with device code in a section."""
    names = b"\0.shstrtab\0" + section + b"\0"
    code = b"".join(one + bytes(-len(one) % 8) for one in fatbins)
    rows = (0, 0, 0, 0), (1, 3, 64, len(names)), (11, 1, 64 + len(names), len(code))
    table = 64 + len(names) + len(code)
    head = struct.pack("<4s12xHHIQQQIHHHHHH", b"\x7fELF", 1, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, len(rows), 1)
    sections = b"".join(
        struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, size, 0, 0, 8, 0) for name, kind, at, size in rows
    )
    return head + names + code + sections


def archive(*members: bytes) -> bytes:
    """Return an archive of files."""
    rows = (f"{'a.o/':16}{0:<12}{0:<6}{0:<6}{644:<8}{len(one):<10}`\n".encode() + one for one in members)
    return b"!<arch>\n" + b"".join(row + b"\n" * (len(row) % 2) for row in rows)


def ptx_fatbin(text: str) -> bytes:
    """Return a fatbin with PTX."""
    return fatbin((1, 70, text.encode() + b"\0", 0))


USING = (
    HEAD
    + """.extern .func (.param .b32 r) get ();
.visible .entry k(.param .u64 out) { .reg .b32 %r; .reg .b64 %d; .param .b32 s;
ld.param.u64 %d, [out]; call (s), get, (); ld.param.b32 %r, [s]; st.global.u32 [%d], %r; ret; }"""
)
GET = HEAD + ".visible .func (.param .b32 r) get () { st.param.b32 [r], 41; ret; }"
SYNC = (
    HEAD
    + """.extern .func (.param .b64 h) cudaCGGetIntrinsicHandle (.param .b32 scope);
.extern .func (.param .b32 e) cudaCGSynchronize (.param .b64 h, .param .b32 flags);
.visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d<4>; .param .b32 one; .param .b64 h; .param .b32 zero, e;
ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;
add.u32 %r2, %r0, 7; st.global.u32 [%d1], %r2;
st.param.b32 [one], 1; call (h), cudaCGGetIntrinsicHandle, (one); st.param.b32 [zero], 0;
call (e), cudaCGSynchronize, (h, zero); ld.param.b32 %r3, [e];
add.u32 %r2, %r0, 1; rem.u32 %r2, %r2, %r1; mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d0, %d2; ld.global.u32 %r2, [%d2];
add.u32 %r2, %r2, %r3; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d1, %d3; st.global.u32 [%d3], %r2; ret; }"""
)
RUNTIME = (
    HEAD
    + """.visible .func (.param .b64 h) cudaCGGetIntrinsicHandle (.param .b32 scope) { ret; }
.extern .func (.param .b32 e) __cuda_syscall_CGS_sync (.param .b64 h, .param .b32 flags);
.visible .func (.param .b32 e) cudaCGSynchronize (.param .b64 h, .param .b32 flags) {
call (e), __cuda_syscall_CGS_sync, (h, flags); ret; }"""
)


def test_a_library_is_read_to_its_end() -> None:
    """As far as its members say, whatever is behind it."""
    library = archive(b"odd", host_object(ptx_fatbin(GET)))
    for data, size in ((library, len(library)), (library[:60], 8), (b"!<arch>", 7), (b"!<arch>\n", 8)):
        behind = ctypes.create_string_buffer(data + b"\0not a member")
        assert image_at(ctypes.addressof(behind)) == data[:size], size


@pytest.mark.parametrize("section", [b"__nv_relfatbin", b".nv_fatbin"])
@pytest.mark.parametrize("made", [archive, lambda one: one], ids=["library", "object"])
def test_device_code_of_the_host(made: Any, section: bytes) -> None:
    """The fatbin of an object is linked, alone or in a library."""
    with Bench(HEAD) as bench:
        state = bench.ok(bench.c.cuLinkCreate(0, None, None))
        for kind, data in ((TEXT, USING.encode()), (OBJECT, made(host_object(ptx_fatbin(GET), section=section)))):
            bench.ok(bench.c.cuLinkAddData(state, kind, data, len(data), None, 0, None, None))
        bench.module = bench.ok(bench.c.cuModuleLoadData(bench.c.cuLinkComplete(state)[1]))
        out = bench.memory(bytes(4))
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 1) == [41]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (host_object(), "with no device code"),
        (host_object(ptx_fatbin(GET), section=b".data"), "with no device code"),
        (host_object(b"not a fatbin, not at all"), "with no device code"),
        (host_object(ptx_fatbin(GET))[:100], "with no device code"),
        (host_object(ptx_fatbin(GET), ptx_fatbin(USING)), "with 2 pieces of device code"),
        (archive(b"text", host_object(ptx_fatbin(GET)), host_object(ptx_fatbin(GET))), "with 2 pieces of device code"),
        (archive(b"text").replace(b"4  ", b"x  "), "with no device code"),
    ],
    ids=["no section", "another section", "no fatbin", "cut", "two", "two objects", "a damaged archive"],
)
def test_other_files_of_the_host(data: bytes, told: str) -> None:
    """They are not modelled."""
    with Bench(HEAD) as bench:
        state = bench.ok(bench.c.cuLinkCreate(0, None, None))
        with pytest.raises(fakecuda.FakeCudaError, match=told):
            bench.c.cuLinkAddData(state, LIBRARY, data, len(data), None, 0, None, None)


@pytest.mark.parametrize("blocks", [1, 2, 9])
def test_the_device_runtime_of_a_grid(blocks: int) -> None:
    """What libcudadevrt.a uses is the driver's. Blocks read what others wrote before all have met."""
    with linked(SYNC.encode(), archive(host_object(ptx_fatbin(RUNTIME)))) as bench:
        out = bench.memory(bytes(8 * blocks))
        for _ in range(2):
            assert bench.launch("k", out, grid=(blocks, 1, 1), block=(1, 1, 1), cooperative=True) == 0
        assert bench.sync() == 0
        values = [one + 7 for one in range(blocks)]
        assert bench.values(out, "c_uint32", 2 * blocks) == [*values, *values[1:], values[0]]
