"""What hip-tests expects of NVIDIA's runtime library, and null results: refusals with their codes, one argument wrong."""

from __future__ import annotations

import ctypes
import mmap
import re
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.rules.registry import DRIVER, RUNTIME, below
from fakecuda.rules.rule_discovery import rules_of
from fakecuda.rules.runtime.launch import COUNTED
from fakecuda.rules.runtime.program import contents
from fakecuda.rules.runtime.symbol import PLACED
from tests.each import each

if TYPE_CHECKING:
    from collections.abc import Iterator

END = 1 << 64
SIZE = 4096


@pytest.fixture
def world() -> Iterator[dict[str, Any]]:
    """A process and what it has: memory of two devices and of a pool, pinned and plain host memory, stream, events."""
    pages = mmap.mmap(-1, 2 * SIZE)
    with Machine("h200-x2", strict=False, seed=1) as machine:
        c = machine.spawn().c
        made: dict[str, Any] = {"c": c, "host": ctypes.addressof(ctypes.c_char.from_buffer(pages))}
        c.cudaSetDevice(1)
        made["there"] = c.cudaMalloc(SIZE)[1]
        c.cudaSetDevice(0)
        made["here"] = c.cudaMalloc(SIZE)[1]
        made["pinned"] = c.cudaHostAlloc(64, 0)[1]
        made["stream"] = c.cudaStreamCreate()[1]
        made["event"] = c.cudaEventCreate()[1]
        made["pool"] = c.cudaDeviceGetDefaultMemPool(0)[1]
        made["pooled"] = c.cudaMallocAsync(64, 0)[1]
        yield made


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("cudaIpcOpenMemHandle", (bytes(64), 1), 1),
        ("cudaMemcpyPeer", lambda w: (0, 1, w["here"], 0, 64), 1),
        ("cudaMemcpyPeer", lambda w: (w["there"], 1, 0, 0, 64), 1),
        ("cudaMemcpyPeer", lambda w: (w["there"], 1, w["here"], 0, SIZE + 1), 1),
        ("cudaMemcpyPeer", lambda w: (w["there"], 2, w["here"], 0, 64), 101),
        ("cudaMemcpyPeer", lambda w: (w["there"], 1, w["here"], 2, 64), 101),
        ("cudaMemcpyPeerAsync", lambda w: (0, 1, w["here"], 0, 64, w["stream"]), 1),
        ("cudaMemcpyPeerAsync", lambda w: (w["there"], 2, w["here"], 0, 64, w["stream"]), 101),
        ("cudaDeviceGetDefaultMemPool", (-1,), 101),
        ("cudaDeviceGetMemPool", (-1,), 1),
        ("cudaFreeAsync", lambda w: (w["pooled"], END - 1), 400),
        ("cudaFreeAsync", lambda w: (w["pinned"], 0), 1),
        ("cudaMemPoolExportPointer", (0,), 1),
        ("cudaMemPoolSetAccess", (0, (((1, 0), 3),), 1), 1),
        ("cudaMemPoolSetAccess", lambda w: (w["pool"], (((1, 7), 3),), 1), 101),
        ("cudaMemPoolSetAttribute", (0, 1, 1), 1),
        ("cudaMemPoolGetAttribute", (0, 1), 1),
        ("cudaMemPoolTrimTo", (0, 0), 1),
        ("cudaEventElapsedTime", (0, 0), 400),
        ("cudaEventRecord", (0, 0), 400),
        ("cudaEventCreateWithFlags", (4,), 1),
        ("cudaEventCreateWithFlags", (64,), 1),
        ("cudaMemcpy2DAsync", lambda w: (w["host"], 4, w["here"], 64, 8, 8, 2, w["stream"]), 12),
        ("cudaMemset2DAsync", lambda w: (w["here"], 64, 22, 64, 64 * 9, w["stream"]), 1),
        ("cudaMemsetAsync", lambda w: (w["here"], 0, 2 * SIZE, w["stream"]), 1),
        ("cudaFree", lambda w: (w["host"],), 1),
        ("cudaHostAlloc", (4, 64), 1),
        ("cudaHostAlloc", (END - 1, 0), 2),
        ("cudaFreeHost", lambda w: (w["host"],), 1),
        ("cudaHostGetDevicePointer", (0, 0), 1),
        ("cudaHostGetDevicePointer", lambda w: (w["pinned"], 1), 1),
        ("cudaHostGetDevicePointer", lambda w: (w["host"], 0), 1),
        ("cudaHostGetFlags", lambda w: (w["host"],), 1),
        ("cudaHostRegister", lambda w: (w["host"], 0, 0), 1),
        ("cudaHostRegister", (0, 64, 0), 1),
        ("cudaHostRegister", lambda w: (w["host"], SIZE, 64), 1),
        ("cudaHostUnregister", lambda w: (w["host"],), 713),
        ("cudaMallocPitch", (END - 1, 1), 1),
        ("cudaStreamCreateWithFlags", (64,), 1),
        ("cudaStreamCreateWithPriority", (END - 1 >> 32, 0), 1),
        ("cudaDeviceEnablePeerAccess", (0, END - 1 >> 32), 1),
        ("cudaDeviceEnablePeerAccess", (-1, 0), 101),
        ("cudaDeviceEnablePeerAccess", (2, 0), 101),
        ("cudaDeviceDisablePeerAccess", (-1,), 101),
        ("cudaDeviceDisablePeerAccess", (2,), 101),
        ("cudaDeviceDisablePeerAccess", (1,), 705),
        ("cudaGetDeviceProperties", (-1,), 101),
    ],
)
def test_refusals(name: str, arguments: Any, code: int, world: dict[str, Any]) -> None:
    """Each is of one wrong argument; cudaGetLastError returns the code once."""
    c = world["c"]
    args = arguments(world) if callable(arguments) else arguments
    assert getattr(c, name)(*args)[0] == code
    assert c.cudaGetLastError() == (code,)
    assert c.cudaGetLastError() == (0,)


@pytest.mark.parametrize(
    ("name", "arguments", "null"),
    [
        ("cudaChooseDevice", (None,), "device"),
        ("cudaDeviceGetCacheConfig", (), "pCacheConfig"),
        ("cudaDeviceGetDefaultMemPool", (0,), "memPool"),
        ("cudaDeviceGetLimit", (0,), "pValue"),
        ("cudaDeviceGetMemPool", (0,), "memPool"),
        ("cudaDriverGetVersion", (), "driverVersion"),
        ("cudaEventCreate", (), "event"),
        ("cudaGetDevice", (), "device"),
        ("cudaGetDeviceCount", (), "count"),
        ("cudaGetDeviceFlags", (), "flags"),
        ("cudaGetDeviceProperties", (0,), "prop"),
        ("cudaGetDriverEntryPoint", (b"cuInit", 0), "funcPtr"),
        ("cudaHostAlloc", (4, 0), "pHost"),
        ("cudaHostGetDevicePointer", lambda w: (w["pinned"], 0), "pDevice"),
        ("cudaHostGetFlags", lambda w: (w["pinned"],), "pFlags"),
        ("cudaMalloc", (0,), "devPtr"),
        ("cudaMalloc", (1,), "devPtr"),
        ("cudaMalloc3D", ((1, 1, 1),), "pitchedDevPtr"),
        ("cudaMallocHost", (0,), "ptr"),
        ("cudaMallocPitch", (1, 1), "devPtr"),
        ("cudaMallocPitch", (1, 1), "pitch"),
        ("cudaMemPoolExportPointer", lambda w: (w["pooled"],), "exportData"),
        ("cudaMemPoolGetAttribute", lambda w: (w["pool"], 1), "value"),
        ("cudaRuntimeGetVersion", (), "runtimeVersion"),
        ("cudaStreamCreate", (), "pStream"),
        ("cudaStreamCreateWithFlags", (0,), "pStream"),
        ("cudaStreamCreateWithPriority", (0, 0), "pStream"),
        ("cudaStreamGetDevice", lambda w: (w["stream"],), "device"),
        ("cudaStreamGetFlags", lambda w: (w["stream"],), "flags"),
    ],
)
def test_null_results(name: str, arguments: Any, null: str, world: dict[str, Any]) -> None:
    """A null result pointer is an invalid value."""
    args = arguments(world) if callable(arguments) else arguments
    assert getattr(world["c"], name)(*args, null=null)[0] == 1


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("cudaDeviceReset", ()),
        ("cudaEventCreate", ()),
        ("cudaGetDevice", ()),
        ("cudaGetDeviceCount", ()),
        ("cudaGetDeviceFlags", ()),
        ("cudaGetDeviceProperties", (0,)),
        ("cudaHostAlloc", (64, 0)),
        ("cudaHostRegister", (SIZE, SIZE, 0)),
        ("cudaMalloc", (64,)),
        ("cudaMallocManaged", (64, 1)),
        ("cudaMallocPitch", (64, 1)),
        ("cudaPointerGetAttributes", (0,)),
        ("cudaSetDevice", (0,)),
        ("cudaSetDeviceFlags", (0,)),
        ("cudaStreamCreate", ()),
        ("cudaDeviceEnablePeerAccess", (1, 0)),
        ("cudaDeviceDisablePeerAccess", (1,)),
    ],
)
def test_no_device_is_seen(name: str, args: tuple[Any, ...]) -> None:
    """With every device hidden each call says so."""
    with Machine("h200-x2", strict=False) as machine:
        assert getattr(machine.spawn(visible_devices="-1").c, name)(*args)[0] == 100


def test_a_call_of_c_that_raises_is_the_last_error() -> None:
    """C gets a code instead of the exception. Many programs ask for it by cudaGetLastError alone, as PyTorch does."""
    with Machine("h200") as machine:
        process = machine.spawn()
        c, thread = process.c, process.current_thread()
        library = c.cudaLibraryLoadData(b".version 7.0 .unified", None, None, 0, None, None, 0)[1]
        for call, code in ((thread.call, 0), (thread.native, 999)):
            with pytest.raises(FakeCudaError, match="not modelled"):
                RUNTIME.ops["cudaLibraryGetUnifiedFunction"].invoke(call, library, b"any")
            assert c.cudaGetLastError() == (code,)


OF_NEW_NODES = (
    *("core.initialized.RESULT_IS_GIVEN", "graph.add_node.DEPENDENCIES_ARE_GIVEN", "graph.handle.GRAPH_IS_GIVEN"),
    "graph.params.SOMETHING_IS_COPIED",
)
BEHIND_LOADING = {
    "cudaFuncGetParamInfo": ("library.kernel_get.PARAMETER_IS_ONE",),
    **dict.fromkeys(["cudaGraphAddMemcpyNodeFromSymbol", "cudaGraphAddMemcpyNodeToSymbol"], OF_NEW_NODES),
    **dict.fromkeys(
        ["cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize"], tuple([rule.id for rule in COUNTED])
    ),
}
"""Rules that are checked after registered code has loaded, by call."""


@each("name", sorted(RUNTIME.ops))
def test_rules_are_read_from_the_operation(name: str) -> None:
    """Each has an id of its own, and quotes the manual or says what else it comes from; traces are of its own rules."""
    operation = RUNTIME.ops[name]
    rules = operation.rules
    assert len({rule.id for rule in rules}) == len(rules)
    traces = {rule for one in DRIVER.ops.values() for rule in one.acts_before}
    traceless = {rule for one in below(operation) for rule in one.rules if rule not in one.acts_before}
    traceless |= set(rules_of(contents))  # what a program registers is read without a log
    behind = {rule for rule in operation.acts_before if rule.id in BEHIND_LOADING.get(name, ())}
    assert set(operation.acts_before) - set(PLACED) - behind == (traces & set(rules) - traceless) - behind
    assert {rule.id for rule in behind} == set(BEHIND_LOADING.get(name, ()))
    for rule in rules:
        if rule.module.startswith("fakecuda.rules.runtime."):
            assert rule.source.call.startswith("cuda")
            assert rule.source.quote


def test_quotes_are_the_manuals() -> None:
    """The words stand in the docstring of the function that a rule names, or in its list of codes."""
    binding = pytest.importorskip("cuda.bindings.runtime", reason="the real binding: pip install 'fakecuda[cuda]'")
    own = {
        rule for op in RUNTIME.ops.values() for rule in op.rules if rule.module.startswith("fakecuda.rules.runtime.")
    }
    assert len(own) > 10
    for rule in (one for one in own if one.grade == "manual"):
        text = getattr(binding, rule.source.call).__doc__ or ""
        if rule.source.call == "cudaError_t":
            text = " ".join(member.__doc__ or "" for member in binding.cudaError_t)
        plain = " ".join(re.sub(r":py:obj:`~?\.?([^`]*)`", r"\1", text).replace("`", "").replace("()", "").split())
        assert rule.source.quote.replace("`", "").replace("()", "") in plain, rule.id
