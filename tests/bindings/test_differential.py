"""The look-alike against the real cuda.bindings over fakecuda's own libcuda: the same answers and exceptions."""

from __future__ import annotations

import contextlib
import inspect
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.reach.bindings.driver import FUNCTIONS, LOOKALIKE
from fakecuda.reach.bindings.installed import RELEASE
from fakecuda.reach.bindings.integers import number
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.bindings import TABLES, order
from fakecuda.spec.driver import ENUMS
from tests.bindings.valid import VALID
from tests.bindings.world import SIZE, World
from tests.bindings.wrong import WRONG
from tests.each import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.spec.description import Function, Param

binding = pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
door = pytest.importorskip("fakecuda.reach.native.door", reason="the native door carries the real binding")


def members(name: str) -> list[int]:
    """Return the values of an enum of the installed release."""
    return sorted({int(member) for member in getattr(binding, name)})


ROUGH = {
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuLibraryEnumerateKernels",
    "cuLibraryLoadData",
    "cuLibraryLoadFromFile",
    "cuLinkAddData",
    "cuLinkAddFile",
    "cuLinkCreate",
    "cuModuleEnumerateFunctions",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuModuleLoadFatBinary",
    "cuOccupancyMaxPotentialBlockSize",
    "cuOccupancyMaxPotentialBlockSizeWithFlags",
    "cuTensorMapEncodeIm2col",
    "cuTensorMapEncodeIm2colWide",
    "cuTensorMapEncodeTiled",
}
"""Calls that refuse wrong arguments differently, as docs/kernels.md says."""
ORDER = [lambda _: None, lambda _: "x", lambda _: -1, lambda _: 1 << 64, lambda _: object()]
"""Wrong arguments with different exceptions, two of which show the reading order."""


@pytest.fixture(scope="module", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever is drawn for a path names a file in a folder of the tests."""
    with contextlib.chdir(tmp_path_factory.mktemp("paths")):
        yield


@contextlib.contextmanager
def two_worlds() -> Iterator[tuple[World, World]]:
    """Two equal worlds: one through the look-alike, one through the real binding."""
    with Machine(strict=False, seed=1) as mine, Machine(strict=False, seed=1) as native:
        door.attach(native)
        try:
            yield World(mine.here.driver), World(binding)
        finally:
            door.detach(native)


@pytest.fixture
def worlds() -> Iterator[tuple[World, World]]:
    """The worlds of a test."""
    with two_worlds() as made:
        yield made


def outcome(world: World, name: str, args: tuple[Any, ...]) -> Any:
    """Return what a call does, comparably."""
    try:
        answer = getattr(world.driver, name)(*args)
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return type(error).__name__, str(error)
    return tuple(world.shown(name, value) for value in answer)


def is_huge(count: Any) -> bool:
    """Return whether the binding could make arrays for a count, which it keeps when the call fails.

    No process has addresses for 1 << 45 values of 8 bytes. For fewer, where Linux grants any memory that is asked for
    (``vm.overcommit_memory=1``), the binding would fill the arrays.
    """
    try:
        return 1 << 20 < number(count) < 1 << 45
    except (TypeError, ValueError, OverflowError, KeyError):
        return False


def unsafe(name: str, args: list[Any]) -> bool:
    """Return whether the binding would let the driver write into an interned bytes object, or a file, make a huge one, or call null.

    Its buffer is ``b" " * length``: for lengths of 1 and less that is an object that all of Python shares. A function for
    a stream it wraps in one of its own, null as well.
    """
    if name in {"cuLaunchHostFunc", "cuStreamAddCallback"}:
        return args[1] is None or args[1] == 0
    if any(isinstance(one, list) for one in args) and any(isinstance(one, int) and is_huge(one) for one in args):
        return True  # the driver would read as many members from what happens to lie behind the list
    if name == "cuGraphDebugDotPrint":  # it would write files where the tests run
        return args[1] not in (None, b"/dev/null")
    if DRIVER.calls[name].has_default or name in {
        "cuDeviceGetHostAtomicCapabilities",
        "cuDeviceGetP2PAtomicCapabilities",
    }:
        return is_huge(args[1])
    if name not in {"cuDeviceGetName", "cuDeviceGetPCIBusId"}:
        return False
    try:
        length = number(args[0])
    except (TypeError, ValueError, OverflowError, KeyError):
        return False
    return -(1 << 31) <= length <= 1 or 1 << 20 < length < 1 << 31


def compared(worlds: tuple[World, World], name: str, *changes: tuple[int, Any]) -> None:
    """Make a call in both worlds with some of its valid arguments changed, and compare."""
    outcomes = []
    for world in worlds:
        args = list(VALID[name](world))
        for index, make in changes:
            args[index] = make(world.driver)
        if unsafe(name, args):
            return
        outcomes.append((args, outcome(world, name, tuple(args))))
    (args, mine), (_, real) = outcomes
    assert mine == real, f"{name}{tuple(args)}"


def test_every_modelled_call_is_compared() -> None:
    """A new operation comes with valid arguments here."""
    assert set(VALID) == set(DRIVER.ops), "valid arguments of each call stand in VALID: tests/bindings/valid.py"


@each("name", sorted(VALID))
def test_valid_arguments(name: str) -> None:
    """A call that succeeds answers the same values in the same classes, the second time too."""
    with two_worlds() as worlds:
        compared(worlds, name)
        compared(worlds, name)


@each("name", sorted(VALID.keys() - ROUGH))
def test_wrong_arguments(name: str) -> None:
    """Each argument of every kind is taken, or refused in the same words."""
    with two_worlds() as worlds:
        for index, make in product(range(len(VALID[name](worlds[0]))), WRONG):
            compared(worlds, name, (index, make))


@each("name", sorted(VALID.keys() - ROUGH))
def test_order_of_arguments(name: str) -> None:
    """Of two wrong arguments the same one is refused."""
    with two_worlds() as worlds:
        for (i, j), first, second in product(combinations(range(len(VALID[name](worlds[0]))), 2), ORDER, ORDER):
            compared(worlds, name, (i, first), (j, second))


@each("name", sorted(VALID))  # no call is made
def test_number_of_arguments(name: str, worlds: tuple[World, World]) -> None:
    """One argument too many, one too few and an unknown keyword are a TypeError."""
    for world in worlds:
        args = VALID[name](world)
        for wrong in ((*args, 0), args[:-1]):
            if len(wrong) != len(args) and not (DRIVER.calls[name].has_default and len(wrong) < len(args)):
                with pytest.raises(TypeError):
                    getattr(world.driver, name)(*wrong)
        with pytest.raises(TypeError):
            getattr(world.driver, name)(*args, unknown=0)


@pytest.mark.parametrize("attribute", members("CUpointer_attribute"))
def test_pointer_attributes(attribute: int, worlds: tuple[World, World]) -> None:
    """Each attribute comes in its own type."""
    for pointer in ("pointer", "range"):
        outcomes = []
        for world in worlds:
            member = world.driver.CUpointer_attribute(attribute)
            outcomes.append(outcome(world, "cuPointerGetAttribute", (member, getattr(world, pointer))))
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("attribute", members("CUpointer_attribute"))
def test_values_of_pointer_attributes(attribute: int, worlds: tuple[World, World]) -> None:
    """A new value is read as the attribute's type."""
    for make in WRONG:
        compared(worlds, "cuPointerSetAttribute", (0, make), (1, lambda d: d.CUpointer_attribute(attribute)))


@pytest.mark.parametrize("attribute", members("CUmemPool_attribute"))
def test_pool_attributes(attribute: int, worlds: tuple[World, World]) -> None:
    """Each attribute comes in its own type, and a new value is read as that."""
    compared(worlds, "cuMemPoolGetAttribute", (1, lambda d: d.CUmemPool_attribute(attribute)))
    for make in WRONG:
        compared(worlds, "cuMemPoolSetAttribute", (1, lambda d: d.CUmemPool_attribute(attribute)), (2, make))


def _members(attributes: list[int], driver: Any) -> list[Any]:
    return [driver.CUpointer_attribute(attribute) for attribute in attributes]


def test_pointer_attributes_that_were_not_asked_for(worlds: tuple[World, World]) -> None:
    """They are null, each in its own type."""
    for attributes in ([2, 3], [2, 5, 17], [2, 6, 7]):
        compared(
            worlds,
            "cuPointerGetAttributes",
            (0, lambda _: 1),
            (1, partial(_members, attributes)),
        )


def test_arrays_with_attributes_that_may_be_unknown(worlds: tuple[World, World]) -> None:
    """Some releases have members that they refuse: before or after a count that does not fit, and a wrong pointer."""
    for attributes, count in product(([18], [1, 18], [2, 21, 5]), (0, 1, 2, 3, 99)):
        compared(
            worlds, "cuPointerGetAttributes", (0, lambda _, count=count: count), (1, partial(_members, attributes))
        )
    for attributes in ([18], [1, 18]):
        compared(worlds, "cuPointerGetAttributes", (1, partial(_members, attributes)), (2, lambda _: "x"))


@pytest.mark.parametrize("attribute", [1, 13, 16, 75, 81, 100, 119, 147])
def test_device_attributes(attribute: int, worlds: tuple[World, World]) -> None:
    """Attributes are plain ints."""
    compared(worlds, "cuDeviceGetAttribute", (0, lambda d: d.CUdevice_attribute(attribute)))


@pytest.mark.parametrize("length", [2, 5, 11, 12, 13, 300])
@pytest.mark.parametrize("name", ["cuDeviceGetName", "cuDeviceGetPCIBusId"])
def test_string_lengths(name: str, length: int, worlds: tuple[World, World]) -> None:
    """Strings come in the binding's buffer of the length that was asked for."""
    compared(worlds, name, (0, lambda _: length))


def test_copies(worlds: tuple[World, World]) -> None:
    """Host memory is taken from the same kinds of objects."""
    outcomes = []
    for world in worlds:
        d = world.driver
        found: list[Any] = []
        for source in (bytes(range(16)), bytearray(b"b" * 16), memoryview(b"m" * 16), world.host):
            target = bytearray(16)
            found.append((d.cuMemcpyHtoD(world.pointer, source, 16), d.cuMemcpyDtoH(target, world.pointer, 16), target))
        found.append(outcome(world, "cuMemcpyHtoD", (world.pointer, memoryview(bytes(32))[::2], 16)))
        found.append(outcome(world, "cuMemcpyDtoH", (None, world.pointer, 16)))
        found.append(outcome(world, "cuMemcpyHtoD", (world.pointer, b"", 0)))
        found.append(outcome(world, "cuMemcpyHtoD", (world.pointer, bytes(SIZE), SIZE + 1)))
        outcomes.append(found)
    assert outcomes[0] == outcomes[1]


def test_keywords(worlds: tuple[World, World]) -> None:
    """The binding's keywords are taken."""
    for world in worlds:
        d = world.driver
        assert d.cuMemsetD8(dstDevice=world.pointer, uc=1, N=4) == (0,)
        assert d.cuMemMap(world.empty, world.granularity, offset=0, handle=world.handle, flags=0) == (0,)


@each("name", sorted(set(FUNCTIONS) - set(DRIVER.ops)))
def test_signatures_of_what_is_not_modelled(name: str) -> None:
    """The keywords are the binding's, those with a default included."""
    real = inspect.signature(getattr(binding, name)).parameters
    assert LOOKALIKE.keywords_of(FUNCTIONS[name]) == list(real)
    defaults = [keyword for keyword, parameter in real.items() if parameter.default is not parameter.empty]
    assert defaults == (list(real)[-1:] if FUNCTIONS[name].has_default else [])


NEVER_FOUND = {
    "cuLogsCurrent",
    "cuLogsDumpToFile",
    "cuLogsDumpToMemory",
    "cuLogsRegisterCallback",
    "cuLogsUnregisterCallback",
    "cuEventCreateFromEGLSync",
    *(["cuGreenCtxGetId"] if order(RELEASE) < order("13.4.1") else []),
    *TABLES["later"],
}
"""Functions of older symbol versions, and those that fakecuda's libcuda lacks."""
LISTS = {"keys", "dptrs", "sizes", "prefetchLocs", "prefetchLocIdxs", "dsts", "srcs", "attrs", "attrsIdxs"}
GIVEN: dict[str, Callable[[], Any]] = {
    "eglframe": binding.CUeglFrame,
    "location": binding.CUmemLocation,
    "pBorderColor": float,
    "mode": lambda: binding.CUstreamCaptureMode(0),
    "dataSizes": list,
    "attributes": list,
}


def argument(call: Function, param: Param) -> Any:
    """Return an argument that the binding takes for a parameter of a call that is not modelled."""
    if param.keyword in LISTS and "Batch" in call.name:
        return []
    if param.keyword in GIVEN and param.pointer | (param.keyword in {"location", "eglframe"}):
        return GIVEN[param.keyword]()
    if param.type == "char":
        return b"x"
    if param.type in ENUMS and not param.pointer:
        return getattr(binding, param.type)(next(iter(ENUMS[param.type].values())))
    if param.kind == "bytes":
        return getattr(binding, param.type)()
    counts = {"cuDeviceGetCliqueInfo", "cuDevSmResourceSplitByCount"}
    if call.name in counts and param.type in {"size_t", "unsigned int"}:
        return 0
    return None if param.pointer or param.type.startswith("CU") else 0


REFUSED = {
    "cuDeviceSetGraphMemAttribute",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuPointerSetAttribute",
}
"""Functions whose arguments need more than this test creates."""


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
@each("name", sorted(set(FUNCTIONS) - set(DRIVER.ops) - NEVER_FOUND - REFUSED))  # the driver makes none of them
def test_results_of_what_is_not_modelled(name: str, worlds: tuple[World, World]) -> None:
    """The same code and as many values as the binding returns when the driver answers NOT_SUPPORTED."""
    call = FUNCTIONS[name]
    args = [argument(call, param) for param in call.params if param.keyword]
    if "input_" in LOOKALIKE.keywords_of(call):
        args.insert(1, None)
    mine, real = (getattr(world.driver, name)(*args) for world in worlds)
    assert mine == real


RANGE = "CUmem_range_attribute"


def _kinds(attributes: list[int], driver: Any) -> list[Any]:
    return [driver.CUmem_range_attribute(attribute) for attribute in attributes]


@pytest.mark.parametrize("attribute", members(RANGE))
def test_range_attributes(attribute: int, worlds: tuple[World, World]) -> None:
    """Each attribute comes in its own type, alone and among others, with data of whatever size."""
    for advice in (1, 3, 5):
        compared(worlds, "cuMemAdvise", (2, lambda d, advice=advice: d.CUmem_advise(advice)))
    compared(worlds, "cuMemPrefetchAsync")
    for size in (4, 0, 3, 8, 12):
        compared(
            worlds,
            "cuMemRangeGetAttribute",
            (0, lambda _, size=size: size),
            (1, lambda d: d.CUmem_range_attribute(attribute)),
        )
        compared(
            worlds,
            "cuMemRangeGetAttributes",
            (0, lambda _, size=size: [4, size]),
            (1, partial(_kinds, [1, attribute])),
        )


def test_range_attributes_of_another_number(worlds: tuple[World, World]) -> None:
    """More sizes than attributes, more attributes than sizes, fewer asked for than there are, more, and wrong sizes.

    Some releases refuse the last of the attributes.
    """
    several: tuple[list[Any], ...] = ([4], [4, 4], [4, 8, 4], [], ["x"], [-1], [4, -1])
    for sizes, attributes, count in product(several, ([1], [1, 3], [1, 3, 4], [6], [1, 5], [5, 1]), (0, 1, 2, 3)):
        compared(
            worlds,
            "cuMemRangeGetAttributes",
            (0, lambda _, sizes=sizes: sizes),
            (1, partial(_kinds, attributes)),
            (2, lambda _, count=count: count),
        )
