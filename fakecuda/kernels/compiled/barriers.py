"""The functions of LLVM IR by which the threads of a block wait for each other: barriers, and threads that converge."""

from __future__ import annotations

from fakecuda.kernels.compiled.layout import BARRIERS, CONVERGING, FIELDS, READY, WAITING, Block, Launch, Thread
from fakecuda.kernels.compiled.meetings import LANES
from fakecuda.kernels.compiled.runtime import field

NEVER = (1 << 64) - 1
"""The count of a barrier at which no thread has come."""


def _barrier(name: str, number: str) -> str:
    """Return the code that finds the words of a barrier."""
    return f"""  %{name}.first = mul i64 {number}, {FIELDS}
  %{name}.place = add i64 %{name}.first, {Block.BARRIERS}
  %count.at = getelementptr i64, ptr %block, i64 %{name}.place
  %come.at = getelementptr i64, ptr %count.at, i64 1
  %wait.at = getelementptr i64, ptr %count.at, i64 2
"""


def barriers(stride: int, *, reduces: bool) -> str:
    """Return the functions of barriers.

    Args:
        stride: Bytes of a thread.
        reduces: Whether a barrier counts predicates.
    """
    counts = "  call void @count(ptr %base, i64 %threads, i32 %waiting, i64 %wait)" if reduces else ""
    return f"""{_counted(stride) if reduces else ""}
define internal i1 @release(ptr %launch, ptr %block, i64 %number) noinline {{
{_barrier("barrier", "%number")}
  %count = load i64, ptr %count.at, align 8
  %come = load i64, ptr %come.at, align 8
  %wait = load i64, ptr %wait.at, align 8
{field("live", "%block", Block.LIVE)}
  %all = icmp eq i64 %count, 0
  %wanted = select i1 %all, i64 %live, i64 %count
  %enough = icmp uge i64 %come, %wanted
  br i1 %enough, label %go, label %no
no:
  ret i1 false
go:
  store i64 {NEVER}, ptr %count.at, align 8
  store i64 0, ptr %come.at, align 8
  store i64 0, ptr %wait.at, align 8
{field("threads", "%launch", Launch.THREADS)}{field("lanes", "%launch", Launch.LANES)}
  %base = getelementptr i8, ptr %block, i64 %lanes
  %state.wide = add i64 %number, {WAITING}
  %waiting = trunc i64 %state.wide to i32
{counts}
  br label %each
each:
  %n = phi i64 [ 0, %go ], [ %n.next, %after ]
  %place = mul i64 %n, {stride}
  %thread = getelementptr i8, ptr %base, i64 %place
  %state = load i32, ptr %thread, align 4
  %here = icmp eq i32 %state, %waiting
  br i1 %here, label %free, label %after
free:
  store i32 {READY}, ptr %thread, align 4
  br label %after
after:
  %n.next = add i64 %n, 1
  %end = icmp eq i64 %n.next, %threads
  br i1 %end, label %yes, label %each
yes:
  ret i1 true
}}

define internal i1 @arrive(ptr %launch, ptr %block, ptr %thread, i64 %number, i64 %wanted, i1 %waits) noinline {{
{_barrier("barrier", "%number")}
  %count = load i64, ptr %count.at, align 8
  %new = icmp eq i64 %count, {NEVER}
  %keep = select i1 %new, i64 %wanted, i64 %count
  store i64 %keep, ptr %count.at, align 8
  %come = load i64, ptr %come.at, align 8
  %more = add i64 %come, 1
  store i64 %more, ptr %come.at, align 8
  br i1 %waits, label %wait, label %release
wait:
  %wait.now = load i64, ptr %wait.at, align 8
  %wait.more = add i64 %wait.now, 1
  store i64 %wait.more, ptr %wait.at, align 8
  %state.wide = add i64 %number, {WAITING}
  %state = trunc i64 %state.wide to i32
  store i32 %state, ptr %thread, align 4
  br label %release
release:
  %go = call i1 @release(ptr %launch, ptr %block, i64 %number)
  ret i1 %go
}}

define internal void @left(ptr %launch, ptr %block) noinline {{
entry:
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n.next, %after ]
{_barrier("barrier", "%n")}
  %wait = load i64, ptr %wait.at, align 8
  %some = icmp ne i64 %wait, 0
  br i1 %some, label %look, label %after
look:
  %gone = call i1 @release(ptr %launch, ptr %block, i64 %n)
  br label %after
after:
  %n.next = add i64 %n, 1
  %end = icmp eq i64 %n.next, {BARRIERS}
  br i1 %end, label %out, label %each
out:
  ret void
}}

define internal void @clean(ptr %launch, ptr %block) {{
entry:
{field("threads", "%launch", Launch.THREADS)}{field("lanes", "%launch", Launch.LANES)}
  %base = getelementptr i8, ptr %block, i64 %lanes
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n.next, %each ]
  %place = mul i64 %n, {stride}
  %thread = getelementptr i8, ptr %base, i64 %place
  store i32 {READY}, ptr %thread, align 4
  %piece.at = getelementptr i32, ptr %thread, i64 {int(Thread.PIECE)}
  store i32 0, ptr %piece.at, align 4
  %n.next = add i64 %n, 1
  %end = icmp eq i64 %n.next, %threads
  br i1 %end, label %next, label %each
next:
  %b = phi i64 [ 0, %each ], [ %b.next, %next ]
{_barrier("barrier", "%b")}
  store i64 {NEVER}, ptr %count.at, align 8
  store i64 0, ptr %come.at, align 8
  store i64 0, ptr %wait.at, align 8
  %b.next = add i64 %b, 1
  %last = icmp eq i64 %b.next, {BARRIERS}
  br i1 %last, label %out, label %next
out:
  ret void
}}
"""


def _counted(stride: int) -> str:
    """Return the function that gives the threads that wait at a barrier how many predicates hold, and how many they are."""
    return f"""
define internal void @count(ptr %base, i64 %threads, i32 %waiting, i64 %wait) noinline {{
entry:
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n.next, %after ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %after ]
  %place = mul i64 %n, {stride}
  %thread = getelementptr i8, ptr %base, i64 %place
  %state = load i32, ptr %thread, align 4
  %here = icmp eq i32 %state, %waiting
  br i1 %here, label %add, label %after
add:
  %value.at = getelementptr i32, ptr %thread, i64 {int(Thread.VALUE)}
  %value = load i32, ptr %value.at, align 4
  %more = add i32 %sum, %value
  br label %after
after:
  %sum.next = phi i32 [ %sum, %each ], [ %more, %add ]
  %n.next = add i64 %n, 1
  %end = icmp eq i64 %n.next, %threads
  br i1 %end, label %give, label %each
give:
  %all = trunc i64 %wait to i32
  br label %next
next:
  %m = phi i64 [ 0, %give ], [ %m.next, %given ]
  %m.place = mul i64 %m, {stride}
  %m.thread = getelementptr i8, ptr %base, i64 %m.place
  %m.state = load i32, ptr %m.thread, align 4
  %m.here = icmp eq i32 %m.state, %waiting
  br i1 %m.here, label %store, label %given
store:
  %result.at = getelementptr i32, ptr %m.thread, i64 {int(Thread.RESULT)}
  store i32 %sum.next, ptr %result.at, align 4
  %holds.at = getelementptr i32, ptr %m.thread, i64 {int(Thread.HOLDS)}
  store i32 %all, ptr %holds.at, align 4
  br label %given
given:
  %m.next = add i64 %m, 1
  %m.end = icmp eq i64 %m.next, %threads
  br i1 %m.end, label %out, label %next
out:
  ret void
}}
"""


def converging(stride: int) -> str:
    """Return the function that gives converging threads the lanes that have come together, at the end of a turn of all threads."""
    return f"""
define internal void @gather(ptr %launch, ptr %block) noinline {{
entry:
  %threads.at = getelementptr i64, ptr %launch, i64 {int(Launch.THREADS)}
  %threads = load i64, ptr %threads.at, align 8
  %converging.at = getelementptr i64, ptr %block, i64 {int(Block.CONVERGING)}
  store i64 0, ptr %converging.at, align 8
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n.next, %next ]
  %warp = call ptr @warp(ptr %launch, ptr %block, i64 %n)
  %lane = and i64 %n, {LANES}
  %place = mul i64 %lane, {stride}
  %thread = getelementptr i8, ptr %warp, i64 %place
  %state = load i32, ptr %thread, align 4
  %converges = icmp eq i32 %state, {CONVERGING}
  br i1 %converges, label %look, label %next
look:
  %waits.at = getelementptr i32, ptr %thread, i64 {int(Thread.WAITS)}
  %waits = load i32, ptr %waits.at, align 4
  %count = call i64 @lanes(ptr %launch, i64 %n)
  br label %other
other:
  %m = phi i64 [ 0, %look ], [ %m.next, %other ]
  %mask = phi i32 [ 0, %look ], [ %mask.next, %other ]
  %other.place = mul i64 %m, {stride}
  %other.thread = getelementptr i8, ptr %warp, i64 %other.place
  %other.state = load i32, ptr %other.thread, align 4
  %other.waits.at = getelementptr i32, ptr %other.thread, i64 {int(Thread.WAITS)}
  %other.waits = load i32, ptr %other.waits.at, align 4
  %too = icmp eq i32 %other.state, {CONVERGING}
  %same = icmp eq i32 %other.waits, %waits
  %both = and i1 %too, %same
  %one = zext i1 %both to i32
  %m.word = trunc i64 %m to i32
  %bit = shl i32 %one, %m.word
  %mask.next = or i32 %mask, %bit
  %m.next = add i64 %m, 1
  %m.end = icmp eq i64 %m.next, %count
  br i1 %m.end, label %store, label %other
store:
  %result.at = getelementptr i32, ptr %thread, i64 {int(Thread.RESULT)}
  store i32 %mask.next, ptr %result.at, align 4
  br label %next
next:
  %n.next = add i64 %n, 1
  %end = icmp eq i64 %n.next, %threads
  br i1 %end, label %free, label %each
free:
  %f = phi i64 [ 0, %next ], [ %f.next, %freed ]
  %f.warp = call ptr @warp(ptr %launch, ptr %block, i64 %f)
  %f.lane = and i64 %f, {LANES}
  %f.place = mul i64 %f.lane, {stride}
  %f.thread = getelementptr i8, ptr %f.warp, i64 %f.place
  %f.state = load i32, ptr %f.thread, align 4
  %f.converges = icmp eq i32 %f.state, {CONVERGING}
  br i1 %f.converges, label %go, label %freed
go:
  store i32 {READY}, ptr %f.thread, align 4
  br label %freed
freed:
  %f.next = add i64 %f, 1
  %f.end = icmp eq i64 %f.next, %threads
  br i1 %f.end, label %over, label %free
over:
  ret void
}}
"""
