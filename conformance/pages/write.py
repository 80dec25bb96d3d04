"""Write all pages into a folder."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from conformance.pages import chapters, differences, front, machines, mutants, result
from conformance.pages.answers import Answers
from conformance.pages.cells import Chapter
from conformance.pages.cells import chapters as every_chapter
from conformance.pages.shape import FRONT, Site, shared

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from conformance.runner.report import Report


@cache
def known() -> tuple[Answers, list[Chapter]]:
    """Return the contents of the recordings, and all chapters, after one read."""
    answers = Answers.read()
    return answers, every_chapter(answers)


def write(folder: Path, report: Report | None = None, what: str = "", home: str = "") -> list[Path]:
    """Write the pages, and return their files, the first page first.

    Args:
        folder: Where they go; it is made where it is missing.
        report: What a run has shown; None where none was made.
        what: What that run was.
        home: The way from the folder to the site that they are part of; empty for none.

    Raises:
        OSError: They cannot be written.
    """
    answers, every = known()
    site = Site(home, has_run=report is not None)
    texts = {
        FRONT: front.page(every, answers, report, site),
        "machines.html": machines.page(answers, site),
        "differences.html": differences.page(report, site),
        "mutants.html": mutants.page(site),
    }
    if report is not None:
        texts["run.html"] = result.page(report, what, site)
    padded = [None, *every, None]
    for before, one, behind in zip(padded, every, padded[2:], strict=False):
        texts[one.file] = chapters.page(one, (before, behind), answers, site)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (texts | shared()).items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def of_run(options: argparse.Namespace, report: Report, cut: str) -> str:
    """Write the pages with a run's results, and return a message about them.

    Args:
        options: Those of ``conform``.
        report: What it has shown.
        cut: Why it was cut off; empty where it was not.
    """
    parts = [f"{options.target} on {options.profile}, seed {options.random or 0}"]
    parts += [f"of chosen checks: {', '.join(options.only)}"] * bool(options.only)
    parts += ["a sample"] * options.quick + [f"cut off, {cut}"] * bool(cut)
    what = f"{'; '.join(parts)}."
    try:
        return f"pages: {write(options.html, report, what)[0]}"
    except KeyboardInterrupt:
        return "--html: interrupted, the pages are not whole"
    except OSError as error:
        return f"--html: {error.filename}: {error.strerror}"
