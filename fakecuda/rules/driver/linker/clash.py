"""Names on which the inputs of a linker do not agree: the log has a line for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import linking
from fakecuda.model.code.linking import ERRORS
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.code.linking import Input, Linker

FUNCTIONS_HAVE_ONE_PROTOTYPE = Rule(
    "inputs that name the same function agree whether it has a result",
    Result.INVALID_SOURCE,
    observed(
        "cuLinkAddData",
        "the driver answers INVALID_SOURCE to a declaration with a result if another input defines the function without one",
    ),
    fix="declare the function as its definition does",
)


@guard
def told(linker: Linker, line: str, names: Mapping[str, Input], name: str) -> list[str]:
    """Write a line of the log about each name on which an input clashes with an earlier one, and return the names.

    Args:
        linker: The linker.
        line: The line, with places for the name and both inputs.
        names: The names that clash, with the earlier input.
        name: The name of the input.
    """
    if names:
        linking.log(linker, ERRORS, (f"error   : {line.format(one, name, first.name)}" for one, first in names.items()))
    return list(names)
