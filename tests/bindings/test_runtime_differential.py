"""The look-alike of the runtime API against the real cuda.bindings.runtime: what is taken, what is refused, in which words.

There is no driver under the real module here: a call whose arguments it takes fails, and only that it did is compared.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.reach.bindings.generated.runtime import TAKES
from fakecuda.reach.bindings.integers import number
from fakecuda.reach.bindings.lookalike import FOREIGN
from fakecuda.reach.bindings.runtime import FUNCTIONS, MODULE, Runtime
from fakecuda.rules.registry import RUNTIME
from tests.bindings.runtime_valid import VALID, arguments
from tests.bindings.runtime_world import RuntimeWorld
from tests.bindings.test_differential import ORDER, is_huge
from tests.bindings.wrong import WRONG
from tests.each import each
from tools.codegen.conventions import TAKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


binding = pytest.importorskip("cuda.bindings.runtime", reason="the real binding: pip install 'fakecuda[cuda]'")
driver = pytest.importorskip("cuda.bindings.driver", reason="the real binding: pip install 'fakecuda[cuda]'")
if int(binding.cudaGetDeviceCount()[0]) == 0:
    pytest.skip("the real module would make the calls on a GPU", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")

RUNTIME_WRONG: list[Callable[[Any], Any]] = [
    *[lambda _, make=make: make(driver) for make in WRONG],
    lambda r: r.cudaStream_t(5),
    lambda r: r.cudaEvent_t(5),
    lambda r: r.cudaMemPool_t(5),
    lambda r: r.cudaHostFn_t(5),
    lambda r: r.cudaMemcpyKind(4),
    lambda r: r.cudaDeviceAttr(99),
    lambda r: r.cudaMemPoolAttr(4),
    lambda r: r.cudaError_t(1),
    lambda r: r.cudaMemLocation(),
    lambda r: r.cudaMemPoolProps(),
    lambda r: r.cudaMemPoolPtrExportData(),
    lambda r: r.cudaPitchedPtr(),
    lambda r: [r.cudaMemAccessDesc()],
    lambda r: [r.cudaMemAccessDesc(), None],
    lambda r: [r.cudaMemcpyAttributes()],
    lambda r: [r.cudaMemRangeAttribute(1)],
    lambda r: [r.cudaAtomicOperation(1), r.cudaAtomicOperation(2)],
]


@contextmanager
def one_world() -> Iterator[RuntimeWorld]:
    """Objects of one process."""
    with Machine(strict=False, seed=1) as machine:
        yield RuntimeWorld(machine.spawn())


@pytest.fixture
def world() -> Iterator[RuntimeWorld]:
    """The objects of a test."""
    with one_world() as made:
        yield made


def unsafe(name: str, args: list[Any]) -> bool:
    """Return whether the binding would make huge buffers or an interned one, wrap null as a function, read nowhere, or write files."""
    if name in {"cudaLaunchHostFunc", "cudaLaunchHostFunc_v2", "cudaStreamAddCallback"}:
        return True
    listed = RUNTIME.calls[name].has_default and name in VALID
    if listed or name in {"cudaDeviceGetHostAtomicCapabilities", "cudaDeviceGetP2PAtomicCapabilities"}:
        return is_huge(args[1])
    if name == "cudaLibraryEnumerateKernels":
        return is_huge(args[0])
    if name == "cudaThreadExchangeStreamCaptureMode":  # what is no mode is told by the next call
        return not isinstance(args[0], binding.cudaStreamCaptureMode)
    if name == "cudaGraphDebugDotPrint":
        return args[1] not in (None, b"/dev/null")
    if name == "cudaLibraryLoadData":
        return args[0] is not None and not isinstance(args[0], (bytes, bytearray, str, list))
    if name not in {"cudaDeviceGetPCIBusId", "cudaDevSmResourceSplit", "cudaDevSmResourceSplitByCount"}:
        return False
    try:
        length = number(args[0])
    except (TypeError, ValueError, OverflowError, KeyError):
        return False
    if name != "cudaDeviceGetPCIBusId":
        return length >> 10 != 0
    return -(1 << 31) <= length <= 1 or 1 << 20 < length < 1 << 31


def taken(module: Any, name: str, args: tuple[Any, ...]) -> Any:
    """Return what a call does, comparably: an exception, or that there was an answer of so many values."""
    try:
        answer = getattr(module, name)(*args)
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return type(error).__name__, str(error)
    assert type(answer[0]) is binding.cudaError_t
    return len(answer)


def compared(world: RuntimeWorld, name: str, *changes: tuple[int, Any]) -> None:
    """Make a call with some of its valid arguments changed on the look-alike and the real module, and compare."""
    args = list(VALID[name](world))
    for index, make in changes:
        args[index] = make(binding)
    if unsafe(name, args):
        return
    mine, real = (taken(module, name, tuple(args)) for module in (world.driver, binding))
    assert mine == real, f"{name}{tuple(args)}"


def test_every_modelled_call_is_compared() -> None:
    """A new operation comes with valid arguments here."""
    assert set(VALID) == {name for name in RUNTIME.ops if hasattr(binding, name)}, (
        "valid arguments of each call stand in VALID: tests/bindings/runtime_valid.py"
    )


APART = {
    "cudaDeviceDisablePeerAccess",
    "cudaIpcCloseMemHandle",
    "cudaIpcOpenEventHandle",
    "cudaIpcOpenMemHandle",
    "cudaLibraryGetUnifiedFunction",
}
"""Calls that need another process, or an earlier call."""
FAILING = {
    "cudaArrayGetPlane",
    "cudaGetKernel",
    "cudaGraphKernelNodeGetParams",
    "cudaLaunchHostFunc_v2",
    "cudaMemcpyWithAttributesAsync",
}
"""Calls that need another driver, other arrays, or a registered program."""


@each("name", sorted(set(VALID) & set(FUNCTIONS)))
def test_valid_arguments(name: str) -> None:
    """The call succeeds, where that needs nothing else, and answers as many values as the binding does."""
    with one_world() as world:
        args = VALID[name](world)
        answer = getattr(world.driver, name)(*args)
        assert (answer[0] == 0) == (name not in APART | FAILING), answer
        if name not in {"cudaLaunchHostFunc", "cudaLaunchHostFunc_v2", "cudaStreamAddCallback"}:
            assert len(answer) == taken(binding, name, args)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("cudaDeviceGetCacheConfig", ["cudaFuncCache"]),
        ("cudaDeviceGetDefaultMemPool", ["cudaMemPool_t"]),
        ("cudaDeviceGetGraphMemAttribute", ["cuuint64_t"]),
        ("cudaDeviceGetHostAtomicCapabilities", ["list"]),
        ("cudaDeviceGetPCIBusId", ["bytes"]),
        ("cudaEventCreate", ["cudaEvent_t"]),
        ("cudaEventElapsedTime", ["float"]),
        ("cudaGetDeviceProperties", ["cudaDeviceProp"]),
        ("cudaGetDriverEntryPoint", ["int", "cudaDriverEntryPointQueryResult"]),
        ("cudaGetErrorName", ["bytes"]),
        ("cudaIpcGetEventHandle", ["cudaIpcEventHandle_t"]),
        ("cudaIpcGetMemHandle", ["cudaIpcMemHandle_t"]),
        ("cudaMalloc", ["int"]),
        ("cudaMalloc3D", ["cudaPitchedPtr"]),
        ("cudaMallocPitch", ["int", "int"]),
        ("cudaMemGetInfo", ["int", "int"]),
        ("cudaMemPoolExportPointer", ["cudaMemPoolPtrExportData"]),
        ("cudaMemPoolGetAccess", ["cudaMemAccessFlags"]),
        ("cudaMemPoolGetAttribute", ["cuuint64_t"]),
        ("cudaMemRangeGetAttribute", ["int"]),
        ("cudaMemRangeGetAttributes", ["list"]),
        ("cudaPointerGetAttributes", ["cudaPointerAttributes"]),
        ("cudaStreamCreate", ["cudaStream_t"]),
        ("cudaStreamGetAttribute", ["cudaStreamAttrValue"]),
        ("cudaStreamIsCapturing", ["cudaStreamCaptureStatus"]),
    ],
)
def test_classes_of_results(name: str, kinds: list[str], world: RuntimeWorld) -> None:
    """Handles, enums and structs are of the module's own classes; addresses are ints."""
    code, *values = getattr(world.driver, name)(*VALID[name](world))
    assert type(code) is binding.cudaError_t
    assert [type(value).__name__ for value in values] == kinds
    for value, kind in zip(values, kinds, strict=True):
        assert not hasattr(binding, kind) or type(value) is getattr(binding, kind)


@each("name", sorted(set(VALID) & set(FUNCTIONS)))
def test_wrong_arguments(name: str) -> None:
    """Each argument of every kind is taken, or refused in the same words."""
    with one_world() as world:
        for index, make in product(range(len(VALID[name](world))), RUNTIME_WRONG):
            compared(world, name, (index, make))


@each("name", sorted(set(VALID) & set(FUNCTIONS)))
def test_order_of_arguments(name: str) -> None:
    """Of two wrong arguments the same one is refused."""
    with one_world() as world:
        for (i, j), first, second in product(combinations(range(len(VALID[name](world))), 2), ORDER, ORDER):
            compared(world, name, (i, first), (j, second))


@each("name", sorted(set(VALID) & set(FUNCTIONS)))  # no call is made
def test_number_of_arguments(name: str, world: RuntimeWorld) -> None:
    """One argument too many, one too few and an unknown keyword are a TypeError."""
    args = VALID[name](world)
    for module in (world.driver, binding):
        for wrong in ((*args, 0), args[:-1]):
            if len(wrong) != len(args) and not (FUNCTIONS[name].has_default and len(wrong) < len(args)):
                with pytest.raises(TypeError):
                    getattr(module, name)(*wrong)
        with pytest.raises(TypeError):
            getattr(module, name)(*args, unknown=0)


@each("name", sorted(FUNCTIONS))
def test_signatures(name: str) -> None:
    """The keywords are the binding's, those with a default included."""
    real = inspect.signature(getattr(binding, name)).parameters
    assert MODULE.keywords_of(FUNCTIONS[name]) == list(real)
    defaults = [keyword for keyword, parameter in real.items() if parameter.default is not parameter.empty]
    assert defaults == (list(real)[-1:] if FUNCTIONS[name].has_default else [])
    if name in RUNTIME.ops:
        mine = inspect.signature(getattr(Runtime, name)).parameters
        assert list(mine)[1:] == list(real)


def test_names_are_those_of_the_module(world: RuntimeWorld) -> None:
    """Functions, classes, enums, constants and helpers; those that ask no library are the module's own."""
    names = {name for name in dir(binding) if not name.startswith("_")} - FOREIGN
    assert set(dir(world.driver)) == names
    for name in names - {*FUNCTIONS, "getLocalRuntimeVersion"}:
        assert getattr(world.driver, name) is getattr(binding, name)


@each("name", sorted(set(FUNCTIONS) - set(RUNTIME.ops)))  # the runtime makes none of them
def test_results_of_what_is_not_modelled(name: str, world: RuntimeWorld) -> None:
    """As many values as the binding returns; all None."""
    args = arguments(binding, FUNCTIONS[name])
    real = taken(binding, name, tuple(args))
    answer = getattr(world.driver, name)(*args)
    assert answer[0] == binding.cudaError_t.cudaErrorNotSupported
    assert set(answer[1:]) <= {None}
    if isinstance(real, int):
        assert len(answer) == real
    else:
        assert name in REFUSED, real


REFUSED = {"cudaGraphicsMapResources", "cudaGraphicsUnmapResources"}
"""Functions whose arguments need more than this test creates."""


@pytest.mark.parametrize("name", sorted(set(TAKES) & set(FUNCTIONS)))
def test_wrong_arguments_of_what_is_not_modelled(name: str, world: RuntimeWorld) -> None:
    """Arguments of calls in scope are refused as the binding does, one wrong or two, before the call is."""
    valid = arguments(binding, FUNCTIONS[name])
    changes = [((i, make),) for i, make in product(range(len(valid)), RUNTIME_WRONG)]
    pairs = product(combinations(range(len(valid)), 2), ORDER, ORDER)
    for change in [*changes, *(((i, first), (j, second)) for (i, j), first, second in pairs)]:
        args = list(valid)
        for index, make in change:
            args[index] = make(binding)
        if not unsafe(name, args):
            mine, real = (taken(module, name, tuple(args)) for module in (world.driver, binding))
            assert mine == real, f"{name}{tuple(args)}"


def test_every_call_in_scope_takes_its_arguments() -> None:
    """A call has a model, or what takes its arguments; none has both."""
    assert not set(TAKES) & set(RUNTIME.ops)
    assert set(TAKEN.split()) <= set(TAKES) | set(RUNTIME.ops)
