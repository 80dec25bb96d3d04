"""Which codes a call may answer, by the manual and by the rules."""

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
"""Names of the codes that come to a call at any time, however right it is: something is used up, or has broken."""
OF_THE_SYSTEM = frozenset(
    {
        *("NOT_SUPPORTED", "NOT_PERMITTED", "NO_PERMISSION", "PEER_ACCESS_UNSUPPORTED", "ILLEGAL_STATE", "UNKNOWN"),
        *("NO_DEVICE", "DEVICE_UNAVAILABLE", "SYSTEM_NOT_READY", "SYSTEM_DRIVER_MISMATCH", "DRIVER_NOT_LOADED"),
        *("COMPAT_NOT_SUPPORTED_ON_DEVICE", "LIB_RM_VERSION_MISMATCH"),
    }
)
"""Those by which a system says that it has not something, or does not let somebody have it: the first time that he asks."""
GIVES_BACK = re.compile("Free|Release|Destroy|Unmap|Close|Disable|Unregister|Reset|Shutdown|Unset|Pop")
"""In the names of calls that give something back."""


@cache
def answers_of(op: Op) -> dict[str, Code]:
    """Return the codes that a call may answer, by their short names in its API.

    They are those that the manual documents for it, those of its rules, what a driver was observed to answer among them,
    and the sticky ones, which most calls hand on.
    """
    api = op.api
    codes = [code for call, code in documented(api) if call == op.name]
    codes += [api.code(rule.code) for rule in op.rules]
    if api.name != "nvml":
        codes += [api.code(code) for code in sorted(STICKY)]
    return {api.short(int(code)): code for code in codes if code not in NO_FAILURES}


def gives_back(op: Op) -> bool:
    """Return whether a call gives something back: what could be had can be given back."""
    return GIVES_BACK.search(op.name) is not None


def from_outside(op: Op, *, first: bool) -> list[Code]:
    """Return the codes that a call may answer although all its checks have passed.

    Args:
        op: The call.
        first: Whether it is the first of its kind; what a system has not it has not the first time.
    """
    found = [code for code in answers_of(op).values() if code.name in USED_UP]
    if first and not gives_back(op):
        found += [code for call, code in documented(op.api) if call == op.name and code.name in OF_THE_SYSTEM]
    return found


def code_of(op: Op, given: str | SupportsInt, *, force: bool) -> Code:
    """Return the code that a call shall answer.

    Args:
        op: The call.
        given: A name in any of the APIs, ``OUT_OF_MEMORY`` or ``cudaErrorMemoryAllocation``, or a number, as enumerations are.
        force: Whether it may be one that nobody says of the call.

    Raises:
        FakeCudaError: There is no such code, it is no failure, or the call does not answer it; the text names the nearest.
    """
    code = _known(op.api, given)
    if code is None:
        raise FakeCudaError(nearest(str(given), map(op.api.short, op.api.names), f"code of {op.api.title}"))
    if code in NO_FAILURES:
        msg = f"{op.api.short(int(code))} is not a failure: name an error code, or remove the fault"
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
    """Return a code of an API by its name or its number; None if there is none."""
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
    """Return what an operation answers with so that its caller is told a code: the driver's, where the API has another number."""
    codes = api_of(call).codes
    number = int(code)
    if codes.get(number, number) == number:
        return number
    return next((lower for lower, told in codes.items() if told == number), number)
