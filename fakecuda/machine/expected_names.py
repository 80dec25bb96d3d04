"""Names of calls, codes and rules that a test gives for refused calls, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.near import nearest
from fakecuda.rules.registry import EVERY_API, every_rule
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.machine.refusals import Refusal

    Judge = Callable[[Refusal], bool]
    Allowed = str | Judge


def check_call(name: str) -> None:
    """Check the name of a call.

    Raises:
        FakeCudaError: It is unknown; the text has the nearest.
    """
    if not any(name in api.calls for api in EVERY_API.values()):
        raise FakeCudaError(nearest(name, [call for api in EVERY_API.values() for call in api.calls], "call"))


def check_names(names: Iterable[str]) -> None:
    """Check the names of codes and calls. Ids of rules, which have a dot, are not checked.

    Raises:
        FakeCudaError: A name is unknown; the text has the nearest.
    """
    codes = {code.name for code in Result} | {name for api in EVERY_API.values() for name in api.names.values()}
    for name in names:
        if "." in name or name in codes or any(name in api.calls for api in EVERY_API.values()):
            continue
        if name.startswith(("cu", "hip", "nvml")) and "rror" not in name:  # not CUDA_ERROR_, not cudaError
            check_call(name)
        raise FakeCudaError(nearest(name, codes, "code"))


def checked(allowed: Iterable[Allowed]) -> tuple[Allowed, ...]:
    """Return the refused calls to accept, as a tuple.

    Raises:
        FakeCudaError: The value is not a list, or a name is unknown; the text has the nearest.
    """
    if isinstance(allowed, str) or not hasattr(allowed, "__iter__"):
        msg = f"the errors to accept are a list of names and functions, not {allowed!r}: write [{allowed!r}]"
        raise FakeCudaError(msg)
    ones = tuple(allowed)
    names = [str(one) for one in ones if not callable(one)]
    check_names(names)
    rules = known_rules() if any("." in name for name in names) else set()
    for name in names:
        if "." in name and name not in rules:
            raise FakeCudaError(nearest(name, rules, "rule"))
    return ones


def known_rules() -> set[str]:
    """Return the ids of all rules."""
    return {rule.id for rule in every_rule(*EVERY_API.values())}
