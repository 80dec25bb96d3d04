"""Profiles of recordings, stored as differences from fakecuda's profiles.

``python -m conformance.record.profile_differences FILE…`` shortens profiles that a probe has written whole. A short profile
has the hash of the whole file, which recordings name, and :func:`whole` makes that file again.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.profiles import HERE, MERGED, over
from realcuda.toml import render

if TYPE_CHECKING:
    from collections.abc import Iterator

BASES = ("h200", "h200-x2", "h100-x2")
"""Profiles that can serve as a base."""
ADDED = ("base", "probed", "source")
"""Keys that a whole profile does not have."""


def whole(data: dict[str, Any]) -> str:
    """Return the complete profile of a file.

    Args:
        data: A short profile.
    """
    base = _base(data["base"])
    merged = over(base, {**data, "source": []})
    return render({key: value for key, value in merged.items() if key in {**base, **data} and key not in ADDED})


def shortened(text: str) -> str:
    """Return the shortest equivalent of a profile file.

    Args:
        text: A whole profile.
    """
    data = tomllib.loads(text)
    probed = hashlib.sha256(text.encode()).hexdigest()
    found = [text]
    for name in BASES if "base" not in data else ():
        short = {**_differences(data, _base(name)), "base": name, "probed": probed}
        if whole(short) == text:
            found.append(render(short))
    return min(found, key=len)


def _base(name: str) -> dict[str, Any]:
    return {**tomllib.loads((HERE / f"{name}.toml").read_text()), "source": []}


def _differences(data: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a short profile without its base."""
    short = {key: data[key] for key in ("schema", "origin")} | _changed(data, base)
    for name in short.keys() & MERGED:
        short[name] = _changed(data[name], base.get(name, {}))
    if "device" in short:
        short["device"] = list(_devices(data["device"], base["device"]))
    return short


def _devices(devices: list[dict[str, Any]], cards: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, device in enumerate(devices):
        card = cards[min(number, len(cards) - 1)]
        row = _changed(device, card)
        if "attributes" in row:
            row["attributes"] = _changed(device["attributes"], card["attributes"])
        yield row


def _changed(data: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if base.get(key) != value}


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(shortened(path.read_text()))
