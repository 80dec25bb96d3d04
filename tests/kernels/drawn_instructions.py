"""The instructions of random kernels, and the values of their registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

INTEGERS = [f"{sign}{bits}" for sign in "us" for bits in (16, 32, 64)]
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
]
ATOMICS = [
    *[f"{how}.{type_}" for how in ("add", "min", "max") for type_ in ("u32", "s32", "u64")],
    *[f"{how}.b{bits}" for how in ("and", "or", "xor", "exch", "cas") for bits in (32, 64)],
    *["min.s64", "max.u64", "add.f32", "add.f64", "inc.u32", "dec.u32", "cas.b16", "add.noftz.f16", "add.noftz.bf16x2"],
]
SPECIALS = [
    "clock",
    "tid.x",
    "tid.y",
    "ntid.x",
    "ctaid.x",
    "nctaid.x",
    "laneid",
    "warpid",
    "smid",
    "lanemask_lt",
    "lanemask_ge",
]
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
