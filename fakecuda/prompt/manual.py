"""The text of ``help(a.driver.cuMemMap)``.

It has a call's signature, its manual, and the rules that the model checks.
The manual comes from the docstrings of the installed bindings; fakecuda contains none of it.
"""

from __future__ import annotations

import re
import textwrap
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.text import GAP, columns, table, wrapped
from fakecuda.prompt.rules import rules_of, rules_text
from fakecuda.rules.registry import api_of

if TYPE_CHECKING:
    from fakecuda.spec.description import Function

BINDINGS = {"driver": "cuda.bindings.driver", "runtime": "cuda.bindings.runtime", "hip": "hip.hip"}
"""The module whose docstrings are an API's manual, by the name of the API."""
ROLE = re.compile(r":py:\w+:`~?\.?([^`]*)`")
"""Matches a Sphinx reference to an object."""
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
"""Matches the title of a section in a numpy docstring."""


def call_of(what: Any) -> Function | None:
    """Return the call of a name or of a function of a door or bindings.

    The result is None if it is not a call.
    """
    name = what if isinstance(what, str) else getattr(what, "__name__", None)
    if name is None and hasattr(what, "args"):  # the object that stands for a call that is not modelled
        name = next((arg.name for arg in what.args if hasattr(arg, "symbol")), None)
    return api_of(name).calls.get(name) if isinstance(name, str) else None


def signature_text(call: Function) -> str:
    """Return a call with its parameters, their types, and its results."""
    given = ", ".join(f"{p.keyword or p.name}: {p.type}{'*' * p.pointer}" for p in call.inputs)
    results = ", ".join(f"{p.name}: {p.type}" for p in call.outputs)
    return f"{call.name}({given})" + (f" -> code, {results}" if results else " -> code")


def help_text(call: Function, width: int | None = None) -> str:
    """Return the help text of a call.

    Args:
        call: The call.
        width: Columns of text; the terminal's by default.
    """
    width = width or columns()
    lines = [*wrapped(signature_text(call), width, GAP * 2)]
    manual = manual_of(call)
    if manual:
        lines += ["", *_manual_lines(manual, width)]
    else:
        module = BINDINGS.get(api_of(call.name).name)
        source = f"the docstrings of {module}" if module else "NVML's header"
        lines += ["", f"The manual is not available here: it is in {source}."]
    try:
        rules = rules_text(rules_of(call.name), width)
    except LookupError as error:
        rules = str(error)
    return "\n".join([*lines, "", "The model checks, in this order:", rules.lstrip("\n")])


def manual_of(call: Function) -> str:
    """Return the manual of a call from the bindings; empty if not available."""
    module = BINDINGS.get(api_of(call.name).name)
    if module is None:
        return ""
    try:
        function = getattr(import_module(module), call.name, None)
    except ImportError:
        return ""
    # While a machine is installed, a look-alike replaces the functions. It keeps their docstrings.
    return textwrap.dedent(getattr(function, "__doc__", None) or "")


def _manual_lines(text: str, width: int) -> list[str]:
    """Return the manual's text for a terminal.

    Paragraphs, then the parameters as a table.
    """
    text = ROLE.sub(r"\1", text).replace("`", "")
    first, _, rest = text.partition("\n\n")
    body = rest if "(" in first else text  # the first paragraph may be the signature that the bindings' compiler wrote
    opening, *sections = SECTION.split(body)
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", opening.strip()):
        lines += [*wrapped(" ".join(paragraph.split()), width), ""]
    titles = dict(zip(sections[::2], sections[1::2], strict=True))
    if "Parameters" in titles:
        rows = []
        for entry in re.split(r"\n(?=\S)", titles["Parameters"].strip("\n")):
            head, _, told = entry.partition("\n")
            name, _, kind = head.partition(" : ")
            rows.append((GAP + name, kind, " ".join(told.split())))
        lines += ["Parameters:", table(("", "", ""), rows, width).lstrip("\n"), ""]
    return lines[:-1]
