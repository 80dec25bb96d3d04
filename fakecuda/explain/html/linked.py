"""Reports as HTML, with a link from each rule to its evidence on the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.explain.html.markup import Html, coded, escaped, joined, tag
from fakecuda.explain.ledger.codes import version
from fakecuda.explain.reports.rule import known_of, rules_by_id
from fakecuda.rules.registry import api_of, home

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

RULE = re.compile(r"\b[a-z_]\w*(?:\.\w+)*\.[A-Z][A-Z0-9_]+\b")
CLAUSE = re.compile(r"^( +source +)(\w+)(?=[: ])", re.MULTILINE)
"""Matches the line of a report that names the call with the rule's clause."""


@define
class Linker:
    """A linker of rules in texts, which collects the rules.

    Attributes:
        named: The rules that were named, by their ids.
    """

    named: dict[str, Rule] = field(factory=dict)

    def text(self, text: str) -> Html:
        """Return a text with its rules as links."""
        parts: list[object] = []
        end, last = 0, ""
        marks = [(match, True) for match in RULE.finditer(text)]
        marks += [(match, False) for match in CLAUSE.finditer(text)]
        for match, is_rule in sorted(marks, key=lambda one: one[0].start()):
            start = match.start() if is_rule else match.start(2)
            link = self.rule(match[0]) if is_rule else self._clause(match[2], last)
            parts += [text[end:start], link]
            end, last = match.end(), match[0] if is_rule else last
        return joined([*parts, text[end:]])

    def rule(self, name: str) -> Html:
        """Return a rule's id as a link. Other text stays text."""
        rule = rules_by_id().get(name)
        if rule is None:
            return escaped(name)
        self.named[name] = rule
        return tag("a", name, href=f"#rule-{name}")

    def _clause(self, call: str, rule: str) -> Html:
        return tag("a", call, href=f"#rule-{rule}") if rule in self.named else escaped(call)

    def rules(self) -> Html:
        """Return the evidence of the linked rules; empty without any."""
        return joined([described(rule) for _, rule in sorted(self.named.items())])


def described(rule: Rule) -> Html:
    """Return the evidence of a rule, with the clause of the manual."""
    known, api = known_of(rule), home(rule.module)
    code = "undefined behaviour" if rule.grade == "undefined" else api.cname(int(api.code(rule.code)))
    of = api_of(rule.source.call)
    rows = [
        ("else", tag("code", code)),
        (f"source, {rule.grade}", known.source),
        ("manual", f"of {of.title}, release {version(of)}"),
        ("driver", known.evidence),
        ("fix", rule.fix),
        ("more", tag("code", f"python -m fakecuda rules --evidence {rule.id}")),
    ]
    terms = joined(joined([tag("dt", name), tag("dd", value)]) for name, value in rows if value)
    heading = tag("h3", rule.id, id=f"rule-{rule.id}", tabindex="-1")
    return tag("section", heading, tag("p", coded(rule.statement)), tag("dl", terms), class_="rule")
