"""Memory of all spaces: what kernels read and write, and the faults of wrong accesses."""

from __future__ import annotations

import ctypes
import re
from types import SimpleNamespace
from typing import Any

import pytest

import fakecuda
from fakecuda.kernels import launch, lower
from fakecuda.kernels.parse import parsed
from fakecuda.kernels.row import NotRun
from fakecuda.kernels.spaces import Flat
from fakecuda.machine import refusals
from fakecuda.model.code import packed
from fakecuda.model.code.code import PACKED, Refused
from fakecuda.model.code.kernel_run import reaches
from fakecuda.model.memory.space import READ

from .world import HEAD, Bench, kernel, words

F32_ONE, TINY = 0x3F800000, 1


def test_generic_addresses() -> None:
    """Of global, shared, local and parameter memory, and back."""
    body = """
    .shared .align 8 .b8 s[16]; .local .align 8 .b8 l[16]; .reg .b32 %s;
    mov.u64 %d1, s; cvta.shared.u64 %d1, %d1; st.u32 [%d1+4], 1; ld.shared.u32 %r1, [s+4];
    mov.u64 %d2, l; cvta.local.u64 %d2, %d2; st.u32 [%d2+4], 2; ld.local.u32 %r2, [l+4];
    mov.u64 %d3, out; cvta.param.u64 %d3, %d3; ld.u64 %d4, [%d3]; st.u64 [%d4], %d0;
    ld.u64 %d5, [%d4];
    sub.u64 %d5, %d5, %d0; cvt.u32.u64 %r3, %d5; st.u32 [%d0+16], %r3;
    st.u32 [%d0+8], %r1; st.u32 [%d0+12], %r2;
    isspacep.shared %p1, %d1; @%p1 st.u32 [%d0+20], 3;
    prefetch.global.L2 [%d0]; fence.acq_rel.gpu; membar.gl;
    """
    assert words(body, 6)[2:] == [1, 2, 0, 3]


ATOMICS = [
    ("add.u32", 5, (7,), 12),
    ("add.u32", 0xFFFFFFFF, (2,), 1),
    ("and.b32", 6, (3,), 2),
    ("or.b32", 6, (1,), 7),
    ("xor.b32", 6, (3,), 5),
    ("min.s32", 5, (0xFFFFFFFF,), 0xFFFFFFFF),
    ("min.u32", 5, (0xFFFFFFFF,), 5),
    ("max.s32", 5, (0xFFFFFFFF,), 5),
    ("max.u32", 5, (0xFFFFFFFF,), 0xFFFFFFFF),
    ("inc.u32", 5, (7,), 6),
    ("inc.u32", 7, (7,), 0),
    ("dec.u32", 5, (7,), 4),
    ("dec.u32", 0, (7,), 7),
    ("dec.u32", 9, (7,), 7),
    ("exch.b32", 5, (7,), 7),
    ("cas.b32", 5, (5, 7), 7),
    ("cas.b32", 5, (6, 7), 5),
    ("add.f32", F32_ONE, (F32_ONE,), 0x40000000),
    ("add.noftz.f16x2", 0x3C003C00, (0x3C004000,), 0x40004200),
]


@pytest.mark.parametrize(("text", "before", "operands", "after"), ATOMICS)
@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomic_operations(text: str, before: int, operands: tuple[int, ...], after: int, space: str) -> None:
    """They return what was there, and leave the result; ``red`` returns nothing."""
    place = "%d0+4" if space == "global" else "s"
    given = ", ".join(f"%r{10 + number}" for number in range(len(operands)))
    body = f".shared .b32 s; st.{space}.u32 [{place}], {before};"
    body += "".join(f"mov.u32 %r{10 + number}, {one};" for number, one in enumerate(operands))
    body += f"atom.relaxed.gpu.{space}.{text} %r1, [{place}], {given}; st.global.u32 [%d0], %r1;"
    body += f"ld.{space}.u32 %r2, [{place}]; st.global.u32 [%d0+8], %r2;"
    wanted = [before, after if space == "global" else 0, after]
    if not text.startswith(("exch", "cas")):
        body += f"st.global.u32 [%d0+12], {before}; red.global.{text} [%d0+12], {given};"
        wanted.append(after)
    assert words(body, len(wanted)) == wanted


def test_atomic_operations_on_vectors() -> None:
    """Each element is changed by itself; the whole must be aligned. Sums of ``f32`` in global memory flush."""
    body = """
    st.global.v4.u32 [%d0], {0x3F800000, 1, 0x3C003C00, 0x3F803F80}; mov.b32 %f0, 0x40000000; mov.b32 %f1, 1;
    mov.b32 %r9, 0x3C004000; mov.b32 %r10, 0x3F803F80; mov.b32 {%h0, %h1}, %r9;
    atom.global.add.v2.f32 {%f2, %f3}, [%d0], {%f0, %f1}; red.global.add.noftz.v2.bf16x2 [%d0+8], {%r10, %r10};
    atom.global.add.noftz.v2.f16 {%h2, %h3}, [%d0+16], {%h0, %h1}; mov.b32 %r11, {%h2, %h3};
    st.global.v4.u32 [%d0+32], {%f2, %f3, %r11, 0};
    """
    found = words(body, 12)
    assert found[:5] == [0x40400000, 0, 0x3F813F81, 0x40004000, 0x3C004000]
    assert found[8:] == [F32_ONE, 1, 0, 0]
    with Bench(kernel("mov.b32 %f0, 0; red.global.add.v4.f32 [%d0+8], {%f0, %f0, %f0, %f0};")) as bench:
        assert bench.launch("k", bench.memory(bytes(32))) == 0
        assert bench.sync() == 716
        assert bench.twins.compared == 1


def test_atomic_operations_on_other_widths() -> None:
    """Of 16 and of 128 bits."""
    body = """
    .reg .b128 %q<5>; .shared .align 16 .b8 s[16]; st.global.v4.u32 [%d0], {1, 2, 3, 4}; st.shared.v4.u32 [s], {1, 2, 3, 4};
    mov.u64 %d1, 0x200000001; mov.u64 %d2, 0x400000003; mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, {%d2, %d1};
    atom.global.cas.b128 %q3, [%d0], %q1, %q2; atom.global.cas.b128 %q3, [%d0], %q1, %q1; atom.shared.exch.b128 %q4, [s], %q3;
    mov.b128 {%d3, %d4}, %q4; st.global.v2.u64 [%d0+16], {%d3, %d4}; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];
    st.global.v4.u32 [%d0+32], {%r1, %r2, %r3, %r4}; mov.u16 %h1, 3; mov.u16 %h2, 9;
    atom.global.cas.b16 %h3, [%d0], %h1, %h2; atom.global.cas.b16 %h4, [%d0], %h1, %h1; mov.b32 %r5, {%h3, %h4}; st.global.u32 [%d0+48], %r5;
    """
    with Bench(kernel(body, params=".param .u64 out").replace(".version 8.1", ".version 8.8")) as bench:
        out = bench.memory(bytes(64))
        assert bench.launch("k", out) == 0
        assert bench.sync() == 0
        assert bench.twins.compared == 1
        assert bench.values(out, "c_uint32", 13) == [9, 4, 1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 3 | 9 << 16]


def test_atomic_sums_of_subnormals() -> None:
    """Global memory flushes them to zero, shared memory does not."""
    body = """
    .shared .b32 s; mov.f32 %f1, 0f00000001; st.shared.f32 [s], %f1;
    red.shared.add.f32 [s], %f1; ld.shared.u32 %r0, [s]; st.global.u32 [%d0], %r0;
    st.global.f32 [%d0+4], %f1; red.global.add.f32 [%d0+4], %f1;
    """
    assert words(body, 2) == [2, 0]


def faulty(body: str, before: str = "", **launch: object) -> int:
    """Return the code of a context in which a kernel has run, whose parameter is memory of 64 bytes."""
    with Bench(kernel(body, before)) as bench:
        assert bench.launch("k", bench.memory(bytes(64)), **launch) == 0  # type: ignore[arg-type]
        return bench.sync()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("ld.global.u32 %r0, [%d0+64];", 700),
        ("st.global.u32 [%d0+-4], 1;", 700),
        ("st.global.u32 [%d0+64], 1;", 700),
        ("ld.global.u32 %r0, [%d0+2];", 716),
        ("atom.global.add.u32 %r0, [%d0+2], 1;", 716),
        ("st.global.v2.u32 [%d0+4], {%r0, %r1};", 716),
        ("mov.u64 %d1, 0; ld.u32 %r0, [%d1];", 700),
        ("mov.u64 %d1, 0xF000000000000000; ld.u32 %r0, [%d1];", 700),
        (".shared .b32 s; ld.shared.u32 %r0, [s+4];", 700),
        (".shared .b32 s; ld.shared.u16 %h0, [s+1];", 716),
        (".local .b32 l; st.local.u32 [l+4], 1;", 700),
        ("trap;", 719),
        ("brkpt;", 719),
    ],
)
def test_faults(body: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """They fail the context, and what the kernel has written before is not seen."""
    assert faulty("st.global.u32 [%d0], 1;" + body) == code
    assert "kernel k: thread (0, 0, 0) of block (0, 0, 0) " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("offset", "where"), [(64, "0 bytes behind its end"), (-4, "4 bytes before it"), (2, "at byte 2 of it")]
)
def test_where_a_wrong_address_lies(offset: int, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the memory that a parameter points into, or in it."""
    faulty(f"ld.global.u32 %r0, [%d0+{offset}];")
    assert where in capsys.readouterr().err


def test_a_misaligned_address_of_shared_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """The report names the space, and no parameter: the address is not one of global memory."""
    faulty(".shared .b32 s; ld.shared.u16 %h0, [s+1];")
    told = capsys.readouterr().err
    assert "uses 2 bytes at 0x1 of shared memory, a misaligned address" in told
    assert "parameter" not in told


def test_a_fault_far_from_all_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said of memory if no parameter points into any."""
    with Bench(kernel("ld.global.u32 %r0, [%d0];")) as bench:
        assert bench.launch("k", 16) == 0
        assert bench.sync() == 700
    assert "parameter" not in capsys.readouterr().err


def test_reads_and_writes_of_pages() -> None:
    """Ranges that go over pages are one use, and threads may use memory of several allocations in a page."""
    body = """
    mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1;
    ld.global.u32 %r0, [%d1+4080]; add.u32 %r0, %r0, 1; st.global.u32 [%d1+4080], %r0;
    ld.global.u32 %r0, [%d1]; st.global.u32 [%d1+16], %r0;
    """
    assert words(body, 1030, block=(4, 1, 1))[1020:1024] == [1] * 4


def test_strong_operations() -> None:
    """Both engines note strong loads and stores apart from weak ones, in each space that has them."""
    body = """
    .shared .align 8 .b8 s[16];
    st.volatile.shared.u32 [s], 3; ld.volatile.shared.u32 %r0, [s]; st.release.gpu.global.u32 [%d0], %r0;
    ld.acquire.sys.global.u32 %r1, [%d0]; ld.relaxed.gpu.s16 %r2, [%d0]; st.volatile.v2.u32 [%d0+8], {%r1, %r2};
    """
    with Bench(kernel(body)) as bench:
        out = bench.memory(bytes(16))
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 4) == [3, 0, 3, 3]
        assert bench.twins.compared == 1


def test_races_between_kernels() -> None:
    """Two streams that write the same bytes without an order are reported; atomic operations are not."""
    for body, races in (("st.global.u32 [%d0], 1;", True), ("red.global.add.u32 [%d0], 1;", False)):
        with Bench(kernel(body)) as bench:
            out = bench.memory(bytes(4))
            function = bench.ok(bench.c.cuModuleGetFunction(bench.module, b"k"))
            pointer = ctypes.c_uint64(out)
            places = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
            streams = [bench.ok(bench.c.cuStreamCreate(1)) for _ in range(2)]
            bench.ok(bench.c.cuCtxSynchronize())

            def launch(stream: int, function: int = function, places: object = places, bench: Bench = bench) -> None:
                bench.ok(bench.c.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, ctypes.addressof(places), 0))  # type: ignore[arg-type]

            launch(streams[0])
            if races:
                with pytest.raises(fakecuda.UndefinedBehaviour):
                    launch(streams[1])
            else:
                launch(streams[1])
                assert bench.sync() == 0
                assert bench.values(out, "c_uint32", 1) == [2]


def test_a_launch_that_waits() -> None:
    """A stream that runs the kernel later: its exception is a finding, and fails the context."""
    with Bench(kernel("bar.sync 0, 64;"), completion="manual") as bench:
        assert bench.launch("k", 0, block=(32, 1, 1)) == 0
        assert bench.sync() == 719
        (finding,) = bench.machine.findings
        assert "waits for ever" in finding.facts["error"]


def test_a_graph_runs_ptx() -> None:
    """Its kernel nodes are checked before it is launched."""
    for body, fine in (("st.global.u32 [%d0], 5;", True), ("vadd.u32.u32.u32 %r0, %r1, %r2;", False)):
        with Bench(kernel(body)) as bench:
            out = bench.memory(bytes(4))
            function = bench.ok(bench.c.cuModuleGetFunction(bench.module, b"k"))
            pointer = ctypes.c_uint64(out)
            places = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
            graph = bench.ok(bench.c.cuGraphCreate(0))
            params = (function, 1, 1, 1, 1, 1, 1, 0, ctypes.addressof(places), 0, 0, 0)
            bench.ok(bench.c.cuGraphAddKernelNode(graph, None, 0, params))
            executable = bench.ok(bench.c.cuGraphInstantiate(graph, 0))
            if fine:
                bench.ok(bench.c.cuGraphLaunch(executable, 0))
                assert bench.values(out, "c_uint32", 1) == [5]
            else:
                with pytest.raises(fakecuda.KernelNotDefined, match="vadd"):
                    bench.c.cuGraphLaunch(executable, 0)


def test_a_function_without_a_body() -> None:
    """Its call is refused; a linker would find it elsewhere."""
    text = HEAD + ".extern .func gone ();\n.visible .entry k() { call gone; ret; }"
    with pytest.raises(lower.NotLowered) as error:
        lower.lowered(parsed(text), "k")
    assert error.value.why == "its call of gone, which has no body in this text"


@pytest.mark.parametrize("text", ["shfl.idx.b32 %r0, %r1, 0, 31;", "vote.all.pred %p0, %p1;"])
def test_forms_without_sync(text: str) -> None:
    """Newer cards do not have them, and they are refused."""
    head = ".version 6.0\n.target sm_30\n.address_size 64\n"
    with pytest.raises(lower.NotLowered) as error:
        lower.lowered(parsed(head + f".entry k() {{ .reg .b32 %r<2>; .reg .pred %p<2>; {text} }}"), "k")
    assert error.value.why == "its form without .sync"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bra GONE;", "its label"),
        ("brx.idx %r0, GONE;", "its list of labels"),
        ("bra %r0;", "its label"),
        ("brx.idx %r0, %r0;", "its list of labels"),
        ("add.u32 %r0, %r1;", "its operands"),
        ("add.u32 %r0, %r1 %r1, %r1;", "its operand 3 tokens"),
        ("add.u32 %r0, %r1, [%r1];", "its operands"),
        ("and.pred %p0, !1, %p1;", "its operand !"),
        ("tex.1d.v4.f32.f32 {%r0}, [%r1, {%r1}];", "its operands"),
        ("ld.global.u32 %r0, [%r1, {%r1}];", "its address"),
    ],
)
def test_texts_that_nothing_has_checked(text: str, why: str) -> None:
    """The reader of images refuses them; this one does so by name."""
    with pytest.raises(lower.NotLowered) as error:
        lower.lowered(parsed(HEAD + f".entry k() {{ .reg .b32 %r<2>; .reg .pred %p<2>; {text} }}"), "k")
    assert error.value.why == why


def test_flat_spaces() -> None:
    """They hold integers of any size."""
    space = Flat("shared", bytearray(16))
    space.change(8, 8, 1 << 40)
    assert (space.peek(8, 8), space.load(8, 4)) == (1 << 40, 0)
    assert issubclass(NotRun, Exception)


def test_what_variables_begin_with() -> None:
    """Floating-point numbers, addresses of variables, and tables of functions."""
    before = """
    .global .f32 f = 1.5; .const .f64 g = 0d3FF8000000000000; .global .u32 w[2] = {5, 6};
    .func (.param .b32 r) one () { st.param.b32 [r], 1; ret; }
    .func (.param .b32 r) two () { st.param.b32 [r], 2; ret; }
    .entry other () { ret; }
    .global .align 8 .u64 table[4] = {one, two, generic(w)+4, other};
    """
    body = """
    .param .b32 r;
    ld.global.u32 %r0, [f]; st.global.u32 [%d0], %r0;
    ld.const.f64 %g0, [g]; cvt.rn.f32.f64 %f0, %g0; st.global.f32 [%d0+4], %f0;
    ld.global.u64 %d1, [table+16]; ld.u32 %r0, [%d1]; st.global.u32 [%d0+8], %r0;
    ld.global.u64 %d2, [table+8];
    call (r), %d2, (), P; ld.param.u32 %r0, [r]; st.global.u32 [%d0+12], %r0;
    P: .callprototype (.param .b32 _) _ ();
    """
    assert words(body, 4, before=before) == [0x3FC00000, 0x3FC00000, 6, 2]


def test_a_fault_names_freed_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """The parameter that points into it, and where it was freed; other freed things do not count."""
    with Bench(kernel(".loc 1 33 0\nst.global.u32 [%d0+4], 1;")) as bench:
        out, later = bench.memory(bytes(8)), bench.memory(bytes(8))
        bench.ok(bench.c.cuMemFree(later))
        bench.ok(bench.c.cuMemFree(out))
        bench.ok(bench.c.cuEventDestroy(bench.ok(bench.c.cuEventCreate(0))))
        assert bench.launch("k", out) == 0
        assert bench.sync() == 700
    error = capsys.readouterr().err
    assert f"parameter 0 points into freed allocation {out:#x}+0x8 on " in error
    assert ": the address lies at byte 4 of it" in error
    assert "freed at" in error
    assert "of the PTX, file 1:33: st.global.u32" in error


@pytest.mark.parametrize("completion", ["eager", "manual"])
def test_a_refused_call_names_the_kernel_that_failed(completion: str) -> None:
    """With the line of its launch and the place in its code; so does a call that makes a context."""
    with Bench(kernel("st.global.u32 [%d0+4], 1;"), completion=completion) as bench:
        counted = refusals.count(bench.machine)
        assert bench.launch("k", bench.memory(bytes(4))) == 0
        assert (bench.sync(), bench.sync(), bench.c.cuCtxCreate(None, 0, 0)[0]) == (700, 700, 700)
        for refused in counted.recent:
            text = refused.report
            assert "object kernel k: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes at 0x" in " ".join(
                text.split()
            ), text
            assert re.search(r"\n +launched at \S+world\.py:\d+ in Bench\.launch\n +from \S+test_memory\.py:", text), (
                text
            )
            assert re.search(r"\n +at line \d+ of the PTX: st\.global\.u32", text), text


def test_an_image_whose_ptx_cannot_be_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compressed image names what reads it; a damaged image is called damaged."""
    for why, text in ((packed.UNREAD, r"backports|--no-compress"), ("", "cannot be read: the image is damaged")):

        def refuse(*_: object, why: str = why) -> None:
            raise Refused(PACKED, why)

        monkeypatch.setattr(launch, "program_of", refuse)
        with Bench(kernel("")) as bench, pytest.raises(fakecuda.KernelNotDefined, match=text):
            bench.launch("k", 0)


def test_a_context_of_cuda_3_1_uses_its_own_memory_alone() -> None:
    """Its kernels do not reach memory of other contexts."""
    with Bench(kernel("")) as bench:
        (process,) = bench.machine.processes.values()
        item = process.memory.at(bench.memory(bytes(4)))
        assert item is not None
        narrow: Any = SimpleNamespace(narrow=object())
        assert not reaches(narrow, item, READ)
