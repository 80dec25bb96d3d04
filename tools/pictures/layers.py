"""The picture of packages and their imports.

Boxes in a diagonal, each below the packages that import it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.explain.pictures.svg import PAD, Drawing, width_of
from tools.imports import imports, package

if TYPE_CHECKING:
    from collections.abc import Collection

ROOT = Path(__file__).parents[2]
TOPS = ("fakecuda", "realcuda", "conformance")
"""The packages to show. Those of fakecuda are shown separately."""
KINDS = {
    "way in": (
        "reach.bindings",
        "reach.native",
        "reach.install",
        "fixture",
        "testing",
        "plugin",
        "prompt",
        "__main__",
        "fakecuda",
    ),
    "sharing": ("reach.remote",),
    "rules": ("rules", "explain.ledger", "explain.evidence"),
    "model": ("model", "reach", "machine"),
    "user": ("conformance", "realcuda"),
}
STEP, HEIGHT = 46, 26
"""The distance between two boxes, and the height of a box."""


@cache
def edges() -> dict[tuple[str, str], bool]:
    """Return the pairs of packages in which one imports the other.

    Each comes with whether this happens when the package is imported.
    """
    found: dict[tuple[str, str], bool] = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            user = package(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
            for name, lazy in imports(path).items():
                used = package(name if _is_module(name) else name.rpartition(".")[0])
                if name.partition(".")[0] in TOPS and used != user:
                    found[user, used] = found.get((user, used), False) or not lazy
    return found


def _is_module(name: str) -> bool:
    """Return whether a name is a module or package of this repository."""
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").exists()


def order(edges: Collection[tuple[str, str]]) -> list[str]:
    """Return the packages in an order for the picture.

    If possible, importing packages come before imported ones.
    """
    left = sorted({name for edge in edges for name in edge})
    found: list[str] = []
    while left:

        def surplus(name: str) -> tuple[int, int]:
            """Return the numbers of a package's importers and imports that remain.

            The second number is negative.
            """
            users = sum((other, name) in edges for other in left)
            return users, -sum((name, other) in edges for other in left)

        found.append(min(left, key=surplus))
        left.remove(found[-1])
    return found


def draw() -> str:
    """Return the picture."""
    found = edges()
    names = order(found)
    drawing = Drawing("Which package of fakecuda imports which")
    place: dict[str, tuple[float, float, float]] = {}
    x = float(PAD)
    for number, name in enumerate(names):
        width = width_of(name) + 2 * PAD
        place[name] = (x, PAD + number * STEP, width)
        x += width + PAD
    for name in names:
        left, top, width = place[name]
        users = [place[user][1] for user, used in found if used == name]
        used = [place[one][0] + place[one][2] / 2 for user, one in found if user == name]
        middle, row = left + width / 2, top + HEIGHT / 2
        if used:
            drawing.line((min([middle, *used]), row), (max([middle, *used]), row))
        if users:
            drawing.line(
                (middle, min([row, *(one + HEIGHT / 2 for one in users)])),
                (middle, max([row, *(one + HEIGHT / 2 for one in users)])),
            )
    for (user, used_), early in sorted(found.items()):
        drawing.dot(place[used_][0] + place[used_][2] / 2, place[user][1] + HEIGHT / 2, "dot" if early else "ring")
    for name in names:
        left, top, width = place[name]
        drawing.box(left, top, width, HEIGHT, next((kind for kind, those in KINDS.items() if name in those), "ground"))
        drawing.text(left + PAD, top + 17, name, "title")
    bottom = PAD + len(names) * STEP
    legend = (
        ("dot", "the package in this row imports the one in this column, when it is imported itself"),
        ("ring", "it does so in functions alone, when they are called"),
    )
    for number, (style, words) in enumerate(legend):
        drawing.dot(PAD + 4, bottom - 60 + number * 20, style)
        drawing.text(PAD + 16, bottom - 56 + number * 20, words, "beside")
    return drawing.svg()
