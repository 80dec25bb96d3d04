"""``history``: the calls that were made, by number, by object, with names for what variables hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fakecuda import Machine
from fakecuda.model.machine import CALLS_KEPT
from fakecuda.prompt.calls import history_text
from fakecuda.prompt.record import Calls
from fakecuda.prompt.why import why_text

if TYPE_CHECKING:
    import pytest

    from fakecuda.prompt.console import Prompt


def told(prompt: Prompt, what: object, width: int = 200) -> list[str]:
    """Return the history as lines."""
    return history_text(prompt.calls, what, prompt.locals, width).splitlines()


def test_the_last_calls_stand_with_their_arguments_by_name(world: Prompt) -> None:
    """Enums by name, sizes for people, and what a variable holds by the variable."""
    world.feed(["_ = a.c.cuPointerGetAttribute(1, p), a.c.cuMemAlloc(0)"])
    lines = told(world, 4)
    assert [re.sub(r"0x\w{9,}", "0x", line) for line in lines[:4]] == [
        "14  a/main  cuMemMap(ptr=r+2 MiB, size=2 MiB, offset=0, handle=h, flags=0) -> SUCCESS",
        "15  a/main  cuMemSetAccess(ptr=r+2 MiB, size=2 MiB, desc=({location={type=CU_MEM_LOCATION_TYPE_DEVICE}, flags=CU_MEM_ACCESS_FLAGS_PROT_READWRITE}), count=1) -> SUCCESS",
        "16  a/main  cuPointerGetAttribute(attribute=CU_POINTER_ATTRIBUTE_CONTEXT, ptr=p) -> SUCCESS, data=0x",
        "17  a/main  cuMemAlloc(bytesize=0) -> INVALID_VALUE",
    ]
    assert lines[4].strip().startswith("breaks memory.mem_alloc.")
    assert lines[5] == f"where r={world.locals['r']:#x}, h={world.locals['h']:#x}, p={world.locals['p']:#x}"


def test_an_object_selects_the_calls_that_mention_it(world: Prompt) -> None:
    """As an argument, as a result, or by an address inside it."""
    calls = [re.findall(r" (cu\w+)\(", line)[0] for line in told(world, world.locals["r"])[:-1]]
    assert calls == ["cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"]
    world.locals["x"] = handle = next(iter(world.machine.exchange.shares))
    get, opened, where = told(world, handle)
    assert get.endswith("cuIpcGetMemHandle(dptr=p) -> SUCCESS, pHandle=x")
    assert " b/main  cuIpcOpenMemHandle(handle=x, Flags=1) -> SUCCESS" in opened
    assert where == f"where p={world.locals['p']:#x}, x={handle[:8].hex()}…"
    assert told(world, 1 << 50) == ["no calls"]


def test_handles_of_the_bindings_select_too(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """In the classes that calls return; freed memory is still found."""
    prompt.feed(["p = a.driver.cuMemAlloc(8)[1]; _ = a.driver.cuMemFree(p)", "history(p)", "history(1)"])
    out = capsys.readouterr().out
    assert re.sub(r"0x\w+", "0x", out).splitlines() == [
        "4  a/main  cuMemAlloc(bytesize=8) -> SUCCESS, dptr=p",
        "5  a/main  cuMemFree(dptr=p) -> SUCCESS",
        "where p=0x",
        "5  a/main  cuMemFree(dptr=p) -> SUCCESS",
        "where p=0x",
    ]


def test_threads_and_undefined_behaviour_are_named(world: Prompt) -> None:
    """A call that raised has no code."""
    world.feed(["a.thread('worker').c.cuMemFree(p)"])
    (call, rule, _) = told(world, 1)
    assert call == "16  a/worker  cuMemFree(dptr=p) -> undefined"
    assert rule.strip() == "breaks memory.mem_free.NO_IMPORTER_IS_OPEN"


def test_lines_fit(world: Prompt) -> None:
    """What is long goes on under the call."""
    assert [line for line in told(world, 20, 60) if len(line) > 60 and " " in line.strip()] == []  # a word stays whole


def test_numbers_go_on_when_old_calls_are_forgotten() -> None:
    """The machine keeps a bounded log; the numbers stay those of the calls."""
    with Machine() as machine:
        calls = Calls(machine)
        driver = machine.spawn().driver
        for _ in range(CALLS_KEPT + 5):
            driver.cuDriverGetVersion()
        assert history_text(calls, 1).startswith(f"{CALLS_KEPT + 5}  ")
        assert why_text(calls, 5) == f"there is no call 5: calls 6 to {CALLS_KEPT + 5} are known"


def test_mistakes_are_answered(prompt: Prompt) -> None:
    """What is neither a number nor an object is said so."""
    assert told(prompt, "cuInit") == ["'cuInit' is not a number of calls, an address or a handle"]
    assert told(prompt, 0) == told(prompt, -1) == ["no calls"]


def test_pointers_of_the_host_stand_by_their_names(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Page-locked memory comes as a plain int."""
    prompt.feed(["_, p = a.driver.cuMemHostAlloc(8, 0); _ = a.driver.cuMemFreeHost(p)", "history(2)"])
    out = capsys.readouterr().out
    assert "cuMemHostAlloc(bytesize=8, Flags=0) -> SUCCESS, pp=p\n" in out
    assert "cuMemFreeHost(p=p) -> SUCCESS\n" in out


def test_a_fork_is_named_in_few_words(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """A fact that is a process is told by its name."""
    prompt.feed(["_ = a.forked.cuInit(0)", "why()"])
    assert "state      process a fork of a\n" in capsys.readouterr().out
