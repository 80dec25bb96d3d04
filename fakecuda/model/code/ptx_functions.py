"""Kernels and functions of a PTX text, with their parameters and directives."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from fakecuda.model.code import ptx_body
from fakecuda.model.code.ptx_contents import Kernel
from fakecuda.model.code.ptx_declarations import WORD, arguments, params
from fakecuda.model.code.ptx_source import SHOWN, name_of, number_of, parenthesised
from fakecuda.model.code.ptx_symbols import FUNCTION, KERNEL
from fakecuda.model.code.ptx_tokens import DOTTED, INTEGER, NAME

if TYPE_CHECKING:
    import re

    from fakecuda.model.code.ptx_body import Reading
    from fakecuda.model.code.ptx_contents import Contents, Signature
    from fakecuda.model.code.ptx_declarations import Argument
    from fakecuda.model.code.ptx_source import Source

OF_KERNELS = {
    ".maxntid": 3,
    ".reqntid": 3,
    ".minnctapersm": 1,
    ".maxnctapersm": 1,
    ".maxnreg": 1,
    ".reqnctapercluster": 3,
    ".explicitcluster": 0,
    ".maxclusterrank": 1,
    ".blocksareclusters": 0,
}
"""The maximum number of arguments of each kernel directive."""
OF_FUNCTIONS = {".noreturn": 0, ".abi_preserve": 1, ".abi_preserve_control": 1}
AFTER = frozenset(
    {".visible", ".weak", ".extern", ".common", ".func", ".entry", ".global", ".const", ".shared", ".section"}
)
"""Tokens that compilers accept after a declaration without a semicolon."""


def kernel(source: Source, contents: Contents, linkage: str, reading: Reading) -> None:
    """Read a kernel or its declaration."""
    source.advance()
    name = name_of(source)
    if name in contents.kernels:
        source.refuse(f"kernel {name} is defined twice: rename or remove one")
    if reading.symbols.known.get(name, KERNEL) != KERNEL:
        source.refuse(f"{name[:SHOWN]} is not a kernel above: rename one")
    source.advance()
    places: tuple[tuple[int, int], ...] = ()
    names: list[re.Match[str]] = []
    if source.said == "(":
        places, names = params(source)
        source.advance()
    directives = _directives(source, OF_KERNELS)
    for directive, numbers in directives.items():
        if prod(max(number, 1) for number in numbers) > WORD:
            said = f"{directive[:SHOWN]} of kernel {name}"
            source.refuse(f"the product of the numbers of {said} is more than {WORD}: write smaller numbers")
    reading.symbols.declare(name, KERNEL)
    if source.said == "{":
        reading.symbols.begin()
        for match in names:
            ptx_body.declare(source, reading, match, "&param")
        contents.defined[name] = ptx_body.read(source, reading)
        contents.kernels[name] = Kernel(linkage, places, directives, contents.defined[name])


def function(source: Source, contents: Contents, linkage: str, reading: Reading) -> bool:
    """Read a function or its declaration; return whether the next token is current."""
    source.advance()
    given: list[Argument] = []
    returned = 0
    while source.said in {"(", ".attribute"}:
        if source.said == "(":  # what it returns
            given += arguments(source)
            returned = len(given)
        else:
            source.advance()
            parenthesised(source)
        source.advance()
    name, match = name_of(source), source.match
    if reading.symbols.known.get(name, FUNCTION) != FUNCTION:
        source.refuse(f"{name[:SHOWN]} is not a function above: rename one")
    source.advance()
    if source.said == "(":
        given += arguments(source)
        source.advance()
    for place, one in enumerate(given):
        _, type_, elements = one.said
        if type_.pointer or (place < returned and elements == "[0]"):
            source.take(one.match)
            source.refuse(
                "only parameters of kernels have .ptr"
                if type_.pointer
                else "a result has no elements: write their number"
            )
    signature = (returned, ".noreturn" in _directives(source, OF_FUNCTIONS), *[one.said for one in given])
    linkage = _linkage(source, contents, match, (linkage, signature))
    reading.symbols.declare(name, FUNCTION)
    reading.symbols.counted[name] = returned, len(given) - returned
    results, taken = (", ".join([one.type for one in some]) for some in (given[:returned], given[returned:]))
    contents.prototypes[name] = f"({results}) ({taken})"
    if any(one.narrow for one in given):
        contents.narrow.setdefault(name, match.start(NAME))
    if source.said == "{":
        contents.linkage[name] = linkage
        reading.symbols.begin()
        for one in given:
            if reason := one.unfit(source):
                source.take(one.match)
                source.refuse(reason)
            ptx_body.declare(source, reading, one.match, one.what)
        contents.defined[name] = contents.bodies[name] = ptx_body.read(source, reading)
        return False
    contents.declared[name] = match.start(NAME)
    return source.said != ";"


def _linkage(source: Source, contents: Contents, match: re.Match[str], said: tuple[str, Signature]) -> str:
    """Return the linkage of a function, whose declarations must agree, as ptxas of CUDA 13.0 compares them.

    Args:
        source: The text, whose current token follows the declaration.
        contents: The contents of the text.
        match: The token of the function's name.
        said: The linkage and the signature of this declaration.
    """
    (linkage, signature), name = said, match[NAME]
    first, before = contents.functions.setdefault(name, said)
    wrong = ""
    if name in contents.linkage:
        wrong = "is declared again after its definition: remove one"
    elif linkage != first and (linkage or first == ".extern"):
        wrong = f"is {linkage or 'not external'} here and {first or 'private'} above: write the same"
    elif signature != before:
        wrong = "has other results, parameters or directives than above: write the same"
    elif first == ".extern" and source.said == "{":
        wrong = "has a body and is .extern: remove .extern"
    if wrong:
        source.take(match)
        source.refuse(f"function {name[:SHOWN]} {wrong}")
    return first


def _directives(source: Source, known: dict[str, int]) -> dict[str, list[int]]:
    """Read the directives before a body or a semicolon, and return their numbers.

    Args:
        source: The text.
        known: How many numbers each directive has at most.
    """
    directives: dict[str, list[int]] = {}
    while source.said not in {"{", ";"}:
        said = source.said
        if said == ".pragma":
            directives[said] = []
            ptx_body.pragma(source)
            source.advance()
            continue
        if said in AFTER and known is OF_FUNCTIONS:
            break
        if source.kind != DOTTED or said not in known:
            source.want("'{', ';' or a directive")
        numbers = directives[said] = []
        source.advance()
        while len(numbers) < known[said]:
            if source.kind != INTEGER:
                source.want("a number")
            numbers.append(number_of(source))
            if not numbers[-1]:
                source.refuse(f"a number of {said} is 0: write 1 or more")
            source.advance()
            if source.said != ",":
                break
            source.advance()
    return directives
