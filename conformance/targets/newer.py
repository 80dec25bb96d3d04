"""Calls that are newer than the driver of a profile: the model runs them on the first driver that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda import profiles
from fakecuda.rules.registry import HIP, api_of
from fakecuda.spec.driver import DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.profiles import Profile


HIPS = ("hip-clr-2024", "hip-clr-2026")
"""The profiles of machines with HIP."""


def having(profile: Profile, call: str) -> Profile:
    """Return the profile, with the first driver that has the call if its own is older.

    Args:
        profile: A profile.
        call: A call of any API.
    """
    version = since(call)
    return profile if version <= profile.driver_version else profile.with_driver(version)


def profiles_of(profile: Profile, call: str) -> list[Profile]:
    """Return the profiles on which cases of a call run: those of HIP, where a profile has none, or the profile itself.

    Args:
        profile: A profile.
        call: A call of any API.
    """
    if api_of(call) is HIP and not profile.hip.name:
        return [profiles.load(name) for name in HIPS]
    return [having(profile, call)]


def since(call: str) -> int:
    """Return the first version of the driver that has a call of the driver API; 0 for a call of another API."""
    row = DESCRIPTION.rows.get(call)
    return int(row["version"]) if row else 0


def told(calls: Iterable[str], profile: Profile) -> list[str]:
    """Return a line for each later driver that calls ran on, since the profile's driver lacks them.

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
    """Return a version of the driver as NVIDIA writes it: ``13.2`` for 13020."""
    return f"{version // 1000}.{version % 1000 // 10}"
