"""The values of a profile, by their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.profiles.sources import Source


def profile_text(values: Iterable[tuple[str, Any, Source]]) -> str:
    """Return the values of a profile, one a line, grouped below their sources.

    Args:
        values: The name, value and source of each, as :func:`fakecuda.profiles.values` returns them.
    """
    groups: dict[Source, list[str]] = {}
    for name, value, source in values:
        groups.setdefault(source, []).append(f"  {name} = {value}")
    heads = {source: f"{source.grade}: {source.says}{f' ({source.url})' * bool(source.url)}" for source in groups}
    return "\n\n".join("\n".join([heads[source], *group]) for source, group in groups.items())
