"""Libraries that launches load, and their variables: what they leave when they fail, and when they end."""

from __future__ import annotations

import ctypes

import pytest

from conformance.cases.driver.graph.fixtures import launch
from conformance.cases.driver.library.test_library_get_managed import LARGE, TOO_LARGE
from conformance.kit.kernels import HEAD, PTX
from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.both import CALLS
from fakecuda.spec.codes import Result
from tests.model.world import done, started

OUT_OF_MEMORY, NOT_READY = 2, 600
STARTED = HEAD.encode() + b".visible .global .attribute(.managed) .align 8 .b8 shared[64] = {1, 2, 3};\n"
"""PTX with an initialised managed variable."""
NO_ROOM_FOR_THE_LAST = STARTED + TOO_LARGE[len(HEAD) :].replace(b" shared[", b" last[")
"""The PTX with another variable that no host has room for."""


@pytest.mark.parametrize("call", ["cuLaunchKernel", "cuLaunchCooperativeKernel", "cuLaunchKernelEx"])
def test_a_refused_launch_has_loaded_the_library(call: str) -> None:
    """The rule that it breaks is one of those that the driver checks after that."""
    with Machine("h200") as machine:
        c = started(machine).c
        library = done(c.cuLibraryLoadData(PTX, (), (), 0, (), (), 0))
        kernel, before = done(c.cuLibraryGetKernel(library, b"exact")), machine.snapshot()
        shape = (2, 1, 1, 32, 1, 1, 0, 0)
        given = ((*shape, ()), kernel, 0, 0) if call.endswith("Ex") else (kernel, *shape, 0, 0)
        assert getattr(c, call)(*given[: len(CALLS[call].inputs)]) == (1,)
        assert machine.snapshot() != before
        assert machine.calls[-1][5] in DRIVER.ops[call].acts_before


def test_a_library_that_is_compiled_for_another_device_launches_nothing() -> None:
    """What a driver answers to a node of a graph is not known."""
    with Machine("h200") as machine:
        c = started(machine).c
        library = done(c.cuLibraryLoadData(PTX, (9,), (75,), 1, (), (), 0))
        kernel = done(c.cuLibraryGetKernel(library, b"empty"))
        assert c.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0) == (Result.INVALID_SOURCE,)
        with pytest.raises(FakeCudaError, match="CU_JIT_TARGET 75"):
            c.cuGraphAddKernelNode(done(c.cuGraphCreate(0)), None, 0, launch(0, kern=kernel))


def test_a_managed_variable_of_a_library_is_no_context_s() -> None:
    """It is there without any, holds what it began with, lies at one address in all, and ends with its library."""
    with Machine("h200") as machine:
        process = machine.spawn("a")
        c = process.c
        done(c.cuInit(0))
        library = done(c.cuLibraryLoadData(STARTED, (), (), 0, (), (), 0))
        address, size = c.cuLibraryGetManaged(library, b"shared")[1:]
        assert ctypes.string_at(address, size) == b"\1\2\3" + bytes(61)
        for _ in range(2):
            context = done(c.cuCtxCreate(None, 0, 0))
            assert c.cuLibraryGetGlobal(library, b"shared") == (0, address, size)
            assert c.cuModuleGetGlobal(done(c.cuLibraryGetModule(library)), b"shared") == (0, address, size)
            done(c.cuMemsetD8(address, 9, size))
            done(c.cuCtxDestroy(context))
        assert ctypes.string_at(address, size) == b"\x09" * size
        machine.check_invariants()
        done(c.cuLibraryUnload(library))
        assert process.memory.at(address) is None
        machine.check_invariants()


def test_variables_without_room_leave_nothing() -> None:
    """Managed ones of a library that a module's own have no room beside are not there either; nor is a part of them."""
    with Machine("h200") as machine:
        process = started(machine)
        c = process.c
        both = (("cuLibraryGetModule", ()), ("cuLibraryGetManaged", (b"shared",)))
        for image, calls in ((LARGE, both[:1]), (NO_ROOM_FOR_THE_LAST, both)):
            library = done(c.cuLibraryLoadData(image, (), (), 0, (), (), 0))
            for call, more in calls:
                before = machine.snapshot()
                assert getattr(c, call)(library, *more)[0] == OUT_OF_MEMORY
                assert machine.snapshot() == before
                machine.check_invariants()


def test_the_end_of_a_library_waits_for_who_may_use_its_variables() -> None:
    """Work of any context, whether that has a module of it or not, as an H100 does."""
    with Machine("h200", completion="manual") as machine:
        c = started(machine).c
        library = done(c.cuLibraryLoadData(STARTED, (), (), 0, (), (), 0))
        address, size = c.cuLibraryGetManaged(library, b"shared")[1:]
        stream = done(c.cuStreamCreate(1))
        done(c.cuMemsetD8Async(address, 9, size, stream))
        assert c.cuStreamQuery(stream)[0] == NOT_READY
        done(c.cuCtxCreate(None, 0, 0))
        done(c.cuLibraryUnload(library))
        assert c.cuStreamQuery(stream)[0] == 0
        machine.check_invariants()
