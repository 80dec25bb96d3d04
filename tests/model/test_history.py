"""Where objects came from: cheap stacks that are told as lines."""

from __future__ import annotations

import _thread
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.model import history
from fakecuda.model.os.thread_starts import FRAMES
from tests.limits import LONG

from .world import GRANULE, contents, created, done, mapped, started

if TYPE_CHECKING:
    import pytest

    from fakecuda import Machine, Process
    from fakecuda.model.history import Stack


def allocate(process: Process) -> int:
    """Return the address of an allocation made here."""
    return int(done(process.c.cuMemAlloc(4096)))


def three_deep(function: Any) -> Any:
    """Call a function from three frames down, as an operation is called by a surface."""

    def surface() -> Any:
        def invoke() -> Any:
            def operation() -> Any:
                return function()

            return operation()

        return invoke()

    return surface()


def test_the_stack_begins_with_the_caller_outside_fakecuda(machine: Machine) -> None:
    """Frames of fakecuda itself tell nobody anything."""
    a = started(machine)
    item = a.memory.at(allocate(a))
    assert item is not None
    names = [code.co_name for code in item.created[::2]]
    assert names[:2] == ["allocate", "test_the_stack_begins_with_the_caller_outside_fakecuda"]


def test_four_frames_are_kept(machine: Machine) -> None:
    """However deep the caller is."""
    a = started(machine)

    def deep(left: int) -> int:
        return deep(left - 1) if left else allocate(a)

    item = a.memory.at(deep(20))
    assert item is not None
    assert [code.co_name for code in item.created[::2]] == ["allocate", "deep", "deep", "deep"]


def test_a_shallow_stack_is_kept_whole() -> None:
    """To the bottom of the thread, and to the line that started the thread if its target calls."""
    found: list[Stack] = []
    thread = threading.Thread(target=lambda: found.append(three_deep(lambda: history.here(7))))
    thread.start()
    thread.join()
    names = [code.co_name for code in found[0][::2]]
    own = names.index("_bootstrap") + 1
    assert own < 4  # frames
    assert names[own] == "test_a_shallow_stack_is_kept_whole"  # "Thread.run" is the innermost frame that is kept
    assert len(names) <= own + FRAMES


def test_a_bare_thread_has_one_frame() -> None:
    """A thread that ``_thread`` starts has nothing beneath its function."""
    found: list[Stack] = []
    over = threading.Event()

    def call() -> None:
        sys.settrace(threading.gettrace())  # a bare thread has no trace function of its own
        found.append(history.here(1))
        over.set()

    _thread.start_new_thread(call, ())
    assert over.wait(LONG)
    assert [code.co_name for code in found[0][::2]] == ["call"]


def test_a_thread_that_c_made_has_no_stack() -> None:
    """Nothing of Python called."""
    assert history.here(10_000) == history.NOWHERE


def test_frames_of_fakecuda_are_left_out() -> None:
    """However many a surface has."""
    space: dict[str, Any] = {"__name__": "fakecuda.somewhere"}
    exec("def surface(function): return function()", space)  # noqa: S102 - a frame of that module
    stack = space["surface"](lambda: space["surface"](lambda: history.here(1)))
    inner = space["surface"](partial(history.here, 1))
    assert stack[0].co_name == "<lambda>"
    assert inner[0].co_name == "test_frames_of_fakecuda_are_left_out"


def test_a_stack_is_told_as_file_line_and_function(machine: Machine) -> None:
    """The line is that of the call, not of the function's head."""
    a = started(machine)
    item = a.memory.at(allocate(a))
    assert item is not None
    head = allocate.__code__.co_firstlineno
    assert history.lines(item.created)[0] == f"{__file__}:{head + 2} in allocate"


def test_an_instruction_without_a_line_is_told_by_its_function() -> None:
    """The head of the function is as near as can be."""
    code = allocate.__code__
    assert history.lines((code, 1 << 30)) == [f"{__file__}:{code.co_firstlineno} in allocate"]


def test_a_story_has_a_beginning_and_perhaps_an_end() -> None:
    """The place itself first, then whence it was reached."""
    code = allocate.__code__
    place = f"{__file__}:{code.co_firstlineno} in allocate"
    stack = (code, 1 << 30, code, 1 << 30)
    assert history.story(stack, history.NOWHERE, ("made", "gone")) == [f"made at {place}", f"  from {place}"]
    assert history.story(stack[:2], stack[:2], ("made", "gone")) == [f"made at {place}", f"gone at {place}"]


def test_every_object_tells_its_story(machine: Machine) -> None:
    """Each in its own words, and in hexadecimal where it says what it is."""
    a, b = started(machine), started(machine)
    context = a.contexts[done(a.c.cuCtxGetCurrent())]
    allocation = a.memory.at(allocate(a))
    assert allocation is not None
    opened = b.memory.at(done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(allocation.start)), 1)))
    assert opened is not None
    share = next(iter(machine.exchange.shares.values()))
    value = created(a)
    handle = a.handles[value]
    mapping = a.memory.at(mapped(a, value))
    assert mapping is not None
    reservation = a.reservations.at(mapping.start)
    assert reservation is not None
    told = [
        (context, f"context {context.handle:#x} on device 0", "created"),
        (allocation, f"allocation {allocation.start:#x}+0x1000 on device 0", "allocated"),
        (share, f"IPC handle {share.handle[:6].hex()}… of {allocation} in process a", "allocated"),
        (opened, f"IPC mapping {opened.start:#x}+0x1000 opened 1 time", "opened"),
        (handle, f"allocation handle {value:#x} of 0x200000 bytes, 1 reference", "created"),
        (mapping, f"mapping {mapping.start:#x}+0x200000 of {handle}", "mapped"),
        (reservation, f"reservation {mapping.start:#x}+0x200000 with 1 mapping", "reserved"),
    ]
    for item, text, word in told:
        assert repr(item) == text
        story = item.history()
        first, *others = [line for line in story if not line.startswith("  ")]
        assert first.startswith(f"{word} at {__file__[: -len('test_history.py')]}")
        assert [line.partition(" ")[0] for line in others] == ["exported"] * (item in {allocation, share})
    done(a.c.cuMemUnmap(mapping.start, GRANULE))
    done(a.c.cuMemAddressFree(mapping.start, GRANULE))
    done(a.c.cuMemRelease(value))
    done(b.c.cuIpcCloseMemHandle(opened.start))
    done(a.c.cuMemFree(allocation.start))
    done(a.c.cuCtxDestroy(context.handle))
    for item, word in [
        (context, "destroyed"),
        (allocation, "freed"),
        (share, "freed"),
        (opened, "closed"),
        (handle, "released"),
        (mapping, "unmapped"),
        (reservation, "freed"),
    ]:
        assert sum(line.startswith(f"{word} at ") for line in item.history()) == 1
    assert repr(context) == f"destroyed context {context.handle:#x} on device 0"


def test_sizes_and_devices_are_those_of_the_memory(machine: Machine) -> None:
    """What each kind of memory says of itself."""
    a, b = started(machine), started(machine, device=1)
    allocation = a.memory.at(allocate(a))
    assert allocation is not None
    opened = b.memory.at(done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(allocation.start)), 1)))
    mapping = a.memory.at(mapped(a, created(a, device=1), device=1))
    assert opened is not None
    assert mapping is not None
    assert [item.size for item in (allocation, opened, mapping)] == [4096, 4096, GRANULE]
    assert [item.device.ordinal for item in (allocation, opened, mapping)] == [0, 1, 1]
    assert mapping.origin == mapping.start
    assert allocation.extent is opened.extent
    assert contents(b, opened.start, 4) == bytes(4)


def test_what_was_freed_last_is_remembered_for_a_while(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest story is forgotten when there are too many."""
    monkeypatch.setattr("fakecuda.model.os.process.FREED_KEPT", 4)
    monkeypatch.setattr("fakecuda.model.os.process.SPARE", 2)
    a = started(machine)
    places = [allocate(a) for _ in range(8)]
    for place in places[:6]:
        done(a.c.cuMemFree(place))
    assert list(a.freed) == places[:6]
    done(a.c.cuMemFree(places[6]))
    assert list(a.freed) == places[2:7]
    done(a.c.cuMemFree(places[7]))
    assert list(a.freed) == places[2:]


def test_the_caller_of_a_call() -> None:
    """It is the innermost frame outside of fakecuda."""
    frame = history.caller()
    assert frame is not None
    assert frame.f_code is test_the_caller_of_a_call.__code__
