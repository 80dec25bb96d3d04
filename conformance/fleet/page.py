"""The report of a fleet as one self-contained HTML page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from conformance.fleet.report import HEAD, KINDS, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #8888; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #8882; overflow-x: auto; padding: .6rem; }
"""


def as_html(report: Mapping[str, Any]) -> str:
    """Return the report as a page."""
    title = f"Fleet of {len(report['hosts'])} hosts"
    told = f"Target {report['target']}, seed {report['seed']}: {report['ended']}, {report['slices']} slices in {report['seconds']:.0f} s."
    left = ", ".join(f"{count} of {kind}" for kind, count in sorted(report["not reached"].items())) or "none"
    parts = [
        f"<h1>{escape(title)}</h1><p>{escape(told)} Slices not reached: {escape(left)}.</p>",
        "<h2>Machines side by side</h2>",
        _table([name.removeprefix(">") for name in HEAD], [row(one) for one in report["machines"]], numbers=1),
        "<h2>Hosts</h2>",
        _table(
            ("host", "machine", "GPUs", "slices", "not used to the end, since"),
            [[str(one[name]) for name in ("name", "machine", "gpus", "slices", "out")] for one in report["hosts"]],
        ),
        f"<h2>{len(report['differences'])} differences by call and codes</h2>",
        *(_difference(one) for one in report["differences"]),
        f"<h2>{len(report['failures'])} causes of failed checks and programs of state machines</h2>",
        *(_folded(one["cause"], [*one["where"], *one["shown by"]], one["text"]) for one in report["failures"]),
        "<h2>Values of profiles that differ between machines</h2>",
        _list(
            f"{name}: " + ", ".join(f"{value} on {where}" for where, value in values.items())
            for name, values in report["profiles"].items()
        ),
        "<h2>What was lost</h2>",
        _list(f"{name} on {node}: {how}" for name, node, how in report["lost"]),
        _list(f"given up: {name}: {how}" for name, how in report["given up"].items()),
        _list(f"a helper died: {item} ({name}) on {node}: it {how}" for name, item, node, how in report["deaths"]),
    ]
    body = "\n".join(parts)
    head = f"<meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>{escape(title)}</title><style>{STYLE}</style>"
    return f"<!doctype html>\n<html lang='en'><head>{head}</head>\n<body>\n{body}\n</body></html>\n"


def _difference(one: Mapping[str, Any]) -> str:
    title = f"{one['call']}: {one['card']} on the card, {one['model']} by the model ({one['rule'] or 'no rule'})"
    return _folded(title, [KINDS[one["kind"]], *one["states"], *one["where"]], one["program"])


def _folded(title: str, lines: Sequence[str], text: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{_list(lines)}<pre>{escape(text)}</pre></details>"


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int | None = None) -> str:
    """Return a table whose columns from ``numbers`` on hold numbers."""
    titles = "".join(f"<th scope='col'>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td class='number'>{escape(cell)}</td>"
            if numbers is not None and place >= numbers
            else f"<td>{escape(cell)}</td>"
            for place, cell in enumerate(cells)
        )
        + "</tr>"
        for cells in rows
    )
    return f"<div class='wide'><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"
