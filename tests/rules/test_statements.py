"""A rule's statement is one short sentence, and names arguments and members as the manual does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fakecuda.spec
from fakecuda.explain.reports.rule import rules_by_id
from fakecuda.rules.registry import EVERY_API, Api, home
from fakecuda.spec.cudart import exported
from tests.docs.phrases import INSTEAD, count

RULES = rules_by_id()
LONGEST = 120
"""The maximum number of characters of a statement."""
DESCRIPTIONS = Path(fakecuda.spec.__file__).parent / "generated"
CODE = re.compile(r"`([^`]*)`")
UNCLEAR = (
    "knows",
    "team",
    "the last address",
    "context is current",
    "lies in memory of the process",
    "a multiple of the granularity",
    "ordinary host memory",
    "HIP of 20",
    "HIP implements this call",
)
"""Words that leave a reader in doubt about owner, amount or release."""
VAGUE = ("is given", "are given", "the flags are 0", *UNCLEAR, *INSTEAD)


def named(statement: str) -> set[str]:
    """Return the names between backticks: `location.id` has two."""
    return {name for code in CODE.findall(statement) for name in re.findall(r"[A-Za-z]\w*", code)}


def is_plain(statement: str) -> bool:
    """Return whether a statement is one short sentence without a full stop, in plain words."""
    short = 0 < len(statement) <= LONGEST and statement.count("`") % 2 == 0
    return short and not statement.endswith(".") and not any(count(statement, phrase) for phrase in VAGUE)


@pytest.mark.parametrize("api", EVERY_API.values(), ids=EVERY_API)
def test_statements_name_what_the_manual_names(api: Api) -> None:
    """A parameter of a call, or a member of a struct, of the rule's API."""
    words = set(re.findall(r"\w+", (DESCRIPTIONS / f"{api.name}.json").read_text()))
    own = [rule for rule in RULES.values() if home(rule.module) is api]
    assert any(named(rule.statement) for rule in own)
    assert {rule.id: unknown for rule in own if (unknown := named(rule.statement) - words)} == {}


def test_statements_are_plain() -> None:
    """Each is short, and says what must hold."""
    assert [(rule.id, rule.statement) for rule in RULES.values() if not is_plain(rule.statement)] == []


@pytest.mark.parametrize(
    "planted",
    [
        "the properties are given",
        "`ptr` lies in memory that CUDA knows",
        "`flags` is 0, or since HIP of 2026 hipEventWaitExternal",
        "a hint is none",
        "`flags is 0",
        "`flags` is 0.",
        "",
        "x" * (LONGEST + 1),
    ],
)
def test_a_planted_statement_is_found(planted: str) -> None:
    """The words that statements had before are not plain."""
    assert not is_plain(planted)
    assert named("`location.id` is 0") == {"location", "id"}


def members(api: Api, kind: str) -> set[str]:
    """Return the names of the members of a struct, and of those of the structs in it."""
    fields: list[tuple[str, str]] = api.description.STRUCTS.get(kind.removeprefix("const ").rstrip("*"), [])
    return {name.partition("[")[0] for _, name in fields}.union(*(members(api, inner) for inner, _ in fields))


BY_ADDRESS = dict.fromkeys(
    ("cudaLaunchKernelExC", "cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize"),
    "cudaStreamAttrValue",
)
"""Structs of arguments that are described as addresses."""


def arguments(api: Api, call: str) -> set[str]:
    """Return the names of a call's arguments, and of the members of structs among them."""
    params = api.calls[call].params if call in api.calls else ()
    kinds = [*(param.type for param in params), BY_ADDRESS.get(call, "")]
    return {param.name for param in params}.union(*(members(api, kind) for kind in kinds))


@pytest.mark.parametrize("name", ["runtime", "hip", "nvml"])
def test_each_call_has_what_its_statements_name(name: str) -> None:
    """A rule of several calls names only what all of them have; the driver's may name what some of them have."""
    api = EVERY_API[name]
    named_elsewhere = {
        (call, rule.id): unknown
        for call, op in api.ops.items()
        for rule in op.rules
        if call in api.calls and home(rule.module) is api and (unknown := named(rule.statement) - arguments(api, call))
    }
    assert named_elsewhere == {}


def test_a_name_of_another_call_is_found() -> None:
    """A prefetch has no advice, and its location has a type."""
    hip = EVERY_API["hip"]
    assert named("`advice` is read-mostly") - arguments(hip, "hipMemPrefetchAsync") == {"advice"}
    assert named("`location.type` is a device") <= arguments(hip, "hipMemPrefetchAsync_v2")


SHARED = frozenset({"module", "multicast", "peer", "pool", "primary_ctx", "stream", "texture", "unified", "va"})
"""Driver chapters whose rules runtime calls share, with equal argument names."""


def test_rules_that_the_runtime_shares_name_what_its_calls_have() -> None:
    """The runtime calls an argument `stream` that the driver calls `hStream`: such a rule says "the stream".

    Forms of CUDA 12 share the rules of the newest forms, with their names.
    """
    runtime = EVERY_API["runtime"]
    newest = {one.call for one in exported(13)}
    named_elsewhere = {
        (call, rule.id): unknown
        for call, op in runtime.ops.items()
        for rule in op.rules
        if call in newest and rule.id.partition(".")[0] in SHARED
        if (unknown := named(rule.statement) - arguments(runtime, call))
    }
    assert named_elsewhere == {}
    assert named("`hStream` is not null") - arguments(runtime, "cudaStreamDestroy") == {"hStream"}
