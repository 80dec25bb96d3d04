"""Functions that are only enumerated: what uses one loads it, as an H100 showed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.driver.library.test_library_get_managed import SHARED
from conformance.kit.kernels import PTX
from fakecuda import FakeCudaError, Machine
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_LOADED = 913
DYNAMIC = 8
USES: dict[str, Callable[[Any, int, int], object]] = {
    "load": lambda c, _, function: c.cuFuncLoad(function),
    "get": lambda c, module, _: c.cuModuleGetFunction(module, b"empty"),
    "set": lambda c, _, function: c.cuFuncSetAttribute(function, DYNAMIC, 1024),
    "set what cannot be": lambda c, _, function: c.cuFuncSetAttribute(function, 0, 1),
    "cache": lambda c, _, function: c.cuFuncSetCacheConfig(function, 1),
    "occupancy": lambda c, _, function: c.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 32, 0),
}


@pytest.mark.parametrize("use", USES)
def test_what_uses_a_function_loads_it(use: str) -> None:
    """Before, three attributes say that it is not loaded, and the others are told."""
    with Machine("h200") as machine:
        c = started(machine).c
        module = done(c.cuModuleLoadData(PTX))
        function, other, *_ = done(c.cuModuleEnumerateFunctions(5, module))
        for attribute in (0, 2, DYNAMIC):
            assert c.cuFuncGetAttribute(attribute, function)[0] == NOT_LOADED
        assert c.cuFuncGetAttribute(4, function)[0] == 0
        assert c.cuFuncIsLoaded(function) == (0, 0)
        USES[use](c, module, function)
        assert c.cuFuncIsLoaded(function) == (0, 1)
        assert c.cuFuncGetAttribute(0, function) == (0, 1024)
        assert c.cuFuncIsLoaded(other) == (0, 0)


def test_a_managed_variable_without_a_context_is_not_modelled() -> None:
    """A card has it: it says so by name, and does not answer otherwise."""
    with Machine("h200") as machine:
        c = machine.spawn("a").c
        done(c.cuInit(0))
        library = done(c.cuLibraryLoadData(SHARED, (), (), 0, (), (), 0))
        with pytest.raises(FakeCudaError, match="without any context"):
            c.cuLibraryGetManaged(library, b"shared")
        done(c.cuCtxCreate(None, 0, 0))
        assert c.cuLibraryGetManaged(library, b"shared")[0] == 0
