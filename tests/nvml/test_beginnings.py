"""What all calls check before anything else: each refuses, whatever else it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.rules.nvml import arguments
from fakecuda.rules.registry import NVML
from tests.nvml.state import of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process
    from fakecuda.rules.core import Rule
    from fakecuda.spec.description import Param

DEVICE = "nvmlDevice_t"
CALLS = sorted(NVML.ops)
STRANGE = 1
"""A handle that no library gave out."""


def checking(rule: Rule) -> list[str]:
    """Return the calls that check a rule."""
    return [name for name in CALLS if rule in NVML.ops[name].rules]


def results(name: str) -> list[Param]:
    """Return the results of a call that must not be null, whatever else it is given: an array goes with its count."""
    given = {one.name: one.keyword for one in NVML.calls[name].inputs}
    counted = "count" in given.values()
    return [one for one in NVML.calls[name].outputs if one.name not in given and not (one.array and counted)]


@pytest.fixture
def permissive() -> Iterator[Process]:
    """A process with NVML, on two cards that answer where a call is undefined."""
    with Machine("h200-x2", strict=False) as machine:
        made = machine.spawn()
        made.c.nvmlInit_v2()
        yield made


def refused(process: Process, name: str, rule: Rule, device: int, null: str = "") -> None:
    """Make a call and hold that it broke a rule.

    Args:
        process: The process.
        name: The call.
        rule: The rule.
        device: The handle that it gets for each card.
        null: The result pointer that is null.
    """
    given: list[Any] = [device if one.type == DEVICE else 0 for one in NVML.calls[name].inputs]
    answer = getattr(process.c, name)(*given, **({"null": null} if null else {}))
    last = of(process).log[-1]
    assert (last.call, last.rule) == (name, rule)
    assert answer[0] == int(rule.code)


@pytest.mark.parametrize("name", checking(arguments.LIBRARY_IS_INITIALISED))
def test_the_library_is_initialised(process: Process, name: str) -> None:
    """Before anything else."""
    process.c.nvmlShutdown()
    refused(process, name, arguments.LIBRARY_IS_INITIALISED, 0)


@pytest.mark.parametrize("name", checking(arguments.CARD_IS_GIVEN))
def test_a_card_is_given(process: Process, name: str) -> None:
    """Null is no handle."""
    refused(process, name, arguments.CARD_IS_GIVEN, 0)


@pytest.mark.parametrize(
    ("name", "null"), [(name, one.name) for name in checking(arguments.ARGUMENTS_ARE_GIVEN) for one in results(name)]
)
def test_room_is_given_for_every_result(process: Process, name: str, null: str, card: int) -> None:
    """Each by itself: a null pointer is refused."""
    refused(process, name, arguments.ARGUMENTS_ARE_GIVEN, card, null)


@pytest.mark.parametrize("name", checking(arguments.CARD_IS_KNOWN))
def test_a_card_is_one_of_the_machine(permissive: Process, name: str) -> None:
    """A permissive machine refuses others."""
    refused(permissive, name, arguments.CARD_IS_KNOWN, STRANGE)
