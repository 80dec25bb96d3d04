"""Loading: one library per process, found by its name; another one that is there already is refused."""

from __future__ import annotations

import ctypes
import textwrap
from typing import TYPE_CHECKING

import pytest

from fakecuda import FakeCudaError
from fakecuda.model.memory import space
from fakecuda.reach.native.library import write_library
from fakecuda.reach.native.objects import every, runtime

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine
    from fakecuda.reach.native.objects import SharedObject

ATTACH = """
import ctypes, os, pathlib, sys
import fakecuda
from fakecuda.reach.native.door import attach, detach
"""


def test_whoever_looks_for_the_driver_finds_it(machine: Machine) -> None:
    """By its SONAME, and among the symbols of the process."""
    assert machine.here.alive
    assert ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    assert ctypes.CDLL(None).cuInit(0) == 0


def test_nothing_is_left_in_the_file_system(script: Callable[..., str], tmp_path: Path) -> None:
    """The file that was loaded is gone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    script(ATTACH + "attach(fakecuda.Machine()); print(os.listdir(os.environ['TMPDIR']))", TMPDIR=str(folder))
    assert not list(folder.iterdir())


def test_without_a_directory_for_programs_memory_is_used(script: Callable[..., str]) -> None:
    """Where temporary files cannot be made or run, a file without a directory is loaded; its descriptor is closed."""
    text = """
    import tempfile
    tempfile.tempdir = "/proc/self/nowhere"
    before = os.listdir("/proc/self/fd")
    attach(fakecuda.Machine())
    print(ctypes.CDLL("libcuda.so.1").cuInit(0), os.listdir("/proc/self/fd") == before)
    """
    assert script(ATTACH + "\n".join(line.strip() for line in text.splitlines())) == "0 True"


@pytest.mark.parametrize("kind", every(), ids=lambda kind: kind.soname)
def test_another_library_is_refused(kind: SharedObject, script: Callable[..., str], tmp_path: Path) -> None:
    """A libcuda.so.1 that is loaded would get the calls, and so would NVML: the error says which, and what to do."""
    foreign = tmp_path / kind.soname
    foreign.write_bytes(kind.content().replace(b"fakecuda_digest", b"anothers_digest"))
    text = f"""
foreign = ctypes.CDLL({str(foreign)!r})
try:
    attach(fakecuda.Machine())
except fakecuda.FakeCudaError as error:
    print(error)
"""
    out = script(ATTACH + text)
    assert out.startswith(f"another driver library, {foreign}, is already loaded in this process")
    assert out.endswith("make the machine before anything calls the driver, or use door='lookalike'")
    assert "\n" not in out


def test_one_of_another_version_is_refused(script: Callable[..., str], tmp_path: Path) -> None:
    """A library that was written for other symbols has another table."""
    from fakecuda.reach.native import elf  # noqa: PLC0415 - one test needs it

    old = tmp_path / "libcuda.so.1"
    old.write_bytes(elf.shared_object(["cuInit"]))
    text = """
try:
    attach(fakecuda.Machine())
except fakecuda.FakeCudaError as error:
    print(error)
"""
    out = script(ATTACH + text, LD_PRELOAD=str(old))
    assert out == (
        f"this process has loaded {old}, which another version of fakecuda has written: remove the file from "
        "LD_LIBRARY_PATH and LD_PRELOAD"
    )


def test_a_written_library_is_adopted(script: Callable[..., str], tmp_path: Path) -> None:
    """With LD_LIBRARY_PATH the library may be in use before a machine is attached; it is the one that is bound."""
    assert write_library(tmp_path) == tmp_path / "libcuda.so.1"
    text = """
driver = ctypes.CDLL("libcuda.so.1")
before = driver.cuInit(0)
machine = fakecuda.Machine()
attach(machine)
maps = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "libcuda" in line}
print(before, driver.cuInit(0), *maps)
"""
    out = script(ATTACH + text, LD_LIBRARY_PATH=str(tmp_path))
    assert out == f"3 0 {tmp_path / 'libcuda.so.1'}"


LIVE = """
from fakecuda.reach.native.library import place
from fakecuda.reach.native.objects import driver

def same(one, other):
    return [ctypes.cast(one.cuInit, ctypes.c_void_p).value for one in (one, other)]

place(pathlib.Path("folder"), driver())
opened = ctypes.CDLL("folder/libcuda.so.1")
"""


@pytest.mark.parametrize("removed", [False, True], ids=["", "a cleaner has removed the folder"])
def test_a_library_in_a_folder_is_the_loaded_one(script: Callable[..., str], tmp_path: Path, *, removed: bool) -> None:
    """The loader takes one file for the other by the inode; a new file is a copy with the same functions."""
    (tmp_path / "folder").mkdir()
    clean = (
        "import shutil; from fakecuda.reach.native import folder; shutil.rmtree(folder.own().path)" if removed else ""
    )
    text = f"""
os.chdir({str(tmp_path)!r})
attach(fakecuda.Machine())
{clean}
{LIVE}
first, second = same(ctypes.CDLL("libcuda.so.1"), opened)
print(first == second, opened.cuInit(0), ctypes.CDLL("folder/libcuda.so").cuInit(0))
"""
    assert script(ATTACH + text) == f"{not removed} 0 0"


def test_a_folder_that_was_made_before_the_library(script: Callable[..., str], tmp_path: Path) -> None:
    """What was opened there, before a machine was attached, answers from the machine, too; forks empty and fill it."""
    (tmp_path / "folder").mkdir()
    text = f"""
os.chdir({str(tmp_path)!r})
from fakecuda.reach.native.library import write_library
from fakecuda.reach.native import library
place = pathlib.Path("folder")
library._join(library.objects.driver(), write_library(place))
opened = ctypes.CDLL("folder/libcuda.so.1")
before = opened.cuInit(0)
machine = fakecuda.Machine()
attach(machine)
print(before, opened.cuInit(0), flush=True)
if not os.fork():
    print(opened.cuDeviceGetCount(ctypes.byref(ctypes.c_int())), flush=True)
    os._exit(0)
os.wait()
detach(machine)
print(opened.cuInit(0))
"""
    assert script(ATTACH + text).split() == ["3", "0", "3", "100"]


def test_a_copy_raises_an_exception_once(script: Callable[..., str], tmp_path: Path) -> None:
    """The stub that was called raises it; no later call of another copy does."""
    (tmp_path / "folder").mkdir()
    text = f"""
import shutil
from fakecuda.reach.native import folder, library
from fakecuda.reach.native.generated import callbacks
os.chdir({str(tmp_path)!r})
machine = fakecuda.Machine()
attach(machine)
shutil.rmtree(folder.own().path)
{LIVE}
def lacks(*_):
    raise MemoryError

callbacks._cuMemFree = lacks
__name__ = "fakecuda.tests"
for one in (opened, ctypes.CDLL("libcuda.so.1")):
    try:
        one.cuMemFree_v2(ctypes.c_uint64(0))
    except MemoryError:
        print("raised")
    else:
        print("not raised")
made = library._libraries["libcuda.so.1"]
print([copy.pending.value for copy in made._copies])
"""
    assert script(ATTACH + text).splitlines() == ["raised", "raised", "[0, 0]"]


def test_short_names_are_found(machine: Machine) -> None:
    """By programs and by libraries, though no file has the name; no mapped file has one either."""
    assert machine.here.alive
    for kind, call in zip(every(), ("cuInit", "nvmlInit_v2"), strict=True):
        assert ctypes.CDLL(kind.short_name)[call](0) == 0
        paths = [line.split()[5] for line in space.maps().splitlines() if kind.short_name in line]
        assert {path.rpartition("/")[2] for path in paths} == {kind.soname}


def test_another_runtime_is_refused(script: Callable[..., str], tmp_path: Path) -> None:
    """A libcudart that is loaded would get the calls: the error says which, and what to do."""
    foreign = tmp_path / "libcudart.so.13"
    foreign.write_bytes(runtime(13).content().replace(b"fakecuda_digest", b"anothers_digest"))
    text = f"""
foreign = ctypes.CDLL({str(foreign)!r})
attach(fakecuda.Machine())
try:
    fakecuda.load_cudart(13)
except fakecuda.FakeCudaError as error:
    print(error)
"""
    assert script(ATTACH + text) == (
        f"another runtime library, {foreign}, is already loaded in this process, and calls would reach it instead of the "
        "machine: call fakecuda.load_cudart() before you import what brings that library"
    )


def test_other_processors_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the processors that have stubs, and the other door."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(
        FakeCudaError,
        match="fakecuda has no driver library for the processor riscv64: use a computer with one of x86_64, aarch64, or use door='lookalike' ",
    ):
        write_library(tmp_path)
    assert not list(tmp_path.iterdir())


def test_writing_again_leaves_processes_alone(tmp_path: Path) -> None:
    """A library that is in use is replaced by a new file, not overwritten."""
    path = write_library(tmp_path)
    before = path.stat().st_ino
    with path.open("rb") as held:
        assert write_library(tmp_path) == path
        assert held.read() == path.read_bytes()
    assert path.stat().st_ino != before
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o755


def test_handles_come_again(script: Callable[..., str]) -> None:
    """With ``handles="card"``, C gets the handle of a destroyed stream for the next one, and a new id."""
    text = """
    attach(fakecuda.Machine("h200", handles="card"))
    cuda = ctypes.CDLL("libcuda.so.1")
    context, seen = ctypes.c_void_p(), []
    assert cuda.cuInit(0) == cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == cuda.cuCtxSetCurrent(context) == 0
    for _ in range(3):
        stream, number = ctypes.c_void_p(), ctypes.c_uint64()
        assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == cuda.cuStreamGetId(stream, ctypes.byref(number)) == 0
        assert cuda.cuStreamDestroy_v2(stream) == 0
        seen.append((stream.value, number.value))
    print(*(len(set(each)) for each in zip(*seen)))
    """
    assert script(ATTACH + textwrap.dedent(text)) == "1 3"
