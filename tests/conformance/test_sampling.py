"""Samples: forty in a row are the whole suite, and the commit says which comes next."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from functools import partial
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

import pytest

from conformance.kit.case import ENTRIES
from conformance.record.recorder import load_cases
from conformance.record.recordings import files
from conformance.record.replay import recording
from conformance.runner import sampling
from conformance.runner.checks import Check, chapter_of
from conformance.runner.sampling import PARTS, draw, parts_of
from conformance.targets.target import SHORT

if TYPE_CHECKING:
    from pathlib import Path

MAIL = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def groups() -> dict[str, list[Check]]:
    """Return groups as the suite has them: cases and pairs of each call, recorded programs of each file."""
    load_cases()
    found = {}
    for call, entry in ENTRIES.items():
        pairs = entry.pairs()
        chunks = [pairs[start : start + SHORT] for start in range(0, len(pairs), SHORT)]
        singles = [[case] for case in entry.singles()]
        found[call] = [Check(cases[0].name, frozenset({call}), lambda: None, cases) for cases in (*singles, *chunks)]
    for path in files():
        programs = recording(path).programs  # type: ignore[union-attr]  # all can be read
        names = [programs.name(number) for number in range(len(programs))]
        found[str(path)] = [Check(name, frozenset({name.partition("/")[0]}), lambda: None) for name in names]
    return found


@pytest.mark.parametrize("first", [0, 17])
def test_forty_numbers_in_a_row_are_the_whole_suite(first: int, tmp_path: Path) -> None:
    """Each check is in one sample; of each chapter and kind in a group, every sample has as many, or one more."""
    drawn = [draw(tmp_path, number).part for number in range(first, first + PARTS)]
    assert sorted(drawn) == list(range(PARTS))
    sizes = Counter[int]()
    for group, checks in groups().items():
        parts = parts_of(group, checks)
        assert set(parts) <= set(drawn)
        sizes.update(parts)
        alike: dict[tuple[str, bool], Counter[int]] = {}
        for check, part in zip(checks, parts, strict=True):
            kind = chapter_of(check.calls), any(len(case.twists) > 1 for case in check.cases)
            alike.setdefault(kind, Counter()).update([part])
        for counts in alike.values():
            assert max(counts.values()) - min(counts[part] for part in range(PARTS)) <= 1
    mean = sizes.total() / PARTS
    assert all(abs(size - mean) < mean / 5 for size in sizes.values())


def test_a_check_that_was_left_out_of_the_parts_would_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """A partition that never takes the last part is no partition into forty."""
    monkeypatch.setattr(sampling, "PARTS", PARTS - 1)
    taken = {part for group, checks in groups().items() for part in parts_of(group, checks)}
    assert taken != set(range(PARTS))


def test_a_new_check_moves_no_check_of_another_group() -> None:
    """What a group is dealt to is its own business."""
    checks = [Check(f"check {number}", frozenset({"cuInit"}), lambda: None) for number in range(100)]
    before = parts_of("b", checks)
    assert parts_of("b", checks) == before
    assert parts_of("a", [*checks, *checks]) != [*before, *before]
    assert parts_of("b", checks) == before


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    command = ["git", "-C", str(folder), *arguments]
    subprocess.run(command, env={**os.environ, **MAIL}, check=True, capture_output=True)


def test_commits_in_a_row_draw_numbers_in_a_row(tmp_path: Path) -> None:
    """A merge counts once. A shallow clone does not know the number, and a hash of the commit stands for it."""
    full = tmp_path / "full"
    full.mkdir()
    commit = partial(git, full, "commit", "-q", "--allow-empty", "-m")
    git(full, "init", "-q", "-b", "main")
    commit("first")
    numbers = [draw(full).number]
    for text in ("second", "third"):
        commit(text)
        numbers.append(draw(full).number)
    git(full, "checkout", "-q", "-b", "other")
    commit("of a branch")
    commit("of a branch, too")
    git(full, "checkout", "-q", "main")
    git(full, "merge", "-q", "--no-ff", "-m", "merge", "other")
    numbers.append(draw(full).number)
    assert numbers == [1, 2, 3, 4]
    assert str(draw(full)) == "sample 5 of 40, by the commit's number (--sample 4)"
    git(tmp_path, "clone", "-q", "--depth=1", full.as_uri(), "shallow")
    shallow = draw(tmp_path / "shallow")
    assert shallow.origin == "the commit's hash"
    assert shallow == draw(tmp_path / "shallow")


def test_a_suite_outside_of_a_repository_has_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one in a folder of another project's repository, and where there is no git."""
    assert draw(tmp_path).origin == "fakecuda's version"
    git(tmp_path, "init", "-q")
    (tmp_path / "site").mkdir()
    assert draw(tmp_path / "site").origin == "fakecuda's version"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert draw(tmp_path).origin == "fakecuda's version"

    def lost(_: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr(sampling, "version", lost)
    assert draw(tmp_path).part == 0


def test_a_number_that_was_given_is_taken(tmp_path: Path) -> None:
    """It repeats a sample; those that differ by forty are one."""
    assert str(draw(tmp_path, 82)) == "sample 3 of 40, by its number (--sample 82)"
    assert draw(tmp_path, 82).part == draw(tmp_path, 2).part
