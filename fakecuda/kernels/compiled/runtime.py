"""LLVM IR functions that all kernels share: turns of blocks."""

from __future__ import annotations

from fakecuda.kernels.compiled.layout import HEAD, READY, Block, Launch, Status


def field(name: str, base: str, number: int) -> str:
    """Return the code that loads a word."""
    return (
        f"  %{name}.at = getelementptr i64, ptr {base}, i64 {number}\n  %{name} = load i64, ptr %{name}.at, align 8\n"
    )


def loop(name: str, begin: str, count: str, act: str, *, carried: str = "", joined: str = "") -> str:
    """Return a loop that counts from 0 and continues at ``<name>.over``.

    Args:
        name: The name of the number, and what labels begin with.
        begin: The label of the block before it.
        count: How many there are, at least one.
        act: What is done; it goes to the label ``<name>.next``.
        carried: What values of the last number become.
        joined: What values become those of the next number.
    """
    return f"""  br label %{name}.each
{name}.each:
  %{name} = phi i64 [ 0, %{begin} ], [ %{name}.more, %{name}.next ]
{carried}{act}{name}.next:
{joined}  %{name}.more = add i64 %{name}, 1
  %{name}.end = icmp eq i64 %{name}.more, {count}
  br i1 %{name}.end, label %{name}.over, label %{name}.each
{name}.over:
"""


def thread(name: str, base: str, stride: int) -> str:
    """Return the code that finds a thread by its number, and its state."""
    return f"""  %{name}.place = mul i64 %{name}, {stride}
  %{name}.thread = getelementptr i8, ptr {base}, i64 %{name}.place
  %{name}.state = load i32, ptr %{name}.thread, align 4
"""


def those(name: str, state: object, act: str) -> str:
    """Return code for all threads of a block in a state."""
    return f"""  %{name}.here = icmp eq i32 %{name}.state, {state}
  br i1 %{name}.here, label %{name}.act, label %{name}.next
{name}.act:
{act}"""


def word(name: str, of: str, number: int) -> str:
    """Return the code that loads a 32-bit word of a thread."""
    return f"  %{name}.at = getelementptr i32, ptr {of}, i64 {number}\n  %{name} = load i32, ptr %{name}.at, align 4\n"


def lanes(stride: int, turn: int, *, resumed: bool) -> str:
    """Return the loop over the threads of a block.

    Args:
        stride: Bytes of a thread.
        turn: How many instructions a thread executes before others have their turn.
        resumed: Whether threads may have begun.
    """
    check = f"""
  %state = load i32, ptr %thread, align 4
  %ready = icmp eq i32 %state, {READY}
  br i1 %ready, label %go, label %after
go:
  store i64 1, ptr %ran.at, align 8
"""
    return f"""
turn:
  store i64 0, ptr %busy.at, align 8
  store i64 0, ptr %ran.at, align 8
  br label %lane
lane:
  %n = phi i64 [ 0, %turn ], [ %n.next, %after ]
  %tx = phi i64 [ 0, %turn ], [ %tx.next, %after ]
  %ty = phi i64 [ 0, %turn ], [ %ty.next, %after ]
  %tz = phi i64 [ 0, %turn ], [ %tz.next, %after ]
  %place = mul i64 %n, {stride}
  %thread = getelementptr i8, ptr %base, i64 %place
{check if resumed else "  br label %go" + chr(10) + "go:"}
  %used = call i64 @step(ptr %launch, ptr %block, ptr %thread, i64 %n, i64 %tx, i64 %ty, i64 %tz)
  %wrong = icmp slt i64 %used, 0
  br i1 %wrong, label %fault, label %count
count:
  %spent.now = load i64, ptr %spent.at, align 8
  %spent.next = add i64 %spent.now, %used
  store i64 %spent.next, ptr %spent.at, align 8
  %all = icmp sge i64 %used, {turn}
  br i1 %all, label %full, label %after
full:
  store i64 1, ptr %busy.at, align 8
  br label %after
after:
  %n.next = add i64 %n, 1
  %tx.more = add i64 %tx, 1
  %x.over = icmp eq i64 %tx.more, %block_x
  %tx.next = select i1 %x.over, i64 0, i64 %tx.more
  %ty.more = add i64 %ty, 1
  %ty.some = select i1 %x.over, i64 %ty.more, i64 %ty
  %y.over = icmp eq i64 %ty.some, %block_y
  %ty.next = select i1 %y.over, i64 0, i64 %ty.some
  %tz.more = add i64 %tz, 1
  %tz.next = select i1 %y.over, i64 %tz.more, i64 %tz
  %last.lane = icmp eq i64 %n.next, %threads
  br i1 %last.lane, label %over, label %lane
fault:
  store i64 {Status.FAULT}, ptr %status.at, align 8
  %lane.at = getelementptr i64, ptr %launch, i64 {Launch.LANE}
  store i64 %n, ptr %lane.at, align 8
"""


_NEEDED = (
    *(Launch.THREADS, Launch.LANES, Launch.SHARED, Launch.FUEL, Launch.BLOCK_X, Launch.BLOCK_Y),
    *(Launch.GRID_X, Launch.GRID_Y, Launch.SPENT, Launch.BUSY, Launch.RAN, Launch.STATUS),
)


def _loaded() -> str:
    return "".join(field(one.name.lower(), "%launch", one) for one in _NEEDED)


def _gathered(gathers: bool) -> str:  # noqa: FBT001 - the only argument
    """Return the code after a turn of all threads, for converging threads."""
    if not gathers:
        return ""
    return f"""
{field("converging", "%block", Block.CONVERGING)}
  %converge = icmp ne i64 %converging, 0
  br i1 %converge, label %gather, label %gathered
gather:
  call void @gather(ptr %launch, ptr %block)
  br label %gathered
gathered:
"""


_EVEN = """  %even = call i64 @straight(ptr %launch, ptr %block)
  %is.even = icmp ne i64 %even, 0
  br i1 %is.even, label %evenly, label %turn
evenly:
  %spent.before = load i64, ptr %spent.at, align 8
  %spent.after = add i64 %spent.before, %even
  store i64 %spent.after, ptr %spent.at, align 8
  store i64 0, ptr %busy.at, align 8
  br label %over"""


def blocks(stride: int, turn: int, *, begins: str, cleans: bool, gathers: bool, goes_straight: bool) -> str:
    """Return the function that gives blocks their first turn.

    Args:
        stride: Bytes of a thread.
        turn: As :func:`lanes` takes it.
        begins: More that a block begins with.
        cleans: Whether threads may wait for each other.
        gathers: Whether threads may converge.
        goes_straight: Whether the threads of a block may be a loop without checks.
    """
    clean = "  call void @clean(ptr %launch, ptr %block)" if cleans else ""
    stored = "".join(
        f"  %to.{name} = getelementptr i64, ptr %block, i64 {number}\n  store i64 %{name}, ptr %to.{name}, align 8\n"
        for number, name in {
            Block.NUMBER: "b",
            Block.X: "cx",
            Block.Y: "cy",
            Block.Z: "cz",
            Block.LIVE: "threads",
        }.items()
    )
    stored += (
        f"  %to.tracked = getelementptr i64, ptr %block, i64 {Block.TRACKED}\n  store i64 0, ptr %to.tracked, align 8\n"
    )
    return f"""
define i64 @blocks(ptr %launch, ptr %block, i64 %begin, i64 %end) {{
entry:
{_loaded()}
  %base = getelementptr i8, ptr %block, i64 %lanes
  %shared.ptr = getelementptr i8, ptr %block, i64 {HEAD}
  br label %each
each:
  %b = phi i64 [ %begin, %entry ], [ %b.next, %next ]
  %cx = urem i64 %b, %grid_x
  %rest = udiv i64 %b, %grid_x
  %cy = urem i64 %rest, %grid_y
  %cz = udiv i64 %rest, %grid_y
{stored}{begins}
  call void @llvm.memset.p0.i64(ptr %shared.ptr, i8 0, i64 %shared, i1 false)
{clean}
{_EVEN if goes_straight else "  br label %turn"}
{lanes(stride, turn, resumed=False)}
  ret i64 %b
over:
{_gathered(gathers)}
  %live = load i64, ptr %to.threads, align 8
  %left = icmp ne i64 %live, 0
  %spent.all = load i64, ptr %spent.at, align 8
  %much = icmp ugt i64 %spent.all, %fuel
  %stop = or i1 %left, %much
  br i1 %stop, label %stopped, label %next
stopped:
  store i64 {Status.STOPPED}, ptr %status.at, align 8
  ret i64 %b
next:
  %b.next = add i64 %b, 1
  %last = icmp eq i64 %b.next, %end
  br i1 %last, label %done, label %each
done:
  store i64 {Status.DONE}, ptr %status.at, align 8
  ret i64 %end
}}
"""


def resumed(stride: int, turn: int, *, gathers: bool) -> str:
    """Return the function that gives a block another turn."""
    return f"""
define i64 @again(ptr %launch, ptr %block, i64 %begin, i64 %end) {{
entry:
{_loaded()}
  %base = getelementptr i8, ptr %block, i64 %lanes
  br label %turn
{lanes(stride, turn, resumed=True)}
  ret i64 0
over:
{_gathered(gathers)}
  %live.at = getelementptr i64, ptr %block, i64 {Block.LIVE}
  %live = load i64, ptr %live.at, align 8
  %some = icmp ne i64 %live, 0
  %ran.now = load i64, ptr %ran.at, align 8
  %moves = icmp ne i64 %ran.now, 0
  %busy.now = load i64, ptr %busy.at, align 8
  %waits = icmp eq i64 %busy.now, 0
  %spent.all = load i64, ptr %spent.at, align 8
  %little = icmp ule i64 %spent.all, %fuel
  %alone = icmp ne i64 %begin, 0
  %on.1 = and i1 %some, %moves
  %on.2 = and i1 %waits, %little
  %on.3 = and i1 %on.1, %on.2
  %on = and i1 %on.3, %alone
  br i1 %on, label %turn, label %done
done:
  store i64 {Status.DONE}, ptr %status.at, align 8
  ret i64 0
}}
"""
