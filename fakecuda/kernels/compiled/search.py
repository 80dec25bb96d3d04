"""The search for the memory of an access, as an LLVM IR function.

An allocation is divided into chunks. A chunk that is written for the first time gets bytes of its own, and accesses forget where
the model's lie. A chunk that is used in a way for the first time has its marks of that way cleared.
"""

from __future__ import annotations

from fakecuda.kernels.compiled.layout import (
    CHUNK,
    HELD,
    READABLE,
    STATES,
    WORD,
    WRITABLE,
    Answer,
    Entry,
    Launch,
    Site,
)
from fakecuda.kernels.compiled.runtime import field, loop


def search() -> str:
    """Return the function for an access that misses its last hit."""
    entry, site = len(Entry), len(Site)
    return f"""
define internal i64 @search(ptr %launch, i64 %site, i64 %address, i64 %size, i64 %spare, i64 %need, i64 %use) noinline cold {{
  %wants = and i64 %need, {READABLE | WRITABLE}
  %less = sub i64 %size, 1
  %read = sub i64 %size, %spare
  %low.bits = and i64 %address, %less
  %misaligned = icmp ne i64 %low.bits, 0
  br i1 %misaligned, label %fault, label %again
fault:
  ret i64 {Answer.FAULT}
again:
{field("table", "%launch", Launch.TABLE)}{field("count", "%launch", Launch.COUNT)}
  %table.ptr = inttoptr i64 %table to ptr
  br label %look
look:
  %n = phi i64 [ 0, %again ], [ %n.next, %other ]
  %end = icmp eq i64 %n, %count
  br i1 %end, label %ask, label %compare
compare:
  %place = mul i64 %n, {entry * WORD}
  %entry = getelementptr i8, ptr %table.ptr, i64 %place
{"".join(field(one.name.lower(), "%entry", one) for one in Entry)}
  %above = icmp uge i64 %address, %low
  %below = icmp ult i64 %address, %high
  %room = sub i64 %high, %address
  %fits = icmp uge i64 %room, %read
  %has = and i64 %wants, %flags
  %may = icmp eq i64 %has, %wants
  %in.1 = and i1 %above, %below
  %in.2 = and i1 %fits, %may
  %in = and i1 %in.1, %in.2
  br i1 %in, label %found, label %other
other:
  %n.next = add i64 %n, 1
  br label %look
found:
{field("sites", "%launch", Launch.SITES)}{field("all.sites", "%launch", Launch.ACCESSES)}
  %sites.ptr = inttoptr i64 %sites to ptr
  %first.chunk = lshr i64 %low, {CHUNK}
  %chunk = lshr i64 %address, {CHUNK}
  %number = sub i64 %chunk, %first.chunk
  %chunk.low = shl i64 %chunk, {CHUNK}
  %chunk.high = add i64 %chunk.low, {1 << CHUNK}
  %from = call i64 @llvm.umax.i64(i64 %low, i64 %chunk.low)
  %to = call i64 @llvm.umin.i64(i64 %high, i64 %chunk.high)
  %from.place = sub i64 %from, %origin
  %to.place = sub i64 %to, %origin
  %state.skip = mul i64 %number, {STATES}
  %state.place = add i64 %states, %state.skip
  %state = inttoptr i64 %state.place to ptr
  %own = load i8, ptr %state, align 1
  %changes = and i64 %need, {HELD | WRITABLE}
  %stays = icmp eq i64 %changes, 0
  %has.own = icmp ne i8 %own, 0
  %fine = or i1 %stays, %has.own
  br i1 %fine, label %ready, label %copy
copy:
  %of.int = add i64 %base, %from.place
  %into.int = add i64 %data, %from.place
  %of = inttoptr i64 %of.int to ptr
  %into = inttoptr i64 %into.int to ptr
  %bytes = sub i64 %to, %from
  call void @llvm.memcpy.p0.p0.i64(ptr %into, ptr %of, i64 %bytes, i1 false)
  store i8 1, ptr %state, align 1
{loop("s", "copy", "%all.sites", _forgotten(site))}
  br label %ready
ready:
  %is.own = phi i1 [ %has.own, %found ], [ true, %s.over ]
  %used.number = add i64 %use, 1
  %used.at = getelementptr i8, ptr %state, i64 %used.number
  %used = load i8, ptr %used.at, align 1
  %mark.skip = mul i64 %use, %gap
  %mark.base = add i64 %marks, %mark.skip
  %is.used = icmp ne i8 %used, 0
  br i1 %is.used, label %show, label %clear
clear:
  %mark.first = lshr i64 %from.place, 2
  %round = add i64 %to.place, 3
  %mark.end = lshr i64 %round, 2
  %mark.count = sub i64 %mark.end, %mark.first
  %clear.int = add i64 %mark.base, %mark.first
  %clear.at = inttoptr i64 %clear.int to ptr
  call void @llvm.memset.p0.i64(ptr %clear.at, i8 0, i64 %mark.count, i1 false)
  store i8 1, ptr %used.at, align 1
  br label %show
show:
  %more = add i64 %from, 15
  %even = and i64 %more, -16
  %before = icmp ult i64 %address, %even
  %begin = select i1 %before, i64 %address, i64 %even
  %left = sub i64 %to, %even
  %room.left = add i64 %left, %spare
  %fit = udiv i64 %room.left, %size
  %span = select i1 %before, i64 1, i64 %fit
  %place.there = sub i64 %begin, %origin
  %there = select i1 %is.own, i64 %data, i64 %base
  %host = add i64 %there, %place.there
  %mark.there = lshr i64 %place.there, 2
  %mark = add i64 %mark.base, %mark.there
  %mine = mul i64 %site, {site * WORD}
  %row = getelementptr i8, ptr %sites.ptr, i64 %mine
{_stored("row", {Site.LOW: "begin", Site.SPAN: "span", Site.HOST: "host", Site.MARK: "mark"})}
  ret i64 {Answer.FOUND}
ask:
{field("find", "%launch", Launch.FIND)}
  %find.ptr = inttoptr i64 %find to ptr
  %answer = call i64 %find.ptr(i64 %address, i64 %read, i64 %wants)
  %new = icmp eq i64 %answer, {Answer.FOUND}
  br i1 %new, label %again, label %no
no:
  ret i64 %answer
}}
"""


def _forgotten(site: int) -> str:
    """Return the code that drops an access's hit of a chunk that now has own bytes."""
    return f"""  %s.skip = mul i64 %s, {site * WORD}
  %s.row = getelementptr i8, ptr %sites.ptr, i64 %s.skip
{field("s.low", "%s.row", Site.LOW)}
  %s.from = icmp uge i64 %s.low, %from
  %s.to = icmp ult i64 %s.low, %to
  %s.in = and i1 %s.from, %s.to
  br i1 %s.in, label %s.forget, label %s.next
s.forget:
  %s.span = getelementptr i64, ptr %s.row, i64 {Site.SPAN}
  store i64 0, ptr %s.span, align 8
  br label %s.next
"""


def _stored(base: str, values: dict[Site, str]) -> str:
    return "".join(
        f"  %{base}.{name} = getelementptr i64, ptr %{base}, i64 {number}\n"
        f"  store i64 %{name}, ptr %{base}.{name}, align 8\n"
        for number, name in values.items()
    )
