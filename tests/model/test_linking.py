"""Linkers: what images hold that they make, their logs, and their memory."""

from __future__ import annotations

import ctypes

import pytest

from conformance.cases.driver.linker.fixtures import CALLED, CALLER
from conformance.kit.kernels import HEAD, NEWER, PTX
from fakecuda import Machine, Process
from fakecuda.errors import FakeCudaError
from fakecuda.model import cubin_writer
from fakecuda.model.code import BAD_IMAGE, CONSTANT, MANAGED, Entry, Image, Names, Refused, Variable
from fakecuda.model.image import CUBIN, FATBINARY, TEXT, parsed, relocatable
from fakecuda.model.left import left_on
from fakecuda.model.snapshot import check
from tests.model.test_image import ARCH, NEWEST, cubin, fatbin

ERRORS, SIZE = 5, 6
"""CU_JIT_ERROR_LOG_BUFFER and its size."""
UNKNOWN, INVALID_PTX = 999, 218


@pytest.fixture
def process() -> Process:
    """A process with a context."""
    made = Machine("h200-x2", strict=False).spawn("a")
    made.driver.cuInit(0)
    made.driver.cuCtxCreate(None, 0, 0)
    return made


def made(process: Process, *inputs: bytes) -> tuple[int, int, int]:
    """Return a linker with inputs that are PTX, and its image: address and bytes."""
    d = process.driver
    _, state = d.cuLinkCreate(0, [], [])
    for data in inputs:
        (code,) = d.cuLinkAddData(state, d.CUjitInputType(TEXT), data, len(data), b"in", 0, [], [])
        assert not code
    code, place, size = d.cuLinkComplete(state)
    assert not code
    return state, place, size


def test_what_is_written_is_read() -> None:
    """All that is known of kernels and variables."""
    entries = [
        Entry("plain", ((0, 8), (8, 4)), registers=24, shared=512, constant=8, local=16, ptx=ARCH, binary=ARCH),
        Entry("most", registers=16, constant=8, most=128, rank=4, ptx=ARCH, binary=ARCH),
        Entry("exact", registers=16, constant=8, block=(64, 2, 1), cluster=(2, 1, 1), ptx=ARCH, binary=ARCH),
        Entry("free", registers=16, constant=8, clustered=True, ptx=ARCH, binary=ARCH),
    ]
    variables = [
        Variable("counter", 4, data=b"\5\0\0\0"),
        Variable("table", 1 << 38),
        Variable("limit", 8, CONSTANT, bytes(range(8))),
        Variable("shared", 4, MANAGED, b"\7\0\0\0"),
        Variable("bare", 4, MANAGED),
    ]
    image = Image({one.name: one for one in entries}, {one.name: one for one in variables})
    found = parsed(cubin_writer.written(image, ARCH), ARCH, NEWEST)
    assert found.entries == image.entries
    assert found.variables == image.variables
    assert set(found.names.own) == {*image.entries, *image.variables}


def test_large_parameters_are_not_written() -> None:
    """A cubin's attribute has no room for their bytes."""
    image = Image({"k": Entry("k", ((0, 1 << 14),))}, {})
    with pytest.raises(FakeCudaError, match="parameters of 16384 bytes"):
        cubin_writer.written(image, ARCH)


def test_names_of_ptx() -> None:
    """Functions and variables that others may use, and those that it needs; not what it declares and does not use."""
    text = HEAD + (
        ".extern .func used(); .extern .func unused(); .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".extern .global .u32 read; .extern .global .u32 unread; .extern .shared .align 4 .b8 dynamic[];\n"
        ".visible .func mine() { ret; }\n.weak .func ours() { ret; }\n.func own() { ret; }\n"
        ".weak .global .u32 soft;\n.visible .global .u32 hard;\n.global .u32 still;\n"
        ".visible .entry k() { call used; call (r), vprintf, (a, b); ld.global.u32 %r, [read]; st.shared.u32 [dynamic], %r; ret; }\n"
    )
    image = relocatable(TEXT, text.encode(), ARCH, NEWEST)
    assert image.names == Names(own=("mine", "hard", "k"), weak=("ours", "soft"), needed=("used", "read"))
    with pytest.raises(Refused):
        parsed(text.encode(), ARCH, NEWEST)


def test_names_of_cubins_and_fatbins() -> None:
    """Global symbols that are there, and those that are not, but for the system's."""
    names = relocatable(CUBIN, cubin(), ARCH, NEWEST).names
    assert names == Names(own=("k",))
    assert relocatable(FATBINARY, fatbin((1, 70, CALLER, 0)), ARCH, NEWEST).names.needed == ("other", "far")


@pytest.mark.parametrize("data", [b"", PTX, fatbin()[:4] + b"\x09\0" + bytes(20)])
def test_what_is_no_fatbin(data: bytes) -> None:
    """What is too short, text, and another version."""
    with pytest.raises(Refused) as refused:
        relocatable(FATBINARY, data, ARCH, NEWEST)
    assert refused.value.why == BAD_IMAGE


def test_an_image_has_what_its_inputs_have(process: Process) -> None:
    """It is loaded from where it lies, or from a copy; what was loaded stays when the linker ends, and the image does not."""
    d = process.driver
    state, place, size = made(process, PTX, CALLER, CALLED, NEWER)
    copy = ctypes.string_at(place, size)
    assert copy.startswith(b"\x7fELF")
    modules = [d.cuModuleLoadData(one)[1] for one in (place, copy)]
    check(process.machine)
    assert d.cuLinkDestroy(state) == (0,)
    check(process.machine)
    for module in modules:
        assert not d.cuModuleGetFunction(module, b"caller")[0]
        assert not d.cuModuleGetFunction(module, b"clustered")[0]
        _, address, _ = d.cuModuleGetGlobal(module, b"far")
        value = bytearray(4)
        d.cuMemcpyDtoH(value, address, 4)
        assert value == b"\7\0\0\0"
    with pytest.raises(FakeCudaError):
        d.cuModuleLoadData(place)


def test_images_are_inputs(process: Process) -> None:
    """Of another linker, as cubins; of names that several inputs have and may, the first counts."""
    d = process.driver
    _, place, size = made(process, PTX)
    _, state = d.cuLinkCreate(0, [], [])
    assert d.cuLinkAddData(state, d.CUjitInputType(CUBIN), place, size, b"", 0, [], []) == (0,)
    assert not d.cuLinkComplete(state)[0]


def test_the_log_of_errors(process: Process) -> None:
    """It is empty first; a refused input and what is missing stand in it, cut where there is no room."""
    d = process.driver
    log = bytearray(b"x" * 24)
    options = [d.CUjit_option(ERRORS), d.CUjit_option(SIZE)]
    _, state = d.cuLinkCreate(2, options, [log, len(log)])
    assert log == b"\0" + b"x" * 23
    assert d.cuLinkAddData(state, d.CUjitInputType(TEXT), b"no", 2, b"", 0, [], []) == (INVALID_PTX,)
    assert log == b"error   : the PTX is no\0"
    assert d.cuLinkAddData(state, d.CUjitInputType(TEXT), CALLER, len(CALLER), b"", 0, [], []) == (0,)
    assert d.cuLinkComplete(state)[0] == UNKNOWN
    assert log == b"error   : Undefined ref\0"
    check(process.machine)


@pytest.mark.parametrize(("address", "size"), [(0, 100), (4096, 100), (None, 0)])
def test_logs_without_room_stay_as_they_are(process: Process, address: int | None, size: int) -> None:
    """At null, at an address without memory, and of no bytes."""
    d = process.driver
    log = bytearray(b"x")
    code, _ = d.cuLinkCreate(
        2, [d.CUjit_option(ERRORS), d.CUjit_option(SIZE)], [log if address is None else address, size]
    )
    assert not code
    assert log == b"x"


@pytest.mark.parametrize("kind", [3, 4, 5])
def test_other_inputs_are_not_modelled(process: Process, kind: int) -> None:
    """Objects and libraries of the host, and NVVM."""
    d = process.driver
    _, state = d.cuLinkCreate(0, [], [])
    with pytest.raises(FakeCudaError, match="add PTX, cubins or fatbins"):
        d.cuLinkAddData(state, d.CUjitInputType(kind), b"!<arch>\n", 8, b"", 0, [], [])


def test_linkers_are_leaks(process: Process) -> None:
    """Until they are destroyed; those of a process that ends go with it."""
    machine = process.machine
    state, _, _ = made(process, PTX)
    (leak,) = [leak for leak in left_on(machine) if leak.kind == "linker"]
    assert leak.fix == "call cuLinkDestroy"
    assert "linker" in str(leak)
    assert int(state)
    used = machine.pinned.used
    process.exit()
    assert machine.pinned.used < used
    check(machine)
