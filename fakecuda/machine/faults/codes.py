"""Error codes that a call may answer, according to the manual and the rules."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, SupportsInt

from fakecuda.errors import FakeCudaError
from fakecuda.explain.ledger import documented
from fakecuda.near import nearest
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.rules.registry import api_of
from fakecuda.spec.codes import Code, Result

if TYPE_CHECKING:
    from fakecuda.rules.dispatch import Op
    from fakecuda.rules.registry import Api

NO_FAILURES = frozenset({Result.SUCCESS, Result.NOT_READY})
USED_UP = frozenset(
    {
        *("OUT_OF_MEMORY", "MEMORY", "INSUFFICIENT_RESOURCES", "OPERATING_SYSTEM", "MAP_FAILED", "UNMAP_FAILED"),
        *(
            "MULTICAST_RESOURCE_FULL",
            "TOO_MANY_PEERS",
            "LAUNCH_OUT_OF_RESOURCES",
            "GPU_IS_LOST",
            "IRQ_ISSUE",
            "TIMEOUT",
        ),
    }
)
"""Names of codes that a correct call may return: no resources, bad hardware."""
OF_THE_SYSTEM = frozenset(
    {
        *("NOT_SUPPORTED", "NOT_PERMITTED", "NO_PERMISSION", "PEER_ACCESS_UNSUPPORTED", "ILLEGAL_STATE", "UNKNOWN"),
        *("NO_DEVICE", "DEVICE_UNAVAILABLE", "SYSTEM_NOT_READY", "SYSTEM_DRIVER_MISMATCH", "DRIVER_NOT_LOADED"),
        *("COMPAT_NOT_SUPPORTED_ON_DEVICE", "LIB_RM_VERSION_MISMATCH"),
    }
)
"""Names of codes for missing or forbidden features, on the first call of a kind."""
GIVES_BACK = re.compile("Free|Release|Destroy|Unmap|Close|Disable|Unregister|Reset|Shutdown|Unset|Pop")
"""Matches the names of calls that free or release something."""


@cache
def answers_of(op: Op) -> dict[str, Code]:
    """Return the codes that a call may answer, by their short names in its API.

    These are the codes that the manual documents for the call and the codes of its rules. Some rules' codes were only
    observed. Sticky codes are added, because most calls pass them on.
    """
    api = op.api
    codes = [code for call, code in documented(api) if call == op.name]
    codes += [api.code(rule.code) for rule in op.rules]
    if api.name != "nvml":
        codes += [api.code(code) for code in sorted(STICKY)]
    return {api.short(int(code)): code for code in codes if code not in NO_FAILURES}


def gives_back(op: Op) -> bool:
    """Return whether a call frees or releases something.

    Such calls do not fail for what the system lacks or forbids.
    """
    return GIVES_BACK.search(op.name) is not None


def from_outside(op: Op, *, first: bool) -> list[Code]:
    """Return the codes that a call may answer although all its checks pass.

    Args:
        op: The call.
        first: Whether it is the first call of its kind. Only a first call finds out that the system lacks something.
    """
    found = [code for code in answers_of(op).values() if code.name in USED_UP]
    if first and not gives_back(op):
        found += [code for call, code in documented(op.api) if call == op.name and code.name in OF_THE_SYSTEM]
    return found


def code_of(op: Op, given: str | SupportsInt, *, force: bool) -> Code:
    """Return the code that a fault answers.

    Args:
        op: The call.
        given: A name in any of the APIs, such as ``OUT_OF_MEMORY`` or ``cudaErrorMemoryAllocation``; or a number.
        force: Whether to allow a code that neither the manual nor a rule gives for the call.

    Raises:
        FakeCudaError: The code is unknown, it is not a failure, or the call does not answer it. The text names similar
            or possible codes.
    """
    code = _known(op.api, given)
    if code is None:
        raise FakeCudaError(nearest(str(given), map(op.api.short, op.api.names), f"code of {op.api.title}"))
    if code in NO_FAILURES:
        msg = f"{op.api.short(int(code))} is not a failure: name an error code, or leave out fail()"
        raise FakeCudaError(msg)
    may = answers_of(op)
    if not force and op.api.short(int(code)) not in may:
        others = ", ".join(name for name, one in may.items() if one not in STICKY)
        msg = (
            f"{op.name} is not known to answer {op.api.short(int(code))}: use force=True, a sticky code such as "
            f"LAUNCH_FAILED, or one of {others}"
        )
        raise FakeCudaError(msg)
    return code


def is_code(api: Api, given: str | SupportsInt) -> bool:
    """Return whether a name or a number is a code of an API."""
    return _known(api, given) is not None


def _known(api: Api, given: str | SupportsInt) -> Code | None:
    """Return a code of an API by its name or its number.

    The result is None if the API has no such code.
    """
    if isinstance(given, str):
        if (code := api.member(given)) is None:
            try:
                code = api.named(given)
            except KeyError:
                return None
        return api.code(code)
    if isinstance(given, Result):
        return api.code(given)
    number = int(given)
    return api.named(api.names[number]) if number in api.names else None


def beneath(call: str, code: Code) -> int:
    """Return the driver's code that the API's caller sees as a given code."""
    codes = api_of(call).codes
    number = int(code)
    if codes.get(number, number) == number:
        return number
    return next((lower for lower, told in codes.items() if told == number), number)
