"""LLVM IR functions for barriers of a block, and for converging threads."""

from __future__ import annotations

from fakecuda.kernels.compiled.layout import BARRIERS, CONVERGING, FIELDS, READY, WAITING, Block, Launch, Thread
from fakecuda.kernels.compiled.runtime import field, loop, those, thread, word
from fakecuda.kernels.compiled.stamps import ORDER

NEVER = (1 << 64) - 1
"""The count of a barrier that no thread has reached."""


def _barrier(name: str, number: str) -> str:
    """Return the code that finds the words of a barrier."""
    return f"""  %{name}.first = mul i64 {number}, {FIELDS}
  %{name}.place = add i64 %{name}.first, {Block.BARRIERS}
  %count.at = getelementptr i64, ptr %block, i64 %{name}.place
  %come.at = getelementptr i64, ptr %count.at, i64 1
  %wait.at = getelementptr i64, ptr %count.at, i64 2
"""


def barriers(stride: int, *, reduces: bool, watched: bool) -> str:
    """Return the functions of barriers.

    Args:
        stride: Bytes of a thread.
        reduces: Whether a barrier counts predicates.
        watched: Whether the detector of races looks at shared memory.
    """
    release = _release(stride, reduces=reduces, watched=watched)
    return "\n".join([*([_counted(stride)] if reduces else []), release, _ARRIVE, _LEFT, _clean(stride)])


def _threads(name: str, begin: str, stride: int, act: str, **options: str) -> str:
    """Return a loop over the threads of a block."""
    return loop(name, begin, "%threads", thread(name, "%base", stride) + act, **options)


_BASE = f"""{field("threads", "%launch", Launch.THREADS)}{field("lanes", "%launch", Launch.LANES)}
  %base = getelementptr i8, ptr %block, i64 %lanes
"""
"""The code that finds the threads of a block."""
_EMPTY = f"""  store i64 {NEVER}, ptr %count.at, align 8
  store i64 0, ptr %come.at, align 8
  store i64 0, ptr %wait.at, align 8
"""
"""The words of a barrier that no thread has reached."""


def _release(stride: int, *, reduces: bool, watched: bool) -> str:
    """Return the function that releases threads at a barrier if enough have arrived."""
    counts = "  call void @count(ptr %base, i64 %threads, i32 %waiting, i64 %wait)\n" if reduces else ""
    free = those("n", "%waiting", f"  store i32 {READY}, ptr %n.thread, align 4\n  br label %n.next\n")
    return f"""
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
{ORDER if watched else ""}{_EMPTY}{_BASE}  %state.wide = add i64 %number, {WAITING}
  %waiting = trunc i64 %state.wide to i32
{counts}{_threads("n", "go", stride, free)}  ret i1 true
}}
"""


_ARRIVE = f"""
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
"""
_LOOK = f"""{_barrier("barrier", "%n")}
  %wait = load i64, ptr %wait.at, align 8
  %some = icmp ne i64 %wait, 0
  br i1 %some, label %look, label %n.next
look:
  %gone = call i1 @release(ptr %launch, ptr %block, i64 %n)
  br label %n.next
"""
_LEFT = f"""
define internal void @left(ptr %launch, ptr %block) noinline {{
entry:
{loop("n", "entry", str(BARRIERS), _LOOK)}  ret void
}}
"""


def _clean(stride: int) -> str:
    """Return the function that initialises the threads and barriers of a block."""
    begun = f"""  store i32 {READY}, ptr %n.thread, align 4
  %piece.at = getelementptr i32, ptr %n.thread, i64 {int(Thread.PIECE)}
  store i32 0, ptr %piece.at, align 4
  %arrived.at = getelementptr i32, ptr %n.thread, i64 {int(Thread.ARRIVED)}
  store i32 0, ptr %arrived.at, align 4
  br label %n.next
"""
    empty = _barrier("barrier", "%b") + _EMPTY + "  br label %b.next\n"
    return f"""
define internal void @clean(ptr %launch, ptr %block) {{
entry:
{_BASE}{_threads("n", "entry", stride, begun)}{loop("b", "n.over", str(BARRIERS), empty)}  ret void
}}
"""


def _counted(stride: int) -> str:
    """Return the function that gives waiting threads the results of bar.red."""
    add = those(
        "n",
        "%waiting",
        f"{word('value', '%n.thread', Thread.VALUE)}  %more = add i32 %sum, %value\n  br label %n.next\n",
    )
    give = f"""  %result.at = getelementptr i32, ptr %m.thread, i64 {int(Thread.RESULT)}
  store i32 %sum.next, ptr %result.at, align 4
  %holds.at = getelementptr i32, ptr %m.thread, i64 {int(Thread.HOLDS)}
  store i32 %all, ptr %holds.at, align 4
  br label %m.next
"""
    summed = _threads(
        "n",
        "entry",
        stride,
        add,
        carried="  %sum = phi i32 [ 0, %entry ], [ %sum.next, %n.next ]\n",
        joined="  %sum.next = phi i32 [ %sum, %n.each ], [ %more, %n.act ]\n",
    )
    return f"""
define internal void @count(ptr %base, i64 %threads, i32 %waiting, i64 %wait) noinline {{
entry:
{summed}  %all = trunc i64 %wait to i32
{_threads("m", "n.over", stride, those("m", "%waiting", give))}  ret void
}}
"""


def converging(stride: int) -> str:
    """Return the function that gives converging threads the lanes of their group."""
    other = f"""{thread("m", "%warp", stride)}{word("other.waits", "%m.thread", Thread.WAITS)}
  %too = icmp eq i32 %m.state, {CONVERGING}
  %same = icmp eq i32 %other.waits, %waits
  %both = and i1 %too, %same
  %one = zext i1 %both to i32
  %m.word = trunc i64 %m to i32
  %bit = shl i32 %one, %m.word
  %mask.next = or i32 %mask, %bit
  br label %m.next
"""
    lanes = loop("m", "n.act", "%count", other, carried="  %mask = phi i32 [ 0, %n.act ], [ %mask.next, %m.next ]\n")
    look = f"""{word("waits", "%n.thread", Thread.WAITS)}
  %warp = call ptr @warp(ptr %launch, ptr %block, i64 %n)
  %count = call i64 @lanes(ptr %launch, i64 %n)
{lanes}  %result.at = getelementptr i32, ptr %n.thread, i64 {int(Thread.RESULT)}
  store i32 %mask.next, ptr %result.at, align 4
  br label %n.next
"""
    free = f"  store i32 {READY}, ptr %f.thread, align 4\n  br label %f.next\n"
    return f"""
define internal void @gather(ptr %launch, ptr %block) noinline {{
entry:
{_BASE}  %converging.at = getelementptr i64, ptr %block, i64 {int(Block.CONVERGING)}
  store i64 0, ptr %converging.at, align 8
{_threads("n", "entry", stride, those("n", CONVERGING, look))}{
        _threads("f", "n.over", stride, those("f", CONVERGING, free))
    }  ret void
}}
"""
