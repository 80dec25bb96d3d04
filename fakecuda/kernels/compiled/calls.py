"""Function calls as LLVM IR: inlined, by a stack, or of a system function.

A function stands in place where it is called. A function that may call itself, or that is called by its address, is a unit: it
stands once. A call of it keeps the unit's registers on a stack of the thread, and its end restores them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.kernels import system
from fakecuda.kernels.compiled import layout, thread
from fakecuda.kernels.compiled.layout import Access, Launch, Space
from fakecuda.kernels.program import Several, Symbol
from fakecuda.kernels.row import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction, Operand, Variable
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Kernel

ROOM = 48 << 10
"""The size of a thread's stack, and of units' local memory, in bytes."""
FRAME = 32
"""The minimum stack size of a function, so that the reference's limit comes later."""
RESULTS = 5
"""The minimum number of words for arguments and results of Python calls."""
ANSWERS = 8
"""The maximum size of an argument of a system function."""


@define(eq=False)
class Unit:
    """A function that is compiled once, with the functions inlined in it.

    Attributes:
        number: Its number.
        name: Its name.
        inlined: The functions; itself first.
        gives: The memory of its arguments during a call.
        takes: The memory of its results at its end.
        returns: Where it returns to, by number.
    """

    number: int
    name: str
    inlined: list[Inlined] = field(factory=list)
    gives: list[str] = field(factory=list)
    takes: list[str] = field(factory=list)
    returns: list[tuple[int, str]] = field(factory=list)

    @property
    def base(self) -> str:
        """The variable with the address of the unit's local memory."""
        return f"%base{self.number}"

    @property
    def outer(self) -> str:
        """The variable with the callers' size of local memory."""
        return f"%outer{self.number}"


def stacked(kernel: Kernel) -> set[str]:
    """Return the functions of a kernel that recursion or function pointers may call."""
    pointed = {code.name for code in kernel.by_address.values()}
    reached: dict[str, set[str]] = {}
    for name, lowering in kernel.lowerings.items():
        targets = reached[name] = set()
        for one in lowering.function.body or []:
            if one.name == "call":
                target = _target(one)
                targets |= {kernel.program.aliases.get(target, target)} if target else pointed
    found = set()
    for name in reached:
        seen: set[str] = set()
        left = [name]
        while left:
            more = reached.get(left.pop(), set()) - seen
            seen |= more
            left += more
        if name in seen:
            found.add(name)
    return found | pointed


def _target(instruction: Instruction) -> str:
    """Return the name of a called function; empty for a call by an address."""
    first, *rest = instruction.operands
    target = rest[0] if isinstance(first, Several) else first
    return target.target if isinstance(target, Symbol) and isinstance(target.target, str) else ""


def _passed(inlined: Inlined, operand: Operand | None) -> list[Variable]:
    """Return the variables that a call passes or expects."""
    found = []
    for one in operand.parts if isinstance(operand, Several) else ():
        if not isinstance(one, Symbol) or isinstance(one.target, str) or one.target not in inlined.areas or one.offset:
            refuse("its arguments")
        found.append(one.target)
    return found


def call(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the call of a function, whose pieces follow."""
    row.flag("uni")
    lists = list(instruction.operands)
    into = _passed(inlined, lists.pop(0)) if isinstance(lists[0], Several) else []
    target = lists.pop(0)
    given = _passed(inlined, lists[0] if lists else None)
    name = _target(instruction)
    if not name:
        _by_address(body, inlined, instruction, body.value(inlined, target, "u64"), (given, into), following)
        return
    if name in system.FUNCTIONS:
        _ask(body, inlined, instruction, name, (given, into), following)
        return
    name = body.kernel.program.aliases.get(name, name)
    if not _fit(body, name, given, into):
        refuse("its arguments")
    if name in body.stacked:
        _enter(body, inlined, name, (given, into), following)
        return
    callee = body.inline(name, inlined, following, into, inlined.unit)
    body.o.text += body.begin(callee)
    body.flow.sure = instruction.guard is None
    for register, _ in body.own(callee)[0]:
        body.flow.write(register)
    clear(body, callee, inlined.local)
    for of, to in zip(given, callee.lowering.function.params, strict=True):
        copy(body, callee.areas[to], inlined.areas[of], of.size)
    body.go(callee.first)


def copy(body: Body, to: str, of: str, size: int) -> None:
    """Write a copy of bytes."""
    body.o.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {of}, i64 {size}, i1 false)")


def clear(body: Body, inlined: Inlined, start: int) -> None:
    """Write that a unit's function clears its local memory."""
    if inlined.unit is not None and inlined.local > start:
        place = body.o(f"getelementptr i8, ptr %local, i64 {body.inside(inlined, start)}")
        body.o.do(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {inlined.local - start}, i1 false)")


def _fit(body: Body, name: str, given: list[Variable], into: list[Variable]) -> bool:
    """Return whether a function's parameters and results match a call."""
    function = body.kernel.lowerings[name].function
    pairs = (given, function.params), (into, function.returns)
    return all([one.size for one in ours] == [one.size for one in theirs] for ours, theirs in pairs)


def unit_of(body: Body, name: str) -> Unit:
    """Return the unit of a function."""
    if name in body.units:
        return body.units[name]
    if not body.units:
        body.register("%sp", 64)
        body.head += ["  %return = alloca i64", "  %outer = alloca i64", "  store i64 0, ptr %sp"]
    unit = body.units[name] = Unit(len(body.units), name)
    for place in (unit.base, unit.outer):
        body.register(place, 64)
    function = body.kernel.lowerings[name].function
    for kind, listed, variables in (("g", unit.gives, function.params), ("t", unit.takes, function.returns)):
        for number, one in enumerate(variables):
            listed.append(f"%{kind}{unit.number}_{number}")
            body.area(listed[-1], one.size)
    body.inline(name, None, 0, [], unit)
    return unit


def _enter(
    body: Body, inlined: Inlined, name: str, passed: tuple[list[Variable], list[Variable]], following: int
) -> None:
    """Write the call of a unit, and the code after its return."""
    o, unit = body.o, unit_of(body, name)
    given, into = passed
    number, label = body.returned, o.new("V")
    body.returned += 1
    unit.returns.append((number, label))
    o.do(f"store i64 {number}, ptr %return")
    o.do(f"store i64 {body.limit(inlined)}, ptr %outer")
    for variable, to in zip(given, unit.gives, strict=True):
        copy(body, to, inlined.areas[variable], variable.size)
    o.do(f"br label %enter{unit.number}")
    o.label(label)
    for variable, of in zip(into, unit.takes, strict=True):
        copy(body, inlined.areas[variable], of, variable.size)
    body.go(following)


def leave(body: Body, inlined: Inlined, unit: Unit) -> None:
    """Write the return from a unit's function."""
    for of, to in zip(inlined.lowering.function.returns, unit.takes, strict=True):
        copy(body, to, inlined.areas[of], of.size)
    body.o.do(f"br label %leave{unit.number}")


def frames(body: Body, unit: Unit) -> None:
    """Write the prologue and the epilogue of a unit's calls."""
    o, root, number = body.o, unit.inlined[0], unit.number
    parts = [body.own(one) for one in unit.inlined]
    saved = [one for listed, _ in parts for one in listed] + [(unit.base, 64), (unit.outer, 64)]
    areas = [one for _, listed in parts for one in listed]
    size = max(layout.WORD + thread.size_of(saved, areas), FRAME * len(unit.inlined))
    o.label(f"enter{number}")
    sp = o("load i64, ptr %sp")
    end = o(f"add i64 {sp}, {size}")
    outer = o("load i64, ptr %outer")
    base = o(f"and i64 {o(f'add i64 {outer}, 15')}, -16")
    most = max(one.local for one in unit.inlined)
    last = o(f"add i64 {base}, {most}")
    fits = o(f"and i1 {o(f'icmp ule i64 {end}, {ROOM}')}, {o(f'icmp ule i64 {last}, {body.room}')}")
    o.do(f"br i1 {fits}, label %fits{number}, label %full{number}")
    o.label(f"full{number}")
    body.sites.append(Access(root.code.pieces[0].instructions[0]))
    body.fail("0", str(int(Space.UNKNOWN)))
    o.label(f"fits{number}")
    frame = o(f"getelementptr i8, ptr %stack, i64 {sp}")
    o.do(f"store i64 {o('load i64, ptr %return')}, ptr {frame}, align 8")
    o.text += thread.moved(f"e{number}", frame, layout.WORD, saved, areas, load=False)
    o.do(f"store i64 {end}, ptr %sp")
    o.text += body.begin(root)
    o.do(f"store i64 {base}, ptr {unit.base}")
    o.do(f"store i64 {outer}, ptr {unit.outer}")
    clear(body, root, 0)
    for variable, of in zip(root.lowering.function.params, unit.gives, strict=True):
        copy(body, root.areas[variable], of, variable.size)
    body.go(root.first)
    o.label(f"leave{number}")
    start = o(f"sub i64 {o('load i64, ptr %sp')}, {size}")
    o.do(f"store i64 {start}, ptr %sp")
    frame = o(f"getelementptr i8, ptr %stack, i64 {start}")
    o.text += thread.moved(f"l{number}", frame, layout.WORD, saved, areas, load=True)
    cases = " ".join(f"i64 {where}, label %{label}" for where, label in unit.returns)
    back = o(f"load i64, ptr {frame}, align 8")
    o.do(f"switch i64 {back}, label %full{number} [ {cases} ]")


def _by_address(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    address: str,
    passed: tuple[list[Variable], list[Variable]],
    following: int,
) -> None:
    """Write the call of a function by an address."""
    o = body.o
    names = {known: code.name for known, code in body.kernel.by_address.items()}
    labels = {known: o.new("Y") for known in names}
    other = o.new("Y")
    cases = " ".join(f"i64 {known}, label %{label}" for known, label in labels.items())
    o.do(f"switch i64 {address}, label %{other} [ {cases} ]")
    o.label(other)
    body.sites.append(Access(instruction))
    body.fail(address, str(int(Space.CODE)))
    for known, label in labels.items():
        o.label(label)
        if _fit(body, names[known], *passed):
            _enter(body, inlined, names[known], passed, following)
        else:
            body.fail(address, str(int(Space.UNKNOWN)))


def _ask(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    name: str,
    passed: tuple[list[Variable], list[Variable]],
    following: int,
) -> None:
    """Write the call of a system function, which Python executes."""
    o = body.o
    given, into = passed
    if any(one.size > ANSWERS for one in (*given, *into)):
        refuse("its arguments")
    sources = [(o(f"load i{one.size * 8}, ptr {inlined.areas[one]}, align {one.size}"), one.size * 8) for one in given]
    values = ask(body, inlined, instruction, list(system.FUNCTIONS).index(name), sources)
    answer = o(f"load i64, ptr {values}, align 8")
    for one in into:
        o.do(f"store i{one.size * 8} {o.resize(answer, 64, one.size * 8)}, ptr {inlined.areas[one]}, align {one.size}")
    body.go(following)


def ask(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    number: int | None,
    sources: list[tuple[str, int]],
    own: Callable[[str], str] | None = None,
) -> str:
    """Write a request to Python, and return the place of the results, in words.

    Args:
        body: The thread's code.
        inlined: The function.
        instruction: The instruction.
        number: The number of the system function. None if Python executes the instruction.
        sources: The values that Python gets, and their bits.
        own: Returns the call by which native code may do it itself, of where the words lie.
    """
    o, values = body.o, body.o.new("%q")
    body.head.append(f"  {values} = alloca [{max(len(sources) + 1, RESULTS)} x i64]")
    for at, (value, bits) in enumerate(sources):
        place = o(f"getelementptr i64, ptr {values}, i64 {at + 1}")
        o.do(f"store i64 {o.resize(value, bits, 64)}, ptr {place}, align 8")
    after = o.new("Q")
    if own is not None:
        other = o.new("Q")
        o.do(f"br i1 {o(own(values))}, label %{after}, label %{other}")
        o.label(other)
    body.sites.append(Access(instruction))
    if number is None:
        number = len(system.FUNCTIONS) + len(body.sites) - 1
    function = o(f"inttoptr i64 {body.field(Launch.ASK)} to ptr")
    arguments = (
        f"i64 {number}, i64 {len(sources)}, i64 %n, ptr %block, ptr {values}, ptr %local, i64 {body.limit(inlined)}"
    )
    done = o(f"call i64 {function}({arguments})")
    wrong = o.new("Q")
    o.do(f"br i1 {o(f'icmp ne i64 {done}, 0')}, label %{after}, label %{wrong}")
    o.label(wrong)
    body.fail("0", str(int(Space.ASKED)))
    o.label(after)
    return values
