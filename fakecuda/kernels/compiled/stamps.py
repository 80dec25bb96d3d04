"""LLVM IR functions of the race detector's stamps, and the layout of stamps.

They lie behind the block's threads: a time for each warp, and a cell for each grain of shared memory. A launch begins without
stamps of loads: the block only knows that its epoch has loads. Where a write follows in such an epoch, the launch begins again,
with all stamps. So kernels whose epochs have loads or stores, but not both, are fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled.layout import HEAD, WORD, Block, Launch
from fakecuda.kernels.compiled.runtime import field
from fakecuda.kernels.shared_races import CONFLICTS, LAST, LOW, PENDING, SITE, STEP
from fakecuda.kernels.spaces import QUIET, UPDATES, WRITES
from fakecuda.kernels.threads import WARP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.kernels.shared_races import Watch

PAIR = 2 * WORD
PHASES = WORD * (1024 // WARP)
"""The size of warp times before the cells, in bytes."""
BITS = 8


def cell_of(watch: Watch) -> int:
    """Return the size of a cell in bytes."""
    return PAIR * (2 if watch.phased else 1) * (len(CONFLICTS) if watch.strong else UPDATES)


def room_of(watch: Watch | None, shared: int) -> int:
    """Return the size of a block's stamps, by the size of shared memory."""
    return 0 if watch is None else PHASES + -(-shared // watch.grain) * cell_of(watch)


def before(watch: Watch, use: int) -> list[int]:
    """Return the kernel's uses that need an order with a use."""
    return [other for other in CONFLICTS[use] if other < UPDATES or watch.strong]


def place(watch: Watch, use: int) -> int:
    """Return the place of a use's stamps in a cell."""
    return use * PAIR * (2 if watch.phased else 1)


def shift(watch: Watch) -> int:
    """Return the shift from an address to its cell."""
    return (cell_of(watch) // watch.grain).bit_length() - 1


ORDER = f"""  %order.at = getelementptr i64, ptr %block, i64 {int(Block.TIME)}
  %order.now = load i64, ptr %order.at, align 8
  %order.next = add i64 %order.now, {STEP}
  store i64 %order.next, ptr %order.at, align 8
  %order.epoch.at = getelementptr i64, ptr %block, i64 {int(Block.EPOCH)}
  store i64 %order.next, ptr %order.epoch.at, align 8
  %order.mask.at = getelementptr i64, ptr %launch, i64 {int(Launch.MASK)}
  %order.mask = load i64, ptr %order.mask.at, align 8
  %order.limit = and i64 %order.next, %order.mask
  %order.limit.at = getelementptr i64, ptr %block, i64 {int(Block.LIMIT)}
  store i64 %order.limit, ptr %order.limit.at, align 8
"""
"""The order of all earlier work of a block before all later work."""


_CELLS = f"""{field("shadow", "%launch", Launch.SHADOW)}  %phases = getelementptr i8, ptr %block, i64 %shadow
  %cells = getelementptr i8, ptr %phases, i64 {PHASES}
{field("epoch", "%block", Block.EPOCH)}"""


def _phase(watch: Watch) -> str:
    """Return the code that finds the start of the warp's phase or the epoch."""
    if not watch.phased:
        return "  %phase = add i64 %epoch, 0\n"
    return f"""  %n.warp = lshr i64 %n, {WARP.bit_length() - 1}
{field("begun", "%phases", 0).replace("i64 0", "i64 %n.warp")}  %phase = call i64 @llvm.umax.i64(i64 %begun, i64 %epoch)
"""


def functions(watch: Watch, syncs: Iterable[int]) -> str:
    """Return the functions.

    Args:
        watch: What is known of the kernel.
        syncs: The instructions by which threads of a warp synchronise, by their numbers among those that threads wait at.
    """
    uses = CONFLICTS if watch.strong else range(UPDATES)
    parts = [
        f"define internal void @race.order(ptr %launch, ptr %block) noinline {{\n{ORDER}  ret void\n}}",
        _judge(watch),
    ]
    parts += [_use(watch, use) for use in uses]
    if watch.copies:
        parts += [_begin(watch), _end(watch)]
    if watch.phased:
        parts.append(_together(syncs))
    return "\n".join(parts)


def _judge(watch: Watch) -> str:
    """Return the function that keeps a race with a stamp, unless one is kept."""
    begins = ["%epoch", "%epoch", *(["%phase", "%phase"] if watch.phased else [])]
    lines, number = "", len(begins)
    for one, begin in enumerate(begins):
        who = f"  %who.{one} = sub i64 {LAST}, %part.{one}" if one % 2 else f"  %who.{one} = add i64 %part.{one}, 0"
        near = (
            f"icmp {'ne' if begin == '%epoch' else 'eq'} i64 %apart.{one}, 0"
            if watch.phased
            else "icmp eq i1 true, true"
        )
        lines += f"""look.{one}:
  %at.{one} = getelementptr i64, ptr %held, i64 {one}
  %stamp.{one} = load i64, ptr %at.{one}, align 8
  %up.{one} = lshr i64 %stamp.{one}, {SITE}
  %part.{one} = and i64 %up.{one}, {LAST}
{who}
  %pending.{one} = icmp uge i64 %stamp.{one}, {PENDING}
  %recent.{one} = icmp uge i64 %stamp.{one}, {begin}
  %other.{one} = icmp ne i64 %who.{one}, %n
  %xor.{one} = xor i64 %who.{one}, %n
  %apart.{one} = lshr i64 %xor.{one}, {WARP.bit_length() - 1}
  %near.{one} = {near}
  %both.{one} = and i1 %recent.{one}, %other.{one}
  %all.{one} = and i1 %both.{one}, %near.{one}
  %hit.{one} = or i1 %pending.{one}, %all.{one}
  br i1 %hit.{one}, label %found, label %look.{one + 1}
"""
    stored = {
        Launch.RACED: "1",
        Launch.RACE_AT: "%address",
        Launch.RACE_EARLIER: "%first",
        Launch.RACE_LATER: "%later",
        Launch.RACE_USES: "%both.uses",
        Launch.RACE_BLOCK: "%number",
    }
    keeps = "".join(
        f"  %to.{word.name} = getelementptr i64, ptr %launch, i64 {int(word)}\n  store i64 {value}, ptr %to.{word.name}, align 8\n"
        for word, value in stored.items()
    )
    stamps = ", ".join(f"[ %stamp.{one}, %look.{one} ]" for one in range(number))
    threads = ", ".join(f"[ %who.{one}, %look.{one} ]" for one in range(number))
    return f"""
define internal void @race.judge(ptr %launch, ptr %block, ptr %held, i64 %n, i64 %epoch, i64 %phase, i64 %later, i64 %uses,
    i64 %address) noinline {{
entry:
{field("raced", "%launch", Launch.RACED)}{field("number", "%block", Block.NUMBER)}
  %new = icmp eq i64 %raced, 0
  br i1 %new, label %look.0, label %look.{number}
{lines}look.{number}:
  ret void
found:
  %stamp = phi i64 {stamps}
  %thread = phi i64 {threads}
  %site = and i64 %stamp, {(1 << SITE) - 1}
  %above = shl i64 %thread, {SITE}
  %first = or i64 %above, %site
  %is.pending = icmp uge i64 %stamp, {PENDING}
  %pending = zext i1 %is.pending to i64
  %flag = shl i64 %pending, {2 * BITS}
  %both.uses = or i64 %uses, %flag
{keeps}  ret void
}}
"""


def _use(watch: Watch, use: int) -> str:
    """Return the function that checks an access of several grains."""
    bits, checks, last = BITS * watch.grain, "", "each"
    loads = f"""  %loads.at = getelementptr i64, ptr %block, i64 {int(Block.LOADS)}
"""
    if use in QUIET:
        loads += "  store i64 %epoch, ptr %loads.at, align 8\n"
    else:
        loads += f"""  %loads = load i64, ptr %loads.at, align 8
  %after.loads = icmp uge i64 %loads, %epoch
  %mixed = zext i1 %after.loads to i64
  %mixed.at = getelementptr i64, ptr %launch, i64 {int(Launch.MIXED)}
  %mixed.before = load i64, ptr %mixed.at, align 8
  %mixed.now = or i64 %mixed.before, %mixed
  store i64 %mixed.now, ptr %mixed.at, align 8
"""
    for other in before(watch, use):
        skip = f"  %worth.{other} = and i1 %busy.{other}, %differs\n" if use == other == WRITES else ""
        worth = "worth" if skip else "busy"
        checks += f"""  br label %check.{other}
check.{other}:
  %held.{other} = getelementptr i8, ptr %cell, i64 {place(watch, other)}
  %high.{other} = load i64, ptr %held.{other}, align 16
  %busy.{other} = icmp uge i64 %high.{other}, %epoch
{skip}  br i1 %{worth}.{other}, label %judge.{other}, label %passed.{other}
judge.{other}:
  call void @race.judge(ptr %launch, ptr %block, ptr %held.{other}, i64 %n, i64 %epoch, i64 %phase, i64 %later,
    i64 {other << BITS | use}, i64 %at)
  br label %passed.{other}
passed.{other}:
"""
        last = f"passed.{other}"
    old = ""
    if use == WRITES:
        old = f"""  %byte = add i64 %at, {HEAD}
  %host = getelementptr i8, ptr %block, i64 %byte
  %old = load i{bits}, ptr %host, align {watch.grain}
  %skipped = mul i64 %k, {bits}
  %skipped.wide = zext i64 %skipped to i128
  %moved = lshr i128 %new, %skipped.wide
  %written = trunc i128 %moved to i{bits}
  %same = icmp eq i{bits} %old, %written
  %equal = and i1 %same, %valued
  %differs = xor i1 %equal, true
""".replace("trunc i128 %moved to i128", "add i128 %moved, 0")
    stamps = ""
    for number, time in enumerate(["%epoch", "%phase"][: 2 if watch.phased else 1]):
        for one, part in enumerate(("%high", "%low")):
            name, at = f"s{number}{one}", place(watch, use) + number * PAIR + one * WORD
            stamps += f"""  %{name}.at = getelementptr i8, ptr %cell, i64 {at}
  %{name}.old = load i64, ptr %{name}.at, align 8
  %{name} = or i64 {time}, {part}
  %{name}.new = call i64 @llvm.umax.i64(i64 %{name}.old, i64 %{name})
  store i64 %{name}.new, ptr %{name}.at, align 8
"""
    return f"""
define internal void @race.use.{use}(ptr %launch, ptr %block, i64 %n, i64 %address, i64 %count, i64 %site, i1 %valued,
    i128 %new) noinline {{
entry:
{_CELLS}{_phase(watch)}{_WHO}{loads}  %later = add i64 %high, 0
  br label %each
each:
  %k = phi i64 [ 0, %entry ], [ %more, %{last} ]
  %far = mul i64 %k, {watch.grain}
  %at = add i64 %address, %far
  %spot = shl i64 %at, {shift(watch)}
  %cell = getelementptr i8, ptr %cells, i64 %spot
{old}{checks}{stamps}  %more = add i64 %k, 1
  %end = icmp eq i64 %more, %count
  br i1 %end, label %over, label %each
over:
  ret void
}}
"""


_WHO = f"""  %up = shl i64 %n, {SITE}
  %high = or i64 %up, %site
  %down = sub i64 {LAST << SITE}, %up
  %low = or i64 %down, %site
"""


def _each_cell(watch: Watch, act: str) -> str:
    """Return a loop over the cells of ``%count`` grains from an address on."""
    return f"""  br label %each
each:
  %k = phi i64 [ 0, %entry ], [ %more, %each ]
  %far = mul i64 %k, {watch.grain}
  %at = add i64 %address, %far
  %spot = shl i64 %at, {shift(watch)}
  %cell = getelementptr i8, ptr %cells, i64 %spot
{act}  %more = add i64 %k, 1
  %end = icmp eq i64 %more, %count
  br i1 %end, label %over, label %each
over:
  ret void
"""


def _written(watch: Watch) -> list[str]:
    """Return the places of a write's stamps: by thread, epoch and phase."""
    first = place(watch, WRITES)
    return [f"%cell, i64 {first + WORD * one}" for one in range(4 if watch.phased else 2)]


def _begin(watch: Watch) -> str:
    """Return the function that begins an asynchronous copy's write."""
    act = "".join(
        f"  %w{one}.at = getelementptr i8, ptr {place}\n  store i64 %{'low' if one % 2 else 'high'}.late, ptr %w{one}.at, align 8\n"
        for one, place in enumerate(_written(watch))
    )
    return f"""
define internal void @race.begin(ptr %launch, ptr %block, i64 %n, i64 %address, i64 %count, i64 %site) noinline {{
entry:
{_CELLS}{_WHO}  %high.late = or i64 %high, {PENDING}
  %low.late = or i64 %low, {PENDING}
{_each_cell(watch, act)}}}
"""


def _end(watch: Watch) -> str:
    """Return the function that ends an asynchronous copy's write."""
    act = "".join(
        f"""  %w{one}.at = getelementptr i8, ptr {place}
  %w{one} = load i64, ptr %w{one}.at, align 8
  %w{one}.low = and i64 %w{one}, {LOW}
  %w{one}.new = or i64 %w{one}.low, {"%epoch" if one < 2 else "%time"}
  store i64 %w{one}.new, ptr %w{one}.at, align 8
"""  # noqa: PLR2004 - the epoch's come first
        for one, place in enumerate(_written(watch))
    )
    return f"""
define internal void @race.end(ptr %launch, ptr %block, i64 %target, i64 %size) noinline {{
entry:
{_CELLS}{field("time", "%block", Block.TIME)}  %begins = ptrtoint ptr %block to i64
  %inside = sub i64 %target, %begins
  %address = sub i64 %inside, {HEAD}
  %count = udiv i64 %size, {watch.grain}
{_each_cell(watch, act)}}}
"""


def _together(syncs: Iterable[int]) -> str:
    """Return the function that begins a warp's next phase after synchronization."""
    cases = " ".join(f"i32 {one}, label %synced" for one in syncs)
    return f"""
define internal void @race.together(ptr %launch, ptr %block, i64 %n, i32 %waits) {{
entry:
  switch i32 %waits, label %over [ {cases} ]
synced:
{field("shadow", "%launch", Launch.SHADOW)}  %phases = getelementptr i8, ptr %block, i64 %shadow
  %n.warp = lshr i64 %n, {WARP.bit_length() - 1}
  %phase.at = getelementptr i64, ptr %phases, i64 %n.warp
  %time.at = getelementptr i64, ptr %block, i64 {int(Block.TIME)}
  %time = load i64, ptr %time.at, align 8
  %next = add i64 %time, {STEP}
  store i64 %next, ptr %time.at, align 8
  store i64 %next, ptr %phase.at, align 8
  br label %over
over:
  ret void
}}
"""


def started(watch: Watch | None) -> str:
    """Return the code by which a block begins its first epoch in reused memory."""
    if watch is None:
        return ""
    clear = f"""{_CELLS}{field("room", "%launch", Launch.CELLS)}  call void @llvm.memset.p0.i64(ptr %cells, i8 0, i64 %room, i1 false)
"""
    return (clear if watch.copies else "") + "  call void @race.order(ptr %launch, ptr %block)\n"
