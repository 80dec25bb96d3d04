"""Variables of PTX: their bytes, the addresses that they begin with, and which initial values are refused."""

from __future__ import annotations

import pytest

from fakecuda.model.code.code import BAD_PTX, BOUND, GLOBAL, Address, Refused, Variable
from tests.model.test_ptx import HEAD, NAMED, read, refusal


@pytest.mark.parametrize(
    ("declared", "size", "data"),
    [
        (".u32 x", 4, b""),
        (".v4 .f32 x", 16, b""),
        (".v2 .u16 x = {1, 2}", 4, b"\1\0\2\0"),
        (".b8 x[2][3] = {{1, 2, 3}, {4}}", 6, b"\1\2\3\4"),
        (".b8 x[] = {1, 2, 0x3}", 3, b"\1\2\3"),
        (".b16 x[][2] = {{1, 2}, {3, 4}, {5, 6}}", 12, b"\1\0\2\0\3\0\4\0\5\0\6\0"),
        (".s32 x = -2", 4, b"\xfe\xff\xff\xff"),
        (".u64 x = 0xFFFFFFFFFFFFFFFFU", 8, b"\xff" * 8),
        (".b8 x[3] = {010, 0b11, 7U}", 3, b"\x08\x03\x07"),
        (".u32 x = 1 + 2 - -4", 4, b"\7\0\0\0"),
        (".u32 x = WARP_SZ", 4, b"\x20\0\0\0"),
        (".f32 x = 0f3F800000", 4, b"\0\0\x80\x3f"),
        (".f32 x = - -1.5", 4, b"\0\0\xc0\x3f"),
        (".f32 x = -0d3FF8000000000000", 4, b"\0\0\xc0\xbf"),
        (".f32 x = -1e40", 4, b"\0\0\x80\xff"),
        (".f32 x = 0f7FA00000", 4, b"\0\0\xa0\x7f"),
        (".f32 x = 0dFFF4000000000000", 4, b"\0\0\xe0\xff"),
        (".f64 x = 0.1", 8, bytes.fromhex("9a9999999999b93f")),
        (".f64 x = 0f3FC00000", 8, b"\0\0\xc0\x3f\0\0\0\0"),
        (".f64 x = 0d3FF8000000000000", 8, b"\0\0\0\0\0\0\xf8\x3f"),
        (".f32 x[2][2] = {{1.0}, {2.0}}", 16, b"\0\0\x80\x3f\0\0\0\x40"),
        (".v2 .f32 x = {1.0, 2.0}", 8, b"\0\0\x80\x3f\0\0\0\x40"),
        (".b32 x = 1.2345", 4, bytes.fromhex("19049e3f")),
        (".b16 x = 1.2345", 2, bytes.fromhex("8d97")),
        (".u32 x[2] = {}", 8, b""),
        (".attribute(.unified(19, 95)) .u32 x", 4, b""),
        (".u8 x[9999999999999]", 9999999999999, b""),
    ],
)
def test_variables(declared: str, size: int, data: bytes) -> None:
    """Their bytes, and what they begin with."""
    assert read(f"{HEAD}.global {declared};").variables == {"x": Variable("x", size, GLOBAL, data)}


@pytest.mark.parametrize(
    ("declared", "addresses"),
    [
        (".u64 x = y", [Address("y")]),
        (".u64 x = y + 4", [Address("y", 4)]),
        (".u64 x = y+-4 + 2", [Address("y", -2)]),
        (".u64 x = generic(c)", [Address("c")]),
        (".u64 x[] = {1, generic(y)+8, f}", [Address("y", 8, at=8), Address("f", at=16, function=True)]),
        (".u8 x[2] = {0xff(y+4), 0xff00(generic(c))}", [Address("y", 4, 0), Address("c", 0, 1, at=1)]),
        (".u32 x = 0xFF000000(y)", [Address("y", byte=3)]),
        (".u64 x = k", [Address("k", function=True)]),
    ],
)
def test_addresses(declared: str, addresses: list[Address]) -> None:
    """Variables that begin with them, where the bytes are zeros until the image is loaded."""
    x = read(f"{NAMED}.global {declared};").variables["x"]
    assert (x.addresses, set(x.data[addresses[0].at :])) == (tuple(addresses), {0})


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (".f16 x = 1.0", "a variable of type .f16 cannot have an initial value"),
        (".f32 x = 1", "a whole number cannot be the value"),
        (".u32 x = 1.0", "1.0 cannot be the value of a variable of type .u32"),
        (".f32 x = -0f3F800000", "a sign is not allowed before 0f3F800000"),
        (".u32 x = {1}", "the initial value of x has braces"),
        (".u32 x[2] = 1", "the initial value of x lacks braces"),
        (".b64 x = y", "an address cannot be the value of a variable of type .b64"),
        (".b8 x = 0xff(y)", "a byte of an address cannot be the value of a variable of type .b8"),
        (".u8 x = 0xffff(y)", "the mask 0xffff does not select one byte"),
        (".u64 x = y-4", "an address is written as"),
        (".u64 x = 4+y", "an address is written as"),
        (".u64 x = y + z", "an address is written as"),
        (".u64 x = generic(y+4)", "an address is written as"),
        (".u8 x = 0xff(-y)", "an address is written as"),
        (".u64 x = generic(f)", "the address of f cannot be a value like this"),
        (".u64 x = f + 4", "the address of f cannot be a value like this"),
        (".u64 x = sh", "the address of sh cannot be a value like this"),
        (".u64 x = gone", "the address of function gone is used, and the function has no body"),
    ],
)
def test_wrong_initial_values(declared: str, reason: str) -> None:
    """They are refused as ptxas refuses them."""
    why, _, _, text = refusal(f"{NAMED}.global {declared};")
    assert why == BAD_PTX
    assert reason in text


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (".u32 x = 2 * 3", "2 * 3 is an expression"),
        (".f32 x = (1.5)", "( 1.5 ) is an expression"),
        (".u64 x = y + 2 * 2", "y + 2 * 2 is an expression"),
        (".u64 x = generic(y) + (2)", r"generic ( y ) + ( 2 ) is an expression"),
        (".u8 x = 0xff(2 * 3)", "0xff ( 2 * 3 ) is an expression"),
        (".u32 x = y", "y is an address in 4 bytes"),
        (".u64 x = c", "c is the offset of a constant in its bank"),
    ],
)
def test_initial_values_that_fakecuda_does_not_know(declared: str, reason: str) -> None:
    """They are never zeros: an error says what to write instead."""
    why, _, _, text = refusal(f"{NAMED}.global {declared};")
    assert why == BOUND
    assert text.startswith("line 8 of the PTX: the initial value ")
    assert reason in text


def test_bytes_of_numbers() -> None:
    """A mask selects one."""
    assert read(NAMED + ".global .b8 x[2] = {0xFF00(0x1234), 0xFF(-1)};").variables["x"].data == b"\x12\xff"


def test_addresses_of_functions_elsewhere() -> None:
    """A linker finds them, but those of system functions have no address."""
    assert read(NAMED + ".global .u64 x = gone;", whole=False).names.needed == ("gone",)
    with pytest.raises(Refused, match="the address of function vprintf is used"):
        read(NAMED + ".global .u64 x = vprintf;", whole=False)


def test_several_variables_of_a_type() -> None:
    """Behind one space."""
    image = read(HEAD + ".visible .global .align 8 .u32 a = 1, b[2], c[3][4];\n.const[2] .u16 d;")
    assert {one.name: one.size for one in image.variables.values()} == {"a": 4, "b": 8, "c": 48, "d": 2}
    assert image.names.own == ("a", "b", "c")
