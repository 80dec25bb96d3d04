"""Names on which the inputs of a linker do not agree: the log has a line for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import linking
from fakecuda.model.code.linking import ERRORS
from fakecuda.rules.core import Broken, Rule, guard, observed
from fakecuda.rules.driver.linker.handle import of_names
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.call import Call
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
def agreed(call: Call, linker: Linker, rule: Rule, line: str, names: Mapping[str, Input], name: str) -> None:
    """Check that no name of an input clashes with an earlier input.

    Args:
        call: The call.
        linker: The linker.
        rule: The rule that a clash breaks.
        line: The line of the log about a clash, with places for both inputs.
        names: The names that clash, with the earlier input.
        name: The name of the input.
    """
    if names:
        lines = (line.format(one, name, first.name) for one, first in names.items())
        linking.log(linker, ERRORS, lines)
        raise Broken(rule, {"names": list(names)}, of_names(call))
