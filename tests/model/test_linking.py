"""Linkers: what images hold that they make, their logs, and their memory."""

from __future__ import annotations

import ctypes

import pytest

from conformance.cases.driver.linker.fixtures import CALLED, CALLER
from conformance.kit.kernels import HEAD, NEWER, PTX
from fakecuda import Machine, Process, UndefinedBehaviour
from fakecuda.errors import FakeCudaError
from fakecuda.model.code import cubin_writer
from fakecuda.model.code.code import (
    BAD_IMAGE,
    CONSTANT,
    CUT,
    LINKED,
    MANAGED,
    OTHER_DEVICE,
    STRANGE,
    SYSTEM,
    Entry,
    Image,
    Names,
    Prototype,
    Refused,
    Symbol,
    Variable,
)
from fakecuda.model.code.image import CUBIN, FATBINARY, TEXT, parsed, relocatable
from fakecuda.model.invariants import check
from fakecuda.model.leaks import leaks_on
from tests.model.test_image import ARCH, NEWEST, cubin, fatbin

INFO, ERRORS, SIZE = 3, 5, 6
"""CU_JIT_INFO_LOG_BUFFER, and CU_JIT_ERROR_LOG_BUFFER and its size."""
INVALID_IMAGE, NO_BINARY, INVALID_SOURCE = 200, 209, 300
RELOCATABLE = cubin()[:16] + b"\1\0" + cubin()[18:]
"""A relocatable cubin of type ET_REL."""
MADE = cubin_writer.written(Image({}, {}), ARCH)
"""A cubin as linkers make them."""


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


def test_a_log_of_no_bytes_has_no_address(process: Process) -> None:
    """A program asks for a log, and gives no memory for it."""
    code, state = process.c.cuLinkCreate(2, (INFO, INFO + 1), (0, 0))
    assert (code, process.c.cuLinkDestroy(state)) == (0, (0,))


def test_what_is_written_is_read() -> None:
    """All that is known of kernels and variables."""
    entries = [
        Entry("plain", ((0, 8), (8, 4)), registers=24, shared=512, constant=8, local=16, ptx=ARCH, binary=ARCH),
        Entry("most", registers=16, constant=8, most=128, rank=4, ptx=ARCH, binary=ARCH),
        Entry("exact", registers=16, constant=8, block=(64, 2, 1), cluster=(2, 1, 1), ptx=ARCH, binary=ARCH),
        Entry("free", registers=16, constant=8, clustered=True, ptx=ARCH, binary=ARCH),
        Entry("launcher", registers=16, constant=8, launches=True, ptx=ARCH, binary=ARCH),
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


def test_a_linker_without_inputs_makes_code_that_loads(process: Process) -> None:
    """Its table of symbols has the empty one that each table begins with."""
    state = process.c.cuLinkCreate(0, None, None)[1]
    _, place, size = process.c.cuLinkComplete(state)
    assert process.c.cuModuleLoadData(ctypes.string_at(place, size))[0] == 0


def test_large_parameters_are_not_written() -> None:
    """A cubin's attribute has no room for their bytes."""
    image = Image({"k": Entry("k", ((0, 1 << 14),))}, {})
    with pytest.raises(FakeCudaError, match="a parameter of 16384 bytes or more"):
        cubin_writer.written(image, ARCH)


def test_names_of_ptx() -> None:
    """Functions and variables that others may use, and those that it needs; not what it declares and does not use."""
    text = HEAD + (
        ".extern .func used(); .extern .func unused(); .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".extern .global .u32 read; .extern .global .u32 unread; .extern .shared .align 4 .b8 dynamic[];\n"
        ".visible .func mine() { ret; }\n.weak .func (.param .b32 r) ours() { ret; }\n.func own() { ret; }\n"
        ".visible .func (.reg .f64 r) wide(.param .b32 a[2], .param .f16 b, .param .b8 c[]) { ret; }\n"
        ".weak .global .u32 soft;\n.visible .global .u32 hard;\n.global .u32 still;\n"
        ".visible .entry k() { .reg .b32 %r; .reg .b64 a, b; call used; call (%r), vprintf, (a, b); ld.global.u32 %r, [read]; st.shared.u32 [dynamic], %r; ret; }\n"
    )
    image = relocatable(TEXT, text.encode(), ARCH, NEWEST)
    symbols = (
        Symbol("k", "kernel", "own"),
        Symbol("used", "function", "extern"),
        Symbol("wide", "function", "own"),
        Symbol("own", "function", "private"),
        Symbol("ours", "function", "weak"),
        Symbol("mine", "function", "own"),
        Symbol("read", "global", "extern", 4),
        Symbol("unread", "global", "extern", 4),
        Symbol("dynamic", "shared", "extern"),
        Symbol("soft", "global", "weak", 4),
        Symbol("hard", "global", "own", 4),
    )
    prototypes = (
        Prototype("used", "() ()", False),
        Prototype("vprintf", "(b32) (b64, b64)", False),
        Prototype("wide", "(f64) (b32[2], b16, b8[0])", True),
        Prototype("ours", "(b32) ()", True),
        Prototype("mine", "() ()", True),
    )
    assert image.names == Names(
        ("mine", "wide", "hard", "k"), ("ours", "soft"), ("used", "read"), symbols, ("own",), prototypes
    )
    with pytest.raises(Refused):
        parsed(text.encode(), ARCH, NEWEST)


def test_names_of_cubins_and_fatbins() -> None:
    """Global symbols that are there, and those that are not, but for the system's."""
    names = relocatable(CUBIN, RELOCATABLE, ARCH, NEWEST).names
    assert "k" in names.own
    assert not SYSTEM.intersection(names.needed)
    assert relocatable(FATBINARY, fatbin((1, 70, CALLER, 0)), ARCH, NEWEST).names.needed == ("other", "far")


@pytest.mark.parametrize(
    ("kind", "data", "why"),
    [
        (FATBINARY, b"no", BAD_IMAGE),
        (FATBINARY, fatbin()[:4] + b"\x09\0" + bytes(20), BAD_IMAGE),
        (FATBINARY, fatbin(), OTHER_DEVICE),
        (CUBIN, PTX, BAD_IMAGE),
        (CUBIN, cubin(machine=62), STRANGE),
        (TEXT, cubin(machine=62), BAD_IMAGE),
        (CUBIN, cubin()[:40], CUT),
        (TEXT, cubin()[:100], CUT),
        (FATBINARY, MADE, LINKED),
        (FATBINARY, fatbin((2, ARCH, MADE, 0)), LINKED),
    ],
)
def test_what_linkers_refuse(kind: int, data: bytes, why: str) -> None:
    """What is looked at are the bytes, but for what is to be a cubin."""
    with pytest.raises(Refused) as refused:
        relocatable(kind, data, ARCH, NEWEST)
    assert refused.value.why == why


def test_ptx_is_a_fatbin_and_a_fatbin_is_ptx() -> None:
    """They may be given as each other, and cubins as both."""
    for kind in (TEXT, FATBINARY):
        assert relocatable(kind, PTX, ARCH, NEWEST).entries
        assert relocatable(kind, fatbin((1, 70, CALLER, 0)), ARCH, NEWEST).entries
        assert relocatable(kind, RELOCATABLE, ARCH, NEWEST).entries


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


def test_plain_calls_take_the_address_of_code(process: Process) -> None:
    """In the place of its bytes; null is none."""
    _, place, size = made(process, PTX)
    code, module = process.c.cuModuleLoadData(place)
    assert code == 0
    assert process.c.cuModuleGetFunction(module, b"store")[0] == 0
    _, state = process.c.cuLinkCreate(0, None, None)
    assert process.c.cuLinkAddData(state, CUBIN, place, size, None, 0, None, None) == (NO_BINARY,)
    assert process.c.cuModuleLoadData(0) == process.c.cuModuleLoadData(None)
    check(process.machine)


def test_forks_have_copies(process: Process) -> None:
    """What a fork does with them changes nothing, and nothing of it stays."""
    state, _, _ = made(process, PTX)
    (code, pending) = process.c.cuLinkCreate(0, None, None)
    assert not code
    used = process.machine.pinned.used
    assert process.forked.cuLinkComplete(pending)[0] == 0
    assert process.forked.cuLinkDestroy(int(state)) == (0,)
    assert process.machine.pinned.used == used
    assert process.driver.cuLinkDestroy(state) == (0,)
    assert process.c.cuLinkComplete(pending)[0] == 0
    check(process.machine)


def test_other_threads_do_not_complete_it(process: Process) -> None:
    """A strict machine reports it; in another one it succeeds."""
    (_, state) = process.c.cuLinkCreate(0, None, None)
    assert process.thread("other").c.cuLinkComplete(state)[0] == 0
    strict = Machine("h200-x2").spawn("a")
    strict.c.cuInit(0)
    strict.c.cuCtxCreate(None, 0, 0)
    (_, state) = strict.c.cuLinkCreate(0, None, None)
    with pytest.raises(UndefinedBehaviour, match="the calling thread created the linker"):
        strict.inside.cuLinkDestroy(state)


def test_logs_that_cases_cannot_have(process: Process) -> None:
    """The binding takes a bytearray. A log at an address without memory is not written."""
    d, log = process.driver, bytearray(b"x" * 64)
    assert d.cuLinkCreate(2, [d.CUjit_option(ERRORS), d.CUjit_option(SIZE)], [log, len(log)])[0] == 0
    assert log == b"\0" + b"x" * 63
    assert process.c.cuLinkCreate(2, (ERRORS, SIZE), (4096, 100))[0] == 0


@pytest.mark.parametrize("kind", [3, 4])
def test_other_inputs_are_not_modelled(process: Process, kind: int) -> None:
    """Objects and libraries of the host."""
    d = process.driver
    _, state = d.cuLinkCreate(0, [], [])
    with pytest.raises(FakeCudaError, match="add PTX, cubins or fatbins"):
        d.cuLinkAddData(state, d.CUjitInputType(kind), b"!<arch>\n", 8, b"", 0, [], [])


def test_linkers_are_leaks(process: Process) -> None:
    """Until they are destroyed; those of a process that ends go with it."""
    machine = process.machine
    state, _, _ = made(process, PTX)
    (leak,) = [leak for leak in leaks_on(machine) if leak.kind == "linker"]
    assert leak.fix == "call cuLinkDestroy"
    assert "linker" in str(leak)
    assert int(state)
    used = machine.pinned.used
    process.exit()
    assert machine.pinned.used < used
    check(machine)
