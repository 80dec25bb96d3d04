"""Reading of PTX: the kernels and variables of a text.

The text is read once, from its first token to its last. :mod:`fakecuda.model.code.ptx_source` holds the current token.
The readers of its parts are modules of their own: :mod:`~fakecuda.model.code.ptx_head`,
:mod:`~fakecuda.model.code.ptx_module`, :mod:`~fakecuda.model.code.ptx_functions`,
:mod:`~fakecuda.model.code.ptx_declarations` and :mod:`~fakecuda.model.code.ptx_body`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from fakecuda.model.code import ptx_check, ptx_head, ptx_module, ptx_tokens
from fakecuda.model.code.code import (
    COMMON,
    CONSTANT,
    EXTERN,
    FUNCTION,
    GLOBAL,
    KERNEL,
    MANAGED,
    OWN,
    PRIVATE,
    SYSTEM,
    WEAK,
    Entry,
    Image,
    Names,
    Prototype,
    Symbol,
    Variable,
)
from fakecuda.model.code.ptx_body import Reading
from fakecuda.model.code.ptx_contents import Contents
from fakecuda.model.code.ptx_source import Source
from fakecuda.model.code.ptx_symbols import Symbols

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_contents import Kernel

LINKAGE = {".visible": OWN, ".weak": WEAK, ".common": COMMON, ".extern": EXTERN, "": PRIVATE}
"""How an image has what a text declares with each linkage."""
LINKED_SINCE = (3, 1)
"""The first PTX version that linkers accept."""
TYPICAL = 16
"""The assumed register count of a kernel from PTX, as no compiler runs."""


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
    if not text.isascii():
        offset = next(place for place, one in enumerate(text) if not one.isascii())
        raise ptx_tokens.refused(text, offset, f"{text[offset]!r} is not ASCII, even in a comment or a string")
    source = Source(text, ptx_tokens.matches(text))
    version, target, debugged = ptx_head.read(source, arch, newest)
    contents, symbols = Contents(), Symbols()
    source.known, source.version = symbols.known, version
    reading = Reading(symbols, ptx_check.checker(version, target))
    ptx_module.read(source, contents, reading)
    if debugged and not contents.sections:
        raise ptx_tokens.refused(
            text, len(text), "the .target has debug, but no .section with debugging data follows: compile with -G again"
        )
    called = contents.called()
    missing = [name for name in called if name not in SYSTEM]
    if whole and missing:
        reason = f"function {missing[0]} is called and has no body: define it, or link code that defines it"
        raise ptx_tokens.refused(text, contents.declared[missing[0]], reason)
    pointed = contents.pointed()
    wrong = [name for name in pointed if whole or name in SYSTEM]
    if wrong:
        reason = f"the address of function {wrong[0]} is used, and the function has no body: define it, or link code that defines it"
        raise ptx_tokens.refused(text, contents.declared[wrong[0]], reason)
    missing += [name for name in pointed if name not in missing]
    if not whole:
        _relocatable(text, contents, version, called)
        reached = contents.reached()
        missing = [name for name in missing if name in reached]
    outside = {name for name, how in contents.linkage.items() if how}.union(missing, called)
    return _image(contents, missing, outside, source.used, target[0], arch)


def _relocatable(text: str, contents: Contents, version: tuple[int, int], called: list[str]) -> None:
    """Check what holds only for relocatable code, as ptxas of CUDA 13.0 does with -c.

    Args:
        text: The text.
        contents: The contents of the text.
        version: Its PTX version.
        called: The functions that it calls and does not define.
    """
    if version < LINKED_SINCE:
        raise ptx_tokens.refused(text, 0, "a linker needs .version 3.1 or later")
    for name, offset in contents.narrow.items():
        if name in contents.linkage or name in called:
            reason = f"in linked code, function {name} cannot have results or parameters of 8 or 16 bits or .pred: use .b8, .b16 or .b32"
            raise ptx_tokens.refused(text, offset, reason)


def _image(contents: Contents, missing: list[str], outside: set[str], used: set[str], target: int, arch: int) -> Image:
    """Return the image of a text.

    Args:
        contents: The contents of the text.
        missing: The functions that it calls and does not define.
        outside: The functions that it exports, and those that it uses and does not define.
        used: The external variables that it uses.
        target: The architecture of its target.
        arch: The device's architecture.
    """
    variables = {}
    for linkage, space, one in contents.variables:
        if linkage != ".extern" and space in {"global", "const"}:
            kind = CONSTANT if space == "const" else MANAGED if one.managed else GLOBAL
            variables[one.name] = Variable(one.name, one.size, kind, one.data, one.addresses)
    constant = sum(one.size for one in variables.values() if one.kind == CONSTANT)
    launching = contents.launching()
    entries = {
        name: _entry(
            name,
            kernel,
            contents.shared(kernel.body),
            constant,
            target,
            arch,
            launches=not launching.isdisjoint(kernel.body.calls),
        )
        for name, kernel in contents.kernels.items()
    }
    named = [(how, one.name, space) for how, space, one in contents.variables if how]
    own = [name for name, how in contents.linkage.items() if how == ".visible"]
    own += [name for how, name, _ in named if how == ".visible"]
    own += [name for name, kernel in contents.kernels.items() if kernel.linkage == ".visible"]
    weak = [name for name, how in contents.linkage.items() if how == ".weak"]
    weak += [name for how, name, _ in named if how in {".weak", ".common"}]
    weak += [name for name, kernel in contents.kernels.items() if kernel.linkage == ".weak"]
    outer = dict.fromkeys(name for how, name, _ in named if how == ".extern")
    needed = missing + [name for name in outer if name in used]
    private = tuple(name for name, how in contents.linkage.items() if not how)
    order = contents.ordered()
    symbols = [_symbol(contents, name, entries) for name in order if name in contents.defined or name in missing]
    symbols += [
        Symbol(one.name, space, LINKAGE[how], one.extent, one.managed) for how, space, one in contents.variables if how
    ]
    prototypes = tuple(
        Prototype(name, contents.prototypes[name], name in contents.linkage) for name in order if name in outside
    )
    return Image(entries, variables, Names(tuple(own), tuple(weak), tuple(needed), tuple(symbols), private, prototypes))


def _symbol(contents: Contents, name: str, entries: dict[str, Entry]) -> Symbol:
    """Return a kernel or a function as a linker sees it."""
    if name in entries:
        return Symbol(name, KERNEL, LINKAGE[contents.kernels[name].linkage], entries[name].bytes_of_params)
    return Symbol(name, FUNCTION, LINKAGE[contents.linkage.get(name, ".extern")])


def _entry(name: str, kernel: Kernel, shared: int, constant: int, target: int, arch: int, *, launches: bool) -> Entry:
    """Return the description of a kernel in its image."""
    cluster = kernel.three(".reqnctapercluster")
    return Entry(
        name,
        kernel.params,
        registers=(kernel.three(".maxnreg") or (TYPICAL,))[0],
        shared=shared,
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
