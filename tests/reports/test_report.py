"""Reports of findings, refused calls and rules."""

from __future__ import annotations

import pytest

from fakecuda import Finding, Machine, UndefinedBehaviour
from fakecuda.explain.reports.report import WIDTH, Told, composed, told_of_rule
from fakecuda.explain.reports.rule import rules_by_id
from fakecuda.model.call import Call
from fakecuda.rules.driver.memory.mem_free import NO_IMPORTER_IS_OPEN
from fakecuda.rules.driver.va.mem_address_free import NOTHING_IS_MAPPED
from tests.model.world import done, started


def test_a_finding_tells_its_call() -> None:
    """With the line that made it, then the state and the fix; rule and source come last."""
    with Machine(seed=1) as machine:
        process = started(machine)
        with pytest.raises(UndefinedBehaviour) as raised:
            process.c.cuMemRelease(0xDEAD0)
    _, call, place, state, fix, rest, rule, *_ = str(raised.value).splitlines()
    assert call == "  call       cuMemRelease(handle=0xdead0)"
    assert place.startswith(f"  at         {__file__}:")
    assert place.endswith(" in test_a_finding_tells_its_call")
    assert rule == "  rule       va.handle.HANDLE_IS_HELD (undefined)"
    assert state == "  state      value 0xdead0"
    assert f"{fix} {rest.strip()}".startswith("  fix        call cuMemRelease once for each reference")


def test_what_no_call_has_found_has_neither() -> None:
    """As what a queued copy meets."""
    with Machine(seed=1) as machine:
        with pytest.raises(UndefinedBehaviour):
            Call(started(machine).current_thread()).undefined(NO_IMPORTER_IS_OPEN)
        assert (machine.findings[0].call, machine.findings[0].made) == ("", None)
    labels = [line.split()[0] for line in str(Finding(NO_IMPORTER_IS_OPEN, "cuMemcpy", "a")).splitlines()]
    assert "call" not in labels
    assert "at" not in labels


def test_state_is_told_in_a_row() -> None:
    """Sizes for people and exact, addresses in hexadecimal, what is not known not at all."""
    facts = {"size": 4096, "granularity": 2 << 20, "offset": 4097, "pointer": 1 << 40, "found": None, "count": 3}
    text = composed(Told("cuMemAddressFree", (), "a", "pid 7: python x.py", 1, NOTHING_IS_MAPPED, facts))
    rows = {line.split()[0]: line.split(None, 1)[1] for line in text.splitlines() if line[2:3] != " "}
    state = " ".join(text[text.index("  state") : text.index("  fix")].split())
    assert state == "state size 4 KiB, granularity 2 MiB, offset 4097, pointer 0x10000000000, count 3"
    assert rows["process"] == "a, pid 7: python x.py"
    assert rows["code"] == "CUDA_ERROR_INVALID_VALUE"


def test_a_code_that_the_manual_leaves_out_is_told_with_the_reason() -> None:
    """With the codes that the manual of the call names."""
    text = composed(Told("cudaMalloc", (4,), "a", "", 3, rules_by_id()["core.initialized.DRIVER_IS_UP"], {}))
    manual = " ".join(text[text.index("  manual") : text.index("  evidence")].split())
    assert manual.startswith("manual cudaMalloc names cudaErrorInvalidValue, cudaErrorMemoryAllocation")
    assert ", but not this one: " in manual
    assert manual.endswith("a rule of the driver API, whose code the call hands on")


def test_text_of_several_lines_is_told_as_it_is() -> None:
    """As a traceback of a mistake in the simulator."""
    text = composed(
        Told("cuMemFree", None, "a", "", None, NO_IMPORTER_IS_OPEN, {"raised": "Traceback:\n  at x\nValueError"})
    )
    assert "\n  raised\n    Traceback:\n      at x\n    ValueError\n  fix  " in text
    assert "state" not in text


def test_ids_are_whole() -> None:
    """Lines fit, but for the first and for words that are longer themselves."""
    text = composed(Told("cuMemAddressFree", (), "a", "", 1, NOTHING_IS_MAPPED, {}), 30)
    assert "va.mem_address_free.NOTHING_IS_MAPPED" in text
    wide = composed(Told("cudaFree", (1,), "a", "", 1, NO_IMPORTER_IS_OPEN, {}))
    assert all(len(line) <= WIDTH for line in wide.splitlines()[1:])
    assert "cudaFree calls cuMemFree, which checks it" in " ".join(wide.split())


def test_a_call_that_is_not_modelled_is_told_so() -> None:
    """It has no rule, and no arguments."""
    assert composed(Told("cuNobodysCall", None, "a", "", 801, None, {})).splitlines() == [
        "cuNobodysCall in process a -> NOT_SUPPORTED: fakecuda does not model the call",
        "  fix        leave cuNobodysCall out of this test, or run the test on a card",
        "             only",
    ]


def test_a_rule_is_told_by_itself() -> None:
    """Whoever breaks it."""
    text = told_of_rule(NOTHING_IS_MAPPED)
    assert text.startswith(
        "no mapping of cuMemMap is left in the reservation at `ptr`\n"
        "  rule       va.mem_address_free.NOTHING_IS_MAPPED (manual)\n"
    )
    assert text.endswith("\n  fix        call cuMemUnmap on all mappings before cuMemAddressFree")


def test_a_race_has_the_source_of_both_sides() -> None:
    """Beneath each side's line; code without a source has its place alone."""
    with Machine("h200", seed=1) as machine:
        a = started(machine)
        one, two = done(a.c.cuStreamCreate(1)), done(a.c.cuStreamCreate(1))
        place = done(a.c.cuMemAlloc(64))
        done(a.c.cuMemsetD8Async(place, 1, 64, one))
        with pytest.raises(UndefinedBehaviour) as raised:
            a.c.cuMemsetD8Async(place, 2, 64, two)
        lines = [line.strip() for line in str(raised.value).splitlines()]
        later = next(number for number, line in enumerate(lines) if line.startswith("at "))
        assert lines[later + 1] == "| a.c.cuMemsetD8Async(place, 2, 64, two)"
        earlier = next(number for number, line in enumerate(lines) if line.startswith("called at "))
        assert lines[earlier + 1] == "| done(a.c.cuMemsetD8Async(place, 1, 64, one))"
        assert any(line.startswith("earlier    cuMemsetD8Async in stream ") for line in lines)
        assert any(line.startswith(f"object     allocation {place:#x}") for line in lines)
        scope = {"c": a.c, "place": place, "two": two}
        with pytest.raises(UndefinedBehaviour) as raised:
            exec(compile("c.cuMemsetD8Async(place, 2, 64, two)", "nowhere.py", "exec"), scope)  # noqa: S102
        assert "nowhere.py:1 in <module>\n  state " in str(raised.value)
