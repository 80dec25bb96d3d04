"""What is run: ``suites.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

HERE = Path(__file__).parent


def texts(given: Iterable[str]) -> tuple[str, ...]:
    """Return what a list of a file has."""
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
    """Classes of tests that have one machine for all of a class.

    Attributes:
        classes: Their names.
        why: The reason.
    """

    classes: tuple[str, ...] = field(converter=texts)
    why: str


@frozen
class Suppressed:
    """Undefined behaviour of a suite's own, which fails none of its tests: an entry of ``fakecuda_suppress``.

    Attributes:
        rule: The rule that is broken.
        module: The module, or the package, whose code is among the callers.
        why: The reason.
    """

    rule: str
    module: str
    why: str

    @property
    def what(self) -> str:
        """What is suppressed."""
        return f"{self.rule} {self.module}"

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@frozen
class Change:
    """A text that is another before a file is run.

    Attributes:
        file: The file, from the source's root.
        old: What stands there.
        new: What stands there instead.
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
        url: Where it is cloned from.
        commit: The commit.
        files: What of it is needed.
    """

    url: str
    commit: str
    files: tuple[str, ...] = field(converter=texts)

    @property
    def name(self) -> str:
        """What ``--source`` calls it, the last part of the address."""
        return self.url.rpartition("/")[2]


@frozen
class Suite:
    """A suite of a client.

    Attributes:
        name: What the command calls it.
        client: The client.
        about: What is run, in some words.
        packages: What its environment has beside fakecuda and pytest, as pip takes it; the first is the client.
        arguments: What pytest is told to run.
        profile: The machine of each test.
        source: Where the suite comes from; None if it is installed with the client, or is ours.
        ours: A file of this folder that is the suite; may be empty.
        folder: Where pytest runs, from the source's root.
        options: Further arguments of pytest.
        installed: Folders of the source that its own installation would put beside the client, by their place there.
        changes: Texts that are others before a run.
        left_out: Tests that are not run.
        together: Classes of tests with one machine each.
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
    folder: str = "."
    options: tuple[str, ...] = field(default=(), converter=texts)
    installed: dict[str, str] = field(factory=dict)
    changes: tuple[Change, ...] = field(default=(), converter=_changes)
    left_out: tuple[LeftOut, ...] = field(default=(), converter=_left_out)
    together: tuple[Together, ...] = field(default=(), converter=_together)
    suppressed: tuple[Suppressed, ...] = field(default=(), converter=_suppressed)

    @property
    def version(self) -> str:
        """The client's version."""
        return self.packages[0].rpartition("==")[2]

    def unused(self, suppressed: Collection[str]) -> list[Suppressed]:
        """Return the entries that are about nothing of what a run has suppressed."""
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
