"""Clusters as LLVM IR: shared memory of other blocks, and cluster barriers.

The blocks of a cluster lie one after another. The first one keeps the words of their barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import waits
from fakecuda.kernels.compiled.layout import CLUSTERED, READY, Access, Block, Launch, Space, Thread
from fakecuda.kernels.compiled.runtime import field, loop, those, thread
from fakecuda.kernels.program import RANK

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined, Values
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row


def word(body: Values, block: str, number: Block) -> str:
    """Return a word of a block."""
    return body.o(f"load i64, ptr {body.o(f'getelementptr i64, ptr {block}, i64 {int(number)}')}, align 8")


def base(body: Values) -> str:
    """Return the address of the block's shared memory."""
    return body.o(f"shl i64 {word(body, '%block', Block.RANK)}, {RANK}")


def is_own(body: Body, address: str) -> str:
    """Return whether an address is in the block's own shared memory."""
    return body.o(f"icmp eq i64 {body.o(f'lshr i64 {address}, {RANK}')}, {word(body, '%block', Block.RANK)}")


def reached(body: Body, address: str) -> tuple[str, str]:
    """Return the block and offset of a shared memory address."""
    o = body.o
    rank, place = o(f"lshr i64 {address}, {RANK}"), o(f"and i64 {address}, {(1 << RANK) - 1}")
    known = o(f"icmp ult i64 {rank}, {body.field(Launch.MANY)}")
    far = o(f"mul i64 {o.choose(known, 'i64', rank, 0)}, {body.field(Launch.STRIDE)}")
    first = word(body, "%block", Block.FIRST)
    other = o(f"inttoptr i64 {o(f'add i64 {first}, {far}')} to ptr")
    block = o.choose(known, "ptr", other, "%block")
    there, gone = o.new("C"), o.new("C")
    o.do(f"br i1 {o(f'icmp ne i64 {word(body, block, Block.LIVE)}, 0')}, label %{there}, label %{gone}")
    o.label(gone)
    body.fail(address, str(int(Space.UNKNOWN)))
    o.label(there)
    return block, o.choose(known, "i64", place, address)


def barrier(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of bar or barrier, of a block or of a cluster."""
    if not row.flag("cluster"):
        waits.barrier(body, inlined, instruction, row, following)
        return
    row.flag("aligned")
    stops = row.take("arrive", "wait") == "wait"
    row.take("release", "relaxed", "acquire")
    body.in_cluster = True
    o, number = body.o, body.waiting(instruction)
    if stops:
        waits.keep(body, Thread.WAITS, str(number))
        waits.wait(body, following, o("call i1 @cluster.wait(ptr %block, ptr %thread)"))
        return
    fine, wrong = o.new("C"), o.new("C")
    on = o("call i1 @cluster.arrive(ptr %launch, ptr %block, ptr %thread)")
    o.do(f"br i1 {on}, label %{fine}, label %{wrong}")
    o.label(wrong)
    body.sites.append(Access(instruction))
    body.fail("0", str(int(Space.UNKNOWN)))
    o.label(fine)
    body.go(following)


_FOUND = f"""{field("first", "%block", Block.FIRST)}  %cluster = inttoptr i64 %first to ptr
{field("phase", "%cluster", Block.PHASE)}  %mine.at = getelementptr i32, ptr %thread, i64 {int(Thread.ARRIVED)}
  %mine = load i32, ptr %mine.at, align 4
  %phase.cut = trunc i64 %phase to i32
  %now = add i32 %phase.cut, 1
  %same = icmp eq i32 %mine, %now
"""
"""The code that finds a cluster's barrier, and whether the thread has arrived."""


def _changed(name: str, number: Block, how: str) -> str:
    """Return the code that increments or decrements a word of a cluster."""
    return f"""{field(name, "%cluster", number)}  %{name}.new = {how} i64 %{name}, 1
  store i64 %{name}.new, ptr %{name}.at, align 8
"""


def functions(stride: int) -> str:
    """Return the functions of cluster barriers, by the size of a thread."""
    free = those("n", CLUSTERED, f"  store i32 {READY}, ptr %n.thread, align 4\n  br label %n.next\n")
    blocks = f"""  %far = mul i64 %b, %stride
  %block = getelementptr i8, ptr %cluster, i64 %far
  %base = getelementptr i8, ptr %block, i64 %lanes
  br label %threads.begin
threads.begin:
{loop("n", "threads.begin", "%threads", thread("n", "%base", stride) + free)}  br label %b.next
"""
    return f"""
define internal void @cluster.complete(ptr %launch, ptr %cluster) noinline {{
entry:
{field("arrived", "%cluster", Block.ARRIVED)}{field("alive", "%cluster", Block.ALIVE)}
  %some = icmp ne i64 %arrived, 0
  %all = icmp eq i64 %arrived, %alive
  %done = and i1 %some, %all
  br i1 %done, label %go, label %no
no:
  ret void
go:
  store i64 0, ptr %arrived.at, align 8
{_changed("phase", Block.PHASE, "add")}{field("many", "%launch", Launch.MANY)}{field("stride", "%launch", Launch.STRIDE)}
{field("threads", "%launch", Launch.THREADS)}{field("lanes", "%launch", Launch.LANES)}
{loop("b", "go", "%many", blocks)}  ret void
}}
define internal i1 @cluster.arrive(ptr %launch, ptr %block, ptr %thread) noinline {{
{_FOUND}  br i1 %same, label %wrong, label %fine
wrong:
  ret i1 false
fine:
  store i32 %now, ptr %mine.at, align 4
{_changed("arrived", Block.ARRIVED, "add")}  call void @cluster.complete(ptr %launch, ptr %cluster)
  ret i1 true
}}
define internal i1 @cluster.wait(ptr %block, ptr %thread) noinline {{
{_FOUND}  store i32 0, ptr %mine.at, align 4
  %none = icmp eq i32 %mine, 0
  %stays = or i1 %none, %same
  br i1 %stays, label %stay, label %go
go:
  ret i1 true
stay:
  store i32 {CLUSTERED}, ptr %thread, align 4
  ret i1 false
}}
define internal void @cluster.left(ptr %launch, ptr %block, ptr %thread) noinline {{
{_FOUND}{_changed("alive", Block.ALIVE, "sub")}  br i1 %same, label %less, label %over
less:
{_changed("arrived", Block.ARRIVED, "sub")}  br label %over
over:
  call void @cluster.complete(ptr %launch, ptr %cluster)
  ret void
}}
"""


def alone() -> str:
    """Return the code that makes a block its own cluster in a launch without clusters."""
    words = {Block.RANK: "0", Block.FIRST: "%own", Block.ALIVE: "%threads"}
    stored = "".join(
        f"  %to.{number.name.lower()} = getelementptr i64, ptr %block, i64 {int(number)}\n"
        f"  store i64 {value}, ptr %to.{number.name.lower()}, align 8\n"
        for number, value in words.items()
    )
    return f"""{field("many", "%launch", Launch.MANY)}
  %alone = icmp eq i64 %many, 1
  br i1 %alone, label %alone.yes, label %alone.over
alone.yes:
  %own = ptrtoint ptr %block to i64
{stored}  br label %alone.over
alone.over:
"""
