"""Writes the pages of ``docs/rules``, one per API and chapter.

They come from the rules and the evidence.
The pages contain nothing written by hand: facts about a rule or a call belong into :mod:`fakecuda.explain.evidence`.
The table of chapters in ``docs/spec_notes.md``, between two comments, is written, too. The rest of that page is written
by hand.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.explain import evidence
from fakecuda.explain.ledger.checks import BEGINNINGS, checks, link, name_of, page_of, slug
from fakecuda.explain.ledger.codes import DECIDED, SILENT, Row, cited, modelled, pairs, rules
from fakecuda.explain.ledger.sentences import Account, accounts
from fakecuda.rules.core import Rule, place
from fakecuda.rules.registry import DRIVER, EVERY_API, HIP, Api, chapter, home, module_at, op_of
from tools.pages import side_by_side
from tools.pages.markdown import WIDTH, wrapped

if TYPE_CHECKING:
    from fakecuda.rules.dispatch import Op

DOCS = Path(__file__).parents[2] / "docs"
INDEX = "spec_notes.md"
COMMAND = "python -m tools.codegen pages"
BEGIN, END = f"<!-- written by {COMMAND} -->\n", "<!-- by hand again -->\n"
"""The comments around the table of chapters."""
NO_CARD = "No AMD card was at hand: what libamdhip64 answers on this page, it answered on an emulated one."


def render(index: str) -> dict[str, str]:
    """Return the texts of all pages, by name below ``docs``.

    Args:
        index: The current ``spec_notes.md``. Only its table of chapters is replaced.
    """
    found = _chapters()
    return {
        INDEX: with_table(index),
        **{page_of(name): _Page(name, families).text() for name, families in found.items()},
        side_by_side.PAGE: side_by_side.render(_mark("the rules")),
    }


def with_table(index: str) -> str:
    """Return ``spec_notes.md`` with the current table of chapters.

    Args:
        index: The page as it is.

    Raises:
        ValueError: The page lacks the comments around the table.
    """
    before, begin, rest = index.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        msg = f"docs/{INDEX} has no comments around its table of chapters: {BEGIN.strip()} and {END.strip()}"
        raise ValueError(msg)
    return before + BEGIN + "\n" + _table(_chapters()) + "\n" + END + after


def text_of(name: str) -> str:
    """Return the page of one chapter.

    Args:
        name: The chapter, ``va`` or ``hip.copy``.
    """
    return _Page(name, _chapters()[name]).text()


def files() -> dict[Path, str]:
    """Return the texts of all pages, by path."""
    return {DOCS / name: text for name, text in render((DOCS / INDEX).read_text()).items()}


def _chapters() -> dict[str, dict[str, list[Rule]]]:
    """Return the rules of each chapter by call.

    They are by module if the module has several calls or none.
    """
    homes: dict[str, list[str]] = {}
    found: dict[str, dict[str, list[Rule]]] = {}
    for api in EVERY_API.values():
        for function in modelled(api):
            module = api.ops[function].module
            homes.setdefault(place(module), []).append(function)
            found.setdefault(chapter(module), {})[function] = []
    for rule in rules(*EVERY_API.values()):
        path = place(rule.module)
        calls = homes.get(path, ())
        found.setdefault(chapter(rule.module), {}).setdefault(calls[0] if len(calls) == 1 else path, []).append(rule)
    return found


@define
class _Page:
    """The page of a chapter.

    Attributes:
        chapter: The chapter.
        families: The rules that are declared there, by call or by module.
    """

    chapter: str
    families: dict[str, list[Rule]]
    _settled: dict[str, dict[str, list[str]]] = field(init=False, factory=dict)
    """Documented codes that no rule gives. By the explanation and the code: the calls as links, each with its proof."""
    _first: dict[str, str] = field(init=False, factory=dict)
    """For each text about a call's checks, the first call with that text."""

    @property
    def api(self) -> Api:
        """The chapter's API."""
        return EVERY_API.get(self.chapter.partition(".")[0], DRIVER)

    @property
    def path(self) -> str:
        """The path of the page, below ``docs``."""
        return page_of(self.chapter)

    def text(self) -> str:
        """Return the page."""
        source = evidence.path_of(self.chapter, evidence.SHOWN).as_posix()
        parts = [
            f"# {self.chapter}",
            _mark(f"the rules and {source}"),
            wrapped(
                f"{_doc(sys.modules[module_at(self.chapter)])} A chapter of {self.api.title}; "
                f"[how to read it](../../{INDEX}#how-to-read-it).{f' {NO_CARD}' * (self.api is HIP)}"
            ),
            wrapped(f"Sections: {', '.join(f'[{name}](#{slug(name)})' for name in self.families)}."),
        ]
        for name, found in self.families.items():
            op = op_of(name)
            parts.append(f"## {name}")
            parts += self._call(op) if op else self._module(name)
            parts += map(self._rule, found)
        if self._settled:
            parts += ["## Codes that no rule gives", "\n".join(map(self._code, self._settled))]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _call(self, op: Op) -> list[str]:
        """Return a call's paragraphs: what it does, its checks, and notes."""
        for row in pairs(op.name):
            if row.status in {*DECIDED, "undecided"}:
                calls = self._settled.setdefault(self._ending(row), {}).setdefault(row.code.name, [])
                told = f"[{op.name}](#{slug(op.name)}){_shown(row)}"
                calls += [told] * (told not in calls)
        told = f"Checks, in order: {', '.join(text for text, _ in checks(self.path, op)) or 'nothing'}."
        first = self._first.setdefault(told, op.name)
        if first != op.name and len(told) > WIDTH:
            told = f"Checks what [{first}](#{slug(first)}) checks."
        items = [*self._noted(op.name), *self._sentences(op)]
        return [wrapped(_doc(op.function)), wrapped(told), "\n".join(items)]

    def _module(self, name: str) -> list[str]:
        """Return the paragraphs of a module.

        Also return the beginnings of calls that it declares.
        """
        module = sys.modules[module_at(name)]
        lines = []
        for beginning in BEGINNINGS[self.api.name]:
            if beginning.module is module:
                title = beginning.title[:1].upper() + beginning.title[1:]
                parts = [link(self.path, part) for part in beginning.parts(self.api)]
                lines.append(wrapped(f"- {title}: {', '.join(parts)}."))
        return ["" if name == self.chapter else wrapped(_doc(module)), "\n".join(lines)]

    def _rule(self, rule: Rule) -> str:
        """Return a rule's paragraph: anchor, statement, source and the driver's behaviour."""
        code = f"`{rule.code.name}`"
        otherwise = (
            code if rule.grade != "undefined" else f"undefined behaviour; with `strict=False` the call answers {code}"
        )
        notes = self._noted(rule.id)
        told = rule.grade == "observed" or rule.source.quote.startswith(SILENT) or home(rule.module) is HIP
        asked = told or any(note.all("driver") for note in evidence.notes().get(rule.id, ()))
        grade = f"{rule.grade.capitalize()}{'' if asked else ', unasked'}"
        lines = [
            f'<a id="{rule.id}"></a>',
            wrapped(f"**{name_of(rule)}**: {rule.statement}, else {otherwise}"),
            wrapped(f"- {grade}, {cited(rule)}"),
        ]
        return "\n".join([*lines, *notes, *_read(rule.id), wrapped(f"- Fix: {rule.fix}")])

    def _noted(self, name: str) -> list[str]:
        """Return the notes on a rule or a call, as list items."""
        return [
            wrapped(f"- {key.capitalize()}: {text}")
            for entry in evidence.notes().get(name, ())
            for key in ("driver", "differs")
            for text in entry.all(key)
        ]

    def _ending(self, row: Row) -> str:
        """Return the explanation of a documented code that no rule of the call gives."""
        if row.entry is None:
            return "documented, and undecided yet"
        if row.status == "unreachable":
            return f"unreachable: {row.reason}"
        if row.entry.rule:
            rule = _by_id(*EVERY_API.values())[row.entry.rule]
            return f"answered otherwise: `{rule.code.name}`, {row.reason} ({link(self.path, rule)})"
        assert row.entry.answers is not None
        beneath = "" if row.entry.function == row.function else f" to {row.entry.function} beneath"
        return f"contradicted: the driver answers `{row.entry.answers.name}`{beneath}, {row.reason}"

    def _code(self, ending: str) -> str:
        """Return the list item of all codes with the same explanation."""
        calls = self._settled[ending]
        same: dict[tuple[str, ...], list[str]] = {}
        for code, those in calls.items():
            same.setdefault(tuple(those), []).append(f"`{code}`")
        told = "; ".join(f"{', '.join(codes)} of {', '.join(those)}" for those, codes in same.items())
        return wrapped(f"- {told}: {ending}")

    def _sentences(self, op: Op) -> list[str]:
        """Return list items on the sentences of a call's manual.

        Each has what accounts for the sentence.
        """
        known = _by_id()
        numbers = count(1)

        def line(account: Account) -> str:
            words = ", ".join(f'<a id="{op.name}.s{next(numbers)}"></a>“{words}”' for words in account.says)
            cases = [f"`{_case(by, op.name)}`" for by in account.by if by not in known]
            parts = [
                ", ".join(link(self.path, known[by]) for by in account.by if by in known),
                f"case{'s' * (len(cases) > 1)} {', '.join(cases)}" if cases else "",
                account.beyond and f"beyond the model ({account.beyond})",
                account.describes and f"nothing to test ({account.describes})",
            ]
            return wrapped(f"- {words}: {'; '.join(filter(None, parts))}".replace("*", r"\*"))

        return [line(account) for account in accounts().get(op.name, ())]


def _read(name: str) -> list[str]:
    """Return the list item on where a rule was read in a source, and the result.

    The result is empty if it was not read.
    """
    entry = evidence.readings().get(name)
    if entry is None:
        return []
    differs = "".join(f": {text}" for text in entry.all("differs"))
    where = f"`{entry.one('file')}`, {entry.one('function')}, of {' and '.join(entry.all('version'))}"
    return [wrapped(f"- Read: {where}; {entry.one('found')}{differs}")]


def _counted(families: dict[str, list[Rule]]) -> dict[str, int]:
    """Return the number of a chapter's rules that were read in a source.

    Also return the numbers by result.
    """
    read = [
        evidence.readings()[rule.id] for rules in families.values() for rule in rules if rule.id in evidence.readings()
    ]
    found = {name: sum(entry.one("found") == name for entry in read) for name in evidence.FOUND}
    return {"read": len(read), **found}


def _shown(row: Row) -> str:
    """Return the recorded program that refutes a documented code.

    It shows that a call does not answer the code.
    """
    entry = row.entry
    return f" (program `{entry.program}` of `{entry.recording}`)" if entry and entry.program else ""


@cache
def _by_id(*apis: Api) -> dict[str, Rule]:
    """Return the rules of some APIs by id; of the driver alone by default."""
    return {rule.id: rule for rule in rules(*apis)}


def _mark(source: str) -> str:
    """Return the comment on a page that names its source."""
    return f"<!-- Written by {COMMAND} from {source}. Do not edit this page. -->"


def _doc(item: Any) -> str:
    return str(item.__doc__).strip().partition("\n")[0].replace("``", "`")


def _case(name: str, call: str) -> str:
    """Return a case's id; without the call if it is one of the call's cases."""
    return name.removeprefix(f"{call}[").removesuffix("]") if name.startswith(f"{call}[") else name


def _table(chapters: dict[str, dict[str, list[Rule]]]) -> str:
    """Return the tables of chapters of all APIs."""
    parts = []
    for api in EVERY_API.values():
        columns = ["chapter", "what", "calls", "rules", *(_counted({}) if api is HIP else ())]
        rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        sums: Counter[str] = Counter()
        for name, families in chapters.items():
            if EVERY_API.get(name.partition(".")[0], DRIVER) is api:
                calls = sum(op_of(one) is not None for one in families)
                what = _doc(sys.modules[module_at(name)]).rstrip(".")
                counts = _counted(families)
                sums.update(counts)
                cells = [f"[{name}]({page_of(name)})", what, calls, sum(map(len, families.values())), *counts.values()]
                rows.append(f"| {' | '.join(map(str, cells[: len(columns)]))} |")
        if api is HIP:
            rows.append(f"| all |  |  |  | {' | '.join(str(sums[name]) for name in _counted({}))} |")
        parts.append(f"### Chapters of {api.title}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)
