"""Rules, operations and the one way into them."""

from __future__ import annotations

import gc
import importlib
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.rules.core import RULES, Rule, guard, manual, observed, place, undefined
from fakecuda.rules.dispatch import Op
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import CRASH, HANG, Result, name_of
from fakecuda.spec.driver import CALLS, ENUMS, STRUCTS
from tests.each import each
from tools.chapters import CHAPTERS, FAMILIES, chapter_of, in_family

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.os.thread import Thread

GRADES = {"manual", "observed", "undefined", "source", "hip-tests"}

FIRST = Rule("the first thing holds", Result.INVALID_VALUE, manual("cuInit", "first"), fix="keep the first")
SECOND = Rule("the second thing holds", Result.INVALID_DEVICE, observed("cuInit", "second"), fix="keep the second")
THIRD = Rule("the third thing holds", Result.UNKNOWN, undefined("cuInit", "third"), fix="keep the third")


@guard
def inner(call: Call, value: int) -> None:
    """Check the second rule of a value, and of what is left of one that is negative."""
    if value < 0:
        inner(call, -value)
    if value == 2:
        raise SECOND.broken(value=value)


@guard
def outer(call: Call, value: int) -> None:
    """Check the first rule and what the inner guard does."""
    if value == 1:
        raise FIRST.broken(value=value, twice=2 * value)
    inner(call, value)


def bare(call: Call, value: int) -> int:
    """Check all three rules, the first of them again."""
    outer(call, value)
    if value == 3:
        call.undefined(THIRD, value=value)
        raise THIRD.broken(value=value)
    if value == 4:
        raise FIRST.broken(value=value)
    if value == 5:
        msg = "a mistake of the model's own"
        raise ZeroDivisionError(msg)
    return value


TRIAL = Op("cuTrial", DRIVER, bare)


@pytest.fixture
def thread() -> Iterator[Thread]:
    """Return a thread of a process of a strict machine."""
    with Machine("h200") as machine:
        yield machine.spawn().current_thread()


def declared() -> dict[str, list[tuple[str, Rule]]]:
    """Return the rules of each module below fakecuda.rules, by the names of its constants."""
    modules = sorted(
        {DRIVER.ops[name].module for name in DRIVER.ops}
        | {rule.module for op in DRIVER.ops.values() for rule in op.rules}
    )
    return {
        module: [
            (name, value)
            for name, value in vars(importlib.import_module(module)).items()
            if isinstance(value, Rule) and value.module == module
        ]
        for module in modules
    }


def test_ids_are_paths() -> None:
    """The id of a rule is where its constant stands."""
    for module, constants in declared().items():
        for name, rule in constants:
            assert rule.id == f"{place(module)}.{name}"
            assert rule.module.startswith(RULES)
            assert repr(rule) == f"<Rule {rule.id}: {rule.statement}>"


def test_ids_are_unique() -> None:
    """Two rules never share one, and two constants of a module are never one rule."""
    counts = Counter(rule.id for constants in declared().values() for _, rule in constants)
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_rule_is_checked_by_some_operation() -> None:
    """A rule that nobody checks is no rule."""
    checked = {rule.id for op in DRIVER.ops.values() for rule in op.rules}
    assert {rule.id for constants in declared().values() for _, rule in constants} - checked == set()


@each("rule", lambda: [rule for constants in declared().values() for _, rule in constants])
def test_rules_are_well_formed(rule: Rule) -> None:
    """A statement begins with a small letter or a name and has no full stop; grade and call are known; it quotes words."""
    assert rule.grade in GRADES
    assert rule.statement[0].islower() or rule.statement.split()[0].startswith(("`", "CU", "IMEX", "IPC"))
    assert not rule.statement.endswith(".")
    assert rule.source.call in {*CALLS, *ENUMS, *STRUCTS}
    assert rule.source.quote
    assert isinstance(rule.code, Result)
    assert rule.id.rsplit(".", 1)[1].isupper()


@each("name", sorted(DRIVER.ops))
def test_operations_stand_where_the_manual_has_them(name: str) -> None:
    """Chapter, then entry point or its family; the function is the call's name in small letters, parted at its capitals."""
    op = DRIVER.ops[name]
    home = place(op.module)
    package, _, module = home.rpartition(".")
    plain = name.removeprefix("cu").replace("_v", "V")
    assert package == chapter_of(name)
    (function,) = (key for key, value in vars(importlib.import_module(op.module)).items() if value is op.function)
    assert in_family(name, home) if home in FAMILIES else function == module
    assert function.replace("_", "") == plain.lower()
    borders = [len(function[:index].replace("_", "")) for index, letter in enumerate(function) if letter == "_"]
    assert all(plain[border].isupper() for border in borders)
    assert repr(op) == f"<Op {name}>"


def test_every_pattern_of_a_place_fits() -> None:
    """A chapter or a module that is gone leaves the table; a call that no pattern fits has no chapter."""
    places = {(*place(op.module).rpartition(".")[::2], name) for name, op in DRIVER.ops.items()}
    assert CHAPTERS.keys() == {chapter for chapter, _, _ in places}
    assert FAMILIES.keys() - {f"{chapter}.{module}" for chapter, module, _ in places} == set()
    assert all(sum(in_family(name, module) for _, _, name in places) > 1 for module in FAMILIES)
    assert (
        chapter_of("cuNothing"),
        in_family("cuMemFree", "copy.memset"),
        in_family("cuMemFree", "memory.mem_free"),
    ) == (
        "",
        False,
        False,
    )


@each("name", sorted(DRIVER.ops))
def test_operations_take_what_the_description_says(name: str) -> None:
    """One plain value for each parameter that is no result, and the length of a text in place of the text."""
    code = DRIVER.ops[name].function.__code__
    assert code.co_argcount == 1 + len(CALLS[name].inputs)


@each("name", sorted(DRIVER.ops))
def test_rules_that_leave_a_trace_are_checked(name: str) -> None:
    """What an operation declares of its rules is about rules of its own."""
    assert set(DRIVER.ops[name].acts_before) <= set(DRIVER.ops[name].rules)


def test_rules_come_in_the_order_of_the_checks() -> None:
    """Those of guards stand where the guard is called, each rule once."""
    assert TRIAL.rules == (FIRST, SECOND, THIRD)
    assert TRIAL.rules is TRIAL.rules
    assert Op("cuOther", DRIVER, inner).rules == (SECOND,)


@each("name", sorted(DRIVER.ops))
def test_constants_stand_in_the_order_of_the_checks(name: str) -> None:
    """Whoever reads a module from the top reads the driver's order."""
    own = [rule for _, rule in declared()[DRIVER.ops[name].module]]
    mine = [rule for rule in DRIVER.ops[name].rules if rule in own]
    assert [rule.id for rule in mine] == [rule.id for rule in own if rule in mine]


def test_a_call_of_an_attached_process_is_made_by_the_owner(thread: Thread) -> None:
    """Nothing is called here, and nothing written down."""
    made: list[tuple[object, ...]] = []

    def remote(*asked: object) -> tuple[int, None]:
        made.append(asked)
        return 7, None

    thread.remote = remote
    assert TRIAL.invoke(thread.call, 1) == (7, None)
    assert made == [(thread.call, TRIAL, (1,))]
    assert not thread.machine.calls


def test_a_success_returns_the_results(thread: Thread) -> None:
    """Code 0 and what the function returned; the log has both."""
    assert TRIAL.invoke(thread.call, 7) == (0, 7)
    assert thread.machine.calls[-1] == (thread, TRIAL, (7,), 0, 7, None, None)


@pytest.mark.parametrize(
    ("value", "rule", "facts"),
    [(1, FIRST, {"value": 1, "twice": 2}), (2, SECOND, {"value": 2}), (4, FIRST, {"value": 4})],
)
def test_a_broken_rule_is_its_code(thread: Thread, value: int, rule: Rule, facts: dict[str, Any]) -> None:
    """No results; the log has the rule and what broke it."""
    assert TRIAL.invoke(thread.call, value) == (int(rule.code), None)
    assert thread.machine.calls[-1] == (thread, TRIAL, (value,), int(rule.code), None, rule, facts)


def test_a_broken_undefined_rule_is_in_the_log(thread: Thread) -> None:
    """Raised on a strict machine, without a code."""
    with pytest.raises(UndefinedBehaviour) as caught:
        TRIAL.invoke(thread.call, 3)
    assert caught.value.finding.rule is THIRD
    assert thread.machine.calls[-1] == (thread, TRIAL, (3,), None, None, THIRD, {"value": 3})


OUTCOMES = {"success": 0, "broken": 1, "undefined": 3, "mistake": 5}


def attempt(op: Op, thread: Thread, value: int) -> None:
    """Invoke, whatever comes of it."""
    try:
        op.invoke(thread.call, value)
    except (UndefinedBehaviour, ZeroDivisionError):
        assert value in {3, 5}


@pytest.mark.parametrize("value", OUTCOMES.values(), ids=OUTCOMES.keys())
@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_rests_during_an_operation(thread: Thread, value: int, *, collecting: bool) -> None:
    """A finaliser could call the driver half-way; afterwards it is as it was, however the operation ended."""
    seen = []

    def watching(call: Call, value: int) -> int:
        seen.append(gc.isenabled())
        return bare(call, value)

    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        attempt(Op("cuWatching", DRIVER, watching), thread, value)
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False]


@pytest.mark.parametrize("value", OUTCOMES.values(), ids=OUTCOMES.keys())
def test_the_machine_is_locked_during_an_operation(thread: Thread, value: int) -> None:
    """By that thread alone, and free again however the operation ended."""

    def taken() -> bool:
        found: list[bool] = []

        def take() -> None:
            got = thread.machine.lock.acquire(blocking=False)
            found.append(not got)
            if got:
                thread.machine.lock.release()

        other = threading.Thread(target=take)
        other.start()
        other.join()
        return found[0]

    seen = []

    def watching(call: Call, value: int) -> int:
        seen.append(taken())
        return bare(call, value)

    attempt(Op("cuWatching", DRIVER, watching), thread, value)
    assert seen == [True]
    assert not taken()


def test_operations_of_many_threads_come_one_after_the_other() -> None:
    """Nothing is lost when they all allocate at once."""
    with Machine(strict=False) as machine:
        a = machine.spawn()
        a.c.cuInit(0)
        context = a.c.cuDevicePrimaryCtxRetain(0)[1]

        def work() -> None:
            a.c.cuCtxSetCurrent(context)
            for _ in range(50):
                kept = [a.c.cuMemAlloc(512)[1] for _ in range(4)]
                for pointer in kept[:3]:
                    assert a.c.cuMemFree(pointer) == (0,)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        machine.check_invariants()
        assert len(a.memory) == 4 * 50


@pytest.mark.parametrize(
    ("code", "name"),
    [(0, "SUCCESS"), (1, "INVALID_VALUE"), (999, "UNKNOWN"), (12345, "12345"), (CRASH, "crash"), (HANG, "hang")],
)
def test_codes_have_names(code: int, name: str) -> None:
    """Those of the driver, those of a process that died, and any other number as itself."""
    assert name_of(code) == name
