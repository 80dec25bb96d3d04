"""Older forms through C: on an older driver, as names of faults, and with what cuGetProcAddress finds."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda import Machine, NotModelledWarning
from fakecuda.reach.native.door import attach, detach
from fakecuda.spec.codes import Result

OUT_OF_MEMORY, INVALID_CONTEXT = int(Result.OUT_OF_MEMORY), int(Result.INVALID_CONTEXT)
BYTES, DEVICE = 4096, 2
FORMS = {"cuCtxCreate_v2": 11000, "cuCtxCreate_v3": 11040, "cuCtxCreate_v4": 12050}
"""Forms of cuCtxCreate, and a version with which a program finds each."""


def created(library: Any, name: str) -> tuple[int, bool]:
    """Make a context by one of the forms; return the code, and whether there is one."""
    context = ctypes.c_void_p()
    between = {"cuCtxCreate_v2": (), "cuCtxCreate_v3": (None, 0), "cuCtxCreate_v4": (None,)}[name]
    return library[name](ctypes.byref(context), *between, 0, 0), bool(context.value)


@pytest.mark.parametrize(("profile", "newest"), [("driver-12.4", "cuCtxCreate_v3"), ("driver-12.8", "cuCtxCreate_v4")])
def test_a_driver_has_the_forms_of_its_version(profile: str, newest: str) -> None:
    """By their symbols, and from cuGetProcAddress, which finds the newest form that the program and the driver know."""
    with Machine(profile) as machine:
        attach(machine)
        try:
            library = ctypes.CDLL("libcuda.so.1")
            assert library.cuInit(0) == 0
            for name in FORMS:
                if name <= newest:
                    assert created(library, name) == (0, True)
                    continue
                with pytest.raises(RuntimeError, match=f"{name} is not found"):
                    created(library, name)
            for name, version in {**FORMS, newest: -1}.items():
                if name <= newest:
                    address = ctypes.cast(library[name], ctypes.c_void_p).value
                    assert machine.here.c.cuGetProcAddress(b"cuCtxCreate", version, 0) == (0, address, 0)
        finally:
            detach(machine)


@pytest.mark.parametrize("name", ["cuCtxCreate_v2", "cuCtxCreate"])
def test_a_fault_names_a_form_or_its_newest_form(machine: Machine, name: str) -> None:
    """The first call fails, once; a fault of the older form leaves the newest one alone."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    assert library.cuInit(0) == 0
    machine.fail(name)
    if name == "cuCtxCreate_v2":
        assert created(library, "cuCtxCreate_v4") == (0, True)
    assert created(library, "cuCtxCreate_v2") == (OUT_OF_MEMORY, False)
    assert created(library, "cuCtxCreate_v2") == (0, True)


def test_an_array_without_members_has_no_address(machine: Machine) -> None:
    """A null pointer stands for the nodes and edges of a capture that has none, in cuStreamGetCaptureInfo."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    stream, graph = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.cuInit(0) == 0
    assert created(library, "cuCtxCreate_v2") == (0, True)
    assert library.cuStreamCreate(ctypes.byref(stream), 1) == 0
    assert library.cuStreamBeginCapture_v2(stream, 0) == 0
    status, nodes, edges, count = ctypes.c_int(), ctypes.c_void_p(1), ctypes.c_void_p(1), ctypes.c_size_t(9)
    results = [ctypes.byref(one) for one in (status, graph, graph, nodes, edges, count)]
    assert library.cuStreamGetCaptureInfo_v3(stream, *results) == 0
    assert (nodes.value, edges.value, count.value) == (None, None, 0)
    assert library.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0


def test_a_context_of_cuda_3_1_has_addresses_of_32_bits(machine: Machine) -> None:
    """The symbol without a number makes it; what the forms without a number copy there is what they read."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    context, pointer, other = ctypes.c_void_p(), ctypes.c_uint32(), ctypes.c_uint32()
    assert library.cuInit(0) == 0
    assert library.cuCtxCreate(ctypes.byref(context), 0, 0) == 0
    assert created(library, "cuCtxCreate_v2") == (OUT_OF_MEMORY, False)
    assert library.cuMemAlloc(ctypes.byref(pointer), BYTES) == library.cuMemAlloc(ctypes.byref(other), BYTES) == 0
    written, read = ctypes.create_string_buffer(bytes(range(256)), 256), ctypes.create_string_buffer(256)
    assert library.cuMemcpyHtoD(pointer, written, 256) == 0
    assert library.cuMemcpyHtoD_v2(ctypes.c_uint64(pointer.value), written, ctypes.c_size_t(256)) == INVALID_CONTEXT
    rows = (ctypes.c_uint64 * 12)(0, DEVICE, 0, pointer.value, 0, 16, DEVICE << 32, 0, other.value, 0, 8 | 8 << 32, 4)
    assert library.cuMemcpy2D(rows) == 0
    assert library.cuMemsetD8(ctypes.c_uint32(other.value + 8), ctypes.c_ubyte(255), 4) == 0
    assert library.cuMemcpyDtoH(read, other, 32) == 0
    copied = [written.raw[at : at + 8] for at in (0, 16, 32, 48)]
    assert read.raw[:32] == b"".join([copied[0], b"\xff" * 4, copied[1][4:], *copied[2:]])
    start, size = ctypes.c_uint32(), ctypes.c_uint32()
    assert library.cuMemGetAddressRange(ctypes.byref(start), ctypes.byref(size), other.value + 5) == 0
    assert (start.value, size.value) == (other.value, BYTES)
    assert library.cuMemFree(pointer) == library.cuMemFree(other) == library.cuCtxDestroy(context) == 0
    assert created(library, "cuCtxCreate_v2") == (0, True)
    assert library.cuMemAlloc(ctypes.byref(pointer), BYTES) == INVALID_CONTEXT


def test_arrays_of_cuda_3_1_have_descriptors_of_32_bits(machine: Machine) -> None:
    """Its members stand at other places than those of today's, in both directions."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    context, array, described = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_uint32 * 6)()
    assert library.cuInit(0) == library.cuCtxCreate(ctypes.byref(context), 0, 0) == 0
    assert library.cuArray3DCreate(ctypes.byref(array), (ctypes.c_uint32 * 6)(8, 4, 2, 1, 2, 0)) == 0
    assert library.cuArray3DGetDescriptor(described, array) == 0
    assert list(described) == [8, 4, 2, 1, 2, 0]
    assert library.cuArrayGetDescriptor(described, array) == 0
    assert list(described)[:4] == [8, 4, 1, 2]


def test_what_is_not_modelled_in_a_context_of_cuda_3_1_says_so(machine: Machine) -> None:
    """It answers that it is not supported, and warns."""
    a = machine.spawn()
    assert a.c.cuInit(0) == (0,)
    assert a.c.cuCtxCreate_v1(0, 0)[0] == 0
    with pytest.warns(NotModelledWarning, match=r"^cuCtxCreate_v1 on a second device is not modelled"):
        assert a.c.cuCtxCreate_v1(0, 1) == (int(Result.NOT_SUPPORTED), None)


def test_a_fault_of_the_newest_form_hides_its_own_results(machine: Machine) -> None:
    """The older form of cuGraphExecUpdate writes nothing if the newest form has not looked at the graphs."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    graph, executable, wrong, why = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(1), ctypes.c_int(-1)
    assert library.cuInit(0) == 0
    assert created(library, "cuCtxCreate_v2") == (0, True)
    assert library.cuGraphCreate(ctypes.byref(graph), 0) == 0
    assert library.cuGraphInstantiate_v2(ctypes.byref(executable), graph, None, None, ctypes.c_size_t(0)) == 0
    machine.fail("cuGraphExecUpdate", code=OUT_OF_MEMORY, force=True)
    assert library.cuGraphExecUpdate(executable, graph, ctypes.byref(wrong), ctypes.byref(why)) == OUT_OF_MEMORY
    assert (wrong.value, why.value) == (1, -1)
    assert library.cuGraphExecUpdate(executable, graph, ctypes.byref(wrong), ctypes.byref(why)) == 0
    assert (wrong.value, why.value) == (None, 0)
