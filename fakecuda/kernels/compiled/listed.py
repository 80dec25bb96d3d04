"""The texture objects of a launch, as words that native code reads."""

from __future__ import annotations

import ctypes
from enum import IntEnum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fakecuda.kernels import sampling
from fakecuda.kernels.addressing import BORDER, modes_of
from fakecuda.kernels.compiled.layout import PART, READABLE
from fakecuda.kernels.filtering import bits_of
from fakecuda.kernels.sampling import LINEARLY, NORMALIZED, SINGLE, UNSIGNED
from fakecuda.spec.resources import ARRAY

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.asked import AskingFrame

GEOMETRIES = ("1d", "2d", "3d", "a1d", "a2d")
READ = {*UNSIGNED, 10, SINGLE}
"""Array formats that native code reads: integers, 32-bit integers, and floats."""
TYPES = ("f32", "u32", "s32")
"""Result types by number."""
MOST = 64
"""The maximum number of listed objects of a launch."""


class Texture(IntEnum):
    """Words of a texture object."""

    HANDLE = 0
    GEOMETRY = auto()
    TYPE = auto()
    CHANNELS = auto()
    DATA = auto()
    MARKS = auto()
    """The offset from a byte to its read mark."""
    DIRTY = auto()
    """The flags of parts with marks."""
    SKIP = auto()
    """The bytes before the first texel in those parts."""
    WIDTH = auto()
    ROWS = auto()
    SLICES = auto()
    ROW = auto()
    """The size of a row, a slice, a texel and a component."""
    SLICE = auto()
    SIZE = auto()
    COMPONENT = auto()
    LARGEST = auto()
    """The integer that means 1.0; 0 if components are words."""
    MODE_X = auto()
    MODE_Y = auto()
    MODE_Z = auto()
    LINEAR = auto()
    SCALED = auto()
    EDGE = auto()
    """The four components of the border colour."""


WORDS = Texture.EDGE + 4


class Listed:
    """The texture objects that a launch has used.

    Attributes:
        count: How many there are.
    """

    def __init__(self) -> None:
        self.count = 0
        self._known: set[int] = set()
        self._held: list[Any] = []

    @cached_property
    def table(self) -> Any:
        """The words of the listed objects."""
        return (ctypes.c_uint64 * (WORDS * MOST))()

    def add(self, frame: AskingFrame, handle: int) -> None:
        """List an object that a thread has used, if native code can read it."""
        if handle in self._known or self.count == MOST:
            return
        self._known.add(handle)
        image = sampling.image_of(frame, handle)
        modes, near, flags, _, *_, border = image.seen.sampling
        scaled, kind = bool(flags & NORMALIZED), sampling.kind_of(image)
        modes = modes_of(modes, scaled=scaled)
        place = self._place(frame, image)
        undefined = kind != "f32" and any(border) and BORDER in modes
        row = near == LINEARLY and BORDER in modes[:2] and image.shape.geometry in {"1d", "a1d"}
        if place is None or undefined or row or image.format not in READ:
            return
        size = sampling.BYTES[image.format]
        whole = kind != "f32" or image.format == SINGLE
        edge = [bits_of(one) for one in border] if kind == "f32" else [0] * 4
        words = [handle, GEOMETRIES.index(image.shape.geometry), TYPES.index(kind), image.channels, *place[:4]]
        words += [*image.shape[:3], *place[4:], size * image.channels, size, 0 if whole else (1 << 8 * size) - 1]
        words += [*modes, near == LINEARLY, scaled, *edge]
        for number, word in enumerate(words):
            self.table[self.count * WORDS + number] = word
        self.count += 1

    def _place(self, frame: AskingFrame, image: sampling.Image) -> tuple[int, ...] | None:
        """Return the texels, their marks and pitches; None if only Python can read them."""
        kind, used, _ = image.seen.resource
        if kind == ARRAY:
            held = sampling.array_of(frame, image.seen)
            row, rows, _ = held.array.extents
            dirty = (ctypes.c_char * ((len(held.data) >> PART) + 1))()
            data, marks = (ctypes.c_char.from_buffer(one) for one in (held.data, held.read))
            self._held += [dirty, data, marks]
            first, to = ctypes.addressof(data), ctypes.addressof(marks)
            return first, to - first & (1 << 64) - 1, ctypes.addressof(dirty), 0, row, row * rows
        address, _, _, width, height, pitch = used
        end = address + pitch * (height - 1) + width * sampling.BYTES[image.format] * image.channels
        for part in frame.grid.private.parts:
            if part.item.start <= address and end <= part.item.end and part.flags & READABLE:
                read_at, dirty_at = map(ctypes.addressof, frame.grid.hold(part))
                skip, place = address - part.item.start, part.data + address - part.origin
                return place, read_at + skip - place & (1 << 64) - 1, dirty_at, skip, pitch, pitch * height
        return None
