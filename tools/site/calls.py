"""The site's pages of calls: parameters, checks, answers and proof of each call."""

from __future__ import annotations

import contextlib
import gzip
import inspect
import re
import zlib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.explain.ledger.checks import name_of, page_of, slug
from fakecuda.explain.reports.rule import known_of
from fakecuda.rules.core import Rule, place
from fakecuda.rules.registry import APIS, EVERY_API, OPS, api_of, chapter
from fakecuda.spec.both import CALLS
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.rules.dispatch import Op
    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Param

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "conformance" / "data" / "recordings"
PROGRAM = re.compile(rb'^\{"name":"(\w+)/')
MUSEUM = "museum.md"
EXHIBIT = re.compile(r'## <a id="([^"]+)"></a>(.+)')


def path_of(name: str) -> str:
    """Return the path of a call's page in the site."""
    return f"calls/{api_of(name).name}/{name}.md"


def page(op: Op) -> str:
    """Return the page of a call."""
    api = api_of(op.name)
    chapter_page = f"../../{page_of(chapter(op.module))}#{slug(op.name)}"
    lines = [f"# {op.name}", "", _first(op), "", f"[All calls of {api.title}](index.md)", ""]
    if op.name in CALLS:
        lines += [_signature(op), ""]
    lines += [f"[What the manual says of it, sentence by sentence]({chapter_page})", ""]
    lines += _checks(op, api)
    lines += _elsewhere(op, api)
    lines += _proofs(op)
    return "\n".join(lines) + "\n"


def index(api: Api) -> str:
    """Return the page that lists an API's calls by chapter.

    It also lists the calls that are not modelled.
    """
    chapters: dict[str, list[Op]] = {}
    for op in api.ops.values():
        chapters.setdefault(chapter(op.module), []).append(op)
    lines = [f"# Calls of {api.title}", "", f"{len(api.ops)} calls are modelled."]
    for name, ops in chapters.items():
        lines += ["", f"## {name}", "", "| call | what it does | rules |", "|---|---|---|"]
        lines += [
            f"| [{op.name}]({op.name}.md) | {_cell(_first(op))} | {len(op.rules)} |"
            for op in sorted(ops, key=lambda op: op.name)
        ]
    missing = sorted(set(api.calls) - set(api.ops))
    if missing:
        lines += ["", "## Not modelled", "", "Each of these warns and answers that it is not supported.", ""]
        lines.append(", ".join(f"`{name}`" for name in missing))
    return "\n".join(lines) + "\n"


def _first(op: Op) -> str:
    """Return the first paragraph of an operation's docstring."""
    return " ".join((inspect.getdoc(op.function) or "").partition("\n\n")[0].split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _signature(op: Op) -> str:
    call = CALLS[op.name]
    inputs = "".join(f"\n    {_param(param)}," for param in call.inputs)
    outs = ", ".join(_param(param) for param in call.outputs)
    return f"```c\n{op.name}({inputs}{chr(10) if inputs else ''}){f' -> {outs}' if outs else ''}\n```"


def _param(param: Param) -> str:
    return f"{param.type}{'[]' if param.array else ''} {param.name}"


def _prefix(api: Api) -> str:
    """Return a sentence that explains the codes' full names."""
    example = api.code(Result.INVALID_VALUE)
    return f"Codes have no prefix here: `{example.name}` is `{api.cname(int(example))}`."


def _checks(op: Op, api: Api) -> list[str]:
    """Return the table of a call's rules in order, and the details of each."""
    rules = [part for part in op.rules if isinstance(part, Rule)]
    if not rules:
        return ["## Checks", "", "It checks nothing."]
    lines = ["## Checks, in order", "", _prefix(api), "", "| | else | rule | known from |", "|---|---|---|---|"]
    for number, rule in enumerate(rules, 1):
        code = f"`{api.code(rule.code).name}`" if rule.grade != "undefined" else "undefined behaviour"
        lines.append(f"| {number} | {code} | [{_cell(rule.statement)}](#r{number}) | {rule.grade} |")
    lines += ["", "## What is known of them"]
    for number, rule in enumerate(rules, 1):
        known = known_of(rule)
        where = f"../../{page_of(chapter(rule.module))}#{rule.id}"
        lines += [
            "",
            f'<a id="r{number}"></a>',
            f"**{number}. {name_of(rule)}**: {rule.statement} ([{rule.id}]({where}))",
            "",
        ]
        lines += [f"- Source: {known.source}", f"- Driver: {known.evidence}", f"- Fix: {rule.fix}"]
    return lines


@cache
def _twins() -> dict[str, list[str]]:
    """Return the related calls of other APIs for each call.

    They have the same name, or one calls the other.
    """
    found: dict[str, list[str]] = {}
    alike: dict[str, list[str]] = {}
    for api in APIS.values():
        for name, op in api.ops.items():
            alike.setdefault(name.removeprefix(api.prefix).lower(), []).append(name)
            for part in op.parts:
                if not isinstance(part, Rule):
                    found.setdefault(name, []).append(part.name)
                    found.setdefault(part.name, []).append(name)
    for names in alike.values():
        for name in names:
            found.setdefault(name, []).extend(other for other in names if other != name)
    return {name: sorted(set(others), key=others.index) for name, others in found.items()}


def _elsewhere(op: Op, api: Api) -> list[str]:
    others = [name for name in _twins().get(op.name, ()) if api_of(name) is not api]
    if not others:
        return []
    lines = ["", "## In the other APIs", ""]
    return [*lines, *(f"- [{name}](../../{path_of(name)}): {_first(OPS[name])}" for name in others)]


def _proofs(op: Op) -> list[str]:
    """Return the proof of a call's answers.

    These are its cases, and the machines with recorded programs.
    """
    lines = ["", "## Proof", ""]
    *folder, module = place(op.module).split(".")
    cases = Path(
        "conformance/cases", *([] if folder and folder[0] in EVERY_API else ["driver"]), *folder, f"test_{module}.py"
    )
    if (ROOT / cases).exists():
        lines.append(f"- Cases: `{cases}`")
    heard = recorded().get(op.name, Counter())
    told = ", ".join(f"{number} on {machine}" for machine, number in sorted(heard.items()))
    lines.append(f"- Recorded programs of its own: {told or 'none'}")
    lines += [f"- In the museum: [{title}](../../{MUSEUM}#{anchor})" for anchor, title in exhibits().get(op.name, ())]
    return lines


@cache
def recorded() -> dict[str, Counter[str]]:
    """Return the numbers of recorded programs of each call, by machine."""
    found: dict[str, Counter[str]] = {}
    for path in RECORDINGS.rglob("*.jsonl.gz"):
        with (
            gzip.open(path) as lines,
            contextlib.suppress(EOFError, OSError, zlib.error),
        ):  # conform reports damaged recordings
            for line in lines:
                if match := PROGRAM.match(line):
                    found.setdefault(match[1].decode(), Counter())[path.parent.name] += 1
    return found


@cache
def exhibits() -> dict[str, list[tuple[str, str]]]:
    """Return, for each call, the anchors and headings of exhibits that name it."""
    found: dict[str, list[tuple[str, str]]] = {}
    title: tuple[str, str] | None = None
    for line in (ROOT / "docs" / MUSEUM).read_text(encoding="utf-8").splitlines():
        if heading := EXHIBIT.match(line):
            title = (heading[1], heading[2])
        for name in re.findall(r"\b(?:cu|cuda|hip)[A-Z]\w+", line):
            if title and title not in found.setdefault(name, []):
                found[name].append(title)
    return found
