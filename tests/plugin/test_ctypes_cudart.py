"""Code that calls libcudart through ctypes, in the ways in which projects do, reaches the machine."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

import fakecuda
from fakecuda import FakeCuda
from fakecuda.model.memory import space
from fakecuda.reach.install.loading import MAPS, is_cudart
from fakecuda.reach.remote import VARIABLE

linux = pytest.mark.skipif(not MAPS.exists(), reason="the system does not tell what is mapped")
PAGE = 4096


class Handle128(ctypes.Structure):
    """An IPC handle as some projects declare it, with another size."""

    _fields_ = (("internal", ctypes.c_byte * 128),)


class Handle64(ctypes.Structure):
    """An IPC handle with its real size."""

    _fields_ = (("reserved", ctypes.c_char * 64),)


@dataclass
class Wanted:
    """A function of the library and its types."""

    name: str
    restype: Any
    argtypes: list[Any] = field(default_factory=list)


class Wrapper:
    """A wrapper of the library as in serving engines: typed functions and errors."""

    handle: ClassVar[Any] = Handle128
    WANTED = (
        Wanted("cudaSetDevice", ctypes.c_int, [ctypes.c_int]),
        Wanted("cudaDeviceSynchronize", ctypes.c_int),
        Wanted("cudaDeviceReset", ctypes.c_int),
        Wanted("cudaGetErrorString", ctypes.c_char_p, [ctypes.c_int]),
        Wanted("cudaMalloc", ctypes.c_int, [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]),
        Wanted("cudaFree", ctypes.c_int, [ctypes.c_void_p]),
        Wanted("cudaMemset", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]),
        Wanted("cudaMemcpy", ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]),
    )

    def __init__(self, path: str | None = None) -> None:
        path = path or next(iter(loaded_libraries("libcudart")), None)
        assert path is not None, "libcudart is not loaded in the current process"
        self.lib = ctypes.CDLL(path)
        self.functions = {}
        kind = self.handle
        ipc = (
            Wanted("cudaIpcGetMemHandle", ctypes.c_int, [ctypes.POINTER(kind), ctypes.c_void_p]),
            Wanted("cudaIpcOpenMemHandle", ctypes.c_int, [ctypes.POINTER(ctypes.c_void_p), kind, ctypes.c_uint]),
        )
        for one in (*self.WANTED, *ipc):
            function = getattr(self.lib, one.name)
            function.restype = one.restype
            function.argtypes = one.argtypes
            self.functions[one.name] = function

    def __getattr__(self, name: str) -> Any:
        """Return a call that raises what the library answers."""

        def call(*args: Any) -> None:
            code = self.functions[name](*args)
            if code:
                text = self.functions["cudaGetErrorString"](code).decode()
                msg = f"CUDART error: {text}"
                raise RuntimeError(msg)

        return call

    def malloc(self, size: int) -> ctypes.c_void_p:
        """Return new memory."""
        pointer = ctypes.c_void_p()
        self.cudaMalloc(ctypes.byref(pointer), size)
        return pointer

    def share(self, pointer: ctypes.c_void_p) -> Any:
        """Return the IPC handle of memory."""
        made = self.handle()
        self.cudaIpcGetMemHandle(ctypes.byref(made), pointer)
        return made

    def open(self, handle: Any) -> ctypes.c_void_p:
        """Return the memory of another process."""
        pointer = ctypes.c_void_p()
        self.cudaIpcOpenMemHandle(ctypes.byref(pointer), handle, 1)
        return pointer


class Wrapper64(Wrapper):
    """The wrapper with the real size of a handle."""

    handle = Handle64


def loaded_libraries(name: str) -> list[str]:
    """Return the paths of loaded libraries of a name, as the memory map tells them."""
    paths = dict.fromkeys(line[line.index("/") :].strip() for line in space.maps().splitlines() if name in line)
    assert all(path.rpartition("/")[2].rpartition(".so")[0].startswith(name) for path in paths)
    return list(paths)


@linux
@pytest.mark.filterwarnings("ignore::fakecuda.HandleSizeWarning")
@pytest.mark.parametrize("kind", [Wrapper, Wrapper64])
def test_a_wrapper_finds_the_library_and_shares_memory(fakecuda: FakeCuda, kind: type[Wrapper]) -> None:
    """It is found in the memory map; the handle opens in another process, by value and in either declaration."""
    cuda = kind()
    cuda.cudaSetDevice(1)
    pointer = cuda.malloc(PAGE)
    cuda.cudaMemset(pointer, 7, PAGE)
    room = ctypes.create_string_buffer(16)
    cuda.cudaMemcpy(room, pointer, 16, 2)
    assert room.raw == b"\7" * 16
    handle = cuda.share(pointer)
    b = fakecuda.spawn()
    code, theirs = b.c.cudaIpcOpenMemHandle(bytes(handle)[:64], 1)
    assert code == 0
    assert b.c.cudaMemset(theirs, 9, 4) == (0,)
    assert b.c.cudaDeviceSynchronize() == (0,)
    cuda.cudaMemcpy(room, pointer, 16, 2)
    assert room.raw[:5] == b"\t\t\t\t\7"
    mine = cuda.open(kind.handle.from_buffer_copy(b.c.cudaIpcGetMemHandle(b.c.cudaMalloc(PAGE)[1])[1].ljust(128)))
    cuda.cudaMemset(mine, 1, PAGE)
    with pytest.raises(RuntimeError, match="invalid device context"):
        cuda.open(handle)


def test_a_handle_that_is_declared_too_large_is_told_of(fakecuda: FakeCuda) -> None:
    """It works, as with the real library."""
    cuda = Wrapper("libcudart.so")
    pointer = cuda.malloc(PAGE)
    with pytest.warns(fakecuda.HandleSizeWarning, match="Handle128 has 128 bytes, but cudaIpcMemHandle_t has 64"):
        cuda.share(pointer)


def test_a_handle_that_is_declared_too_small_is_refused(fakecuda: FakeCuda) -> None:
    """The real library would write past its end."""
    cuda = Wrapper64("libcudart.so.12")
    pointer = cuda.malloc(PAGE)
    small = (ctypes.c_char * 8)()
    library = ctypes.CDLL("libcudart.so.13")
    with pytest.raises(fakecuda.FakeCudaError, match="has 8 bytes"):
        library.cudaIpcGetMemHandle(ctypes.byref(small), pointer)
    with pytest.raises(fakecuda.FakeCudaError, match="has 8 bytes"):
        library.cudaIpcGetMemHandle(ctypes.cast(small, ctypes.POINTER(ctypes.c_char * 8)), pointer)


def test_without_types_ctypes_passes_ints(fakecuda: FakeCuda) -> None:
    """A pointer that is a Python int loses its upper half, as it does with the real library."""
    library = ctypes.cdll.LoadLibrary("/usr/local/cuda/lib64/libcudart.so")
    assert isinstance(library, ctypes.CDLL)
    pointer = ctypes.c_void_p()
    assert library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(PAGE)) == 0
    assert pointer.value is not None
    assert library.cudaFree(ctypes.c_void_p(pointer.value & 0xFFFF_FFFF)) == (1 if pointer.value & 0xFFFF_FFFF else 0)
    assert library.cudaFree(pointer) == 0
    count = ctypes.c_int()
    assert library["cudaGetDeviceCount"](ctypes.byref(count)) == 0
    assert count.value == len(fakecuda.machine.devices)
    assert library.cudaGetDeviceCount(None) == 1
    assert library.cudaGetLastError() == 1


def test_all_doors_of_a_process_are_one(fakecuda: FakeCuda) -> None:
    """What the library made the driver's module frees, and ``process.cudart`` of this process is the same."""
    pointer = ctypes.c_void_p()
    assert ctypes.CDLL("libcudart.so").cudaMalloc(ctypes.byref(pointer), PAGE) == 0
    assert fakecuda.here.driver.cuMemFree(pointer.value) == (0,)
    assert fakecuda.here.cudart.cudaFree(pointer) == 1
    assert fakecuda.cudart().cudaPeekAtLastError() == 1


def test_structs_of_every_size(fakecuda: FakeCuda) -> None:
    """By value and through pointers."""
    sizes = ctypes.c_size_t * 3
    rows = (ctypes.c_size_t * 4)()

    class Extent(ctypes.Structure):
        _fields_ = (("sizes", sizes),)

    class Pitched(ctypes.Structure):
        _fields_ = (("members", ctypes.c_size_t * 4),)

    library = fakecuda.cudart()
    extent = Extent(sizes(100, 10, 3))
    assert library.cudaMalloc3D(ctypes.byref(rows), extent) == 0
    assert list(rows)[1:] == [512, 100, 10]
    assert library.cudaMemset3D(Pitched(rows), 7, extent) == 0
    properties = ctypes.create_string_buffer(2048)
    assert library.cudaGetDeviceProperties(properties, 0) == 0
    assert properties.value.decode() == fakecuda.machine.devices[0].profile.name


def test_a_function_that_is_not_modelled_says_so(fakecuda: FakeCuda) -> None:
    """Once; a name that the library does not have is no attribute."""
    library = fakecuda.cudart()
    with pytest.warns(fakecuda.NotModelledWarning, match="cudaGraphicsMapResources is not modelled"):
        assert library.cudaGraphicsMapResources(0, None, None) == 801
    assert library.cudaGraphicsMapResources(0, None, None) == library.cudaGetLastError() == 801
    with pytest.raises(AttributeError, match="undefined symbol: cudaNothing"):
        _ = library.cudaNothing


def test_undefined_behaviour_is_raised_at_the_call(fakecuda: FakeCuda) -> None:
    """It does not get lost in C."""
    a, library = fakecuda.here, fakecuda.cudart()
    pointer = ctypes.c_void_p()
    library.cudaMalloc(ctypes.byref(pointer), PAGE)
    b = fakecuda.spawn()
    b.c.cudaIpcOpenMemHandle(a.c.cudaIpcGetMemHandle(pointer.value)[1], 1)
    with fakecuda.expect_undefined("memory.mem_free.NO_IMPORTER_IS_OPEN"), pytest.raises(fakecuda.UndefinedBehaviour):
        library.cudaFree(pointer)


def test_a_library_that_is_kept_leads_to_each_machine_in_turn() -> None:
    """Between machines it leads to one without devices; what is loaded then is loaded."""
    with fakecuda.simulate("h200"):
        kept = ctypes.CDLL("libcudart.so.13")
        assert kept.cudaSetDevice(1) == 101
    assert kept.cudaSetDevice(0) == 100
    with fakecuda.simulate("h200-x2") as inner:
        assert kept.cudaSetDevice(1) == 0
        assert inner.log[-1].call == "cudaSetDevice"
    with pytest.raises(OSError, match="libcudart-none"):
        ctypes.CDLL("/nowhere/libcudart-none.so.13")
    assert ctypes.CDLL.__init__.__module__ == "ctypes"


@linux
def test_the_file_in_the_map_is_one_for_all_machines() -> None:
    """It is no library, and is made by nobody, so that nothing is left of a process that is killed."""
    linked = loaded_libraries("libcudart")  # programs' libraries, which stay in a process that has linked to them
    with fakecuda.simulate():
        (path,) = set(loaded_libraries("libcudart")) - set(linked)
        assert "not a library" in Path(path).read_text(errors="replace")
        script = "import fakecuda\nwith fakecuda.simulate():\n    print(open('/proc/self/maps').read())"
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        env.pop(VARIABLE, None)  # a process of its own, which attaches to nothing
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
        other = next(line for line in done.stdout.splitlines() if "libcudart" in line).split()[-1]
        assert other == path
    assert path not in space.maps()


def test_what_is_a_libcudart() -> None:
    """Files of that name, also those that wheels give a name of their own; a path or bytes."""
    for name in (
        "libcudart.so",
        "/x/libcudart.so.12",
        "libcudart-d0da41ae.so.11.0",
        b"libcudart.so",
        Path("libcudart.so"),
    ):
        assert is_cudart(name)
    for other in (None, 5, "libcuda.so.1", "libcudart_static.a", "libcudart_static.so", "notlibcudart.so", "cudart"):
        assert not is_cudart(other)


def test_who_looks_for_files_is_left_to_find_them(fakecuda: FakeCuda) -> None:
    """RTLD_NOLOAD asks if a library is loaded, which none is; cuda.pathfinder looks for files, and of this name is none."""
    assert fakecuda.machine
    with pytest.raises(OSError):  # noqa: PT011 - the loader says what it likes
        ctypes.CDLL("libcudart.so.77", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    with pytest.raises(OSError):  # noqa: PT011 - likewise
        ctypes.CDLL("libcudart.so.77", os.RTLD_NOLOAD)
    assert ctypes.CDLL("libcudart.so.13", os.RTLD_GLOBAL).cudaGetLastError() == 0
    search = "import ctypes\nctypes.CDLL('libcudart.so.77')"
    exec(search, {"__name__": "elsewhere"})  # noqa: S102 - a module of any name
    with pytest.raises(OSError):  # noqa: PT011 - likewise
        exec(search, {"__name__": "cuda.pathfinder.search"})  # noqa: S102 - likewise


def test_the_binding_tells_the_version_of_the_library(fakecuda: FakeCuda) -> None:
    """It would look for a file, whose version is the machine's."""
    runtime = pytest.importorskip("cuda.bindings.runtime")
    assert runtime.getLocalRuntimeVersion() == runtime.cudaRuntimeGetVersion()
    assert runtime.getLocalRuntimeVersion() == (0, fakecuda.here.runtime_version)
