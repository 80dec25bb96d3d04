"""Calls that forward to a driver call with another name."""

from __future__ import annotations

import linecache
from inspect import signature
from itertools import chain
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import DRIVER, FORMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.rules.registry import Api


def forward(
    api: Api, declares: str, name: str, function: Callable[..., Any], before: Callable[..., object] | None = None
) -> None:
    """Declare a call that forwards to a driver call.

    Args:
        api: The API.
        declares: The module that declares the call.
        name: The call.
        function: The operation of the driver API, or of an older form, with the same arguments.
        before: A guard that is called first, with the call, or with all arguments if it takes several. None without one.
    """
    arguments = ", ".join(signature(function).parameters)
    made: dict[str, Any] = {"_before": before, "_function": function, "__name__": declares}  # its frames are fakecuda's
    # Written out, since arguments that are packed and unpacked cost more than the rest of it.
    looks_at = arguments if before and len(signature(before).parameters) > 1 else "call"
    first = f"    _before({looks_at})\n" if before else ""
    text = f"def call({arguments}):\n{first}    return _function({arguments})"
    file = f"<fakecuda {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # where inspect looks for it
    exec(compile(text, file, "exec"), made)  # noqa: S102 - as attrs does
    call = made["call"]
    call.__doc__ = function.__doc__
    call.guards = (before, function) if before else (function,)  # what its rules are read from
    declared = chain(DRIVER.ops.declared().values(), FORMS.ops.declared().values())
    beneath = next(one for one in declared if one.function is function)
    api.op(name, acts_before=beneath.acts_before, several=beneath.several)(call)
