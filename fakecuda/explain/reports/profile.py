"""Profiles as text: values by source, and a table of profiles."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.text import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.profiles import Profile
    from fakecuda.profiles.sources import Source


def profile_text(values: Iterable[tuple[str, Any, Source]]) -> str:
    """Return the values of a profile, one a line, grouped by source.

    Args:
        values: The name, value and source of each, as :func:`fakecuda.profiles.values` returns them.
    """
    groups: dict[Source, list[str]] = {}
    for name, value, source in values:
        groups.setdefault(source, []).append(f"  {name} = {value}")
    heads = {source: f"{source.grade}: {source.says}{f' ({source.url})' * bool(source.url)}" for source in groups}
    return "\n\n".join("\n".join([heads[source], *group]) for source, group in groups.items())


def profiles_text(profiles: Mapping[str, Profile]) -> str:
    """Return a table of profiles.

    Args:
        profiles: The profiles by their names.
    """
    rows = []
    for name, profile in profiles.items():
        number = profile.driver_version
        cards = Counter(device.name for device in profile.devices)
        devices = ", ".join(f"{count} x {card}" for card, count in cards.items()) or "none"
        rows.append((name, profile.origin, f"{number // 1000}.{number % 1000 // 10}", devices, profile.purpose))
    return table(("profile", "origin", "driver", "devices", "what for"), rows)
