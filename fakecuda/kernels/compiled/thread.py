"""The function of a thread: its start, its stops, and its registers in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import layout, shared_races
from fakecuda.kernels.compiled.layout import RESUMED, Block, Thread

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.body import Body

ARGUMENTS = "ptr %launch, ptr %block, ptr %thread, i64 %n, i64 %tx, i64 %ty, i64 %tz"
"""Arguments of a thread: launch, block, thread, its number and its index."""

MOST = 10_000
"""The maximum registers that are saved separately at each end of a turn."""


def _rounded(size: int) -> int:
    return -(-size // 16) * 16


def stride_of(body: Body) -> int:
    """Return the size of a thread in bytes."""
    return fragments_of(body) + body.fragments + body.stack + _rounded(body.room)


def copies_of(body: Body) -> int:
    """Return the offset of a thread's asynchronous copies in bytes."""
    return _rounded(layout.REGISTERS + body.registers)


def fragments_of(body: Body) -> int:
    """Return the offset of a thread's matrix registers in bytes."""
    return copies_of(body) + body.copies


def _kept(body: Body, name: str, following: int | None = None, *, load: bool) -> list[str]:
    """Return the code that saves or restores the registers of a stopped thread.

    Args:
        body: The thread's code.
        name: What the names in the code begin with.
        following: The piece that comes next, whose registers alone count. None for all registers.
        load: Whether to read them.
    """
    only = None if following is None or body.units else body.flow.live(following)
    return moved(name, "%thread", layout.REGISTERS, body.saved, body.areas, load=load, only=only)


def _waiting(body: Body) -> list[str]:
    """Return the code by which threads stop where they wait."""
    lines = []
    for number, following in enumerate(body.resumes):
        lines += [f"keep{number}:", *_kept(body, f"w{number}s", following, load=False), "  br label %stored"]
    return lines


def _stopping(body: Body) -> list[str]:
    """Return the code by which threads stop at the end of their turn."""
    lines = []
    lives = {number: body.flow.live(number) for number in body.stops} if body.hot and not body.units else {}
    apart = 0 < sum(map(len, lives.values())) <= MOST
    for number in sorted(body.stops):
        lines += [f"turn{number}:", f"  store i32 {number}, ptr %next"]
        lines += _kept(body, f"h{number}s", number, load=False) if apart else []
        lines.append(f"  br label %{'halt' if apart else 'stop'}")
    return lines


def _resuming(body: Body) -> list[str]:
    """Return the code by which threads resume after a wait or a turn."""
    waited = " ".join(f"i32 {RESUMED + number}, label %back{number}" for number in range(len(body.resumes)))
    lines = [f"  switch i32 %at, label %load [ {waited} ]", "load:", *_kept(body, "s1", load=True)]
    ended = " ".join(f"i32 {number}, label %P{number}" for number in range(len(body.pieces)))
    lines += [f"  switch i32 %at, label %never [ {ended} ]", "never:", "  unreachable"]
    for number, following in enumerate(body.resumes):
        lines += [f"back{number}:", *_kept(body, f"w{number}l", following, load=True), f"  br label %R{number}"]
    return lines


def moved(
    name: str,
    base: str,
    start: int,
    saved: list[tuple[str, int]],
    areas: list[tuple[str, int]],
    *,
    load: bool,
    only: set[str] | None = None,
) -> list[str]:
    """Return the code that moves registers and parameters to or from memory.

    Args:
        name: What the names in the code begin with.
        base: Where the memory lies.
        start: The offset of the first there.
        saved: The registers and their bits.
        areas: The parameters and their bytes.
        load: Whether to read them.
        only: The registers that count. None for all.
    """
    lines = []
    at = start
    for number, (register, bits) in enumerate(saved):
        if only is not None and register not in only:
            at += layout.room_of(bits)
            continue
        place, value = f"%{name}k{number}", f"%{name}v{number}"
        wide = f"i{max(bits, 8)}"
        lines.append(f"  {place} = getelementptr i8, ptr {base}, i64 {at}")
        if load:
            lines.append(f"  {value} = load {wide}, ptr {place}, align 8")
            if bits == 1:
                lines.append(f"  {value}b = trunc i8 {value} to i1")
            lines.append(f"  store i{bits} {value}{'b' if bits == 1 else ''}, ptr {register}")
        else:
            lines.append(f"  {value} = load i{bits}, ptr {register}")
            if bits == 1:
                lines.append(f"  {value}b = zext i1 {value} to i8")
            lines.append(f"  store {wide} {value}{'b' if bits == 1 else ''}, ptr {place}, align 8")
        at += layout.room_of(bits)
    for number, (area, size) in enumerate(areas):
        place = f"%{name}m{number}"
        lines.append(f"  {place} = getelementptr i8, ptr {base}, i64 {at}")
        to, of = (area, place) if load else (place, area)
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {of}, i64 {size}, i1 false)")
        at += _rounded(size)
    return lines


def size_of(saved: list[tuple[str, int]], areas: list[tuple[str, int]]) -> int:
    """Return the bytes that :func:`moved` uses."""
    return sum(layout.room_of(bits) for _, bits in saved) + sum(_rounded(size) for _, size in areas)


def text(body: Body) -> str:
    """Return the text of a thread's function."""
    turn = body.turn
    words = {name: f"%t{name.name.lower()}" for name in Thread}
    place = [f"  {value} = getelementptr i32, ptr %thread, i64 {int(name)}" for name, value in words.items()]
    head = [
        f"define internal i64 @step({ARGUMENTS}) alwaysinline {{",
        "entry:",
        *place,
        f"  %local = getelementptr i8, ptr %thread, i64 {stride_of(body) - _rounded(body.room)}",
        f"  %stack = getelementptr i8, ptr %thread, i64 {stride_of(body) - _rounded(body.room) - body.stack}",
        f"  %copies = getelementptr i8, ptr %thread, i64 {copies_of(body)}",
        f"  %fragments = getelementptr i8, ptr %thread, i64 {fragments_of(body)}",
        "  %left = alloca i32",
        "  %next = alloca i32",
        f"  store i32 {turn}, ptr %left",
        "  store i32 0, ptr %next",
        *shared_races.begin(body),
        *body.head,
    ]
    if body.resumed:
        head += [f"  %at = load i32, ptr {words[Thread.PIECE]}, align 4", *_resuming(body)]
    else:
        head += [*body.first, "  br label %P0"]
    tail = [
        *_stopping(body),
        "stop:",
        *_kept(body, "s0", load=False),
        "  br label %halt",
        "halt:",
        f"  store i32 {layout.READY}, ptr {words[Thread.STATE]}, align 4",
        "  br label %stored",
        *_waiting(body),
        "stored:",
        "  %next.now = load i32, ptr %next",
        f"  store i32 %next.now, ptr {words[Thread.PIECE]}, align 4",
        "  br label %out",
        "finish:",
        *body.last,
        f"  store i32 {layout.ENDED}, ptr {words[Thread.STATE]}, align 4",
        f"  %live.at = getelementptr i64, ptr %block, i64 {int(Block.LIVE)}",
        "  %live = load i64, ptr %live.at, align 8",
        "  %live.less = sub i64 %live, 1",
        "  store i64 %live.less, ptr %live.at, align 8",
        *(["  call void @leave(ptr %launch, ptr %block, i64 %n)"] if body.meetings else []),
        *(["  call void @cluster.left(ptr %launch, ptr %block, ptr %thread)"] if body.in_cluster else []),
        *(["  call void @left(ptr %launch, ptr %block)"] if body.waits else []),
        "  br label %out",
        "out:",
        "  %left.now = load i32, ptr %left",
        f"  %used = sub i32 {turn}, %left.now",
        "  %used.wide = zext i32 %used to i64",
        "  ret i64 %used.wide",
        "}",
    ]
    return "\n".join([*head, *body.o.text, *tail])
