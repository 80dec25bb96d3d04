"""The bodies of PTX functions: blocks, declarations, labels, directives and instructions.

A body is read in one pass. Names are looked up where they stand, and labels when their block ends. Each instruction is
checked by :mod:`fakecuda.model.code.ptx_check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from attrs import define, field

from fakecuda.model.code import ptx_declarations, ptx_tokens
from fakecuda.model.code.ptx_operands import Operands
from fakecuda.model.code.ptx_source import SHOWN, name_of, number_of
from fakecuda.model.code.ptx_symbols import FUNCTION, LABEL, PROTOTYPE, TARGETS, Symbols
from fakecuda.model.code.ptx_tokens import DOTTED, END, INTEGER, NAME, STRING

if TYPE_CHECKING:
    import re

    from fakecuda.model.code.ptx_check import Checker
    from fakecuda.model.code.ptx_declarations import Declared
    from fakecuda.model.code.ptx_source import Source
    from fakecuda.model.code.ptx_symbols import Class

SPACES = frozenset({".shared", ".local", ".global", ".const"})
REGISTERS, PARAMETERS = ".reg", ".param"
LISTS = {".branchtargets": TARGETS, ".calltargets": PROTOTYPE}
PROTOTYPES, LINE = ".callprototype", ".loc"
LOCATION = 3
"""The minimum number of operands of .loc: file, line and column."""
MOST_OPERANDS = 3
"""The maximum operands after a call's results: function, arguments, prototype."""
BARRIER_COUNT, WARP = 16, 32
FIELDS, FIELD = {"bfe": 2, "bfi": 3}, 255
"""The index of a bit field's position operand, and the largest constant there."""
LIMITED = frozenset({"bar", "barrier", *FIELDS})
MOST_REGISTERS = (1 << 31) - 1


@define
class Reading:
    """The shared state of reading the functions of a text.

    Attributes:
        symbols: The names that are known.
        checker: What instructions are checked by.
    """

    symbols: Symbols
    checker: Checker


@define
class Body:
    """The facts of a function's body.

    Attributes:
        sizes: Bytes of its variables by space.
        calls: The functions that it calls.
        pointed: The functions whose address it uses.
        shared: Its variables in shared memory.
        used: The names of the text's variables in shared memory that it uses.
    """

    sizes: dict[str, int] = field(factory=lambda: dict.fromkeys(SPACES, 0))
    calls: set[str] = field(factory=set)
    pointed: set[str] = field(factory=set)
    shared: list[Declared] = field(factory=list)
    used: set[str] = field(factory=set)


def read(source: Source, reading: Reading) -> Body:
    """Read a body to its end; its first block is already open.

    Args:
        source: The text. Its current token is the brace that opens the body.
        reading: What the functions of the text share.
    """
    body, symbols, begun = Body(), reading.symbols, False
    while True:
        if not begun:
            source.advance()
        begun = False
        kind, said = source.kind, source.said
        if kind == NAME:
            begun = _named(source, reading, body)
        elif said == "@":
            _guarded(source, reading, body)
        elif kind == DOTTED:
            begun = _directive(source, reading, body)
        elif said == "{":
            symbols.begin()
        elif said == "}":
            wanted = symbols.end()
            if not symbols.blocks:
                _settle(source, wanted)
                return body
        elif kind == END:
            source.refuse("a '{' has no matching '}': add the '}'")
        else:
            source.want("a statement")


def _settle(source: Source, wanted: dict[str, re.Match[str]]) -> None:
    """Check that no undefined label is in use at the end of a function."""
    if wanted:
        source.take(min(wanted.values(), key=lambda one: one.start(NAME)))
        source.refuse(
            f"{source.said[:SHOWN]} is not a label of this block or of a block around it: add the label, or correct the name"
        )


def _named(source: Source, reading: Reading, body: Body) -> bool:
    """Read a label or an instruction.

    Returns:
        Whether the current token is the one after it, as behind a label.
    """
    first = source.match
    match = next(source.matches)
    source.take(match)
    if source.said != ":":
        _instruction(source, reading, body, first)
        return False
    source.advance()
    what = LISTS.get(source.said) or (PROTOTYPE if source.said == PROTOTYPES else LABEL)
    declare(source, reading, first, what)
    if what == LABEL:
        return True
    if source.said == PROTOTYPES:
        _prototype(source)
    else:
        _targets(source, reading)
    return False


def declare(source: Source, reading: Reading, match: re.Match[str], what: Class) -> None:
    """Declare a token as a name in the current block."""
    if not reading.symbols.declare(match[NAME], what):
        _twice(source, match)


def _twice(source: Source, match: re.Match[str]) -> NoReturn:
    """Refuse a name that the block already has."""
    source.take(match)
    source.refuse(f"{source.said[:SHOWN]} is declared twice in this block: rename or remove one")


def _prototype(source: Source) -> None:
    """Read the prototype of a call, and ignore it."""
    source.advance()
    if source.said == "(":
        ptx_declarations.arguments(source)
        source.advance()
    if source.said != "_":
        source.want("'_'")
    source.advance()
    if source.said == "(":
        ptx_declarations.arguments(source)
        source.advance()
    while source.kind in {DOTTED, INTEGER}:
        source.advance()
    if source.said != ";":
        source.want("';'")


def _targets(source: Source, reading: Reading) -> None:
    """Read the labels or functions of a list of targets."""
    while True:
        source.advance()
        reading.symbols.want(name_of(source), source.match)
        source.advance()
        if source.said == ";":
            return
        if source.said != ",":
            source.want("';'")


def _guarded(source: Source, reading: Reading, body: Body) -> None:
    """Read a guard, and the instruction behind it."""
    source.advance()
    if source.said == "!":
        source.advance()
    name = name_of(source)
    if reading.symbols.find(name) != ".pred":
        source.refuse(f"{name[:SHOWN]} is not a predicate register: declare it by .reg .pred")
    source.advance()
    name_of(source)
    first = source.match
    source.take(next(source.matches))
    _instruction(source, reading, body, first)


def _instruction(source: Source, reading: Reading, body: Body, first: re.Match[str]) -> None:
    """Read and check an instruction whose name is the given token."""
    match, matches, uses, shares = source.match, source.matches, source.uses, source.shares
    tokens, texts, count = [], [], 0
    while True:
        kind = match.lastgroup or END
        text = match[kind]
        tokens.append(match)
        texts.append(text)
        if kind == DOTTED and count == len(tokens) - 1:
            count += 1
        elif text == ";":
            break
        elif kind == END:
            source.take(first)
            source.refuse(f"the instruction {source.said[:SHOWN]} does not end: add the ';'")
        elif text in uses:
            source.used.add(text)
        elif text in shares:
            body.used.add(text)
        match = next(matches)
    name = first[NAME]
    checker = reading.checker
    operands = Operands(source.text, reading.symbols, checker.special, name, tokens, texts, count).all()
    if FUNCTION in operands:
        body.pointed.update(text for text in texts if reading.symbols.find(text) == FUNCTION)
    source.take(match)
    reason = checker.judge(name, tuple(texts[:count]), tuple(operands))
    if name == "call" and not reason:
        reason = _call(reading.symbols, body, operands)
    if name in LIMITED and not reason:
        reason = _limited(name, texts, operands, count)
    if reason:
        source.take(first)
        source.refuse(reason)


def _limited(name: str, texts: list[str], operands: list[Class], count: int) -> str:
    """Return why a constant operand is out of range; empty if it is not.

    Args:
        name: The instruction.
        texts: Its tokens.
        operands: Its operands.
        count: The number of its name's and its modifiers' tokens.
    """
    split = " ".join(texts[count:]).removesuffix(" ;").split(" , ")
    given: list[int | None] = [
        ptx_tokens.integer(text) if one == "int" and text.isalnum() else None
        for one, text in zip(operands, split, strict=False)
    ]
    if name in FIELDS:
        wrong = [one for one in given[FIELDS[name] :] if one is not None and one > FIELD]
        return f"the position and the size of a field are 0 to {FIELD}, not {wrong[0]}" if wrong else ""
    if ".warp" in texts[:count]:
        return ""
    given = [*given[".red" in texts[:count] :], None, None]
    barrier, threads = given[:2]
    if barrier is not None and barrier >= BARRIER_COUNT:
        return f"barrier {str(barrier)[:SHOWN]} is not one of 0 to {BARRIER_COUNT - 1}"
    if threads is not None and (threads % WARP or (not threads and ".arrive" in texts[:count])):
        return f"a barrier waits for a multiple of {WARP} threads, not for {str(threads)[:SHOWN]}"
    return ""


def _call(symbols: Symbols, body: Body, operands: list[Class]) -> str:
    """Note the function that is called; return why the call is wrong, if it is."""
    lists = [len(one) - 1 if one[0] == "(" else -1 for one in operands]
    returned = lists.pop(0) if lists and lists[0] >= 0 else 0
    target = operands[len(operands) - len(lists)] if lists else ""
    given = lists[1] if len(lists) > 1 and lists[1] >= 0 else 0
    if not target or lists[0] >= 0 or len(lists) > MOST_OPERANDS or max(lists[2:], default=-1) >= 0:
        return "a call needs a function or its address, with results before it and arguments after it, in parentheses"
    if target[0] != FUNCTION:
        return ""
    name = str(target[1])
    body.calls.add(name)
    wanted = symbols.counted[name]
    if wanted != (returned, given):
        return f"function {name} returns {wanted[0]} values and has {wanted[1]} parameters: pass as many"
    return ""


def _directive(source: Source, reading: Reading, body: Body) -> bool:
    """Read a directive; return whether the next token is already current."""
    said = source.said
    if said == REGISTERS:
        _registers(source, reading)
    elif said in SPACES or said == PARAMETERS:
        declared = ptx_declarations.variables(source, sized=True)
        if said != PARAMETERS:
            ptx_declarations.add_sizes(source, body.sizes, said, declared)
        if said == ".shared":
            body.shared += declared
        for one in declared:
            declare(source, reading, one.match, "&" + said[1:])
    elif said == LINE:
        _location(source)
        return True
    elif said == ".pragma":
        pragma(source)
    else:
        source.refuse(f"{said[:SHOWN]} is not allowed in a body: remove it, or write it outside of functions")
    return False


def _registers(source: Source, reading: Reading) -> None:
    """Read declarations of registers up to a semicolon."""
    source.advance()
    type_, lanes = "", 1
    while source.kind == DOTTED:
        if source.said in ptx_declarations.LANES and source.said != ".v8":
            lanes = ptx_declarations.LANES[source.said]
        elif source.said in ptx_declarations.REGISTERS:
            type_ = source.said
        elif source.said == ".align":
            source.advance()
            number_of(source)
        else:
            source.want("the type of a register")
        source.advance()
    if not type_:
        source.want("the type of a register")
    if type_ == ptx_declarations.WIDEST and source.version < ptx_declarations.WIDEST_SINCE:
        source.refuse(f"{type_} needs .version 8.3 or later")
    what: Class = type_ if lanes == 1 else ("{", *[type_] * lanes)
    while source.said != ";":
        name_of(source)
        match = source.match
        source.advance()
        if source.said == "<":
            source.advance()
            if source.kind != INTEGER:
                source.want("a number")
            count = min(number_of(source), MOST_REGISTERS)
            if not reading.symbols.declare_many(match[NAME], count, what):
                _twice(source, match)
            source.advance()
            if source.said != ">":
                source.want("'>'")
            source.advance()
        else:
            declare(source, reading, match, what)
        if source.said == ",":
            source.advance()
            name_of(source)
        elif source.said != ";":
            source.want("';'")


def _location(source: Source) -> None:
    """Read a .loc directive; the current token is then the token after it."""
    numbers = 0
    source.advance()
    while source.kind == INTEGER:
        numbers += 1
        source.advance()
    if numbers < LOCATION:
        source.want("a number")
    while source.said == ",":
        source.advance()
        if name_of(source) == "inlined_at":
            for _ in range(LOCATION + 1):
                source.advance()
            continue
        source.advance()
        name_of(source)
        source.advance()
        if source.said == "+":
            source.advance()
            source.advance()


def pragma(source: Source) -> None:
    """Read the strings of a pragma."""
    while True:
        source.advance()
        if source.kind != STRING:
            source.want("a string")
        source.advance()
        if source.said == ";":
            return
        if source.said != ",":
            source.want("';'")
