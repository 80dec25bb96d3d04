"""The site: each page of the checkout and each modelled call is on it, links lead somewhere, and nothing comes from elsewhere."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from fakecuda.rules.core import Rule
from fakecuda.rules.registry import EVERY_OP
from tools.site import conformance, pages
from tools.site.__main__ import built, write
from tools.site.links import relinked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("material", reason="mkdocs-material: pip install -e '.[site]'")
FOREIGN = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//""")
"""The pattern of content that a browser would fetch from another site."""


@pytest.fixture(scope="module")
def texts(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Return all pages, the report of conformance with them where the long tests run."""
    with pytest.MonkeyPatch.context() as patched:
        if not request.config.option.long:
            patched.setattr(conformance, "text", lambda: "# Conformance\n")
        yield pages.texts()


@pytest.mark.long("more than a thousand pages; on each commit their texts are looked at")
def test_the_site_is_built_without_warnings(texts: dict[str, str], tmp_path: Path) -> None:
    """Every link and anchor leads somewhere; the search knows the calls; nothing is fetched from another place."""
    write(tmp_path, texts)
    out = tmp_path / "site"
    assert not built(tmp_path, out)
    index = json.loads((out / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = {entry["title"] for entry in index["docs"]}
    assert titles >= EVERY_OP.keys()
    names = ["index.html", "museum.html", "calls/driver/cuMemMap.html", "rules/hip/va.html"]
    assert [name for name in names if FOREIGN.search((out / name).read_text(encoding="utf-8"))] == []


@pytest.mark.long("the pages of the report are looked at by themselves on each commit")
def test_the_report_of_conformance_is_on_it(texts: dict[str, str], tmp_path: Path) -> None:
    """A page in the navigation, which leads to pages of their own; these lead back, to calls and to rules."""
    page = texts[conformance.PAGE]
    assert {"Conformance": conformance.PAGE} in next(
        iter(part["Proof"] for part in pages.navigation(texts) if "Proof" in part)
    )
    conformance.place(tmp_path)
    linked = re.findall(rf"\]\(({conformance.FOLDER}/[^)]+)\)", page)
    assert f"{conformance.FOLDER}/driver.va.html" in linked
    assert [name for name in linked if not (tmp_path / name).exists()] == []
    chapter = (tmp_path / conformance.FOLDER / "driver.va.html").read_text(encoding="utf-8")
    assert 'href="../index.html"' in chapter
    assert 'href="../calls/driver/cuMemMap.html"' in chapter
    assert 'href="../rules/driver/va.html#va.mem_map.FLAGS_ARE_ZERO"' in chapter
    assert 'id="va.mem_map.FLAGS_ARE_ZERO"' in texts["rules/driver/va.md"]
    assert not re.search(r'href="(?!\.\./|#|[\w.]+\.(?:html|css)|data:)', chapter)


def test_a_link_that_leads_nowhere_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """To a page, and to an anchor."""
    monkeypatch.setattr("tools.site.__main__.navigation", lambda _: ["index.md"])
    for number, link in enumerate(("gone.md", "#gone", "")):
        folder = tmp_path / str(number)
        write(folder, {"index.md": f"# Start\n\n[somewhere]({link or '#start'})\n"})
        assert built(folder, folder / "site") == bool(link)
        assert ("gone" in capfd.readouterr().err) == bool(link)


def test_each_call_has_a_page_with_its_rules(texts: dict[str, str]) -> None:
    """In their order, each with its code, its source and what a driver answered."""
    for name, op in EVERY_OP.items():
        text = texts[f"calls/{op.api.name}/{name}.md"]
        rules = [rule for rule in op.rules if isinstance(rule, Rule)]
        places = [text.index(f"[{rule.id}](") for rule in rules]
        assert places == sorted(places)
        assert text.count("\n- Source: ") == text.count("\n- Driver: ") == len(rules)
    page = texts["calls/driver/cuMemMap.md"]
    assert "| 5 | `INVALID_VALUE` | [`flags` is 0](#r5) | manual |" in page
    assert "hipMemMap" in page
    assert "`conformance/cases/driver/va/test_mem_map.py`" in page
    assert re.search(r"Recorded programs of its own: .*\b\d+ on h200, .*\b\d+ on h200-x2", page)
    assert "cuTexRefCreate" in texts["calls/driver/index.md"]


def test_every_page_is_in_the_navigation(texts: dict[str, str]) -> None:
    """Each page of docs/ and the README; the pages of calls lie below those of their APIs."""
    listed = json.dumps(pages.navigation(texts))
    assert [name for name in texts if not name.startswith("calls/") and f'"{name}"' not in listed] == []
    assert texts["map.md"].startswith("# The map\n")
    assert "](map.md)" in texts["index.md"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a](docs/races.md#x)", "[a](../races.md#x)"),
        ("[`a`](#here)", "[`a`](../index.md#here)"),
        ("[a](fakecuda/spec/__init__.py)", "a"),
        ("[a](https://example.org)", "[a](https://example.org)"),
        ('`f["x"](y)`', '`f["x"](y)`'),
        ("```py\n[a](b)\n```\n", "```py\n[a](b)\n```\n"),
        ("```sh gpu\na b\n```\n", "```sh\na b\n```\n"),
    ],
)
def test_links_are_those_of_the_site(text: str, told: str) -> None:
    """A link to a file that the site lacks becomes its words; code stays as it was."""
    homes = {"README.md": "index.md", "docs/races.md": "races.md"}
    assert relinked(text, "README.md", "guides/one.md", homes) == told
