"""HIP's native door: the same cases through C, through unmodified hip-python, through its look-alike and without a door."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import random
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.hip.fixtures import NEW as PROFILE
from conformance.fuzz.hip_in_c import Native, Through, Unsayable, flat
from conformance.kit.case import ENTRIES
from conformance.kit.program import MAIN, Recorded, Recorder
from conformance.kit.world import Session
from conformance.record.recorder import load_cases
from fakecuda.profiles import load
from fakecuda.reach.bindings.generated import hip as layouts
from fakecuda.reach.native import elf
from fakecuda.reach.native.generated import hip as generated
from fakecuda.reach.native.library import write_library
from fakecuda.reach.native.objects import hip as library
from fakecuda.rules.dispatch import HOMES
from fakecuda.rules.registry import HIP
from fakecuda.spec import hip
from tests.each import each, hold
from tests.limits import LONG

from .hip_sides import Python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conformance.kit.case import Case

MODELLED = {hip.CALLS[name].symbol for name in HIP.ops}
SIDES = ("C", "hip-python", "look-alike")
WHEEL = importlib.util.find_spec("rocm") is not None
"""Whether hip-python is installed, as by the extra ci."""
ELSEWHERE = re.compile(
    r"second_thread|no-device-admits-contexts|every-device-is-hidden|where-devices-|_IS_ENABLED-never"
)
"""Cases with calls in another thread or process, which the doors lack."""


@contextmanager
def behind_the_door() -> Iterator[fakecuda.Machine]:
    """Give a machine with HIP behind the native door of this process, which takes what is undefined."""
    from fakecuda.reach.native.hip import attach, detach  # noqa: PLC0415 - it loads a library

    with fakecuda.Machine(PROFILE, strict=False) as made:
        attach(made)
        yield made
        detach(made)


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """Return that machine."""
    with behind_the_door() as made:
        yield made


def side(kind: str, machine: fakecuda.Machine) -> Through:
    """Return the machine's side by one of its doors."""
    if kind == "C":
        return Native()
    if kind == "look-alike":
        return Python(module=machine.here.hip)
    return Python(module=importlib.import_module("rocm.bindings.hip"))


class Main:
    """The process behind the doors, with the main thread that calls them.

    Args:
        process: The process.
    """

    def __init__(self, process: Any) -> None:
        self._process = process

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def thread(self, name: str) -> Any:
        """Return a thread."""
        return self._process if name == MAIN else self._process.thread(name)


class Here(Recorder):
    """A recorder whose first process is the one behind the doors."""

    def spawn(self, name: str = "", **options: Any) -> Recorded:
        """Start a process, or take that one."""
        if self.processes:
            return super().spawn(name, **options)
        self.processes["a"] = Main(self.machine.here)
        return Recorded(self, "a")


def cases(module: str, *, long: bool) -> Iterator[tuple[Case, str]]:
    """Yield the cases of a module of HIP with doors: each is built by the machine's own calls, and its call made by a door.

    A call's first case that succeeds goes by each door, any other one by one door in turn; the rest is long.
    """
    load_cases()
    for call in sorted(call for call, home in HOMES["hip"].items() if home == module):
        there = [
            case
            for case in (one.on(load(PROFILE)) for one in ENTRIES[call].singles())
            if case and not ELSEWHERE.search(case.name)
        ]
        first = next((case for case in there if not case.code), None)
        for number, (case, (place, kind)) in enumerate(product(there, enumerate(SIDES))):
            taken = case is first or number // len(SIDES) % len(SIDES) == place
            if taken is not long and (kind != "hip-python" or WHEEL):
                yield case, kind


def test_hip_python_is_one_of_the_doors() -> None:
    """Without the wheel its cases are left out, and this skip says so."""
    if not WHEEL:
        pytest.skip("hip-python is not installed: pip install -e '.[hip]'; the cases by its door are left out")
    assert any(kind == "hip-python" for _, kind in cases("hip.memory", long=False))


@pytest.mark.parametrize("module", sorted(set(HOMES["hip"].values())))
def test_the_cases_of_a_module(module: str) -> None:
    """They answer by a door as by the machine; each call can be made by one."""
    said = set[str]()
    hold(["case", "kind"], cases(module, long=False), through_a_door, said=said)
    assert said == {call for call, home in HOMES["hip"].items() if home == module}


@pytest.mark.long("another door takes each case on each commit")
@pytest.mark.parametrize("module", sorted(set(HOMES["hip"].values())))
def test_the_other_cases_of_a_module(module: str) -> None:
    """They do by each other door."""
    hold(["case", "kind"], cases(module, long=True), through_a_door, said=set())


def through_a_door(case: Case, kind: str, said: set[str]) -> None:
    """It answers the code by each door, for the same rule; what succeeds brings what the operation has brought."""
    with behind_the_door() as machine:
        w = side(kind, machine)
        made = case.prepare(Session(Here(machine)).world(case.id))
        try:
            code, *outs = w.through(hip.CALLS[made.call], dict(made.args), made.null)
        except Unsayable:  # hip-python has no argument for it
            return
        said.add(made.call)
        record = machine.log[-1]
        assert (record.call, code) == (made.call, case.code)
        assert not code or case.rule is None or record.rule is case.rule
        if not code:
            outputs = hip.CALLS[made.call].outputs
            expected = (record.outs,) if len(outputs) == 1 else record.outs or ()
            for p, out, wanted in zip(outputs, outs, expected, strict=True):
                assert p.name in made.null or out == pytest.approx(flat(wanted)), p.name
        machine.check_invariants()


def called(symbol: str, *args: Any, result: Any = ctypes.c_uint32, name: str = "libamdhip64.so") -> Any:
    """Call a function of the library as a C program does, with integers and pointers."""
    function = ctypes.CDLL(name)[symbol]
    function.restype = result
    return function(*[ctypes.c_uint64(arg) if isinstance(arg, int) else arg for arg in args])


def test_every_structure_lies_as_hip_python_has_it() -> None:
    """What C's functions read of random bytes is what the layouts say that are tested against hip-python."""
    names = sorted(name.removeprefix("read_") for name in vars(generated) if name.startswith("read_hip"))
    assert len(names) > 8
    for name in names:
        layout = getattr(layouts, f"_{name}_layout")
        content = random.Random(name).randbytes(layout.size).replace(b"\0", b"\1")  # noqa: S311 - repeatable content
        buffer = ctypes.create_string_buffer(content, len(content))
        read = getattr(generated, f"read_{name}")(ctypes.addressof(buffer))
        assert flat(read) == layout.unpack(content), name


@each("symbol", [one for one in library().symbols if one not in MODELLED and one.startswith("hip")])
def test_what_is_not_modelled_says_so(symbol: str, machine: fakecuda.Machine) -> None:
    """It answers hipErrorNotSupported, warns once, and is the last error; what is no code is none of success."""
    none = {**dict.fromkeys(hip.DESCRIPTION.library.texts, b""), "hipGetStreamDeviceId": 0xFFFFFFFF}
    result = ctypes.c_char_p if symbol in hip.DESCRIPTION.library.texts else ctypes.c_uint32
    with pytest.warns(fakecuda.NotModelledWarning, match=f"^{symbol} is not modelled: it answers hipErrorNotSupported"):
        assert called(symbol, 0, 0, 0, 0, result=result) == none.get(symbol, 801)
    assert called(symbol, 0, 0, 0, 0, result=result) == none.get(symbol, 801)
    assert machine.here.c.hipGetLastError()[0] == 801
    assert not machine.findings


@pytest.mark.parametrize("old", ["hipChooseDevice", "hipGetDeviceProperties"])
def test_an_older_form_names_the_one_to_use(old: str, machine: fakecuda.Machine) -> None:
    """The library has functions of HIP 5 by the names that programs of HIP 6 write for others."""
    assert machine.here.alive
    with pytest.warns(fakecuda.NotModelledWarning, match=f"; use {old}R0600: hip_runtime_api.h calls it by this name"):
        assert called(old, 0, 0) == 801


@pytest.mark.parametrize("name", ["libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7"])
def test_it_is_found_by_each_name(name: str, machine: fakecuda.Machine) -> None:
    """By its SONAME and by those of HIP 6 and 7: they are one library."""
    count = ctypes.c_int()
    assert called("hipGetDeviceCount", ctypes.byref(count), name=name) == 0
    assert count.value == len(machine.devices)
    assert ctypes.CDLL(None)["hipFree"]


def test_functions_are_found_at_their_addresses(machine: fakecuda.Machine) -> None:
    """What hipGetProcAddress finds can be called; a name of HIP 5 means the function that has its name since."""
    for name, version, found in (
        (b"hipGetDeviceCount", 700, "hipGetDeviceCount"),
        (b"hipGetDeviceProperties", 700, "hipGetDevicePropertiesR0600"),
        (b"hipGetDeviceProperties", 500, "hipGetDeviceProperties"),
    ):
        address, status = ctypes.c_uint64(), ctypes.c_int(9)
        assert called("hipGetProcAddress", name, ctypes.byref(address), version, 0, ctypes.byref(status)) == 0
        assert status.value == 0
        assert address.value == ctypes.cast(ctypes.CDLL("libamdhip64.so")[found], ctypes.c_void_p).value
    assert called("hipGetProcAddress", b"hipNothing", ctypes.byref(address), 700, 0, ctypes.byref(status)) == 1
    assert status.value == 1
    assert machine.here.alive


def test_a_struct_that_is_returned(machine: fakecuda.Machine) -> None:
    """That of hipCreateChannelDesc, which asks no device."""
    labels = ("x", "y", "z", "w", "f")
    desc = type("Desc", (ctypes.Structure,), {"_fields_": [(label, ctypes.c_int) for label in labels]})
    assert machine.here.alive
    made = called("hipCreateChannelDesc", 8, 16, 24, 32, 2, result=desc)
    assert [getattr(made, label) for label in labels] == [8, 16, 24, 32, 2]


def test_a_thread_of_c_is_one_of_the_machine(machine: fakecuda.Machine) -> None:
    """The device that it uses is its own, and it is forgotten when it ends."""
    seen: list[int] = []

    def work(_: int) -> int:
        number = ctypes.c_int(9)
        seen.extend([called("hipSetDevice", 1), called("hipGetDevice", ctypes.byref(number)), number.value])
        return 0

    process = ctypes.CDLL(None)
    thread, start = ctypes.c_ulong(), ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(work)
    before = set(machine.here.threads)
    assert called("hipSetDevice", 0) == 0
    assert process.pthread_create(ctypes.byref(thread), None, start, None) == 0
    assert process.pthread_join(thread, None) == 0
    assert seen == [0, 0, 1]
    number = ctypes.c_int(9)
    assert (called("hipGetDevice", ctypes.byref(number)), number.value) == (0, 0)
    assert set(machine.here.threads) - before <= {threading.get_native_id()}


def test_undefined_behaviour_is_a_finding() -> None:
    """Through C nothing can be raised: a strict machine keeps it."""
    from fakecuda.reach.native.hip import attach, detach  # noqa: PLC0415 - it loads a library

    with fakecuda.Machine(PROFILE) as machine:
        attach(machine)
        stream = int(machine.here.c.hipStreamCreate()[1])
        assert called("hipStreamDestroy", stream) == 0
        assert called("hipEventQuery", 0x1234) == 709
        assert [finding.call for finding in machine.findings] == ["hipEventQuery"]
        detach(machine)
    assert called("hipInit", 0) == 100


def test_what_the_library_lacks_is_told(machine: fakecuda.Machine) -> None:
    """The library is one for all machines: on one whose HIP lacks a function the call raises what hip-python would.

    In another thread, where nothing can be raised, it answers hipErrorNotFound.
    """
    from fakecuda.reach.native.hip import attach, detach  # noqa: PLC0415 - it loads a library

    with fakecuda.Machine("hip-clr-2024") as older:
        attach(older)
        with pytest.raises(
            fakecuda.errors.NotInLibrary, match=r"HIP library \(clr-2024\) has no function hipMemSetMemPool: "
        ):
            called("hipMemSetMemPool", 0, 1, 0)
        seen: list[int] = []
        thread = threading.Thread(target=lambda: seen.append(called("hipMemSetMemPool", 0, 1, 0)))
        thread.start()
        thread.join(LONG)
        assert seen == [500]
        detach(older)
    attach(machine)


FOREIGN = """
import ctypes
import fakecuda
from fakecuda.reach.native.hip import attach
foreign = ctypes.CDLL({path!r})
try:
    attach(fakecuda.Machine("hip-clr-2026"))
except fakecuda.FakeCudaError as error:
    print(error)
"""


def test_another_library_is_refused(script: Callable[..., str], tmp_path: Path) -> None:
    """One that is loaded would get the calls, by whatever name it came: the error says which, and what to do."""
    path = tmp_path / "libamdhip64.so.7"
    path.write_bytes(elf.shared_object(["hipInit"], soname=path.name).replace(b"fakecuda_digest", b"anothers_digest"))
    out = script(FOREIGN.format(path=str(path)))
    assert out.startswith(f"another driver library, {path}, is already loaded in this process")
    assert out.endswith("or use door='lookalike'")


FROM_MEMORY = """
import ctypes, tempfile
import fakecuda
from fakecuda.reach.native import door, hip
tempfile.tempdir = "/proc/self/nowhere"
machine = fakecuda.Machine("hip-clr-2026")
door.attach(machine)
hip.attach(machine)
count = ctypes.c_int()
names = ("libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7")
print(ctypes.CDLL("libcuda.so.1").cuInit(0), *[ctypes.CDLL(name).hipGetDeviceCount(ctypes.byref(count)) for name in names])
"""


def test_without_a_directory_for_programs_memory_is_used(script: Callable[..., str]) -> None:
    """Each of its files is loaded, beside the driver library's."""
    assert script(FROM_MEMORY) == "0 0 0 0"


PROGRAM = """
#include <stdio.h>
int hipInit(unsigned), hipGetDeviceCount(int *);
const char *hipGetErrorString(int);
int main(void) { int n; return hipInit(0) == 100 && hipGetDeviceCount(&n) == 100 && !*hipGetErrorString(1) ? 42 : 1; }
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_program_without_python(tmp_path: Path) -> None:
    """A C program that is linked with the library starts, sees no device, and reads empty texts."""
    assert write_library(tmp_path, library()) == tmp_path / "libamdhip64.so"
    assert {path.name for path in tmp_path.iterdir()} == {"libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7"}
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run(
        ["gcc", "program.c", "-o", "program", f"-L{tmp_path}", "-lamdhip64", "-Wl,-z,now"],  # noqa: S607
        cwd=tmp_path,
        check=True,
    )
    done = subprocess.run([tmp_path / "program"], env={"LD_LIBRARY_PATH": str(tmp_path)}, check=False)
    assert done.returncode == 42


FORKED = """
import ctypes, os
import fakecuda
from fakecuda.reach.native.hip import attach
machine = fakecuda.Machine("hip-clr-2026", strict=False)
attach(machine)
hip = ctypes.CDLL("libamdhip64.so")
count = ctypes.c_int()
before = {before}
pid = os.fork()
if not pid:
    os._exit(hip.hipGetDeviceCount(ctypes.byref(count)) or 40 + count.value)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.mark.parametrize(("before", "code"), [("None", 42), ("hip.hipInit(0)", 3)])
def test_a_forked_child(script: Callable[..., str], before: str, code: int) -> None:
    """It has HIP if its parent had not initialised that yet; else it is not initialised, as with the driver."""
    assert script(FORKED.format(before=before)) == str(code)
