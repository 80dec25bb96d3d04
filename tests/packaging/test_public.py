"""``docs/public.md`` names what is public: each name on it exists, and where a list is whole, none is missing from it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest

import fakecuda
import fakecuda.profiles
import realcuda
from fakecuda import errors, plugin
from fakecuda.__main__ import main
from fakecuda.testing import real, settings

ROOT = Path(__file__).parents[2]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


class Options:
    """Replaces pytest's parser, and keeps the names of a plugin's options."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def getgroup(self, *_: str) -> Options:
        """Return itself."""
        return self

    def addoption(self, name: str, *_: str, **__: Any) -> None:
        """Keep the name."""
        self.names.add(name)

    addini = addoption


@cache
def page() -> dict[str, set[str]]:
    """Return the names in the first column of each section's table."""
    sections = re.split(r"^## ", (ROOT / "docs" / "public.md").read_text(), flags=re.MULTILINE)
    columns = {text.partition("\n")[0]: re.findall(r"^\|([^|]+)\|", text, re.MULTILINE) for text in sections[1:]}
    return {title: set(re.findall(r"`([^`]+)`", "".join(cells))) for title, cells in columns.items() if cells}


def public(owner: object) -> set[str]:
    """Return the names of an object or a class that do not begin with an underscore."""
    return {name for name in dir(owner) if not name.startswith("_")}


def added() -> set[str]:
    """Return the options that the plugin adds to pytest."""
    options = Options()
    plugin.pytest_addoption(options)  # type: ignore[arg-type]
    return options.names


def on_a_real_driver() -> set[str]:
    """Return what the fixture's machine and process have where they are real."""
    machine = real.RealMachine(object())
    return {f"machine.{name}" for name in public(machine)} | {f"here.{name}" for name in public(machine.here)}


WHOLE = {
    "The module `fakecuda`": set(fakecuda.__all__),
    "The fixture `fakecuda`": public(fakecuda.FakeCuda),
    "The fixture on a real driver": on_a_real_driver(),
    "The mark `fakecuda`": set(settings.ARGUMENTS),
    "What a test checks": set(settings.CHECKS),
    "The package `realcuda`": set(realcuda.__all__),
    "Options of pytest": added(),
    "Extras": set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]),
}
"""Sections with complete lists."""
PARTLY = {"Records", "`Machine`", "`Process`", "Profiles", "The command line", "Environment variables"}
"""Sections with incomplete lists, or with their own test."""


def test_every_section_is_compared() -> None:
    """A new one has a place here, too."""
    assert page().keys() == WHOLE.keys() | PARTLY


@pytest.mark.parametrize("title", WHOLE)
def test_a_section_names_all_there_is(title: str) -> None:
    """Nothing more and nothing less."""
    assert page()[title] == WHOLE[title]


def test_the_module_has_its_names() -> None:
    """Each can be imported, also by ``*``; all that is raised or warned is among them."""
    assert all(hasattr(fakecuda, name) for name in fakecuda.__all__)
    raised = {name for name, value in vars(errors).items() if inspect.isclass(value)}
    assert raised <= set(fakecuda.__all__)


def test_mark_and_machine_take_the_same_arguments() -> None:
    """A machine that nobody installs has no schedule, no door, no programs that attach, and no OS process to go on with."""
    arguments = page()["The mark `fakecuda`"]
    assert arguments == set(inspect.signature(fakecuda.simulate).parameters) - {*settings.CHECKS}
    assert set(inspect.signature(fakecuda.Machine).parameters) == arguments - {"schedule", "door", "shared", "inherit"}


def test_objects_have_what_is_promised() -> None:
    """Dotted names, too."""
    with fakecuda.simulate(schedule=0) as machine:
        owners = {
            "Records": fakecuda,
            "`Machine`": machine,
            "`Process`": machine.spawn(),
            "Profiles": sys.modules["fakecuda.profiles"],
        }
        for title, owner in owners.items():
            for name in page()[title]:
                reduce(getattr, name.removeprefix("fakecuda.profiles.").split("."), owner)


def test_a_real_process_has_what_is_promised() -> None:
    """The paragraph above the table lists it; attributes that are made with a process are among them."""
    listed = (
        (ROOT / "docs" / "public.md")
        .read_text()
        .partition("The `Process` of a real machine has ")[2]
        .partition("\n\n")[0]
    )
    names = set(re.findall(r"`(\w+)`", listed))
    assert len(names) > 10
    assert names <= {*dir(realcuda.Process), *realcuda.Process.__init__.__code__.co_names}
    assert names <= page()["`Process`"]


def helped(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command's ``--help`` prints."""
    if command[0] == "python":
        return subprocess.check_output([sys.executable, *command[1:], "--help"], text=True)
    with pytest.raises(SystemExit, match="0"):
        main([*command[1:], "--help"])
    return capsys.readouterr().out


def test_commands_have_these_options(capsys: pytest.CaptureFixture[str]) -> None:
    """All of them, as their own help lists them; the commands are all that there are."""
    commands = set()
    for line in page()["The command line"]:
        words = [word for word in line.split() if not word.startswith("--")]
        shown = helped(words, capsys)
        assert set(OPTION.findall(shown)) - {"--help"} == set(OPTION.findall(line)), line
        commands |= set(words[1:]) if words[0] == "fakecuda" else set()
    assert commands == set(re.findall(r"^ {4}(\w+) {2,}\w", helped(["fakecuda"], capsys), re.MULTILINE))


def test_the_code_knows_these_environment_variables() -> None:
    """And no others of a name of its own."""
    folders = (ROOT / "fakecuda", ROOT / "realcuda")
    files = [
        *(path for folder in folders for path in folder.rglob("*.py")),
        ROOT / "conformance" / "record" / "faults.py",
    ]
    source = "\n".join(path.read_text() for path in files)
    known = page()["Environment variables"]
    assert {name for name in known if f'"{name}"' not in source} == set()
    assert set(re.findall(r'"((?:FAKECUDA|REALCUDA)_[A-Z_]+)"', source)) <= known


@pytest.mark.parametrize(("old", "new"), [("HalfDone", "MachineCorrupted"), ("NoMeaning", "KernelNotDefined")])
def test_a_renamed_name_works_and_warns(old: str, new: str) -> None:
    """The warning names the new one."""
    with pytest.warns(DeprecationWarning, match=f"fakecuda.{old} is now fakecuda.{new}"):
        assert getattr(fakecuda, old) is getattr(fakecuda, new)


def test_simulate_has_its_old_name() -> None:
    """A call of it warns, also where the package of this name is loaded only then."""
    code = "import fakecuda\nwith fakecuda.machine('h200'):\n    print(fakecuda.installed().profile.name)"
    told = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "h200\n"
    assert "<string>:2: DeprecationWarning: fakecuda.machine is now fakecuda.simulate" in told.stderr
