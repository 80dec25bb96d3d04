"""The functions behind the stubs: arguments become plain values, results arrive through pointers, null ones as the driver has it."""

from __future__ import annotations

import ctypes
import mmap
import random
import struct
import sys
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.reach.native import callbacks, door
from fakecuda.reach.native.generated import callbacks as generated
from fakecuda.reach.native.library import argument
from fakecuda.reach.native.values import edges_at, read_resource, read_shareable, write_shareable
from fakecuda.rules.registry import DRIVER, FORMS
from fakecuda.spec import forms, stream_values
from fakecuda.spec.driver import CALLS, ENUMS
from fakecuda.spec.layouts import UNIONS
from fakecuda.spec.sizes import BYTES
from fakecuda.spec.symbols import symbols
from realcuda.layouts import layout, unpack
from tests.each import each
from tests.native.conftest import behind_the_door

if TYPE_CHECKING:
    from fakecuda.spec.description import Function, Param

RESOURCE = "CUDA_RESOURCE_DESC"
"""A union whose type is stored beside it."""
ARGS = {symbol.name: symbol.args for symbol in symbols()}
INVALID_VALUE, NOT_SUPPORTED = 1, 801
FUNCTIONS = {"CUhostFn", "CUstreamCallback"}
COUNTS = {"count", "numAttributes", "numAttrs", "numDependencies", "numOptions", "numJitOptions", "numLibraryOptions"}
HARMLESS = ctypes.cast(ctypes.CDLL(None)["abs"], ctypes.c_void_p).value or 0
"""A function that a stream may call with any argument."""


def function(symbol: str) -> Any:
    """Return an exported function as a C program sees it."""
    found = ctypes.CDLL("libcuda.so.1")[symbol]
    found.argtypes = [argument(kind) for kind in ARGS[symbol]]
    found.restype = ctypes.c_uint32
    return found


def ready(machine: Machine) -> int:
    """Make the first device's primary context current and allocate 4096 bytes; return their address."""
    c = machine.here.c
    c.cuInit(0)
    c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
    return int(c.cuMemAlloc(4096)[1])


def test_the_data_of_edges_lie_where_their_struct_has_them() -> None:
    """As in an array of CUgraphEdgeData that a call fills."""
    rows = (1, 2, 1), (3, 0, 0)
    assert [unpack("CUgraphEdgeData", ctypes.string_at(edges_at(rows) + 8 * n, 8))[:3] for n in range(2)] == list(rows)


def test_arguments_agree_with_the_library() -> None:
    """A modelled call takes as many C arguments, of such kinds, as its symbol has."""
    kinds = {"integer": "QIiHBP", "host": "P", "string": "P", "struct": "P", "any": "P"}
    for call in (*map(CALLS.__getitem__, DRIVER.ops), *map(forms.CALLS.__getitem__, FORMS.ops)):
        args = ARGS[call.symbol]
        assert len(args) == len(call.params)
        for kind, param in zip(args, call.params, strict=True):
            if param.pointer or param.kind not in {"bytes", "struct"}:
                assert kind in ("P" if param.pointer else kinds[param.kind]), (call.name, param.name)
            else:
                made = layout(param.type)
                assert kind == f"S{BYTES.get(param.type) or ctypes.sizeof(made or ctypes.Structure)}"


@each(
    "name",
    sorted(
        {p.type for n in DRIVER.ops for p in CALLS[n].params if p.kind == "struct" and p.pointer} - UNIONS - {RESOURCE}
    ),
)
def test_structs_are_read_and_written_as_c_lays_them_out(name: str) -> None:
    """The layout is that of ctypes."""
    made = layout(name)
    assert made is not None
    content = random.Random(name).randbytes(ctypes.sizeof(made))  # noqa: S311 - repeatable content
    buffer = ctypes.create_string_buffer(content, len(content))
    expected = unpack(name, content)
    read = getattr(generated, f"read_{name}", None)
    if read:
        assert read(ctypes.addressof(buffer)) == expected
    write = getattr(generated, f"write_{name}", None)
    if write:
        target = ctypes.create_string_buffer(len(content))
        write(ctypes.addressof(target), expected)
        assert unpack(name, target.raw) == expected


def values(call: Function, chooser: random.Random, kept: list[Any]) -> tuple[list[Any], list[Any], str]:
    """Return arguments for a call that it refuses most of the time: in C, as plain values, and the null results."""
    native: list[Any] = []
    plain: list[Any] = []
    missing = []
    for kind, param in zip(ARGS[call.symbol], call.params, strict=True):
        if param.role == "inout" and param.kind == "word":
            place = ctypes.c_uint64(chooser.choice([0, 1, 2, 5]))
            kept.append(place)
            pointer = chooser.choice([0, ctypes.addressof(place), ctypes.addressof(place)])
            native.append(pointer)
            plain.append(place.value if pointer else None)
            missing += [] if pointer else [param.name]
            continue
        if param.pointer and param.kind != "any" and param.role not in {"in", "inout"}:
            buffer = ctypes.create_string_buffer(64)
            kept.append(buffer)
            pointer = chooser.choice([0, ctypes.addressof(buffer), ctypes.addressof(buffer)])
            native.append(pointer)
            if param.role in {"out", "string_out"}:
                missing += [] if pointer else [param.name]
            else:
                plain.append({"string": b"" if pointer else None, "host": pointer}[param.kind])
            continue
        value, shown = one(kind, param, chooser, kept)
        native.append(value)
        if param.role == "inout":
            missing += [] if value else [param.name]
            plain.append(shown)
        elif param.role == "out":
            missing += [] if value else [param.name]
        else:
            plain.append(shown)
    if call.name == "cuStreamSetAttribute" and plain[-1] is not None:
        plain[-1] = stream_values.unpack(plain[1], bytes(stream_values.SIZE))
    return native, plain, " ".join(missing)


def one(kind: str, param: Param, chooser: random.Random, kept: list[Any]) -> tuple[Any, Any]:
    """Return one argument, in C and as a plain value."""
    if kind.startswith("S"):
        content = bytes(int(kind[1:])) if param.kind == "struct" else chooser.randbytes(int(kind[1:]))
        plain = unpack(param.type, content) if param.kind == "struct" else content
        return argument(kind).from_buffer_copy(content), plain
    if param.array and param.kind == "integer":
        element = ctypes.c_int32 if param.type in ENUMS else ctypes.c_uint64
        array = (element * 1)(chooser.choice([0, 1, 99]))
        kept.append(array)
        return chooser.choice([(ctypes.addressof(array), tuple(array)), (0, None)])
    if param.pointer and param.kind in {"struct", "bytes", "any"} and chooser.random() < 0.7:
        buffer = ctypes.create_string_buffer(256)
        kept.append(buffer)
        address = ctypes.addressof(buffer)
        if param.kind == "any":
            # Only a descriptor is passed in a pointer.
            return (address, None) if param.role == "out" else (77, 77)
        if param.type in UNIONS:
            return (address, ((0,),)) if param.array else (0, None)
        if param.type == RESOURCE:
            return address, read_resource(address)
        made = layout(param.type)
        if made is None:
            return address, bytes(BYTES[param.type])
        zero = unpack(param.type, bytes(ctypes.sizeof(made)))
        return address, (zero,) if param.array else zero
    if param.pointer and param.kind != "integer":
        return 0, 0 if param.kind == "any" else None
    signed = kind == "i"
    value = chooser.choice([0, 1, 2, 7, 0x7FFF_0000] + [-1] * signed + [1 << 40] * (kind in "QP"))
    if param.name in COUNTS:
        value = 1
    if param.type in FUNCTIONS:
        value = chooser.choice([0, HARMLESS])
    value = argument(kind)(value).value
    return value, value


@each("name", sorted(DRIVER.ops))
def test_a_refused_call_is_refused_alike_through_c(name: str) -> None:
    """The codes agree with those of the C level, null result pointers included."""
    with behind_the_door() as machine:
        machine.strict = False
        _alike(name, machine)


def _alike(name: str, machine: Machine) -> None:
    call = CALLS[name]
    native = function(call.symbol)
    chooser = random.Random(name)  # noqa: S311 - repeatable arguments
    ready(machine)
    for _ in range(60):
        kept: list[Any] = []
        args, plain, missing = values(call, chooser, kept)
        code = native(*args)
        if code == 0 and name.startswith("cuStreamBeginCapture"):
            machine.here.c.cuStreamEndCapture(args[0])
        if code == 0 and name in {"cuCtxPopCurrent", "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease"}:
            ready(machine)
        assert (code, args) == (getattr(machine.here.c, name)(*plain, null=missing)[0], args)
        if name in {"cuCtxPopCurrent", "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease"}:
            ready(machine)
    assert not machine.findings


def test_results_keep_to_their_width(machine: Machine) -> None:
    """Nothing is written behind an int, and all of a size_t is."""
    ready(machine)
    buffer = (ctypes.c_uint64 * 2)(2**64 - 1, 2**64 - 1)
    assert function("cuDeviceGetCount")(ctypes.addressof(buffer)) == 0
    assert list(buffer) == [0xFFFF_FFFF_0000_0002, 2**64 - 1]
    assert function("cuDeviceTotalMem_v2")(ctypes.addressof(buffer), 0) == 0
    assert list(buffer) == [machine.here.c.cuDeviceTotalMem(0)[1], 2**64 - 1]


def test_a_failed_call_writes_nothing(machine: Machine) -> None:
    """What the result pointers lead to is left alone."""
    ready(machine)
    base, size = ctypes.c_uint64(5), ctypes.c_uint64(6)
    assert function("cuMemGetAddressRange_v2")(ctypes.addressof(base), ctypes.addressof(size), 77) != 0
    assert (base.value, size.value) == (5, 6)


def test_one_of_two_results_may_be_null(machine: Machine) -> None:
    """The other one is written."""
    pointer = ready(machine)
    size = ctypes.c_uint64()
    assert function("cuMemGetAddressRange_v2")(0, ctypes.addressof(size), pointer + 5) == 0
    assert size.value == 4096


def test_strings_end_with_a_nul_inside_the_buffer(machine: Machine) -> None:
    """A name is cut to the buffer's length."""
    ready(machine)
    buffer = ctypes.create_string_buffer(b"\xff" * 16, 16)
    assert function("cuDeviceGetName")(ctypes.addressof(buffer), 8, 0) == 0
    assert buffer.raw == b"NVIDIA \0" + b"\xff" * 8


def test_names_of_codes_live_on(machine: Machine) -> None:
    """The same code has the same text at the same address, whatever the machine; it needs none."""
    first, second = ctypes.c_uint64(), ctypes.c_uint64()
    name = function("cuGetErrorName")
    assert name(1, ctypes.addressof(first)) == 0
    callbacks.door.machine = None
    generated.threads = {}
    assert name(1, ctypes.addressof(second)) == 0
    assert first.value == second.value
    assert ctypes.string_at(first.value) == b"CUDA_ERROR_INVALID_VALUE"
    assert machine.here.alive


WIDTHS = {"MEMORY_TYPE": 4, "DEVICE_ORDINAL": 4, "IS_MANAGED": 4, "CONTEXT": 8, "RANGE_SIZE": 8, "P2P_TOKENS": 16}


@pytest.mark.parametrize("attribute", WIDTHS)
def test_attributes_of_pointers_keep_to_their_widths(machine: Machine, attribute: str) -> None:
    """An int, an address, or the pair of tokens is written."""
    pointer = ready(machine)
    buffer = ctypes.create_string_buffer(b"\xff" * 24, 24)
    number = ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{attribute}"]
    assert function("cuPointerGetAttribute")(ctypes.addressof(buffer), number, pointer) == 0
    width = WIDTHS[attribute]
    expected = machine.here.c.cuPointerGetAttribute(number, pointer)[1]
    content = expected if isinstance(expected, bytes) else expected.to_bytes(width, "little")
    assert buffer.raw == content + b"\xff" * (24 - width)


def test_descriptors_travel_as_ints(machine: Machine) -> None:
    """An exported descriptor is written as an int, and imported from the pointer's own value."""
    import os  # noqa: PLC0415 - one test needs it

    ready(machine)
    c = machine.here.c
    posix = 1
    handle = c.cuMemCreate(2 << 20, (1, posix, (1, 0), 0, (0, 0, 0)), 0)[1]
    place = ctypes.c_uint64(2**64 - 1)
    assert function("cuMemExportToShareableHandle")(ctypes.addressof(place), handle, posix, 0) == 0
    descriptor = place.value & 0xFFFF_FFFF
    assert place.value >> 32 == 0xFFFF_FFFF
    assert os.fstat(descriptor)
    imported = ctypes.c_uint64()
    assert function("cuMemImportFromShareableHandle")(ctypes.addressof(imported), descriptor, posix) == 0
    assert imported.value in machine.here.handles
    os.close(descriptor)


def test_fabric_handles_are_read_where_the_pointer_leads() -> None:
    """64 bytes; a null pointer stays a number."""
    buffer = ctypes.create_string_buffer(bytes(range(64)), 64)
    fabric = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"]
    assert read_shareable(ctypes.addressof(buffer), fabric) == bytes(range(64))
    assert read_shareable(0, fabric) == 0
    assert read_shareable(2**32 - 1, 1) == -1
    place = ctypes.create_string_buffer(64)
    write_shareable(ctypes.addressof(place), bytes(range(64)))
    assert place.raw == bytes(range(64))


def test_two_clients_of_one_thread_share_its_stack(machine: Machine) -> None:
    """The look-alike and C are two doors to the same process and thread."""
    ready(machine)
    place = ctypes.c_uint64()
    assert function("cuCtxGetCurrent")(ctypes.addressof(place)) == 0
    assert machine.here.c.cuCtxGetCurrent() == (0, place.value)


def test_structs_are_packed_little_endian() -> None:
    """The stubs' processor is."""
    assert sys.byteorder == "little"
    assert struct.calcsize("P") == 8


@pytest.mark.parametrize("strict", [True, False])
def test_an_array_that_is_shorter_than_its_count(strict: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """It was read behind its end, where the process ended."""
    with Machine("h200", strict=strict, seed=0) as machine:
        door.attach(machine)
        try:
            cuda = ctypes.CDLL("libcuda.so.1")
            cuda.cuInit(0)
            room = ctypes.create_string_buffer(1 << 20)
            for count in (1 << 28, 1 << 60):
                args = (ctypes.c_uint64(0), ctypes.c_size_t(0), room, ctypes.c_size_t(count))
                assert cuda.cuMemSetAccess(*args) == INVALID_VALUE
            found = [(finding.rule, finding.call, finding.facts["size"]) for finding in machine.findings]
            told = [(callbacks.ARRAY_IS_THERE, "cuMemSetAccess", 12 << bits) for bits in (28, 60)]
            assert found == (told if strict else [])
        finally:
            door.detach(machine)


def test_an_array_that_leaves_the_memory_is_not_read(machine: Machine) -> None:
    """However short it is: it begins in the last page that can be read, and ends behind it."""
    ready(machine)
    machine.strict = True
    graph = machine.here.c.cuGraphCreate(0)[1]
    room = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    ctypes.CDLL(None).munmap(ctypes.c_void_p(start + mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE))
    node = ctypes.c_uint64()
    last = start + mmap.PAGESIZE - 8
    add = function("cuGraphAddEmptyNode")
    assert add(ctypes.addressof(node), graph, last, 3) == INVALID_VALUE
    assert machine.findings.pop().rule is callbacks.ARRAY_IS_THERE
    assert add(ctypes.addressof(node), graph, last, 1) == INVALID_VALUE
    assert not machine.findings
    ctypes.CDLL(None).mmap(*map(ctypes.c_void_p, (start + mmap.PAGESIZE, mmap.PAGESIZE, 0, 0x32, -1, 0)))
