"""HTML elements, from escaped text and from nested elements."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EMPTY = frozenset({"br", "img", "input", "link", "meta", "wbr"})
"""Elements without an end tag."""


class Html(str):
    """Text that is already HTML."""

    __slots__ = ()


def escaped(text: object) -> Html:
    """Return text as escaped HTML; HTML stays as it is."""
    return text if isinstance(text, Html) else Html(escape(str(text)))


def joined(parts: Iterable[object], between: str = "") -> Html:
    """Join texts and elements, with HTML between them."""
    return Html(between.join(map(escaped, parts)))


def coded(text: str) -> Html:
    """Return text as HTML, with names between backticks as code."""
    return joined(tag("code", part) if number % 2 else part for number, part in enumerate(text.split("`")))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """Return an element.

    Args:
        name: Its name.
        children: Texts, which are escaped, and elements.
        attributes: Those of the element: ``class_`` is ``class``, ``data_kind`` is ``data-kind``. True stands for one without
            a value; False, None and an empty text for none.
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False and value != ""
    )
    if name in EMPTY:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{joined(children)}</{name}>")


def table(head: Sequence[object], rows: Iterable[Iterable[object]], **attributes: object) -> Html:
    """Return a table that scrolls if it is wider than the page.

    Args:
        head: The titles of the columns.
        rows: The cells by row: the first of each is its heading.
        attributes: Those of the table. Of the class ``stacked`` a narrow page shows each row as a list of its cells.
    """
    stacked = attributes.get("class_") == "stacked"
    labels = [str(title) if stacked else "" for title in head]
    body = []
    for first, *rest in map(list, rows):
        cells = [tag("td", cell, data_label=label) for cell, label in zip(rest, labels[1:], strict=True)]
        body.append(tag("tr", tag("th", first, scope="row"), *cells))
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    inner = tag("table", tag("thead", top), tag("tbody", *body), **attributes)
    return tag("div", inner, class_="wide", tabindex="0", role="region", aria_label="table")
