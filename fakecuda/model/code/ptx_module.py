"""The top level of a PTX text: variables, functions, files and sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import ptx_body, ptx_functions
from fakecuda.model.code.ptx_declarations import ROOM, add_sizes, variables
from fakecuda.model.code.ptx_source import SHOWN, name_of, number_of, parenthesised
from fakecuda.model.code.ptx_tokens import DOTTED, END, INTEGER, NAME, STRING

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_body import Reading
    from fakecuda.model.code.ptx_contents import Contents
    from fakecuda.model.code.ptx_source import Source

LINKAGE = frozenset({".visible", ".weak", ".extern", ".common"})
DATA = {".b8": 8, ".b16": 16, ".b32": 32, ".b64": 64}
"""The bits of a section's values, by type."""
BYTE, MODULUS = 8, 1 << 32
"""The bits of a byte, and the modulus for byte values."""


def read(source: Source, contents: Contents, reading: Reading) -> None:
    """Read everything after the head.

    Args:
        source: The text.
        contents: What it holds, which is added to.
        reading: What its functions share.
    """
    while source.kind != END:
        linkage = ""
        if source.said in LINKAGE:
            linkage = source.said
            source.advance()
        if source.said == ".attribute":
            source.advance()
            parenthesised(source)
            source.advance()
        said = source.said
        if said == ".entry":
            ptx_functions.kernel(source, contents, linkage, reading)
        elif said == ".func":
            if ptx_functions.function(source, contents, linkage, reading):
                continue
        elif said in ROOM:
            _variables(source, contents, linkage, reading)
        elif linkage:
            source.want(".entry, .func or the space of a variable")
        else:
            _other(source, contents)
            continue
        source.advance()


def _variables(source: Source, contents: Contents, linkage: str, reading: Reading) -> None:
    """Read the declarations of variables in a state space."""
    said = source.said
    own = linkage != ".extern" and said in {".global", ".const", ".shared"}
    declared = variables(source, sized=own)
    add_sizes(source, contents.sizes, said, declared)
    contents.variables += [(linkage, said[1:], one) for one in declared]
    if linkage == ".extern":
        source.uses.update(one.name for one in declared if said != ".shared" or one.extent)
    if own and said == ".shared":
        source.shares.update(one.name for one in declared)
    for one in declared:
        new = reading.symbols.declare(one.name, "&" + said[1:])
        if not new and linkage != ".extern" and one.name not in source.uses:
            source.take(one.match)
            source.refuse(f"{one.name[:SHOWN]} is declared twice: rename or remove one")
    if said == ".shared" and own:
        source.uses.difference_update(source.shares)


def _other(source: Source, contents: Contents) -> None:
    """Read a directive that declares nothing."""
    said = source.said
    if said == ".file":
        _file(source)
    elif said == ".section":
        source.advance()
        if source.kind not in {DOTTED, NAME}:
            source.want("the name of a section")
        source.advance()
        if source.said != "{":
            source.want("'{'")
        contents.sections += 1
        _section(source)
    elif said == ".pragma":
        ptx_body.pragma(source)
        source.advance()
    elif said == ".alias":
        for after in (",", ";"):
            source.advance()
            name_of(source)
            source.advance()
            if source.said != after:
                source.want(repr(after))
        source.advance()
    elif said == "@":  # a line of debugging data of old compilers
        end = source.text.find("\n", source.match.start(source.kind))
        while source.kind != END and source.match.start(source.kind) < (end if end >= 0 else len(source.text)):
            source.advance()
    elif said == "}":
        source.refuse("this '}' has no matching '{': add the '{', or remove the '}'")
    else:
        source.refuse(f"{said[:SHOWN]} is not allowed outside of functions: remove it, or write it in a body")


def _file(source: Source) -> None:
    """Read the number and the name of a file, and perhaps its time and size."""
    source.advance()
    if source.kind != INTEGER:
        source.want("a number")
    source.advance()
    if source.kind != STRING:
        source.want("a string")
    source.advance()
    while source.said == ",":
        source.advance()
        if source.kind != INTEGER:
            source.want("a number")
        source.advance()


def _section(source: Source) -> None:
    """Read the data of a section."""
    bits, wants = 0, False
    source.advance()
    while source.said != "}":
        said = source.said
        if source.kind == DOTTED and not wants:
            if said not in DATA:
                source.want(" or ".join(DATA))
            bits, wants = DATA[said], True
        elif source.kind == INTEGER and wants:
            if bits == BYTE and number_of(source) % MODULUS >> BYTE:
                source.refuse(f"{said[:SHOWN]} has more than {bits} bits: write a smaller number")
            wants = False
        elif source.kind == NAME or (source.kind == DOTTED and wants):
            if said in source.uses:
                source.used.add(said)
            wants = False
        elif said in {"-", "+", ","} and not wants:
            wants = True
        elif said == "-":
            pass
        elif said == ":" and not wants:
            bits = 0
        elif said in {"", "{"}:
            source.refuse("a '{' has no matching '}': add the '}'")
        else:
            source.want("data of a section")
        source.advance()
    source.advance()
