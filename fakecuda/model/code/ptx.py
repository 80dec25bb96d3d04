"""Reading of PTX: the kernels and variables of a text, by its directives.

Instructions are not examined.

The text is read once, from its first token to its last. :mod:`fakecuda.model.code.ptx_source` holds the current token.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.code import (
    BAD_IMAGE,
    CONSTANT,
    GLOBAL,
    GRAPH_LAUNCH,
    MANAGED,
    NEW_PTX,
    SYSTEM,
    Entry,
    Image,
    Names,
    Refused,
    Variable,
)
from fakecuda.model.code.ptx_declarations import LARGEST, params, variables
from fakecuda.model.code.ptx_source import (
    CALLS,
    CLOSES,
    ENDS,
    OPENS,
    SHOWN,
    USES,
    Source,
    name_of,
    number_of,
    parenthesised,
)
from fakecuda.model.code.ptx_tokens import DOTTED, END, FLOAT, INTEGER, NAME, STRING

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_declarations import Declared

REGISTERS = 16
"""Registers of a thread of a kernel from PTX, because the result of a compiler is unknown."""
LINKAGE = frozenset({".visible", ".weak", ".extern", ".common"})
ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d++)([af]?)")
DIGITS = 9
"""How many digits of a version or an architecture are read. Real ones have fewer."""
WORD = (1 << 32) - 1
"""The largest number in a kernel's directive, and the most bytes of a kernel's variables in one space."""
ROOM = {".global": LARGEST, ".const": 1 << 16, ".shared": WORD, ".local": WORD}
"""The most bytes of all variables in a space."""


@define
class Body:
    """The facts of a function's body.

    Attributes:
        sizes: Bytes of its variables by space.
        calls: The functions that it calls.
    """

    sizes: dict[str, int] = field(factory=lambda: dict.fromkeys(ROOM, 0))
    calls: set[str] = field(factory=set)


@frozen
class Kernel:
    """A kernel that was read.

    Attributes:
        params: The offset and the bytes of each parameter.
        directives: The numbers of each directive, by name.
        body: Its body.
    """

    params: tuple[tuple[int, int], ...]
    directives: dict[str, list[int]]
    body: Body

    def three(self, directive: str) -> tuple[int, int, int] | None:
        """Return the three numbers of a directive, with 1 for missing ones.

        None without the directive.
        """
        numbers = self.directives.get(directive)
        if not numbers:
            return None
        x, y, z = [*numbers, 1, 1][:3]
        return x, y, z


@define
class Found:
    """The contents of a text.

    Attributes:
        linkage: The linkage of each defined function. Empty for a private function.
        declared: The declared functions, with the offset of each name.
        calls: The functions that each function calls.
        kernels: The kernels by name.
        variables: The linkage, the space and the declaration of each variable.
        sizes: Bytes of the variables by space.
    """

    linkage: dict[str, str] = field(factory=dict)
    declared: dict[str, int] = field(factory=dict)
    calls: dict[str, set[str]] = field(factory=dict)
    kernels: dict[str, Kernel] = field(factory=dict)
    variables: list[tuple[str, str, Declared]] = field(factory=list)
    sizes: dict[str, int] = field(factory=lambda: dict.fromkeys(ROOM, 0))

    def missing(self) -> list[str]:
        """Return the functions that are called and not defined, without system functions."""
        called: set[str] = set().union(*self.calls.values(), *(one.body.calls for one in self.kernels.values()))
        return [name for name in self.declared if name in called and name not in self.linkage and name not in SYSTEM]

    def launching(self) -> set[str]:
        """Return the functions that launch graphs, directly or by other functions."""
        if GRAPH_LAUNCH in self.linkage:  # the text defines a function of that name
            return set()
        callers: dict[str, list[str]] = {}
        for name, calls in self.calls.items():
            for called in calls:
                callers.setdefault(called, []).append(name)
        found, left = {GRAPH_LAUNCH}, [GRAPH_LAUNCH]
        while left:
            new = [name for name in callers.get(left.pop(), ()) if name not in found]
            found.update(new)
            left += new
        return found


def parsed(data: bytes, arch: int, newest: tuple[int, int], *, whole: bool = True) -> Image:
    """Return the contents of PTX for a device of an architecture.

    Args:
        data: The text.
        arch: The architecture, such as 90 for sm_90.
        newest: The newest version of PTX that is compiled.
        whole: Whether it must define all functions that it calls. Otherwise a linker may find them elsewhere.

    Raises:
        Refused: It is not PTX, or the device's driver does not compile it.
    """
    text = ptx_tokens.text_of(data)
    source = Source(text, ptx_tokens.matches(text))
    target = _head(source, arch, newest)
    found = Found()
    _module(source, found)
    missing = found.missing()
    if whole and missing:
        reason = f"function {missing[0]} is called and has no body: define it, or link code that defines it"
        raise ptx_tokens.refused(text, found.declared[missing[0]], reason)
    return _image(found, missing, source.used, target, arch)


def _head(source: Source, arch: int, newest: tuple[int, int]) -> int:
    """Read the version and the target, and return the target's architecture."""
    try:
        source.advance()
        directive = source.said
        source.advance()
    except Refused as refused:
        raise Refused(BAD_IMAGE, refused.reason, refused.line, refused.column) from None
    version = source.said.split(".")
    if directive != ".version" or source.kind != FLOAT or not all(map(str.isdigit, version)):
        raise Refused(BAD_IMAGE)
    if tuple(_counted(number) for number in version) > newest:
        raise Refused(NEW_PTX)
    source.advance()
    if source.said != ".target":
        source.want(".target")
    source.advance()
    target = ARCHITECTURE.fullmatch(source.said)
    if target is None:
        source.want("an architecture")
    least = _counted(target[1])
    if least > arch or (target[2] == "a" and least != arch):
        source.refuse(f"a device of sm_{arch} cannot run code for {source.said[:SHOWN]}: compile for sm_{arch}")
    return least


def _counted(digits: str) -> int:
    """Return the value of digits.

    Any value beyond the largest real one stands for a larger value.
    """
    return int((digits.lstrip("0") or "0")[:DIGITS])


def _module(source: Source, found: Found) -> None:
    """Read everything after the target."""
    linkage = ""
    while source.kind != END:
        said = source.said
        if said == ".entry":
            _kernel(source, found)
        elif said == ".func":
            _function(source, found, linkage)
        elif said in ROOM:
            own = linkage != ".extern" and said in {".global", ".const"}
            declared = variables(source, sized=own)
            _add(source, found.sizes, said, declared)
            found.variables += [(linkage, said[1:], one) for one in declared]
            if linkage == ".extern" and said != ".shared":
                source.marks |= {one.name: USES for one in declared}
        elif said == "{":  # the data of a section
            _body(source)
        elif said == "}":
            source.refuse("this '}' has no matching '{': add the '{', or remove the '}'")
        linkage = said if said in LINKAGE else ""
        source.advance()


def _add(source: Source, sizes: dict[str, int], space: str, declared: list[Declared]) -> None:
    """Add the bytes of variables to the bytes of their space."""
    sizes[space] += sum(one.size or 0 for one in declared)
    if sizes[space] > ROOM[space]:
        source.refuse(f"the variables in {space} have {sizes[space]} bytes: at most {ROOM[space]} are allowed")


def _kernel(source: Source, found: Found) -> None:
    """Read a kernel or its declaration."""
    source.advance()
    name = name_of(source)
    if name in found.kernels:
        source.refuse(f"kernel {name} is defined twice: rename or remove one")
    source.advance()
    places: tuple[tuple[int, int], ...] = ()
    if source.said == "(":
        places = params(source)
        source.advance()
    directives = _directives(source)
    for directive, numbers in directives.items():
        if prod(max(number, 1) for number in numbers) > WORD:
            said = f"{directive[:SHOWN]} of kernel {name}"
            source.refuse(f"the product of the numbers of {said} is more than {WORD}: write smaller numbers")
    if source.said == "{":
        found.kernels[name] = Kernel(places, directives, _body(source))


def _function(source: Source, found: Found, linkage: str) -> None:
    """Read a function or its declaration."""
    source.advance()
    while source.kind == DOTTED or source.said == "(":  # attributes and return values
        if source.said == "(":
            parenthesised(source)
        source.advance()
    name, offset = name_of(source), source.match.start(NAME)
    source.advance()
    if source.said == "(":
        parenthesised(source)
        source.advance()
    _directives(source)
    if source.said == "{":
        found.linkage[name] = linkage
        found.calls[name] = _body(source).calls
    else:
        found.declared[name] = offset


def _directives(source: Source) -> dict[str, list[int]]:
    """Read the directives before a body or a semicolon, and return their numbers."""
    numbers: list[int] = []
    directives: dict[str, list[int]] = {}
    while source.said not in {"{", ";"}:
        if source.kind == DOTTED:
            pragma = source.said == ".pragma"
            numbers = directives.setdefault(source.said, [])
            source.advance()
            while pragma and (source.kind == STRING or source.said == ","):
                source.advance()
            if pragma and source.said == ";":
                source.advance()
        elif source.kind == INTEGER:
            numbers.append(number_of(source))
            source.advance()
        elif source.said == ",":
            source.advance()
        else:
            source.want("'{', ';' or a directive")
    return directives


def _body(source: Source) -> Body:
    """Read a block to its end."""
    body, depth = Body(), 1
    marks, matches = source.marks, source.matches
    while depth:
        match = next(matches)
        mark = marks.get(match[match.lastgroup or END])
        if mark is None:
            continue
        if mark == OPENS:
            depth += 1
        elif mark == CLOSES:
            depth -= 1
            source.take(match)
        elif mark == USES:
            source.used.add(match[NAME])
        else:
            source.take(match)
            if mark == ENDS:
                source.refuse("a '{' has no matching '}': add the '}'")
            if mark == CALLS:
                body.calls.add(_callee(source))
            elif _declares(source):
                space = source.said
                _add(source, body.sizes, space, variables(source, sized=True))
    return body


def _declares(source: Source) -> bool:
    """Return whether the current token, a space, begins a declaration.

    Otherwise it modifies an instruction.
    """
    before = source.text[source.match.start() - 1]
    return before in ";{}:" or (before.isdigit() and source.match.start() < source.match.start(DOTTED))


def _callee(source: Source) -> str:
    """Return the function of a call that begins at the current token."""
    source.advance()
    while source.kind == DOTTED:
        source.advance()
    if source.said == "(":
        parenthesised(source)
        source.advance()
        if source.said != ",":
            source.want("','")
        source.advance()
    return name_of(source)


def _image(found: Found, missing: list[str], used: set[str], target: int, arch: int) -> Image:
    """Return the image of a text.

    Args:
        found: The contents of the text.
        missing: The functions that it calls and does not define.
        used: The external variables that it uses.
        target: The architecture of its target.
        arch: The device's architecture.
    """
    variables = {}
    for linkage, space, one in found.variables:
        if linkage != ".extern" and space in {"global", "const"} and one.size is not None:
            kind = CONSTANT if space == "const" else MANAGED if one.managed else GLOBAL
            variables[one.name] = Variable(one.name, one.size, kind, one.data)
    constant = sum(one.size for one in variables.values() if one.kind == CONSTANT)
    launching = found.launching()
    entries = {
        name: _entry(name, kernel, constant, target, arch, launches=not launching.isdisjoint(kernel.body.calls))
        for name, kernel in found.kernels.items()
    }
    named = [(how, one.name, space) for how, space, one in found.variables if how]
    own = [name for name, how in found.linkage.items() if how == ".visible"]
    own += [name for how, name, _ in named if how == ".visible"] + list(entries)
    weak = [name for name, how in found.linkage.items() if how == ".weak"]
    weak += [name for how, name, _ in named if how in {".weak", ".common"}]
    outer = [(name, space) for how, name, space in named if how == ".extern" and space != "shared"]
    needed = missing + [name for name in dict(outer) if name in used]
    spaces = [(name, space) for how, name, space in named if how != ".extern"] + outer
    return Image(entries, variables, Names(tuple(own), tuple(weak), tuple(needed), tuple(spaces)))


def _entry(name: str, kernel: Kernel, constant: int, target: int, arch: int, *, launches: bool) -> Entry:
    """Return the description of a kernel in its image."""
    cluster = kernel.three(".reqnctapercluster")
    return Entry(
        name,
        kernel.params,
        registers=(kernel.three(".maxnreg") or (REGISTERS,))[0],
        shared=kernel.body.sizes[".shared"],
        constant=constant,
        local=kernel.body.sizes[".local"],
        most=prod(kernel.three(".maxntid") or (0,)),
        block=kernel.three(".reqntid"),
        cluster=cluster,
        clustered=".explicitcluster" in kernel.directives and cluster is None,
        rank=(kernel.three(".maxclusterrank") or (0,))[0],
        ptx=target,
        binary=arch,
        launches=launches,
    )
