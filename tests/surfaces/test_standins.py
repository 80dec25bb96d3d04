"""The stand-ins for the binding's classes: as the binding's where that is installed, and enough without it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fakecuda.api import CALLS, ENUMS
from fakecuda.surfaces.standins import STRUCT_CLASSES, StandIns

HERE = Path(__file__).parent
HIDE = """
import sys
sys.modules["cuda.bindings.driver"] = None
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
MADE = StandIns()
VALUES = [0, 5, -1, 1 << 31, 1 << 32, 1 << 64, 1.5, float("nan"), "x", None, b"5", True, object()]
HANDLES = [n for n in dir(MADE) if isinstance(getattr(MADE, n), type) and n not in ENUMS and n not in STRUCT_CLASSES]
ENUM_NAMES = [n for n in dir(MADE) if n in ENUMS]
CONSTANTS = [n for n in dir(MADE) if not isinstance(getattr(MADE, n), type)]


@pytest.fixture
def binding() -> Any:  # noqa: ANN401 - a module
    """The real binding."""
    return pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")


def outcome(function: Any, *args: Any) -> Any:  # noqa: ANN401 - anything
    """Return what a function does, comparably."""
    try:
        return repr(function(*args))
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return type(error).__name__, str(error)


def test_look_alike_without_the_binding() -> None:
    """The whole suite of the look-alike passes where cuda.bindings cannot be imported."""
    tests = [str(HERE / "test_lookalike.py"), str(Path(__file__)), "-k", "not without_the_binding"]
    options = ["-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-c", HIDE, *options, *tests], capture_output=True, text=True, check=False, cwd=HERE.parents[1]
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_names_are_the_bindings(binding: Any) -> None:  # noqa: ANN401 - a module
    """Every stand-in stands for something, and all functions, enums and constants of the binding are covered."""
    real = {name for name in dir(binding) if not name.startswith("_")}
    assert set(dir(MADE)) <= real
    assert {n for n in real if isinstance(getattr(binding, n), int)} == set(CONSTANTS) | (
        {"MAX_PLANES"} - set(CONSTANTS)
    )
    functions = {
        n for n in real if n.startswith("cu") and type(getattr(binding, n)).__name__ == "cython_function_or_method"
    }
    assert functions == set(CALLS)


@pytest.mark.parametrize("name", ENUM_NAMES)
def test_enums(name: str, binding: Any) -> None:  # noqa: ANN401 - a module
    """The same names, values, representations and refusals."""
    mine, real = getattr(MADE, name), getattr(binding, name)
    assert {k: int(v) for k, v in mine.__members__.items()} == {k: int(v) for k, v in real.__members__.items()}
    for value in {int(member) for member in real}:
        assert repr(mine(value)) == repr(real(value))
        assert str(mine(value)) == str(real(value))
        assert bool(mine(value)) == bool(real(value))
        assert hash(mine(value)) == hash(real(value))
    assert outcome(mine, 1 << 40) == outcome(real, 1 << 40)


@pytest.mark.parametrize("name", HANDLES)
def test_handles(name: str, binding: Any) -> None:  # noqa: ANN401 - a module
    """The same values, texts, comparisons and refusals."""
    mine, real = getattr(MADE, name), getattr(binding, name)
    assert repr(mine()) == repr(real())
    for value in VALUES:
        assert outcome(mine, value) == outcome(real, value)
    for kind in (mine, real):
        assert int(kind(5)) == 5
        assert kind(0)
        assert ctypes.string_at(kind(5).getPtr(), 1) == b"\5"
        with pytest.raises(AttributeError):
            kind(5).anything = 1
    assert (mine(5) == mine(5)) == (real(5) == real(5))
    assert (mine(5) == 5) == (real(5) == 5)
    assert (hash(mine(5)) == hash(mine(5))) or mine(5) != mine(5)
    assert hasattr(mine, "__index__") == hasattr(real, "__index__")
    assert mine(5) != MADE.CUevent(5) or mine is MADE.CUevent
    assert int(mine(mine(7))) == 7


def made(module: Any, name: str) -> tuple[Any, Any]:  # noqa: ANN401 - structs
    """Return a struct of that class and what holds its memory; the anonymous one is there only as a member."""
    if name.startswith("anon"):
        whole = module.CUmemAllocationProp()
        return whole.allocFlags, whole
    return getattr(module, name)(), None


@pytest.mark.parametrize("name", sorted(STRUCT_CLASSES))
def test_structs(name: str, binding: Any) -> None:  # noqa: ANN401 - a module
    """The same members with the same values and refusals; the bytes lie where the binding has them."""
    (mine, _one), (real, _two) = made(MADE, name), made(binding, name)
    members = [n for n in dir(real) if not n.startswith("_") and n not in {"getPtr", "localized"}]
    assert sorted(n for n in dir(mine) if not n.startswith("_") and n not in {"getPtr", "fields", "layout"}) == members
    if "localized" not in dir(real) and "location" not in members:
        assert repr(mine) == repr(real)
    for member in members:
        if isinstance(getattr(real, member), list | bytes):
            continue
        for value in (0, 1, -1, 7, 1 << 8, 1 << 16, 1 << 31, 1 << 40, 1 << 64, 1.5, "x", None, MADE):
            refusals = [outcome(setattr, item, member, value) for item in (mine, real)]
            assert refusals[0] == refusals[1], (member, value)
            if member != "location":
                assert outcome(getattr, mine, member) == outcome(getattr, real, member), (member, value)
    size = ctypes.sizeof(mine.layout)
    assert ctypes.string_at(mine.getPtr(), size) == ctypes.string_at(real.getPtr(), size)
    assert mine != made(MADE, name)[0]


def test_nested_structs_share_their_memory() -> None:
    """A nested struct is a view: writing through it changes the whole, assigning copies."""
    prop = MADE.CUmemAllocationProp()
    prop.location.id = 3
    assert prop.location.id == 3
    assert prop.location is prop.location
    location = MADE.CUmemLocation()
    location.id = 5
    prop.location = location
    location.id = 6
    assert prop.location.id == 5
    with pytest.raises(TypeError, match="has incorrect type"):
        prop.location = 5


def test_lists_of_structs_lie_side_by_side() -> None:
    """A pointer to structs is given as a list."""
    params = MADE.CUctxCreateParams()
    assert params.execAffinityParams == []
    params.execAffinityParams = [MADE.CUmemLocation(), MADE.CUmemLocation()]
    assert len(params.execAffinityParams) == 2
    params.execAffinityParams = []
    assert ctypes.string_at(params.getPtr(), 8) == bytes(8)


def test_what_no_stand_in_has() -> None:
    """A struct that no modelled call uses is refused with the mend."""
    with pytest.raises(AttributeError, match=r"pip install 'fakecuda\[cuda\]'"):
        _ = MADE.CUDA_MEMCPY2D
    with pytest.raises(AttributeError, match=r"no attribute 'CUnothing'$"):
        _ = MADE.CUnothing
