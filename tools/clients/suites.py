"""The suites to run, from ``suites.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

HERE = Path(__file__).parent


def texts(given: Iterable[str]) -> tuple[str, ...]:
    """Return a list from the file as a tuple."""
    return tuple(given)


def _left_out(given: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    return tuple(given)


def _together(given: Iterable[Together]) -> tuple[Together, ...]:
    return tuple(given)


def _suppressed(given: Iterable[Suppressed]) -> tuple[Suppressed, ...]:
    return tuple(given)


def _changes(given: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(given)


@frozen
class LeftOut:
    """Tests that are not run.

    Attributes:
        tests: Files or folders, or ids of tests, below the suite's folder.
        why: The reason.
    """

    tests: tuple[str, ...] = field(converter=texts)
    why: str


@frozen
class Together:
    """Classes whose tests share a machine.

    Attributes:
        classes: The names of the classes.
        why: The reason.
    """

    classes: tuple[str, ...] = field(converter=texts)
    why: str


@frozen
class Suppressed:
    """Undefined behaviour of the suite itself, which fails no test.

    An entry of ``fakecuda_suppress``.

    Attributes:
        rule: The broken rule.
        module: A module or package with code among the callers.
        why: The reason.
    """

    rule: str
    module: str
    why: str

    @property
    def what(self) -> str:
        """The rule and the module."""
        return f"{self.rule} {self.module}"

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@frozen
class Change:
    """A replacement of a text in a file of the suite.

    Attributes:
        file: The path of the file, relative to the source's root.
        old: The text to replace.
        new: The new text.
        why: The reason.
    """

    file: str
    old: str
    new: str
    why: str


@frozen
class Source:
    """A public git repository.

    Attributes:
        url: The URL to clone.
        commit: The commit.
        files: The needed files and folders.
    """

    url: str
    commit: str
    files: tuple[str, ...] = field(converter=texts)

    @property
    def name(self) -> str:
        """The name for ``--source``: the last part of the URL."""
        return self.url.rpartition("/")[2]


@frozen
class Suite:
    """A test suite of a client.

    Attributes:
        name: The name on the command line.
        client: The client.
        about: A short description.
        packages: Packages of its environment besides fakecuda and pytest, for pip. The first one is the client.
        arguments: pytest's arguments that select the tests.
        profile: The profile of each test's machine.
        source: The repository of the suite; None if the suite is installed with the client or is our own.
        ours: Our own suite or plugin, as a file of this folder; may be empty.
        replaced: What of the suite the plugin replaces; may be empty.
        release: The client's version, if pip has no package of the client.
        folder: pytest's working directory, relative to the source's root.
        options: Further arguments of pytest.
        environment: Environment variables; ``{packages}`` stands for the folder of the installed packages.
        one_machine: Why one machine serves the whole run; empty if each test has its own.
        card: What was other in the run on a card; may be empty.
        linked: What uses the libraries of the one machine instead of NVIDIA's; may be empty.
        installed: Folders of the source to install beside the client, with their targets.
        changes: Changes to the suite's files.
        left_out: Tests that are not run.
        together: Classes whose tests share a machine.
        suppressed: Undefined behaviour that fails no test.
    """

    name: str
    client: str
    about: str
    packages: tuple[str, ...] = field(converter=texts)
    arguments: tuple[str, ...] = field(converter=texts)
    profile: str
    source: Source | None = None
    ours: str = ""
    replaced: str = ""
    release: str = ""
    folder: str = "."
    options: tuple[str, ...] = field(default=(), converter=texts)
    environment: dict[str, str] = field(factory=dict)
    one_machine: str = ""
    card: str = ""
    linked: str = ""
    installed: dict[str, str] = field(factory=dict)
    changes: tuple[Change, ...] = field(default=(), converter=_changes)
    left_out: tuple[LeftOut, ...] = field(default=(), converter=_left_out)
    together: tuple[Together, ...] = field(default=(), converter=_together)
    suppressed: tuple[Suppressed, ...] = field(default=(), converter=_suppressed)

    @property
    def version(self) -> str:
        """The client's version."""
        return self.release or self.packages[0].rpartition("==")[2]

    def unused(self, suppressed: Collection[str]) -> list[Suppressed]:
        """Return the entries that suppressed nothing in a run."""
        return [one for one in self.suppressed if one.what not in suppressed]


def suites(path: Path = HERE / "suites.toml") -> dict[str, Suite]:
    """Return the suites by name, in the order of the file."""
    return {one["name"]: _suite(one) for one in tomllib.loads(path.read_text(encoding="utf-8"))["suite"]}


def _suite(keys: dict[str, Any]) -> Suite:
    keys = dict(keys)
    source = keys.pop("source", None)
    keys["changes"] = [Change(**one) for one in keys.pop("changes", ())]
    keys["together"] = [Together(**one) for one in keys.pop("together", ())]
    keys["suppressed"] = [Suppressed(**one) for one in keys.pop("suppressed", ())]
    keys["left_out"] = [LeftOut(**one) for one in keys.pop("left_out", ())]
    return Suite(**keys, source=Source(**source) if source else None)
