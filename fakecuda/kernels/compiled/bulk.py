"""cp.async.bulk as LLVM IR, with the checks and the order of :mod:`fakecuda.kernels.bulk`.

What the manual calls undefined is left to the reference, and so are kernels with reductions or with copies to several blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fakecuda.kernels.access import CLUSTER
from fakecuda.kernels.asynchronous import SIZE as SIGNAL
from fakecuda.kernels.asynchronous import constant
from fakecuda.kernels.bulk import HINT, PIECE, TRACKED, spaces
from fakecuda.kernels.compiled import asynchronous, clusters, layout, tracking
from fakecuda.kernels.compiled.access import base_of, reached
from fakecuda.kernels.compiled.asynchronous import loaded, unless
from fakecuda.kernels.compiled.layout import HELD, Access, Launch
from fakecuda.kernels.program import Memory
from fakecuda.kernels.row import refuse
from fakecuda.kernels.spaces import READS, WRITES

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row

GROUPS = "%bulk"
"""The place of a thread's grouped copies."""


class Spot(NamedTuple):
    """An address of a copy.

    Attributes:
        block: The block whose shared memory it lies in. Empty for global memory.
        place: The address there.
    """

    block: str
    place: str


def copy(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the LLVM IR of cp."""
    body.copies = (
        asynchronous.ROOM + (tracking.ROOM if body.tracks else 0) + (asynchronous.ROOM if body.groups_bulk else 0)
    )
    if "bulk" not in row.words:
        asynchronous.copy(body, inlined, instruction, row)
        return
    if "tensor" in row.words and "prefetch" not in row.words:
        refuse("its modifier .tensor")
    if row.flag("reduce"):
        refuse("its reduction")
    row.flag("async")
    row.flag("bulk")
    body.o.declared |= asynchronous.grouped(body)
    what = row.take("commit_group", "wait_group", "prefetch")
    if what == "commit_group":
        asynchronous.commit(body.o, GROUPS)
    elif what == "wait_group":
        row.flag("read")
        asynchronous.wait(body.o, constant(instruction.operands[0]), GROUPS)
    elif what == "prefetch":
        row.words.clear()
    else:
        begun(body, inlined, instruction, row)


def is_grouped(instruction: Instruction) -> bool:
    """Return whether an instruction belongs to the groups of bulk copies."""
    names = {".bulk_group", ".commit_group", ".wait_group"}
    return instruction.name == "cp" and ".bulk" in instruction.modifiers and not names.isdisjoint(instruction.modifiers)


def grouped(body: Body) -> None:
    """Give threads room for groups of bulk copies."""
    body.groups_bulk = True
    place = asynchronous.ROOM + (tracking.ROOM if body.tracks else 0)
    body.head.append(f"  {GROUPS} = getelementptr i8, ptr %copies, i64 {place}")
    body.last = [
        f"  {GROUPS}.begun = load i64, ptr {GROUPS}, align 8",
        f"  call void @copies.make(ptr %launch, ptr %block, ptr {GROUPS}, i64 {GROUPS}.begun)",
    ]


def is_tracked(instruction: Instruction) -> bool:
    """Return whether an mbarrier tracks the copy of an instruction."""
    return instruction.name == "cp" and f".{TRACKED}" in instruction.modifiers


def _spot(body: Body, inlined: Inlined, instruction: Instruction, operand: Operand, space: str) -> Spot:
    """Return the address of an operand."""
    assert isinstance(operand, Memory)  # the reference has checked it
    address = base_of(body, inlined, operand)
    if space == CLUSTER:
        body.sites.append(Access(instruction))
        return Spot(*clusters.reached(body, address))
    if space == "global":
        return Spot("", address)
    own = body.o(f"sub i64 {address}, {clusters.base(body)}") if body.kernel.program.clustered else address
    return Spot("%block", own)


def _host(body: Body, spot: Spot) -> str:
    """Return the host pointer of a place in shared memory."""
    return body.o(f"getelementptr i8, ptr {spot.block}, i64 {body.o(f'add i64 {spot.place}, {layout.HEAD}')}")


def _fits(body: Body, instruction: Instruction, spot: Spot, size: str) -> None:
    """Write an exit to the reference unless bytes are in a block's shared memory."""
    o, room = body.o, body.field(Launch.SHARED)
    inside = o(f"icmp ule i64 {spot.place}, {room}")
    ends = o(f"icmp ule i64 {o(f'add i64 {spot.place}, {size}')}, {room}")
    unless(body, o(f"and i1 {inside}, {ends}"), instruction)


def begun(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the beginning of a copy."""
    o = body.o
    to, of = spaces(row)
    tracks = row.flag(TRACKED)
    row.flag("bulk_group")
    row.flag(HINT)
    first, second, bytes_, *rest = instruction.operands
    source = _spot(body, inlined, instruction, second, of)
    target = _spot(body, inlined, instruction, first, to)
    size = o.resize(body.value(inlined, bytes_, "u32"), 32, 64)
    bits = o(f"or i64 {o(f'or i64 {source.place}, {target.place}')}, {size}")
    unless(body, o(f"icmp eq i64 {o(f'and i64 {bits}, {PIECE - 1}')}, 0"), instruction)
    for one in (source, target):
        if one.block:
            _fits(body, instruction, one, size)
    if not tracks:
        host = _pieces(body, inlined, instruction, target.place, size, WRITES)
        given = (o(f"ptrtoint ptr {one} to i64") for one in (host, _host(body, source)))
        o.do(
            f"call void @copies.add(ptr %launch, ptr %block, ptr {GROUPS}, i64 {', i64 '.join(given)}, i64 {size}, i64 {size})"
        )
        return
    if of != "global":
        unless(body, o(f"icmp ne ptr {target.block}, %block"), instruction)
    signal = _spot(body, inlined, instruction, rest[0], to)
    unless(body, o(f"icmp eq i64 {o(f'and i64 {signal.place}, {SIGNAL - 1}')}, 0"), instruction)
    _fits(body, instruction, signal, str(SIGNAL))
    barrier = _host(body, signal)
    loaded(body, barrier, instruction)
    host = _pieces(body, inlined, instruction, source.place, size, READS) if of == "global" else _host(body, source)
    words = [o(f"ptrtoint ptr {one} to i64") for one in (barrier, _host(body, target), host)]
    append = f"call i1 @copies.append(ptr %launch, ptr {signal.block}, i64 "
    unless(body, o(f"{append}{', i64 '.join([*words, size, size])})"), instruction)
    unless(body, o(f"{append}{words[0]}, i64 0, i64 0, i64 {size}, i64 {tracking.BYTES})"), instruction)


def _pieces(body: Body, inlined: Inlined, instruction: Instruction, address: str, size: str, use: int) -> str:
    """Write the checks of global memory, and return the pointer there."""
    o = body.o
    at, first = o.new("%u"), o.new("%u")
    body.head += [f"  {at} = alloca i64", f"  {first} = alloca ptr"]
    o.do(f"store i64 0, ptr {at}")
    o.do(f"store ptr null, ptr {first}")
    head, do, begin, follow, over = (o.new("B") for _ in range(5))
    o.do(f"br label %{head}")
    o.label(head)
    offset = o(f"load i64, ptr {at}")
    o.do(f"br i1 {o(f'icmp ult i64 {offset}, {size}')}, label %{do}, label %{over}")
    o.label(do)
    place = o(f"add i64 {address}, {offset}")
    host = reached(body, inlined, instruction, place, "global", PIECE, use, held=HELD, spare=0).host
    o.do(f"br i1 {o(f'icmp eq i64 {offset}, 0')}, label %{begin}, label %{follow}")
    o.label(begin)
    o.do(f"store ptr {host}, ptr {first}")
    o.do(f"br label %{follow}")
    o.label(follow)
    wanted = o(f"getelementptr i8, ptr {o(f'load ptr, ptr {first}')}, i64 {offset}")
    unless(body, o(f"icmp eq ptr {wanted}, {host}"), instruction)
    o.do(f"store i64 {o(f'add i64 {offset}, {PIECE}')}, ptr {at}")
    o.do(f"br label %{head}")
    o.label(over)
    return o(f"load ptr, ptr {first}")
