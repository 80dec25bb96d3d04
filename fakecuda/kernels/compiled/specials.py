"""Special registers as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled.layout import Block, Launch
from fakecuda.kernels.spaces import WINDOWS
from fakecuda.kernels.special import AXES, CHANGING, EXPLICIT, NARROW, RANK_REGISTER, WORD, WORKSPACE
from fakecuda.kernels.threads import WARP

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines

BITS = 32


def _cut(o: Lines, value: str) -> str:
    return o(f"trunc i64 {value} to i32")


def _word(base: str, number: int) -> Callable[[Lines], str]:
    """Return a function that reads a word of a launch or of a block."""

    def read(o: Lines) -> str:
        place = o(f"getelementptr i64, ptr {base}, i64 {number}")
        return _cut(o, o(f"load i64, ptr {place}, align 8"))

    return read


def _part(how: str, base: str, number: int, axis: int) -> Callable[[Lines], str]:
    """Return a function for the quotient or remainder of a word by the cluster size."""

    def read(o: Lines) -> str:
        return o(f"{how} i32 {_word(base, number)(o)}, {_word('%launch', Launch.CLUSTER_X + axis)(o)}")

    return read


def _lane(o: Lines) -> str:
    return _cut(o, o(f"urem i64 %n, {WARP}"))


def _mask(word: str, value: int) -> Callable[[Lines], str]:
    """Return a function for a lane mask register such as ``%lanemask_lt``."""

    def read(o: Lines) -> str:
        wide = o(f"shl i64 {value}, {o(f'urem i64 %n, {WARP}')}")
        return _cut(o, o(f"sub i64 {wide}, 1") if word == "below" else wide)

    return read


def _warps(o: Lines) -> str:
    threads = o(f"load i64, ptr {o(f'getelementptr i64, ptr %launch, i64 {int(Launch.THREADS)}')}, align 8")
    return _cut(o, o(f"udiv i64 {o(f'add i64 {threads}, {WARP - 1}')}, {WARP}"))


def _multiprocessor(o: Lines) -> str:
    number = o(f"load i64, ptr {o(f'getelementptr i64, ptr %block, i64 {int(Block.NUMBER)}')}, align 8")
    place = o(f"getelementptr i64, ptr %launch, i64 {int(Launch.MULTIPROCESSORS)}")
    return _cut(o, o(f"urem i64 {number}, {o(f'load i64, ptr {place}, align 8')}"))


def _workspace(bit: int) -> Callable[[Lines], str]:
    """Return a function that reads half of the workspace address."""

    def read(o: Lines) -> str:
        room = o(f"load i64, ptr {o(f'getelementptr i64, ptr %launch, i64 {int(Launch.ROOM)}')}, align 8")
        value = WINDOWS["workspace"] >> bit & WORD
        return o.choose(o(f"icmp ne i64 {room}, 0"), "i32", value, 0)

    return read


def time(o: Lines, name: str, bits: int) -> str:
    """Return a register that counts time, as the reference's grid does."""
    ticks = o(f"getelementptr i64, ptr %launch, i64 {int(Launch.TICKS)}")
    more = o(f"add i64 {o(f'load i64, ptr {ticks}, align 8')}, 1")
    o.do(f"store i64 {more}, ptr {ticks}, align 8")
    spent = o(f"load i64, ptr {o(f'getelementptr i64, ptr %launch, i64 {int(Launch.SPENT)}')}, align 8")
    shifted = o(f"lshr i64 {o(f'add i64 {spent}, {more}')}, {CHANGING[name]}")
    return o.resize(o(f"and i64 {shifted}, {WORD}") if name in NARROW else shifted, 64, bits)


READERS: dict[str, Callable[[Lines], str]] = {
    "%tid.x": lambda o: _cut(o, "%tx"),
    "%tid.y": lambda o: _cut(o, "%ty"),
    "%tid.z": lambda o: _cut(o, "%tz"),
    "%ntid.x": _word("%launch", Launch.BLOCK_X),
    "%ntid.y": _word("%launch", Launch.BLOCK_Y),
    "%ntid.z": _word("%launch", Launch.BLOCK_Z),
    "%ctaid.x": _word("%block", Block.X),
    "%ctaid.y": _word("%block", Block.Y),
    "%ctaid.z": _word("%block", Block.Z),
    "%nctaid.x": _word("%launch", Launch.GRID_X),
    "%nctaid.y": _word("%launch", Launch.GRID_Y),
    "%nctaid.z": _word("%launch", Launch.GRID_Z),
    "%laneid": _lane,
    "%warpid": lambda o: _cut(o, o(f"udiv i64 %n, {WARP}")),
    "%nwarpid": _warps,
    "%smid": _multiprocessor,
    "%nsmid": _word("%launch", Launch.MULTIPROCESSORS),
    "%lanemask_eq": _mask("at", 1),
    "%lanemask_le": _mask("below", 2),
    "%lanemask_lt": _mask("below", 1),
    "%lanemask_ge": _mask("at", 0xFFFFFFFF),
    "%lanemask_gt": _mask("at", 0xFFFFFFFE),
    "%dynamic_smem_size": _word("%launch", Launch.DYNAMIC),
    "%total_smem_size": _word("%launch", Launch.SHARED),
    RANK_REGISTER: _word("%block", Block.RANK),
    "%cluster_nctarank": _word("%launch", Launch.MANY),
    EXPLICIT: lambda o: o(f"trunc i32 {_word('%launch', Launch.EXPLICIT)(o)} to i1"),
    **{f"%clusterid.{axis}": _part("udiv", "%block", Block.X + n, n) for n, axis in enumerate(AXES)},
    **{f"%nclusterid.{axis}": _part("udiv", "%launch", Launch.GRID_X + n, n) for n, axis in enumerate(AXES)},
    **{f"%cluster_ctaid.{axis}": _part("urem", "%block", Block.X + n, n) for n, axis in enumerate(AXES)},
    **{f"%cluster_nctaid.{axis}": _word("%launch", Launch.CLUSTER_X + n) for n, axis in enumerate(AXES)},
    **{name: _workspace(bit) for name, bit in WORKSPACE.items()},
}
"""Functions that read special registers, by name."""


def bits_of(name: str) -> int:
    """Return the size of a special register in bits."""
    return 1 if name == EXPLICIT else BITS
