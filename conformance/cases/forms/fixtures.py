"""Cases of older forms: the newest form's valid call with the older arguments."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import attrs

from conformance.kit.calls import CALLS
from conformance.kit.case import ENTRIES, Entry
from fakecuda.rules.core import RULES
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.forms import DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Then
    from conformance.kit.world import Invocation, World


def newest(form: str) -> Entry:
    """Return the entry of a form's newest form."""
    base = DESCRIPTION.rows[form]["base"]
    package, _, name = DRIVER.ops[base].module.removeprefix(RULES).rpartition(".")
    importlib.import_module(f"conformance.cases.{package}.test_{name}")
    return ENTRIES[base]


def older(
    form: str,
    change: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    *,
    then: Then | None = None,
    answers: int = 0,
    thens: bool = True,
) -> Entry:
    """Return the entry of an older form, with the newest form's valid call.

    Args:
        form: The form.
        change: Returns the arguments that the newest form lacks, or that differ, from those of its valid call.
        then: What is called after a success, with the form's results.
        answers: What the call answers.
        thens: Whether what is called after a success of the newest form follows here, too, if ``then`` is None.
    """

    def valid(w: World) -> Invocation:
        made = base.valid(w)
        given = {**made.args, **(change(dict(made.args)) if change else {})}
        args = {param.name: given[param.name] for param in CALLS[form].inputs}
        return attrs.evolve(made, call=form, args=args)

    base = newest(form)
    entry = Entry(form, valid, then or (base.then if thens else None), answers)
    entry.without(*base.left_out)
    return entry
