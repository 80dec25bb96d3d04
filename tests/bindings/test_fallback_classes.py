"""The stand-ins for the binding's classes: as the binding's where that is installed, and enough without it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from fakecuda.reach.bindings.fallback_classes import StandIns
from fakecuda.reach.bindings.installed import RELEASE
from fakecuda.reach.bindings.structs import NESTED, STRUCT_CLASSES
from fakecuda.spec.bindings import order
from fakecuda.spec.driver import DESCRIBED, ENUMS
from tests.each import each

HERE = Path(__file__).parent
HIDE = """
import sys
sys.modules["cuda.bindings.driver"] = sys.modules["cuda.bindings.runtime"] = None
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
MADE = StandIns()
VALUES = [0, 5, -1, 1 << 31, 1 << 32, 1 << 64, 1.5, float("nan"), "x", None, b"5", True, object()]
HANDLES = [n for n in dir(MADE) if isinstance(getattr(MADE, n), type) and n not in ENUMS and n not in STRUCT_CLASSES]
ENUM_NAMES = [n for n in dir(MADE) if n in ENUMS]
CONSTANTS = [n for n in dir(MADE) if not isinstance(getattr(MADE, n), type)]


@pytest.fixture
def binding() -> Any:
    """The real binding, if it is of the version that the stand-ins are of."""
    if order(RELEASE)[:2] != order(DESCRIBED)[:2]:
        pytest.skip(f"the stand-ins are those of cuda-bindings {DESCRIBED}, and {RELEASE} is installed")
    return pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")


def outcome(function: Any, *args: Any) -> Any:
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


def test_names_are_the_bindings(binding: Any) -> None:
    """Every stand-in stands for something, and all enums and constants of the binding are covered."""
    real = {name for name in dir(binding) if not name.startswith("_")}
    assert set(dir(MADE)) <= real
    assert {n for n in real if isinstance(getattr(binding, n), int)} == set(CONSTANTS) | (
        {"MAX_PLANES"} - set(CONSTANTS)
    )


@each("name", ENUM_NAMES)
def test_enums(name: str, binding: Any) -> None:
    """The same names, values, representations and refusals."""
    mine, real = getattr(MADE, name), getattr(binding, name)
    assert {k: int(v) for k, v in mine.__members__.items()} == {k: int(v) for k, v in real.__members__.items()}
    for value in {int(member) for member in real}:
        assert repr(mine(value)) == repr(real(value))
        assert str(mine(value)) == str(real(value))
        assert bool(mine(value)) == bool(real(value))
        assert hash(mine(value)) == hash(real(value))
    assert outcome(mine, 1 << 40) == outcome(real, 1 << 40)


@each("name", HANDLES)
def test_handles(name: str, binding: Any) -> None:
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


HOLDERS = {
    "anon_struct22": "CUmemLocation.localized",
    "anon_struct23": "CUmemAllocationProp.allocFlags",
    "anon_union4": "CUexecAffinityParam.param",
    "anon_struct1": "CUstreamAttrValue.clusterDim",
    "anon_struct2": "CUstreamAttrValue.programmaticEvent",
    "anon_struct3": "CUstreamAttrValue.launchCompletionEvent",
    "anon_struct4": "CUstreamAttrValue.preferredClusterDim",
    "anon_struct5": "CUstreamAttrValue.deviceUpdatableKernelNode",
    "anon_union5": "CUDA_RESOURCE_DESC.res",
    "anon_struct6": "CUDA_ARRAY_SPARSE_PROPERTIES.tileExtent",
    "anon_struct7": "CUDA_RESOURCE_DESC.res.array",
    "anon_struct8": "CUDA_RESOURCE_DESC.res.mipmap",
    "anon_struct9": "CUDA_RESOURCE_DESC.res.linear",
    "anon_struct10": "CUDA_RESOURCE_DESC.res.pitch2D",
    "anon_struct20": "CUarrayMapInfo.subresource.sparseLevel",
    "anon_struct21": "CUarrayMapInfo.subresource.miptail",
    "anon_union12": "CUarrayMapInfo.resource",
    "anon_union13": "CUarrayMapInfo.subresource",
    "anon_union14": "CUarrayMapInfo.memHandle",
    "CUstreamMemOpWaitValueParams_st": "CUstreamBatchMemOpParams.waitValue",
    "CUstreamMemOpWriteValueParams_st": "CUstreamBatchMemOpParams.writeValue",
    "CUstreamMemOpFlushRemoteWritesParams_st": "CUstreamBatchMemOpParams.flushRemoteWrites",
    "CUstreamMemOpMemoryBarrierParams_st": "CUstreamBatchMemOpParams.memoryBarrier",
    "CUstreamMemOpAtomicReductionParams_st": "CUstreamBatchMemOpParams.atomicReduction",
}
"""Places where the binding has objects of member classes."""
UNHELD = {"anon_struct11"}
"""Classes without an object in the binding."""
NUMBERS = [0, 1, -1, 7, 1 << 8, 1 << 16, 1 << 31, 1 << 40, 1 << 64, 1.5, 1e300, "x", b"x", None, MADE, True]
LISTS = [[], [1], [1, 2, 3], (1, 2.5, -3), [1] * 6, [1 << 40] * 3, ["x"] * 3, [None] * 6, [1] * 64, range(7)]
TEXTS = [bytes(64), bytes(range(64)), bytearray(64), b"", b"x" * 65]
ARRAYS = {"maxThreadsDim", "maxGridSize", "pad"}
CRASHING = {
    ("CUDA_BATCH_MEM_OP_NODE_PARAMS", "paramArray"),
    ("CUDA_MEM_ALLOC_NODE_PARAMS", "accessDescs"),
    ("cudaMemAllocNodeParams", "accessDescs"),
    ("CUctxCreateParams", "execAffinityParams"),
    ("CUctxCreateParams", "cigParams"),
    ("CUctxCreateParams", "execAffinityParams"),
    ("CUctxCreateParams", "cigParams"),
    ("CUlaunchConfig", "attrs"),
}
"""Lists of structs whose elements the binding does not check."""


def made(module: Any, name: str) -> tuple[Any, Any]:
    """Return a struct of that class and what holds its memory."""
    holder, _, member = HOLDERS.get(name, name).partition(".")
    whole = getattr(module, holder)()
    return (attrgetter(member)(whole), whole) if member else (whole, None)


def public(item: Any) -> set[str]:
    """Return the names of a struct's members."""
    return {name for name in dir(item) if not name.startswith("_")} - {"getPtr", "fields", "layout"}


def takes_the_same(mine: Any, real: Any, member: str, values: list[Any]) -> None:
    """Set a member of both to each value: it is refused as the binding does, or reads the same and lies at the same place."""
    size = ctypes.sizeof(mine.layout)
    for value in values:
        refusals = [outcome(setattr, item, member, value) for item in (mine, real)]
        if refusals[1][0] in {"AttributeError", "TypeError"}:
            refusals = [(refusal[0], "") for refusal in refusals]
        assert refusals[0] == refusals[1], (member, value)
        if refusals[0] == "None" and not isinstance(value, bytes | bytearray):
            assert outcome(getattr, mine, member) == outcome(getattr, real, member), (member, value)
            assert ctypes.string_at(mine.getPtr(), size) == ctypes.string_at(real.getPtr(), size), (member, value)
            assert repr(mine) == repr(real)


@each("name", sorted(STRUCT_CLASSES.keys() - UNHELD))
def test_structs(name: str, binding: Any) -> None:
    """The same members with the same values and refusals; the bytes lie where the binding has them."""
    (mine, _one), (real, _two) = made(MADE, name), made(binding, name)
    assert type(mine).__name__ == name
    assert issubclass(type(real), getattr(binding, name))
    assert public(mine) == public(real)
    assert repr(mine) == repr(real)
    for member in sorted(public(mine)):
        if (name, member) in CRASHING:
            continue
        takes_the_same(mine, real, member, NUMBERS + TEXTS + LISTS * (member in ARRAYS))
    assert mine != made(MADE, name)[0]


@pytest.mark.parametrize("name", sorted(NESTED))
def test_members_are_not_made_alone(name: str, binding: Any) -> None:
    """The classes of members take an address, and nothing else."""
    for module in (MADE, binding):
        with pytest.raises(TypeError, match="positional argument"):
            getattr(module, name)()


@each("name", sorted(STRUCT_CLASSES.keys() - NESTED))
def test_structs_are_as_large_as_the_bindings(name: str, binding: Any) -> None:
    """A struct at an address is read there, up to its last byte; its class is the same on each look-up."""
    mine = getattr(MADE, name)
    room = ctypes.create_string_buffer(b"\1" * 256, 256)
    views = [getattr(module, name)(ctypes.addressof(room)) for module in (MADE, binding)]
    assert repr(views[0]) == repr(views[1])
    assert views[0].getPtr() == views[1].getPtr() == ctypes.addressof(room)
    assert getattr(MADE, name) is mine


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
    """A struct of a call on graphs is refused with the fix."""
    with pytest.raises(AttributeError, match=r"pip install 'fakecuda\[cuda\]'"):
        _ = MADE.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS
    with pytest.raises(AttributeError, match=r"no attribute 'CUnothing'$"):
        _ = MADE.CUnothing
