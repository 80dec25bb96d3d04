"""The pictures, by the paths of their files."""

from __future__ import annotations

from pathlib import Path

from tools.pictures import layers, memory, way

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
DRAWN = {"layers.svg": layers.draw, "call.svg": way.draw, "machine.svg": memory.draw}


def files() -> dict[Path, str]:
    """Return the text of every picture by its path."""
    return {PICTURES / name: draw() for name, draw in DRAWN.items()}
