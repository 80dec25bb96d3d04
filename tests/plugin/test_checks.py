"""``simulate()`` checks at its end what the mark does, and takes the same arguments."""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.machine import install, leaks
from fakecuda.testing import real, settings

if TYPE_CHECKING:
    from collections.abc import Callable

simulate: Any = fakecuda.simulate
make: Any = fakecuda.Machine
OTHERWISE = {
    "sweep": "it runs a test many times, and a block runs once",
    "explore": "it runs a test many times, and a block runs once",
}
"""Arguments of the mark that ``simulate`` does not take, with the reason."""


def differing(ours: set[str], theirs: set[str], reasons: dict[str, str]) -> set[str]:
    """Return the arguments that one of the two lacks without a reason, and reasons that nothing needs."""
    return (ours ^ theirs) ^ reasons.keys()


def test_the_mark_and_simulate_take_the_same_arguments() -> None:
    """An argument that only one of them takes has a reason, and ``simulate`` says what to write instead."""
    ours, theirs = {*settings.ARGUMENTS, *settings.CHECKS}, {*inspect.signature(fakecuda.simulate).parameters}
    assert differing(ours, theirs, OTHERWISE) == set()
    assert differing({*ours, "planted"}, theirs, OTHERWISE) == {"planted"}
    assert differing(ours, {*theirs, "planted"}, OTHERWISE) == {"planted"}
    assert differing(ours, theirs, {**OTHERWISE, "leaks": ""}) == {"leaks"}
    for name in OTHERWISE:
        with pytest.raises(fakecuda.FakeCudaError, match=rf"no argument '{name}'; call fakecuda.{name}\(function\)"):
            simulate(**{name: True})


def begun(machine: fakecuda.Machine) -> Any:
    """Return the calls of a process with a context."""
    c = machine.here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    return c


def simulated(**options: Any) -> Any:
    """Return a machine that needs no library."""
    return fakecuda.simulate("h200", door="lookalike", **options)


def test_leaks_fail_the_block() -> None:
    """The text is that of a test."""
    told = r"^left behind: 1 context\n  context: .*\n    from .*\n  fix of context: "
    with pytest.raises(AssertionError, match=told), simulated(leaks="error") as machine:
        begun(machine)
    with simulated(leaks="error", leaks_allowed=["context", lambda leak: leak.size == 512]) as machine:
        begun(machine).cuMemAlloc(512)
    assert fakecuda.installed() is None


def test_refused_calls_fail_the_block() -> None:
    """Those that the block expects do not count; leaks and refused calls share one exception."""
    told = r"^1 refused call: cuInit -> INVALID_VALUE\n"
    with pytest.raises(AssertionError, match=told) as raised, simulated(errors="error") as machine:
        machine.here.c.cuInit(1)
    assert "fix        call cuInit(0)" in str(raised.value)
    with simulated(errors="error") as machine, fakecuda.expect("INVALID_VALUE"):
        machine.here.c.cuInit(1)
    both = r"(?s)^left behind: 1 context\n.*\n1 refused call: "
    with pytest.raises(AssertionError, match=both), simulated(errors="error", leaks="error") as machine:
        begun(machine).cuInit(1)


def test_a_report_is_a_warning() -> None:
    """Of the line that ends the block. Without a mode, nothing is reported."""
    with pytest.warns(fakecuda.CheckWarning) as caught, simulated(leaks="report", errors="report") as machine:
        begun(machine).cuInit(1)
    assert [str(one.message).split(":")[0] for one in caught] == ["left behind", "1 refused call"]
    assert {one.filename for one in caught} == {__file__}
    with simulated() as machine:
        begun(machine).cuInit(1)


@pytest.mark.parametrize("mode", ["report", "error"])
def test_an_exception_of_the_block_gets_notes(mode: str) -> None:
    """It stays what it is, and its local variables stay alive for a debugger."""
    try:
        with simulated(leaks=mode, errors=mode) as machine:
            {}[begun(machine).cuInit(1)]
    except KeyError as error:
        left, refused = error.__notes__
    brief = 'also: 1 object was left behind (1 context), perhaps because the failure came first: leaks="error" lists it'
    whole = "what is left behind may follow from the failure, if the code behind it gives it back:\nleft behind: 1 context\n"
    assert left == brief if mode == "report" else left.startswith(whole)
    assert refused.startswith("1 refused call: cuInit -> INVALID_VALUE\n")
    with pytest.raises(KeyError) as raised, simulated(leaks=mode, errors=mode):
        raise KeyError
    assert not hasattr(raised.value, "__notes__")


def test_undefined_behaviour_comes_first() -> None:
    """Leaks are its note."""

    def program(c: Any) -> None:
        c.cuStreamDestroy(stream := c.cuStreamCreate(0)[1])
        with contextlib.suppress(fakecuda.UndefinedBehaviour):
            c.cuStreamDestroy(stream)

    with pytest.raises(fakecuda.UndefinedBehaviour) as raised, simulated(leaks="error") as machine:
        program(begun(machine))
    note = "and at the end, perhaps because of this:\nleft behind: 1 context\n"
    assert raised.value.__notes__[0].startswith(note)


def test_decorators_check_each_call() -> None:
    """What one call left is no other's."""

    def once(*, tidy: bool) -> None:
        machine: Any = fakecuda.installed()
        c = begun(machine)
        if tidy:
            c.cuCtxDestroy(c.cuCtxGetCurrent()[1])

    program = simulated(leaks="error")(once)
    for _ in range(2):
        program(tidy=True)
        with pytest.raises(AssertionError, match="left behind: 1 context"):
            program(tidy=False)


def test_orders_are_checked() -> None:
    """Each by itself, after its actors have ended."""
    found = fakecuda.explore(lambda orders: begun(orders.machine) and None, leaks="error", door="lookalike")
    assert "left behind: 1 context" in str(found.error)
    done = fakecuda.explore(lambda orders: orders.start(lambda: None), leaks="error", door="lookalike")
    assert done.error is None


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: simulate(leeks="error"), r"^simulate\(\) has no argument 'leeks'; did you mean: leaks"),
        (lambda: simulate(leaks="eror"), "^leaks='eror': 'eror' is not a mode; did you mean: error, report$"),
        (
            lambda: simulate(errors="fail"),
            "^errors='fail': 'fail' is not a mode; one of: report, error, ignore$",
        ),
        (lambda: simulate(leaks_allowed=["streem"]), "^'streem' is not a kind of leak; did you mean: stream"),
        (lambda: simulate(leaks_allowed="stream"), r"write \['stream'\]$"),
        (lambda: simulate(["h200"]), r"a list is for @pytest.mark.fakecuda; make a machine for each profile"),
        (
            lambda: make(memory_capp=1),
            r"^Machine\(\) has no argument 'memory_capp'; did you mean: memory_cap",
        ),
        (lambda: fakecuda.sweep(print, leaks="error"), "its report has leaks and refused calls anyway: leave it out$"),
        (lambda: fakecuda.sweep(print, budgets=3), r"^sweep\(\) has no argument 'budgets'; did you mean: budget"),
        (
            lambda: fakecuda.explore(print, scedules=3),
            r"^explore\(\) has no argument 'scedules'; did you mean: schedules",
        ),
    ],
)
def test_what_is_wrong_is_told_at_once(call: Callable[[], object], told: str) -> None:
    """With the nearest name."""
    with pytest.raises(fakecuda.FakeCudaError, match=told):
        call()


def test_on_a_driver_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is not simulated fails for what is seen of it alone."""
    monkeypatch.setattr(install, "instead", lambda _: contextlib.nullcontext(real.RealMachine(object())))
    with fakecuda.simulate(leaks="error", errors="error"):
        pass
    monkeypatch.setattr(leaks, "is_seen", lambda _: True)
    monkeypatch.setattr(leaks, "at_end", lambda *_, **__: leaks.Remains([FOUND], []))
    with pytest.raises(AssertionError, match="left behind: 1 context"), fakecuda.simulate(leaks="error"):
        pass


FOUND = fakecuda.Leak("context", "here", object(), "context 0x1")
