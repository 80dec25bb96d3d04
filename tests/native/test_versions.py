"""A search for a driver function is a call of the current machine, whichever way it is made; the table of cuda.bindings is not."""

from __future__ import annotations

import ctypes
import inspect
import re
import shutil
import subprocess
import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.profiles import load
from fakecuda.reach.bindings.fallback_classes import not_found
from fakecuda.reach.native import tables
from fakecuda.reach.native.callbacks import door
from fakecuda.reach.native.generated import callbacks, hip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fakecuda import Machine

OLD, NEW = "driver-12.4", "driver-13.3"
VERSIONS = {OLD: 12040, NEW: 13030}
NEWEST_FORM = {OLD: "cuCtxCreate_v3", NEW: "cuCtxCreate_v4"}
PER_THREAD = 2
INSUFFICIENT_DRIVER = 35
"""The answers of libcudart.so.13 on a driver of CUDA 12."""
ASKED = [
    (b"cuMemAlloc", 12040, 0),
    (b"cuMemAlloc", 12050, 0),
    (b"cuMemAlloc", 3010, 0),
    (b"cuMemcpyBatchAsync", 12080, 0),
    (b"cuMemcpyBatchAsync", 12000, 0),
    (b"cuCtxCreate", 11000, 0),
    (b"cuCtxCreate", 11040, 0),
    (b"cuCtxCreate", 12050, 0),
    (b"cuCtxCreate", 13000, 0),
    (b"cuCtxCreate", -1, 0),
    (b"cuMemcpyHtoD", 12000, PER_THREAD),
    (b"cuMemcpyHtoD", 6000, PER_THREAD),
    (b"cuMemcpyHtoD", 12000, 8),
    (b"cuGetProcAddress", 11030, 0),
    (b"cuNothing", 12000, 0),
]
SOURCE = """
#include <stdint.h>
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int search(const char *name, void **found, int version, uint64_t flags, int *status)
{
    return cuGetProcAddress_v2(name, found, version, flags, status);
}
"""
Answer = tuple[int, int | None, int | None]


def by_c(function: Any, name: bytes, version: int, flags: int) -> Answer:
    """Search by a function with the prototype of cuGetProcAddress_v2."""
    place, status = ctypes.c_uint64(), ctypes.c_int32()
    code = function(name, ctypes.byref(place), version, ctypes.c_uint64(flags), ctypes.byref(status))
    return (code, None, None) if code else (0, place.value, status.value)


def by_ctypes(_: Path, *asked: Any) -> Answer:
    """Search by the newest form."""
    return by_c(ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2, *asked)


def by_the_first_form(_: Path, name: bytes, version: int, flags: int) -> Answer:
    """Search by the form without a status, whose code tells a failed search."""
    place = ctypes.c_uint64()
    code = ctypes.CDLL("libcuda.so.1").cuGetProcAddress(name, ctypes.byref(place), version, ctypes.c_uint64(flags))
    return code, None if code else place.value, None


def by_a_library(folder: Path, *asked: Any) -> Answer:
    """Search by a function of a C library that is linked to the driver's."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    if not (folder / "search.so").exists():
        (folder / "search.c").write_text(SOURCE)
        arguments = ("-shared", "-fPIC", "search.c", "-o", "search.so")
        subprocess.run(["gcc", *arguments], cwd=folder, check=True)  # noqa: S607
    return by_c(ctypes.CDLL(str(folder / "search.so")).search, *asked)


def by_bindings(_: Path, *asked: Any) -> Answer:
    """Search by cuda.bindings.driver."""
    code, place, status = pytest.importorskip("cuda.bindings.driver").cuGetProcAddress(*asked)
    return int(code), None if code else place, None if code else int(status)


def by_the_runtime(_: Path, name: bytes, version: int, flags: int) -> Answer:
    """Search by the runtime's call, which takes no version for the driver's own."""
    call = ctypes.CDLL("libcudart.so.13").cudaGetDriverEntryPointByVersion
    return by_c(call, name, 99999 if version < 0 else version, flags)


WAYS = {
    "ctypes": by_ctypes,
    "first form": by_the_first_form,
    "C library": by_a_library,
    "bindings": by_bindings,
    "runtime": by_the_runtime,
}


@pytest.fixture(params=VERSIONS)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of an older and of a newer driver."""
    with fakecuda.simulate(request.param, door="native", strict=False) as made:
        yield made


@pytest.mark.parametrize("way", WAYS)
def test_every_way_finds_what_the_driver_has(machine: Machine, way: str, tmp_path: Path) -> None:
    """By version and flags, as a simulated process finds it; each search is one call in the log."""
    other = machine.spawn()
    wanted = [expected(way, machine, asked[1], other.c.cuGetProcAddress(*asked)) for asked in ASKED]
    answers = []
    for asked in ASKED:
        before = len(machine.log)
        answer = WAYS[way](tmp_path, *asked)
        answers.append((answer, [(call.process, call.code) for call in machine.log[before:]]))
    found = dict(zip(ASKED, answers, strict=True))
    assert found == {asked: (answer, [("here", answer[0])]) for asked, answer in zip(ASKED, wanted, strict=True)}


def expected(way: str, machine: Machine, version: int, answer: tuple[int, int, int]) -> Answer:
    """Return what a way answers, by the answer of cuGetProcAddress."""
    code, address, status = answer
    if way == "first form":
        code = code or (0 if address else int(fakecuda.Result.NOT_FOUND))
        return code, None if code else address, None
    if way == "runtime" and machine.profile.name == OLD:
        code = INSUFFICIENT_DRIVER
    elif way == "runtime" and version < 0:
        code = int(fakecuda.Result.INVALID_VALUE)
    return (code, None, None) if code else (0, address, status)


@pytest.mark.parametrize("way", ["ctypes", "bindings"])
def test_the_newest_form_of_cu_ctx_create(machine: Machine, way: str, tmp_path: Path) -> None:
    """What the search finds makes a context; so does each symbol that the driver has."""
    library, newest = ctypes.CDLL("libcuda.so.1"), NEWEST_FORM[machine.profile.name]
    assert library.cuInit(0) == 0
    code, address, status = WAYS[way](tmp_path, b"cuCtxCreate", VERSIONS[machine.profile.name], 0)
    assert (code, status, address) == (0, 0, ctypes.cast(library[newest], ctypes.c_void_p).value)
    assert address is not None
    kinds: list[Any] = [ctypes.c_void_p, ctypes.c_int] if newest == "cuCtxCreate_v3" else [ctypes.c_void_p]
    values = [None, 0][: len(kinds)]
    context = ctypes.c_void_p()
    found = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *kinds, ctypes.c_uint, ctypes.c_int)(address)
    assert (found(ctypes.addressof(context), *values, 0, 0), bool(context)) == (0, True)
    assert library.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    assert library.cuCtxCreate_v3(ctypes.byref(context), None, 0, 0, 0) == 0


IMPORTED = {
    "before": "from cuda.bindings import driver\nsearch(OLD)\nsearch(NEW)\nsearch(OLD)",
    "in the first": "search(OLD)\nsearch(NEW)\nsearch(OLD)",
    "between": "with fakecuda.simulate(OLD): pass\nfrom cuda.bindings import driver\nsearch(OLD)\nsearch(NEW)",
    "by a thread": "import threading\nfor profile in (OLD, NEW):\n"
    "    thread = threading.Thread(target=search, args=[profile])\n    thread.start()\n    thread.join()",
}
ONE_AFTER_ANOTHER = """
import fakecuda
OLD, NEW = "driver-12.4", "driver-13.3"
def search(profile):
    with fakecuda.simulate(profile, door="native") as machine:
        from cuda.bindings import driver
        answers = []
        answers.append(int(driver.cuInit(0)[0]))
        for name, version in ((b"cuCtxCreate", 12040), (b"cuCtxCreate", 13000), (b"cuMemcpyBatchAsync", 12000)):
            code, found, status = driver.cuGetProcAddress(name, version, 0)
            answers.append((int(code), bool(found), None if code else int(status)))
        try:
            answers.append(int(driver.cuCtxCreate(None, 0, 0)[0]))
        except RuntimeError as error:
            answers.append(str(error))
        print(answers, [call.call for call in machine.log])
"""
IN_OLD = [0, (0, True, 0), (1, False, None), (0, False, 1)]
IN_NEW = [0, (0, True, 0), (0, True, 0), (0, False, 2)]
CALLS = ["cuInit", *["cuGetProcAddress"] * 3]


@pytest.mark.parametrize("imported", IMPORTED)
def test_machines_one_after_another(script: Callable[..., str], imported: str) -> None:
    """Each driver has its own functions, whenever cuda.bindings is imported; only the program's calls stand in the log."""
    missing = fakecuda.Result.NOT_FOUND if imported == "by a thread" else str(not_found("cuCtxCreate_v4"))
    pytest.importorskip("cuda.bindings.driver")
    old = f"{[*IN_OLD, int(missing) if isinstance(missing, int) else missing]} {CALLS}"
    new = f"{[*IN_NEW, 0]} {[*CALLS, 'cuCtxCreate']}"
    wanted = [old, new] if imported in {"between", "by a thread"} else [old, new, old]
    assert script(ONE_AFTER_ANOTHER + IMPORTED[imported]).splitlines() == wanted


FORKED = """
import ctypes, os
import fakecuda
from cuda.bindings import driver
def search():
    place, status = ctypes.c_uint64(), ctypes.c_int32(-1)
    rest = ctypes.byref(place), 13000, ctypes.c_uint64(0), ctypes.byref(status)
    code = ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2(b"cuCtxCreate", *rest)
    answer = driver.cuGetProcAddress(b"cuCtxCreate", 13000, 0)
    print(code, int(answer[0]), (answer[1] or 0) == place.value, flush=True)
for profile in ("driver-12.4", "driver-13.3"):
    with fakecuda.simulate(profile, door="native") as machine:
        if not (child := os.fork()):
            search()
            os._exit(0)
        os.waitpid(child, 0)
        search()
        print(len(machine.log), flush=True)
"""


def test_a_fork_searches_in_the_same_driver(script: Callable[..., str]) -> None:
    """The child's searches answer as the parent's, and stand in the same log."""
    pytest.importorskip("cuda.bindings.driver")
    assert script(FORKED).splitlines() == ["1 1 True"] * 2 + ["4"] + ["0 0 True"] * 2 + ["4"]


ATTACHED = """
import ctypes, threading
from cuda.bindings import driver
def search():
    library = ctypes.CDLL("libcuda.so.1")
    for version, form in ((12040, library.cuCtxCreate_v3), (13000, library.cuCtxCreate_v4)):
        place, status = ctypes.c_uint64(), ctypes.c_int32(-1)
        rest = ctypes.byref(place), version, ctypes.c_uint64(0), ctypes.byref(status)
        code = library.cuGetProcAddress_v2(b"cuCtxCreate", *rest)
        answer = driver.cuGetProcAddress(b"cuCtxCreate", version, 0)
        is_the_form = place.value == ctypes.cast(form, ctypes.c_void_p).value
        print(code, is_the_form, int(answer[0]), (answer[1] or 0) == place.value)
search()
thread = threading.Thread(target=search)
thread.start()
thread.join()
try:
    print(int(driver.cuInit(0)[0]), int(driver.cuCtxCreate(None, 0, 0)[0]))
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize("profile", VERSIONS)
def test_a_child_of_a_shared_machine(profile: str) -> None:
    """It searches in the driver of that machine, and so does its thread; the machine's log has each search."""
    pytest.importorskip("cuda.bindings.driver")
    with fakecuda.simulate(profile, shared=True) as machine:
        done = subprocess.run([sys.executable, "-c", ATTACHED], capture_output=True, text=True, check=False)
        assert [call.call for call in machine.log][:8] == ["cuGetProcAddress"] * 8
    found, missing = "0 True 0 True", "1 False 1 True"
    searches = [found, missing if profile == OLD else found]
    last = str(not_found("cuCtxCreate_v4")) if profile == OLD else "0 0"
    assert (done.stdout.splitlines(), done.stderr) == ([*searches, *searches, last], "")


@pytest.mark.parametrize(("profile", "answer"), [("hip-clr-2024", (1, False, 1)), ("hip-clr-2026", (0, True, 0))])
def test_hip_finds_what_its_library_has(profile: str, answer: tuple[int, bool, int]) -> None:
    """A function that came after 2024 is found in 2026 only; each search is a call in the log."""
    with fakecuda.simulate(profile, door="native") as machine:
        place, status = ctypes.c_uint64(), ctypes.c_int32(-1)
        search = ctypes.CDLL("libamdhip64.so").hipGetProcAddress
        rest = ctypes.byref(place), 700, ctypes.c_uint64(0), ctypes.byref(status)
        assert (search(b"hipMemcpyBatchAsync", *rest), bool(place.value), status.value) == answer
        assert [(call.call, call.code) for call in machine.log] == [("hipGetProcAddress", answer[0])]


def filling(fill: Callable[[], object]) -> ModuleType:
    """Return a module whose table a function fills."""
    module = ModuleType("table")
    vars(module)[tables.FILL] = fill
    return module


def test_only_the_table_is_filled_without_the_machine() -> None:
    """It finds functions of every driver. A search of another thread meanwhile is a call, and so is one afterwards."""
    with fakecuda.simulate(OLD, door="native", strict=False) as machine:
        library, found = ctypes.CDLL("libcuda.so.1"), {}

        def search(name: str) -> None:
            found[name] = by_c(library.cuGetProcAddress_v2, b"cuCtxCreate", 13000, 0)

        def fill() -> None:
            search("table")
            place = ctypes.c_uint64()
            assert library.cuGetProcAddress_v2(b"cuInit", ctypes.byref(place), 2000, ctypes.c_uint64(0), None) == 0
            found["without a status"] = (0, place.value, 0)
            assert machine.log == []
            thread = threading.Thread(target=search, args=["another thread"])
            thread.start()
            thread.join()

        tables.fill(door.library, filling(fill))
        search("afterwards")
        tables.fill(door.library, ModuleType("a release whose table nothing fills"))
        assert found == {
            "table": (0, ctypes.cast(library.cuCtxCreate_v4, ctypes.c_void_p).value, 0),
            "without a status": (0, ctypes.cast(library.cuInit, ctypes.c_void_p).value, 0),
            "another thread": (1, None, None),
            "afterwards": (1, None, None),
        }
        assert [call.call for call in machine.log] == ["cuGetProcAddress"] * 2


def test_a_table_that_is_not_filled_is_the_programs_again() -> None:
    """If the module raises an exception, later searches are calls."""
    with fakecuda.simulate(OLD, door="native") as machine:
        with pytest.raises(ZeroDivisionError):
            tables.fill(door.library, filling(lambda: 1 // 0))
        assert by_c(ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2, b"cuInit", 12000, 0)[0] == 0
        assert len(machine.log) == 1


@pytest.mark.parametrize("module", [callbacks, hip])
def test_every_function_finds_its_thread_on_the_machine(module: ModuleType) -> None:
    """A function that asks another machine would ignore the profile, and the log would not have its calls."""
    found = re.findall(r"^        thread = (.*)$", inspect.getsource(module), re.MULTILINE)
    assert len(found) > 200
    assert {
        one for one in found if one not in {f"threads.get(own.number) or {way}()" for way in ("find", "anyone")}
    } == set()


def test_profiles_are_of_different_drivers() -> None:
    """Otherwise the tests above compare nothing."""
    assert {name: load(name).driver_version for name in VERSIONS} == VERSIONS
