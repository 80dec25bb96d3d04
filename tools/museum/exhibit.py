"""The description of a bug."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda import FakeCuda


class Program(Protocol):
    """A user's test with the bug, or with ``fixed`` without it."""

    def __call__(self, fakecuda: FakeCuda, /, *, fixed: bool) -> None:
        """Run on a test's machine."""


class Part(Enum):
    """A feature that catches a bug."""

    UNDEFINED = "undefined behaviour"
    REFUSED = "a refused call"
    IGNORED = "a refused call that the program ignores"
    LEFT = "what is left behind"
    STATE = "the program's own check of what the driver tells"
    SWEPT = "the sweep over faults"
    BYTES = "the program's own check of bytes, which are there without a card"


@frozen
class Exhibit:
    """A reported bug.

    Attributes:
        number: Its row; reports of one kind have one number.
        report: Where it was reported, ``owner/repository#number``.
        title: What is wrong, in a line.
        happens: What happens, in a sentence or two.
        part: What catches it.
        told: What the report of the failed test says: ids of rules, kinds of what is left, texts.
        programs: Two variants of it by their names, which differ in sizes, in order, in the API, in threads or in processes.
        devices: How many devices a variant needs, if it needs more than one.
        settings: The arguments of the mark.
        where: The address, where the report is not a thread of GitHub.
    """

    number: int
    report: str
    title: str
    happens: str
    part: Part
    told: tuple[str, ...]
    programs: Mapping[str, Program]
    devices: Mapping[str, int] = field(factory=dict)
    settings: Mapping[str, Any] = field(factory=dict)
    where: str = ""

    @property
    def name(self) -> str:
        """The name of its tests: ``1-cuda-python#2344``."""
        return f"{self.number}-{self.report.rpartition('/')[2]}"

    @property
    def address(self) -> str:
        """The address of the report."""
        return self.where or address_of(self.report)

    @property
    def file(self) -> str:
        """The file of its programs."""
        module = next(iter(self.programs.values())).__module__
        return f"{module.rpartition('.')[2]}.py"

    @property
    def anchor(self) -> str:
        """The anchor in the gallery."""
        return re.sub(r"\W+", "-", self.name).lower()

    @property
    def mark(self) -> str:
        """The mark in a user's notation; empty without one."""
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.settings.items()).replace("'", '"')
        return f"@pytest.mark.fakecuda({arguments})" if arguments else ""


def address_of(report: str) -> str:
    """Return the address of ``owner/repository#number``, also of a pull request."""
    return f"https://github.com/{report.replace('#', '/issues/')}"


LEAKS: Mapping[str, Any] = {"leaks": "error", "leaks_allowed": ["context"]}
"""A leak fails the test, except for contexts, which programs keep to their end."""
ERRORS: Mapping[str, Any] = {"errors": "error"}
"""A refused call that the program ignores fails the test."""


STRICT_RACES: Mapping[str, Any] = {"races": "strict"}
"""Waits that the manual does not promise do not order work."""
SWEEP: Mapping[str, Any] = {"sweep": True}
"""Each call that may fail fails once."""


def id_of(exhibit: Exhibit, variant: str, *, fixed: bool) -> str:
    """Return the id of a program's test: ``1-cuda-python#2344-buffers-faulty``."""
    return f"{exhibit.name}-{variant}-{'fixed' if fixed else 'faulty'}"
