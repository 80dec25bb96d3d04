"""What a compiled program registers, and its images as libraries of a process."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.model import leaks
from fakecuda.model.code.cubin import HEADER
from fakecuda.model.code.program import HEAD, Binary, Program, Symbol
from fakecuda.model.memory.space import bytes_at
from fakecuda.model.os.system import OWN

if TYPE_CHECKING:
    from collections.abc import Iterator

PTX = (
    b".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .u32 counter;\n.visible .entry empty() { ret; }\n"
)


def placed(content: bytes) -> ctypes.Array[ctypes.c_char]:
    """Return memory with some bytes, and room behind them."""
    return ctypes.create_string_buffer(content, len(content) + HEAD)


def test_an_image_has_the_size_that_its_head_tells() -> None:
    """A fatbin, a cubin, another text, and no address; each is read once."""
    fatbin = placed(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 100).ljust(116, b"\1"))
    cubin = placed(b"\x7fELF".ljust(HEADER, b"\0"))
    other = placed(b"a text")
    for memory, size in ((fatbin, 116), (cubin, HEADER), (other, 0)):
        binary = Binary(0, ctypes.addressof(memory))
        assert len(binary.read(bytes_at)) == size
        assert binary.read(lambda *_: b"another") == binary.content
    assert Binary(0, 0).read(bytes_at) == b""


def test_linked_code_has_the_images_that_it_was_linked_from() -> None:
    """Up to a null address, each read once; what was not linked has none."""
    one, other = (placed(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, size).ljust(16 + size, b"\1")) for size in (100, 20))
    table = (ctypes.c_uint64 * 3)(ctypes.addressof(one), ctypes.addressof(other), 0)
    binary = Binary(0, 0, others=ctypes.addressof(table))
    assert [len(part) for part in binary.read_parts(bytes_at)] == [116, 36]
    assert binary.read_parts(lambda *_: b"another") is binary.parts
    assert Binary(0, 0).read_parts(bytes_at) == []


def test_an_image_takes_its_symbols_with_it() -> None:
    """Those of others stay."""
    program, gone, stays = Program(), Binary(1, 0), Binary(2, 0)
    program.register_function(10, Symbol(gone, "a"))
    program.register_function(11, Symbol(stays, "a"))
    program.register_variable(12, Symbol(gone, "b"))
    program.unregister(gone)
    assert (list(program.functions), list(program.variables), program.changes) == ([11], [], 4)


@pytest.fixture
def registered() -> Iterator[tuple[int, int]]:
    """Register a kernel and a variable in this process, and give their host addresses."""
    binary = Binary(0, 0, PTX)
    kept = [ctypes.create_string_buffer(8) for _ in range(2)]
    function, variable = map(ctypes.addressof, kept)
    OWN.program.register_function(function, Symbol(binary, "empty"))
    OWN.program.register_variable(variable, Symbol(binary, "counter"))
    yield function, variable
    OWN.program.unregister(binary)


def test_the_library_of_a_program_is_one_and_no_leak(registered: tuple[int, int]) -> None:
    """It is loaded again when the program has unloaded it by its handle."""
    function, variable = registered
    with Machine("h200") as machine:
        process = machine.spawn()
        c = process.c
        _, kernel = c.cudaGetKernel(function)
        assert c.cudaGetKernel(function) == (0, kernel)
        assert c.cudaGetSymbolAddress(variable) == c.cudaGetSymbolAddress(variable)
        assert not [one for one in leaks.leaks_in(process) if one.kind == "library"]
        _, library = c.cuKernelGetLibrary(kernel)
        assert c.cuLibraryUnload(library) == (0,)
        assert c.cudaGetKernel(function)[1] != kernel


def test_a_node_tells_the_host_function(registered: tuple[int, int]) -> None:
    """Of a kernel of a program; the runtime library cannot tell a library's kernel."""
    function, _ = registered
    with Machine("h200") as machine:
        c = machine.spawn().c
        _, graph = c.cudaGraphCreate(0)
        params = (function, (1, 1, 1), (2, 1, 1), 0, 0, 0)
        _, node = c.cudaGraphAddKernelNode(graph, None, 0, params)
        assert c.cudaGraphKernelNodeGetParams(node)[:2] == (0, params)
