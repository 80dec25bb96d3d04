"""How a leaked object was made: the call, and which of several objects from one line it is."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda.machine import leaks, origins
from fakecuda.model.leaks import Leak, Origin, which

from .test_leaks import MADE, POOL
from .world import created, done, mapped, started

if TYPE_CHECKING:
    from fakecuda import Machine

ASKS = re.compile(r"Get|Query|Set|Free|Destroy|Push|Pop")


def left(machine: Machine) -> list[Leak]:
    """Return the leaks of a machine with their origins."""
    return origins.traced(machine, leaks.judged(machine))


def of_kind(machine: Machine, kind: str) -> list[Leak]:
    """Return the leaks of a kind."""
    return [leak for leak in left(machine) if leak.kind == kind]


@pytest.mark.parametrize("what", MADE)
def test_each_kind_has_the_call_that_made_it(machine: Machine, what: str) -> None:
    """Whatever returns the object afterwards: no call that asks is taken for its maker."""
    a = started(machine)
    MADE[what][0](a)
    for pointer in [item.start for item in a.memory]:
        a.c.cuMemGetAddressRange(pointer)
        a.c.cuPointerGetAttribute(2, pointer)
    a.c.cuCtxPopCurrent()
    a.c.cuCtxPushCurrent(next(iter(a.contexts)))
    a.c.cuCtxGetCurrent()
    found = [leak for leak in left(machine) if leak.kind != "kept" and leak.line]
    assert [str(leak) for leak in found if leak.origin is None] == []
    makers = [leak.origin.call.partition("(")[0] for leak in found if leak.origin]
    assert not [name for name in makers if ASKS.search(name)]


def test_the_call_has_its_arguments(machine: Machine) -> None:
    """In the text of the leak, in its report and in the list."""
    a = started(machine)
    done(a.c.cuMemAlloc(1 << 20))
    (leak,) = of_kind(machine, "allocation")
    assert str(leak).endswith(", by cuMemAlloc(bytesize=1 MiB)")
    assert "\n  by cuMemAlloc(bytesize=1 MiB)\n" in leak.report
    assert str(leak) in leaks.told([leak])


def test_a_descriptor_has_its_export(machine: Machine) -> None:
    """Of memory, also once its handle was released, and of a pool."""
    a = started(machine)
    handle, pool = created(a), done(a.c.cuMemPoolCreate(POOL))
    made = [
        done(a.c.cuMemExportToShareableHandle(handle, 1, 0)),
        done(a.c.cuMemPoolExportToShareableHandle(pool, 1, 0)),
    ]
    done(a.c.cuMemRelease(handle))
    calls = [str(leak.origin and leak.origin.call).partition("(")[0] for leak in of_kind(machine, "descriptor")]
    for one in made:
        os.close(one)
    assert sorted(calls) == ["cuMemExportToShareableHandle", "cuMemPoolExportToShareableHandle"]


def several(a: Any, count: int) -> list[int]:
    """Make allocations at one line."""
    return [done(a.c.cuMemAlloc(4096)) for _ in range(count)]


def test_one_of_several_is_told(machine: Machine) -> None:
    """By its number, with the lines at which the others were freed."""
    a = started(machine)
    made = several(a, 5)
    for number, pointer in enumerate(made):
        if number != 2:
            done(a.c.cuMemFree(pointer))
    done(a.c.cuMemAlloc(16))  # at another line
    leak, other = of_kind(machine, "allocation")
    (line,) = which([leak])
    assert line.startswith(f"3rd of 5 made at this line; the other 4 were freed at {__file__}:")
    assert which([other]) == []
    assert line in leak.report
    assert f"\n    {line}\n" in leaks.told([leak])
    assert leak.origin is not None
    assert leak.origin.lines[0].endswith("in test_one_of_several_is_told")


def test_several_of_several_are_told(machine: Machine) -> None:
    """The first numbers, and how many more; many lines that freed are counted."""
    a = started(machine)
    made = several(a, 10)
    for pointer, free in zip(made[:1] + made[2:3] + made[8:], (free_one, free_two, free_three, free_four), strict=True):
        free(a, pointer)
    (line,) = which(of_kind(machine, "allocation"))
    assert line.startswith("2nd, 4th, 5th and 3 more of 10 made at this line; the other 4 were freed at ")
    assert line.endswith(" and 1 other line")


def free_one(a: Any, pointer: int) -> None:
    """Free memory at a line."""
    done(a.c.cuMemFree(pointer))


def free_two(a: Any, pointer: int) -> None:
    """Free memory at another line."""
    done(a.c.cuMemFree(pointer))


def free_three(a: Any, pointer: int) -> None:
    """Free memory at a third line."""
    done(a.c.cuMemFree(pointer))


def free_four(a: Any, pointer: int) -> None:
    """Free memory at a fourth line."""
    done(a.c.cuMemFree(pointer))


def test_an_address_that_was_given_again_makes_the_number_a_least_one(machine: Machine) -> None:
    """The table of what was freed has the last object at each address alone."""
    a = started(machine)
    for _ in range(4):
        (pointer,) = several(a, 1)
        done(a.c.cuMemFree(pointer))
    several(a, 1)
    (leak,) = of_kind(machine, "allocation")
    assert leak.origin is not None
    assert (leak.origin.least, leak.origin.number, leak.origin.of) in {(True, 2, 2), (False, 5, 5)}


def test_a_call_that_the_log_has_forgotten_is_left_out(machine: Machine) -> None:
    """So is what another OS process's machine has, and memory that a graph's launch made."""
    a = started(machine)
    mapped(a, created(a))
    machine.calls.clear()
    assert [leak.origin for leak in left(machine)] == [None] * len(left(machine))
    found = [Leak("stream", "a", None, "a stream")]
    elsewhere: Any = type("Elsewhere", (), {"elsewhere": True, "left": staticmethod(lambda *, traced: [][traced:])})()
    assert origins.traced(elsewhere, found) == found


def test_a_process_that_is_forgotten_has_the_call_alone(machine: Machine) -> None:
    """Its objects are not known any more."""
    a = started(machine)
    several(a, 2)
    found = leaks.judged(machine)
    known = machine.processes.pop(a.name)
    traced = origins.traced(machine, found)
    machine.processes[a.name] = known
    assert all(leak.origin is not None and not leak.origin.number for leak in traced)


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (23, "23rd"), (111, "111th")],
)
def test_ordinals(number: int, text: str) -> None:
    """As a person writes them."""
    leak = Leak("stream", "a", None, "a stream", origin=Origin("f()", number, 200, least=True))
    assert which([leak]) == [f"{text} of at least 200 made at this line"]
    one = attrs.evolve(leak, origin=Origin("f()", 1, 2, ended=1, how="ended"))
    assert which([one]) == ["1st of 2 made at this line; the other 1 was ended"]
    assert which([leak, attrs.evolve(leak, origin=None)]) == []


def test_many_leaks_of_a_line_are_counted_at_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that leaks thousands would be judged for a minute if each of them looked at all others."""
    counted, numbers = [], []
    of_line, numbers_of = origins._Calls._of_line, origins._numbers

    def counting(*args: Any) -> Any:
        counted.append(1)
        return of_line(*args)

    def numbering(values: Any, *, small: bool = False) -> Any:
        numbers.append(1)
        return numbers_of(values, small=small)

    monkeypatch.setattr(origins._Calls, "_of_line", counting)
    monkeypatch.setattr(origins, "_numbers", numbering)
    a = started(machine)
    for _ in range(30):
        mapped(a, created(a))
    found = left(machine)
    assert len([leak for leak in found if leak.kind == "mapping"]) == 30
    assert len(counted) <= len({(leak.kind, leak.line) for leak in found})
    assert len(numbers) < 10 * len(machine.calls)
