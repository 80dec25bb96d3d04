"""cuGetProcAddress through C: the addresses are those of the library's exports."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.profiles import load
from fakecuda.reach.native.door import NEWEST, attach, detach
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT, LEGACY, PER_THREAD = 0, 1, 2
FOUND, NOT_FOUND, VERSION_NOT_SUFFICIENT = 0, 1, 2
NEWER = 13041


@pytest.fixture
def newest() -> Iterator[Machine]:
    """A machine whose driver has every symbol."""
    with Machine(load("h200").with_driver(NEWEST)) as made:
        attach(made)
        yield made
        detach(made)


def test_every_symbol_can_be_had(newest: Machine) -> None:
    """Each of the 719 is what its own base name, version and stream lead to, and the address is that of its export."""
    assert newest.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    for symbol in symbols():
        place, status = ctypes.c_uint64(), ctypes.c_int32(-1)
        flags = PER_THREAD if symbol.stream else DEFAULT
        code = library.cuGetProcAddress_v2(
            symbol.base.encode(),
            ctypes.byref(place),
            symbol.version,
            ctypes.c_uint64(flags),
            ctypes.byref(status),
        )
        exported = ctypes.cast(library[symbol.name], ctypes.c_void_p).value
        assert (code, status.value, place.value) == (0, FOUND, exported), symbol


def test_a_failed_search_gives_a_null_pointer(machine: Machine) -> None:
    """It succeeds, without a status too; the form that has none says NOT_FOUND, and leaves the pointer alone."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    for status in (ctypes.c_int32(-1), None):
        place = ctypes.c_uint64(7)
        at = None if status is None else ctypes.byref(status)
        assert library.cuGetProcAddress_v2(b"cuNothing", ctypes.byref(place), 13000, ctypes.c_uint64(0), at) == 0
        assert place.value == 0
        assert status is None or status.value == NOT_FOUND
    place.value = 7
    assert library.cuGetProcAddress(b"cuNothing", ctypes.byref(place), 13000, ctypes.c_uint64(0)) == 500
    assert place.value == 7


def test_a_function_of_a_later_driver_is_not_found(machine: Machine) -> None:
    """The version is refused; by the driver's own version the name is unknown. Both searches stand in the log."""
    assert machine.profile.driver_version < NEWER
    place, status = ctypes.c_uint64(7), ctypes.c_int32(-1)
    search = ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2
    name, rest = b"cuMemGetLocationInfo", (ctypes.c_uint64(0), ctypes.byref(status))
    assert (search(name, ctypes.byref(place), NEWER, *rest), place.value, status.value) == (1, 7, -1)
    assert (search(name, ctypes.byref(place), 13000, *rest), place.value, status.value) == (0, 0, NOT_FOUND)
    assert [(call.call, call.args, call.code) for call in machine.log] == [
        ("cuGetProcAddress", (name, NEWER, 0), 1),
        ("cuGetProcAddress", (name, 13000, 0), 0),
    ]


@pytest.mark.parametrize(
    ("name", "version", "flags", "symbol", "status"),
    [
        ("cuInit", 13000, DEFAULT, "cuInit", FOUND),
        ("cuMemAlloc", 13000, DEFAULT, "cuMemAlloc_v2", FOUND),
        ("cuMemAlloc", 3020, DEFAULT, "cuMemAlloc_v2", FOUND),
        ("cuMemAlloc", 3010, DEFAULT, "cuMemAlloc", FOUND),
        ("cuMemAlloc", 13000, PER_THREAD, "cuMemAlloc_v2", FOUND),
        ("cuMemcpyHtoD", 12000, DEFAULT, "cuMemcpyHtoD_v2", FOUND),
        ("cuMemcpyHtoD", 12000, LEGACY, "cuMemcpyHtoD_v2", FOUND),
        ("cuMemcpyHtoD", 12000, PER_THREAD, "cuMemcpyHtoD_v2_ptds", FOUND),
        ("cuMemcpyHtoD", 6000, PER_THREAD, None, VERSION_NOT_SUFFICIENT),
        ("cuStreamSynchronize", 12000, PER_THREAD, "cuStreamSynchronize_ptsz", FOUND),
        ("cuCtxCreate", 12040, DEFAULT, "cuCtxCreate_v3", FOUND),
        ("cuCtxCreate", 12050, DEFAULT, "cuCtxCreate_v4", FOUND),
        ("cuCtxCreate", -2, DEFAULT, "cuCtxCreate_v4", FOUND),
        ("cuGetProcAddress", 12000, DEFAULT, "cuGetProcAddress_v2", FOUND),
        ("cuGetProcAddress", 11030, DEFAULT, "cuGetProcAddress", FOUND),
        ("cuMemCreate", 9000, DEFAULT, None, VERSION_NOT_SUFFICIENT),
        ("cuMemGetLocationInfo", 13000, DEFAULT, None, NOT_FOUND),
        ("cuMemGetLocationInfo", -1, DEFAULT, None, NOT_FOUND),
        ("cuNothing", 13000, DEFAULT, None, NOT_FOUND),
    ],
)
def test_the_newest_symbol_that_the_caller_knows(
    machine: Machine, name: str, version: int, flags: int, symbol: str | None, status: int
) -> None:
    """Not newer than asked for or than the driver; its per-thread variant when the flags say so."""
    exported = ctypes.cast(ctypes.CDLL("libcuda.so.1")[symbol], ctypes.c_void_p).value if symbol else 0
    assert machine.here.c.cuGetProcAddress(name.encode(), version, flags) == (0, exported, status)


@pytest.mark.parametrize("name", ["cuGetProcAddress", "cuGetProcAddress_v2"])
def test_each_form_of_the_function_answers(machine: Machine, name: str) -> None:
    """The first form has no status."""
    assert machine.here.alive
    library = ctypes.CDLL("libcuda.so.1")
    place, status = ctypes.c_uint64(), ctypes.c_int32(-1)
    more = [] if name == "cuGetProcAddress" else [ctypes.byref(status)]
    assert library[name](b"cuInit", ctypes.byref(place), 13000, ctypes.c_uint64(0), *more) == 0
    assert place.value == ctypes.cast(library.cuInit, ctypes.c_void_p).value
    assert status.value == (FOUND if more else -1)


@pytest.mark.parametrize("form", ["cuGetProcAddress", "cuGetProcAddress_v2"])
@pytest.mark.parametrize("broken", ["name", "result", "flags", "version"])
def test_wrong_arguments_are_refused(machine: Machine, broken: str, form: str) -> None:
    """No name, no place for the address, unknown flags, a version of the future."""
    assert machine.here.alive
    place = ctypes.c_uint64(7)
    code = ctypes.CDLL("libcuda.so.1")[form](
        None if broken == "name" else b"cuInit",
        None if broken == "result" else ctypes.byref(place),
        99999 if broken == "version" else 13000,
        ctypes.c_uint64(8 if broken == "flags" else 0),
        None,
    )
    assert (code, place.value) == (1, 7)
