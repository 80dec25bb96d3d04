"""``python -m tools.pictures``."""

from __future__ import annotations

from pathlib import Path

from tools.pictures import layers, way

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
DRAWN = {"layers.svg": layers.draw, "call.svg": way.draw}
"""The pictures by the names of their files."""


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        (PICTURES / name).write_text(draw())


if __name__ == "__main__":
    main()
