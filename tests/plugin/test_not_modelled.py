"""Calls of the runtime API that are not modelled say so, by each of the doors that lead there."""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import NotModelledWarning
from fakecuda.machine import install, simulating
from fakecuda.reach.bindings.runtime import FUNCTIONS
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.runtime import CALLS
from tests.bindings.runtime_valid import arguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine
    from fakecuda.spec.description import Function

NOT_SUPPORTED = 801
TAKEN = {name: call for name, call in FUNCTIONS.items() if name not in RUNTIME.ops}
"""The functions of the module."""
C_LEVEL = {name: call for name, call in CALLS.items() if name not in RUNTIME.ops}
"""Those of C."""


def look_alike(machine: Machine, name: str) -> int:
    """Make a call of ``process.runtime``; the results are None."""
    code, *results = getattr(machine.here.runtime, name)(*arguments(machine.here.runtime, TAKEN[name]))
    assert set(results) <= {None}
    return int(code)


def module(_: Machine, name: str) -> int:
    """Make a call of the module, which is patched."""
    patched: Any = importlib.import_module("cuda.bindings.runtime")
    code, *results = getattr(patched, name)(*arguments(patched, TAKEN[name]))
    assert set(results) <= {None}
    return int(code)


def c_level(machine: Machine, name: str) -> int:
    """Make a call of ``process.c``."""
    code, *results = getattr(machine.here.c, name)(*[None] * len(C_LEVEL[name].inputs))
    assert results == [None] * len(CALLS[name].outputs)
    return int(code)


def library(_: Machine, name: str) -> int:
    """Make a call of the library for ctypes."""
    code: int = install.cudart()[name](*[None] * len(C_LEVEL[name].inputs))
    return code


@pytest.mark.parametrize(
    ("door", "names"),
    [(look_alike, TAKEN), (module, TAKEN), (c_level, C_LEVEL), (library, C_LEVEL)],
    ids=["look-alike", "module", "c", "library"],
)
def test_what_is_not_modelled_says_so(door: Callable[[Machine, str], int], names: dict[str, Function]) -> None:
    """Each call answers cudaErrorNotSupported, which is the thread's last error, and warns its caller once."""
    with simulating.simulate(door="lookalike") as machine:
        for name in names:
            with pytest.warns(NotModelledWarning, match=f"^{name} is not modelled: it answers cuda") as caught:
                assert door(machine, name) == NOT_SUPPORTED
            assert [one.filename for one in caught] == [__file__]
            assert machine.here.c.cudaGetLastError() == (NOT_SUPPORTED,)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert {one(machine, name) for one in (look_alike, c_level) if name in TAKEN} <= {NOT_SUPPORTED}
                assert door(machine, name) == machine.here.c.cudaGetLastError()[0] == NOT_SUPPORTED


def test_what_has_no_model() -> None:
    """Parts of devices and contexts of them, semaphores and memory of other APIs, graphics, EGL; and all that is out of scope."""
    kinds = ("DevResource", "DevSmResource", "ExecutionCtx", "GreenCtx", "External", "Graphics", "EGL")
    for kind in kinds:
        of_kind = {name for name in CALLS if kind in name and "DriverEntryPoint" not in name}
        assert of_kind
        assert not of_kind & set(RUNTIME.ops)
