"""All pages of the site, as text, and its navigation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fakecuda.rules.registry import EVERY_API
from tools.site import calls, conformance, readme
from tools.site.links import anchors, relinked

ROOT = Path(__file__).parents[2]
README, DOCS = "README.md", "docs"
OTHERS = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the checkout beside the README and docs/, and where they lie in the site."""
SECTIONS: dict[str, tuple[str, ...]] = {
    "Start": ("index.md", "guides/start.md", "limits.md"),
    "Guides": (
        *(f"guides/{name}.md" for name in ("allocator", "ipc_channel", "vmm_pool", "ranks", "hip_port", "from_mocks")),
        *("kernels.md", "faults.md", "orders.md", "races.md", "linked.md"),
    ),
    "Recipes": ("recipes/index.md",),
    "Reference": ("options.md", "public.md", "machines.md", "prompt.md", "profiles.md", "behaviour.md"),
    "Proof": ("how-it-knows.md", "conformance.md", "drivers.md", "gpu.md", "fleet.md", "museum.md", "clients.md"),
    "Project": ("contributing.md", "architecture.md", "glossary.md", "working-on-it.md", "changelog.md"),
}
"""The navigation but for single recipes, calls and rules: what comes in which part, in this order."""
BEFORE_CALLS = 4
"""Parts that come before calls and rules."""


def texts() -> dict[str, str]:
    """Return every page of the site by its path."""
    parts = readme.parts((ROOT / README).read_text(encoding="utf-8"))
    docs = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / DOCS).rglob("*.md"))}
    homes = {README: "index.md", **OTHERS, **{name: name.removeprefix(f"{DOCS}/") for name in docs}}
    homes |= {f"{DOCS}/pictures/{path.name}": f"pictures/{path.name}" for path in pictures()}
    places = {anchor: part.path for part in parts for anchor in anchors(part.text)}
    found = {part.path: relinked(part.text, README, part.path, homes, places) for part in parts}
    for name in [*OTHERS, *docs]:
        text = (ROOT / name).read_text(encoding="utf-8")
        found[homes[name]] = relinked(text, name, homes[name], homes, places)
    for api in EVERY_API.values():
        found[f"calls/{api.name}/index.md"] = calls.index(api)
        found |= {calls.path_of(op.name): calls.page(op) for op in api.ops.values()}
    found[conformance.PAGE] = conformance.text()
    return found


def pictures() -> list[Path]:
    """Return the pictures that pages show."""
    return sorted((ROOT / DOCS / "pictures").iterdir())


def navigation(found: dict[str, str]) -> list[Any]:
    """Return the navigation, as mkdocs has it.

    Args:
        found: Every page by its path.
    """
    placed = {name for names in SECTIONS.values() for name in names}
    listed: list[Any] = []
    for title, names in SECTIONS.items():
        further = sorted(name for name in found if name.startswith(f"{title.lower()}/") and name not in placed)
        listed.append({title: [names[0], *({_title(found[name]): name} for name in (*names[1:], *further))]})
    of_calls = [{api.title: f"calls/{api.name}/index.md"} for api in EVERY_API.values()]
    of_rules: list[Any] = [{"Settled questions": "spec_notes.md"}, {"Side by side": "rules/side_by_side.md"}]
    for api in EVERY_API.values():
        chapters = sorted(name for name in found if name.startswith(f"rules/{api.name}/"))
        of_rules.append({api.title: [{_title(found[name]): name} for name in chapters]})
    return [*listed[:BEFORE_CALLS], {"Calls": of_calls}, {"Rules": of_rules}, *listed[BEFORE_CALLS:]]


def _title(text: str) -> str:
    """Return the heading of a page."""
    return next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ").strip()
