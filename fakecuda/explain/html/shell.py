"""A page as one file, with style and script inline."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from fakecuda.explain.html.markup import Html, joined, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
STYLES, SCRIPTS = (HERE / "page.css",), (HERE / "page.js",)
"""The style and script of every page."""
LINE = "\n"


def page(
    title: str, body: Sequence[object], *, styles: Sequence[Path] = (), scripts: Sequence[Path] = (), head: object = ""
) -> str:
    """Return a page with everything inline.

    Args:
        title: What the browser's window is called.
        body: What stands in it, in order.
        styles: Files of CSS, beside those of every page.
        scripts: Files of JavaScript, beside those of every page.
        head: What stands above the body, across the page: navigation.
    """
    return _page(
        title,
        body,
        head,
        tag("style", Html(together(*STYLES, *styles))),
        tag("script", Html(together(*SCRIPTS, *scripts))),
    )


def page_of_many(title: str, body: Sequence[object], *, style: str, script: str, head: object = "") -> str:
    """Return a page that shares its style and its script with others in its folder.

    Args:
        title: What the browser's window is called.
        body: What stands in it, in order.
        style: The name of the file of CSS.
        script: The name of the file of JavaScript.
        head: What stands above the body, across the page: navigation.
    """
    return _page(title, body, head, tag("link", rel="stylesheet", href=style), tag("script", src=script))


def together(*files: Path) -> str:
    """Join files of CSS or JavaScript."""
    return "\n".join(map(_text, files))


def _page(title: str, body: Sequence[object], head: object, look: Html, act: Html) -> str:
    meta = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        look,
    ]
    inner = [head, tag("main", *body, id="main"), act]
    whole = f"<head>{joined(meta, LINE)}</head>{LINE}<body>{joined(inner, LINE)}</body>"
    return f'<!doctype html>{LINE}<html lang="en">{whole}</html>{LINE}'


def picture(svg: str, alt: str) -> Html:
    """Return an SVG picture as an element with isolated style and names.

    Args:
        svg: Its text.
        alt: A description for readers who cannot see it.
    """
    source = f"data:image/svg+xml,{quote(svg, safe=' /:;,=()#!*' + chr(39)).replace('#', '%23')}"
    return tag(
        "div", tag("img", src=source, alt=alt), class_="wide picture", tabindex="0", role="region", aria_label=alt
    )


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()
