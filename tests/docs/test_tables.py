"""The tables and figures of the README and of docs/ say what the code says."""

from __future__ import annotations

import ast
import gzip
import inspect
import re
from typing import Any
from unittest.mock import MagicMock

import fakecuda
from conformance.record.told import card_of
from fakecuda import plugin, profiles
from fakecuda.explain.evidence import EMULATED, KINDS
from fakecuda.testing import settings
from tests.docs.blocks import ROOT
from tests.docs.pages import text_of
from tools.clients import reasons

README = text_of("README.md")
CODE = re.compile(r"`([^`]*)`")
CHECKED = "The mark also says what a test checks at its end, and `fakecuda.simulate(…)` what a block checks:"
REASONS = (
    "Undefined behaviour fails a test. If the suite itself causes it, the section lists it as suppressed; "
    "[races.md](races.md#false-alarms)\ngives the reasons."
)
LONGEST = 200
"""The maximum number of lines of the README."""


def table(page: str, above: str) -> list[list[str]]:
    """Return the cells of the first table below a line of a page."""
    _, found, below = text_of(page).partition(f"\n{above}\n")
    assert found, above
    lines = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert lines is not None, above
    return [line.strip("| ").split(" | ") for line in lines[0].splitlines()[2:]]


def rows(page: str, above: str) -> dict[str, list[str]]:
    """Return the rows of a table by the code that each begins with."""
    return {CODE.findall(first)[0]: rest for first, *rest in table(page, above)}


def test_the_readme_is_a_page() -> None:
    """A reader sees in a minute whether it fits."""
    assert len(README.splitlines()) <= LONGEST


def test_the_results_of_clients() -> None:
    """The README has those of the page of clients."""
    measured = {(row[0], row[1]): row[2:] for row in table("docs/clients.md", REASONS)}
    shown = table(
        "README.md",
        "memory pools, graphs, stream capture, modules, arrays and textures. These clients run on fakecuda unmodified:",
    )
    numbers = [row for row in shown if "docs/clients.md" in row[1]]
    assert len(numbers) >= len(shown) - 2
    for client, run, result in numbers:
        tests, passed, failed, skipped, *_ = measured[client, run.replace("docs/clients.md", "")]
        assert result == f"{passed} of {tests} pass, {failed} fail, {skipped} are skipped"


def test_the_profiles() -> None:
    """With their devices, origins and purposes."""
    found = rows(
        "docs/machines.md",
        "`python -m fakecuda profiles t4` prints every value of one profile, and `python -m fakecuda profiles` lists those that ship:",
    )
    assert sorted(found) == profiles.names()
    for name in profiles.names():
        profile = profiles.load(name)
        kinds = {device.name.removeprefix("NVIDIA ") for device in profile.devices}
        devices = f"{len(profile.devices)} x {', '.join(kinds)}"
        assert found[name][:2] == [devices, profile.origin]
        assert found[name][2].startswith(profile.purpose)


def test_the_reasons_of_failures() -> None:
    """The README counts the failing tests by the kinds of the page of clients."""
    kinds = re.findall(r"^\| (\d+) \| .* \| ([^|`]+) \|$", text_of("docs/clients.md"), re.MULTILINE)
    counts = {kind: sum(int(number) for number, one in kinds if one == kind) for _, kind in kinds}
    kernels, theirs, ours = (counts.pop(reasons.KINDS[one]) for one in ("kernels", "client", "model"))
    assert not counts
    said = " ".join(README.split())
    assert (
        f"Of the {kernels + theirs + ours} failing tests, {kernels} need kernels or a compiler, {theirs} fail" in said
    )
    assert f"and {ours} show a difference from a driver" in said


def test_the_arguments_of_the_mark() -> None:
    """All of them, in their order, with the defaults of ``fakecuda.simulate``."""
    found = rows("docs/options.md", "## The mark")
    signature = inspect.signature(fakecuda.simulate).parameters
    parameters: dict[str, Any] = {name: one for name, one in signature.items() if name not in settings.CHECKS}
    assert tuple(found) == settings.ARGUMENTS == tuple(parameters)
    defaults = {name: ast.literal_eval(CODE.findall(default)[0]) for name, (_, default, _) in found.items()}
    assert defaults.pop("profile") == "h200-x2"  # what None stands for
    assert defaults == {name: one.default for name, one in parameters.items() if name != "profile"}


def test_the_checks_of_the_mark() -> None:
    """All of them, in their order."""
    assert tuple(rows("docs/options.md", CHECKED)) == settings.CHECKS


def test_the_options_of_the_command_line() -> None:
    """All of them, with their choices and defaults."""
    parser = MagicMock()
    plugin.pytest_addoption(parser)
    options = {call.args[0]: call.kwargs for call in parser.getgroup().addoption.call_args_list}
    found = rows("docs/options.md", "## The command line")
    assert list(found) == list(options)
    for name, option in options.items():
        takes, default, _ = found[name]
        assert set(option.get("choices", ())) <= set(CODE.findall(takes))
        assert CODE.findall(default)[:1] == ([option["default"]] if "default" in option else [])


def test_the_kinds_of_evidence() -> None:
    """Each that there is, in order."""
    _, _, below = text_of("CONTRIBUTING.md").partition("\n### Evidence\n")
    table = below.partition("\n\n`fakecuda")[0]
    assert re.findall(r"`\[\[(\w+)\]\]`", table) == [*KINDS]


def test_the_count_of_recorded_programs() -> None:
    """A file of a recording has a header and a line for each; those of emulated cards are counted apart."""
    files = [*ROOT.glob("conformance/**/recordings/*/*.jsonl.gz")]
    emulated = [file for file in files if card_of(file).startswith(EMULATED)]
    assert emulated
    for some in (emulated, [file for file in files if file not in emulated]):
        programs = sum(gzip.decompress(file.read_bytes()).count(b"\n") - 1 for file in some)
        said = f"{programs:,} programs"
        assert [name for name in ("README.md", "docs/how_it_knows.md") if said not in text_of(name)] == []
