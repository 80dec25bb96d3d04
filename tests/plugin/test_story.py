"""What a failing test's report tells: a reader who has not seen the code can name the fix.

Each suite plants a bug; the whole of what fakecuda says of it is compared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda import FakeCudaError
from fakecuda.machine import refusals
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugin.conftest import Outcome, Suite

COMMON = """
    from cuda.bindings import driver

    def ok(answer):
        assert answer[0] == 0
        return answer[-1]

    def use(number):
        ok(driver.cuInit(0))
        context = ok(driver.cuDevicePrimaryCtxRetain(number))
        ok(driver.cuCtxSetCurrent(context))
        return context

    def memory():
        properties = driver.CUmemAllocationProp()
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        return properties
"""
BUGS = {
    "unaligned": """
    def test_it(fakecuda):
        use(0)
        size = 4096
        ok(driver.cuMemCreate(size, memory(), 0))
""",
    "one_direction": """
    def test_it(fakecuda):
        here, there = use(0), use(1)
        pointer = ok(driver.cuMemAlloc(1 << 20))
        ok(driver.cuCtxEnablePeerAccess(here, 0))
        ok(driver.cuCtxSetCurrent(here))
        ok(driver.cuMemsetD8(pointer, 0, 4096))
""",
    "freed_while_mapped": """
    def test_it(fakecuda):
        use(0)
        size = 2 << 20
        handle = ok(driver.cuMemCreate(size, memory(), 0))
        address = ok(driver.cuMemAddressReserve(size, 0, 0, 0))
        ok(driver.cuMemMap(address, size, 0, handle, 0))
        driver.cuMemAddressFree(address, size)
        assert False
""",
    "in_a_child": """
    import sys, subprocess

    def free():
        use(0)
        stream = ok(driver.cuStreamCreate(0))
        ok(driver.cuStreamDestroy(stream))
        driver.cuStreamDestroy(stream)

    def test_it(fakecuda):
        subprocess.run([sys.executable, "-c", "import test_it; test_it.free()"], stderr=subprocess.DEVNULL)
""",
}
TOLD = {
    "unaligned": """
Captured fakecuda call
here  cuInit(Flags=0) -> SUCCESS
here  cuDevicePrimaryCtxRetain(dev=0) -> SUCCESS
here  cuCtxSetCurrent(ctx=0x…) -> SUCCESS
here  cuMemCreate(size=4 KiB, prop={type=CU_MEM_ALLOCATION_TYPE_PINNED, location={type=CU_MEM_LOCATION_TYPE_DEVICE}}, flags=0) -> INVALID_VALUE  [va.mem_create.SIZE_IS_ALIGNED]
Captured fakecuda refused calls call
1 refused call: cuMemCreate -> INVALID_VALUE
  cuMemCreate in process here -> INVALID_VALUE: breaks the rule: `size` is a positive multiple of the minimum granularity of cuMemGetAllocationGranularity
    call       cuMemCreate(size=4 KiB,
               prop={type=CU_MEM_ALLOCATION_TYPE_PINNED,
               location={type=CU_MEM_LOCATION_TYPE_DEVICE}}, flags=0)
    at         test_it.py:23 in test_it
    code       CUDA_ERROR_INVALID_VALUE
    state      size 4 KiB, granularity 2 MiB
    fix        round the size up to the granularity
               (cuMemGetAllocationGranularity)
    rule       va.mem_create.SIZE_IS_ALIGNED (manual)
    source     cuMemCreate: “must be a multiple of the the value given via
               cuMemGetAllocationGranularity”
    evidence   on H200, driver 580 answers INVALID_VALUE
""",
    "one_direction": """
Captured fakecuda call
here  cuInit(Flags=0) -> SUCCESS
here  cuDevicePrimaryCtxRetain(dev=0) -> SUCCESS
here  cuCtxSetCurrent(ctx=0x…) -> SUCCESS
here  cuInit(Flags=0) -> SUCCESS
here  cuDevicePrimaryCtxRetain(dev=1) -> SUCCESS
here  cuCtxSetCurrent(ctx=0x…) -> SUCCESS
here  cuMemAlloc(bytesize=1 MiB) -> SUCCESS
here  cuCtxEnablePeerAccess(peerContext=0x…, Flags=0) -> SUCCESS
here  cuCtxSetCurrent(ctx=0x…) -> SUCCESS
here  cuMemsetD8(dstDevice=0x…, uc=0, N=4 KiB) -> INVALID_VALUE  [copy.memset.PEER_IS_ENABLED]
Captured fakecuda refused calls call
1 refused call: cuMemsetD8 -> INVALID_VALUE
  cuMemsetD8 in process here -> INVALID_VALUE: breaks the rule: peer access is enabled for memory of another device and IPC memory of another context (in graph nodes: another device)
    call       cuMemsetD8(dstDevice=0x…, uc=0, N=4 KiB)
    at         test_it.py:25 in test_it
    code       CUDA_ERROR_INVALID_VALUE
    object     allocation 0x…+0x… on device 1
                 allocated at test_it.py:22 in test_it
    object     primary context 0x… on device 0
                 created at test_it.py:10 in use
                   from test_it.py:21 in test_it
    fix        call cuCtxEnablePeerAccess in the current context; each
               direction must be enabled separately
    rule       copy.memset.PEER_IS_ENABLED (observed)
    source     cuMemsetD8: unlike copies, memsets need cuCtxEnablePeerAccess
               for memory on another device and for an IPC mapping of another
               context
    evidence   on H200, driver 580 answers INVALID_VALUE; the manual does not
               distinguish copies and memsets; a copy to the same memory
               answers SUCCESS
""",
    "freed_while_mapped": """
Captured fakecuda call
here  cuInit(Flags=0) -> SUCCESS
here  cuDevicePrimaryCtxRetain(dev=0) -> SUCCESS
here  cuCtxSetCurrent(ctx=0x…) -> SUCCESS
here  cuMemCreate(size=2 MiB, prop={type=CU_MEM_ALLOCATION_TYPE_PINNED, location={type=CU_MEM_LOCATION_TYPE_DEVICE}}, flags=0) -> SUCCESS
here  cuMemAddressReserve(size=2 MiB, alignment=0, addr=0, flags=0) -> SUCCESS
here  cuMemMap(ptr=0x…, size=2 MiB, offset=0, handle=0x…, flags=0) -> SUCCESS
here  cuMemAddressFree(ptr=0x…, size=2 MiB) -> INVALID_VALUE  [va.mem_address_free.NOTHING_IS_MAPPED]
Captured fakecuda refused calls call
1 refused call: cuMemAddressFree -> INVALID_VALUE
  cuMemAddressFree in process here -> INVALID_VALUE: breaks the rule: no mapping of cuMemMap is left in the reservation at `ptr`
    call       cuMemAddressFree(ptr=0x…, size=2 MiB)
    at         test_it.py:26 in test_it
    code       CUDA_ERROR_INVALID_VALUE
    object     reservation 0x…+0x… with 1 mapping
                 reserved at test_it.py:24 in test_it
    object     mapping 0x…+0x… of allocation handle
               0x… of 0x… bytes, 1 reference
                 mapped at test_it.py:25 in test_it
    fix        call cuMemUnmap on all mappings before cuMemAddressFree
    rule       va.mem_address_free.NOTHING_IS_MAPPED (manual)
    source     cuMemAddressFree names CUDA_ERROR_INVALID_VALUE, without saying
               when
    evidence   on H200, driver 580 answers INVALID_VALUE
""",
    "in_a_child": """
E   fakecuda.errors.UndefinedBehaviour: cuStreamDestroy in process a: breaks the rule: no stream that the call uses has been destroyed
      call       cuStreamDestroy(hStream=0x…)
      at         test_it.py:26 in free
      process a, pid N: python -c import test_it; test_it.free()
      object     destroyed stream 0x… of primary context
                 0x… on device 0
                   created at test_it.py:24 in free
                     from <string>:1 in <module>
                   ended at test_it.py:25 in free
                     from <string>:1 in <module>
      fix        call cuStreamDestroy once, after the last use of the stream
      rule       stream.handle.STREAM_IS_LIVE (undefined)
      source     cuStreamDestroy: the manual says nothing about a later use;
                 driver 580 reads freed memory: calls that submit work answer
                 INVALID_CONTEXT, and most other calls crash (segmentation
                 fault)
      evidence   on H200, driver 580 answers INVALID_CONTEXT, or crashes, or
                 answers SUCCESS; driver 580 reads the stream's freed memory:
                 calls that submit work mostly answer INVALID_CONTEXT, and other
                 calls crash (segmentation fault)
""",
}


def told(suite: Suite, outcome: Outcome) -> str:
    """Return what fakecuda says of a failed test, with short names for files, addresses and numbers of processes."""
    text = outcome.plain.replace(f"{suite.folder}/", "")
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
    text = re.sub(r"pid \d+: \S+python\S*(?: -B)?", "pid N: python", text)
    text = re.sub(
        r"  process  .*?\n(?= +(?:state|object) )", lambda row: f"  {' '.join(row[0].split())}\n", text, flags=re.DOTALL
    )
    text = re.sub(r"\b(here|[a-z])/\d+  ", r"\1  ", text)
    first = re.search(r"^(E   fakecuda|-+ Captured fakecuda)", text, re.MULTILINE)
    assert first is not None
    text = text[first.start() :]
    end = re.search(r"^(-+ Captured fakecuda leaks|\S+\.py:\d+: |=+ short test summary)", text, re.MULTILINE)
    lines = text[: end.start() if end else None].rstrip().splitlines()
    return "\n".join(line.strip("-").strip() if line.startswith("---") else line.rstrip() for line in lines)


@pytest.mark.parametrize("bug", BUGS)
def test_a_report_names_the_fix(suite: Suite, bug: str) -> None:
    """The rule, what it rests on, the objects with where they were made, and what to do."""
    if bug == "in_a_child" and not NATIVE:
        pytest.skip(NEEDS)
    suite.write(test_it=COMMON + BUGS[bug])
    outcome = suite.run(door="native" if bug == "in_a_child" else "lookalike")
    assert outcome.counts == {"FAILED": 1}
    assert told(suite, outcome) == TOLD[bug].strip("\n")


def test_a_traceback_ends_at_the_users_line(suite: Suite) -> None:
    """What the simulator did to find the bug is not told."""
    suite.write(
        test_it="""
        def test_it(fakecuda):
            calls = fakecuda.spawn().c
            calls.cuInit(0)
            calls.cuMemRelease(7)
        """
    )
    out = suite.run().out
    report = out.partition("_ test_it _")[2].partition("short test summary")[0]
    assert ">       calls.cuMemRelease(7)" in report
    assert "dispatch.py" not in report
    assert report.count("UndefinedBehaviour: cuMemRelease in process a") == 1
    assert "fix        call cuMemRelease once for each reference" in report


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """A machine, initialised; what is undefined on it is the test's own."""
    with fakecuda.simulate("h200", door="lookalike") as made:
        made.here.c.cuInit(0)
        yield made


def test_why_tells_what_the_report_would(machine: fakecuda.Machine) -> None:
    """The last finding or refused call by default, else what is asked for; nobody need have counted."""
    c = machine.here.c
    assert fakecuda.why() == "no call was refused or undefined"
    c.cuMemAlloc(64)
    assert fakecuda.why().startswith(
        "cuMemAlloc in process here -> INVALID_CONTEXT: breaks the rule: the calling thread has a current context"
    )
    assert "  at " not in fakecuda.why()
    counted = refusals.count(machine)
    c.cuMemAlloc(65)
    with fakecuda.expect(), fakecuda.expect_undefined("va.handle.HANDLE_IS_HELD"):
        c.cuMemFree(0x1234567)
        c.cuMemRelease(7)
    c.cuCtxSetLimit(99, 1)
    told = [fakecuda.why(number).partition(" ")[0] for number in (-4, -3, -2, -1)]
    assert told == ["cuMemAlloc", "cuMemFree", "cuMemRelease", "cuCtxSetLimit"]
    assert fakecuda.why("cuMemRelease") == fakecuda.why(machine.findings[0]) == str(machine.findings[0])
    assert fakecuda.why("cuMemAlloc") == fakecuda.why(counted.kept[0]) == counted.kept[0].report
    assert f"  at         {__file__}:" in fakecuda.why("cuMemAlloc")
    assert fakecuda.why(-5) == "why(-5): write -1 for the last refused or undefined call, up to -4 for the first one"
    assert fakecuda.why("cuMemMap") == "no call of cuMemMap was refused or undefined"


def test_an_undefined_call_is_told_once(machine: fakecuda.Machine) -> None:
    """It is a finding, and not a refused call besides where no exception can travel."""
    counted = refusals.count(machine)
    thread = machine.here.current_thread()
    thread.call = thread.native
    with fakecuda.expect_undefined():
        assert machine.here.c.cuMemRelease(7) == (1,)
    assert counted.take() == ""


def test_why_explains_a_rule_and_a_leak(machine: fakecuda.Machine) -> None:
    """By its id, and one of faults, which no call has of its own, too; a leak by what gives it back."""
    assert fakecuda.why("core.init.FLAGS_ARE_ZERO").startswith(
        "`Flags` of cuInit is 0\n  rule       core.init.FLAGS_ARE_ZERO"
    )
    assert "\n  fix        read what the kernel's assert printed" in fakecuda.why("context.fault.ASSERTIONS_HELD")
    machine.here.c.cuCtxCreate(None, 0, 0)
    (leak,) = fakecuda.leaks()
    assert fakecuda.why(leak).startswith("context: context 0x")
    assert f"\n  made at {__file__}:" in fakecuda.why(leak)
    assert fakecuda.why(leak).endswith("\n  fix: call cuCtxDestroy (hipCtxDestroy)")


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("cuMemMpa", "'cuMemMpa' is not a call; did you mean: cuMemMap"),
        ("core.init.FLAGS_ARE_ZER", "'core.init.FLAGS_ARE_ZER' is not a rule; did you mean: core.init.FLAGS_ARE_ZERO"),
    ],
)
def test_why_names_what_is_near(machine: fakecuda.Machine, what: str, says: str) -> None:
    """Of what is unknown."""
    assert machine is not None
    with pytest.raises(FakeCudaError, match=f"^{says}"):
        fakecuda.why(what)


def test_why_needs_a_machine() -> None:
    """One that is installed."""
    with pytest.raises(FakeCudaError, match=r"^fakecuda\.why\(\) needs a simulated machine"):
        fakecuda.why()


def test_only_the_first_refused_calls_are_told_in_full(machine: fakecuda.Machine) -> None:
    """Others in a line each."""
    counted = refusals.count(machine)
    for number in range(refusals.FULL + 2):
        exec(compile("\n" * number + "c.cuMemAlloc(64)", "calls.py", "exec"), {"c": machine.here.c})  # noqa: S102 - lines of their own
    lines = counted.take(full=True).splitlines()
    assert sum(line.startswith("    fix        call cuCtxSetCurrent") for line in lines) == refusals.FULL
    assert [line[:15] for line in lines[-2:]] == ["  cuMemAlloc ->"] * 2
