"""The layout of CUlaunchConfig with its attributes.

Its plain value is the tuple of its numbers, the stream and the attributes: a tuple of (id, what the id uses), as
:data:`LAYOUTS` has it; of an id that is none, the id alone. The attributes are None where their pointer is null and their
number is not 0.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.spec import stream_values
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HEAD = Struct("<7I4xQQI4x")
"""The head of a CUlaunchConfig, up to the attribute count."""
ATTRIBUTES_AT, COUNT_AT = 40, 48
"""The offsets of the attributes' address and of their count."""
ATTRIBUTE = Struct("<i4x")
SIZE = ATTRIBUTE.size + stream_values.SIZE
"""The size of a launch attribute in bytes."""
STREAM, ATTRIBUTES = 7, 8
"""The indices of stream and attributes in the plain value."""
_IDS = ENUMS["CUlaunchAttributeID"]
(
    IGNORE,
    COOPERATIVE,
    CLUSTER,
    SCHEDULING,
    SERIALIZATION,
    EVENT,
    PREFERRED_CLUSTER,
    COMPLETION,
    UPDATABLE,
    CARVEOUT,
    PORTABLE,
    SHARED_MEMORY,
) = (
    _IDS[f"CU_LAUNCH_ATTRIBUTE_{name}"]
    for name in (
        "IGNORE",
        "COOPERATIVE",
        "CLUSTER_DIMENSION",
        "CLUSTER_SCHEDULING_POLICY_PREFERENCE",
        "PROGRAMMATIC_STREAM_SERIALIZATION",
        "PROGRAMMATIC_EVENT",
        "PREFERRED_CLUSTER_DIMENSION",
        "LAUNCH_COMPLETION_EVENT",
        "DEVICE_UPDATABLE_KERNEL_NODE",
        "PREFERRED_SHARED_MEMORY_CARVEOUT",
        "PORTABLE_CLUSTER_SIZE_MODE",
        "SHARED_MEMORY_MODE",
    )
)
LAYOUTS = {
    **stream_values.LAYOUTS,
    **dict.fromkeys((COOPERATIVE, SCHEDULING, SERIALIZATION, PORTABLE, SHARED_MEMORY), Struct("<i")),
    **dict.fromkeys((CLUSTER, PREFERRED_CLUSTER), Struct("<III")),
    EVENT: Struct("<Qii"),
    COMPLETION: Struct("<Qi"),
    UPDATABLE: Struct("<i4xQ"),
    CARVEOUT: Struct("<I"),
}
"""The layout of an attribute's value, by id."""
_UNKNOWN = Struct("")


def read(content: bytes, memory: Callable[[int, int], bytes]) -> tuple[Any, ...]:
    """Return the plain value of a configuration.

    Args:
        content: Its bytes.
        memory: Returns the bytes of an address, as many as the second argument says.
    """
    *numbers, place, count = HEAD.unpack(content)
    if not place and count:
        return (*numbers, None)
    data = memory(place, count * SIZE) if count else b""
    return (*numbers, tuple([_attribute(data[at : at + SIZE]) for at in range(0, len(data), SIZE)]))


def _attribute(data: bytes) -> tuple[Any, ...]:
    (number,) = ATTRIBUTE.unpack_from(data)
    return number, *LAYOUTS.get(number, _UNKNOWN).unpack_from(data, ATTRIBUTE.size)


def value(number: int, plain: Sequence[Any]) -> bytes:
    """Return the bytes of the value of an attribute, a CUlaunchAttributeValue."""
    return LAYOUTS.get(number, _UNKNOWN).pack(*plain).ljust(stream_values.SIZE, b"\0")


def pack(plain: tuple[Any, ...], address: int) -> tuple[bytes, bytes]:
    """Return the bytes of a configuration and of its attributes.

    Args:
        plain: The plain value.
        address: Where the attributes are to lie; not looked at where there are none.
    """
    *numbers, attributes = plain
    if attributes is None:
        return HEAD.pack(*numbers, 0, 1), b""
    data = b"".join(map(_packed, attributes))
    return HEAD.pack(*numbers, address if data else 0, len(attributes)), data


def _packed(row: tuple[Any, ...]) -> bytes:
    number, *of = row
    return ATTRIBUTE.pack(number) + value(number, of)
