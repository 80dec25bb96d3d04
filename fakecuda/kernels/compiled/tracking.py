"""Copies that mbarriers track, as LLVM IR functions on a list of the block.

A copy, and an arrival behind the copies of its thread, are an entry each. The threads of the block have room for the list.
"""

from __future__ import annotations

from fakecuda.kernels.asynchronous import ARRIVALS, COUNTED, PENDING, PHASE, WIDTH
from fakecuda.kernels.asynchronous import BYTES as HELD
from fakecuda.kernels.compiled.layout import Block, Launch
from fakecuda.kernels.compiled.runtime import field

WORD = 8
WORDS, EACH = 5, 24
"""The words of a list entry, and the entries of each thread."""
ROOM = WORD * WORDS * EACH
"""The size of a thread's entries in bytes."""
ARRIVAL, BYTES = (1 << 64) - 1, (1 << 64) - 2
"""Special sizes: for an arrival, and for received bytes of a bulk copy."""
NAMES = ("barrier", "target", "source", "size", "read")


def _words(name: str, of: str) -> str:
    """Return the code that finds the words of an entry."""
    return "".join(
        f"  %{name}{one}.at = getelementptr i64, ptr {of}, i64 {number}\n" for number, one in enumerate(NAMES)
    )


def _loads(name: str, of: str) -> str:
    """Return the code that loads the words of an entry."""
    return _words(name, of) + "".join(f"  %{name}{one} = load i64, ptr %{name}{one}.at, align 8\n" for one in NAMES)


def _entry(stride: int, offset: int) -> str:
    """Return the function that finds a list entry by its number; null without room."""
    return f"""
define internal ptr @copies.entry(ptr %launch, ptr %block, i64 %number) {{
{field("threads", "%launch", Launch.THREADS)}{field("lanes", "%launch", Launch.LANES)}
  %lane = urem i64 %number, %threads
  %row = udiv i64 %number, %threads
  %none = icmp uge i64 %row, {EACH}
  %far = mul i64 %lane, {stride}
  %inside = mul i64 %row, {WORD * WORDS}
  %place.1 = add i64 %far, %inside
  %place.2 = add i64 %place.1, {offset}
  %place = add i64 %place.2, %lanes
  %found = getelementptr i8, ptr %block, i64 %place
  %made = select i1 %none, ptr null, ptr %found
  ret ptr %made
}}
define internal i1 @copies.append(ptr %launch, ptr %block, i64 %barrier, i64 %target, i64 %source, i64 %size, i64 %read) {{
  %count.at = getelementptr i64, ptr %block, i64 {Block.TRACKED}
  %count = load i64, ptr %count.at, align 8
  %entry = call ptr @copies.entry(ptr %launch, ptr %block, i64 %count)
  %none = icmp eq ptr %entry, null
  br i1 %none, label %full, label %room
full:
  ret i1 false
room:
{_words("", "%entry")}{"".join(f"  store i64 %{one}, ptr %{one}.at, align 8{chr(10)}" for one in NAMES)}
  %more = add i64 %count, 1
  store i64 %more, ptr %count.at, align 8
  ret i1 true
}}
"""


def functions(stride: int, offset: int, *, watched: bool) -> str:
    """Return the functions.

    Args:
        stride: Bytes of a thread.
        offset: Where a thread's entries begin.
        watched: Whether the detector of races looks at shared memory.
    """
    return _entry(stride, offset) + _deliver(watched=watched)


def _deliver(*, watched: bool) -> str:
    """Return the function that makes an mbarrier's copies and counts their arrivals."""
    made = "  call void @race.end(ptr %launch, ptr %block, i64 %target, i64 %size)\n" if watched else ""
    flip = (
        "  br i1 %complete, label %order, label %next\norder:\n  call void @race.order(ptr %launch, ptr %block)\n  br label %next\n"
        if watched
        else "  br label %next\n"
    )
    last = "[ %kept, %settle ]" + (", [ %kept, %order ]" if watched else "")
    keep = "".join(f"  store i64 %{one}, ptr %to.{one}.at, align 8\n" for one in NAMES)
    return f"""
define internal i1 @copies.deliver(ptr %launch, ptr %block, ptr %host) noinline {{
entry:
  %mine = ptrtoint ptr %host to i64
  %count.at = getelementptr i64, ptr %block, i64 {Block.TRACKED}
  %count = load i64, ptr %count.at, align 8
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n.next, %next ]
  %kept = phi i64 [ 0, %entry ], [ %kept.next, %next ]
  %end = icmp eq i64 %n, %count
  br i1 %end, label %over, label %look
look:
  %one = call ptr @copies.entry(ptr %launch, ptr %block, i64 %n)
{_loads("", "%one")}
  %is.mine = icmp eq i64 %barrier, %mine
  br i1 %is.mine, label %act, label %keep
keep:
  %to = call ptr @copies.entry(ptr %launch, ptr %block, i64 %kept)
{_words("to.", "%to")}{keep}
  %kept.more = add i64 %kept, 1
  br label %next
act:
  %arrives = icmp eq i64 %read, {ARRIVAL}
  br i1 %arrives, label %arrive, label %other
other:
  %comes = icmp eq i64 %read, {BYTES}
  br i1 %comes, label %come, label %make
come:
  %come.word = load i64, ptr %host, align 8
  %come.valid = icmp slt i64 %come.word, 0
  br i1 %come.valid, label %take, label %unknown
take:
  %held = lshr i64 %come.word, {HELD}
  %held.less = sub i64 %held, %size
  %held.cut = and i64 %held.less, {(1 << WIDTH) - 1}
  %held.new = shl i64 %held.cut, {HELD}
  %held.rest = and i64 %come.word, {(1 << 64) - 1 & ~((1 << WIDTH) - 1 << HELD)}
  %taken = or i64 %held.rest, %held.new
  br label %settle
make:
  %to.host = inttoptr i64 %target to ptr
  %of.host = inttoptr i64 %source to ptr
  call void @llvm.memset.p0.i64(ptr %to.host, i8 0, i64 %size, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to.host, ptr %of.host, i64 %read, i1 false)
{made}  br label %next
arrive:
  %word = load i64, ptr %host, align 8
  %valid = icmp slt i64 %word, 0
  %shifted = lshr i64 %word, {PENDING}
  %pending = and i64 %shifted, {ARRIVALS}
  %some = icmp ne i64 %pending, 0
  %fine = and i1 %valid, %some
  br i1 %fine, label %count.down, label %unknown
unknown:
  ret i1 false
count.down:
  %less = sub i64 %word, {1 << PENDING}
  br label %settle
settle:
  %changed = phi i64 [ %less, %count.down ], [ %taken, %take ]
  %left = and i64 %changed, {COUNTED}
  %complete = icmp eq i64 %left, 0
  %expected = and i64 %changed, {ARRIVALS}
  %again = shl i64 %expected, {PENDING}
  %refilled = or i64 %changed, %again
  %flipped = xor i64 %refilled, {1 << PHASE}
  %new = select i1 %complete, i64 %flipped, i64 %changed
  store i64 %new, ptr %host, align 8
{flip}next:
  %kept.next = phi i64 [ %kept.more, %keep ], [ %kept, %make ], {last}
  %n.next = add i64 %n, 1
  br label %each
over:
  store i64 %kept, ptr %count.at, align 8
  ret i1 true
}}
"""
