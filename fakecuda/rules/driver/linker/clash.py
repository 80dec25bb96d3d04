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
    "inputs agree on the number, sizes and kinds of the results and parameters of a function that they define or call",
    Result.INVALID_SOURCE,
    observed(
        "cuLinkAddData",
        "the driver answers INVALID_SOURCE to a result or a parameter that the other input does not have, to b64 or f32 "
        "for b32, and to an array for a value; it accepts u32 or s32 for b32, and another alignment",
    ),
    fix="declare the function as its definition does",
)


@guard
def told(linker: Linker, made: Input, line: str, names: Mapping[str, Input]) -> list[str]:
    """Write a line of the log about each name on which an input clashes with an earlier one, and return the names.

    Args:
        linker: The linker.
        made: The input.
        line: The line, with places for the name and both inputs.
        names: The names that clash, with the input that has each first.
    """
    if names:
        lines = (f"error   : {line.format(name, made.name, first.name)}" for name, first in names.items())
        linking.log(linker, ERRORS, lines)
    return list(names)


@guard
def prototypes(linker: Linker, made: Input) -> list[str]:
    """Write a line of the log about each function that an earlier input has otherwise, and return both prototypes."""
    unlike = linker.unlike(made)
    line = "Prototype doesn't match for '{}' in '{}', first defined in '{}'"
    told(linker, made, line, {name: first for name, (_, first) in unlike.items()})
    return [f"{name} with {types}" for name, (types, _) in unlike.items()]
