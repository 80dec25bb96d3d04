"""The same for every variant of a copy and of a fill: each breaks the rules that they share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import ALL, SIZE
from conformance.cases.hip.valid import VALID
from conformance.cases.hip.varied import flat, operation, parms, peer, rows, slices, solid
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.cases.hip.side import Side

    Program = Callable[[Side], int]

LINES = {
    **dict.fromkeys(("Memset", "MemsetAsync", "Memset_spt", "MemsetAsync_spt", "MemsetD8", "MemsetD8Async"), 1),
    **dict.fromkeys(("MemsetD16", "MemsetD16Async"), 2),
    **dict.fromkeys(("MemsetD32", "MemsetD32Async"), 4),
}
"""Calls that set values in a row, and the bytes of one."""
AREAS = ("Memset2D", "Memset2DAsync", "Memset2D_spt", "Memset2DAsync_spt")
NEW_AREAS = tuple(f"MemsetD2D{bits}{end}" for bits in (8, 16, 32) for end in ("", "Async"))
SLICES = ("Memset3D", "Memset3DAsync", "Memset3D_spt", "Memset3DAsync_spt")
ROWS = ("Memcpy2D", "Memcpy2DAsync", "Memcpy2D_spt", "Memcpy2DAsync_spt")
FLAT = ("DrvMemcpy2DUnaligned", "MemcpyParam2D", "MemcpyParam2DAsync")
SOLID = ("DrvMemcpy3D", "DrvMemcpy3DAsync")
PARMS = ("Memcpy3D", "Memcpy3DAsync", "Memcpy3D_spt", "Memcpy3DAsync_spt")
PEERS = ("Memcpy3DPeer", "Memcpy3DPeerAsync")
KINDS = ("Memcpy", "MemcpyAsync", "Memcpy_spt", "MemcpyAsync_spt", "MemcpyWithStream")
ADDRESS = ENUMS["hipDeviceAttribute_t"]["hipDeviceAttributeHdpMemFlushCntl"]
DIRECTED = tuple(f"Memcpy{way}{end}" for way in ("HtoD", "DtoH", "DtoD") for end in ("", "Async"))


def streams(call: str) -> tuple[int, ...]:
    """Return the last arguments of a call: the null stream, where it takes one."""
    return (0,) if call.endswith(("Async", "Async_spt", "WithStream")) else ()


def ask(w: Side, call: str, *args: Any) -> int:
    """Make a call that takes these arguments, and a stream perhaps; those that are functions are called."""
    return w(call, *(arg(w) if callable(arg) else arg for arg in args), *streams(call))


def each(calls: Iterable[str], *args: Any) -> list[Program]:
    """Return a program for each call, which makes it with these arguments."""

    def program(call: str) -> Program:
        return lambda w: ask(w, call, *args)

    return [program(call) for call in calls]


def described(make: Any, calls: Iterable[str], **members: Any) -> list[Program]:
    """Return a program for each call, which makes it with a description that has these members."""

    def program(call: str) -> Program:
        return lambda w: int(
            make(w, call, *streams(call), **{k: v(w) if callable(v) else v for k, v in members.items()})
        )

    return [program(call) for call in calls]


def memory(w: Side) -> int:
    """Return new memory of a device."""
    return w.ptr


def host(w: Side) -> int:
    """Return new memory of the host."""
    return w.host


def mapped(w: Side) -> int:
    """Return a new mapping that no device may access."""
    return w.mapped()


def aside(w: Side) -> int:
    """Return an address in new memory."""
    return w.ptr + 3000


def padded(calls: Iterable[str]) -> list[Program]:
    """Return programs that set more rows than were allocated."""

    def program(call: str) -> Program:
        return lambda w: ask(w, call, *rows(w), 7, 16, 5)

    return [program(call) for call in calls]


def pitched(start: Callable[[Side], int], pitch: int = 100, height: int = 4) -> Callable[[Side], tuple[int, ...]]:
    """Return what makes a hipPitchedPtr."""
    return lambda w: (start(w), pitch, 100, height)


def fills(calls: tuple[str, ...]) -> dict[str, list[Program]]:
    """Return the programs of calls that set rows."""
    return {
        "fill.POINTER_IS_IN_MEMORY": each(calls, host, 64, 7, 16, 4),
        "fill.SIZE_FITS": each(calls, memory, 512, 7, 512, 9),
        "fill.HEIGHT_FITS": padded(calls),
        "fill.PITCH_SPANS_THE_ROW": each(calls, memory, 15, 7, 16, 4),
        "fill.ROWS_LIE_IN_MEMORY": each(calls, memory, 512, 7, 2, 9),
    }


def copies(make: Any, calls: tuple[str, ...]) -> dict[str, list[Program]]:
    """Return the programs of calls that take a hipMemcpy3DParms, or a hipMemcpy3DPeerParms."""
    return {
        "copy.DIRECTION_FITS": described(make, calls, src=pitched(host), dst=pitched(host)),
        "shape.ARRAY_IS_KNOWN": described(make, calls, s_array=64, src=(0, 100, 100, 4)),
        "shape.HEIGHT_SPANS_THE_SLICE": described(make, calls, src=pitched(memory, 100, 3), extent=(100, 4, 1)),
        "shape.MEMORY_IS_KNOWN": described(make, calls, src=pitched(host), dst=pitched(memory)),
        "shape.SPAN_FITS": described(make, calls, src=pitched(memory, 200), dst=pitched(memory), extent=(100, 4, 9)),
        "shape.END_FITS": described(make, calls, src=pitched(aside)),
        "volume.DESCRIPTION_IS_GIVEN": each(calls, None),
        "volume.EACH_SIDE_IS_ONE": described(make, calls, s_array=64),
        "volume.PITCH_SPANS_XSIZE": described(make, calls, src=pitched(memory, 99)),
        "volume.PITCH_IS_SMALL": described(make, calls, src=pitched(memory, (1 << 31) - 1)),
        "volume.PITCH_SPANS_THE_ROW": described(make, calls, d_at=(513, 0, 0)),
        "volume.EXTENT_FITS": described(make, calls, s_at=(0, 4, 0)),
    }


def joined(*tables: dict[str, list[Program]]) -> dict[str, tuple[Program, ...]]:
    """Return tables as one."""
    rules = dict.fromkeys(rule for table in tables for rule in table)
    return {rule: tuple(one for table in tables for one in table.get(rule, ())) for rule in rules}


def many(w: Side, call: str) -> int:
    """Set one value more than memory has."""
    return ask(w, call, w.ptr, 7, SIZE // LINES[call] + 1)


BREAKING = joined(
    {
        "fill.POINTER_IS_IN_MEMORY": each(LINES, host, 7, 4),
        "fill.SIZE_FITS": [partial(many, call=call) for call in LINES],
    },
    fills(AREAS),
    {
        "fill.POINTER_IS_IN_MEMORY": each(SLICES, lambda w: (w.host, 100, 100, 4), 7, (100, 4, 3)),
        "fill.SIZE_FITS": each(SLICES, slices, 7, (100, 4, 99)),
        "fill.HEIGHT_FITS": each(SLICES, slices, 7, (100, 5, 1)),
        "fill.PITCH_SPANS_THE_ROW": each(SLICES, lambda w: (w.ptr, 99, 100, 4), 7, (98, 4, 3)),
        "fill.ROWS_LIE_IN_MEMORY": each(SLICES, lambda w: (w.ptr, 1000, 100, 4), 7, (100, 4, 3)),
        "copy.DIRECTION_FITS": [
            *each(KINDS, host, host, 8, 1),
            *each(DIRECTED, host, host, 8),
            *each(("MemcpyPeer", "MemcpyPeerAsync"), host, 1, host, 0, 8),
        ],
        "copy.KIND_IS_KNOWN": described(parms, PARMS, kind=5),
        "shape.ADDRESS_IS_GIVEN": [*each(ROWS, 0, 128, memory, 128, 64, 2, 3), *described(solid, SOLID, s_device=0)],
        "shape.MEMORY_IS_KNOWN": [
            *each(ROWS, memory, 128, host, 128, 64, 2, 3),
            *described(solid, SOLID, s_device=host),
        ],
        "shape.SPAN_FITS": each(ROWS, memory, 128, memory, 128, 64, 40, 3),
        "shape.END_FITS": [
            *each(ROWS, memory, 128, aside, 128, 64, 20, 3),
            *described(flat, FLAT, d_device=lambda w: rows(w)[0] + 1600),
            *described(solid, SOLID, s_device=lambda w: slices(w)[0] + 1000),
        ],
        "volume.DESCRIPTION_IS_READ": each(FLAT, None),
    },
    *(
        {
            "shape.MEMORY_TYPE_IS_KNOWN": described(make, calls, s_kind=3),
            "shape.ARRAY_IS_GIVEN": described(make, calls, s_kind=10),
            "shape.ARRAY_IS_KNOWN": described(make, calls, s_kind=10, s_array=64),
        }
        for make, calls in ((flat, FLAT), (solid, SOLID))
    ),
    copies(parms, PARMS),
)
"""By the ids of rules below ``hip``, programs of which the last call breaks that one, on HIP as of both years."""
NEW = joined(
    fills(NEW_AREAS),
    copies(peer, PEERS),
    {
        "shape.SPAN_FITS": [lambda w: w("Memcpy3DBatchAsync", 1, (operation(w, row=200, extent=(64, 2, 11)),), 0, 0)],
        "shape.END_FITS": [
            lambda w: w("Memcpy3DBatchAsync", 1, (operation(w, aside(w), extent=(64, 2, 10)),), 0, 0),
        ],
    },
)
"""The same on HIP as of 2026 alone."""
OLD: dict[str, tuple[Program, ...]] = {
    "copy.STREAM_OF_ROWS_IS_LIVE": (lambda w: w("Memcpy2DAsync_spt", w.host, 64, w.ptr, 64, 0, 0, 2, ALL),),
}
"""The same on HIP as of 2024 alone."""


class Closed:
    """A side whose new memory is a mapping that no device may access.

    Args:
        w: The side.
    """

    def __init__(self, w: Side) -> None:
        self._w = w

    @property
    def ptr(self) -> int:
        """New memory."""
        return self._w.mapped()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._w, name)


def closed(w: Side, call: str) -> int:
    """Make a call that would be valid on memory of a mapping, had the device access to it."""
    side: Any = Closed(w)
    return w(call, *VALID[f"hip{call}"](side))


CLOSED = (*LINES, *AREAS, *NEW_AREAS, *ROWS, *KINDS, *DIRECTED, "MemcpyPeer", "MemcpyPeerAsync")
UNDEFINED: dict[str, tuple[Program, ...]] = {
    "reach.ACCESS_IS_GIVEN": (
        *(partial(closed, call=call) for call in (*CLOSED, "MemcpyBatchAsync", "Memcpy3DBatchAsync")),
        *each(SLICES, lambda w: (w.mapped(), 512, 100, 4), 7, (100, 4, 3)),
        *described(flat, FLAT, d_device=mapped),
        *described(solid, SOLID, s_device=mapped),
        *described(parms, PARMS, src=pitched(mapped)),
        *described(peer, PEERS, src=pitched(mapped)),
    ),
    "memory.POINTER_IS_THE_FIRST": tuple(
        each(("HostFree", "FreeHost"), lambda w: int(w.get("HostMalloc", SIZE, 0)) + 8),
    ),
    "values.DEVICE_CAN_ACCESS_IT": (
        *each(("StreamWaitValue32", "StreamWaitValue64"), 0, lambda w: w.there, 0, 0, ALL & 0xFFFFFFFF),
        *each(("StreamWriteValue32", "StreamWriteValue64"), 0, lambda w: w.there, 0, 0),
        lambda w: w("StreamBatchMemOp", 0, 1, ((2, w.there, 7, 0),), 0),
    ),
    "active.RESULT_IS_GIVEN": tuple(
        partial(lambda w, ptr: w("MemPtrGetInfo", w.ptr if ptr else 0, null=0), ptr=ptr) for ptr in (False, True)
    ),
    "properties.ATTRIBUTE_IS_A_NUMBER": (lambda w: w("DeviceGetAttribute", ADDRESS, 0),),
}
"""The same of which clr makes something all the same: a strict machine alone says so."""
