"""Older forms through C: on an older driver, as names of faults, and with what cuGetProcAddress finds."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda import Machine, NotModelledWarning
from fakecuda.reach.native.door import attach, detach
from fakecuda.spec.codes import Result

OUT_OF_MEMORY = int(Result.OUT_OF_MEMORY)
FORMS = {"cuCtxCreate_v2": 11000, "cuCtxCreate_v3": 11040, "cuCtxCreate_v4": 12050}
"""Forms of cuCtxCreate, and a version by which a program finds each."""


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


def test_contexts_of_cuda_3_1_are_not_modelled(machine: Machine) -> None:
    """The oldest form says what to use; calls with addresses of 32 bits find no context."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    context, pointer = ctypes.c_void_p(), ctypes.c_uint32()
    assert library.cuInit(0) == 0
    with pytest.warns(NotModelledWarning, match=r"^cuCtxCreate is not modelled: .*; use cuCtxCreate_v2$"):
        assert library.cuCtxCreate(ctypes.byref(context), 0, 0) == int(Result.NOT_SUPPORTED)
    assert created(library, "cuCtxCreate_v2") == (0, True)
    assert library.cuMemAlloc(ctypes.byref(pointer), 64) == int(Result.INVALID_CONTEXT)


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
