"""CUcheckpointRestoreArgs: plain values and the bytes that the binding's structs have."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda.model.memory.space import Unreadable
from fakecuda.reach.native.values import read_restore_args
from fakecuda.spec import restore_args

OLD, NEW = bytes(range(16)), bytes(range(16, 32))


def in_memory(plain: tuple[Any, ...]) -> tuple[int, list[Any]]:
    """Return the address of arguments, and what keeps them there."""
    _, data = restore_args.pack(plain, 0)
    pairs = ctypes.create_string_buffer(data, len(data) + 1)
    head, _ = restore_args.pack(plain, ctypes.addressof(pairs))
    held = ctypes.create_string_buffer(head, len(head))
    return ctypes.addressof(held), [held, pairs]


@pytest.mark.parametrize(
    "plain", [(0, 0, 0), (((OLD, NEW), (NEW, OLD)), 2, 0), (0, 0, 4096), (0, restore_args.MOST + 1, 0)]
)
def test_what_is_packed_is_read(plain: tuple[Any, ...]) -> None:
    """More pairs than a machine has devices are not looked at."""
    place, _held = in_memory(plain)
    assert read_restore_args(place) == plain


def test_pairs_that_cannot_be_read_are_refused() -> None:
    """As a null pointer to some."""
    place, _held = in_memory((0, 2, 0))
    with pytest.raises(Unreadable):
        read_restore_args(place)


def test_the_layout_is_the_bindings() -> None:
    """Where the pairs are, how many, and what they are."""
    driver = pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
    args, pair = driver.CUcheckpointRestoreArgs(), driver.CUcheckpointGpuPair()
    ctypes.memmove(pair.getPtr(), OLD + NEW, len(OLD + NEW))
    args.gpuPairs, args.gpuPairsCount = [pair, pair], 2
    assert read_restore_args(args.getPtr()) == (((OLD, NEW),) * 2, 2, 0)
