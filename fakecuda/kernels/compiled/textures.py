"""Texture and surface instructions, which Python executes for native code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels import textures
from fakecuda.kernels.compiled import calls, texels
from fakecuda.kernels.row import bits_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row


def ask(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write an instruction that Python executes, after its modifiers are read."""
    row.words.clear()
    row.types.clear()
    asked = body.kernel.asked[instruction]
    sources = [(body.value(inlined, one, type_), bits_of(type_)) for one, type_ in asked.sources]
    own = None
    if asked.geometry:
        own, body.reads_texels = texels.call(asked.geometry, asked.type, asked.wanted), True
    values = calls.ask(body, inlined, instruction, None, sources, own)
    bits = bits_of(asked.type)
    for number, target in enumerate(asked.targets):
        place = body.o(f"getelementptr i64, ptr {values}, i64 {number}")
        found = body.o.resize(body.o(f"load i64, ptr {place}, align 8"), 64, bits)
        body.put(inlined, target, found, f"b{bits}")


OPS: dict[str, Callable[[Body, Inlined, Instruction, Row], None]] = dict.fromkeys(textures.OPS, ask)
"""Writers of texture instructions, by name."""
