"""cp.async and mbarrier as LLVM IR, with the words and the order of :mod:`fakecuda.kernels.asynchronous`.

What the manual calls undefined is left to the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.access import CLUSTER, GENERIC, space_of
from fakecuda.kernels.asynchronous import (
    ARRIVALS,
    ARRIVES,
    BYTES,
    COUNTED,
    EXPECTED,
    PENDING,
    PHASE,
    SIZE,
    SIZES,
    VALID,
    WIDTH,
    constant,
    ignores,
    spaces,
)
from fakecuda.kernels.compiled import clusters, tracking
from fakecuda.kernels.compiled.access import base_of, found, in_shared
from fakecuda.kernels.compiled.layout import HELD, Access, Space
from fakecuda.kernels.compiled.shared_races import Note, flipped
from fakecuda.kernels.copies import MOST
from fakecuda.kernels.lower import elements
from fakecuda.kernels.matrices import SIZE as ROW
from fakecuda.kernels.program import Memory
from fakecuda.kernels.row import PREDICATE, refuse
from fakecuda.kernels.spaces import INSIDE, READS, WINDOW, WINDOWS, WRITES

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row

WORD = 8
GROUPS = 14
"""The maximum number of pending groups of a thread."""
BEGUN, MADE, GROUP = 0, 1, 2
"""Words of a thread: counts of copies begun, made, and at each group's end."""
FIELDS = 4
"""Words of a copy: target, source, size, and bytes to read."""
HEAD = WORD * (GROUP + GROUPS)
ROOM = HEAD + MOST * FIELDS * WORD
"""The size of a thread's list of copies in bytes."""


def _spot(count: str) -> str:
    """Return code that finds a copy by its number."""
    return f"""  %number = urem i64 {count}, {MOST}
  %far = mul i64 %number, {FIELDS * WORD}
  %place = add i64 %far, {HEAD}
  %one = getelementptr i8, ptr %copies, i64 %place"""


_NAMES = {"target": 0, "source": 1, "size": 2, "read": 3}
_PLACES = "\n".join(f"  %{name}.at = getelementptr i64, ptr %one, i64 {number}" for name, number in _NAMES.items())
_LOOK = _PLACES + "\n" + "\n".join(f"  %{name} = load i64, ptr %{name}.at, align 8" for name in _NAMES)
_KEEP = _PLACES + "\n" + "\n".join(f"  store i64 %{name}, ptr %{name}.at, align 8" for name in _NAMES)


def _make(*, watched: bool) -> str:
    """Return the function that makes a thread's copies."""
    made = "  call void @race.end(ptr %launch, ptr %block, i64 %target, i64 %size)\n" if watched else ""
    return f"""
define internal void @copies.make(ptr %launch, ptr %block, ptr %copies, i64 %until) noinline {{
entry:
  %made.at = getelementptr i64, ptr %copies, i64 {MADE}
  br label %each
each:
  %made = load i64, ptr %made.at, align 8
  %more = icmp ult i64 %made, %until
  br i1 %more, label %make, label %over
make:
{_spot("%made")}
{_LOOK}
  %to = inttoptr i64 %target to ptr
  %of = inttoptr i64 %source to ptr
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %size, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %of, i64 %read, i1 false)
{made}  %next = add i64 %made, 1
  store i64 %next, ptr %made.at, align 8
  br label %each
over:
  ret void
}}
"""


_ADD = f"""
define internal void @copies.add(ptr %launch, ptr %block, ptr %copies, i64 %target, i64 %source, i64 %size, i64 %read) noinline {{
entry:
  %begun = load i64, ptr %copies, align 8
  %next = add i64 %begun, 1
  store i64 %next, ptr %copies, align 8
  %full = icmp uge i64 %next, {MOST}
  %over = sub i64 %next, {MOST}
  %until = select i1 %full, i64 %over, i64 0
  call void @copies.make(ptr %launch, ptr %block, ptr %copies, i64 %until)
{_spot("%begun")}
{_KEEP}
  ret void
}}
"""


def grouped(body: Body) -> set[str]:
    """Return the functions for groups of copies."""
    return {_make(watched=body.kernel.watch is not None), _ADD}


_APPEND = "call i1 @copies.append(ptr %launch, ptr %block, i64 %barrier"
_TRACK = f"""
define internal i1 @copies.track(ptr %launch, ptr %block, ptr %copies, ptr %host) noinline {{
entry:
  %barrier = ptrtoint ptr %host to i64
  %begun = load i64, ptr %copies, align 8
  %made.at = getelementptr i64, ptr %copies, i64 {MADE}
  br label %each
each:
  %made = load i64, ptr %made.at, align 8
  %more = icmp ult i64 %made, %begun
  br i1 %more, label %move, label %over
move:
{_spot("%made")}
{_LOOK}
  %fits = {_APPEND}, i64 %target, i64 %source, i64 %size, i64 %read)
  %next = add i64 %made, 1
  store i64 %next, ptr %made.at, align 8
  br i1 %fits, label %each, label %full
full:
  ret i1 false
over:
  %last = {_APPEND}, i64 0, i64 0, i64 0, i64 {tracking.ARRIVAL})
  ret i1 %last
}}
"""
"""A function that moves a thread's copies to an mbarrier; False without room."""


def copy(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the LLVM IR of cp.async."""
    body.o.declared |= grouped(body) | ({_TRACK} if body.tracks else set())
    row.flag("async")
    if row.flag("mbarrier"):
        tracked(body, inlined, instruction, row)
        return
    what = row.take("ca", "cg", "commit_group", "wait_group", "wait_all")
    if what in SIZES:
        begun(body, inlined, instruction, row)
    elif what == "commit_group":
        commit(body.o)
    elif what == "wait_all":
        commit(body.o)
        wait(body.o, 0)
    else:
        wait(body.o, constant(instruction.operands[0]))


def is_tracking(instruction: Instruction) -> bool:
    """Return whether an instruction makes copies arrive at an mbarrier."""
    return instruction.name == "cp" and ".mbarrier" in instruction.modifiers


def tracked(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the LLVM IR of cp.async.mbarrier.arrive."""
    o = body.o
    row.flag("arrive")
    more = not row.flag("noinc")
    host = place(body, inlined, instruction, instruction.operands[0], row)
    word = loaded(body, host, instruction)
    if more:
        o.do(f"store i64 {o(f'add i64 {word}, {1 << PENDING}')}, ptr {host}, align 8")
    unless(body, o(f"call i1 @copies.track(ptr %launch, ptr %block, ptr %copies, ptr {host})"), instruction)


def commit(o: Lines, copies: str = "%copies") -> None:
    """Write the end of a group of copies."""

    def word(number: int) -> str:
        return o(f"getelementptr i64, ptr {copies}, i64 {number}")

    for number in reversed(range(1, GROUPS)):
        before = o(f"load i64, ptr {word(GROUP + number - 1)}, align 8")
        o.do(f"store i64 {before}, ptr {word(GROUP + number)}, align 8")
    begun_ = o(f"load i64, ptr {word(BEGUN)}, align 8")
    o.do(f"store i64 {begun_}, ptr {word(GROUP)}, align 8")


def wait(o: Lines, left: int, copies: str = "%copies") -> None:
    """Write a wait for the copies of all groups but the latest."""
    if left >= GROUPS:
        refuse("its number of groups")
    place = o(f"getelementptr i64, ptr {copies}, i64 {GROUP + left}")
    until = o(f"load i64, ptr {place}, align 8")
    o.do(f"call void @copies.make(ptr %launch, ptr %block, ptr {copies}, i64 {until})")


def begun(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the beginning of a copy; the reference handles partial reads."""
    o, (target, source, bytes_, *rest) = body.o, instruction.operands
    size = constant(bytes_)
    shared, memory = spaces(row)
    note = Note(instruction, WRITES, begins=True)
    to = o(f"ptrtoint ptr {found(body, inlined, instruction, target, shared, size, WRITES, note=note).host} to i64")
    read = str(size)
    begin, full, none, over = (o.new("A") for _ in range(4))
    o.do(f"br label %{begin}")
    o.label(begin)
    if rest and ignores(rest[0]):
        ignored = body.value(inlined, rest[0], PREDICATE)
        read = o.choose(ignored, "i64", 0, size)
    elif rest:
        read = o.resize(body.value(inlined, rest[0], "u32"), 32, 64)
        part, whole = o.new("A"), o.new("A")
        known = o(f"or i1 {o(f'icmp eq i64 {read}, 0')}, {o(f'icmp eq i64 {read}, {size}')}")
        o.do(f"br i1 {known}, label %{whole}, label %{part}")
        o.label(part)
        unknown(body, instruction)
        o.label(whole)
    o.do(f"br i1 {o(f'icmp eq i64 {read}, 0')}, label %{none}, label %{full}")
    o.label(full)
    of = o(f"ptrtoint ptr {found(body, inlined, instruction, source, memory, size, READS, HELD).host} to i64")
    o.do(f"call void @copies.add(ptr %launch, ptr %block, ptr %copies, i64 {to}, i64 {of}, i64 {size}, i64 {size})")
    o.do(f"br label %{over}")
    o.label(none)
    o.do(f"call void @copies.add(ptr %launch, ptr %block, ptr %copies, i64 {to}, i64 0, i64 {size}, i64 0)")
    o.do(f"br label %{over}")
    o.label(over)


def unknown(body: Body, instruction: Instruction) -> None:
    """Write an exit to the reference, which runs the launch instead."""
    body.sites.append(Access(instruction))
    body.fail("0", str(int(Space.UNKNOWN)))


def unless(body: Body, fine: str, instruction: Instruction) -> None:
    """Write an exit to the reference unless a condition holds."""
    yes, no = body.o.new("A"), body.o.new("A")
    body.o.do(f"br i1 {fine}, label %{yes}, label %{no}")
    body.o.label(no)
    unknown(body, instruction)
    body.o.label(yes)


def place(
    body: Body, inlined: Inlined, instruction: Instruction, operand: Operand, row: Row, near: str = "shared"
) -> str:
    """Return the place of an mbarrier from a generic address."""
    space = space_of(row)
    row.type("b64")
    return in_block(body, inlined, instruction, operand, (space, near), None)


def in_block(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    operand: Operand,
    spaces: tuple[str, str],
    note: Note | None,
) -> str:
    """Write the check of an mbarrier or row in shared memory; return the pointer.

    Args:
        body: The kernel's code.
        inlined: The function.
        instruction: The instruction.
        operand: The address.
        spaces: Its space, and the space that it leads to if it is generic.
        note: What the detector of races learns of a row. None for an mbarrier.
    """
    space, near = spaces
    size = SIZE if note is None else ROW
    if space != GENERIC:
        return found(body, inlined, instruction, operand, space, size, WRITES, note=note).host
    assert isinstance(operand, Memory)  # the reference has checked it
    address = base_of(body, inlined, operand)
    window = body.o(f"lshr i64 {address}, {WINDOW}")
    unless(body, body.o(f"icmp eq i64 {window}, {WINDOWS['shared'] >> WINDOW}"), instruction)
    address = body.o(f"and i64 {address}, {INSIDE}")
    if not body.kernel.program.clustered:
        return in_shared(body, inlined, instruction, address, size, note=note)
    if near != CLUSTER:
        unless(body, clusters.is_own(body, address), instruction)
    return in_shared(body, inlined, instruction, address, size, near, note)


def loaded(body: Body, host: str, instruction: Instruction) -> str:
    """Return the word of an initialised mbarrier."""
    word = body.o(f"load i64, ptr {host}, align 8")
    unless(body, body.o(f"icmp slt i64 {word}, 0"), instruction)
    return word


def settled(o: Lines, word: str) -> str:
    """Return an mbarrier, advanced to the next phase if nothing is pending."""
    some = o(f"icmp ne i64 {o(f'and i64 {word}, {COUNTED}')}, 0")
    count = o(f"and i64 {o(f'lshr i64 {word}, {EXPECTED}')}, {ARRIVALS}")
    more = o(f"or i64 {word}, {o(f'shl i64 {count}, {PENDING}')}")
    return o.choose(some, "i64", word, o(f"xor i64 {more}, {1 << PHASE}"))


def expecting(o: Lines, word: str, count: str, how: str) -> str:
    """Return an mbarrier with more or fewer expected bytes."""
    held = o(f"{how} i64 {o(f'lshr i64 {word}, {BYTES}')}, {count}")
    held = o(f"shl i64 {o(f'and i64 {held}, {(1 << WIDTH) - 1}')}, {BYTES}")
    rest = ~((1 << WIDTH) - 1 << BYTES) & (1 << 64) - 1
    return o(f"or i64 {o(f'and i64 {word}, {rest}')}, {held}")


def pending(o: Lines, word: str) -> str:
    """Return the number of pending arrivals."""
    return o(f"and i64 {o(f'lshr i64 {word}, {PENDING}')}, {ARRIVALS}")


def barrier(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of mbarrier."""
    o, operands = body.o, list(instruction.operands)
    what = row.take("init", "inval", "expect_tx", "complete_tx", *ARRIVES, "test_wait", "try_wait", "pending_count")
    if what in {"test_wait", "try_wait"}:
        waited(body, inlined, instruction, row, following)
        return
    if what == "pending_count":
        row.type("b64")
        count = o(f"trunc i64 {pending(o, body.value(inlined, operands[1], 'b64'))} to i32")
        body.put(inlined, elements(operands[0])[0], count, "u32")
        body.go(following)
        return
    how = (row.take("expect_tx", "noComplete") or "arrive") if what in ARRIVES else what
    results = elements(operands.pop(0)) if what in ARRIVES else ()
    host = place(body, inlined, instruction, operands.pop(0), row, "shared" if what in {"init", "inval"} else CLUSTER)
    number = o.resize(body.value(inlined, operands[0], "u32"), 32, 64) if operands else "1"
    if how == "init":
        unless(body, o(f"icmp ult i64 {o(f'sub i64 {number}, 1')}, {ARRIVALS}"), instruction)
        both = o(f"or i64 {o(f'shl i64 {number}, {EXPECTED}')}, {o(f'shl i64 {number}, {PENDING}')}")
        word = o(f"or i64 {both}, {1 << VALID}")
    elif how == "inval":
        word = "0"
    else:
        before = loaded(body, host, instruction)
        word = changed(body, instruction, before, what, how, number)
        for result in results:
            body.put(inlined, result, before, "b64")
        if body.kernel.watch is not None:
            flipped(body, before, word, PHASE)
    o.do(f"store i64 {word}, ptr {host}, align 8")
    body.go(following)


def changed(body: Body, instruction: Instruction, word: str, what: str, how: str, number: str) -> str:
    """Return an mbarrier after an operation, as the reference does."""
    o = body.o
    if how == "complete_tx":
        return settled(o, expecting(o, word, number, "sub"))
    if how == "expect_tx":
        word = expecting(o, word, number, "add")
        number = "1"
    if what not in ARRIVES:
        return word
    unless(body, o(f"icmp ult i64 {o(f'sub i64 {number}, 1')}, {pending(o, word)}"), instruction)
    word = o(f"sub i64 {word}, {o(f'shl i64 {number}, {PENDING}')}")
    if what == "arrive_drop":
        word = o(f"sub i64 {word}, {o(f'shl i64 {number}, {EXPECTED}')}")
    if how != "noComplete":
        return settled(o, word)
    unless(body, o(f"icmp ne i64 {pending(o, word)}, 0"), instruction)
    return word


def waited(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of mbarrier.test_wait or try_wait."""
    o, parity = body.o, row.flag("parity")
    target, operand, state, *_ = instruction.operands
    host = place(body, inlined, instruction, operand, row)
    asked = body.value(inlined, state, "u32" if parity else "b64")
    asked = o.resize(asked, 32, 64) if parity else o(f"lshr i64 {asked}, {PHASE}")
    if body.tracks:
        unless(body, o(f"call i1 @copies.deliver(ptr %launch, ptr %block, ptr {host})"), instruction)
    word = loaded(body, host, instruction)
    phase = o(f"lshr i64 {word}, {PHASE}")
    done = o(f"trunc i64 {o(f'xor i64 {phase}, {asked}')} to i1")
    body.put(inlined, elements(target)[0], done, PREDICATE)
    body.flow.follow(following)
    yes, no = o.new("A"), o.new("A")
    o.do(f"br i1 {done}, label %{yes}, label %{no}")
    o.label(no)
    body.stop(following, "stop")
    o.label(yes)
    body.go(following)
