"""The journal of a fleet: a header, and a line for each done or lost slice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from attrs import define

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.fleet.nodes import Result
    from conformance.fleet.slices import Slice

SCHEMA = 1
NAME = "slices.jsonl"


class JournalError(Exception):
    """A journal cannot be resumed; the text names the file and the remedy."""


@define
class Journal:
    """The journal of a fleet.

    Attributes:
        path: The file.
        header: What says of which run it is.
    """

    path: Path
    header: dict[str, Any]

    @classmethod
    def of(cls, folder: Path, header: dict[str, Any], *, resume: bool) -> Journal:
        """Return the journal of a run in a folder: a new one, or an earlier run's.

        Args:
            folder: The folder.
            header: What says of which run it is.
            resume: Whether to go on with what is there.

        Raises:
            JournalError: The file is another run's, or there is one and nobody has asked to go on.
        """
        made = cls(folder / NAME, {"schema": SCHEMA, **header})
        if made.path.exists() and not resume:
            msg = f"{made.path} is an earlier run's: go on with --resume {folder}, or give another folder"
            raise JournalError(msg)
        if not made.path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            made.path.write_text(json.dumps(made.header) + "\n")
            return made
        known = first_line(made.path)
        if known != made.header:
            odd = sorted(name for name in {**known, **made.header} if known.get(name) != made.header.get(name))
            msg = f"{made.path} is of another run (it differs in {', '.join(odd)}): give the same options, or another folder"
            raise JournalError(msg)
        made.mend()
        return made

    def mend(self) -> None:
        """Cut off an incomplete last line."""
        text = self.path.read_bytes()
        if not text.endswith(b"\n"):
            self.path.write_bytes(text[: text.rfind(b"\n") + 1])

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the entries after the header."""
        with self.path.open() as file:
            next(file)
            for line in file:
                yield json.loads(line)

    def done(self, one: Slice, node: str, machine: str, result: Result) -> None:
        """Write the results of a slice."""
        self._write({"slice": one.as_json(), "node": node, "machine": machine, "result": result})

    def lost(self, one: Slice, node: str, how: str) -> None:
        """Write that a slice was lost, so that it is repeated."""
        self._write({"lost": one.id, "node": node, "how": how})

    def _write(self, content: dict[str, Any]) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(content) + "\n")


def first_line(path: Path) -> dict[str, Any]:
    """Return the header of a journal.

    Raises:
        JournalError: The file is no journal.
    """
    try:
        with path.open() as file:
            header = json.loads(file.readline())
        if header["schema"] != SCHEMA:
            msg = f"schema {header['schema']} instead of {SCHEMA}"
            raise ValueError(msg)  # noqa: TRY301 - one place words it
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path}: no journal of a fleet ({type(error).__name__}: {error}): give another folder"
        raise JournalError(msg) from error
    return dict(header)
