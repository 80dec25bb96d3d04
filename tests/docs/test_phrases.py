"""Prose becomes plainer: phrases that are hard to read become fewer, and none comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs import phrases
from tests.docs.blocks import ROOT
from tests.docs.phrases import CODE, INSTEAD, allowed, complaints, count, counted, files, joined

if TYPE_CHECKING:
    from pathlib import Path


def test_phrases_become_fewer() -> None:
    """No phrase occurs more often than the committed number, and no number is too high."""
    assert complaints(counted(), allowed()) == []


def test_a_number_may_only_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command lowers it; a phrase that occurs more often stays an error."""
    file = tmp_path / "phrases.toml"
    file.write_text('# Numbers.\n\n[allowed]\n"nobody" = 3\n"likewise" = 1\n')
    monkeypatch.setattr(phrases, "ALLOWED", file)
    monkeypatch.setattr(phrases, "counted", lambda: {"nobody": 2, "likewise": 5})
    phrases.main()
    assert file.read_text() == '# Numbers.\n\n[allowed]\n"nobody" = 2\n"likewise" = 1\n'
    assert complaints({"nobody": 2, "likewise": 5}, allowed()) == [
        f'5 times "likewise", 1 allowed: {INSTEAD["likewise"]}'
    ]
    assert complaints({"nobody": 1, "likewise": 1}, allowed()) == [
        "fewer than allowed: nobody: run python -m tests.docs.phrases and commit phrases.toml"
    ]


def test_code_pages_and_evidence_are_counted() -> None:
    """A folder that moves would drop out without a word, and its phrases with it."""
    found = [path.relative_to(ROOT).as_posix() for path in files()]
    for start, end in [*((f"{folder}/", ".py") for folder in CODE), ("docs/", ".md"), ("fakecuda/", "/va.toml")]:
        assert any(name.startswith(start) and name.endswith(end) for name in found), (start, end)


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("It is told. That is\n    told, too.", "is told", 2),
        ("# what is\n    # told", "is told", 1),
        ("this toldness", "is told", 0),
        ("Nobody waits, and nobody calls: test_nobody_waits", "nobody", 3),
        ("if x is None: it is none", "is none", 1),
        ("None where it is missing", "None where", 1),
        ("The first one that waits", "one that", 0),
        ("a stream, one that waits. One that ends; (one that began", "one that", 3),
        ("of such memory, and of such as have none", "of such", 1),
        ('manual("cuX", "of which", "is told") is told', "is told", 1),
        ('manual(\n    "cuX",\n    "nobody may"\n    "nobody must",\n) # nobody', "nobody", 1),
    ],
)
def test_a_planted_phrase_is_counted(text: str, phrase: str, found: int) -> None:
    """On one line or two, in a comment or a name; the manual's words and other words are not."""
    assert count(joined([text]), phrase) == found
