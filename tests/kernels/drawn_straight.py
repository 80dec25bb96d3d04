"""Drawn kernels whose threads use a word each, for a comparison of the engines: ``python -m tests.kernels.drawn_straight 0 100``."""

from __future__ import annotations

import contextlib
import ctypes
import io
import random
import struct
from unittest import mock

from fakecuda.kernels.compiled import engine

from .children import main
from .engines import NATIVE, hot
from .world import HEAD, Bench

CHUNK = 1 << 18
WIDTHS = {"u8": 1, "u16": 2, "b32": 4, "f32": 4, "u64": 8, "f64": 8}
FLOATS = (0.0, -0.0, 1.5, -2.25, 3e38, 1e-40, float("nan"), float("inf"), -float("inf"))
STRENGTHS = ("", "", "", ".volatile", ".relaxed.gpu")


class Straight:
    """A random kernel.

    Args:
        seed: What it is drawn by.
    """

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)  # noqa: S311 - no secret
        self.type = draw.choice([*WIDTHS])
        self.lanes = draw.choice([1, 1, 1, 2, 4]) if WIDTHS[self.type] == 4 else 1
        self.size = WIDTHS[self.type] * self.lanes
        self.inputs = draw.randrange(3)
        self.block = draw.choice([(1, 1, 1), (7, 1, 1), (32, 1, 1), (64, 1, 1), (65, 1, 1), (8, 2, 1)])
        self.grid = draw.randrange(1, 6), 1, 1
        threads = self.grid[0] * self.block[0]
        self.count = draw.choice([threads, threads, threads - 3, threads + 5, 0, 1 << 20, -1])
        self.text = self._kernel()

    def _index(self) -> str:
        """Return the code of an index in %i, of 32 bits, and of a place in %o, of 64 bits."""
        draw, size = self.draw, self.size
        begin = draw.choice(
            [
                "mov.u32 %a, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %c, %tid.x; mad.lo.s32 %i, %a, %b, %c;",
                "mov.u32 %a, %ctaid.x; mov.u32 %b, %ntid.x; mul.lo.u32 %a, %a, %b; mov.u32 %c, %tid.x; add.u32 %i, %c, %a;",
                "mov.u32 %i, %tid.x;",
                "mov.u32 %a, %ctaid.x; mov.u32 %c, %tid.x; shl.b32 %a, %a, 5; or.b32 %i, %a, %c;",
                "mov.u32 %c, %tid.x; sub.u32 %i, 40, %c;",
                "mov.u32 %c, %tid.x; mul.lo.u32 %i, %c, 3;",
                "mov.u32 %c, %tid.x; add.s32 %i, %c, 0x7FFFFFE0; sub.s32 %i, %i, 0x7FFFFFE0;",
                "mov.u32 %c, %tid.x; add.s32 %i, %c, 0x7FFFFFE0;",
                "mov.u32 %c, %tid.x; sub.u32 %i, %c, 4;",
                "mov.u32 %c, %tid.x; and.b32 %i, %c, 15;",
            ]
        )
        sign = draw.choice("su")
        shift = size.bit_length() - 1
        place = draw.choice(
            [
                f"mul.wide.{sign}32 %o, %i, {size};",
                f"mul.wide.{sign}32 %o, %i, {size};",
                f"cvt.{sign}64.{sign}32 %o, %i; shl.b64 %o, %o, {shift};",
                f"cvt.{sign}64.{sign}32 %o, %i; mul.lo.u64 %o, %o, {size};",
                f"shl.b32 %a, %i, {shift}; cvt.{sign}64.{sign}32 %o, %a;",
            ]
        )
        return begin + place

    def _guard(self) -> str:
        draw = self.draw
        word, sign = draw.choice(["ge", "gt", "le", "lt", "ne"]), draw.choice("su")
        first, second = draw.choice([("%i", "%n"), ("%n", "%i")])
        compare = f"setp.{word}.{sign}32 %p, {first}, {second};"
        return draw.choice(
            ["", compare + "@%p bra END;", compare + "@%p ret;", compare + "@!%p bra END;", compare + "@!%p exit;"]
        )

    def _computed(self, names: list[str]) -> str:
        """Return instructions of the loaded values, whose result is %x0 and so on."""
        draw, text = self.draw, ""
        for lane in range(self.lanes):
            target = f"%x{lane}"
            sources = [name.format(lane) for name in names] + [target]
            begin = {"f32": "mov.f32 {}, 0f00000000;", "f64": "mov.f64 {}, 0d0000000000000000;"}
            text += begin.get(self.type, f"mov.b{8 * max(WIDTHS[self.type], 2)} {{}}, 0;").format(target)
            for _ in range(draw.randrange(1, 4)):
                a, b = draw.choice(sources), draw.choice(sources)
                text += {
                    "f32": draw.choice(
                        [
                            f"fma.rn.f32 {target}, {a}, {b}, {target};",
                            f"add.f32 {target}, {a}, {b};",
                            f"max.f32 {target}, {a}, {b};",
                        ]
                    ),
                    "f64": draw.choice([f"add.f64 {target}, {a}, {b};", f"mul.f64 {target}, {a}, {b};"]),
                    "b32": draw.choice(
                        [
                            f"xor.b32 {target}, {a}, {b};",
                            f"add.u32 {target}, {a}, %i;",
                            f"setp.lt.u32 %q, {a}, {b}; selp.b32 {target}, {a}, 7, %q;",
                        ]
                    ),
                    "u64": draw.choice([f"add.u64 {target}, {a}, {b};", f"mul.lo.u64 {target}, {a}, {b};"]),
                }.get(self.type, f"add.u16 {target}, {a}, {b};")
        return text

    def _kernel(self) -> str:
        draw, type_ = self.draw, self.type
        bits = 8 * max(WIDTHS[type_], 2)
        register = {"f32": ".f32", "f64": ".f64"}.get(type_, f".b{bits}")
        vector = f".v{self.lanes}" if self.lanes > 1 else ""

        def listed(name: str) -> str:
            parts = ", ".join(name.format(lane) for lane in range(self.lanes))
            return f"{{{parts}}}" if self.lanes > 1 else parts

        names = [f"%l{one}_{{}}" for one in range(self.inputs)]
        declared = " ".join(
            f".reg {register} {name.format(lane)};" for name in [*names, "%x{}"] for lane in range(self.lanes)
        )
        space, loads = draw.choice([".global", ".global", ""]), ""
        for one, name in enumerate(names):
            loads += f"ld.param.u64 %d, [in{one}]; cvta.to.global.u64 %d, %d; add.s64 %d, %d, {draw.choice(['%o', '%o', '%o', '0'])};"
            loads += f"ld{draw.choice(STRENGTHS)}{space}{vector}.{type_} {listed(name)}, [%d];"
        more = draw.choice([0, 0, 0, self.size, 1])
        params = "".join(f", .param .u64 in{one}" for one in range(self.inputs))
        return f"""{HEAD}
.visible .entry k(.param .u64 out, .param .u32 count{params}) {{
.reg .pred %p, %q; .reg .b32 %a, %b, %c, %i, %n; .reg .b64 %o, %d, %e; {declared}
ld.param.u32 %n, [count]; ld.param.u64 %e, [out];
{self._index()}
{self._guard()}
{loads}
{self._computed(names)}
add.s64 %e, %e, %o;
st{draw.choice(STRENGTHS)}{space}{vector}.{type_} [%e+{more}], {listed("%x{}")};
END: ret;
}}
"""

    def data(self, size: int) -> bytes:
        """Return bytes of memory."""
        code = {"f32": "f", "f64": "d"}.get(self.type)
        if code is None:
            return self.draw.randbytes(size)
        width = WIDTHS[self.type]
        return b"".join(struct.pack("<" + code, self.draw.choice(FLOATS)) for _ in range(size // width)) + bytes(
            size % width
        )


def compared(seed: int) -> None:
    """Run a drawn kernel by both engines, with code that is not optimised and with code that is; all must leave the same."""
    for native in (NATIVE, hot):
        made = Straight(seed)
        draw = made.draw
        quiet = contextlib.redirect_stderr(io.StringIO())
        with mock.patch.object(engine, "native", native), Bench(made.text) as bench, quiet:
            size = draw.choice([made.size * (made.grid[0] * made.block[0] + 8), 4096, CHUNK + 8192])
            memory = [
                bench.memory(made.data(min(size, 8192)) + bytes(max(size - 8192, 0)))
                for _ in range(draw.randrange(1, made.inputs + 2))
            ]
            skips = [0, 0, made.size, 2 * made.size, 4, 1, CHUNK - 16 * made.size if size > CHUNK else 0]
            places = [draw.choice(memory) + draw.choice(skips) * draw.randrange(2) for _ in range(made.inputs + 1)]
            count = ctypes.c_int32(made.count)
            bench.launch("k", places[0], count, *places[1:], grid=made.grid, block=made.block)
            assert bench.twins.compared == 1


if __name__ == "__main__":
    main(compared)
