"""The look-alike of cuda.bindings.driver on its own: answers, classes, exceptions, what is not modelled.

Runs on the binding's classes, and in a subprocess on the stand-ins (``test_fallback_classes.py``).
"""

from __future__ import annotations

import array
import ctypes
import threading
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, NotModelledWarning, ProcessDied
from fakecuda.model.os.threads import Callers
from fakecuda.reach.bindings.driver import FUNCTIONS, LOOKALIKE, Driver
from fakecuda.reach.bindings.installed import RULES
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import CALLS
from tests.bindings.valid import VALID
from tests.bindings.world import SIZE, World
from tests.each import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine that answers as the driver does."""
    with Machine(strict=False, seed=1) as machine:
        yield machine


@pytest.fixture
def world(machine: Machine) -> World:
    """A process with a context, memory and a mapping."""
    return World(machine.spawn().driver)


APART = {
    "cuArrayGetPlane",
    *(
        f"cuCheckpointProcess{does}"
        for does in ("Checkpoint", "GetRestoreThreadId", "GetState", "Lock", "Restore", "Unlock")
    ),
    "cuDeviceGetLuid",
    "cuDevicePrimaryCtxRelease",
    "cuIpcCloseMemHandle",
    "cuIpcOpenEventHandle",
    "cuIpcOpenMemHandle",
    "cuLibraryGetUnifiedFunction",
    *("cuModuleGetSurfRef", "cuModuleGetTexRef"),
}
"""Calls that need a second process, a reference, Windows or other code."""
UNDESCRIBED = {"CUgraphNodeParams", "CUkernelNodeAttrValue"}
"""Structs that only the binding has."""


@each("name", sorted(set(DRIVER.ops) - APART))
def test_valid_call_succeeds(name: str) -> None:
    """Each modelled call answers SUCCESS and as many values as its C prototype has results; no stand-in has two structs."""
    with Machine(strict=False, seed=1) as machine:
        world = World(machine.spawn().driver)
        if world.described is not None or not UNDESCRIBED & {p.type for p in CALLS[name].params}:
            _succeeds(name, world)


def _succeeds(name: str, world: World) -> None:
    setup = {"cuCtxDisablePeerAccess": "cuCtxEnablePeerAccess"}
    if name in setup:
        assert getattr(world.driver, setup[name])(*VALID[setup[name]](world)) == (0,)
    code, *values = getattr(world.driver, name)(*VALID[name](world))
    assert code is world.driver.CUresult.CUDA_SUCCESS
    assert not code
    assert len(values) == sum(p.role != "inout" or p.kind == "word" for p in CALLS[name].outputs)
    assert None not in values


ADDS = sorted(name for name in DRIVER.ops if name.startswith("cuGraphAdd") and name.endswith("Node"))


@pytest.mark.parametrize("flags", [0, *(1 << bit for bit in range(16))])
def test_every_kind_of_node_is_drawn(flags: int, world: World, tmp_path: Path) -> None:
    """Whatever is asked for of them: no kind that a graph may have is unknown to DOT, and none ends the machine."""
    path = tmp_path / "graph.dot"
    for name in ADDS:
        if name == "cuGraphAddNode" and world.described is None:
            continue
        assert getattr(world.driver, name)(*VALID[name](world))[0] == 0
    assert world.driver.cuGraphDebugDotPrint(world.graph, str(path).encode(), flags) == (0,)
    text = path.read_text()
    assert all(kind in text for kind in ("MEM_ALLOC", "MEM_FREE", "BATCH_MEM_OP", "MEMSET", "WAIT_EVENT"))


def test_failure_has_none_for_each_result(world: World) -> None:
    """A failed call answers its code and None for every result."""
    d = world.driver
    code, *values = d.cuMemGetAddressRange(1)
    assert code
    assert values == [None, None]
    assert d.cuDeviceGet(99) == (d.CUresult.CUDA_ERROR_INVALID_DEVICE, None)


def test_results_are_typed(world: World) -> None:
    """Results come in the binding's classes."""
    d = world.driver
    assert type(d.cuDeviceGet(1)[1]) is d.CUdevice
    assert type(d.cuCtxGetDevice()[1]) is d.CUdevice
    assert type(d.cuCtxGetCurrent()[1]) is d.CUcontext
    assert type(d.cuMemAlloc(SIZE)[1]) is d.CUdeviceptr
    assert type(d.cuMemRetainAllocationHandle(world.range)[1]) is d.CUmemGenericAllocationHandle
    assert type(d.cuDeviceGetUuid(0)[1]) is d.CUuuid
    assert len(d.cuDeviceGetUuid(0)[1].bytes) == 16
    assert type(world.ipc) is d.CUipcMemHandle
    assert type(world.descriptor) is int
    attribute = d.CUpointer_attribute
    assert type(d.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_CONTEXT, world.pointer)[1]) is d.CUcontext
    assert d.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_MAPPED, world.pointer)[1] is True
    prop = d.cuMemGetAllocationPropertiesFromHandle(world.handle)[1]
    assert prop.type is d.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    assert prop.requestedHandleTypes is d.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    assert (prop.location.type, prop.location.id) == (1, 0)


def test_primary_context_is_released(world: World) -> None:
    """A reference is given back."""
    assert world.driver.cuDevicePrimaryCtxRelease(0) == (0,)


def test_name_is_the_padded_buffer(world: World) -> None:
    """A string result is the whole buffer of the length that was asked for."""
    d = world.driver
    name = d.cuDeviceGetName(64, 0)[1]
    assert len(name) == 64
    assert name.partition(b"\0")[0]
    bus = d.cuDeviceGetPCIBusId(20, 0)[1]
    assert len(bus) == 20
    assert int(d.cuDeviceGetByPCIBusId(bus)[1]) == 0


def test_copies_take_every_kind_of_host_memory(world: World) -> None:
    """Addresses, bytes, bytearrays, views, arrays, ctypes arrays and read-only buffers are host pointers."""
    d = world.driver
    data = bytes(range(16))
    buffer = ctypes.create_string_buffer(data, 16)
    sources = [data, bytearray(data), memoryview(data), array.array("B", data), buffer, ctypes.addressof(buffer)]
    for source in sources:
        assert d.cuMemsetD8(world.pointer, 0, 16) == (0,)
        assert d.cuMemcpyHtoD(world.pointer, source, 16) == (0,)
        target = bytearray(16)
        assert d.cuMemcpyDtoH(target, world.pointer, 16) == (0,)
        assert target == data
    back = ctypes.create_string_buffer(16)
    assert d.cuMemcpyDtoH(ctypes.addressof(back), world.pointer, 16) == (0,)
    assert back.raw == data


def test_memory_travels_between_processes(machine: Machine) -> None:
    """Legacy handles, descriptors and their bytes go from one process to another."""
    one, two = World(machine.spawn().driver), World(machine.spawn().driver)
    d = two.driver
    one.driver.cuMemsetD8(one.pointer, 9, SIZE)
    handle = d.CUipcMemHandle()
    ctypes.memmove(handle.getPtr(), ctypes.string_at(one.ipc.getPtr(), 64), 64)
    code, there = d.cuIpcOpenMemHandle(handle, 1)
    assert code == 0
    target = bytearray(4)
    d.cuMemcpyDtoH(target, there, 4)
    assert target == bytes([9] * 4)
    assert d.cuIpcCloseMemHandle(there) == (0,)
    code, imported = d.cuMemImportFromShareableHandle(one.descriptor, d.CUmemAllocationHandleType(1))
    assert code == 0
    assert type(imported) is d.CUmemGenericAllocationHandle


NO_POINTER = (
    f"Provided argument is of type <class 'str'> but expected Type {RULES.address_types} or object with Buffer Protocol"
)
ENUMS: dict[str, list[tuple[str, tuple[Any, ...], type[Exception], str]]] = {
    "int": [
        ("cuDeviceGetAttribute", ("x", 0), ValueError, "invalid literal for int() with base 10: 'x'"),
        *(
            (name, args, OverflowError, f"value too large to convert to {RULES.enum_names.format(tag)}")
            for name, args, tag in [
                ("cuDeviceGetAttribute", (1 << 40, 0), "CUdevice_attribute_enum"),
                ("cuGetErrorName", (1 << 40,), "cudaError_enum"),
            ]
        ),
    ],
    "value": [
        ("cuDeviceGetAttribute", ("x", 0), AttributeError, "'str' object has no attribute 'value'"),
        ("cuGetErrorName", (1 << 40,), AttributeError, "'int' object has no attribute 'value'"),
    ],
}
"""Enums in messages, by how the installed release reads them."""
WORDS: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("cuMemAlloc", (None,), TypeError, "an integer is required"),
    ("cuMemAlloc", ("x",), TypeError, "an integer is required"),
    ("cuMemAlloc", (-1,), OverflowError, "can't convert negative value to size_t"),
    ("cuMemAlloc", (1 << 64,), OverflowError, "Python int too large to convert to C unsigned long"),
    ("cuMemFree", (-1,), OverflowError, "can't convert negative value to unsigned PY_LONG_LONG"),
    ("cuInit", (1 << 32,), OverflowError, "value too large to convert to unsigned int"),
    ("cuDeviceGet", (1 << 31,), OverflowError, "value too large to convert to int"),
    ("cuDeviceGet", (float("nan"),), ValueError, "cannot convert float NaN to integer"),
    ("cuDeviceTotalMem", (1 << 64,), OverflowError, "Python int too large to convert to C long"),
    ("cuDeviceGetAttribute", (None, 0), TypeError, "Argument 'attrib' must not be None"),
    *ENUMS[RULES.enum_arguments],
    ("cuPointerGetAttribute", (1, 0), AttributeError, "'int' object has no attribute 'value'"),
    ("cuMemExportToShareableHandle", (0, 1, 0), AttributeError, "'int' object has no attribute 'value'"),
    ("cuDeviceGetByPCIBusId", ("x",), TypeError, "expected bytes, str found"),
    (
        "cuMemCreate",
        (0, 5, 0),
        TypeError,
        "Argument 'prop' has incorrect type (expected cuda.bindings.driver.CUmemAllocationProp, got int)",
    ),
    (
        "cuIpcOpenMemHandle",
        (None, 1),
        TypeError,
        "Argument 'handle' has incorrect type (expected cuda.bindings.driver.CUipcMemHandle, got NoneType)",
    ),
    ("cuMemSetAccess", (0, 0, [], 1), RuntimeError, "List is too small: 0 < 1"),
    ("cuMemSetAccess", (0, 0, 5, 1), TypeError, "'int' object is not iterable"),
    (
        "cuMemcpyHtoD",
        (0, "x", 0),
        TypeError,
        NO_POINTER,
    ),
    ("cuMemcpyHtoD", (0, memoryview(bytes(8))[::2], 4), BufferError, "memoryview: underlying buffer is not contiguous"),
]


@pytest.mark.parametrize(("name", "args", "kind", "words"), WORDS)
def test_refusals(name: str, args: tuple[Any, ...], kind: type[Exception], words: str, world: World) -> None:
    """A wrong argument raises what the binding raises, and no call is made."""
    before = len(world.driver._callers.current().machine.calls)
    with pytest.raises(kind) as caught:
        getattr(world.driver, name)(*args)
    assert type(caught.value) is kind
    assert str(caught.value) == words
    assert len(world.driver._callers.current().machine.calls) == before


def test_wrong_class_is_named_with_its_module(world: World) -> None:
    """The binding's own classes are named in full."""
    with pytest.raises(TypeError, match=r"got cuda\.bindings\.driver\.CUcontext\)$"):
        world.driver.cuMemCreate(0, world.context, 0)


def test_what_is_not_modelled_warns_once(machine: Machine) -> None:
    """A call without a model answers NOT_SUPPORTED with None for each result, and warns once per machine."""
    d = machine.spawn().driver
    with pytest.warns(NotModelledWarning, match="cuCtxFromGreenCtx is not modelled") as caught:
        assert d.cuCtxFromGreenCtx(0) == (d.CUresult.CUDA_ERROR_NOT_SUPPORTED, None)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert d.cuCtxFromGreenCtx(hCtx=0) == (801, None)
        assert machine.spawn().driver.cuCtxFromGreenCtx(0) == (801, None)
    with Machine() as other, pytest.warns(NotModelledWarning):
        other.spawn().driver.cuCtxFromGreenCtx(0)


def test_what_is_not_modelled_has_its_arguments(machine: Machine) -> None:
    """Arguments are counted and named as the binding does, also where nothing is modelled."""
    d = machine.spawn().driver
    with pytest.raises(TypeError, match=r"^cuCtxFromGreenCtx\(\) takes exactly 1 positional argument \(0 given\)$"):
        d.cuCtxFromGreenCtx()
    with pytest.raises(TypeError, match=r"^cuCtxFromGreenCtx\(\) got an unexpected keyword argument 'x'$"):
        d.cuCtxFromGreenCtx(x=1)
    with pytest.raises(TypeError, match=r"^cuCtxFromGreenCtx\(\) got multiple values for keyword argument 'hCtx'$"):
        d.cuCtxFromGreenCtx(0, hCtx=1)
    with pytest.raises(TypeError, match=r"^cuTexRefCreate\(\) takes no arguments \(1 given\)$"):
        d.cuTexRefCreate(1)


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
@each("name", sorted(set(FUNCTIONS) - set(DRIVER.ops)))
def test_no_call_is_a_silent_success(name: str, machine: Machine) -> None:
    """Every function of the API can be called, and those that are not modelled fail."""
    args = [None] * len(LOOKALIKE.keywords_of(FUNCTIONS[name]))
    code, *values = getattr(machine.spawn().driver, name)(*args)
    assert code == 801
    assert values == [None] * len(values)


def test_names(world: World) -> None:
    """Functions, enums, handle classes and constants are there; other names are not."""
    d = world.driver
    names = dir(d)
    assert set(FUNCTIONS) <= set(names)
    assert {"CUresult", "CUcontext", "CUmemAllocationProp", "CU_IPC_HANDLE_SIZE"} <= set(names)
    assert d.CU_IPC_HANDLE_SIZE == 64
    assert d.CUresult is d.CUresult
    assert isinstance(d.CUstream(0), d.CUstream)
    with pytest.raises(AttributeError, match=r"^module 'cuda\.bindings\.driver' has no attribute 'cuNothing'$"):
        _ = d.cuNothing
    for name in names:
        getattr(d, name)


def test_threads_have_their_own_contexts(machine: Machine) -> None:
    """The calling Python thread is the calling thread, and a named one is another."""
    process = machine.spawn()
    world = World(process.driver)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(process.driver.cuCtxGetCurrent()))
    thread.start()
    thread.join()
    assert int(seen[0][1]) == 0
    assert int(process.thread("other").driver.cuCtxGetCurrent()[1]) == 0
    assert int(process.driver.cuCtxGetCurrent()[1]) == int(world.context)


def test_construction_is_cheap() -> None:
    """A look-alike holds one reference and nothing else."""
    driver = Driver(Callers(lambda: None))  # no call is made
    assert not hasattr(driver, "__dict__")


def test_a_dead_process_answers_nothing(machine: Machine) -> None:
    """Calls of a process that has ended raise, modelled or not, though its threads have called before."""
    process = machine.spawn()
    doors = process.driver, process.thread("other").driver
    for driver in doors:
        driver.cuInit(0)
    process.exit()
    for driver in doors:
        with pytest.raises(ProcessDied):
            driver.cuInit(0)
        with pytest.raises(ProcessDied):
            driver.cuCtxFromGreenCtx(0)
