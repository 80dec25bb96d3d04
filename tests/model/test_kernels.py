"""Kernels: what a Python function below ``@fakecuda.kernel`` may touch, and when it acts."""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import fakecuda
from conformance.fuzz.pages import free, guarded
from conformance.kit.kernels import HEAD
from fakecuda.machine import refusals
from fakecuda.model.code import packed
from fakecuda.model.code.kernels import MEANINGS, kernel
from fakecuda.model.code.module import Function
from fakecuda.model.graph.graph import BATCH_MEM_OP, MEM_ALLOC
from fakecuda.model.memory.space import Unreadable
from fakecuda.profiles import load
from fakecuda.rules.driver.execution.attributes import CARVEOUT
from fakecuda.rules.driver.execution.resources import blocks_held
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import pack
from tests.model.test_image import cubin, fatbin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.machine.machine import Machine
    from fakecuda.model.code.kernel_arrays import Array

IMAGE = (HEAD + ".visible .entry change(.param .u64 p, .param .u32 v) { ret; }\n").encode()
STRUCT = (HEAD + ".visible .entry change(.param .u64 p, .param .align 4 .b8 v[12]) { ret; }\n").encode()
SIZE = 8192
NOWHERE = 16
"""An unused address."""


@pytest.fixture(autouse=True)
def meanings() -> Iterator[None]:
    """Forget what a test has said of kernels."""
    before = dict(MEANINGS)
    yield
    MEANINGS.clear()
    MEANINGS.update(before)


class Launcher:
    """A process with a kernel and some memory.

    Args:
        machine: The machine.
        image: The kernel's image.
    """

    def __init__(self, machine: Machine, image: bytes = IMAGE) -> None:
        self.process = a = machine.spawn()
        self.c = a.c
        self.ok(a.c.cuInit(0))
        self.context = self.ok(a.c.cuCtxCreate(None, 0, 0))
        self.function = self.ok(a.c.cuModuleGetFunction(self.ok(a.c.cuModuleLoadData(image)), b"change"))
        self.memory = self.ok(a.c.cuMemAlloc(SIZE))
        self.ok(a.c.cuMemsetD8(self.memory, 0, SIZE))
        self.ok(a.c.cuCtxSynchronize())

    def ok(self, answer: tuple[Any, ...]) -> Any:
        """Return the result of a call that must succeed."""
        assert answer[0] == 0
        return answer[1] if len(answer) > 1 else None

    def code(self) -> Function:
        """Return the kernel as the model has it."""
        found = self.process.loaded[self.function]
        assert isinstance(found, Function)
        return found

    def launch(self, pointer: int = 0, value: int = 7, *, stream: int = 0, width: int = 4) -> int:
        """Launch the kernel, and return what the call answers."""
        first = ctypes.c_uint64(pointer or self.memory)
        second = ctypes.create_string_buffer(value.to_bytes(width, "little"), width)
        places = (ctypes.c_uint64 * 2)(ctypes.addressof(first), ctypes.addressof(second))
        (code,) = self.c.cuLaunchKernel(self.function, 2, 1, 1, 32, 1, 1, 0, stream, ctypes.addressof(places), 0)
        return int(code)

    def read(self, offset: int = 0, size: int = 4) -> bytes:
        """Return some bytes of the memory."""
        data = bytearray(size)
        assert self.c.cuMemcpyDtoH(data, self.memory + offset, size)[0] == 0
        return bytes(data)


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    """Return a process of a strict machine."""
    with fakecuda.simulate("h200-x2", strict=True) as machine:
        yield Launcher(machine)


def test_it_reads_and_writes_through_its_arrays(launcher: Launcher) -> None:
    """Numbers and slices, within a page and across two; the grid and the block are handed over."""
    seen: list[object] = []

    @kernel("change", "u32*", "i32")
    def change(grid: object, block: object, place: Array, value: int) -> None:
        seen.extend((grid, block, repr(place)[:6]))
        place[0] = value
        place[1] = place[0] + 1
        place[1022:1026] = [1, 2, 3, 4]
        place[10] = sum(place[1022:1026])

    assert launcher.launch() == 0
    assert seen == [(2, 1, 1), (32, 1, 1), "Array("]
    assert launcher.read(0, 8) == (7).to_bytes(4, "little") + (8).to_bytes(4, "little")
    assert launcher.read(40) == (10).to_bytes(4, "little")
    assert launcher.read(4096 - 8, 16) == b"".join(n.to_bytes(4, "little") for n in (1, 2, 3, 4))


def test_slices_have_an_end_and_fit(launcher: Launcher) -> None:
    """What the function raises refuses the launch, and nothing is written."""

    @kernel("change", "u32*", "i32")
    def change(_grid: object, _block: object, place: Array, value: int) -> None:
        place[0] = 9
        if value == 1:
            place[1:] = [1]
        place[1:3] = [1]

    for value in (1, 2):
        with pytest.raises(
            ValueError, match=r"write a slice with an end|1 values cannot fill 2 places of a kernel's array"
        ):
            launcher.launch(value=value)
    assert launcher.read() == bytes(4)


def test_a_kernel_without_a_meaning_is_an_error_that_names_it(launcher: Launcher) -> None:
    """It says how to give it one."""
    with pytest.raises(
        fakecuda.KernelNotDefined,
        match=r'kernel change has no Python function.*@fakecuda.kernel\("change", "f32\*", "i32"\)',
    ):
        launcher.launch()


def test_types_are_checked(launcher: Launcher) -> None:
    """A type that is none, too few of them, and one of another size."""
    with pytest.raises(fakecuda.FakeCudaError, match=r"'float' is not a parameter type of @fakecuda.kernel"):
        kernel("change", "float")
    for types in (("u32*",), ("u32*", "f64")):
        kernel("change", *types)(lambda *_: None)
        with pytest.raises(fakecuda.FakeCudaError, match=r"has parameters of \[8, 4\] bytes"):
            launcher.launch()


def test_what_is_no_number_comes_as_bytes() -> None:
    """A struct."""
    seen = []
    kernel("change", "u8*", "bytes")(lambda _grid, _block, _place, data: seen.append(data))
    with fakecuda.simulate("h200") as machine:
        assert Launcher(machine, STRUCT).launch(width=12) == 0
    assert seen == [(7).to_bytes(12, "little")]


@pytest.mark.parametrize("offset", [SIZE, -4])
def test_an_index_out_of_the_memory_is_an_illegal_address(launcher: Launcher, offset: int) -> None:
    """The launch succeeds, as a driver's does, and what comes then fails."""
    kernel("change", "u32*", "i32")(lambda _grid, _block, place, value: place.__setitem__(offset // 4, value))
    launcher.ok(launcher.c.cuMemAddressReserve(2 << 20, 0, 0, 0))
    where = launcher.ok(launcher.c.cuMemAlloc(64 << 20))
    counted = refusals.count(launcher.process.machine)
    assert launcher.launch(where + (64 << 20) - SIZE if offset > 0 else where) == 0
    assert launcher.c.cuCtxSynchronize() == (Result.ILLEGAL_ADDRESS,)
    report = " ".join(counted.recent[-1].report.split())
    assert "kernel change, which used an address that it may not use launched at " in report


def test_memory_of_another_device_needs_peer_access(launcher: Launcher) -> None:
    """As on a device."""
    kernel("change", "u32*", "i32")(lambda _grid, _block, place, value: place.__setitem__(0, value))
    c = launcher.c
    other = launcher.ok(c.cuCtxCreate(None, 0, 1))
    far = launcher.ok(c.cuMemAlloc(SIZE))
    launcher.ok(c.cuCtxSetCurrent(launcher.context))
    launcher.ok(c.cuCtxEnablePeerAccess(other, 0))
    assert launcher.launch(far) == 0
    launcher.ok(c.cuCtxSynchronize())
    launcher.ok(c.cuCtxDisablePeerAccess(other))
    assert launcher.launch(far) == 0
    assert c.cuCtxSynchronize() == (Result.ILLEGAL_ADDRESS,)


def test_other_kinds_of_memory(launcher: Launcher) -> None:
    """Memory of a pool, managed and pinned memory, a mapping with access and what is registered to be read."""
    kernel("change", "u32*", "i32")(lambda _grid, _block, place, value: place.__setitem__(0, value))
    c, ok = launcher.c, launcher.ok
    pooled = ok(c.cuMemAllocAsync(SIZE, 0))
    ok(c.cuStreamSynchronize(0))
    mapped = ok(c.cuMemAddressReserve(2 << 20, 0, 0, 0))
    handle = ok(c.cuMemCreate(2 << 20, (1, 0, (1, 0), 0, (0, 0, 0)), 0))
    ok(c.cuMemMap(mapped, 2 << 20, 0, handle, 0))
    ok(c.cuMemSetAccess(mapped, 2 << 20, (((1, 0), 3),), 1))
    for where in (pooled, ok(c.cuMemAllocManaged(SIZE, 1)), ok(c.cuMemHostAlloc(SIZE, 0)), mapped):
        assert launcher.launch(where) == 0
        assert c.cuCtxSynchronize() == (0,)


def test_a_race_of_two_kernels_is_found(launcher: Launcher) -> None:
    """Two streams write the same bytes, and nothing orders them."""
    kernel("change", "u32*", "i32")(lambda _grid, _block, place, value: place.__setitem__(0, value))
    one, two = (launcher.ok(launcher.c.cuStreamCreate(1)) for _ in range(2))
    assert launcher.launch(stream=one) == 0
    with pytest.raises(fakecuda.UndefinedBehaviour, match="two accesses to the same bytes"):
        launcher.launch(stream=two)
    launcher.process.machine.findings.clear()


def held_back(launcher: Launcher) -> tuple[int, int]:
    """Launch in a stream that waits for a value; return the stream, and where the value is to be written."""
    c, ok = launcher.c, launcher.ok
    stream = ok(c.cuStreamCreate(1))
    flag = ok(c.cuMemAlloc(4096))
    ok(c.cuMemsetD32(flag, 0, 1))
    ok(c.cuCtxSynchronize())
    ok(c.cuStreamWaitValue32(stream, flag, 1, 1))
    assert launcher.launch(stream=stream) == 0
    return stream, flag


def test_it_acts_in_the_order_of_its_stream(launcher: Launcher) -> None:
    """Behind a value that is waited for."""
    kernel("change", "u32*", "i32")(lambda _grid, _block, place, value: place.__setitem__(0, place[0] + value))
    c, ok = launcher.c, launcher.ok
    stream, flag = held_back(launcher)
    assert launcher.read() == bytes(4)
    ok(c.cuMemsetD32(flag, 1, 1))
    ok(c.cuStreamSynchronize(stream))
    assert launcher.read() == (7).to_bytes(4, "little")


def test_what_it_raises_later_fails_the_context(launcher: Launcher) -> None:
    """A strict machine keeps a finding that has the error."""

    @kernel("change", "u32*", "i32")
    def change(_grid: object, _block: object, _place: Array, _value: int) -> None:
        raise LookupError

    c = launcher.c
    stream, flag = held_back(launcher)
    c.cuMemsetD32(flag, 1, 1)
    assert c.cuStreamSynchronize(stream) == (Result.LAUNCH_FAILED,)
    machine = launcher.process.machine
    found = list(machine.findings)
    assert [one.rule.id for one in found] == ["execution.submitted.KERNEL_RETURNS"]
    machine.findings.clear()


def test_a_kernel_that_asks_for_an_explicit_cluster_gets_none() -> None:
    """Its launch must tell the cluster, which these calls can't."""
    image = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry change() .explicitcluster { ret; }\n"
    kernel("change")(lambda *_: None)
    with fakecuda.Machine("h200", strict=False) as machine:
        one = Launcher(machine, image)
        answer = one.c.cuLaunchKernel(one.function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
        assert answer[0] == Result.INVALID_CLUSTER_SIZE


def test_a_compressed_fatbin_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is to be compiled without, where nothing reads Zstandard."""
    for name in packed.MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    with fakecuda.Machine("h200") as machine:
        one = Launcher(machine)
        with pytest.raises(fakecuda.FakeCudaError, match="--no-compress"):
            one.c.cuModuleLoadData(fatbin((2, 90, cubin(), packed.ZSTD)))


def test_a_kernel_before_the_driver_has_begun() -> None:
    """The driver follows what it is given."""
    with fakecuda.Machine("h200", strict=False) as machine:
        assert machine.spawn().c.cuKernelGetName(0x1234)[0] == Result.INVALID_HANDLE


def test_a_library_on_unlike_devices() -> None:
    """One image is read for one architecture; machines of unlike devices are not modelled."""
    profile = load("h200-x2")
    older = profile.devices[1].attributes | {75: 8, 76: 0}
    devices = (profile.devices[0], attrs.evolve(profile.devices[1], attributes=older))
    with fakecuda.Machine(attrs.evolve(profile, devices=devices), strict=False) as machine:
        one = Launcher(machine)
        library = one.ok(one.c.cuLibraryLoadData(cubin(), None, None, 0, None, None, 0))
        one.ok(one.c.cuCtxCreate(None, 0, 1))
        with pytest.raises(fakecuda.FakeCudaError, match="has no code for device 1"):
            one.c.cuLibraryGetModule(library)


@pytest.mark.parametrize(("registers", "threads", "blocks"), [(255, 1024, 0), (128, 512, 1)])
def test_registers_limit_the_blocks(registers: int, threads: int, blocks: int) -> None:
    """A block whose warps need more than there are does not run."""
    device = load("h200").devices[0]
    with fakecuda.Machine("h200") as machine:
        one = Launcher(machine)
        function = one.code()
        entry = attrs.evolve(function.entry, registers=registers)
        held = blocks_held(entry, one.process.contexts[one.context].device, lambda _: None, threads, 0)
        assert held == blocks, device


@pytest.mark.parametrize(("asked", "blocks"), [(0, 1), (50, 4), (100, 6)])
def test_a_carve_out_limits_the_blocks(asked: int, blocks: int) -> None:
    """The multiprocessor is set to have the least step that holds what was asked for, and one block at least."""
    with fakecuda.Machine("h200") as machine:
        one = Launcher(machine)
        function, device = one.code(), one.process.contexts[one.context].device
        settings = {CARVEOUT: asked}
        assert blocks_held(function.entry, device, settings.get, 32, 32 << 10) == blocks


@pytest.mark.parametrize("call", ["cuModuleGetFunction", "cuLaunchKernel"])
def test_code_of_a_context_that_was_lost(call: str) -> None:
    """It answers what lost the context, whichever is current."""
    with fakecuda.Machine("h200", strict=False) as machine:
        one = Launcher(machine)
        module = one.ok(one.c.cuModuleLoadData(IMAGE))
        machine.poison(one.process, one.context, Result.EXTERNAL_DEVICE)
        arguments = (module, b"change") if call == "cuModuleGetFunction" else (one.function, *[1] * 6, 0, 0, 0, 0)
        assert getattr(one.c, call)(*arguments)[0] == Result.EXTERNAL_DEVICE


@pytest.mark.parametrize("where", ["params", "extra", "an argument", "the buffer", "its size", "behind the arguments"])
def test_arguments_that_cannot_be_read(where: str) -> None:
    """A driver ends the process there; the model says so, and nothing is launched."""
    start = guarded(mmap.PAGESIZE)
    with fakecuda.Machine("h200") as machine:
        one = Launcher(machine)
        size = ctypes.c_size_t(12)
        places = (ctypes.c_uint64 * 2)(start, NOWHERE)
        told = (ctypes.c_uint64 * 5)(1, NOWHERE, 2, ctypes.addressof(size), 0)
        params = extra = 0
        if where in {"params", "an argument"}:
            params = NOWHERE if where == "params" else ctypes.addressof(places)
        elif where == "behind the arguments":
            params = start + mmap.PAGESIZE - 8
        else:
            told[3] = NOWHERE if where == "its size" else told[3]
            extra = NOWHERE if where == "extra" else ctypes.addressof(told)
        with pytest.raises(Unreadable, match="cannot read all of the"):
            one.c.cuLaunchKernel(one.function, 1, 1, 1, 1, 1, 1, 0, 0, params, extra)
        assert one.c.cuCtxSynchronize() == (0,)
    free(start, mmap.PAGESIZE)


@pytest.mark.parametrize("kind", [MEM_ALLOC, BATCH_MEM_OP])
def test_members_of_nodes_that_cannot_be_read(kind: int) -> None:
    """Likewise of a node: it is not added."""
    with fakecuda.Machine("h200") as machine:
        one = Launcher(machine)
        graph = one.ok(one.c.cuGraphCreate(0))
        values: tuple[Any, ...] = (one.context, 1, NOWHERE, 0)
        if kind == MEM_ALLOC:
            values = (1, 0, 1, 0, 0, 0, 0, 0, NOWHERE, 1, SIZE, 0)
        with pytest.raises(Unreadable, match="cannot read all of the"):
            one.c.cuGraphAddNode(graph, None, None, 0, pack(kind, values))
        held: Any = one.process.graphs[graph]
        assert not held.nodes
