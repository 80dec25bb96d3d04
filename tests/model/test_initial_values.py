"""The bytes with which variables begin in a module, a library and a linked image."""

from __future__ import annotations

from typing import Any

import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.code.code import Address, Variable, function_address
from tests.model.test_linking import made

HEAD = ".version 7.1\n.target sm_70\n.address_size 64\n"
TEXT = """.visible .global .align 4 .f32 x = 1.5;
.visible .global .align 8 .f64 z = -0.5;
.visible .const .u32 c[2] = {3, 4};
.visible .func f () { ret; }
.visible .global .align 8 .u64 p[4] = {x, generic(c)+4, f, 7};
.visible .global .align 1 .u8 m[3] = {0xFF(x), 0xFF00(x), 9};
.visible .const .align 8 .u64 q = z;
.visible .entry k () { ret; }
"""


@pytest.fixture
def c() -> Any:
    """A process with a context."""
    made = Machine("h200").spawn().c
    made.cuInit(0)
    made.cuCtxCreate(None, 0, 0)
    return made


def content(c: Any, module: int, name: bytes) -> bytes:
    """Return the address and the bytes of a variable."""
    _, address, size = c.cuModuleGetGlobal(module, name)
    data = bytearray(size)
    assert c.cuMemcpyDtoH(data, address, size) == (0,)
    return bytes(data)


def numbers(c: Any, module: int, name: bytes) -> list[int]:
    """Return a variable as numbers of 8 bytes."""
    data = content(c, module, name)
    return [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]


def check(c: Any, module: int) -> None:
    """Check the variables of ``TEXT``."""
    assert content(c, module, b"x") == b"\0\0\xc0\x3f"
    assert content(c, module, b"z") == b"\0\0\0\0\0\0\xe0\xbf"
    x, z, constants = (c.cuModuleGetGlobal(module, name)[1] for name in (b"x", b"z", b"c"))
    assert numbers(c, module, b"p") == [x, constants + 4, function_address("f"), 7]
    assert content(c, module, b"m") == bytes([x & 0xFF, x >> 8 & 0xFF, 9])
    assert numbers(c, module, b"q") == [z]


def test_of_modules_and_libraries(c: Any) -> None:
    """Each module has addresses of its own."""
    for _ in range(2):
        check(c, c.cuModuleLoadData((HEAD + TEXT).encode())[1])
    library = c.cuLibraryLoadData((HEAD + TEXT).encode(), None, None, 0, None, None, 0)[1]
    check(c, c.cuLibraryGetModule(library)[1])


def test_of_linked_images() -> None:
    """Addresses of variables and functions of another input."""
    process = Machine("h200").spawn()
    process.driver.cuInit(0)
    process.driver.cuCtxCreate(None, 0, 0)
    user = ".extern .global .f32 x; .extern .func f (); .visible .global .u64 far[3] = {x, generic(x)+2, f};"
    _, place, _ = made(process, (HEAD + user).encode(), (HEAD + TEXT).encode())
    module = process.c.cuModuleLoadData(place)[1]
    check(process.c, module)
    x = process.c.cuModuleGetGlobal(module, b"x")[1]
    assert numbers(process.c, module, b"far") == [x, x + 2, function_address("f")]


def test_equal_names_in_linked_images() -> None:
    """Private variables stay apart, and each address is that of its own input. A weak variable yields to a strong variable."""
    process = Machine("h200").spawn()
    process.driver.cuInit(0)
    process.driver.cuCtxCreate(None, 0, 0)
    texts = [
        f".global .u32 x = {number}; .func f () {{ ret; }} .visible .global .u64 of{number}[2] = {{x, f}}; {how} .global .u32 w = {number};"
        for number, how in ((1, ".weak"), (2, ".visible"), (3, ".weak"))
    ]
    _, place, _ = made(process, *[(HEAD + text).encode() for text in texts])
    c = process.c
    module = c.cuModuleLoadData(place)[1]
    pairs = [numbers(c, module, b"of%d" % number) for number in (1, 2, 3)]
    assert [pair[1] for pair in pairs] == [function_address(name) for name in ("f", "f@1", "f@2")]
    for number, (address, _) in enumerate(pairs, 1):
        data = bytearray(4)
        assert c.cuMemcpyDtoH(data, address, 4) == (0,)
        assert data[0] == number
    assert content(c, module, b"w") == b"\2\0\0\0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (".extern .global .u32 far; .global .u64 x = far;", "of far, which the image does not define.*: link code"),
        (
            ".global .u32 y; .global .attribute(.managed) .u64 x = y;",
            "of y, and that is in memory of a context.*: make y managed, or set x later",
        ),
    ],
)
def test_addresses_that_nothing_knows(c: Any, text: str, reason: str) -> None:
    """They are no zeros: the image is not loaded."""
    data = (HEAD + text).encode()
    with pytest.raises(FakeCudaError, match=reason):
        c.cuModuleLoadData(data)
    library = c.cuLibraryLoadData(data, None, None, 0, None, None, 0)[1]
    with pytest.raises(FakeCudaError, match=reason):
        c.cuLibraryGetModule(library)


def test_addresses_of_managed_variables(c: Any) -> None:
    """A managed variable may begin with the address of another."""
    text = ".visible .global .attribute(.managed) .u32 y; .visible .global .attribute(.managed) .u64 x = y;"
    library = c.cuLibraryLoadData((HEAD + text).encode(), None, None, 0, None, None, 0)[1]
    x, y = (c.cuLibraryGetManaged(library, name)[1] for name in (b"x", b"y"))
    data = bytearray(8)
    assert c.cuMemcpyDtoH(data, x, 8) == (0,)
    assert int.from_bytes(data, "little") == y


def test_an_address_in_parts() -> None:
    """All 8 bytes, or one of them."""
    assert Address("x", -1).stored(0) == b"\xff" * 8
    assert Address("x", 2, 1).stored(0x12FF) == b"\x13"
    assert Variable("x", 8).addresses == ()
