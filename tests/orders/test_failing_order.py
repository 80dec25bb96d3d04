"""A failing order: it is shortened to the switches that matter, and its report shows them."""

from __future__ import annotations

import re
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import profiles
from fakecuda.machine.orders.step import drawing
from fakecuda.machine.runs.explore import Search
from fakecuda.model.effect import watched
from fakecuda.model.machine import MANUAL
from tests.model.world import done
from tests.orders import programs
from tests.orders.programs import asked, explored

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda import Orders

SETTINGS = {"profile": "h200", "seed": 0, "completion": MANUAL, "shared": False, "races": False}


def test_a_failing_order_is_shortened_to_what_matters() -> None:
    """None of its switches can be left out; with them it fails each time."""
    program = partial(programs.used_again, fixed=False)
    found = explored(program, races=False)
    switches = found.schedule.split()
    assert len(switches) == 3
    assert isinstance(explored(program, races=False, schedule=found.schedule).error, AssertionError)
    for number in range(len(switches)):
        fewer = " ".join(switches[:number] + switches[number + 1 :])
        assert explored(program, races=False, schedule=fewer).error is None
    with pytest.raises(AssertionError, match="1 of 1 order fails, with 3 switches"):
        explored(program, races=False, schedule=found.schedule).check()


def test_an_order_with_many_switches_is_shortened_to_one() -> None:
    """One that was drawn fails by the switch that matters; the others are left out, and the failure is the same."""
    search = Search(partial(programs.asleep, fixed=False), SETTINGS, prune=True)
    with watched(search.note):
        runs = (search.run(drawing(number)) for number in range(50))
        failed = next(run for run in runs if run.error is not None and sum(step.is_switch for step in run.steps) > 1)
        shorter = search.shortened(failed)
    assert shorter.kind == failed.kind
    assert sum(step.is_switch for step in shorter.steps) == 1


def test_switches_that_cannot_come_are_passed_over() -> None:
    """A program that was changed since makes other calls."""
    assert explored(partial(asked, calls=1, processes=1), schedule="main@1:nobody ask@7:ask.2").error is None


def test_the_report() -> None:
    """Each step with its line, an arrow for each switch, and what runs the order again."""
    found = explored(partial(programs.asleep, fixed=False))
    lines = found.report.splitlines()
    assert lines[0] == "explore of asleep: 1 of 2 orders fails, with 1 switch"
    (switch,) = (number for number, line in enumerate(lines) if line.startswith("->"))
    assert lines[switch].split()[:4] == ["->", str(switch - 1), "sleep", "begins"]
    assert "programs.py:" in lines[switch]
    assert lines[1].endswith("; -> marks where this order differs")
    assert re.fullmatch(r" +usually serve: waits in a call for .*  .*/programs.py:\d+ in .*", lines[switch + 1])
    assert any("serve  " in line and "cuMemcpyDtoHAsync(" in line for line in lines[:switch])
    again = f'fakecuda.explore(partial(asleep, fixed=False), schedule="{found.schedule}", profile="h200")'
    assert f"  again    {again}" in lines
    assert any(line.startswith("  fix      where -> stands first, let sleep wait for serve (") for line in lines)
    assert "Traceback (most recent call last):" in lines
    assert str(found) == found.report
    with pytest.raises(AssertionError, match="explore of asleep") as raised:
        found.check()
    assert raised.value.__cause__ is found.error
    explored(partial(programs.asleep, fixed=True)).check()


def test_a_long_report_tells_the_end() -> None:
    """The last steps, and how many came before."""

    def program(orders: Orders) -> None:
        asked(orders, calls=60, processes=1)
        orders.join()
        raise KeyError

    lines = explored(program).report.splitlines()
    assert lines[1].endswith("this is the usual order")
    assert re.fullmatch(r"   \.\.\. \d+ steps", lines[2])
    assert len([line for line in lines if "cuDeviceGetCount()" in line]) < 60


def test_each_switch_is_told_however_long_ago() -> None:
    """With the step before it; of the others the last ones. Work of a stream has the step that queued it."""

    def program(orders: Orders) -> None:
        c = orders.machine.here.c
        done(c.cuInit(0))
        done(c.cuCtxCreate(None, 0, 0))
        stream, place = done(c.cuStreamCreate(1)), done(c.cuMemAlloc(64))
        for _ in range(2):
            done(c.cuDeviceGetCount())
        done(c.cuMemsetD8Async(place, 1, 64, stream))
        code = c.cuStreamQuery(stream)
        for _ in range(50):
            done(c.cuDeviceGetCount())
        assert code != (0,)

    lines = explored(program).report.splitlines()
    assert re.fullmatch(r"   \.\.\. \d+ steps", lines[2])
    assert "cuMemsetD8Async(" in lines[3]
    assert re.fullmatch(
        r"-> +\d+ main\.s1 .*, which main queued in step \d+  .*test_failing_order.py:\d+ in .*", lines[4]
    )
    assert re.fullmatch(r" +usually main: cuStreamQuery\(.*", lines[5])
    assert re.fullmatch(r"   \.\.\. \d+ steps", lines[6])


def test_a_switch_from_a_stream_is_told() -> None:
    """By the stream's name: its work usually comes."""

    def program(orders: Orders) -> None:
        c = orders.machine.here.c
        done(c.cuInit(0))
        done(c.cuCtxCreate(None, 0, 0))
        stream, place = done(c.cuStreamCreate(1)), done(c.cuMemAlloc(64))
        done(c.cuMemsetD8Async(place, 1, 64, stream))
        answers = [c.cuStreamQuery(stream) for _ in range(2)]
        assert answers[1] == (0,)  # the stream usually works after the first question

    lines = explored(program).report.splitlines()
    (switch,) = (number for number, line in enumerate(lines) if line.startswith("->"))
    assert lines[switch + 1].strip() == "usually main.s1"


def test_the_printed_code_repeats_the_order(tmp_path: Path) -> None:
    """It has every option of the search that changes a run, and makes the same machine."""

    def accepted(_: object) -> bool:
        return False

    options: dict[str, Any] = {
        "profile": tmp_path / 'a "profile".toml',
        "races": "strict",
        "memory_cap": 1 << 20,
        "wait_timeout": 1.5,
        "handles": "card",
        "leaks_allowed": (accepted,),
        "inherit": None,
    }
    shutil.copy(profiles.HERE / "h200.toml", options["profile"])
    addresses: list[int] = []

    def allocates(number: int, orders: Orders, *, name: str) -> None:
        (c,) = programs.threads(orders, "one")
        addresses.append(done(c.cuMemAlloc(64)))
        assert (number, name) != (1, "x")

    found = fakecuda.explore(partial(allocates, 1, name="x"), schedules=3, budget=60, prune=False, seed=5, **options)
    names = {"fakecuda": fakecuda, "partial": partial, "allocates": allocates, "accepted": accepted}
    path = str(options["profile"]).replace('"', r"\"")
    assert found.again == (
        f'fakecuda.explore(partial(allocates, 1, name="x"), schedule="", handles="card", seed=5, profile="{path}", '
        'races="strict", memory_cap=1048576, wait_timeout=1.5, leaks_allowed=[accepted], inherit=None)'
    )
    again = eval(found.again, names)  # noqa: S307 - the code that a user would paste
    assert isinstance(found.error, AssertionError), found.error
    assert (str(again.error), again.again) == (str(found.error), found.again)
    assert len({*addresses}) == 1
    loaded = fakecuda.explore(partial(allocates, 1, name="x"), profile=profiles.load("h200"))
    assert loaded.again == 'fakecuda.explore(partial(allocates, 1, name="x"), schedule="", profile=...)'
