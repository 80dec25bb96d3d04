"""The instructions of random kernels, and the values of their registers."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import TYPE_CHECKING

from fakecuda.kernels.compiled.specials import READERS
from fakecuda.kernels.lower import meaning_of
from fakecuda.kernels.row import CARRY, PREDICATE, Row, bits_of
from fakecuda.kernels.special import EXPLICIT, WORKSPACE
from fakecuda.model.code import ptx
from fakecuda.model.code.code import Refused

if TYPE_CHECKING:
    import random

INTEGERS = [f"{sign}{bits}" for sign in "us" for bits in (16, 32, 64)]
HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
NAMES = {1: "%p", 16: "%h", 32: "%r", 64: "%d"}
"""The names of registers by their bits."""
WAYS = ".rz", ".rm", ".rp"
HALVES = "f16", "bf16", "f16x2", "bf16x2"
SMALL = "e4m3x2", "e5m2x2"
INSTRUCTIONS = [
    *[
        f"{name}.{type_}"
        for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem")
        for type_ in INTEGERS
    ],
    *[f"{name}.{type_}" for name in ("mad.lo", "mad.hi", "sad") for type_ in INTEGERS],
    *[f"mul.wide.{type_}" for type_ in ("u16", "s16", "u32", "s32")],
    *[f"mad.wide.{type_}" for type_ in ("u16", "s16", "u32", "s32")],
    *[f"{name}.{type_}" for name in ("abs", "neg") for type_ in ("s16", "s32", "s64")],
    *[f"{name}.sat.s32" for name in ("add", "sub")],
    *[
        f"{name}.{type_}"
        for name in ("add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc")
        for type_ in ("u32", "s32", "u64")
    ],
    *[
        f"{name}.{type_}"
        for name in ("mad.lo.cc", "madc.lo", "madc.hi.cc", "mad.hi.cc")
        for type_ in ("u32", "s32", "u64")
    ],
    *[f"{name}.{type_}" for name in ("and", "or", "xor", "not") for type_ in ("b16", "b32", "b64", "pred")],
    *[f"cnot.b{bits}" for bits in (16, 32, 64)],
    *[f"shl.b{bits}" for bits in (16, 32, 64)],
    *[f"shr.{type_}" for type_ in INTEGERS],
    *[f"shf.{side}.{how}.b32" for side in "lr" for how in ("wrap", "clamp")],
    *[f"{name}.b{bits}" for name in ("popc", "clz", "brev", "bfi") for bits in (32, 64)],
    *[f"bfe.u{bits}" for bits in (32, 64)],
    "prmt.b32",
    *[f"selp.{type_}" for type_ in ("b16", "b32", "b64", "f32", "f64")],
    *[f"setp.{how}.{type_}" for how in ("eq", "ne", "lt", "le", "gt", "ge") for type_ in INTEGERS],
    *[f"setp.{how}.{type_}" for how in ("lo", "ls", "hi", "hs") for type_ in ("u16", "u32", "u64")],
    *[
        f"setp.{how}{flush}"
        for how in ("eq", "ne", "ltu", "geu", "num", "nan", "gt", "le")
        for flush in (".f32", ".ftz.f32", ".f64")
    ],
    *[f"setp.lt.{join}.{type_}" for join in ("and", "or", "xor") for type_ in ("s32", "f32")],
    *[
        f"set.{how}.{to}.{type_}"
        for how in ("eq", "lt", "ge")
        for to in ("u32", "s32", "f32")
        for type_ in ("f32", "s32", "f64")
    ],
    *[f"{name}{how}.f32" for name in ("add", "sub", "mul") for how in ("", ".rn", ".ftz", ".sat", ".ftz.sat")],
    *[f"{name}{how}.f64" for name in ("add", "sub", "mul") for how in ("", ".rn")],
    *[f"fma.rn{how}" for how in (".f32", ".sat.f32", ".f64")],
    *[f"{name}.rn.{type_}" for name in ("div", "rcp", "sqrt") for type_ in ("f32", "f64")],
    "div.full.f32",
    "div.approx.f32",
    *[f"{name}{how}" for name in ("min", "max") for how in (".f32", ".ftz.f32", ".NaN.f32", ".f64")],
    *[f"{name}{how}" for name in ("abs", "neg") for how in (".f32", ".ftz.f32", ".f64")],
    *[f"copysign.{type_}" for type_ in ("f32", "f64")],
    *[f"cvt.{to}.{of}" for to in INTEGERS for of in INTEGERS],
    *[f"cvt.sat.{to}.{of}" for to in INTEGERS for of in INTEGERS],
    *[f"cvt.rn.{to}.{of}" for to in ("f32", "f64") for of in INTEGERS],
    *[f"cvt.{how}.{to}.{of}" for how in ("rni", "rzi", "rmi", "rpi") for to in INTEGERS for of in ("f32", "f64")],
    *[f"cvt.{how}.{type_}.{type_}" for how in ("rni", "rzi", "rmi", "rpi") for type_ in ("f32", "f64")],
    *["cvt.rn.f32.f64", "cvt.f64.f32", "cvt.ftz.f64.f32", "cvt.rn.sat.f32.f64", "cvt.rzi.ftz.s32.f32"],
    *[f"mov.{type_}" for type_ in ("b16", "b32", "b64", "pred")],
    *[f"{name}.approx{how}.f32" for name in ("sin", "cos", "ex2", "lg2", "rsqrt") for how in ("", ".ftz")],
    *["tanh.approx.f32", "tanh.approx.f16x2", "ex2.approx.ftz.bf16", "rsqrt.approx.ftz.f64"],
    *[f"setp.eq.{join}.{type_}" for join in ("and", "or", "xor") for type_ in ("u16", "f64")],
    *[f"set.lt.{join}.u32.{type_}" for join in ("and", "xor") for type_ in ("s32", "f32")],
    "selp.u16",
    "abs.u32",
    "cvta.global.u64",
    "cvta.shared.u64",
    "cvta.to.local.u64",
    "cvta.to.global.u64",
    "isspacep.shared",
    "isspacep.global",
    *[f"cvt.{to}.{of}" for to in ("u8", "s8") for of in ("u16", "s32", "u64")],
    *[f"cvt.{to}.{of}" for to in ("u16", "s32", "u64") for of in ("u8", "s8")],
    *["cvt.f32.f32", "cvt.sat.f32.f32", "cvt.f64.f64", "cvt.rn.sat.f32.s32", "cvt.rzi.s8.f32", "cvt.rni.u8.f64"],
    *[f"{name}{how}.{type_}" for name in ("add", "sub", "mul", "fma") for how in WAYS for type_ in ("f32", "f64")],
    *[f"{name}{how}.{type_}" for name in ("div", "rcp", "sqrt") for how in WAYS for type_ in ("f32", "f64")],
    *[f"{name}{how}.ftz.f32" for name in ("add", "mul", "fma", "div", "rcp", "sqrt") for how in (".rn", *WAYS)],
    *[f"fma{how}.ftz.sat.f32" for how in WAYS],
    *[f"div.{how}.ftz.f32" for how in ("approx", "full")],
    *[f"{name}.approx{flush}.f32" for name in ("rcp", "sqrt") for flush in ("", ".ftz")],
    "rcp.approx.ftz.f64",
    *[f"{name}.rn.{type_}" for name in ("add", "sub", "mul", "fma") for type_ in HALVES],
    *[f"{name}.sat.f16" for name in ("add", "sub", "mul")],
    *[f"{name}.ftz.{type_}" for name in ("add", "sub", "mul", "neg", "abs") for type_ in ("f16", "f16x2")],
    *[f"fma.rn.{how}.{type_}" for how in ("ftz.sat", "relu", "ftz.relu") for type_ in ("f16", "f16x2")],
    *[f"fma.rn.relu.{type_}" for type_ in ("bf16", "bf16x2")],
    *[f"{name}.{type_}" for name in ("neg", "abs") for type_ in HALVES],
    *[
        f"{name}{how}.{type_}"
        for name in ("min", "max")
        for how in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs")
        for type_ in ("f32", *HALVES)
    ],
    *[f"setp.{how}.{type_}" for how in ("eq", "ltu", "nan", "ge") for type_ in ("f16", "ftz.f16", "bf16")],
    *[f"set.lt.{to}.{type_}" for to in ("u32", "f16", "bf16", "s16") for type_ in ("f16", "bf16", "s32")],
    *[f"set.{how}.{type_}.{type_}" for how in ("ltu", "eq", "ftz.gt") for type_ in ("f16x2", "bf16x2")],
    *[f"setp.{how}.{type_}" for how in ("ltu", "eq", "nan") for type_ in ("f16x2", "bf16x2", "ftz.f16x2")],
    *[f"{name}.approx{how}.f32" for name in ("sin", "cos", "ex2", "lg2", "rsqrt") for how in ("", ".ftz")],
    *[f"tanh.approx.{type_}" for type_ in ("f32", *HALVES)],
    *["ex2.approx.f16", "ex2.approx.f16x2", "ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16x2"],
    *["rsqrt.approx.f64", "rsqrt.approx.ftz.f64"],
    *[
        f"cvt{how}.{to}.{of}"
        for how in (".rn", *WAYS)
        for to in ("f16", "bf16", "f32")
        for of in ("f32", "f64")
        if to != of
    ],
    *[
        f"cvt{how}.{to}.{of}"
        for how in (".rn", *WAYS)
        for to in ("f16", "bf16", "f32", "f64")
        for of in ("s8", "u32", "s64", "u64")
    ],
    *[
        f"cvt.{how}i.{to}.{of}"
        for how in ("rn", "rz", "rm", "rp")
        for to in ("f16", "s16", "u32", "s64")
        for of in ("f16", "bf16")
    ],
    *[f"cvt.{to}.{of}" for to in ("f32", "f64") for of in ("f16", "bf16")],
    *[f"cvt.rn.ftz{how}.f32.f64" for how in ("", ".sat", ".relu")],
    *[
        "cvt.ftz.f32.f16",
        "cvt.rz.ftz.f32.f64",
        "cvt.rp.ftz.f32.f64",
        "cvt.rn.ftz.f16.f32",
        "cvt.sat.f32.bf16",
        "cvt.rzi.f32.f16",
    ],
    *[
        "cvt.rna.tf32.f32",
        "cvt.s32.f32",
        "cvt.rz.f16x2.f32",
        "cvt.rn.relu.bf16x2.f32",
        "cvt.rn.f16x2.f32",
        "cvt.rni.f16.f32",
    ],
    *[f"slct.{type_}.{by}" for type_ in ("u16", "b32", "f64") for by in ("s32", "f32")],
    "slct.f32.f32",
    "slct.ftz.f32.f32",
    *[f"bfind{how}.{type_}" for how in ("", ".shiftamt") for type_ in ("u32", "s32", "u64", "s64")],
    *["bfe.s32", "bfe.s64", "fns.b32", "bmsk.clamp.b32", "bmsk.wrap.b32"],
    *[f"szext.{how}.{type_}" for how in ("clamp", "wrap") for type_ in ("u32", "s32")],
    *[f"{name}.{a}.{b}" for name in ("dp4a", "dp2a.lo", "dp2a.hi") for a in ("u32", "s32") for b in ("u32", "s32")],
    *[
        f"testp.{what}.{type_}"
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal")
        for type_ in ("f32", "f64")
    ],
    *[f"prmt.b32.{mode}" for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")],
    *[f"{name}.{part}.{type_}" for name in ("mul24", "mad24") for part in ("lo", "hi") for type_ in ("u32", "s32")],
    *["mad24.hi.sat.s32", "mad.hi.sat.s32"],
    *["add.u16x2", "add.s16x2", "min.relu.s32", "max.relu.s32"],
    *[f"{name}.{type_}" for name in ("min", "max") for type_ in ("u16x2", "s16x2", "relu.s16x2")],
    *[f"cvt.{how}.tf32.f32" for how in ("rna.satfinite", "rn", "rz", "rn.relu", "rz.relu")],
    *[
        f"cvt.rn.satfinite{how}.{to}"
        for how in ("", ".relu")
        for to in ("f16.f32", "bf16.f32", "f16x2.f32", "bf16x2.f32")
    ],
    *[f"cvt.rn.satfinite{how}.{to}.{of}" for how in ("", ".relu") for to in SMALL for of in ("f32", "f16x2")],
    *[f"cvt.rn{how}.f16x2.{of}" for how in ("", ".relu") for of in SMALL],
    *[f"cvt.pack.sat.{to}.s32" for to in ("u16", "s16")],
    *[f"cvt.pack.sat.{to}.s32.b32" for to in ("u8", "s8", "u4", "s4", "u2", "s2")],
]
ATOMICS = [
    *[f"{how}.{type_}" for how in ("add", "min", "max") for type_ in ("u32", "s32", "u64")],
    *[f"{how}.b{bits}" for how in ("and", "or", "xor", "exch", "cas") for bits in (32, 64)],
    *["min.s64", "max.u64", "add.f32", "add.f64", "inc.u32", "dec.u32", "cas.b16", "add.noftz.f16", "add.noftz.bf16x2"],
]
VECTORS = [("add.v2.f32", 32, 2), ("add.v4.f32", 32, 4), ("add.noftz.v2.f16", 16, 2), ("add.noftz.v4.bf16x2", 32, 4)]
"""Atomic operations on vectors, with the bits and the number of elements."""
LOADS = ["ld", "ld", "ld", "ld.volatile", "ld.relaxed.gpu"]
STORES = ["st", "st", "st", "st.volatile", "st.release.gpu"]
CONSTANTS = frozenset(f"{kind}{bits}" for kind in "usb" for bits in (16, 32, 64)) | {"f32", "f64"}
"""The types of operands that may be constants."""
CLOCKS = ["clock64", "globaltimer"]
SPECIALS = [
    "clock",
    *[name[1:] for name in READERS if name != EXPLICIT and name not in WORKSPACE],
]
QUIET = (
    *("membar.gl;", "fence.acq_rel.gpu;", "fence.sc.cta;", "prefetch.global.L2 [%own];", "prefetchu.L1 [%own];"),
    *("applypriority.global.L2::evict_normal [%all], 128;", "discard.global.L2 [%all], 128;", "pmevent 1;"),
    *("griddepcontrol.wait;", "griddepcontrol.launch_dependents;", "setmaxnreg.dec.sync.aligned.u32 40;"),
)
"""Instructions without an effect on values."""
FLOATS = {
    32: [
        0,
        1 << 31,
        0x3F800000,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        0xFFC12345,
        1,
        0x807FFFFF,
        0x00800000,
        0x80800001,
        0x4F000000,
    ],
    64: [0, 1 << 63, 0x3FF << 52, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0xFFF4 << 48 | 5, 1, 1 << 52, 0x43E << 52],
}


@cache
def accepted() -> list[str]:
    """Return the instructions that a driver accepts."""
    registers, found = ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;", []
    for text in INSTRUCTIONS:
        name, *modifiers = text.split(".")
        meaning = meaning_of(Row.of(name, tuple(f".{one}" for one in modifiers), (1, 1)))
        types = [meaning.results[0], *[one for one in meaning.sources if one != CARRY]]
        listed = ", ".join(
            f"%p{number}" if one == PREDICATE else f"{NAMES[max(bits_of(one), 16)]}{number}"
            for number, one in enumerate(types)
        )
        with contextlib.suppress(Refused):
            ptx.parsed(f"{HEAD}.entry k() {{ {registers} {text} {listed}; }}".encode(), 90, (9, 0))
            found.append(text)
    return found


def value(draw: random.Random, bits: int) -> int:
    """Return a drawn value, often one at an edge."""
    how = draw.randrange(4)
    if how == 0 and bits in FLOATS:
        return draw.choice(FLOATS[bits])
    if how == 1:
        edges = [0, 1, 2, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, bits, bits - 1]
        return draw.choice(edges) & (1 << bits) - 1
    if how == 2 and bits in FLOATS:
        return int(draw.choice(FLOATS[bits])) + draw.randrange(-3, 4) & (1 << bits) - 1
    return draw.getrandbits(bits)
