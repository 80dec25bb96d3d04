"""Rules of all calls: NVML is initialised, result pointers are not null, and each handle is a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

LIBRARY_IS_INITIALISED = Rule(
    "the process has initialised NVML",
    Nvml.UNINITIALIZED,
    manual("nvmlDeviceGetCount_v2", "NVML_ERROR_UNINITIALIZED if the library has not been successfully initialized"),
    fix="call nvmlInit_v2 first, and nvmlShutdown after the last call",
)
ARGUMENTS_ARE_GIVEN = Rule(
    "no pointer argument is null",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetCount_v2", "NVML_ERROR_INVALID_ARGUMENT if deviceCount is NULL"),
    fix="pass an address for each result, array and struct",
)
CARD_IS_GIVEN = Rule(
    "no device handle is null",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetName", "NVML_ERROR_INVALID_ARGUMENT if device is invalid, or name is NULL"),
    fix="pass the handle that nvmlDeviceGetHandleByIndex_v2 returned",
)
CARD_IS_KNOWN = Rule(
    "each device handle is a handle that NVML returned",
    Nvml.INVALID_ARGUMENT,
    undefined(
        "nvmlDeviceGetName",
        "the manual says nothing about values that are not handles; the library uses the value as a pointer",
    ),
    fix="pass a handle that nvmlDeviceGetHandleByIndex or a similar call returned",
)
SIZE_SUFFICES = Rule(
    "`length` is large enough for the text and its NUL",
    Nvml.INSUFFICIENT_SIZE,
    manual("nvmlDeviceGetName", "NVML_ERROR_INSUFFICIENT_SIZE if length is too small"),
    fix="pass a longer buffer; constants such as NVML_DEVICE_NAME_V2_BUFFER_SIZE give the length",
)
VERSION_IS_KNOWN = Rule(
    "`version` of the struct has a number and a size that NVML supports",
    Nvml.ARGUMENT_VERSION_MISMATCH,
    observed(
        "nvmlDeviceGetPciInfoExt",
        "NVML answers ARGUMENT_VERSION_MISMATCH to another version number and to another size",
    ),
    fix="set version in the struct as nvml.h defines it: its size, and the version shifted by 24 bits",
)


@guard
def initialised(call: Call) -> None:
    """Check that the library is initialised."""
    if not call.process.nvml.references:
        raise LIBRARY_IS_INITIALISED.broken()


@guard
def given(call: Call) -> None:
    """Check that no result pointer is null."""
    if call.nulls:
        raise ARGUMENTS_ARE_GIVEN.broken(nulls=call.nulls)


@guard
def card_of(call: Call, handle: int) -> Card:
    """Return the card or the MIG instance of a handle."""
    if not handle:
        raise CARD_IS_GIVEN.broken()
    return given_out(call, handle)


@guard
def given_out(call: Call, handle: int) -> Card:
    """Return the card or the MIG instance of a nonzero handle."""
    for card in call.machine.cards:
        for one in (card, *card.instances):
            if one.handle == handle:
                return one
    call.undefined(CARD_IS_KNOWN, handle=handle)
    raise CARD_IS_KNOWN.broken(handle=handle)


@guard
def found(call: Call, handle: int) -> Card:
    """Return the card of a handle, after the check for nvmlInit."""
    initialised(call)
    return card_of(call, handle)


@guard
def require_card_and_results(call: Call, handle: int) -> Card:
    """Return the card of a handle, after checks for nvmlInit and null results."""
    card = found(call, handle)
    given(call)
    return card


@guard
def fitting(text: str, length: int) -> bytes:
    """Return text as bytes with a NUL, which must fit into the given length."""
    content = text.encode()
    if length <= len(content):
        raise SIZE_SUFFICES.broken(length=length)
    return content


@guard
def versioned(version: int | None, *known: tuple[int, int]) -> int:
    """Return the version in a struct.

    Args:
        version: What stands in the struct, its bytes and above them the version; None if that is a null pointer.
        known: The versions that the library knows, each with its bytes.
    """
    if version is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    number, size = version >> 24, version & 0xFFFFFF
    if (number, size) not in known:
        raise VERSION_IS_KNOWN.broken(version=version)
    return number
