"""The recording library before a driver: programs do what they do without it, and each call has its records."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgpack
import pytest

from conformance.kit.calls import CALLS
from conformance.record import beside
from conformance.record.log import Log
from fakecuda.reach.native.forms import MODELLED
from fakecuda.reach.shadow import driver, ring
from fakecuda.reach.shadow.build import PROCESSOR, SHADOW
from fakecuda.reach.shadow.driver import NoDriverError, functions_of, stand_before
from fakecuda.reach.shadow.run import Ran
from fakecuda.reach.shadow.tables import known, row_of
from fakecuda.spec.codes import Result
from tests.docs.blocks import ROOT

from .shadow import FUTURE, Did, alone, names, on, recorded, stand_before_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine
    from fakecuda.reach.shadow.ring import Record

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

SHUT = frozenset({int(Result.NOT_INITIALIZED), int(Result.DEINITIALIZED)})
"""Answers of the client itself, which are not in the machine's log."""
KINDS = {
    "exit": 5,
    "exec": 0,
    "threads": 0,
    "fork later": 0,
    "fork first": 0,
    "ipc": 0,
    "graph": 0,
    "map": 0,
    "structs": 0,
    "own stream": 0,
    "refused": 0,
    "look up": 0,
    "load": 0,
    "kill": -signal.SIGKILL,
    "crash": -signal.SIGSEGV,
    "terminate": -signal.SIGTERM,
}
"""The program's actions, with its exit statuses."""


@pytest.mark.parametrize("what", KINDS)
def test_a_program_is_as_without(machine: Machine, compile_program: Callable[..., Path], what: str) -> None:
    """Its output, its exit status and its end are equal, and each call is in the records."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    library, environ = on(machine)
    before = alone([str(program), what], library, environ)
    assert (before.status, before.said) == (KINDS[what], "")
    start = len(machine.calls)
    after, ran, found = recorded([str(program), what], library, environ)
    assert (after, ran.lost, ran.nested) == (before, 0, 0)
    assert [one.ticket for one in found] == list(range(1, len(found) + 1))
    assert Counter(names(found)) == Counter(names(found, ring.CALLED))
    assert _answers(found) == Counter(
        (op.name, args, code) for _, op, args, code, *_ in list(machine.calls)[start:] if code not in SHUT
    )


def _answers(found: list[Record]) -> Counter[tuple[str, Any, int]]:
    """Return the calls of records as the machine's log has them: a name, the arguments, the code."""
    calls: Counter[tuple[str, Any, int]] = Counter()
    for one in found:
        if one.kind == ring.ANSWERED and one.code not in SHUT:
            name = MODELLED[known()[one.symbol].name]
            calls[name, _plain(msgpack.unpackb(one.body))[: len(CALLS[name].inputs)], one.code] += 1
    return calls


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def test_an_address_is_freed_before_it_is_given_again(machine: Machine, compile_program: Callable[..., Path]) -> None:
    """The tickets of threads say so: the free's first record comes before the allocation's second."""
    program = compile_program("shadow", "libcuda.so", options=("-ldl",))
    _, _, found = recorded([str(program), "threads"], *on(machine))
    live: set[int] = set()
    again = 0
    for one in found:
        name = known()[one.symbol].name
        if name == "cuMemAlloc_v2" and one.kind == ring.ANSWERED:
            _, address = msgpack.unpackb(one.body)
            assert address not in live
            live.add(address)
            again += 1
        if name == "cuMemFree_v2" and one.kind == ring.CALLED:
            live.remove(int.from_bytes(one.body, "little"))
    assert (again, live) == (200, set())


SEARCHED = """
import ctypes
driver, found, status = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_int()
driver.cuGetProcAddress_v2(b"cuInit", ctypes.byref(found), 12000, ctypes.c_uint64(0), ctypes.byref(status))
print(found.value == ctypes.cast(driver.cuInit, ctypes.c_void_p).value)
"""


def test_a_search_finds_what_is_exported(stand_in: tuple[Path, str]) -> None:
    """A driver returns the same address from cuGetProcAddress and from dlsym."""
    library, _ = stand_in
    result, _, found = recorded([sys.executable, "-S", "-c", SEARCHED], library, {})
    assert (result, names(found)) == (Did(0, "True\n", ""), ["cuGetProcAddress_v2"])


def test_what_is_not_known_passes(stand_in: tuple[Path, str]) -> None:
    """A function without a description gets its arguments in registers and on the stack; private tables are not touched."""
    library, program = stand_in
    result, ran, found = recorded([program], library, {})
    assert (result, ran.lost, ran.nested) == (Did(0, "", ""), 0, 0)
    assert names(found) == FUTURE
    assert [one.body for one in found if one.kind == ring.OTHER] == [b"cuOfTheFuture"]
    assert [one.code for one in found if one.kind == ring.ANSWERED] == [
        *(0, 1, 9, 0, 0, 0, 0, 1, 0, 500, 1, 1, 1, 1),
        *(0, 0, 1, 1),
        *(1, 1, 1),
    ]


def test_a_launch_has_its_configuration(stand_in: tuple[Path, str]) -> None:
    """The struct points to its attributes, and both are written; a log names the stream and the function."""
    library, program = stand_in
    _, _, found = recorded([program], library, {})
    log = Log()
    log.read(found)
    step, *others = (step for step in log.program.steps if step["call"] == "cuLaunchKernelEx")
    stream, function = ({"ref": f"unseen.{kind}"} for kind in ("stream1", "kernel2"))
    assert step["args"] == [[1, 2, 3, 4, 5, 6, 7, stream, [[4, 2, 1, 1]]], function, 0, 0]
    assert [one["args"] for one in others] == [[{"ref": "unseen.words"}]] * 2
    (asked,) = (step for step in log.program.steps if step["call"] == "cuOccupancyMaxActiveClusters")
    assert asked["args"] == [function, step["args"][0]]


def test_what_a_refused_call_points_to_is_tried_first(stand_in: tuple[Path, str]) -> None:
    """An address that cannot be read ends nothing: the driver did not read it."""
    library, program = stand_in
    _, _, found = recorded([program], library, {})
    refused = [msgpack.unpackb(one.body) for one in found if one.kind == ring.ANSWERED and one.code == 1]
    init, again, unread, struct, unread_name, name, launch, attributes, *others = refused
    assert (init, again, unread, struct[0], struct[1][0]) == ([2], [3], [7, None, 0], 8, 5)
    assert launch == attributes == [None, 0, 0, 0]
    texture, tiled, ranks = others
    assert texture == [None, None, None]
    assert (tiled[3:7], ranks[3:7]) == ([[1, 2], None, None, [3, 4]], [[], None, [], []])
    assert (unread_name, name) == ([0, None], [0, b"a function"])


def test_the_stub_exports_what_the_driver_exports(stand_in: tuple[Path, str], tmp_path: Path) -> None:
    """A program that asks for what the driver lacks finds as little."""
    library, _ = stand_in
    folder = stand_before_in(tmp_path, library)
    exported = functions_of(library)
    assert set(exported) == {*FUTURE, "cuOfTheFuture", "cuCtxSynchronize"}
    assert functions_of(folder / "libcuda.so.1") == exported


def test_the_driver_is_what_the_loader_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LD_LIBRARY_PATH comes first, then the loader's cache; without either, the message says what was looked at."""
    monkeypatch.setenv("LD_LIBRARY_PATH", f":{tmp_path}/none:{tmp_path}")
    (tmp_path / "libcuda.so.1").touch()
    assert driver.driver() == tmp_path / "libcuda.so.1"
    with pytest.raises(NoDriverError, match="is not a library of this system"):
        functions_of(tmp_path / "libcuda.so.1")
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    listing = tmp_path / "ldconfig"
    listing.write_text(f"#!/bin/sh\necho '\tlibcuda.so.1 (libc6,x86-64) => {tmp_path}/libcuda.so.1'\n")
    listing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert driver.driver() == tmp_path / "libcuda.so.1"
    (tmp_path / "libcuda.so.1").unlink()
    with pytest.raises(NoDriverError, match=r"neither LD_LIBRARY_PATH nor ldconfig -p names a libcuda.so.1"):
        driver.driver()


def test_a_driver_with_too_many_unknown_functions_is_refused(
    stand_in: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is code for a limited number of them."""
    monkeypatch.setattr(driver, "OTHERS", 0)
    with pytest.raises(NoDriverError, match="exports 1 functions that fakecuda does not know, and 0 are the limit"):
        stand_before(stand_in[0], tmp_path)


UNREAD = re.compile(r"of (\d+) of the (\d+) functions that fakecuda knows")


def test_what_is_not_read() -> None:
    """Each modelled function has a row, but for a struct with an array. The page has the numbers of the others."""
    unread = [one.name for one in known() if row_of(one.name) < 0]
    assert [name for name in unread if name in MODELLED] == ["cuCheckpointProcessRestore"]
    found = UNREAD.search((ROOT / "docs" / "shadow.md").read_text(encoding="utf-8"))
    assert found is not None
    assert (int(found[1]), int(found[2])) == (len(unread), len(known()))
    assert SHADOW.texts()["functions.h"].count("uint32_t shadow_cu") == len(known())


def test_what_a_recording_lacks_is_told() -> None:
    """Calls without known arguments, unknown functions, calls in flight, and what the ring lost."""
    log = Log()
    log.uncounted.update({"cuLaunchKernelEx": 2, "cuGetExportTable": 1})
    log.others["cuOfTheFuture"] = 3
    log.in_flight.append("cuCtxSynchronize")
    ran = Ran(0, lost=4, nested=5, problem="the disk is full")
    calls, why, *more = beside._told(log, ran)
    assert calls == "0 calls of 0 processes"
    assert why.startswith("the program made no call of the driver that is recorded. A program that opens the driver by")
    assert more == [
        "without 3 calls whose arguments are not read: cuLaunchKernelEx 2, cuGetExportTable 1",
        "without 3 calls of functions that are not known: cuOfTheFuture 3",
        "without 1 calls that had not returned: cuCtxSynchronize",
        "without 5 calls that the driver or a signal handler made during a call",
        "without 4 lost records",
        "without any record after these, which could not be written: the disk is full",
    ]
