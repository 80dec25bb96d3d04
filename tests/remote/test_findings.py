"""What an attached process finds of calls through C that do not reach the owner: it keeps that, or the program hears of it."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import msgpack
import pytest

import fakecuda.rules
from fakecuda import Machine
from fakecuda.model import history
from fakecuda.model.memory.space import SPACE
from fakecuda.model.work.deadlock import Deadlock
from fakecuda.reach.native.callbacks import ARRAY_IS_THERE, CALL_IS_ANSWERED
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.reach.remote.protocol import findings, outcome
from fakecuda.reach.remote.protocol.exceptions import are_facts, facts_of, rule_of, told_facts
from fakecuda.rules.core import Rule
from fakecuda.rules.driver.copy.plan import MEMORY_IS_THERE
from fakecuda.rules.driver.copy.range import ADDRESS_IS_KNOWN

pytestmark = pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
SHORT = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
room = ctypes.create_string_buffer(1 << 20)
def call():
    return cuda.cuMemSetAccess(ctypes.c_uint64(0), ctypes.c_size_t(0), room, ctypes.c_size_t(1 << 28))
print(call(), cuda.cuInit(0))
"""
MISTAKEN = """
import ctypes, threading
from fakecuda.reach.remote.protocol import call_sites
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
call_sites.here = None
def call():
    print(cuda.cuCtxSynchronize())
thread = threading.Thread(target=call)
thread.start()
thread.join()
"""
BAD = """
import ctypes, sys
from fakecuda.reach.native.callbacks import door
c = door.machine.here.c
c.cuInit(0)
c.cuCtxCreate(None, 0, 0)
memory = c.cuMemAlloc(64 << 20)[1]
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *args):
    if sys.argv[1] == "C" and name != "cuMemcpy2D":
        symbol = getattr(cuda, name + "_v2")
        print(symbol(*map(ctypes.c_uint64, args)))
    else:
        print(getattr(c, name)(*args)[0])
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
base = libc.mmap(None, ctypes.c_size_t(8192), 3, 0x22, -1, ctypes.c_long(0))
libc.munmap(ctypes.c_void_p(base + 4096), ctypes.c_size_t(4096))
call("cuMemcpyHtoD", memory, 4096, 512)
call("cuMemcpyHtoD", memory, base, 8192)
call("cuMemcpyDtoH", 4096, memory, 512)
call("cuMemcpyDtoH", base, memory, 8192)
call("cuMemcpyDtoHAsync", 4096, memory, 512, 0)
call("cuMemcpy2D", (0, 0, 1, 4096, 0, 0, 512, 0, 0, 2, 0, memory, 0, 512, 512, 1))
print(c.cuCtxSynchronize()[0])
"""
TAKEN = """
import ctypes, mmap, sys
from fakecuda.model.memory.space import MAP_NORESERVE, map_memory
map_memory(1 << 21, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, -1, int(sys.argv[1]))
cuda = ctypes.CDLL("libcuda.so.1")
nvml = ctypes.CDLL("libnvidia-ml.so.1")
for call in (lambda: cuda.cuInit(0), nvml.nvmlInit_v2):
    try:
        print(call())
    except BaseException as error:
        print(type(error).__name__, error)
"""


def ran(program: str, *arguments: str) -> str:
    """Run a program as a child that attaches; return what it printed."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("strict", [True, False])
def test_an_array_that_is_shorter_than_its_count(*, strict: bool) -> None:
    """The owner keeps it, with the line of the child that called; the call is refused, and the process goes on."""
    with Machine("h200", strict=strict) as machine, machine.shared():
        assert ran(SHORT) == "1 0\n"
    told = [(finding.rule, finding.call, finding.facts["size"]) for finding in machine.findings]
    assert told == ([(ARRAY_IS_THERE, "cuMemSetAccess", 12 << 28)] if strict else [])
    for finding in machine.findings:
        assert "pid" in finding.command
        assert "<string>:7 in call" in str(finding)


@pytest.mark.parametrize("door", ["C", "look-alike"])
def test_bad_pointers_to_the_hosts_memory(door: str) -> None:
    """They are not followed: the call is refused, the owner keeps that, and the process goes on."""
    with Machine("h200") as machine, machine.shared():
        said = ran(BAD, door).split()
    assert said == ["1", "1", "1", "1", "0", "1", "0"]  # a copy of a stream is made behind its call
    assert [(one.rule, one.call) for one in machine.findings] == [
        (ADDRESS_IS_KNOWN, "cuMemcpyHtoD"),
        (ADDRESS_IS_KNOWN, "cuMemcpyHtoD"),
        (ADDRESS_IS_KNOWN, "cuMemcpyDtoH"),
        (ADDRESS_IS_KNOWN, "cuMemcpyDtoH"),
        (MEMORY_IS_THERE, "cuMemcpyDtoHAsync"),
        (ADDRESS_IS_KNOWN, "cuMemcpy2D"),
    ]
    assert all("in call" in str(one) for one in machine.findings if one.rule is ADDRESS_IS_KNOWN)


def test_a_mistake_of_the_simulator() -> None:
    """A thread in which nothing can be raised answers UNKNOWN, and the owner keeps what has happened."""
    with Machine("h200") as machine, machine.shared():
        assert ran(MISTAKEN) == "999\n"
    [finding] = machine.findings
    assert (finding.rule, finding.call) == (CALL_IS_ANSWERED, "cuCtxSynchronize")
    assert "'NoneType' object is not callable" in str(finding)
    assert "<string>:8 in call" in str(finding)


@pytest.mark.parametrize(
    "value",
    [
        None,
        (),
        (ARRAY_IS_THERE.id, "cuInit", ()),
        ("another rule", "cuInit", (), ()),
        (ARRAY_IS_THERE.id, 1, (), ()),
        (ARRAY_IS_THERE.id, "cuInit", (("size",),), ()),
        (ARRAY_IS_THERE.id, "cuInit", (), ("a line",)),
    ],
)
def test_what_is_no_finding(value: object) -> None:
    """It is not taken for one."""
    assert not findings.fits(value)


PLACE = ("file.py", 1, "function")
FINDING = (ARRAY_IS_THERE.id, "cuInit", "a", (("size", 1),), "pid 1", ("libnccl.so",), (PLACE,) * 9, "text")
LEAK = (1, "stream", "a", "a stream", 0, (PLACE,), ())
TRACED = (*LEAK[:6], ("cuStreamCreate(Flags=1)", 1, 3, False, 1, "ended", ("file.py:2 in function",)))
DEADLOCK = (1, "2 calls wait", ("  waits      a call", "  fix        do something"))


def changed(value: tuple[object, ...], part: int, other: object) -> tuple[object, ...]:
    """Return a tuple in which one part is another."""
    return *value[:part], other, *value[part + 1 :]


def test_facts_that_no_frame_has() -> None:
    """Numbers of more than 64 bits are told as texts: the size of rows that are far apart can be one."""
    facts = {"size": 1 << 64, "offset": -(1 << 63) - 1, "most": (1 << 64) - 1, "least": -(1 << 63)}
    told = told_facts(facts)
    assert msgpack.unpackb(msgpack.packb(told), use_list=False) == told
    assert are_facts(told)
    assert {key: str(fact) for key, fact in facts_of(told).items()} == {key: str(fact) for key, fact in facts.items()}


def test_what_an_owner_tells_of_a_test_is_made_again() -> None:
    """With the stacks, so that a suite can suppress it, and the same object for what is told twice."""
    told, items, known = ((FINDING,), (LEAK,), (DEADLOCK,)), dict[int, object](), dict[int, Deadlock]()
    assert outcome.fits(told)
    [finding], [leak] = outcome.made(told, items, known)
    assert finding.rule is ARRAY_IS_THERE
    assert (str(finding), finding.libraries) == ("text", ("libnccl.so",))
    assert history.lines(finding.stack) == ["file.py:1 in function"] * 9
    assert str(leak) == "stream: a stream, of process a, made at file.py:1 in function"
    [waited] = known.values()
    assert str(waited) == "deadlock: 2 calls wait\n  waits      a call\n  fix        do something"
    traced = ((FINDING,), (TRACED,), (DEADLOCK,))
    assert outcome.fits(traced)
    [again] = outcome.made(traced, items, known)[1]
    assert (again.item, leak.origin) == (leak.item, None)
    assert str(again) == f"{leak}, by cuStreamCreate(Flags=1)"
    assert "1st of 3 made at this line; 1 was ended at file.py:2 in function" in again.report
    assert [*known.values()] == [waited]


def test_every_rule_is_known_by_its_id() -> None:
    """Those, too, that no call checks by itself."""
    for module in pkgutil.walk_packages(fakecuda.rules.__path__, "fakecuda.rules."):
        for value in vars(importlib.import_module(module.name)).values():
            if type(value) is Rule:
                assert rule_of(value.id) is value
    assert rule_of(CALL_IS_ANSWERED.id) is CALL_IS_ANSWERED


def test_a_rule_that_this_release_has_not() -> None:
    """It keeps its id, by which a suite can suppress it."""
    assert rule_of("event.handle.OF_LATER").id == "event.handle.OF_LATER"


@pytest.mark.parametrize(
    "value",
    [
        None,
        ((),),
        ((), ()),
        ([], (), ()),
        (((),), (), ()),
        ((), ((),), ()),
        ((), (), ((),)),
        *(((changed(FINDING, part, None),), (), ()) for part in range(len(FINDING))),
        *(((), (changed(LEAK, part, None),), ()) for part in range(len(LEAK))),
        *(((), (), (changed(DEADLOCK, part, None),)) for part in range(len(DEADLOCK))),
        ((changed(FINDING, 3, ("size",)),), (), ()),
        ((changed(FINDING, 5, (1,)),), (), ()),
        ((changed(FINDING, 6, (PLACE,) * 65),), (), ()),
        ((), (changed(LEAK, 1, "another kind"),), ()),
        ((), (changed(LEAK, 5, ("a line",)),), ()),
        *(((), (changed(LEAK, 6, changed(TRACED[6], part, None)),), ()) for part in range(len(TRACED[6]))),
        ((), (changed(LEAK, 6, changed(TRACED[6], 6, (1,))),), ()),
        ((), (), (changed(DEADLOCK, 2, (1,)),)),
    ],
)
def test_what_no_owner_tells_of_a_test(value: object) -> None:
    """It is not taken for that."""
    assert not outcome.fits(value)


def test_addresses_that_are_not_free() -> None:
    """Each call says so, through whatever library it is made."""
    with Machine("h200") as machine, machine.shared():
        first = SPACE.start
        said = ran(TAKEN, str(first)).splitlines()
    for line in said:
        assert line.startswith(f"FakeCudaError the machine's device addresses {first:#x} to ")
    assert len(said) == 2
    assert machine.findings == []
