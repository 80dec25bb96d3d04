"""C-level calls of NVML: arguments and results.

Results are as they lie in memory: a struct is its bytes. Memory begins with a pattern, which shows what the library has not
written. A failure returns what it has written, too.
"""

from __future__ import annotations

import ctypes
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.spec.nvml import CALLS, FIELD, PROTOTYPES, STRUCTS
from fakecuda.spec.nvml_types import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.spec.description import Param

    Reader = Callable[[bytes, list[int]], Any]

LIBRARY = "libnvidia-ml.so.1"
ROOM = 1 << 18
"""The size of memory for each pointer."""
KEPT = 4096
"""The number of bytes to read back."""
FILL = 0xA5
"""The initial content of memory."""
GAPS = re.compile(rb"\xa5{3,}")
"""Unwritten bytes within a struct."""
HARMLESS = re.compile(
    r"nvml(System|Device|Unit|VgpuType|VgpuInstance)(Get|Is|OnSame)|nvmlGet(Excluded|Vgpu)|nvmlInit|nvmlShutdown"
    r"|nvml(System)?EventSet(Create|Wait|Free)|nvml(Device|System)RegisterEvents|nvmlDeviceClearFieldValues"
)
"""Functions that change no setting of a card. ``nvmlDeviceClearFieldValues`` clears counters."""
MEMBERS = frozenset({"nvmlSystemEventSetCreate", "nvmlSystemEventSetWait"})
"""Functions that return a struct with handles."""


def refuse(name: str) -> None:
    """Refuse a function that may change the machine.

    Raises:
        PermissionError: It may.
    """
    if name.startswith("nvml") and not HARMLESS.match(name):
        msg = f"{name} is refused: it may change settings of a card; realcuda makes only calls of NVML that change no setting"
        raise PermissionError(msg)


def arguments(name: str, inputs: Sequence[Any], nulls: set[str]) -> tuple[list[tuple[str, Any]], list[Reader | None]]:
    """Return the arguments of a call in the form of :mod:`realcuda.child`, and the readers of its results.

    Args:
        name: The call.
        inputs: The plain values of its inputs.
        nulls: The results with null pointers.
    """
    call = CALLS[name]
    given = {one.name: value for one, value in zip(call.inputs, inputs, strict=True)}
    made: list[tuple[str, Any]] = []
    readers: list[Reader | None] = []
    for kind, label in PROTOTYPES[name]:
        returned = next((one for one in call.outputs if one.name == label), None)
        asked = next((one for one in call.inputs if one.name == label), None)
        if not kind.endswith("*"):
            made.append(_number(kind, given[label]))
            continue
        null = label in nulls if asked is None else given[label] is None
        content = b"" if null or asked is None else _content(kind, asked, given[label])
        if null:
            made.append(("null", None))
        elif returned is None:
            made.append(("in", content + bytes([FILL]) * KEPT))
        else:
            made.append(("out", (content.ljust(KEPT, bytes([FILL])), ROOM)))
        if returned is not None:
            readers.append(None if null else partial(_members if name in MEMBERS else _read, returned, content))
    return made, readers


def _number(kind: str, value: int) -> tuple[str, Any]:
    made = type_of(kind)
    return (made._type_, int(made(value).value))


def _content(kind: str, asked: Param, value: Any) -> bytes:
    """Return the initial content of the memory that an argument points to."""
    plain = kind.removesuffix("*").strip()
    if asked.kind == "string":
        return bytes(value) + b"\0"
    if kind == FIELD:
        size = ctypes.sizeof(type_of(plain))
        return b"".join(int(one).to_bytes(8, "little").ljust(size, bytes([FILL])) for one in value)
    if asked.kind == "word":
        return int(value).to_bytes(4, "little")
    made = type_of(plain)()
    _fill(made, value)
    return bytes(made)


def _fill(item: Any, value: tuple[Any, ...]) -> None:
    """Set the members of a struct."""
    for (label, *_), part in zip(item._fields_, value, strict=True):
        member = getattr(item, label)
        if isinstance(member, ctypes.Structure | ctypes.Union):
            _fill(member, part)
        elif isinstance(member, ctypes.Array) and not isinstance(part, bytes):
            member[:] = part
        else:
            setattr(item, label, part)


def _read(param: Param, content: bytes, raw: bytes, _: list[int]) -> Any:
    """Return a result from its memory.

    None for a failure that has not written it.

    Args:
        param: The result.
        content: What the memory began with.
        raw: What it holds after the call.
    """
    written = raw.rstrip(bytes([FILL]))
    if param.kind == "string":
        return written.removesuffix(b"\0")
    if param.type in STRUCTS or param.type == "char":
        return GAPS.sub(lambda found: bytes(len(found[0])), written) if written != content else written
    kind = type_of(param.type)
    size = ctypes.sizeof(kind)
    if not param.array:
        return kind.from_buffer_copy(raw[:size]).value or 0
    parts = range(0, len(written), size)
    return tuple(kind.from_buffer_copy(written[at : at + size].ljust(size, b"\0")).value or 0 for at in parts)


def _members(param: Param, _content: bytes, raw: bytes, _: list[int]) -> tuple[int, ...]:
    """Return the members of a struct of numbers and handles."""
    made = type_of(param.type).from_buffer_copy(raw)
    return tuple(getattr(made, label) or 0 for label, *_ in made._fields_)


def told(arguments: list[tuple[str, Any]], readers: list[Reader | None], contents: list[bytes], code: int) -> list[Any]:
    """Return the results of a call; on failure, those that were written.

    Args:
        arguments: The arguments of the call.
        readers: The readers of its results.
        contents: What their memory holds after the call.
        code: The code of the call.
    """
    firsts = [content[0] for tag, content in arguments if tag == "out"]
    rest = iter(zip(contents, firsts, strict=True))
    found = []
    for reader in readers:
        content, first = (b"", b"") if reader is None else next(rest)
        found.append(None if reader is None or (code and content == first) else reader(content, []))
    return found
