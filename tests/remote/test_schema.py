"""What the arguments of calls may be on the wire: whatever else arrives reaches no operation."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda import Machine
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.protocol import schema
from fakecuda.rules.registry import EVERY_OP
from fakecuda.spec.descriptors import IMPORTS
from fakecuda.spec.hip_memory import MOST
from tests.each import each

POINTERS = sorted(
    (name, place)
    for name in EVERY_OP
    for place, param in enumerate(schema.call_of(name).inputs)
    if param.kind == "any" and not (name in IMPORTS and place == IMPORTS[name][0])
)
"""The arguments with the least description."""
ADDRESS, HANDLE = 1 << 47, bytes(64)
POSIX, FABRIC = 1, 8


def fits(name: str, *args: Any) -> bool:
    """Return whether a call may have some arguments."""
    try:
        schema.check(name, args)
    except schema.Unfit:
        return False
    return True


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            (1, 2, 3, 4),
            "with 4 arguments, but the call takes 3: install the same release of fakecuda in both processes",
        ),
        (5, "with arguments of type int, not tuple: install"),
        (
            (1, "a" * 99, 2),
            "with srcDevice='aaaaaaaaaaaa...aaaaaaaaaaaaa', which is not a CUdeviceptr (integer): install",
        ),
    ],
)
def test_an_error_says_what_was_sent_and_what_the_call_takes(args: Any, told: str) -> None:
    """A long value is cut."""
    with pytest.raises(schema.Unfit) as raised:
        schema.check("cuMemcpyDtoD", args)
    assert str(raised.value).startswith(f"a message calls cuMemcpyDtoD {told}")


@each("name, place", POINTERS)
def test_a_pointer_is_an_address(name: str, place: int) -> None:
    """And no other plain value, whatever the call; arrays have as many of them as their counts say."""
    check = schema._checks(name)[place]
    array = schema.call_of(name).inputs[place].array
    good, bad = (1, None) if array else (ADDRESS, -1)
    for value in (HANDLE, "text", -1, 1 << 64, True, 1.5, (HANDLE,), ((1,),)):
        assert not check(value), value
    assert check((good,) if array else good)
    assert check(bad) == array


@pytest.mark.parametrize("name", IMPORTS)
def test_a_shared_handle_is_what_its_type_says(name: str) -> None:
    """The bytes of a fabric handle where the API has those, a descriptor else; HIP has an address in its place."""
    rest = (0,) * (len(schema.call_of(name).inputs) - 2)
    assert fits(name, -1, POSIX, *rest)
    assert not fits(name, HANDLE, POSIX, *rest)
    assert fits(name, HANDLE, FABRIC, *rest) == (not name.startswith("hip"))
    assert not fits(name, HANDLE[:-1], FABRIC, *rest)
    assert not fits(name, "text", POSIX, *rest)


def test_counts_are_those_of_the_arrays() -> None:
    """HIP's say more than is read where they are past all measure."""
    assert not fits("hipMemcpyBatchAsync", (1,), (1,), (1,), 2, None, None, 0, 0)
    many = (1,) * MOST
    assert fits("hipMemcpyBatchAsync", many, many, many, 1 << 40, None, None, 0, 0)
    assert not fits("hipMemcpyBatchAsync", many[1:], many, many, 1 << 40, None, None, 0, 0)
    assert not fits("hipMemcpyBatchAsync", (1,) * 3, (1,) * 3, (1,) * 3, 3, None, (1, -1), 0, 0)


def test_copies_of_a_batch_travel() -> None:
    """Arrays of HIP's pointers arrive as they are."""
    with Machine("hip-clr-2026", strict=False) as machine, machine.shared(export=False) as sharing:
        c = RemoteMachine(sharing.path).here.c
        one, other = c.hipMalloc(64)[1], c.hipMalloc(64)[1]
        assert c.hipMemset(one, 5, 64) == (0,)
        stream = c.hipStreamCreate()[1]
        attributes = ((1, (1, 0), (1, 0), 0),)
        code, *_ = c.hipMemcpyBatchAsync((other,), (one,), (64,), 1, attributes, (0,), 1, stream)
        room = ctypes.create_string_buffer(64)
        answers = code, c.hipStreamSynchronize(stream), c.hipMemcpy(ctypes.addressof(room), other, 64, 2)
        assert answers == (0, (0,), (0,))
        assert room.raw == b"\5" * 64
