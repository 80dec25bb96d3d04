"""What a profile says, by where it is from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.profiles.sources import Source


def profile_text(values: Iterable[tuple[str, Any, Source]]) -> str:
    """Return the values of a profile, a line each, those of a source together below what it says.

    Args:
        values: The name of each, what it is, and where that is from, as :func:`fakecuda.profiles.values` tells.
    """
    groups: dict[Source, list[str]] = {}
    for name, value, source in values:
        groups.setdefault(source, []).append(f"  {name} = {value}")
    heads = {source: f"{source.grade}: {source.says}{f' ({source.url})' * bool(source.url)}" for source in groups}
    return "\n\n".join("\n".join([heads[source], *group]) for source, group in groups.items())
