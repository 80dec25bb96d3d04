"""Calls newer than a profile's driver, which the model runs on a later driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda import profiles
from fakecuda.rules.registry import HIP, NVML, api_of
from fakecuda.spec.driver import DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.kit.case import Case
    from fakecuda.profiles import Profile


HIPS = ("hip-clr-2024", "hip-clr-2026")
"""The profiles of machines with HIP."""
RECORDED = "h200-x2"
"""The profile of the cards on which NVML was recorded."""


def having(profile: Profile, call: str) -> Profile:
    """Return the profile, with the first driver that has the call if it lacks it.

    Args:
        profile: A profile.
        call: A call of any API.
    """
    version = since(call)
    return profile if version <= profile.driver_version else profile.with_driver(version)


def profiles_of(profile: Profile, cases: Sequence[Case]) -> list[Profile]:
    """Return the profiles for cases of a call: those they name, and the requested one.

    Cases of HIP run on both of its years, if that profile has none; NVML answers as the card that was recorded.

    Args:
        profile: The profile that was asked for.
        cases: Cases of one call.
    """
    call = cases[0].entry.call
    chosen = [having(profile, call)]
    if api_of(call) is HIP and not profile.hip.name:
        chosen = [profiles.load(name) for name in HIPS]
    if api_of(call) is NVML:
        chosen = [profiles.load(RECORDED)]
    named = {name for case in cases for name in case.profiles} - {one.name for one in chosen}
    if all(case.profiles for case in cases):
        chosen = [one for one in chosen if any(one.name in case.profiles for case in cases)]
    return [*chosen, *(profiles.load(name) for name in sorted(named))]


def since(call: str) -> int:
    """Return the first driver version with a call; 0 for other APIs."""
    row = DESCRIPTION.rows.get(call)
    return int(row["version"]) if row else 0


def told(calls: Iterable[str], profile: Profile) -> list[str]:
    """Return a line for each later driver version that calls ran on.

    Args:
        calls: The calls that ran.
        profile: The profile that was asked for.
    """
    lacking: dict[int, list[str]] = {}
    for call in sorted(set(calls)):
        if since(call) > profile.driver_version:
            lacking.setdefault(since(call), []).append(call)
    has = f"the driver of {profile.name} is CUDA {cuda(profile.driver_version)}"
    return [
        f"on the driver of CUDA {cuda(version)}, the first with {', '.join(names)}: {has}"
        for version, names in sorted(lacking.items())
    ]


def cuda(version: int) -> str:
    """Return a driver version in NVIDIA's notation: ``13.2`` for 13020."""
    return f"{version // 1000}.{version % 1000 // 10}"
