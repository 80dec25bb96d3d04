"""The checks of a call in order, with links into ``docs/rules``."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.rules.core import Rule, place
from fakecuda.rules.dispatch import Op
from fakecuda.rules.driver.context import current as driver_context
from fakecuda.rules.driver.core import initialized as driver_core
from fakecuda.rules.hip import active as hip_active
from fakecuda.rules.nvml import arguments as nvml_arguments
from fakecuda.rules.registry import DRIVER, Api, api_of, chapter
from fakecuda.rules.rule_discovery import parts_of
from fakecuda.rules.runtime import active as runtime_active

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


@frozen
class Beginning:
    """Checks at the beginning of many calls.

    Attributes:
        title: What it is called.
        module: The module that declares it.
        guard: The guard.
    """

    title: str
    module: ModuleType
    guard: Callable[..., Any]

    def parts(self, api: Api) -> tuple[Rule | Op, ...]:
        """Return the beginning's checks for calls of an API."""
        return _parts(self.guard, api)


BEGINNINGS = {
    "driver": (
        Beginning("a current context", driver_context, driver_context.current),
        Beginning("an initialised driver", driver_core, driver_core.require_initialized),
    ),
    "runtime": (
        Beginning("the beginning, with a context", runtime_active, runtime_active.active),
        Beginning("the beginning, with a driver", runtime_active, runtime_active.initialised),
        Beginning("a primary context, made when needed", runtime_active, runtime_active.primary_of),
    ),
    "hip": (
        Beginning("the beginning, with a context", hip_active, hip_active.active),
        Beginning("the beginning, with a driver", hip_active, hip_active.entered),
    ),
    "forms": (),
    "nvml": (
        Beginning("a card, and room for what is told", nvml_arguments, nvml_arguments.require_card_and_results),
        Beginning("a card", nvml_arguments, nvml_arguments.found),
    ),
}
"""Common beginnings by API, longest first."""


def page_of(name: str) -> str:
    """Return the page of a chapter, such as ``va`` or ``hip.copy``."""
    api, _, rest = name.rpartition(".")
    return f"rules/{api or DRIVER.name}/{rest}.md"


def anchor_of(rule: Rule) -> str:
    """Return the page and anchor of a rule, from the checkout's root."""
    return f"docs/{page_of(chapter(rule.module))}#{rule.id}"


def checks(here: str, op: Op) -> list[tuple[str, str]]:
    """Return a call's checks in order, as links with the codes.

    Beginnings and calls of the APIs beneath stand for their rules; they have no one code, but an empty one.

    Args:
        here: The page that links, below ``docs``.
        op: The call.
    """
    api = api_of(op.name)
    parts: tuple[Rule | Op, ...] = op.rules if api is DRIVER else op.parts
    told: list[tuple[str, str]] = []
    number = 0
    while number < len(parts):
        part = parts[number]
        for beginning in (one for each in (api, *reversed(api.lower)) for one in BEGINNINGS[each.name]):
            length = len(beginning.parts(api))
            if parts[number : number + length] == beginning.parts(api):
                name = beginning.module.__name__
                told.append((f"[{beginning.title}]({_to(here, chapter(name))}#{slug(place(name))})", ""))
                number += length
                break
        else:
            told.append((link(here, part), _answer(part, api)))
            number += 1
    return told


def _answer(part: Rule | Op, api: Api) -> str:
    if isinstance(part, Op):
        return ""
    return f"`{api.code(part.code).name}`" if part.grade != "undefined" else "undefined"


@cache
def _parts(guard: Callable[..., Any], api: Api) -> tuple[Rule | Op, ...]:
    return parts_of(guard, api.beneath())


def _to(here: str, name: str) -> str:
    """Return the link target of a chapter's page from another page."""
    there = page_of(name)
    return "" if here == there else os.path.relpath(there, Path(here).parent)


def link(here: str, part: Rule | Op) -> str:
    """Return a link from a page to a rule or to a lower call."""
    page = _to(here, chapter(part.module))
    if isinstance(part, Op):
        return f"what [{part.name}]({page}#{slug(part.name)}) checks"
    return f"[{name_of(part)}]({page}#{part.id})"


def name_of(rule: Rule) -> str:
    """Return a rule's name in its module, escaped for Markdown."""
    return rule.id.rpartition(".")[2]


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
