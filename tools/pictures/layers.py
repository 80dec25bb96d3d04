"""Which package imports which: boxes from the upper left to the lower right, each beneath those that import it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from tools.pictures.svg import PAD, Drawing, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[2]
TOPS = ("fakecuda", "realcuda", "conformance")
"""What is looked at: the packages of fakecuda by themselves, the others as a whole."""
KINDS = {
    "way in": ("surfaces", "native", "doors", "fixture", "plugin", "prompt", "__main__", "fakecuda"),
    "sharing": ("sharing",),
    "rules": ("rules", "ledger", "evidence"),
    "model": ("model", "simulated"),
    "user": ("conformance", "realcuda"),
}
STEP, HEIGHT = 46, 26
"""From one box to the next, and how high one is."""


def imports() -> dict[tuple[str, str], bool]:
    """Return by pair of packages whether one imports the other when it is imported itself; else in functions alone.

    What is imported for a type checker is left out.
    """
    found: dict[tuple[str, str], bool] = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            whole = path.name == "__init__.py"
            for name, lazy in _imported(ast.parse(path.read_text()).body, module, whole=whole, lazy=False):
                edge = (package(module), package(name))
                if name.partition(".")[0] in TOPS and edge[0] != edge[1]:
                    found[edge] = found.get(edge, False) or not lazy
    return found


def package(module: str) -> str:
    """Return the box of a module: ``model`` for ``fakecuda.model.va``, ``realcuda`` for what lies in it."""
    top, _, rest = module.partition(".")
    return (rest.partition(".")[0] or top) if top == TOPS[0] else top


def _imported(body: list[ast.stmt], module: str, *, whole: bool, lazy: bool) -> Iterator[tuple[str, bool]]:
    """Yield the modules that a body imports, each with whether that is done in a function."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(module.split(".")[: len(module.split(".")) - node.level + whole]) if node.level else ""
            source = ".".join(filter(None, [base, node.module]))
            # A name may be a module of the package, or something that stands in it.
            yield from (
                (f"{source}.{alias.name}" if _is_module(source, alias.name) else source, lazy) for alias in node.names
            )
        elif not (isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")):
            within = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [one.body for one in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]]
            for block in blocks:
                if isinstance(block, list):
                    yield from _imported(block, module, whole=whole, lazy=within)


def _is_module(source: str, name: str) -> bool:
    place = ROOT.joinpath(*source.split("."), name)
    return place.is_dir() or place.with_suffix(".py").exists()


def order(edges: Mapping[tuple[str, str], bool]) -> list[str]:
    """Return the packages so that what imports comes before what it imports, wherever that can be."""
    left = sorted({name for edge in edges for name in edge})
    found: list[str] = []
    while left:

        def surplus(name: str) -> tuple[int, int]:
            """Return how many of those that are left import it, and how many more it imports: the next has few, and many."""
            users = sum((other, name) in edges for other in left)
            return users, -sum((name, other) in edges for other in left)

        found.append(min(left, key=surplus))
        left.remove(found[-1])
    return found


def draw() -> str:
    """Return the picture."""
    edges = imports()
    names = order(edges)
    drawing = Drawing("Which package of fakecuda imports which")
    place: dict[str, tuple[float, float, float]] = {}
    x = float(PAD)
    for number, name in enumerate(names):
        width = width_of(name) + 2 * PAD
        place[name] = (x, PAD + number * STEP, width)
        x += width + PAD
    for name in names:
        left, top, width = place[name]
        users = [place[user][1] for user, used in edges if used == name]
        used = [place[one][0] + place[one][2] / 2 for user, one in edges if user == name]
        middle, row = left + width / 2, top + HEIGHT / 2
        if used:
            drawing.line((min([middle, *used]), row), (max([middle, *used]), row))
        if users:
            drawing.line(
                (middle, min([row, *(one + HEIGHT / 2 for one in users)])),
                (middle, max([row, *(one + HEIGHT / 2 for one in users)])),
            )
    for (user, used_), early in sorted(edges.items()):
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
