"""The formats of ``printf``, with arguments in memory."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from fakecuda.kernels.spaces import Flat
from fakecuda.kernels.system import Arguments, formatted


@pytest.mark.parametrize(
    ("form", "layout", "values", "text"),
    [
        ("plain 100%%", "", (), "plain 100%"),
        ("%d %i %u %x %X %o", "<iiIIII", (-5, 6, 7, 255, 255, 8), "-5 6 7 ff FF 10"),
        ("%5d|%-5d|%05d|%+d", "<iiii", (1, 2, 3, 4), "    1|2    |00003|+4"),
        ("%ld %llu %zu", "<qQQ", (-(1 << 40), 1 << 40, 3), f"{-(1 << 40)} {1 << 40} 3"),
        ("%hd %hhu", "<iI", (0x1FFFF, 0x1FF), "-1 255"),
        ("%hd", "<i", (5,), "5"),
        ("%c", "<i", (65,), "A"),
        ("%*d|%.*f", "<iiixxxxd", (4, 7, 2, 1.234), "   7|1.23"),
        ("%f %.1e %g", "<ddd", (1.5, 1234.0, 0.25), "1.500000 1.2e+03 0.25"),
        ("%a", "<d", (1.0,), "0x1.0000000000000p+0"),
        ("%p", "<Q", (0x1234,), "0x1234"),
        ("%d %s", "<ixxxxQ", (1, 200), "1 text"),
    ],
)
def test_formats(form: str, layout: str, values: tuple[float, ...], text: str) -> None:
    """As C prints them."""
    memory = Flat("local", bytearray(256))
    memory.data[200:205] = b"text\0"
    data = struct.pack(layout, *values)
    memory.data[: len(data)] = data
    frame: Any = SimpleNamespace(resolve=lambda address: (memory, address))
    listed = Arguments(frame, 0)
    assert formatted(form, listed) == text
    assert listed.count == len(values)
