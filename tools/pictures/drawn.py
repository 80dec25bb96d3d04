"""The list of pictures, by the paths of their files."""

from __future__ import annotations

from pathlib import Path

from tools.pictures import ipc, layers, memory, peers, race, reservation, way

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
DRAWN = {
    "layers.svg": layers.draw,
    "call.svg": way.draw,
    "machine.svg": memory.draw,
    "ipc.svg": ipc.draw,
    "reservation.svg": reservation.draw,
    "peers.svg": peers.draw,
    "race.svg": race.draw,
}


def files() -> dict[Path, str]:
    """Return the texts of all pictures, by path."""
    return {PICTURES / name: draw() for name, draw in DRAWN.items()}
