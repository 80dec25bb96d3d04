"""The ways in which programs are seen to call libcudart through ctypes: how they find it, declare it, and share memory."""

from __future__ import annotations

import ctypes
import ctypes.util
import pickle
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.reach.install.loading import MAPS
from tests.plugin.test_ctypes_cudart import Handle64, Handle128

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine

linux = pytest.mark.skipif(not MAPS.exists(), reason="the system does not tell what is mapped")
SIZE = 4096
PEER = 1
"""cudaIpcMemLazyEnablePeerAccess."""
NOT_READY = 600


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine of two devices."""
    with fakecuda.simulate("h200-x2") as made:
        yield made


def mapped() -> list[str]:
    """Return the lines of the memory map that have a path."""
    return [line for line in MAPS.read_text().splitlines() if "/" in line]


SEARCHES: dict[str, Callable[[], str]] = {
    "a part of the name": lambda: next(line[line.index("/") :] for line in mapped() if "libcudart" in line),
    "the name to its version": lambda: next(
        line[line.index("/") :]
        for line in mapped()
        if line.rpartition("/")[2].startswith(("libcudart.so", "libcudart-"))
    ),
    "the last word": lambda: next(
        line.rsplit(maxsplit=1)[-1] for line in mapped() if "libcudart.so" in line.rsplit(maxsplit=1)[-1]
    ),
    "an expression": lambda: next(
        found[1]
        for line in MAPS.read_text().splitlines()
        if (found := re.match(r"[0-9a-f]+-[0-9a-f]+ r-[-x]p [0-9a-f]+ \S+ \d+\s+(/\S*libcudart\.so[.\d]*)$", line))
    ),
}


@linux
@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_memory_map_is_searched(search: Callable[[], str]) -> None:
    """Each way finds a file that is there, and that loads."""
    path = search()
    assert Path(path).name.rpartition(".so")[0] == "libcudart"
    assert ctypes.CDLL(path).cudaSetDevice(0) == 0


NAMES: dict[str, Callable[[], Any]] = {
    "without a version": lambda: ctypes.CDLL("libcudart.so"),
    "of another version": lambda: ctypes.CDLL("libcudart.so.11.0"),
    "with a mode": lambda: ctypes.CDLL("libcudart.so.12", mode=ctypes.RTLD_GLOBAL),
    "by position": lambda: ctypes.CDLL("libcudart.so.12", ctypes.RTLD_GLOBAL),
    "with options": lambda: ctypes.CDLL("libcudart.so.13", use_errno=True),
    "a path": lambda: ctypes.CDLL("/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudart.so.13.0.96"),
    "a wheel's": lambda: ctypes.CDLL(str(Path("nvidia/cuda_runtime/lib/libcudart.so.12").absolute())),
    "bytes": lambda: ctypes.CDLL(b"libcudart.so"),  # type: ignore[arg-type] # it takes them
    "the loader": lambda: ctypes.cdll.LoadLibrary("libcudart.so.12"),
    "an item of the loader": lambda: ctypes.cdll["libcudart.so.12"],
    "with the lock held": lambda: ctypes.PyDLL("libcudart.so"),
    "what the system finds": lambda: ctypes.CDLL(ctypes.util.find_library("cudart")),
}


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("load", NAMES.values(), ids=NAMES)
def test_the_library_is_loaded_by_any_name(load: Callable[[], Any]) -> None:
    """It is a CDLL, and says its name; on a machine without one, the first try is enough."""
    library = load()
    assert isinstance(library, ctypes.CDLL)
    assert "libcudart" in repr(library)
    count = ctypes.c_int(-1)
    assert library.cudaGetDeviceCount(ctypes.byref(count)) == 0
    assert count.value == 2


def test_the_system_finds_what_it_found() -> None:
    """Other libraries, and libcudart again as soon as no machine is there."""
    before = ctypes.util.find_library
    with fakecuda.simulate(), fakecuda.simulate():
        assert ctypes.util.find_library("cudart") == "libcudart.so.13"
        assert ctypes.util.find_library("m") == before("m")
    assert ctypes.util.find_library is before


@pytest.mark.usefixtures("machine")
def test_functions_that_are_not_there() -> None:
    """A program asks whether a function is there before it is declared; the answer is no, as of the real library."""
    library = ctypes.CDLL("libcudart.so")
    assert not hasattr(library, "mcExtMallocWithFlags")
    assert getattr(library, "hipSetDevice", None) is None
    with pytest.raises(AttributeError, match=r"libcudart\.so: undefined symbol: hipSetDevice"):
        _ = library["hipSetDevice"]
    assert hasattr(library, "cudaIpcOpenMemHandle")


@pytest.mark.usefixtures("machine")
def test_functions_are_declared_once_for_each_library() -> None:
    """An attribute is the same function each time, with its types; an item and another library have their own."""
    one, other = ctypes.CDLL("libcudart.so"), ctypes.CDLL("libcudart.so")
    one.cudaGetErrorString.restype = ctypes.c_char_p
    one.cudaGetErrorString.argtypes = [ctypes.c_int]
    assert one.cudaGetErrorString is one.cudaGetErrorString
    assert one.cudaGetErrorString(1) == b"invalid argument"
    assert one["cudaGetErrorString"].restype is other.cudaGetErrorString.restype is ctypes.c_int
    assert isinstance(other.cudaGetErrorString(1), int)
    with pytest.raises(ctypes.ArgumentError):
        one.cudaGetErrorString("1")


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("code_type", [ctypes.c_int, ctypes.c_uint, ctypes.c_int32, None])
def test_results_through_pointers_of_any_declaration(code_type: Any) -> None:
    """byref, pointer and an array, with the out-parameter declared as a pointer to a pointer, as void*, or not at all."""
    library = ctypes.CDLL("libcudart.so")
    declared: Any
    for declared in (None, [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t], [ctypes.c_void_p, ctypes.c_size_t]):
        malloc = library["cudaMalloc"]
        malloc.restype = code_type
        if declared is not None:
            malloc.argtypes = declared
        for shape in (ctypes.byref, ctypes.pointer):
            pointer = ctypes.c_void_p()
            assert malloc(shape(pointer), ctypes.c_size_t(SIZE)) in {0, None}
            assert pointer.value is not None
            assert pointer.value >> 32
            assert library.cudaFree(pointer) == 0


@pytest.mark.usefixtures("machine")
def test_errors_are_checked_by_the_function() -> None:
    """``errcheck`` sees the code, the function and its arguments."""
    library = ctypes.CDLL("libcudart.so")
    seen: list[Any] = []

    def check(code: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
        seen.append((code, function.__name__, len(arguments)))
        return -code

    library.cudaSetDevice.errcheck = check
    library.cudaSetDevice.argtypes = [ctypes.c_int]
    assert library.cudaSetDevice(7) == -101
    assert seen == [(101, "cudaSetDevice", 1)]
    assert library.cudaGetLastError() == 101


@pytest.mark.usefixtures("machine")
def test_numbers_without_declarations() -> None:
    """Attributes, limits, versions, memory and peers, as programs ask that link nothing."""
    library = ctypes.CDLL("libcudart.so.12")
    number, other = ctypes.c_int(), ctypes.c_int()
    assert library.cudaDeviceGetAttribute(ctypes.byref(number), 75, 0) == 0
    assert library.cudaDeviceGetAttribute(ctypes.byref(other), ctypes.c_int(76), ctypes.c_int(0)) == 0
    assert (number.value, other.value) == (9, 0)
    assert library.cudaRuntimeGetVersion(ctypes.byref(number)) == library.cudaDriverGetVersion(ctypes.byref(other)) == 0
    assert number.value // 1000 == other.value // 1000 == 13
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    assert library.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)) == 0
    assert 0 < free.value < total.value
    assert library.cudaDeviceCanAccessPeer(ctypes.byref(number), 0, 1) == 0
    assert number.value == 1
    limit = ctypes.cast((ctypes.c_int * 2)(), ctypes.POINTER(ctypes.c_int))
    assert library.cudaDeviceGetLimit(limit, ctypes.c_int(5)) == 0
    assert library.cudaDeviceSetLimit(ctypes.c_int(5), ctypes.c_int(128)) == 0
    assert library.cudaDeviceGetLimit(limit, ctypes.c_int(5)) == 0
    assert limit.contents.value == 128
    bus = ctypes.create_string_buffer(32)
    assert library.cudaDeviceGetPCIBusId(bus, len(bus), 0) == 0
    assert library.cudaDeviceGetByPCIBusId(ctypes.byref(number), bus) == 0
    assert number.value == 0


@pytest.mark.filterwarnings("ignore::fakecuda.HandleSizeWarning")
@pytest.mark.parametrize("kind", [Handle64, Handle128])
def test_handles_travel_as_bytes_and_pickled(machine: Machine, kind: Any) -> None:
    """What ranks gather: structs themselves, their bytes, and structs that are filled from those."""
    library = machine.here.cudart
    pointer = ctypes.c_void_p()
    library.cudaMalloc(ctypes.byref(pointer), SIZE)
    handle = kind()
    assert library.cudaIpcGetMemHandle(ctypes.byref(handle), pointer) == 0
    assert library.cudaIpcGetMemHandle(ctypes.pointer(handle), pointer) == 0
    copies = [kind.from_buffer_copy(bytes(handle)), pickle.loads(pickle.dumps(handle))]  # noqa: S301 - our own
    filled = kind()
    ctypes.memmove(ctypes.byref(filled), bytes(handle), len(bytes(handle)))
    theirs = machine.spawn().cudart
    theirs.cudaSetDevice(1)
    opening = theirs.cudaIpcOpenMemHandle
    opening.argtypes = [ctypes.POINTER(ctypes.c_void_p), kind, ctypes.c_uint]
    for each in (*copies, filled):
        opened = ctypes.c_void_p()
        assert opening(ctypes.byref(opened), each, PEER) == 0
        assert opened.value
        assert theirs.cudaMemset(opened, 5, SIZE) == 0
        assert theirs.cudaIpcCloseMemHandle(opened) == 0
    assert library.cudaDeviceSynchronize() == 0
    room = (ctypes.c_char * 4)()
    assert library.cudaMemcpy(room, pointer, 4, 4) == 0
    assert room.raw == b"\5\5\5\5"


def test_an_array_is_no_struct(machine: Machine) -> None:
    """What is passed is its address, so the library takes 64 bytes of something else for the handle; the real one does, too."""
    library = machine.here.cudart
    pointer, opened = ctypes.c_void_p(), ctypes.c_void_p()
    library.cudaMalloc(ctypes.byref(pointer), SIZE)
    handle = (ctypes.c_byte * 64)()
    assert library.cudaIpcGetMemHandle(ctypes.byref(handle), pointer) == 0
    theirs = machine.spawn().cudart
    same = (ctypes.c_byte * 64)(*handle)
    assert theirs.cudaIpcOpenMemHandle(ctypes.byref(opened), same, ctypes.c_uint(PEER))
    assert not opened.value


def test_events_and_streams(machine: Machine) -> None:
    """Handles are void*, null is the default stream, and an event of another process comes by value."""
    library = machine.here.cudart
    stream, start, stop, shared = (ctypes.c_void_p() for _ in range(4))
    assert library.cudaStreamCreateWithFlags(ctypes.byref(stream), 1) == 0
    assert library.cudaEventCreate(ctypes.byref(start)) == library.cudaEventCreate(ctypes.byref(stop)) == 0
    assert library.cudaEventRecord(start, None) == library.cudaEventRecord(stop, stream) == 0
    assert library.cudaEventSynchronize(stop) == 0
    elapsed = ctypes.c_float(-1)
    assert library.cudaEventElapsedTime(ctypes.byref(elapsed), start, stop) == 0
    assert elapsed.value >= 0
    assert library.cudaEventCreateWithFlags(ctypes.byref(shared), 6) == 0
    handle = Handle64()
    assert library.cudaIpcGetEventHandle(ctypes.byref(handle), shared) == 0
    theirs = machine.spawn().cudart
    opened = ctypes.c_void_p()
    assert theirs.cudaIpcOpenEventHandle(ctypes.byref(opened), handle) == 0
    assert theirs.cudaStreamWaitEvent(None, opened, 0) == theirs.cudaEventDestroy(opened) == 0
    assert library.cudaEventDestroy(shared) == library.cudaEventDestroy(stop) == 0
    assert library.cudaStreamSynchronize(stream) == library.cudaStreamDestroy(stream) == 0


def test_work_that_is_not_done() -> None:
    """A query answers cudaErrorNotReady, and the bytes come when somebody waits."""
    with fakecuda.simulate("h200", completion="manual") as machine:
        library = machine.here.cudart
        stream, pointer, host = (ctypes.c_void_p() for _ in range(3))
        library.cudaStreamCreate(ctypes.byref(stream))
        library.cudaMalloc(ctypes.byref(pointer), SIZE)
        library.cudaHostAlloc(ctypes.byref(host), ctypes.c_size_t(SIZE), 0)
        assert host.value is not None
        view = (ctypes.c_ubyte * SIZE).from_address(host.value)
        assert library.cudaMemsetAsync(pointer, 3, ctypes.c_size_t(SIZE), stream) == 0
        assert library.cudaMemcpyAsync(host, pointer, ctypes.c_size_t(SIZE), 2, stream) == 0
        assert library.cudaStreamQuery(stream) == NOT_READY
        assert library.cudaStreamSynchronize(stream) == library.cudaStreamQuery(stream) == 0
        assert set(view) == {3}


def test_functions_of_the_program_are_called(machine: Machine) -> None:
    """A CFUNCTYPE is passed as it is; its argument is what the program gave."""
    library = machine.here.cudart
    called: list[Any] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called.append)
    assert library.cudaLaunchHostFunc(None, function, ctypes.c_void_p(77)) == 0
    assert library.cudaDeviceSynchronize() == 0
    assert called == [77]


def test_each_thread_has_its_device_and_its_error(machine: Machine) -> None:
    """A library is shared by threads, as its functions are."""
    library = machine.here.cudart
    assert library.cudaSetDevice(1) == 0
    found: list[int] = []

    def ask() -> None:
        device = ctypes.c_int(-1)
        library.cudaGetDevice(ctypes.byref(device))
        found.extend((device.value, library.cudaSetDevice(9), library.cudaGetLastError()))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found == [0, 101, 101]
    assert library.cudaGetLastError() == 0


def test_a_text_is_asked_for_wrongly(machine: Machine) -> None:
    """With an argument too many and no declaration there is half of an address, as of the real library; no harm is done."""
    library = machine.here.cudart
    text = ctypes.c_char_p()
    assert isinstance(library.cudaGetErrorString(2, ctypes.byref(text)), int)
    assert text.value is None
    assert library.cudaGetLastError() == 0
