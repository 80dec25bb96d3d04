"""Calls that a program names: modelled, or not modelled and why."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from fakecuda.reach.native.forms import MODELLED, fix_of
from fakecuda.rules.registry import DRIVER, HIP, NVML, RUNTIME
from fakecuda.spec import cudart, nvml
from fakecuda.spec.forms import OUT
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.rules.registry import Api

NAME = r"(?:cu(?:da)?|hip|nvml)[A-Z]\w{2,80}"
"""Matches possible names of calls."""
STREAM = re.compile(r"_pt[sd][sz]\Z")
FORM = re.compile(r"_v\d+\Z")
LAUNCHES = re.compile(
    r"(cu|cuda|hip)Launch(Cooperative)?Kernel(Ex|ExC)?|(cuda|hip)ExtLaunch\w*|__cudaLaunchKernel\w*|hipModuleLaunch\w*"
)
"""Matches calls that launch kernels."""


@cache
def _driver() -> dict[str, str]:
    """Return why a driver function is not modelled; empty if it is modelled."""
    found = {}
    for one in symbols():
        modelled = one.name in MODELLED or one.name.removesuffix(f"_{one.stream}") in MODELLED
        reason = "" if modelled else OUT.get(one.name, "") or fix_of(one) or _answer(DRIVER)
        found[one.name] = reason
    for one in symbols():
        if one.base in DRIVER.ops:
            found[one.base] = ""
        found.setdefault(one.base, found[one.name])
    return found


def _answer(api: Api) -> str:
    return f"answers {api.cname(api.not_supported)}"


def lacking(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names of unmodelled calls, each with a reason or a replacement.

    Args:
        names: Names and symbols of functions, and other names, which are left out.
    """
    for name in names:
        reason = _reason(name)
        if reason:
            yield name, reason


def _reason(name: str) -> str | None:
    """Return why a call is not modelled; empty if modelled, None if unknown."""
    plain = STREAM.sub("", name)
    if plain.startswith("nvml"):
        return _of(NVML, plain) if plain in _nvml() else None
    if plain.startswith("hip"):
        return _of(HIP, plain) if plain in HIP.calls else None
    if plain.startswith("cuda"):
        plain = plain if plain in RUNTIME.calls else FORM.sub("", plain)
        return _of(RUNTIME, plain) if plain in RUNTIME.calls else None
    return _driver().get(plain)


def _of(api: Api, name: str) -> str:
    return "" if name in api.ops else _answer(api)


@cache
def _nvml() -> frozenset[str]:
    return frozenset(nvml.NAMES)


def is_call(name: str) -> bool:
    """Return whether a name is a call of one of the APIs, modelled or not."""
    return _reason(name) is not None


def is_launch(name: str) -> bool:
    """Return whether a symbol or a name is a call that launches kernels."""
    return LAUNCHES.fullmatch(STREAM.sub("", name)) is not None


def linked_runtime(major: int, wanted: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return what a file linked to libcudart needs and does not get.

    Args:
        major: The major version of the libcudart.
        wanted: The symbols that the file needs.

    Returns:
        The functions that fakecuda's library lacks, and those that it has without a model.
    """
    own = {*cudart.REGISTRATION, *cudart.WITHOUT_EFFECT, cudart.CHANNEL_DESC}
    known = {one.name: one.call for one in cudart.exported(major)}
    names = sorted(name for name in wanted if re.fullmatch(r"(__)?cuda[A-Z]\w*", name) and name not in own)
    return (
        [name for name in names if name not in known],
        [name for name in names if name in known and known[name] not in RUNTIME.ops],
    )
