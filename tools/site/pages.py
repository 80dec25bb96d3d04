"""The site's pages, as text, and its navigation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fakecuda.rules.registry import EVERY_API
from tools.site import calls, conformance
from tools.site.links import relinked

ROOT = Path(__file__).parents[2]
README, DOCS, MAP = "README.md", "docs", "docs/README.md"
OTHERS = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the checkout outside of docs/, with their paths in the site."""
SECTIONS: dict[str, tuple[str, ...]] = {
    "Start": ("index.md", "map.md", "guides/start.md", "recipes.md", "not_modelled.md", "clients.md"),
    "Guides": (
        *(
            f"guides/{name}.md"
            for name in (
                "allocator",
                "ipc_channel",
                "vmm_pool",
                "ranks",
                "hip_port",
                "versions",
                "from_mocks",
                "skipped_launches",
                "pytorch",
                "gpu_team",
            )
        ),
        *(
            "kernels.md",
            "faults.md",
            "orders.md",
            "races.md",
            "processes.md",
            "linked.md",
            "doctor.md",
            "forms.md",
            "hip.md",
            "nvml.md",
            "gpu.md",
            "shadow.md",
        ),
    ),
    "Reference": ("options.md", "public.md", "machines.md", "prompt.md", "profiles.md", "behaviour.md", "drivers.md"),
    "Proof": ("how_it_knows.md", "conformance.md", "fleet.md", "museum.md"),
    "Project": ("contributing.md", "architecture.md", "glossary.md", "changelog.md"),
}
"""The navigation without calls and rules: the pages of each part, in order."""
BEFORE_CALLS = 3
"""Number of parts before calls and rules."""


def texts() -> dict[str, str]:
    """Return all pages of the site, by path."""
    docs = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / DOCS).rglob("*.md"))]
    homes = {**{name: name.removeprefix(f"{DOCS}/") for name in docs}, README: "index.md", MAP: "map.md", **OTHERS}
    pages = dict(homes)
    homes |= {f"{DOCS}/pictures/{path.name}": f"pictures/{path.name}" for path in pictures()}
    found = {
        home: relinked((ROOT / name).read_text(encoding="utf-8"), name, home, homes) for name, home in pages.items()
    }
    for api in EVERY_API.values():
        found[f"calls/{api.name}/index.md"] = calls.index(api)
        found |= {calls.path_of(op.name): calls.page(op) for op in api.ops.values()}
    found[conformance.PAGE] = conformance.text()
    return found


def pictures() -> list[Path]:
    """Return the pictures of the pages."""
    return sorted((ROOT / DOCS / "pictures").iterdir())


def navigation(found: dict[str, str]) -> list[Any]:
    """Return the navigation in mkdocs' form.

    Args:
        found: All pages, by path.
    """
    listed: list[Any] = [
        {title: [names[0], *({_title(found[name]): name} for name in names[1:])]} for title, names in SECTIONS.items()
    ]
    of_calls = [{api.title: f"calls/{api.name}/index.md"} for api in EVERY_API.values()]
    of_rules: list[Any] = [{"Settled questions": "spec_notes.md"}, {"Side by side": "rules/side_by_side.md"}]
    for api in EVERY_API.values():
        chapters = sorted(name for name in found if name.startswith(f"rules/{api.name}/"))
        of_rules.append({api.title: [{_title(found[name]): name} for name in chapters]})
    return [*listed[:BEFORE_CALLS], {"Calls": of_calls}, {"Rules": of_rules}, *listed[BEFORE_CALLS:]]


def _title(text: str) -> str:
    """Return the heading of a page."""
    return next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ").strip()
