"""Comparison of two answers to the same program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.kit.calls import CALLS
from conformance.kit.kinds import newest
from conformance.kit.program import OTHER_STEPS, SKIPPED
from conformance.kit.under_way import WAITS
from conformance.kit.values import decode
from fakecuda.rules.nvml.field import ENERGY_FIELD
from fakecuda.rules.registry import NVML, api_of
from fakecuda.spec.codes import Result, name_of

if TYPE_CHECKING:
    from conformance.kit.program import Answer, Program

ENDS_CONTEXTS = {
    "cuCtxDestroy",
    "cuCtxDetach",
    "cuDevicePrimaryCtxReset",
    "cuDevicePrimaryCtxRelease",
    "cudaDeviceReset",
}
"""Calls after which a context handle may be stale or reused."""

UNTOLD = {"untold": True}
"""A result that the recording does not have, which equals any result."""

FIELD_SIZE = 40
"""The size of a nvmlFieldValue_t in bytes."""
TAKES_TIME = {
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuStreamQuery",
    "cudaEventElapsedTime",
    "cudaEventQuery",
    "cudaStreamQuery",
}
"""Calls that a driver may answer with NOT_READY while the model is done."""


@frozen
class Difference:
    """Two different answers to one step.

    Attributes:
        step: The step's number in the program.
        process: The process that called.
        call: The call.
        kind: ``code``, or ``value`` when the codes are equal.
        expected: The code or the result that was expected.
        got: What the target answered.
        out: The result's name, where a value differs.
        label: The label of the stretch that holds the step.
    """

    step: int
    process: str
    call: str
    kind: str
    expected: Any
    got: Any
    out: str = ""
    label: str = ""

    def __str__(self) -> str:
        where = f"step {self.step} {self.process}.{self.call}" + (f" [{self.label}]" if self.label else "")
        if self.kind == "code":
            return f"{where}: {self._name(self.got)} instead of {self._name(self.expected)}"
        return f"{where}: {self.out} is {self.got} instead of {self.expected}"

    def _name(self, code: int) -> str:
        return name_of(code) if code < 0 or api_of(self.call) is not NVML else NVML.short(code)


def differences(
    expected: Answer,
    got: Answer,
    call: str,
    *,
    profile: bool = True,
    ended: bool = False,
    cards: bool = False,
    **where: Any,
) -> list[Difference]:
    """Return the differences of two answers to one step.

    Args:
        expected: The driver's answer, mostly a recorded one.
        got: The model's.
        call: The call.
        profile: Whether the target has the profile of the machine that gave the expected answer.
        ended: Whether a context of the process was destroyed or reset before: its addresses may name anything since.
        cards: Whether a card gave both answers: either of them may be early.
        where: ``step``, ``process`` and ``label`` of the differences.
    """
    place = {"step": 0, "process": "", **where, "call": call}
    if expected["code"] != got["code"]:
        codes = expected["code"], got["code"]
        if is_early(call, *codes) or (cards and is_early(call, *reversed(codes))):
            return []
        return [Difference(kind="code", expected=expected["code"], got=got["code"], **place)]
    how = {} if call in OTHER_STEPS else {param.name: param.compare for param in CALLS[call].outputs}
    found = []
    both = expected["outs"].keys() & got["outs"].keys()
    for out in {**expected["outs"], **got["outs"]} if got["code"] == 0 else both:
        pair = expected["outs"].get(out), got["outs"].get(out)
        if not _equal(how.get(out, "exact"), *pair, profile=profile, ended=ended):
            found.append(Difference(kind="value", expected=pair[0], got=pair[1], out=out, **place))
    return found


def written(data: Any) -> Any:
    """Return the bytes that JSON represents, without trailing zeros."""
    return decode(data).rstrip(b"\0") if {"hex", "fill"} & data.keys() else data


def fields(data: Any) -> list[Any]:
    """Return the comparable parts of nvmlFieldValue_t, without times.

    Args:
        data: The structs as JSON.
    """
    content = decode(data)
    rows = [content[at : at + FIELD_SIZE].ljust(FIELD_SIZE, b"\0") for at in range(0, len(content), FIELD_SIZE)]
    return [_field(row) for row in rows]


def _field(row: bytes) -> tuple[bytes, ...]:
    code = row[28:32]
    if row[0] == ENERGY_FIELD:
        return (row[24:32],)
    return (code,) if any(code) else (row[:8], row[24:])


def is_early(call: str, driver: int, model: int) -> bool:
    """Return whether two codes differ because a driver's work takes time.

    Args:
        call: The call.
        driver: The driver's code.
        model: The model's.
    """
    return newest(call) in TAKES_TIME and (driver, model) == (Result.NOT_READY, Result.SUCCESS)


def waits(expected: Answer, got: Answer) -> bool:
    """Return whether a call waits on one target and has returned on the other."""
    return WAITS in {expected["code"], got["code"]}


def compare(program: Program, answers: list[Answer], *, profile: bool = True, cards: bool = False) -> list[Difference]:
    """Return the first difference of each labelled stretch of two programs.

    What follows a difference in the same stretch starts from another state and says nothing. A call that waits on one target
    alone is a difference after which the stretch goes on.

    Args:
        program: The program with the expected answers.
        answers: The target's answers.
        profile: Whether the target has the profile of the machine that gave the expected answers.
        cards: Whether a card gave both answers: either of two may find work under way that the other finds done.
    """
    if program.answers == answers:  # as most are
        return []
    found: list[Difference] = []
    label, diverged = "", False
    ended: set[str] = set()
    for number, (step, expected, got) in enumerate(zip(program.steps, program.answers, answers, strict=True)):
        call, process = step["call"], step["process"]
        if call == "world":
            label, diverged = step["args"][0], False
            continue
        if diverged or expected["code"] == SKIPPED or got["code"] == SKIPPED:
            continue
        if expected != got:  # as few are
            where = {"step": number, "process": process, "label": label}
            here = differences(expected, got, call, profile=profile, ended=process in ended, cards=cards, **where)
            diverged = bool(here) and not waits(expected, got)
            found += here
        if call in ENDS_CONTEXTS:
            ended.add(process)
    return found


def _equal(how: str, expected: Any, got: Any, *, profile: bool, ended: bool) -> bool:
    if UNTOLD in (expected, got):
        return True
    if isinstance(expected, list) and isinstance(got, list) and UNTOLD in expected and len(expected) == len(got):
        pairs = zip(expected, got, strict=True)
        return all(_equal(how, *pair, profile=profile, ended=ended) for pair in pairs)
    if expected is None or got is None:
        return expected is got
    if how in {"own", "volatile"} or (how == "profile" and not profile):
        return True
    if how == "memory" and isinstance(expected, dict) and isinstance(got, dict):
        return bool(written(expected) == written(got))
    if how == "field":
        return fields(expected) == fields(got)
    names = [one for one in (expected, got) if isinstance(one, dict) and ("name" in one or "new" in one)]
    if len(names) == 2 and (ended or how == "either"):
        return True
    # A volatile result is the same constant on both sides; a new name is a fresh one on both.
    if isinstance(expected, dict) and isinstance(got, dict) and "new" in expected and "new" in got:
        return True
    return bool(expected == got)
