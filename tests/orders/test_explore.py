"""What a search over the orders of a program finds, leaves out, and tells."""

from __future__ import annotations

import ctypes
import re
import threading
from contextlib import suppress
from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import EndlessWait, FakeCuda, FakeCudaError, Result, UndefinedBehaviour
from fakecuda.model.effect import watched
from fakecuda.model.machine import MANUAL
from fakecuda.simulated import install
from fakecuda.simulated.orders import touching
from fakecuda.simulated.orders.clocks import read
from fakecuda.simulated.orders.step import drawing
from fakecuda.simulated.runs import explore as searching
from fakecuda.simulated.runs.explore import Search
from tests.model.world import GRANULE, created, done, mapped, started
from tests.orders import programs
from tools.museum.exhibits import asleep_too_early, imported_twice, used_again

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Exploration, Orders, Process
    from fakecuda.simulated.runs.explore import Run

SIZE = 4096
NOT_READY = int(Result.NOT_READY)
SETTINGS = {"profile": "h200", "seed": 0, "completion": MANUAL, "shared": False, "races": False}


def explored(program: Callable[..., object], **options: Any) -> Exploration:
    """Return what a search shows on a machine of one card."""
    return fakecuda.explore(program, **{"profile": "h200", **options})


class Classes(Search):
    """A search that notes which orders it has tried, those that commute as one."""

    def __init__(self, program: Callable[[Orders], object], *, prune: bool) -> None:
        super().__init__(program, SETTINGS, prune=prune)
        self.found: set[int] = set()

    def _add(self, done: Run, *others: Any) -> None:
        self.found.add(read(done.steps).classes[-2])  # the end comes after whatever came last
        super()._add(done, *others)


def tried(program: Callable[[Orders], object], *, prune: bool) -> tuple[int, set[int]]:
    """Return how many orders a whole search tries, and which they are, those that commute as one."""
    search = Classes(program, prune=prune)
    with watched(search.note):
        assert search.search(5000, 0, None) is None
    assert not search.left
    return search.tried, search.found


def asked(orders: Orders, *, calls: int, processes: int) -> None:
    """Two threads make calls that have nothing to do with each other's, in one process or in two."""
    there = [orders.machine.spawn() for _ in range(processes)]
    for process in there:
        done(process.c.cuInit(0))

    def ask(process: Process) -> None:
        for _ in range(calls):
            done(process.c.cuDeviceGetCount())

    for number in range(2):
        orders.start(ask, there[number % processes], process=there[number % processes])


def in_two_streams(orders: Orders) -> None:
    """Two streams fill memory of their own, one of them twice."""
    c = started(orders.machine).c
    for count in (1, 2):
        stream = done(c.cuStreamCreate(1))
        for _ in range(count):
            done(c.cuMemsetD8Async(done(c.cuMemAlloc(SIZE)), 1, SIZE, stream))


def behind_the_default_stream(orders: Orders) -> None:
    """Work of a stream comes after that of the default one, which copies what a third stream fills."""
    c = started(orders.machine).c
    first, second, last = (done(c.cuMemAlloc(SIZE)) for _ in range(3))
    blocking, other = done(c.cuStreamCreate(0)), done(c.cuStreamCreate(1))
    done(c.cuMemsetD8Async(first, 1, SIZE, other))
    done(c.cuMemsetD8Async(second, 2, SIZE, 0))
    done(c.cuMemcpyDtoDAsync(last, first, SIZE, blocking))


def of_one_buffer(orders: Orders) -> None:
    """Two processes fill one buffer, which one of them exports; nobody looks when."""
    (owner,), (reader,) = programs.threads(orders, "one"), programs.threads(orders, "two")
    memory = done(owner.cuMemAlloc(SIZE))
    opened = done(reader.cuIpcOpenMemHandle(done(owner.cuIpcGetMemHandle(memory)), 1))
    for name, c, address in (("a", owner, memory), ("b", reader, opened)):
        orders.start(c.cuMemsetD8, address, 1, SIZE, process=orders.machine.processes[name], name=name)


def taken_in_turn(orders: Orders) -> None:
    """Two processes take one lock."""
    lock = orders.lock()

    def hold() -> None:
        with lock:
            pass

    for _ in range(2):
        orders.start(hold, process=orders.machine.spawn())


MUSEUM = [programs.asleep, programs.cached, programs.used_again]


@pytest.mark.parametrize("races", [True, False])
@pytest.mark.parametrize("program", MUSEUM)
def test_bugs_of_the_museum_fall_within_a_thousand_orders(program: Any, races: bool) -> None:  # noqa: FBT001
    """The first order shows none of them."""
    found = explored(partial(program, fixed=False), races=races)
    assert found.error is not None
    assert found.schedule
    assert 1 < found.orders <= 20


@pytest.mark.parametrize("program", MUSEUM)
def test_fixes_pass_every_order(program: Any) -> None:
    """All that there are."""
    fixed = explored(partial(program, fixed=True))
    assert fixed.error is None, fixed
    assert fixed.whole
    assert f"{fixed.orders} orders tried, none fails; there are no other orders" in fixed.report


@pytest.mark.parametrize("module", [asleep_too_early, imported_twice, used_again])
def test_programs_of_the_museum_fail_and_their_fixes_do_not(module: Any) -> None:
    """Museum 10, 22 and 24, with streams that do their work as late or as early as they can."""
    pytest.importorskip("cuda.bindings.driver")
    for exhibit in module.EXHIBITS:
        for program in exhibit.programs.values():
            for fixed in (False, True):
                found = fakecuda.explore(lambda orders: program(FakeCuda(orders.machine), fixed=fixed), schedules=40)  # noqa: B023
                assert (found.error is None) is fixed, found
                if not fixed:
                    assert isinstance(found.error, UndefinedBehaviour)
                    assert found.error.finding.rule.id in {exhibit.told[0], "stream.order.MEMORY_IS_AT_REST"}


def test_calls_of_two_processes_commute() -> None:
    """One order stands for all, however many calls there are."""
    found = explored(partial(asked, calls=10, processes=2))
    assert (found.orders, found.whole, found.error) == (1, True, None)


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_threads_of_one_process_do_not(calls: int) -> None:
    """They share what they have in Python: each order is tried, once."""
    found = explored(partial(asked, calls=calls, processes=1))
    assert found.whole
    assert found.orders == comb(2 * calls + 2, calls + 1)


@pytest.mark.parametrize(
    "program",
    [partial(asked, calls=1, processes=2), in_two_streams, behind_the_default_stream, of_one_buffer, taken_in_turn],
)
def test_nothing_is_lost_by_pruning(program: Any) -> None:
    """A search that prunes tries each order that one without tries, but for those that commute."""
    every, all_classes = tried(program, prune=False)
    few, classes = tried(program, prune=True)
    assert classes == all_classes
    assert len(classes) <= few < every


def test_effects_have_the_names_that_orders_know() -> None:
    """An effect that is renamed would count as one that touches all."""
    with watched(after=lambda _: None) as effects:
        exact = {*touching.QUEUEING, touching.WORK, *touching.FAILS}
        assert exact <= effects.keys()
        assert [prefix for prefix in touching.COUNTED if not any(name.startswith(prefix) for name in effects)] == []


def test_streams_commute_but_for_what_they_share() -> None:
    """Of three fills in two streams one order is left."""
    assert explored(in_two_streams).orders == 1


def test_the_same_seed_gives_the_same_search() -> None:
    """What was found, by how many orders and in which words; another seed goes another way and finds it, too."""
    program = partial(programs.used_again, fixed=False)
    first, again = explored(program, seed=5), explored(program, seed=5)
    assert (first.schedule, first.orders) == (again.schedule, again.orders)
    assert [str(step) for step in first.steps] == [str(step) for step in again.steps]
    assert explored(program, seed=6).schedule


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
    assert f'  again    fakecuda.explore(asleep, schedule="{found.schedule}")' in lines
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
    assert re.fullmatch(r"-> +\d+ main\.s1 .*, which main queued in step \d+  .*test_explore.py:\d+ in .*", lines[4])
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


def test_actors_that_wait_for_each_other_are_told() -> None:
    """Two locks in two orders: the first order passes."""

    def program(orders: Orders) -> None:
        locks = [orders.lock(), orders.lock()]

        def hold(first: int) -> None:
            with locks[first], locks[not first]:
                pass

        orders.start(hold, 0, name="one")
        orders.start(hold, 1, name="two")

    found = explored(program)
    assert isinstance(found.error, EndlessWait)
    assert found.schedule == "one@2:two"
    assert "no actor can go on\n  main waits for the other actors\n  one takes a lock\n  two takes a lock" in str(
        found.error
    )


def waits_for_a_value(orders: Orders, *, written: bool) -> None:
    """A stream waits for a value, which another thread's stream writes, or nobody."""
    waiting, writing = programs.threads(orders, "waiting", "writing")
    process = orders.machine.processes["a"]
    word = done(waiting.cuMemAlloc(SIZE))
    done(waiting.cuMemsetD8(word, 0, SIZE))
    done(waiting.cuCtxSynchronize())
    streams = [done(waiting.cuStreamCreate(1)) for _ in range(2)]

    def wait() -> None:
        done(waiting.cuStreamWaitValue32(streams[0], word, 1, 1))
        done(waiting.cuStreamSynchronize(streams[0]))

    orders.start(wait, process=process)
    if written:
        orders.start(lambda: done(writing.cuStreamWriteValue32(streams[1], word, 1, 0)), process=process)


def test_a_call_that_waits_gives_its_turn_away() -> None:
    """To who brings about what it waits for, in every order; where nobody does, that is told."""
    assert explored(partial(waits_for_a_value, written=True), schedules=60).error is None
    found = explored(partial(waits_for_a_value, written=False))
    assert isinstance(found.error, EndlessWait)
    assert "wait waits in a call for stream" in str(found.error)
    assert "waits for the 32 bits at" in str(found.error)


def test_work_that_waits_for_other_work_is_told() -> None:
    """Where a stream waits for one that cannot go on."""

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        first, second = (done(c.cuStreamCreate(1)) for _ in range(2))
        event, word = done(c.cuEventCreate(2)), done(c.cuMemAlloc(SIZE))
        done(c.cuMemsetD8(word, 0, SIZE))
        done(c.cuCtxSynchronize())
        done(c.cuStreamWaitValue32(first, word, 1, 1))
        done(c.cuEventRecord(event, first))
        done(c.cuStreamWaitEvent(second, event, 0))
        done(c.cuStreamSynchronize(second))

    assert "waits for work of stream" in str(explored(program).error)


def test_a_program_that_polls_comes_to_its_end() -> None:
    """A call that answers NOT_READY lets streams, and then the others, come first."""

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        stream, flag = done(c.cuStreamCreate(1)), list[int]()
        done(c.cuMemsetD8Async(done(c.cuMemAlloc(SIZE)), 1, SIZE, stream))
        orders.start(flag.append, 1, name="other")
        while c.cuStreamQuery(stream)[0] == NOT_READY:
            pass
        orders.wait(lambda: flag)

    assert explored(program, schedules=20).error is None


def test_what_streams_do_early_and_late_is_seen() -> None:
    """A query answers both, in some order."""
    answers = set()

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        stream = done(c.cuStreamCreate(1))
        event = done(c.cuEventCreate(2))
        done(c.cuMemsetD8Async(done(c.cuMemAlloc(SIZE)), 1, SIZE, stream))
        done(c.cuEventRecord(event, stream))
        answers.add((c.cuStreamQuery(stream)[0], c.cuEventQuery(event)[0]))

    assert explored(program).whole
    assert answers == {(0, 0), (NOT_READY, 0), (NOT_READY, NOT_READY)}
    answers.clear()
    found = explored(program, completion="eager")
    assert (found.orders, answers) == (1, {(0, 0)})


def exchange(orders: Orders, *, careful: bool) -> None:
    """A reader opens what another process exports, and may die before it has said so."""
    owner, reader = started(orders.machine, name="owner"), orders.machine.spawn("reader")
    memory = done(owner.c.cuMemAlloc(SIZE))
    handle = done(owner.c.cuIpcGetMemHandle(memory))
    said: list[str] = []

    def read() -> None:
        try:
            done(reader.c.cuInit(0))
            done(reader.c.cuCtxCreate(None, 0, 0))
            done(reader.c.cuIpcCloseMemHandle(done(reader.c.cuIpcOpenMemHandle(handle, 1))))
            said.append("done")
        finally:
            if reader.alive:
                done(reader.c.cuInit(0))

    actor = orders.start(read, process=reader)
    orders.may_die(reader)
    if careful:
        orders.wait(lambda: actor.ended)
    else:
        orders.wait(lambda: said, "the reader")
    done(owner.c.cuMemFree(memory))


def test_processes_die_where_a_test_lets_them() -> None:
    """At every place, with the actors that run as them: who waits for a word of theirs waits for ever."""
    found = explored(partial(exchange, careful=False))
    assert isinstance(found.error, EndlessWait)
    (switch,) = found.schedule.split()
    assert switch.endswith(":!reader")
    assert "main waits for the reader" in str(found.error)
    found = explored(partial(exchange, careful=True))
    assert found.error is None
    assert found.whole
    assert found.orders > 5


def test_a_process_that_polls_may_die_by_its_own_choice() -> None:
    """Its thread, which chooses, ends with it."""
    ended: list[str] = []

    def program(orders: Orders) -> None:
        process = orders.machine.spawn("other")

        def act() -> None:
            try:
                done(process.c.cuInit(0))
                done(process.c.cuDeviceGetCount())
            except BaseException as error:  # noqa: BLE001 - which nobody else sees
                ended.append(type(error).__name__)
                raise KeyError from None  # nobody hears of it: the process has died

        orders.may_die(process)
        orders.start(act, process=process)

    assert explored(program, schedule="act@2:!other").error is None
    assert ended == ["Halt"]


def test_code_runs_as_the_process_of_its_actor() -> None:
    """Over cuda.bindings, too, in every order."""
    driver = pytest.importorskip("cuda.bindings.driver")

    def program(orders: Orders) -> None:
        def act(process: Process) -> None:
            for _ in range(2):
                assert driver.cuInit(0) == (0,)
                assert orders.machine.log[-1].process == process.name
            with orders.machine.processes["z"]:
                driver.cuInit(0)
                driver.cuInit(0)
                assert orders.machine.here.name == "z"
            assert orders.machine.here is process

        orders.machine.spawn("z")
        for name in "ab":
            process = orders.machine.spawn(name)
            orders.start(act, process, process=process, name=name)
        orders.join()
        assert orders.machine.here.name == "here"

    assert explored(program, prune=False, schedules=40).error is None


def test_functions_of_the_host_return_before_anybody_goes_on() -> None:
    """Whichever thread of the system runs them."""
    called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        told: list[int] = []
        function = called(lambda _: told.append(1))
        stream = done(c.cuStreamCreate(1))
        done(c.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0))
        before = list(told)
        ready = c.cuStreamQuery(stream)[0] == 0
        assert len(before) <= ready == bool(told)
        done(c.cuStreamSynchronize(stream))
        assert told == [1]

    found = explored(program)
    assert found.error is None
    assert found.orders > 1


def test_a_function_of_the_host_that_does_not_return_is_told() -> None:
    """It ends the run when the machine's wait timeout is at its end."""
    called, go = ctypes.CFUNCTYPE(None, ctypes.c_void_p), threading.Event()

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        stream = done(c.cuStreamCreate(1))
        function = called(lambda _: go.wait())
        orders.machine.kept = function  # type: ignore[attr-defined]
        done(c.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0))
        try:
            done(c.cuStreamSynchronize(stream))
        finally:
            go.set()

    assert "does not return" in str(explored(program, wait_timeout=0.05).error)


def test_an_actor_that_waits_in_python_is_told() -> None:
    """With what to write; it is left alone."""
    go = threading.Event()

    def program(orders: Orders) -> None:
        orders.start(go.wait, name="stuck")
        orders.start(go.set, name="never")

    found = explored(program, wait_timeout=0.05)
    go.set()
    assert isinstance(found.error, EndlessWait)
    assert "stuck has made no call for 0.05 s" in str(found.error)
    assert "orders.wait()" in str(found.error)


def test_what_an_actor_raises_ends_the_run() -> None:
    """The others are unwound, whatever their last lines try; the exception is told with its lines."""
    ended: list[str] = []

    def program(orders: Orders) -> None:
        process = started(orders.machine)

        def fails() -> None:
            raise KeyError

        def other() -> None:
            try:
                orders.point()
            finally:
                ended.append("other")
                process.c.cuDeviceGetCount()
                ended.append("never")

        orders.start(other, process=process)
        orders.start(fails, process=process)
        try:
            orders.join()
        finally:
            ended.append("main")

    found = explored(program, schedule="other@1:fails")
    assert isinstance(found.error, KeyError)
    assert sorted(ended) == ["main", "other"]
    assert "in fails" in found.report


def test_ctrl_c_ends_the_search() -> None:
    """It is no failure of the program."""

    def program(orders: Orders) -> None:
        orders.start(lambda: None, name="other")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explored(program)


def test_leaks_of_a_stopped_program_are_left_out() -> None:
    """They follow from its exception; leaks of a program that comes to its end fail the order."""

    def stops(orders: Orders) -> None:
        leaves(orders)
        raise KeyError

    def leaves(orders: Orders) -> None:
        orders.machine.here.c.cuInit(0)
        orders.machine.here.c.cuCtxCreate(None, 0, 0)

    done = fakecuda.explore(stops, leaks="error")
    assert isinstance(done.error, KeyError)
    assert done.error.__notes__ == []
    assert "left behind" not in done.report
    assert "left behind: 1 context" in fakecuda.explore(leaves, leaks="error").report


def test_undefined_behaviour_that_nobody_raises_fails_an_order() -> None:
    """What is swallowed, or was done through C, is told at the machine's end."""

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        memory = done(c.cuMemAlloc(SIZE))
        with suppress(UndefinedBehaviour):
            for _ in range(2):
                c.cuMemsetD8Async(memory, 1, SIZE, done(c.cuStreamCreate(1)))

    assert isinstance(explored(program).error, UndefinedBehaviour)


def test_a_condition_that_raises_does_so_where_it_stands() -> None:
    """In the actor that waits."""

    def program(orders: Orders) -> None:
        def wait() -> None:
            with pytest.raises(ZeroDivisionError):
                orders.wait(lambda: 1 // 0)

        orders.start(wait)

    assert explored(program).error is None


def test_memory_that_another_process_unmaps_is_no_business_of_the_first() -> None:
    """Each has its own addresses: one order stands for all."""

    def program(orders: Orders) -> None:
        def act(process: Process) -> None:
            done(process.c.cuInit(0))
            done(process.c.cuCtxCreate(None, 0, 0))
            done(process.c.cuMemUnmap(mapped(process, created(process)), GRANULE))

        for _ in range(2):
            process = orders.machine.spawn()
            orders.start(act, process, process=process)

    assert explored(program).orders == 1


def test_a_program_without_arguments_and_without_actors() -> None:
    """Its own calls and its streams are an order, too."""
    driver = pytest.importorskip("cuda.bindings.driver")

    def program() -> None:
        assert driver.cuInit(0) == (0,)

    assert explored(program).orders == 1


def test_the_search_ends_where_it_shall() -> None:
    """By the number of orders, or the budget."""
    program = partial(asked, calls=3, processes=1)
    found = explored(program, schedules=7)
    assert (found.orders, found.whole) == (7, False)
    assert found.report == "explore of asked: 7 orders tried, none fails; there are other orders"
    assert explored(program, budget=0).orders == 1


def test_a_program_that_does_something_else_each_time_is_told() -> None:
    """But for what it prepares once."""
    runs: list[int] = []

    def prepared(orders: Orders) -> None:
        runs.append(1)
        asked(orders, calls=2 if len(runs) == 1 else 1, processes=1)

    assert explored(prepared).orders == comb(4, 2)

    def unsteady(orders: Orders) -> None:
        runs.append(1)
        asked(orders, calls=len(runs) % 5, processes=1)

    with pytest.raises(FakeCudaError, match="differs from run to run"):
        explored(unsteady)


def test_a_program_without_an_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many steps."""
    monkeypatch.setattr(searching, "MOST", 50)
    assert "has made 50 steps" in str(explored(partial(asked, calls=99, processes=1)).error)


def test_other_threads_call_at_once() -> None:
    """They take no turns; but they start no actors either."""

    def program(orders: Orders) -> None:
        process = started(orders.machine)
        wrong: list[str] = []

        def other() -> None:
            done(process.c.cuDeviceGetCount())
            try:
                orders.point()
            except FakeCudaError as error:
                wrong.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert "was called in a thread of your own" in wrong[0]

    assert explored(program).error is None


def test_a_driver_is_not_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    """It tells nobody whose turn it is."""
    monkeypatch.setattr(install, "instead", lambda profile: profile)
    with pytest.raises(FakeCudaError, match="skip this test with --fakecuda=real"):
        explored(lambda: None)


async def later() -> None:
    """Nobody awaits it."""


@pytest.mark.parametrize(
    ("function", "options", "told"),
    [
        (7, {}, "pass a function that takes an Orders object"),
        (test_the_report, {"schedules": 0}, "schedules=0"),
        (test_the_report, {"seed": "1"}, "seed='1'"),
        (test_the_report, {"budget": -1}, "budget=-1"),
        (test_the_report, {"prune": 1}, "prune=1"),
        (test_the_report, {"schedule": "main@one:two"}, "'main@one:two' does not have the form PLACE:NAME"),
    ],
)
def test_what_is_wrong_is_refused(function: Any, options: dict[str, Any], told: str) -> None:
    """With what to write."""
    with pytest.raises(FakeCudaError, match=told):
        fakecuda.explore(function, **options)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda orders: orders.start(print, name="a b"), "that no other started function has"),
        (lambda orders: orders.start(print, name="main"), "that no other started function has"),
        (lambda orders: orders.may_die(orders.machine.here), "the explored program itself runs as this process"),
    ],
)
def test_what_an_actor_may_not_be_is_refused(wrong: Callable[[Orders], object], told: str) -> None:
    """In the program, where it stands."""
    error = explored(wrong).error
    assert isinstance(error, FakeCudaError)
    assert told in str(error)
    assert "coroutine function" in str(explored(later).error)
