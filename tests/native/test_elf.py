"""The shared object: what loaders and linkers see of it, and what its stubs do with calls."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.reach.native import elf, stubs
from fakecuda.reach.native.library import write_library
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

NAMES = ["cuFirst", "cuSecond", "cuThird"]
ANSWER = ctypes.c_uint64
gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


class Loaded:
    """A loaded shared object.

    Args:
        path: Its file.
        names: Its symbols.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.all = ctypes.CDLL(str(path))
        self.names = names
        self.table = (ctypes.c_uint64 * len(names)).in_dll(self.all, "fakecuda_table")
        self.kept: list[Any] = []

    def bind(self, name: str, prototype: Any, function: Any) -> Any:
        """Bind a symbol, and return it as a function with the prototype's arguments."""
        callback = prototype(function)
        self.kept.append(callback)
        self.table[self.names.index(name)] = ctypes.cast(callback, ctypes.c_void_p).value or 0
        stub = getattr(self.all, name)
        stub.argtypes = prototype._argtypes_
        return stub


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    """A small shared object."""
    path = tmp_path / "small.so"
    path.write_bytes(elf.shared_object(NAMES, soname="small.so", default=7))
    return Loaded(path, NAMES)


def noting(seen: list[Any]) -> Callable[..., int]:
    """Return a callback that succeeds and keeps its arguments, structs as bytes."""

    def note(*args: Any) -> int:
        seen.append(tuple(bytes(arg) if isinstance(arg, ctypes.Structure) else arg for arg in args))
        return stubs.TAG << 32

    return note


def programs(content: bytes) -> list[tuple[int, ...]]:
    """Return the program headers of an ELF file: type, flags, offset, address, physical address, two sizes, alignment."""
    start, size, count = (
        struct.unpack_from("<Q", content, 32)[0],
        *struct.unpack_from("<HH", content, 54),
    )
    return [struct.unpack_from("<IIQQQQQQ", content, start + size * number) for number in range(count)]


def test_no_segment_is_writable_and_executable() -> None:
    """Code cannot be written, data and stack cannot be run."""
    headers = programs(elf.shared_object(NAMES))
    assert all(header[1] & 3 != 3 for header in headers)
    assert [header[1] for header in headers if header[0] == elf.GNU_STACK] == [elf.READ | elf.WRITE]
    assert [header[1] for header in headers if header[0] == elf.LOAD] == [4, 5, 6]


def test_segments_lie_in_pages_of_their_own() -> None:
    """A loader maps whole pages: no page has two protections, and offsets agree with addresses."""
    content = elf.shared_object([symbol.name for symbol in symbols()])
    loads = [header for header in programs(content) if header[0] == elf.LOAD]
    for (*_, end_of), following in zip(((h[3] + h[5],) for h in loads), loads[1:], strict=False):
        assert end_of <= following[3]
    assert all(header[2] % header[7] == header[3] % header[7] == 0 for header in loads)
    assert all(header[2] + header[5] <= len(content) for header in loads)


def test_it_is_the_same_each_time() -> None:
    """Nothing but the arguments is in it."""
    assert elf.shared_object(NAMES) == elf.shared_object(NAMES)
    assert elf.shared_object(NAMES) != elf.shared_object(NAMES[::-1])


def test_unknown_processors_are_refused() -> None:
    """The error names the processors that are known."""
    with pytest.raises(
        ValueError,
        match="fakecuda has no driver library for the processor riscv64: use a computer with one of x86_64, aarch64",
    ):
        elf.shared_object(NAMES, machine="riscv64")


def test_every_symbol_of_the_driver_resolves(tmp_path: Path) -> None:
    """All 719 functions are found by name, each at an address of its own, and answer the default."""
    library = ctypes.CDLL(str(write_library(tmp_path)))
    addresses = {ctypes.cast(getattr(library, symbol.name), ctypes.c_void_p).value for symbol in symbols()}
    assert len(addresses) == len(symbols()) == 719
    assert {getattr(library, symbol.name)() for symbol in symbols()} == {stubs.NOT_INITIALIZED}
    assert not hasattr(library, "cuNone")


def test_an_empty_slot_answers_the_default(loaded: Loaded) -> None:
    """The default can be changed while the library is in use."""
    assert loaded.all.cuSecond() == 7
    ctypes.c_uint32.in_dll(loaded.all, "fakecuda_default").value = 0
    assert loaded.all.cuSecond() == 0


def test_sixteen_integers_arrive(loaded: Loaded) -> None:
    """Six arguments come in registers, ten on the stack."""
    seen: list[tuple[int, ...]] = []
    prototype = ctypes.CFUNCTYPE(ANSWER, *[ctypes.c_uint64] * 16)
    stub = loaded.bind("cuFirst", prototype, noting(seen))
    values = tuple(0xFEDC_BA98_0000_0000 + number for number in range(16))
    assert stub(*values) == 0
    assert seen == [values]


def test_floats_arrive(loaded: Loaded) -> None:
    """Floats come in vector registers, beside the integers."""
    seen: list[tuple[float, ...]] = []
    kinds: list[Any] = [ctypes.c_float, ctypes.c_int32] * 8
    prototype = ctypes.CFUNCTYPE(ANSWER, ctypes.c_uint64, *kinds)
    stub = loaded.bind("cuFirst", prototype, noting(seen))
    values = (1, *(value for number in range(8) for value in (number + 0.5, -number)))
    assert stub(*values) == 0
    assert seen == [values]


@pytest.mark.parametrize("size", [8, 64])
def test_structs_by_value_arrive(loaded: Loaded, size: int) -> None:
    """A struct of 64 bytes, the IPC handles' size, lies on the stack among the arguments; one of 8 in a register."""

    class Struct(ctypes.Structure):
        _fields_ = (("content", ctypes.c_uint8 * size),)

    seen: list[tuple[Any, ...]] = []
    prototype = ctypes.CFUNCTYPE(ANSWER, ctypes.c_uint64, Struct, *[ctypes.c_uint32] * 6)
    stub = loaded.bind("cuThird", prototype, noting(seen))
    value = Struct.from_buffer_copy(bytes(range(size)))
    assert stub(5, value, *range(6)) == 0
    assert seen == [(5, bytes(range(size)), *range(6))]


@pytest.mark.parametrize("code", [0, 1, 801, 999, 0xFFFFFFFF])
def test_a_tagged_answer_is_the_code(loaded: Loaded, code: int) -> None:
    """The lower half is answered."""
    stub = loaded.bind("cuFirst", ctypes.CFUNCTYPE(ANSWER), lambda: stubs.TAG << 32 | code)
    stub.restype = ctypes.c_uint32
    assert stub() == code


@pytest.mark.parametrize("answer", [0, 1, 1 << 63, (stubs.TAG ^ 1) << 32])
def test_an_answer_without_tag_is_unknown(loaded: Loaded, answer: int) -> None:
    """Whatever a callback leaves behind that it did not mean is CUDA_ERROR_UNKNOWN."""
    stub = loaded.bind("cuFirst", ctypes.CFUNCTYPE(ANSWER), lambda: answer)
    assert stub() == stubs.UNKNOWN


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_former_answer_does_not_count(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    """A callback that raises leaves in place what the one before it answered; the stub is not taken in."""
    failing = False
    prototype = ctypes.CFUNCTYPE(ANSWER, ctypes.c_uint64)

    def answer(value: int) -> int:
        if failing:
            raise RuntimeError
        return stubs.TAG << 32 | value

    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    stub = loaded.bind("cuFirst", prototype, answer)
    assert [stub(value) for value in (0, 3, 0)] == [0, 3, 0]
    failing = True
    assert [stub(value) for value in (0, 0, 0)] == [stubs.UNKNOWN] * 3


def test_an_address_is_returned_as_it_is(tmp_path: Path) -> None:
    """All 64 bits of it, without a tag; without a function it is that of an empty text. Other functions are as ever."""
    path = tmp_path / "texts.so"
    path.write_bytes(elf.shared_object(NAMES, soname="texts.so", default=7, addresses=["cuSecond"]))
    loaded = Loaded(path, NAMES)
    loaded.all.cuSecond.restype = ctypes.c_char_p
    assert (loaded.all.cuSecond(), loaded.all.cuFirst(), loaded.all.cuThird()) == (b"", 7, 7)
    text = ctypes.create_string_buffer(b"a text that lies high")
    loaded.bind("cuSecond", ctypes.CFUNCTYPE(ctypes.c_void_p), lambda: ctypes.addressof(text))
    loaded.bind("cuThird", ctypes.CFUNCTYPE(ANSWER), lambda: stubs.TAG << 32 | 5)
    assert (loaded.all.cuSecond(), loaded.all.cuFirst(), loaded.all.cuThird()) == (text.value, 7, 5)


def test_forgetting_empties_the_table(loaded: Loaded) -> None:
    """The function that runs in forked children needs nothing but the library."""
    stub = loaded.bind("cuThird", ctypes.CFUNCTYPE(ANSWER), lambda: stubs.TAG << 32)
    assert stub() == 0
    loaded.all.fakecuda_forget()
    assert (stub(), list(loaded.table)) == (7, [0, 0, 0])


@gcc
def test_an_object_is_found_by_other_names(tmp_path: Path) -> None:
    """A program that asks a library of another name for versions of its symbols gets ours, without a word of the loader."""
    (tmp_path / "real.c").write_text("int cuFirst(void) { return 42; }")
    (tmp_path / "real.map").write_text("first_1.0 { global: cuFirst; local: *; };")
    (tmp_path / "program.c").write_text("int cuFirst(void); int main(void) { return cuFirst(); }")
    real, ours = tmp_path / "real", tmp_path / "ours"
    real.mkdir()
    ours.mkdir()
    for arguments in (
        ["-shared", "-fPIC", "real.c", "-o", "real/lib.so.2", "-Wl,-soname,lib.so.2,--version-script=real.map"],
        ["program.c", "-o", "program", "real/lib.so.2", "-Wl,-z,now"],
    ):
        subprocess.run(["gcc", *arguments], cwd=tmp_path, check=True)  # noqa: S607
    (ours / "lib.so").write_bytes(elf.shared_object(NAMES, soname="lib.so", default=7))
    (ours / "lib.so.2").write_bytes(elf.alias("lib.so.2", "lib.so", versions=("first_1.0", "second_2.0")))
    for where, answer in ((real, 42), (ours, 7)):
        done = subprocess.run(
            [tmp_path / "program"], env={"LD_LIBRARY_PATH": str(where)}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (answer, "")
    if shutil.which("readelf"):
        told = subprocess.run(
            ["readelf", "-W", "-a", str(ours / "lib.so.2")],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
        )
        assert not told.stderr
        assert "Library soname: [lib.so.2]" in told.stdout
        assert "Shared library: [lib.so]" in told.stdout
        assert "second_2.0" in told.stdout


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_the_usual_tools_read_it(tmp_path: Path) -> None:
    """Readelf has no complaint, and sees name and symbols."""
    path = write_library(tmp_path)
    done = subprocess.run(["readelf", "-W", "-a", str(path)], capture_output=True, text=True, check=True)  # noqa: S607
    assert not done.stderr
    assert "Library soname: [libcuda.so.1]" in done.stdout
    assert "cuMemAlloc_v2" in done.stdout


@gcc
def test_a_program_without_python_links_with_it(tmp_path: Path) -> None:
    """A C program that is linked with the library starts, and gets NOT_INITIALIZED."""
    write_library(tmp_path)
    source = tmp_path / "program.c"
    source.write_text("int cuInit(unsigned); int main(void) { return cuInit(0) == 3 ? 42 : 1; }")
    program = tmp_path / "program"
    subprocess.run(
        ["gcc", str(source), "-o", str(program), f"-L{tmp_path}", "-l:libcuda.so.1", "-Wl,-z,now"],  # noqa: S607
        check=True,
    )
    done = subprocess.run([str(program)], env={"LD_LIBRARY_PATH": str(tmp_path)}, check=False)
    assert done.returncode == 42
