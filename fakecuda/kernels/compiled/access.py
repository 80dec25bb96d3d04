"""Memory instructions as LLVM IR: ld, st, atom and red.

Each access checks its address and notes the bytes that it uses. What is wrong with an address, the reference's checks say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.kernels.access import BYTE, CLUSTER, GENERIC, SPACES, WITHOUT_EFFECT, is_strong, space_of, spare_of
from fakecuda.kernels.arithmetic import PAIRS
from fakecuda.kernels.compiled import clusters, floats, formats, layout, shared_races
from fakecuda.kernels.compiled.layout import Access, Answer, Launch, Site, Space
from fakecuda.kernels.compiled.shared_races import Note
from fakecuda.kernels.floats import F32, FORMATS
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.lower import elements
from fakecuda.kernels.program import Memory, Register, Symbol
from fakecuda.kernels.row import bits_of, is_signed, refuse
from fakecuda.kernels.spaces import INSIDE, POLLS, QUIET, READS, UPDATES, WINDOW, WRITES
from fakecuda.model.code.ptx_declarations import LANES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row

WHOLE = (1 << 64) - 1
SIZES = {1, 2, 4, 8, 16}
WORD, ALL = 4, 15
"""The bytes that share a mark, and the mark if all of them are used."""


@frozen
class Place:
    """The place of an access: pointers and marks.

    Attributes:
        host: The name of a pointer of this OS process.
        is_global: The name of whether it is global memory; a constant if all accesses go to one space.
    """

    host: str
    is_global: str


def found(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    operand: Operand,
    space: str,
    size: int,
    use: int,
    held: int = 0,
    spare: int = 0,
    note: Note | None = None,
) -> Place:
    """Write the check of an access, and return the access's place.

    Args:
        body: The kernel's code.
        inlined: The function.
        instruction: The instruction.
        operand: The address.
        space: The space.
        size: Bytes.
        use: How it uses memory.
        held: ``HELD`` if it goes there for as long as the launch lasts.
        spare: Bytes at its end that nothing reads.
        note: What the detector of races in shared memory learns of it. None if it does not look at it.
    """
    assert isinstance(operand, Memory)  # the reference has checked it
    if size not in SIZES:
        refuse("its size")
    if space == "param" and isinstance(operand.base, Symbol):
        return Place(_parameter(body, inlined, operand.base, operand.offset, size, use), "false")
    if space == "param" and not inlined.is_kernel:
        refuse("its address")
    return reached(
        body, inlined, instruction, base_of(body, inlined, operand), space, size, use, held=held, spare=spare, note=note
    )


def reached(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    address: str,
    space: str,
    size: int,
    use: int,
    *,
    held: int,
    spare: int,
    note: Note | None = None,
) -> Place:
    """Write the check of an access to an address; arguments as for :func:`found`."""
    o = body.o
    flags = held | (layout.READABLE if use in QUIET else layout.WRITABLE)
    body.sites.append(Access(instruction, size, flags, spare=spare))
    if space != GENERIC:
        kind = SPACES.get(space, space)
        return Place(_inside(body, inlined, address, kind, use, note), "true" if kind == "memory" else "false")
    window = o(f"lshr i64 {address}, {WINDOW}")
    near = CLUSTER if body.kernel.program.clustered else "shared"
    kinds = ["memory", near, "local", "params", *(["workspace"] if body.kernel.has_workspace else [])]
    names = [o.new("S") for _ in kinds]
    cases = " ".join(f"i64 {number + 1}, label %{name}" for number, name in enumerate(names[1:]))
    o.do(f"switch i64 {window}, label %{names[0]} [ {cases} ]")
    join, hosts = o.new("S"), []
    for name, kind in zip(names, kinds, strict=True):
        o.label(name)
        inside = address if kind == "memory" else o(f"and i64 {address}, {INSIDE}")
        host = _inside(body, inlined, inside, kind, use, note)
        last = o.new("S")
        o.do(f"br label %{last}")
        o.label(last)
        o.do(f"br label %{join}")
        hosts.append((host, last))
    o.label(join)
    host = o(f"phi ptr {', '.join(f'[ {one}, %{last} ]' for one, last in hosts)}")
    is_global = o(f"phi i1 {', '.join(f'[ {number == 0:d}, %{last} ]' for number, (_, last) in enumerate(hosts))}")
    return Place(host, is_global)


def in_shared(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    address: str,
    size: int,
    space: str = "shared",
    note: Note | None = None,
) -> str:
    """Write the check of a shared memory address, and return the pointer."""
    body.sites.append(Access(instruction, size))
    return _flat(body, inlined, address, space, note)


def base_of(body: Body, inlined: Inlined, operand: Memory) -> str:
    """Return the address of an operand."""
    base = operand.base
    bits = bits_of(base.type) if isinstance(base, Register) else 64
    if bits not in {32, 64}:
        refuse("its address")
    value = body.o.resize(body.value(inlined, base, f"u{bits}"), bits, 64)
    return body.o(f"add i64 {value}, {operand.offset & WHOLE}")


def _inside(body: Body, inlined: Inlined, address: str, kind: str, use: int, note: Note | None) -> str:
    """Write the check of an address in a state space."""
    if kind == "memory":
        return _global(body, address, use)
    if kind == "workspace":
        _checked(body, address, body.field(Launch.ROOM), Space.WORKSPACE)
        return body.o(f"inttoptr i64 {body.o(f'add i64 {body.field(Launch.WORKSPACE)}, {address}')} to ptr")
    return _arguments(body, address, use) if kind == "params" else _flat(body, inlined, address, kind, note)


def _global(body: Body, address: str, use: int) -> str:
    """Write the check of a global memory address, and mark the bytes as used."""
    o = body.o
    site, number = body.sites[-1], len(body.sites) - 1
    size, flags = site.size, site.flags
    check, miss, retry, hit = (o.new("M") for _ in range(4))
    o.do(f"br label %{check}")
    o.label(check)
    sites = o(f"inttoptr i64 {body.field(Launch.SITES)} to ptr")

    def word(field: Site) -> str:
        place = o(f"getelementptr i64, ptr {sites}, i64 {number * len(Site) + field}")
        return o(f"load i64, ptr {place}, align 8")

    offset = o(f"sub i64 {address}, {word(Site.LOW)}")
    o.do(f"br i1 {o(f'icmp ult i64 {turned(o, offset, size)}, {word(Site.SPAN)}')}, label %{hit}, label %{miss}")
    o.label(miss)
    arguments = f"i64 {number}, i64 {address}, i64 {size}, i64 {site.spare}, i64 {flags}, i64 {use}"
    answer = o(f"call i64 @search(ptr %launch, {arguments})")
    o.do(f"br i1 {o(f'icmp eq i64 {answer}, {int(Answer.FOUND)}')}, label %{check}, label %{retry}")
    o.label(retry)
    unknown = o(f"icmp eq i64 {answer}, {int(Answer.UNKNOWN)}")
    where = o.choose(unknown, "i64", int(Space.UNKNOWN), int(Space.GLOBAL))
    body.fail(address, where)
    o.label(hit)
    host = o(f"add i64 {word(Site.HOST)}, {offset}")
    place = o(f"lshr i64 {offset}, 2")
    mark = o(f"inttoptr i64 {o(f'add i64 {word(Site.MARK)}, {place}')} to ptr")
    if size < WORD:
        first = o(f"and i64 {address}, {WORD - 1}")
        bits = o(f"shl i8 {(1 << size) - 1}, {o(f'trunc i64 {first} to i8')}")
        bits = o(f"or i8 {o(f'load i8, ptr {mark}, align 1')}, {bits}")
        o.do(f"store i8 {bits}, ptr {mark}, align 1")
    else:
        words, whole = (size - site.spare) // WORD, size // WORD
        o.do(f"store i{BYTE * words} {int.from_bytes(bytes([ALL]) * words)}, ptr {mark}, align {whole}")
    return o(f"inttoptr i64 {host} to ptr")


def turned(o: Lines, number: str, size: int) -> str:
    """Return a number divided by a size; a large number if it is not a multiple."""
    if size == 1:
        return number
    return o.call("i64", "llvm.fshr.i64", f"i64 {number}", f"i64 {number}", f"i64 {size.bit_length() - 1}")


def _checked(body: Body, address: str, room: str, space: Space, *, may: bool = True) -> None:
    """Write the check that an access is aligned and within a size."""
    o, site = body.o, body.sites[-1]
    size = site.size
    many = o(f"lshr i64 {o(f'add i64 {room}, {site.spare}') if site.spare else room}, {size.bit_length() - 1}")
    fine = o(f"icmp ult i64 {turned(o, address, size)}, {many}") if may else "false"
    hit, miss = o.new("F"), o.new("F")
    o.do(f"br i1 {fine}, label %{hit}, label %{miss}")
    o.label(miss)
    body.fail(address, str(int(space)), room)
    o.label(hit)


def _flat(body: Body, inlined: Inlined, address: str, kind: str, note: Note | None) -> str:
    """Write the check of an address in shared, local or cluster shared memory."""
    block = "%block"
    if kind == "local":
        _checked(body, address, body.limit(inlined), Space.LOCAL)
        return body.o(f"getelementptr i8, ptr %local, i64 {address}")
    if kind == CLUSTER:
        block, address = clusters.reached(body, address)
    elif body.kernel.program.clustered:
        address = body.o(f"sub i64 {address}, {clusters.base(body)}")
    _checked(body, address, body.field(Launch.SHARED), Space.SHARED)
    if note is not None and body.kernel.watch is not None:
        shared_races.note(body, note, address, body.sites[-1].size - body.sites[-1].spare)
    return body.o(f"getelementptr i8, ptr {block}, i64 {body.o(f'add i64 {address}, {layout.HEAD}')}")


def _arguments(body: Body, address: str, use: int) -> str:
    """Write the check of a parameter address; the reference handles all other cases."""
    end = max([at + size for at, size in body.pieces[0][0].code.params], default=0)
    _checked(body, address, str(end), Space.UNKNOWN, may=use in QUIET)
    arguments = body.o(f"inttoptr i64 {body.field(Launch.ARGUMENTS)} to ptr")
    return body.o(f"getelementptr i8, ptr {arguments}, i64 {address}")


def _parameter(body: Body, inlined: Inlined, base: Symbol, more: int, size: int, use: int) -> str:
    """Return the place of a parameter or of a passed variable."""
    o, target, offset = body.o, base.target, base.offset + more
    if isinstance(target, str) or target not in inlined.lowering.places:
        refuse("its address")
    at = inlined.lowering.places[target] + offset
    if not 0 <= offset <= target.size - size or at & size - 1:
        refuse("its address")
    if target in inlined.areas:
        return o(f"getelementptr i8, ptr {inlined.areas[target]}, i64 {offset}")
    if target.space != "param" or use not in QUIET:
        refuse("its address")
    return argument(o, at)


def argument(o: Lines, at: int) -> str:
    """Return the place of a byte in the kernel's parameters."""
    place = o(f"getelementptr i64, ptr %launch, i64 {int(Launch.ARGUMENTS)}")
    return o(f"getelementptr i8, ptr {o(f'load ptr, ptr {place}, align 8')}, i64 {at}")


def _listed(row: Row, operand: Operand) -> tuple[str, str, tuple[Operand, ...]]:
    """Return the state space, the type and the values of an access."""
    space, count, type_ = space_of(row), LANES.get("." + row.take("v2", "v4", "v8"), 1), row.type()
    listed = elements(operand)
    if len(listed) != count:
        refuse("its operands")
    return space, type_, listed


def use_of(row: Row, *, loads: bool) -> int:
    """Return the kind of use by a load or store, before its modifiers are taken."""
    if is_strong(row):
        return POLLS if loads else UPDATES
    return READS if loads else WRITES


def load(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the LLVM IR of ld, ldu or ld.global.nc."""
    target, operand = instruction.operands
    use = use_of(row, loads=True)
    space, type_, targets = _listed(row, target)
    bits, count = bits_of(type_), len(targets)
    spare = spare_of(inlined.lowering.function, target, bits) if use == READS else 0
    size, note = bits // BYTE * count, Note(instruction, use)
    place = found(body, inlined, instruction, operand, space, size, use, spare=spare, note=note)
    targets = targets[: count - spare * BYTE // bits]
    values = []
    for number in range(len(targets)):
        at = body.o(f"getelementptr i8, ptr {place.host}, i64 {number * bits // BYTE}")
        values.append(body.o(f"load i{bits}, ptr {at}, align {bits // BYTE}"))
    for target, value in zip(targets, values, strict=True):
        body.put(inlined, target, value, type_)


def store(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the LLVM IR of st."""
    operand, source = instruction.operands
    use = use_of(row, loads=False)
    space, type_, sources = _listed(row, source)
    o, bits, count = body.o, bits_of(type_), len(sources)
    values = [body.value(inlined, one, type_) for one in sources]
    note = shared_races.of_store(body, instruction, use, values, bits)
    place = found(body, inlined, instruction, operand, space, bits // BYTE * count, use, note=note)
    for number, value in enumerate(values):
        at = o(f"getelementptr i8, ptr {place.host}, i64 {number * bits // BYTE}")
        o.do(f"store i{bits} {value}, ptr {at}, align {bits // BYTE}")
    shared_races.released(body, instruction)


def changed(row: Row, type_: str) -> tuple[Callable[..., str], int, bool]:
    """Return an atomic's function, its operand count, and whether it is ``f32``."""
    how, bits = row.take("add", "min", "max", "inc", "dec", "exch", "cas", *LOGIC), bits_of(type_)
    of, one = f"i{bits}", FORMATS.get(PAIRS.get(type_, type_))
    if one is not None and how in {"add", "min", "max"}:
        row.flag("noftz")
        function = floats.total(one) if how == "add" else floats.lesser_or_greater(how, one)
        return floats.paired(function) if type_ in PAIRS else function, 1, one is F32
    if how in {"inc", "dec"}:
        return _counted(how, of), 1, False
    if how in LOGIC or how == "add":
        return lambda o, a, b: o(f"{how} {of} {a}, {b}"), 1, False
    if how in {"min", "max"}:
        word = ("s" if is_signed(type_) else "u") + {"min": "lt", "max": "gt"}[how]
        return lambda o, a, b: o.choose(o(f"icmp {word} {of} {b}, {a}"), of, b, a), 1, False
    if how == "exch":
        return lambda _o, _a, b: b, 1, False
    return lambda o, a, b, c: o.choose(o(f"icmp eq {of} {a}, {b}"), of, c, a), 2, False


def _counted(how: str, of: str) -> Callable[[Lines, str, str], str]:
    """Return the function of inc or dec, which wraps at its operand."""

    def found(o: Lines, a: str, b: str) -> str:
        if how == "inc":
            return o.choose(o(f"icmp uge {of} {a}, {b}"), of, 0, o(f"add {of} {a}, 1"))
        over = o(f"or i1 {o(f'icmp eq {of} {a}, 0')}, {o(f'icmp ugt {of} {a}, {b}')}")
        return o.choose(over, of, b, o(f"sub {of} {a}, 1"))

    return found


def atomic(body: Body, inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write the LLVM IR of atom or red; threads execute one at a time."""
    o = body.o
    space, width, type_ = space_of(row), LANES.get("." + row.take("v2", "v4", "v8"), 1), row.type()
    function, count, flushes = changed(row, type_)
    operands = list(instruction.operands)
    targets = elements(operands.pop(0)) if row.name == "atom" else ()
    operand = operands.pop(0)
    if space == "param" or len(operands) != count:
        refuse("its operands")
    bits = bits_of(type_)
    values = [[body.value(inlined, part, type_) for part in elements(one)] for one in operands]
    note = Note(instruction, UPDATES)
    place = found(body, inlined, instruction, operand, space, bits // BYTE * width, UPDATES, note=note)
    parts = []
    for number, given in enumerate(zip(*values, strict=True)):
        at = o(f"getelementptr i8, ptr {place.host}, i64 {number * bits // BYTE}")
        before = o(f"load i{bits}, ptr {at}, align {bits // BYTE}")
        after = function(o, before, *given)
        if flushes:
            flat = [formats.flushed(o, one, F32) for one in (before, *given)]
            after = o.choose(place.is_global, "i32", formats.flushed(o, function(o, *flat), F32), after)
        o.do(f"store i{bits} {after}, ptr {at}, align {bits // BYTE}")
        parts.append(before)
    for target, before in zip(targets, parts, strict=False):
        body.put(inlined, target, before, f"b{bits}")
    shared_races.released(body, instruction)


def nothing(body: Body, _inlined: Inlined, instruction: Instruction, row: Row) -> None:
    """Write an instruction without effect; the race detector notes fences."""
    row.words.clear()
    row.types.clear()
    shared_races.released(body, instruction)


OPS: dict[str, Callable[[Body, Inlined, Instruction, Row], None]] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "atom": atomic,
    "red": atomic,
    **dict.fromkeys(WITHOUT_EFFECT, nothing),
}
"""Writers of memory instructions, by name."""
