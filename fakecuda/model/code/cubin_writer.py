"""Writing of cubins without instructions, as the reader of cubins needs them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.code import cubin
from fakecuda.model.code.code import CONSTANT, GRAPH_LAUNCH, MANAGED
from fakecuda.model.code.cost import spent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.code.code import Entry, Image, Variable

PROGBITS, SYMTAB, STRTAB, EXECUTABLE, PLAIN = 1, 2, 3, 2, 1
"""Section types, the file type ET_EXEC, and the attribute format EIFMT_NVAL."""
LARGEST_PARAM = 1 << 14
"""The first parameter size that the parameter attribute cannot hold."""
LARGEST = 256 << 20
"""The maximum bytes of a section's variables that are stored in the file."""
PLACES = {".nv.global.init": PROGBITS, ".nv.global": cubin.NOBITS, ".nv.constant3": PROGBITS}
"""The names of sections for variables."""
BODY = bytes(64)
"""A stand-in for a kernel's instructions."""
GLOBAL_SYMBOL = cubin.GLOBAL_SYMBOL << 4

Part = tuple[str, int, bytes, int]
"""A section: name, type, bytes in the file, and size in memory."""


def written(image: Image, arch: int, inputs: Iterable[bytes] = ()) -> bytes:
    """Return a cubin for an architecture with the contents of an image.

    Args:
        image: The contents.
        arch: The architecture.
        inputs: What it was linked from, which the cubin carries.

    Raises:
        FakeCudaError: A number is too large for the known format of cubins.
    """
    try:
        made = _written(image, arch, inputs)
    except struct.error as error:
        msg = (
            f"cuLinkComplete cannot write the linked cubin, because a count or a size in it is too large ({error}): "
            "link fewer kernels, or make variables and parameters smaller"
        )
        raise FakeCudaError(msg) from error
    spent.bytes_produced += len(made)
    return made


def _written(image: Image, arch: int, inputs: Iterable[bytes]) -> bytes:
    names = list(image.entries)
    launcher = 1 + len(names) + len(image.variables)
    launchers = [GRAPH_LAUNCH] if any(entry.launches for entry in image.entries.values()) else []
    kernels = [part for entry in image.entries.values() for part in _kernel(entry, arch, launcher)]
    text_of = {
        part[0].removeprefix(".text."): number for number, part in enumerate(kernels) if part[0].startswith(".text.")
    }
    first = 3  # after the empty section, .strtab and .symtab
    held = _variables(image.variables.values())
    strings, places = _strings([*names, *image.variables, *launchers])
    symbols = [bytes(cubin.SYMBOL.size)]  # a table begins with an empty one
    symbols += [
        cubin.SYMBOL.pack(
            places[name],
            GLOBAL_SYMBOL | cubin.FUNCTION,
            cubin.ENTRY,
            first + text_of[name],
            0,
            len(BODY),
        )
        for name in names
    ]
    for place, (ones, _) in enumerate(held):
        at = 0
        for one in ones:
            other = cubin.MANAGED_OBJECT if one.kind == MANAGED else 0
            symbols.append(
                cubin.SYMBOL.pack(
                    places[one.name],
                    GLOBAL_SYMBOL | cubin.OBJECT,
                    other,
                    first + len(kernels) + place,
                    at,
                    one.size,
                )
            )
            at += one.size
    symbols += [cubin.SYMBOL.pack(places[name], GLOBAL_SYMBOL | cubin.FUNCTION, 0, 0, 0, 0) for name in launchers]
    attributes = b"".join(
        _attribute(cubin.REGISTERS, "<II", number, entry.registers)
        + _attribute(cubin.FRAME, "<II", number, entry.local)
        for number, entry in enumerate(image.entries.values(), 1)
    )
    parts = [
        (".strtab", STRTAB, strings, len(strings)),
        (".symtab", SYMTAB, b"".join(symbols), len(symbols) * cubin.SYMBOL.size),
        *kernels,
        *(part for _, part in held),
        (".nv.info", PROGBITS, attributes, len(attributes)),
    ]
    parts += [(f"{cubin.INPUT}{number}", PROGBITS, one, len(one)) for number, one in enumerate(inputs)]
    addresses = _addresses(image.variables.values())
    if addresses:
        parts.append((cubin.ADDRESSES, PROGBITS, addresses, len(addresses)))
    return _file(parts, arch)


def _strings(names: Iterable[str]) -> tuple[bytes, dict[str, int]]:
    """Return a table of names, and the offset of each name."""
    parts, places, end = [b""], dict[str, int](), 1
    for name in names:
        if name not in places:
            places[name] = end
            parts.append(name.encode())
            end += len(parts[-1]) + 1
    return b"\0".join(parts) + b"\0", places


def _attribute(number: int, form: str, *values: int) -> bytes:
    data = struct.pack(form, *values)
    return struct.pack("<BBH", cubin.SIZED, number, len(data)) + data


def _kernel(entry: Entry, arch: int, launcher: int) -> list[Part]:
    """Return the sections of a kernel.

    ``launcher`` is the symbol of the function that launches graphs.
    """
    attributes = b""
    for ordinal, (offset, size) in enumerate(entry.params):
        if size >= LARGEST_PARAM:
            msg = (
                f"cuLinkComplete: kernel {entry.name} has a parameter of {size} bytes. In linked code, a "
                f"parameter of {LARGEST_PARAM} bytes or more is not modelled: pass a pointer to the data instead"
            )
            raise FakeCudaError(msg)
        attributes += _attribute(cubin.PARAM, "<IHHI", 0, ordinal, offset, size << 18)
    if entry.most:
        attributes += _attribute(cubin.MOST, "<III", entry.most, 1, 1)
    if entry.block is not None:
        attributes += _attribute(cubin.REQUIRED, "<III", *entry.block)
    if entry.cluster is not None:
        attributes += _attribute(cubin.CLUSTER, "<III", *entry.cluster)
    if entry.clustered:
        attributes += struct.pack("<BBH", PLAIN, cubin.CLUSTERED, 0)
    if entry.rank:
        attributes += _attribute(cubin.RANK, "<I", entry.rank)
    if entry.launches:
        attributes += _attribute(cubin.EXTERNS, "<I", launcher)
    shared = entry.shared + cubin.RESERVED.get(arch, 0)
    return [
        (f".text.{entry.name}", PROGBITS, BODY, len(BODY)),
        (f".nv.info.{entry.name}", PROGBITS, attributes, len(attributes)),
        (f".nv.shared.{entry.name}", cubin.NOBITS, b"", shared),
    ]


def _variables(variables: Iterable[Variable]) -> list[tuple[list[Variable], Part]]:
    """Return the sections of variables, each with its variables in order."""
    held: dict[str, list[Variable]] = {}
    for one in variables:
        place = ".nv.constant3" if one.kind == CONSTANT else ".nv.global.init" if one.data else ".nv.global"
        held.setdefault(place, []).append(one)
    made = []
    for section, ones in held.items():
        size = sum(one.size for one in ones)
        if PLACES[section] != cubin.NOBITS and size > LARGEST:
            msg = (
                f"cuLinkComplete: the variables in section {section} have {size} bytes. In linked code, fakecuda "
                f"models at most {LARGEST} bytes of constants and {LARGEST} bytes of initialised variables: make the "
                "variables smaller"
            )
            raise FakeCudaError(msg)
        data = b"" if PLACES[section] == cubin.NOBITS else b"".join(one.data.ljust(one.size, b"\0") for one in ones)
        made.append((ones, (section, PLACES[section], data, size)))
    return made


def _addresses(variables: Iterable[Variable]) -> bytes:
    """Return the section of addresses in the initial values of variables."""
    lines = [
        f"{one.name} {it.name} {it.offset} {-1 if it.byte is None else it.byte} {it.at} {it.function:d}\n"
        for one in variables
        for it in one.addresses
    ]
    return "".join(lines).encode()


def _file(parts: list[Part], arch: int) -> bytes:
    """Return an ELF file with some sections."""
    texts, places = _strings([*(name for name, *_ in parts), ".shstrtab"])
    body, rows, end = [b""], [bytes(cubin.SECTION.size)], cubin.HEADER
    for name, kind, data, size in [*parts, (".shstrtab", STRTAB, texts, len(texts))]:
        rows.append(cubin.SECTION.pack(places[name], kind, 0, 0, end, size, 0, 0, 1, 0))
        body.append(data)
        end += len(data)
    body.append(bytes(-end % 8))
    head = cubin.MAGIC + bytes([2, 1, 1, 0x41, cubin.NEW_FLAGS]) + bytes(7)
    head += struct.pack("<HHIQQQI", EXECUTABLE, cubin.CUDA_MACHINE, 1, 0, 0, end + len(body[-1]), arch << 8)
    head += struct.pack("<HHHHHH", cubin.HEADER, 56, 0, cubin.SECTION.size, len(rows), len(rows) - 1)
    return b"".join([head, *body, *rows])
