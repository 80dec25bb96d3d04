"""Names of objects in a recorded program, translated to another run."""

from __future__ import annotations

from typing import Any


def renamed(data: Any, texts: dict[str, str]) -> Any:
    """Return an argument with the names of this run.

    Raises:
        KeyError: This run has no such name.
    """
    if isinstance(data, dict) and "ref" in data:
        return {**data, "ref": texts[data["ref"]]}
    if isinstance(data, dict) and (kinds := {"node", "cudaNode"} & data.keys()):
        return {kind: renamed(data[kind], texts) for kind in kinds}
    return [renamed(item, texts) for item in data] if isinstance(data, list) else data


def learn(old: Any, new: Any, texts: dict[str, str]) -> None:
    """Learn the name of a result in this run."""
    if isinstance(old, list) and isinstance(new, list):
        for pair in zip(old, new, strict=False):
            learn(*pair, texts)
    elif isinstance(old, dict) and isinstance(new, dict) and "new" in old:
        text = new.get("new") or new.get("name")
        if text:
            texts[old["new"]] = text
