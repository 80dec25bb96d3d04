"""NVML results in memory, and alternative spellings of card texts.

A struct is its bytes, so that what is recorded of a card says all that its library has written.
"""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.spec.nvml_types import type_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.spec.description import Param

HANDLES = frozenset({"device"})
"""Kinds of handles that calls return in arrays."""
BUS_ID = 36
"""The offset of the text in a nvmlPciInfo_t."""
KINDS = {
    ("nvmlDeviceGetUUID", "uuid"): "text",
    ("nvmlDeviceGetSerial", "serial"): "text",
    ("nvmlDeviceGetPciInfo_v3", "pci"): "pci",
    ("nvmlDeviceGetHandleByUUID", "uuid"): "text",
    ("nvmlDeviceGetHandleBySerial", "serial"): "text",
    ("nvmlDeviceGetHandleByPciBusId", "pciBusId"): "pci",
    ("nvmlDeviceGetHandleByPciBusId_v2", "pciBusId"): "pci",
    ("nvmlSystemGetProcessName", "pid"): "pid",
    ("nvmlSystemEventSetCreate", "request"): ("", "set"),
    ("nvmlSystemRegisterEvents", "request"): ("", "", "set"),
    ("nvmlSystemEventSetWait", "request"): ("", "", "set", "host", "", ""),
    ("nvmlSystemEventSetFree", "request"): ("", "set"),
}
"""Kinds of names by call and parameter, or by struct member."""


@frozen
class Changed:
    """A returned text in another spelling.

    Attributes:
        text: The text, or the nvmlPciInfo_t that has it, as its bytes or as its members.
        how: How it is written.
    """

    text: Any
    how: str

    def plain(self) -> bytes:
        """Return the text that is passed."""
        text = self.text[-1] if isinstance(self.text, tuple) else self.text
        if len(text) > BUS_ID and not text.startswith(b"GPU-"):
            text = text[BUS_ID:].partition(b"\0")[0]
        return changed(text.decode(), self.how).encode()


def changed(text: str, how: str) -> str:
    """Return a device's text in another spelling."""
    match how:
        case "lower":
            return text.lower()
        case "upper":
            return text.upper()
        case "without prefix":
            return text.partition("-")[2]
        case "first half":
            return text[: len(text) // 2]
        case "with a space":
            return f" {text}"
        case "without domain":
            return text.partition(":")[2]
        case "short domain":
            return text[4:]
        case "another function":
            return f"{text[:-1]}1"
        case "another bus":
            return re.sub(r":..:", ":fe:", text)
        case "without function":
            return text.rpartition(".")[0]
        case _:
            return text


def in_memory(call: str, param: Param, value: Any, word: int) -> Any:
    """Return a result as it is in memory.

    A struct that has handles in it is a tuple of its members.

    Args:
        call: The call.
        param: The result.
        value: The plain value, in which a model leaves out the struct's version, or the bytes.
        word: What the caller has written to the struct's version.
    """
    if value is None or param.kind != "struct":
        return value
    kinds = KINDS.get((call, param.name))
    if isinstance(kinds, tuple):
        return value if len(value) == len(kinds) else (word, *value)
    if param.array:
        rows = [_bytes(param, row, 0) for row in value] if isinstance(value, tuple) else [value]
        return b"".join(rows)
    return _bytes(param, value, word)


def _bytes(param: Param, value: Any, word: int) -> bytes:
    from fakecuda.reach.native.nvml import store  # noqa: PLC0415 - a library in C, which few programs need

    kind = type_of(param.type)
    if isinstance(value, bytes):
        return value.ljust(ctypes.sizeof(kind), b"\0")
    made = kind()
    versioned = param.keyword == "version"
    if versioned:
        made.version = word
    store(kind, ctypes.addressof(made), value, skipped=int(versioned))
    return bytes(made)


def words(params: Sequence[Param], inputs: Sequence[Any]) -> dict[str, int]:
    """Return the struct versions that a caller passes, by parameter."""
    pairs = zip(params, inputs, strict=True)
    return {
        param.name: (value[0] if isinstance(value, tuple) else value) or 0
        for param, value in pairs
        if param.kind in {"word", "struct"}
    }
