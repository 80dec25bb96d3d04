"""Conventions of calls that do not follow from prototypes or types.

They are rows by call and C parameter in ``driver.overrides.toml``, ``runtime.overrides.toml`` and
``hip.overrides.toml``. ``generated/conventions.json`` has them for the runtime, in a form that loads faster. A row says
how a call passes a parameter. What a form means for C, for Python and for the client stands where they are implemented,
by form and not by call: a new call with a known form needs one row.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.spec.description import HERE
from fakecuda.spec.layouts import UNIONS

if TYPE_CHECKING:
    from fakecuda.spec.description import Function, Param

FORMS = {
    "address": "the address itself, whatever is there",
    "device_name": "a text that fills its buffer with zeros",
    "dma_buf": "a file descriptor, if the parameter for the handle type says so",
    "extents": "an array with a member for each dimension, without the last ``less`` ones",
    "int32": "an int",
    "int_lists": "an array of addresses, each of an int or several ones",
    "ints": "an int or several ones",
    "pointer_attribute": "as many bytes as a pointer attribute has, which the key says",
    "pointer_attributes": "an array of addresses, each of a pointer attribute; the key is the array of attributes",
    "pool_word": "as many bytes as a pool attribute has, which the key says",
    "shareable": "a descriptor or a fabric handle, which the key says",
    "size_word": "a 64-bit number",
}
"""The forms of memory at an address that do not follow from its type."""
BINDING = {
    "bare": "a function that the binding does not wrap",
    "from_c": "an array that only C can pass: the binding's function lacks it, so its look-alike lacks the call",
    "kernel_params": "the arguments of a kernel",
    "late": "an array that the binding checks after the attributes that it belongs to",
    "measured": "an array of enums that the binding refuses if it is shorter than its count",
    "null": "a result that the binding passes a null pointer for",
    "number": "an address that the binding accepts only as a number",
    "shape": "a size that is the shape of the returned memory",
    "unmeasured": "an array that the binding reads in full, whatever its count",
}
"""Special treatments of a parameter by the Python binding."""


@frozen
class Convention:
    """The convention of a parameter.

    Attributes:
        form: The form of what is at the address, of ``FORMS``; empty if it follows from the type.
        key: The parameter that the form depends on; by default, the length or count.
        less: The number of dimensions without a member, for ``extents``.
        at_most: For a count, another parameter: members beyond that number are not read.
        failed: Whether a failed call may write this result, too.
        binding: What the Python binding does, of ``BINDING``; empty for what it does with others of its type.
    """

    form: str = ""
    key: str = ""
    less: int = 0
    at_most: str = ""
    failed: bool = False
    binding: str = ""


DATA: dict[str, Any] = json.loads((HERE / "generated" / "conventions.json").read_text(encoding="utf-8"))
"""The rows of parameters, by call and parameter."""
_ORDINARY = Convention()


@cache
def convention(call: str, param: str) -> Convention:
    """Return the convention of a parameter.

    Args:
        call: The name of the call.
        param: The name of the parameter in C. If it has no row, nothing about it is special.
    """
    row = DATA["params"].get(call, {}).get(param)
    return Convention(**row) if row else _ORDINARY


def key_of(call: Function, param: Param) -> str:
    """Return the parameter that selects another parameter's form, or an empty name."""
    if param.type in UNIONS and not param.array:
        return call.params[call.params.index(param) - 1].name
    return convention(call.name, param.name).key or param.length or param.count
