"""What PTX holds: the kernels and variables of a text, by its directives. What its instructions say is a compiler's business."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import evolve

from fakecuda.model.code import (
    BAD_IMAGE,
    BAD_PTX,
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

if TYPE_CHECKING:
    from collections.abc import Iterator

REGISTERS = 16
"""Registers of a thread of a kernel that a driver's compiler has not been asked about."""
BYTES = {"8": 1, "16": 2, "16x2": 4, "32": 4, "64": 8, "128": 16, "pred": 1}
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
VERSION = re.compile(r"\s*\.version\s+(\d+)\.(\d+)")
TARGET = re.compile(r"\s*\.version\s+\d+\.\d+\s+\.target\s+(?:sm|compute)_(\d+)([af]?)")
ENTRY = re.compile(r"\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?([^{;]*)\{")
FUNCTION = re.compile(r"(\.\w+\s+)?\.func\b([^{;]*)([{;])")
NAME = re.compile(r"([\w$%]+)\s*(?:\([^)]*\)\s*)?(?:\.\w+\s*)*$")
VARIABLE = re.compile(
    r"((?:\.(?:visible|weak|extern|common)\s+)?)\.(global|const|shared|local)\b((?:\s*\.\w+(?:\s*\([^)]*\)|\s+\d+(?![\w\[]))?)*)"
    r"\s+([\w$%]+)\s*((?:\[\s*\d*\s*\])*)\s*(?:=\s*([^;]*))?;"
)
PARAM = re.compile(r"\.param\b(.*?)([\w$%]+)\s*(?:\[\s*(\d*)\s*\])?\s*$", re.DOTALL)
TYPE = re.compile(r"\.[usbf](\d+(?:x2)?)\b|\.(pred)\b")
ALIGN = re.compile(r"\.align\s+(\d+)")
NUMBERS = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)")


def parsed(data: bytes, arch: int, newest: tuple[int, int], *, whole: bool = True) -> Image:
    """Return what PTX holds for a device of an architecture.

    Args:
        data: The text.
        arch: The architecture: 90 of sm_90.
        newest: The newest version of PTX that is compiled.
        whole: Whether it is to have all that it uses; otherwise a linker may find that elsewhere.

    Raises:
        Refused: It is no PTX, or none that the device's driver compiles.
    """
    text = COMMENTS.sub(" ", data.partition(b"\0")[0].decode(errors="replace"))
    version = VERSION.match(text)
    if version is None:
        raise Refused(BAD_IMAGE)
    if tuple(map(int, version.groups())) > newest:
        raise Refused(NEW_PTX)
    target = TARGET.match(text)
    if target is None or text.count("{") != text.count("}"):
        raise Refused(BAD_PTX)
    if int(target[1]) > arch or (target[2] == "a" and int(target[1]) != arch):
        raise Refused(BAD_PTX)
    own, weak, missing = _functions(text)
    if whole and missing:
        raise Refused(BAD_PTX)
    entries = {}
    launching = _launching(text)
    for match in ENTRY.finditer(text):
        entry = _entry(match, text[match.end() : _closing(text, match.end())], int(target[1]), arch, launching)
        if entry.name in entries:
            raise Refused(BAD_PTX)
        entries[entry.name] = entry
    outside = _outside(text)
    variables = {one.name: one for one in _variables(outside)}
    constant = sum(one.size for one in variables.values() if one.kind == CONSTANT)
    entries = {name: evolve(entry, constant=constant) for name, entry in entries.items()}
    linkage = [(match[1].strip(), match[2], match[4]) for match in VARIABLE.finditer(outside)]
    own += [name for how, _, name in linkage if how == ".visible"] + list(entries)
    weak += [name for how, _, name in linkage if how in {".weak", ".common"}]
    outer = [(name, space) for how, space, name in linkage if how == ".extern" and space != "shared"]
    missing += [name for name, _ in outer if _uses(text, name) > 1]
    spaces = [(name, space) for how, space, name in linkage if how and how != ".extern"] + outer
    return Image(entries, variables, Names(tuple(own), tuple(weak), tuple(missing), tuple(spaces)))


def _functions(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return which functions others may use, which of them others may have too, and which are called that are not there.

    Those of the system are there.
    """
    functions = [(match[1] or "", NAME.search(match[2]), match[3]) for match in FUNCTION.finditer(text)]
    there = {name[1]: how.strip() for how, name, end in functions if name is not None and end == "{"}
    declared = {name[1]: None for _, name, end in functions if name is not None and end == ";"}
    called = [name for name in declared if name not in there and name not in SYSTEM and _calls(text, {name})]
    own = [name for name, how in there.items() if how == ".visible"]
    return own, [name for name, how in there.items() if how == ".weak"], called


def _launching(text: str) -> set[str]:
    """Return which functions launch graphs: the system's own, and those that call one of them."""
    if GRAPH_LAUNCH not in text:
        return set()
    bodies, found = {}, {GRAPH_LAUNCH}
    for match in FUNCTION.finditer(text):
        name = NAME.search(match[2])
        if match[3] == "{" and name is not None:
            bodies[name[1]] = text[match.end() : _closing(text, match.end())]
    if GRAPH_LAUNCH in bodies:  # which is not the system's
        return set()
    while more := {name for name, body in bodies.items() if name not in found and _calls(body, found)}:
        found |= more
    return found


def _calls(body: str, names: set[str]) -> bool:
    """Return whether a function calls one of some."""
    return any(re.search(rf"\bcall\b[^;]*[\s,]{re.escape(name)}\s*[,;]", body) for name in names)


def _uses(text: str, name: str) -> int:
    """Return how often a text names something."""
    return len(re.findall(rf"(?<![\w$%]){re.escape(name)}(?![\w$%])", text))


def _closing(text: str, start: int) -> int:
    """Return where the block ends that begins before a place."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.start()
    raise Refused(BAD_PTX)


def _outside(text: str) -> str:
    """Return a text without the bodies of its functions; what variables begin with stays."""
    told, at = [], 0
    for match in re.finditer(r"\.(?:entry|func)\b[^{;]*\{", text):
        if match.start() >= at:
            told.append(text[at : match.end()])
            at = _closing(text, match.end())
    return "".join([*told, text[at:]])


def _size(kinds: str, count: str | None) -> tuple[int, int]:
    """Return the alignment and the bytes of something of a type, or an array of them."""
    found = TYPE.search(kinds)
    if found is None:
        raise Refused(BAD_PTX)
    size = BYTES.get(found[1] or found[2], 0)
    align = ALIGN.search(kinds)
    return max(size, int(align[1]) if align else 0), size * (1 if count is None else int(count or 0))


def _params(text: str) -> tuple[tuple[int, int], ...]:
    """Return the offset and the bytes of each parameter, each aligned as its type is."""
    places, end = [], 0
    for one in filter(str.strip, (text or "").split(",")):
        match = PARAM.search(one)
        if match is None:
            raise Refused(BAD_PTX)
        align, size = _size(match[1], match[3])
        end += -end % align
        places.append((end, size))
        end += size
    return tuple(places)


def _three(directives: str, name: str) -> tuple[int, int, int] | None:
    """Return the numbers of a directive, those that are missing as 1."""
    match = re.search(rf"\.{name}\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", directives)
    return None if match is None else (int(match[1]), int(match[2] or 1), int(match[3] or 1))


def _entry(match: re.Match[str], body: str, ptx: int, arch: int, launching: set[str]) -> Entry:
    name, params, directives = match.groups()
    most, block = _three(directives, "maxntid"), _three(directives, "reqntid")
    cluster = _three(directives, "reqnctapercluster")
    sizes = {"shared": 0, "local": 0}
    for inside in VARIABLE.finditer(body):
        if inside[2] in sizes:
            sizes[inside[2]] += _size(inside[3], _count(inside[5]))[1]
    asked = re.search(r"\.maxnreg\s+(\d+)", directives)
    return Entry(
        name,
        _params(params),
        registers=int(asked[1]) if asked else REGISTERS,
        shared=sizes["shared"],
        local=sizes["local"],
        most=most[0] * most[1] * most[2] if most else 0,
        block=block,
        cluster=cluster,
        clustered=".explicitcluster" in directives and cluster is None,
        rank=(_three(directives, "maxclusterrank") or (0,))[0],
        ptx=ptx,
        binary=arch,
        launches=_calls(body, launching),
    )


def _count(dimensions: str) -> str | None:
    """Return how many members an array has, as a text; None for what is no array."""
    if not dimensions:
        return None
    count = 1
    for one in re.findall(r"\d+", dimensions):
        count *= int(one)
    return str(count) if re.search(r"\d", dimensions) else ""


def _variables(text: str) -> Iterator[Variable]:
    for match in VARIABLE.finditer(text):
        linkage, space, kinds, name, dimensions, value = match.groups()
        if space in {"global", "const"} and ".extern" not in linkage:
            _, size = _size(kinds, _count(dimensions))
            kind = MANAGED if ".managed" in kinds or "(managed)" in kinds.replace(" ", "") else GLOBAL
            found = CONSTANT if space == "const" else kind
            yield Variable(name, size, found, _data(kinds, value, size))


def _data(kinds: str, value: str | None, size: int) -> bytes:
    """Return what a variable begins with, as far as that is whole numbers."""
    if value is None or not re.fullmatch(r"[\s{},]*(?:-?(?:0[xX][0-9a-fA-F]+|\d+)[\s{},]*)*", value):
        return b""
    width = _size(kinds, None)[1]
    type_ = TYPE.search(kinds)
    assert type_ is not None
    width = BYTES.get(type_[1] or "", 1)
    told = b"".join((int(one, 0) & (1 << 8 * width) - 1).to_bytes(width, "little") for one in NUMBERS.findall(value))
    return told[:size]
