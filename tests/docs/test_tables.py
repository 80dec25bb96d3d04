"""The tables and figures of the README say what the code says."""

from __future__ import annotations

import ast
import gzip
import inspect
import re
from typing import Any
from unittest.mock import MagicMock

import fakecuda
from fakecuda import plugin, profiles
from fakecuda.evidence import KINDS
from fakecuda.rules.registry import EVERY_API, api_of
from fakecuda.testing import keys
from tests.docs.blocks import ROOT
from tests.docs.pages import text_of

README = text_of("README.md")
CODE = re.compile(r"`([^`]*)`")


def rows(heading: str) -> dict[str, list[str]]:
    """Return the rows of the first table below a heading, by the code that each begins with."""
    _, found, below = README.partition(f"\n{heading}\n")
    assert found, heading
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table is not None, heading
    lines = [line.strip("| ").split(" | ") for line in table[0].splitlines()[2:]]
    return {CODE.findall(first)[0]: rest for first, *rest in lines}


def test_the_profiles() -> None:
    """With their devices, origins and purposes."""
    found = rows("## Machines")
    assert sorted(found) == profiles.names()
    for name in profiles.names():
        profile = profiles.load(name)
        kinds = {device.name.removeprefix("NVIDIA ") for device in profile.devices}
        devices = f"{len(profile.devices)} x {', '.join(kinds)}"
        assert found[name][:2] == [devices, profile.origin]
        assert found[name][2].startswith(profile.purpose)


def test_the_arguments_of_the_mark() -> None:
    """All of them, in their order, with the defaults of ``fakecuda.machine``."""
    found = rows("### The mark")
    parameters: dict[str, Any] = dict(inspect.signature(fakecuda.machine).parameters)
    assert tuple(found) == keys.ARGUMENTS == tuple(parameters)
    defaults = {name: ast.literal_eval(CODE.findall(default)[0]) for name, (_, default, _) in found.items()}
    assert defaults.pop("profile") == "h200-x2"  # what None stands for
    assert defaults == {name: one.default for name, one in parameters.items() if name != "profile"}


def test_the_checks_of_the_mark() -> None:
    """All of them, in their order."""
    assert tuple(rows("And what the test checks at its end:")) == keys.CHECKS


def test_the_options_of_the_command_line() -> None:
    """All of them, with their choices and defaults."""
    parser = MagicMock()
    plugin.pytest_addoption(parser)
    options = {call.args[0]: call.kwargs for call in parser.getgroup().addoption.call_args_list}
    found = rows("### The command line")
    assert list(found) == list(options)
    for name, option in options.items():
        takes, default, _ = found[name]
        assert set(option.get("choices", ())) <= set(CODE.findall(takes))
        assert CODE.findall(default)[:1] == ([option["default"]] if "default" in option else [])


def test_what_is_said_not_to_be_modelled_is_not() -> None:
    """Each call that the section names is one of an API, and none that there is."""
    section = README.partition("Not modelled are:")[2].partition("Nor is there:")[0]
    named = re.findall(r"`(cu(?:da)?[A-Z]\w+)`", section)
    assert len(named) > len(section.split("\n- ")) - 2
    every = {name for api in EVERY_API.values() for name in api.calls}
    assert [name for name in named if name not in every or name in api_of(name).ops] == []


def test_the_kinds_of_evidence() -> None:
    """Each that there is, in order."""
    _, _, below = text_of("CONTRIBUTING.md").partition("\n### Evidence\n")
    table = below.partition("\n\n`fakecuda")[0]
    assert re.findall(r"`\[\[(\w+)\]\]`", table) == [*KINDS]


def test_the_count_of_recorded_programs() -> None:
    """A file of a recording has a header and a line for each."""
    files = ROOT.glob("conformance/**/recordings/*/*.jsonl.gz")
    programs = sum(gzip.decompress(file.read_bytes()).count(b"\n") - 1 for file in files)
    assert f"{programs:,} programs" in README
