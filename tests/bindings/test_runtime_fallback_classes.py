"""The stand-ins for the classes of cuda.bindings.runtime: as the binding's where that is installed."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda.reach.bindings.fallback_classes import StandIns
from fakecuda.reach.bindings.installed import RELEASE
from fakecuda.reach.bindings.runtime_classes import DRIVERS, NESTED, SHAPES, RuntimeStandIns
from fakecuda.spec.bindings import order
from fakecuda.spec.driver import DESCRIBED
from fakecuda.spec.runtime import ENUMS
from tests.bindings.test_fallback_classes import (
    ARRAYS,
    CRASHING,
    LISTS,
    NUMBERS,
    TEXTS,
    VALUES,
    outcome,
    public,
    takes_the_same,
)
from tests.each import each

real_module = pytest.importorskip("cuda.bindings.runtime", reason="the real binding: pip install 'fakecuda[cuda]'")
real_driver = pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
pytestmark = pytest.mark.skipif(
    order(RELEASE)[:2] != order(DESCRIBED)[:2],
    reason=f"the stand-ins are those of cuda-bindings {DESCRIBED}, and {RELEASE} is installed",
)
DRIVER = StandIns()
MADE = RuntimeStandIns(DRIVER)
CLASSES = SHAPES.classes
HELPERS = {"getLocalRuntimeVersion", "make_cudaExtent", "make_cudaPitchedPtr", "make_cudaPos"}
CONSTANTS = [n for n in dir(MADE) if n not in HELPERS and isinstance(getattr(MADE, n), int)]
HANDLES = [n for n in dir(MADE) if n not in {*ENUMS, *CLASSES, *CONSTANTS, *HELPERS}]
HOLDERS = {
    "anon_struct0": "cudaArraySparseProperties.tileExtent",
    "anon_union0": "cudaResourceDesc.res",
    "anon_struct1": "cudaResourceDesc.res.array",
    "anon_struct2": "cudaResourceDesc.res.mipmap",
    "anon_struct3": "cudaResourceDesc.res.linear",
    "anon_struct4": "cudaResourceDesc.res.pitch2D",
    "anon_struct6": "cudaMemLocation.localized",
    "anon_union3": "cudaMemcpy3DOperand.op",
    "anon_struct7": "cudaMemcpy3DOperand.op.ptr",
    "anon_struct8": "cudaMemcpy3DOperand.op.array",
    "anon_struct18": "cudaStreamAttrValue.clusterDim",
    "anon_struct19": "cudaStreamAttrValue.programmaticEvent",
    "anon_struct20": "cudaStreamAttrValue.preferredClusterDim",
    "anon_struct21": "cudaStreamAttrValue.launchCompletionEvent",
    "anon_struct22": "cudaStreamAttrValue.deviceUpdatableKernelNode",
}
"""Places where the binding has objects of member classes."""
UNHELD = {"anon_struct5"}
"""Classes without an object in the binding."""


def test_names_are_the_bindings() -> None:
    """Every stand-in stands for something, and all enums and constants of the binding are covered."""
    real = {name for name in dir(real_module) if not name.startswith("_")}
    assert set(dir(MADE)) <= real
    assert {n for n in real if isinstance(getattr(real_module, n), int)} == set(CONSTANTS)


@each("name", [name for name in dir(MADE) if name in ENUMS])
def test_enums(name: str) -> None:
    """The same names, values and representations."""
    mine, real = getattr(MADE, name), getattr(real_module, name)
    assert {k: int(v) for k, v in mine.__members__.items()} == {k: int(v) for k, v in real.__members__.items()}
    for value in {int(member) for member in real}:
        assert repr(mine(value)) == repr(real(value))


@each("name", HANDLES)
def test_handles(name: str) -> None:
    """The same values, texts, comparisons and refusals; those of the driver API are of its classes."""
    mine, real = getattr(MADE, name), getattr(real_module, name)
    assert repr(mine()) == repr(real())
    for value in VALUES:
        assert outcome(mine, value) == outcome(real, value)
    assert int(mine(5)) == 5
    assert ctypes.string_at(mine(5).getPtr(), 1) == b"\5"
    assert (mine(5) == mine(5)) == (real(5) == real(5))
    assert (mine(5) == 5) == (real(5) == 5)
    assert hasattr(mine, "__index__") == hasattr(real, "__index__")
    if name in DRIVERS:
        base, real_base = getattr(DRIVER, DRIVERS[name]), getattr(real_driver, DRIVERS[name])
        assert issubclass(mine, base)
        assert (mine(5) == base(5)) == (real(5) == real_base(5))
        assert (base(5) == mine(5)) == (real_base(5) == real(5))


def made(module: Any, name: str) -> tuple[Any, Any]:
    """Return a struct of that class and what holds its memory."""
    holder, *members = HOLDERS.get(name, name).split(".")
    item = whole = getattr(module, holder)()
    for member in members:
        item = getattr(item, member)
    return item, whole


@each("name", sorted(set(CLASSES) - UNHELD))
def test_structs(name: str) -> None:
    """The same members with the same values and refusals; the bytes lie where the binding has them."""
    (mine, _one), (real, _two) = made(MADE, name), made(real_module, name)
    assert type(mine).__name__ == name
    assert issubclass(type(real), getattr(real_module, name))
    assert public(mine) == public(real)
    assert repr(mine) == repr(real)
    for member in sorted(public(mine)):
        if (name, member) in CRASHING:
            continue
        takes_the_same(mine, real, member, NUMBERS + TEXTS + LISTS * (member in ARRAYS or member.startswith("max")))


@pytest.mark.parametrize("name", sorted(NESTED))
def test_members_are_not_made_alone(name: str) -> None:
    """The classes of members take an address, and nothing else."""
    for module in (MADE, real_module):
        with pytest.raises(TypeError, match="positional argument"):
            getattr(module, name)()


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("make_cudaExtent", (1, 2.5, True)),
        ("make_cudaExtent", (1, -1, "x")),
        ("make_cudaPos", (1, 2, 3)),
        ("make_cudaPos", (1, None, 3)),
        ("make_cudaPitchedPtr", (1 << 40, 512, 100, 3)),
        ("make_cudaPitchedPtr", ("x", 512, 100, 3)),
        ("make_cudaPitchedPtr", (0, 512, 100, 1 << 64)),
    ],
)
def test_helpers(name: str, args: tuple[Any, ...]) -> None:
    """What makes no calls is there, too."""
    assert outcome(getattr(MADE, name), *args) == outcome(getattr(real_module, name), *args)


def test_the_local_library() -> None:
    """The binding looks for a library beside itself; the stand-in is one of its release."""
    assert MADE.getLocalRuntimeVersion() == (0, MADE.CUDART_VERSION)


def test_what_no_stand_in_has() -> None:
    """A struct of a call on graphs is refused with the fix."""
    with pytest.raises(AttributeError, match=r"pip install 'fakecuda\[cuda\]'"):
        _ = MADE.cudaGraphNodeParams
    with pytest.raises(AttributeError, match=r"'cuda.bindings.runtime' has no attribute 'cudaNothing'$"):
        _ = MADE.cudaNothing
