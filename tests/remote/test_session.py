"""Real processes on one machine: their calls, their memory and what they share."""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from conformance.fuzz.whole import is_held
from conformance.kit.kernels import PTX
from fakecuda import FakeCudaError, Machine, MachineClosed, UndefinedBehaviour
from fakecuda.model.os.process import FORKED
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner.session import Attached
from fakecuda.rules.dispatch import Op
from fakecuda.rules.registry import DRIVER
from tests.limits import started

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda.reach.remote.owner.endpoint import Offer

    from .conftest import Child

    Start = Callable[[], Child]

PINNED = (1, 1, (1, 0), 0, (0, 0, 0))
GRANULE = 2 << 20


def ready(child: Child) -> Child:
    """Return a child with a context."""
    assert child.call("cuInit", 0) == (0,)
    assert child.call("cuCtxCreate", None, 0, 0)[0] == 0
    return child


def test_each_process_is_one_of_the_machine(machine: Machine, start: Start) -> None:
    """A child has a driver of its own; the log tells its calls."""
    a, b = ready(start()), start()
    assert b.call("cuDeviceGetCount") == (3, None)
    assert a.call("cuDeviceGetCount") == (0, 2)
    assert sorted(machine.processes) == ["a", "b"]
    assert (machine.log[-1].process, machine.log[-1].call) == ("a", "cuDeviceGetCount")


def test_the_socket_is_the_users_own(sharing: Offer) -> None:
    """Nobody else can reach the directory or the socket."""
    assert stat.S_IMODE(sharing.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(sharing.path.stat().st_mode) == 0o600


def test_bytes_go_from_one_process_to_the_other(start: Start) -> None:
    """An allocation that is opened by its handle is the same memory."""
    a, b = ready(start()), ready(start())
    size = 3 << 20
    _, there = a.call("cuMemAlloc", size)
    _, handle = a.call("cuIpcGetMemHandle", there)
    assert len(handle) == 64
    _, here = b.call("cuIpcOpenMemHandle", handle, 1)
    assert a.call("cuMemsetD8", there, 0x5A, size) == (0,)
    assert b.call("cuMemcpyDtoH", "buffer", here, size) == (0,)
    assert b.call("state", "buffer")[0] == b"\x5a" * 64
    assert b.call("cuMemcpyHtoD", here, "buffer", size) == (0,)


def test_pinned_memory_is_the_processes_own_to_touch(machine: Machine, sharing: Offer) -> None:
    """What cuMemHostAlloc returns can be written by the host of the process, and devices see it."""
    program = (
        "import ctypes, sys\n"
        "from fakecuda.reach.remote.client.client import RemoteMachine\n"
        "c = RemoteMachine(sys.argv[1]).here.c\n"
        "c.cuInit(0); c.cuCtxCreate(None, 0, 0)\n"
        "_, host = c.cuMemHostAlloc(8192, 0); _, device = c.cuMemAlloc(8192); _, managed = c.cuMemAllocManaged(8192, 1)\n"
        "ctypes.memset(host, 7, 8192)\n"
        "assert c.cuMemcpyHtoD(device, host, 8192) == (0,)\n"
        "assert c.cuMemcpyDtoD(managed, device, 8192) == (0,)\n"
        "assert ctypes.string_at(managed, 8192) == b'\\7' * 8192\n"
        "assert c.cuMemFreeHost(host) == (0,)\n"
    )
    assert run(program, sharing) == 0
    assert machine.devices[0].memory.used == 0


def run(program: str, sharing: Offer) -> int:
    """Return the status of a Python program."""
    return subprocess.run([sys.executable, "-c", program, str(sharing.path)], check=False).returncode


def test_exported_memory_is_a_descriptor(machine: Machine, sharing: Offer) -> None:
    """A descriptor is a real one in each process; a foreign one gets the driver's error."""
    one, other = RemoteMachine(sharing.path), RemoteMachine(sharing.path)
    for client in (one, other):
        client.here.c.cuInit(0)
        client.here.c.cuCtxCreate(None, 0, 0)
    _, handle = one.here.c.cuMemCreate(GRANULE, PINNED, 0)
    code, descriptor = one.here.c.cuMemExportToShareableHandle(handle, 1, 0)
    assert code == 0
    assert os.fstat(descriptor)
    assert one.here.c.cuMemRelease(handle) == (0,)
    assert machine.devices[0].memory.used > GRANULE
    code, imported = other.here.c.cuMemImportFromShareableHandle(descriptor, 1)
    assert code == 0
    with socket.socket() as foreign:
        assert other.here.c.cuMemImportFromShareableHandle(foreign.fileno(), 1) == (999, None)
    os.close(descriptor)
    assert other.here.c.cuMemImportFromShareableHandle(descriptor, 1)[0] != 0
    assert other.here.c.cuMemRelease(imported) == (0,)
    machine.exchange.reap()


def test_threads_have_stacks_of_their_own(sharing: Offer) -> None:
    """Currentness is a thread's; a thread that ends takes its stack along."""
    client = RemoteMachine(sharing.path)
    c = client.here.c
    c.cuInit(0)
    _, context = c.cuCtxCreate(None, 0, 0)
    found = []
    thread = threading.Thread(target=lambda: found.append(c.cuCtxGetCurrent()))
    thread.start()
    thread.join()
    assert found == [(0, 0)]
    assert c.cuCtxGetCurrent() == (0, context)


def test_a_registered_range_is_the_clients(sharing: Offer) -> None:
    """Registered memory is read and written where it lies; what is not mapped there is refused."""
    c = RemoteMachine(sharing.path).here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    buffer = bytearray(b"x" * 65536)
    start = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    assert c.cuMemHostRegister(start, 65536, 0) == (0,)
    assert c.cuMemsetD8(start, 0x41, 65536) == (0,)
    assert bytes(buffer) == b"A" * 65536
    assert c.cuMemHostRegister(4096, 4096, 0)[0] == 1


def test_undefined_behaviour_is_told_to_both() -> None:
    """On a strict machine the caller gets the exception, with rule and history, and the owner keeps the finding."""
    with Machine() as machine, machine.shared(export=False) as sharing:
        c = RemoteMachine(sharing.path).here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        _, event = c.cuEventCreate(0)
        c.cuEventDestroy(event)
        with pytest.raises(UndefinedBehaviour, match="cuEventDestroy in process a") as raised:
            c.cuEventDestroy(event)
        assert raised.value.finding.rule is machine.findings[0].rule
        for told in (str(raised.value), str(machine.findings[0])):
            assert f"created at {__file__}:" in told
            assert "fakecuda/reach/remote" not in told


def test_two_machines_do_not_mix(machine: Machine, sharing: Offer) -> None:
    """What one machine has given out names nothing on the other."""
    with Machine(strict=False) as second, second.shared(export=False) as offer:
        one, other = RemoteMachine(sharing.address).here.c, RemoteMachine(offer.address).here.c
        for c in (one, other):
            c.cuInit(0)
            c.cuCtxCreate(None, 0, 0)
        _, pointer = one.cuMemAlloc(4096)
        _, handle = one.cuIpcGetMemHandle(pointer)
        assert other.cuIpcOpenMemHandle(handle, 1)[0] == 1
        _, memory = one.cuMemCreate(GRANULE, PINNED, 0)
        _, descriptor = one.cuMemExportToShareableHandle(memory, 1, 0)
        assert other.cuMemImportFromShareableHandle(descriptor, 1) == (999, None)
        os.close(descriptor)
        assert len(machine.processes) == len(second.processes) == 1


def test_a_machine_that_is_gone(machine: Machine) -> None:
    """Whoever calls after the end is told that the machine has ended."""
    with machine.shared(export=False) as sharing:
        client = RemoteMachine(sharing.address)
        client.here.c.cuInit(0)
    ended = "the machine of .*::test_a_machine_that_is_gone has ended"
    stay = f"{sharing.path}.*: in the test or the `with` block that starts this process"
    with pytest.raises(
        MachineClosed,
        match=f"the machine of .*::test_a_machine_that_is_gone, to which this process was attached, has ended .*{stay}",
    ):
        client.here.c.cuDeviceGetCount()
    with pytest.raises(
        MachineClosed,
        match=rf"{ended}: .*\. This process was started for the machine at socket {sharing.path}, but calls the",
    ):
        RemoteMachine(sharing.address).here.c.cuInit(0)
    with pytest.raises(
        MachineClosed, match=rf"has no shared machine now.*{sharing.path}.*in the test or the `with` block"
    ):
        RemoteMachine(sharing.path).here.c.cuInit(0)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("none/machine#1", "No such file or directory"),
        ("file#1", "Connection refused"),
        ("dead#1", "Connection refused"),
        (".#1", "Connection refused"),
    ],
)
def test_where_no_machine_answers(tmp_path: Path, place: str, reason: str) -> None:
    """The error names the place and the reason, and says what to do."""
    (tmp_path / "file").touch()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead"))
    told = rf"no machine answers at socket {tmp_path / place.partition('#')[0]} \({reason}\): .* or without the environment variable FAKECUDA_MACHINE"
    with pytest.raises(MachineClosed, match=told):
        RemoteMachine(tmp_path / place).here.c.cuInit(0)


def test_a_process_that_takes_part_no_more(sharing: Offer) -> None:
    """It hears of no machine that would have ended."""
    client = RemoteMachine(sharing.path)
    client.here.c.cuInit(0)
    client.close()
    with pytest.raises(MachineClosed, match=f"has detached from the machine at socket {sharing.path}"):
        client.here.c.cuInit(0)


OWNER = """
import sys
from fakecuda import Machine
with Machine(strict=False) as machine, machine.shared(export=False) as sharing:
    print(sharing.address, flush=True)
    sys.stdin.readline()
"""


def test_an_owner_that_dies(tmp_path: Path) -> None:
    """Between two calls and within one: the error says that it is the owner who has died, and where it was."""
    with started([sys.executable, "-c", OWNER], stdin=-1, stdout=-1, text=True, cwd=tmp_path) as owner:
        assert owner.stdout is not None
        address = owner.stdout.readline().strip()
        path = address.partition("#")[0]
        client, other = RemoteMachine(address), RemoteMachine(address)
        for c in (client.here.c, other.here.c):
            assert c.cuInit(0) == (0,)
            assert c.cuCtxCreate(None, 0, 0)[0] == 0
        stream, word = client.here.c.cuStreamCreate(1)[1], client.here.c.cuMemAlloc(4)[1]
        assert client.here.c.cuStreamWaitValue32(stream, word, 1, 1) == (0,)
        threading.Timer(0, owner.kill).start()
        told = rf"the machine of .*::test_an_owner_that_dies, .* has ended: the process that made the machine \(socket {path}\) has ended"
        with pytest.raises(MachineClosed, match=told):
            client.here.c.cuStreamSynchronize(stream)
        with pytest.raises(MachineClosed, match=told):
            other.here.c.cuCtxSynchronize()


def test_a_machine_is_shared_once(machine: Machine, sharing: Offer) -> None:
    """A second offer names the first."""
    with pytest.raises(FakeCudaError, match=sharing.address), machine.shared():
        pass


def test_a_long_path_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket may lie deeper than its address can say."""
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    monkeypatch.setattr("fakecuda.reach.remote.owner.rendezvous._reception", [])
    with Machine() as machine, machine.shared(export=False) as sharing:
        assert sharing.path.is_relative_to(deep)
        assert RemoteMachine(sharing.path).here.c.cuInit(0) == (0,)


def test_visible_devices_are_each_processes_own(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA_VISIBLE_DEVICES is read by cuInit."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    one = RemoteMachine(sharing.path).here.c
    one.cuInit(0)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    other = RemoteMachine(sharing.path).here.c
    other.cuInit(0)
    assert (one.cuDeviceGetCount(), other.cuDeviceGetCount()) == ((0, 1), (0, 2))


@pytest.mark.parametrize(("text", "mode"), [("EAGER", 1), ("eager", 1), ("LAZY", 2), ("", 2), (" EAGER", 2), (None, 2)])
def test_the_mode_of_loading_is_each_processes_own(
    sharing: Offer, monkeypatch: pytest.MonkeyPatch, text: str | None, mode: int
) -> None:
    """CUDA_MODULE_LOADING is read by cuInit, and by nothing after it."""
    monkeypatch.delenv("CUDA_MODULE_LOADING", raising=False)
    if text is not None:
        monkeypatch.setenv("CUDA_MODULE_LOADING", text)
    c = RemoteMachine(sharing.path).here.c
    c.cuInit(0)
    monkeypatch.setenv("CUDA_MODULE_LOADING", "LAZY" if mode == 1 else "EAGER")
    assert c.cuModuleGetLoadingMode() == (0, mode)


@pytest.mark.parametrize("initialised", [False, True])
def test_a_fork_is_another_process(start: Start, *, initialised: bool) -> None:
    """Forked before cuInit it may call it; forked after, it has no driver, as on a real machine."""
    child = start()
    child.call("cuDriverGetVersion")
    if initialised:
        ready(child)
    assert child.call("fork") == ((3, 3, 0) if initialised else (0, 0, 0))


@pytest.mark.parametrize("in_graph", [False, True])
def test_host_functions_run_in_the_process(sharing: Offer, *, in_graph: bool) -> None:
    """A stream calls the function of the process that launched it, alone or in a graph. It may make no calls."""
    c = RemoteMachine(sharing.path).here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    seen: list[object] = []

    def function(data: int) -> None:
        seen.append((data, c.cuCtxGetCurrent()[0], c.cuDriverGetVersion()[0]))

    kept = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)
    address = ctypes.cast(kept, ctypes.c_void_p).value
    if in_graph:
        graph = c.cuGraphCreate(0)[1]
        c.cuGraphAddHostNode(graph, None, 0, (address, 42))
        assert c.cuGraphLaunch(c.cuGraphInstantiate(graph, 0)[1], 0) == (0,)
    else:
        assert c.cuLaunchHostFunc(0, address, 42) == (0,)
    assert c.cuStreamSynchronize(0) == (0,)
    assert seen == [(42, 800, 0)]


def test_a_launch_reads_its_arguments_in_the_process(sharing: Offer) -> None:
    """The arguments lie in the client's memory; the owner asks for them."""
    c = RemoteMachine(sharing.path).here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX)[1], b"store")[1]
    memory = c.cuMemAlloc(16)[1]
    arguments = ctypes.c_uint64(memory), ctypes.c_uint32(7)
    places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
    assert c.cuLaunchKernel(function, *[1] * 6, 0, 0, ctypes.addressof(places), 0) == (0,)
    back = ctypes.c_uint32()
    assert c.cuMemcpyDtoH(ctypes.addressof(back), memory, 4) == (0,)
    assert back.value == 7
    stream, arguments[1].value = c.cuStreamCreate(1)[1], 9
    assert c.cuStreamBeginCapture(stream, 0) == (0,)
    assert c.cuLaunchKernel(function, *[1] * 6, 0, stream, ctypes.addressof(places), 0) == (0,)
    executable = c.cuGraphInstantiate(c.cuStreamEndCapture(stream)[1], 0)[1]
    assert c.cuGraphLaunch(executable, stream) == c.cuStreamSynchronize(stream) == (0,)
    assert c.cuMemcpyDtoH(ctypes.addressof(back), memory, 4) == (0,)
    assert back.value == 9


def test_a_call_of_a_fork_that_raises_leaves_the_lock_as_it_was() -> None:
    """It is held around the call, too, and let go once for each."""

    def short(_: object) -> None:
        msg = "no memory is left"
        raise FakeCudaError(msg)

    op = Op("cuInit", DRIVER, short)
    with Machine("h200") as machine:
        fork = Attached(machine, "fork")
        fork.forked_from, fork.state = machine.spawn("parent"), FORKED
        with pytest.raises(FakeCudaError, match="no memory"), fork.borrowing():
            op.invoke(fork.thread_of("main").call)
        assert not is_held(machine)


def test_linked_code_lies_in_the_process(machine: Machine, sharing: Offer) -> None:
    """What cuLinkComplete returns can be read by the process, and loaded from there; long code, too."""
    program = (
        "import ctypes, sys\n"
        "from conformance.kit.kernels import PTX\n"
        "from fakecuda.model.code.image import image_at\n"
        "from fakecuda.reach.remote.client.client import RemoteMachine\n"
        "c = RemoteMachine(sys.argv[1]).here.c\n"
        "c.cuInit(0); c.cuCtxCreate(None, 0, 0)\n"
        "_, state = c.cuLinkCreate(0, None, None)\n"
        "text = PTX + b'//' + b'-' * 100000 + b'\\n'\n"
        "assert c.cuLinkAddData(state, 1, text, len(text), None, 0, None, None) == (0,)\n"
        "code, place, size = c.cuLinkComplete(state)\n"
        "assert code == 0\n"
        "image = ctypes.string_at(place, size)\n"
        "assert image == image_at(place)\n"
        "code, module = c.cuModuleLoadData(image)\n"
        "assert code == 0\n"
        "assert c.cuModuleGetFunction(module, b'store')[0] == 0\n"
        "assert c.cuLinkDestroy(state) == (0,)\n"
    )
    assert run(program, sharing) == 0
    assert machine.pinned.used == 0
