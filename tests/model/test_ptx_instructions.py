"""PTX: which instructions, declarations and heads a compiler takes. ``ptxas`` of CUDA 13.0 answered so to all but the last test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import ptx, ptx_check, ptx_fits
from fakecuda.model.code.code import Refused
from fakecuda.spec import ptx as spec
from tests.each import each

if TYPE_CHECKING:
    import pytest

OPEN = {
    *("alloca", "stacksave", "stackrestore", "setmaxnreg", "istypep"),
    *("wgmma", "tcgen05", "multimem", "tensormap", "clusterlaunchcontrol"),
}
"""The instructions whose forms are not modelled."""
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
DECLARED = """.global .align 16 .b8 gl[64];
.const .align 16 .b8 co[64];
.func f() { ret; }
.func (.param .b32 r) g(.param .b32 a) { ret; }
.visible .entry k(.param .u64 pa, .param .u32 pb) {
.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<9>;
.reg .f16 %h<9>; .reg .f16x2 %hh<9>; .reg .s32 %s<9>; .reg .u32 %u<9>; .reg .u16 %us<9>; .reg .v4 .f32 v; .reg .v2 .b32 w;
.shared .align 16 .b8 sm[64]; .local .align 16 .b8 lo[64];
"""
TAKEN = """
add.s32.sat %r1,%r2,%r3;  add.sat.sat.s32 %r1,%r2,%r3;  add.s32 %u1,%u2,%u3;  add.s32 %r1,%r2,(3+4)*2;  add.s32 %r1,%r2,-(3);
add.s32 %r1,%r2,%r3+4;  add.s64 %rd1,%rd2,gl+4;  add.f32 %r1,%r1,%r2;  add.f32 %f1,%f2,1.0;  add.f32 %f1,%f2,0d3FF0000000000000;
add.f16 %h1,%h2,%h3;  add.f16 %rs1,%rs2,%rs3;  add.f16x2 %hh1,%hh2,%hh3;  add.bf16 %rs1,%rs2,%rs3;  mov.b32 %r1,0f3F800000;
mov.b64 %rd1,{%r1,%r2};  mov.b64 {_,%r2},%rd1;  mov.b32 {%rs1,%rs2},%f1;  mov.pred %p1,1;  mov.u32 %r1,WARP_SZ;  mov.u32 %r1,1|2;  mov.u32 %r1,WARP_SZ|3&5|8;
mov.u16 %rs1,%tid.x;  mov.u32 %r1,%gridid;  mov.u64 %rd1,%clock64;  mov.v4.u32 {%r1,%r2,%r3,%r4},%tid;  mov.f32 v.x,1.0;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7},{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7},{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};
add.s32 %r1,%r2,(.s64)3;  L: T: .branchtargets L; brx.idx %r1,T;
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd1];  mov.u64 %rd1,k;  mov.u64 %rd1,sm+4;  mov.b64 %rd1,pa;  mov.u32 %r1,%envreg3;  mov.u32 %r1,%pm7;  mov.b64 %rd1,0d3FF0000000000000;
ld.volatile.global.u32 %r1,[%rd1];  ld.u32.global %r1,[%rd1+-4];  ld.global.u8 %rd1,[%rd1];  ld.global.f32 %rd1,[%rd1];
ld.global.b32 %fd1,[%rd1];  ld.global.u16 %hh1,[%rd1];  ld.global.v4.f32 v,[%rd1];  ld.shared.u32 %r1,[%r1];  ld.u32 %r1,[sm];
ld.param.u32 %r1,[pb];  ld.global.L2::cache_hint.u32 %r1,[%rd1],%rd2;  ld.local.u32 %r1,[64];  ld.acquire.gpu.u32 %r1,[%rd1];
st.shared.v2.u32 [sm],{1,%r2};  st.global.v4.u32 [%rd1],{%r1,%r2,%f3,%r4};  st.shared.u64 [sm],f;  st.shared.f32 [sm],1.0;
setp.lt.s32 %p1|_,%r1,%r2;  setp.eq.s32 _,%r1,%r2;  setp.eq.f16x2 %p1|%p2,%r1,%r2;  setp.lt.and.s32 %p1,%r1,%r2,!%p2;
selp.b16 %h1,%h2,%h3,%p1;  shfl.sync.idx.b32 %r1|%p1,%r2,%f3,31,-1;  shfl.sync.idx.b32 %f1,%f2,%r3,31,-1;  popc.b32 %r1,5;
lop3.or.b32 _|%p1,%r2,%r3,%r4,0x40,%p2;  elect.sync _|%p1,-1;  vote.sync.ballot.b32 %f1,%p2,-1;  isspacep.global %p1,%r1;
cvta.global.u64 %rd1,gl+4;  cvta.u64.global %rd1,%rd2;  cvt.u32.u8 %r1,%rd1;  cvt.u16.u32 %rs1,%tid.x;  cvt.rn.f16.f32 %r1,%f1;
cvt.rn.bf16.f32 %rs1,%f1;  cvt.f32.bf16 %f1,%rs1;  .reg .b8 b8; cvt.rzi.s8.bf16 b8,%rs1;  .reg .b8 b8; cvt.rn.bf16.s8 %rs1,b8;
cvt.f64.f32 %fd1,1.0;  cvt.rn.satfinite.e4m3x2.f32 %rs1,%f1,%f2;  cvt.pack.sat.u8.s32.b32 %r1,%r2,%r3,%r4;  atom.add.u32 _,[%rd1],%r2;
atom.global.v2.f32.add {%f1,%f2},[%rd1],{%f3,%f4};  red.relaxed.gpu.global.add.f32 [%rd1],%f2;  fence.acq_rel.gpu;  fence.gpu;
mbarrier.arrive.release.cta.shared::cta.b64 %rd1,[sm];  mbarrier.arrive.shared.b64 _,[sm];  min.xorsign.abs.f32 %f1,%f2,%f3;
cp.async.ca.shared.global [sm],[%rd1],16,%r1;  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1},[sm];  bar.sync 15;  bar.sync %r1,64;  bar.warp.sync 33;  bar.arrive 1,96;  bfe.u32 %r1,%r2,255,255;  bfi.b32 %r1,300,400,%r2,255;
st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%r1],{%fd1,%fd2},[%r2];  st.async.weak.mbarrier::complete_tx::bytes.v4.b32 [%rd1],{%r1,%r2,%r3,1},[%rd2];
mov.pred %p1,%is_explicit_cluster;
bar.red.popc.u32 %r1,0,32,!%p1;  barrier.cluster.arrive.aligned;  bar.warp.sync 99;  tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4},[%rd1,{%r5}];
ld.global.u32 {%r1},[%rd1];  st.global.u32 [%rd1],{%r1};  st.global.v2.u32 [%rd1],{%f1,%r2};  cp.async.ca.shared.global.L2::cache_hint [sm],[%rd1],16,%rd2;
dp4a.u32.s32 %s1,%u2,%s3,%s4;  call f;  call.uni (%r1),g,(%r2);  vadd.u32.u32.u32 %r1,%r2.b0,%r3;  ret.uni;  exit;  { ret; }
@!%p1 ret;  L: bra L;  L: .reg .b32 x;  { bra L; } L:  {L: bra L;} {L: bra L;}  L: {L: bra L;}  {.reg .f32 %r1;}  k:
.reg .b32 a,b<3>; mov.u32 a,b2;  mov.u32 %r1,%r04;  T: .branchtargets L,M; brx.idx %r1,T; L: M:  .loc 1 1 1
P: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn; call (%r1),%rd1,(%rd2),P;  P: .callprototype _; call %rd1,P;
.loc 2 81 3, function_name L1+4, inlined_at 1 2 28  .loc 2 81 3, function_name L1  .pragma "a","b";  .reg .align 8 .b32 x;  .reg .b32;
.local .align 4 .b8 x[3], y;  .const .b32 x=3;  .reg .b32 add; mov.u32 add,1;  .reg .u32 q1<30>; mov.u32 %r1,q120;
"""
REFUSED = """
add.u32.sat %r1,%r2,%r3;  add.u32 %f1,%r1,%r2;  add.b32 %r1,%r1,%r2;  add.s32 %rs1,%r1,%r2;  add.s32 %r1,%r2;  add.s32 %r1,%r2,1.0;
add.s32 %r1,%r2,0f3F800000;  add.f32 %f1,%f2,1;  foo.s32 %r1,%r2;  add.foo.s32 %r1,%r2,%r3;  add.s32.s32 %r1,%r2,%r3;
add %r1,%r2,%r3;  add.ftz.ftz.f32 %f1,%f2,%f3;  add.global.s32 %r1,%r2,%r3;  add.s32 %r1,%r2,%tid.x;  add.s32 %tid.x,%r1,%r2;
add.s32 5,%r1,%r2;  add.s32 _,%r1,%r2;  add.s32 %r1,%r2,gl;  add.s32 %r1,%r2,-%r3;  add.s32 %r1,%r2,!%p1;  add.s32 %r1,%r2,%h1;
add.f16 %us1,%us2,%us3;  add.s32 %r1,%r2,99999999999999999999;  add.s32 %r1,%r2,(3;  add.s32 %r1,%r2,3+;  add.s32 %r1,%r2,(.s64;
mov.u32 %r1,{%r2,%r3};  mov.u32 %r1,w+1;  cvt.u32.u32 %r1,{%r2};  ld.global.u32 %r1,[w+1];
mma.sync.aligned.m16n8k8.row.col.f32.f32 %r1,%r2;  mov.b32 %r1,1.0;  mov.u32 %r1,1|%r2;  mov.u32 %r1,%f1;  mov.u32 %r1,%tid;  mov.f32 %f1,%tid.x;  mov.u32 %r1,%clock64;  mov.u64 %rd1,%tid.x;
mov.f32 %f1,v.q;  mov.b32 %r1,w.z;  mov.b32 %r1,%r2.x;  mov.u64 %rd1,nothing;  mov.u32 %r9,1;  mov.u32 %r,1;  mov.u32 %r1,%r2,;
mov.u32 %r1 %r2;  mov.u32 (%r1),%r2;  mov.u32 %r1,[%rd1];  mov.v2.u32 {%r1},{%r2,%r3};  mov.u32 %r1,%r99999999999999;
ld.global.u32 %f1,[%rd1];  ld.global.u32 %rs1,[%rd1];  ld.global.u32 %r1,[%r1];  ld.global.u32 %r1,[sm];  ld.global.u32 %r1,[%fd1];
ld.global.u32 %r1,[64];  ld.global.u32 %r1,%rd1;  ld.u32 %r1,[pb];  ld.u32 %r1,[co];  ld.global.v2.u32 %r1,[%rd1];
ld.global.v2.u32 {%r1},[%rd1];  ld.global.v4.u64 {%rd1,%rd2,%rd3,%rd4},[%rd1];  ld.global.u32 %r1,[%rd1],%rd2;  ld.acquire.u32 %r1,[%rd1];
ld.global.L2::cache_hint.u32 %r1,[%rd1];  ld.global.u32 %r1,[%rd1+1.0];  ld.global.u32 %r1,[{%rd1}];  ld.global.u32 %r1,[!%p1];
ld.global.u32 %r1,[%rd1,%rd2];  ld.global.u32 %r1,[%rd1,];  ld.global.u32 %r1,[%rd1 %rd2];  ld.global.u32 %r1,[[[[%rd1]]]];
ld.global.f32 %fd1,[%rd1];  ld.global.u32 %r1,[f];  ld.global.u32 %r1,[%tid.x];  st.shared.u32 [sm],gl;  st.const.u32 [co],%r1;
st.global.v2.u32 [%rd1],{%r1,%rd2};  setp.lo.s32 %p1,%r1,%r2;  setp.eq.s32 %r1|%p1,%r1,%r2;  selp.s32 %r1,1,0,%r2;
elect.sync %r1,-1;  shfl.sync.idx.b32 %r1|%r2,%r2,%r3,31,-1;  shfl.idx.b32 %r1,%r2,%r3,31;  cvt.f32.s32 %f1,%r1;  cvt.b32.u32 %r1,%r2;
cvt.rn.bf16.f32 %r1,%f1;  cvt.f32.bf16 %f1,%r1;  cvt.rzi.s8.bf16 %r1,%rs1;  cvt.rn.bf16.s8 %rs1,%r1;
isspacep.global %p1,%f1;  cvta.to.global.u64 %rd1,%r1;  lop3.b32 %r1,%r2,%r3,%r4,%r5;  mbarrier.arrive.release.b64 %rd1,[sm];
atom.add.f16 %rs1,[%rd1],%rs2;  cp.async.ca.global [sm],[%rd1],16;  wgmma.fence.sync.aligned;  wgmma.frob;  wgmma;  bar.sync 16;  bar.sync 1,33;  bar.red.popc.u32 %r1,1,33,%p1;  bar.arrive 1,0;  bfe.u32 %r1,%r2,256,1;  bfi.b32 %r1,%r2,%r3,4,256;  mov.b32 %r1,%is_explicit_cluster;
st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r1],{%rd1,%rd2,%rd1,%rd2},[%r2];  st.async.shared::cluster.b32 [%r1],%r2,[%r3];  mov.pred %p1,%tid.x;
bar.red.popc.u32 %r1,16,%p1;  bar.sync;  mul.s32 %r1,%r2,%r3;  div.f32 %f1,%f2,%f3;  tanh.approx.f32x2 %rd1,%rd2;  fma.rn.f32x2 %rd1,%rd2,%rd3,%rd4;
min.xorsign.f32 %f1,%f2,%f3;  bra M;  bra %r1;  bra k;  brx.idx %r1,T;  @%r1 ret;  @%p9 ret;  @1 ret;  @%p1 {ret;}  @%p1 L: ret;
call;  call (%r1);  call g;  call (%r1),g,(%r2,%r3);  call (%r1),(%r2);  call f,(%r1),(%r2);  call (%r1),g,(%r2),%rd1,%rd2;  call h;
call.foo f;  call (%r1),g,(x);  {L: } bra L;  bra L; {L: }  L: L:  .reg .b32 %r1;  .reg .b32 %r<3>;  .reg .b32 a; .reg .b32 a;
{.shared .b32 x;} mov.u32 %r1,x;  .reg .b32 L; L:  .reg .b32 pa;  T: .branchtargets L  T: .branchtargets %r1,;  T: .branchtargets L,M; L:
P: .callprototype x ();  P: .callprototype _ () x;  P: .callprototype (.b32 _) _;  P: .callprototype (.param _) _;  .branchtargets L;
.maxntid 4;  .pragma nounroll;  .pragma "a" "b";  .loc 1 1  .reg .foo x;  .reg x;  .reg .b32 x y;  .reg .b32 x<y>;  .reg .b32 x<3;
.reg .b32 x,;  .reg .v8 .b32 x;  .shared .b32 x=3;  .shared .pred x;  .shared .b8 x[];  .local .align 3 .b8 x;  .local .align x .b8 y;
.local .b8 x[2+2];  .shared x;  ;  ret  1 2;  mov.u32 %r1,1 ret;
"""
MODULES_TAKEN = (
    "",
    ".entry k {ret;}",
    ".extern .entry k();",
    ".weak .entry k() {ret;}",
    ".global .b32 x[2][2] = {{1,2},{3,4}};",
    ".global .b32 y; .global .u64 x = generic(y)+4;",
    ".global .b32 y; .global .u8 t[2] = {0xFF(y), 0xFF00(y)};",
    ".extern .global .b32 x; .visible .global .b32 x;",
    ".func f(); .func f() {ret;}",
    ".func f() .func g() {ret;}",
    ".func (.reg .b32 r) f(.reg .b32 a) {ret;}",
    ".func f(.param .align 8 .b8 a[12], .param .b8 b[]) {ret;}",
    ".entry k(.param .u64 .ptr .global .align 16 a) .maxntid 5,6,7 .maxnreg 32 {ret;}",
    ".entry k() .blocksareclusters .reqntid 32 .reqnctapercluster 2 {ret;}",
    '.pragma "nounroll"; .file 1 "x",1,2 .func a(); .func f() {ret;} .alias a, f;',
    ".section .debug_str { L: .b8 1,4294967296\n.b32 L, L-L\n.b64 L+4\n.b32 .debug_str\n.b16 -1 }",
    ".attribute(.managed) .global .b32 x; .func .attribute(.unified(1, 2)) f() .abi_preserve 3 {ret;}",
    "@@DWARF .byte 1\n@@END",
    ".global .f32 x = 1.0, y[3] = {0f3F800000};",
)
MODULES_REFUSED = (
    "foo",
    ".visible",
    ".visible .visible .entry k() {ret;}",
    ".entry k() {ret;} ;",
    ".reg .b32 x;",
    ".global .b32 x; .global .b32 x;",
    ".global .b32 x[1] = {1,2};",
    ".global .b32 x[2] = {1,,2};",
    ".global .b32 x[2] = {1,};",
    ".global .b32 x[2] = {1 2};",
    ".global .b32 x = y;",
    ".global .b32 x =;",
    ".extern .global .b32 x = 3;",
    ".global .b8 x[0];",
    ".global .b8 x[-1];",
    ".global .align 0 .b8 x;",
    ".global .u8 .u8 x;",
    ".func (.param .b32 r) f(.param .b32 r) {ret;}",
    ".func .visible f() {ret;}",
    ".global .attribute(.managed .b32 x;",
    ".func f(.b32 a) {ret;}",
    ".func f(.param a) {ret;}",
    ".func f(.param .b32 a .param .b32 b) {ret;}",
    ".entry k(.param .b32 a, .param .b32 a) {ret;}",
    ".entry k(.param .b32 a,) {ret;}",
    ".entry k(.param a) {ret;}",
    ".entry k(.param .pred a) {ret;}",
    ".entry k() .maxntid 5,6,7,8 {ret;}",
    ".entry k() .maxntid 0 {ret;}",
    ".entry k() .maxntid {ret;}",
    ".entry k() .noreturn {ret;}",
    ".func f() .maxntid 5 {ret;}",
    '.file "x"',
    ".file 1 x",
    '.file 1 "x",y',
    ".alias a;",
    ".section { }",
    ".section .foo .b8",
    ".section .debug_abbrev { .b8 300 }",
    ".section .debug_abbrev { .u8 3 }",
    ".section .debug_abbrev { 3 }",
    ".section .debug_abbrev { .b8 3",
    "// \xe9",
)
HEADS_TAKEN = (
    ".version 9.0\n.target sm_90\n",
    ".version 9.0\n.target sm_90, sm_80\n",
    ".version 9.0\n.target sm_90, texmode_unified\n",
    ".version 1.4\n.target sm_10\n",
    ".version 9.0\n.target compute_90\n",
    ".version 9.0\n.target sm_90, debug\n.section .debug_abbrev { .b8 1 }",
)
HEADS_REFUSED = (
    ".version 9.0\n.target sm_90, debug\n",
    ".version 9.0\n.target sm_90, foo\n",
    ".version 9.0\n.target debug, sm_90\n",
    ".version 9.0\n.target sm_90\n.address_size 16\n",
    ".version 9.0\n.target sm_90\n.address_size 32\n",
    ".version 9.0\n.target sm_90\n.address_size x\n",
    ".version 2.0\n.target sm_20\n.address_size 64\n",
    ".version 7.0\n.target sm_90\n",
    ".version 6.0\n.target sm_75\n",
    ".version 9.0\n.target sm_91\n",
    ".version 9.0\n.target sm_90f\n",
    ".version 7.9\n.target sm_50\n",
    ".version 7\n.target sm_50\n",
    ".version 7.0\n.target sm_70\n.address_size 64\n.global .b32 y; .global .u8 t[2] = {0xFF(y), 0xFF00(y)};",
)


def lines(text: str) -> list[str]:
    """Return the statements of a list, which two blanks or the end of a line separate."""
    return [one.strip() for line in text.splitlines() for one in line.split("  ") if one.strip()]


def reason(text: str, arch: int = 90, *, whole: bool = False) -> str:
    """Return why a text is refused. Empty if it is not."""
    try:
        ptx.parsed(text.encode("latin-1"), arch, (9, 0), whole=whole)
    except Refused as refused:
        return refused.reason or refused.why
    return ""


@each("line", lines(TAKEN))
def test_what_a_compiler_takes(line: str) -> None:
    """A statement in a kernel."""
    assert not reason(f"{HEAD}{DECLARED}{line}\nret;\n}}\n")


@each("line", lines(REFUSED))
def test_what_a_compiler_refuses(line: str) -> None:
    """A statement in a kernel."""
    assert reason(f"{HEAD}{DECLARED}{line}\nret;\n}}\n")


@each("text", [*(HEAD + one for one in MODULES_TAKEN), *HEADS_TAKEN])
def test_what_a_compiler_takes_outside_of_functions(text: str) -> None:
    """Directives, variables, functions and heads."""
    assert not reason(text, whole=text.startswith(".version 1.4"))


@each("text", [*(HEAD + one for one in MODULES_REFUSED), *HEADS_REFUSED])
def test_what_a_compiler_refuses_outside_of_functions(text: str) -> None:
    """Directives, variables, functions and heads."""
    assert reason(text)


def test_versions_and_targets() -> None:
    """What is newer than the text's version or target is refused, and what it has no longer."""
    line = ".entry k() { .reg .b32 r; .reg .f32 f; %s }"

    def of(version: str, target: str, text: str) -> str:
        return reason(f".version {version}\n.target {target}\n{line % text}", whole=True)

    assert "needs .version 7.0" in of("6.5", "sm_75", "redux.sync.add.s32 r, r, -1;")
    assert "needs .target sm_80" in of("7.0", "sm_75", "redux.sync.add.s32 r, r, -1;")
    assert not of("7.0", "sm_80", "redux.sync.add.s32 r, r, -1;")
    assert not of("6.3", "sm_70", "shfl.down.b32 r, r, 1, 31;")
    assert "sm_70 and later" in of("6.4", "sm_70", "shfl.down.b32 r, r, 1, 31;")
    assert not of("1.4", "sm_13", "mad.f32 f, f, f, f;")
    assert of("3.0", "sm_20", "mad.f32 f, f, f, f;")
    assert not of("8.0", "sm_90a", "wgmma.fence.sync.aligned;")


def test_what_the_table_does_not_say() -> None:
    """An instruction whose forms are not modelled is taken with any modifiers; its names are looked up."""
    text = ".version 8.0\n.target sm_90a\n.entry k() { .reg .b32 r; wgmma.mma_async.frob r, [r], {r, r}%s; }"
    assert not reason(text % "")
    assert reason(text % ", nothing") == "nothing is not declared here: declare it before this instruction"
    open_ones = {name for name in spec.names() if not (found := spec.instruction(name)) or not found.forms}
    assert open_ones == OPEN


def test_the_table_is_whole() -> None:
    """Each row has its section; each form can be read, and has operands of known kinds and versions that exist."""
    kinds = {"m", "v", *ptx_fits.PLAIN}
    versions = {(int(major), minor) for major, minors in spec.table("isa")["versions"].items() for minor in minors}
    for name in spec.names():
        found = spec.instruction(name)
        assert found is not None
        assert found.section, name
        for form in found.forms:
            assert all(one.kind.rstrip("V0123456789") in kinds or one.kind in kinds for one in form.operands), name
            assert {form.since[0], *(first[0] for group in form.groups for first in group.since.values())} <= versions


def test_a_checker_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps no more than some answers."""
    monkeypatch.setattr(ptx_check, "KEPT", 2)
    found = ptx_check.Checker((9, 0), (90, ""), {})
    for name in ("ret", "exit", "trap", "frob"):
        assert bool(found.judge(name, (), ())) is (name == "frob")
        assert len(found.kept) <= 2
