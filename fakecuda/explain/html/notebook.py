"""A finding or refused call in a notebook: its report in the notebook's colours."""

from __future__ import annotations

from fakecuda.explain.html.markup import coded, tag


def shown(report: str) -> str:
    """Return a report as HTML, its first line as a heading.

    Args:
        report: The text.
    """
    first, _, rest = report.partition("\n")
    return tag("div", tag("strong", coded(first)), tag("pre", rest, style="white-space: pre-wrap; margin: .3em 0"))
