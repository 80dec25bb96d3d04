"""Recordings: programs with a real driver's answers, as JSON lines.

``recordings/<machine>/<group>.jsonl`` (or ``.jsonl.gz``) starts with a header and holds one program per line. The
header names the machine's profile by the hash of its file: ``profile.toml`` beside the recordings, a profile that
ships with fakecuda, or that of another recording. No profile stands twice.

A program is ``{"name": …, "about": …, "alone": true, "steps": […], "answers": […], "origin": …}``: see
:class:`conformance.kit.steps.Program`. ``about``, ``alone`` and ``lost`` are left out if they say nothing. A program without answers
waits for a card: ``python -m conformance.record.replay FILE --target=real --out DIR`` asks one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any, overload

from attrs import asdict, evolve, field, frozen

from conformance import DATA
from conformance.kit.program import Program
from fakecuda.profiles import HERE as PROFILES
from fakecuda.profiles import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SCHEMA = 1
ROOT = DATA / "recordings"
AGAIN = "record it again on that machine with: python -m conformance.record"
BESIDE = "profile.toml"
PROBED = re.compile(rb'^probed = "([0-9a-f]{64})"$', re.MULTILINE)
NAMED = re.compile(r'\{"name":"([^"\\]*)"')
OF_ORIGIN = re.compile(r'"origin":"([^"\\]*)"\}')
RECORDED = "recorded"
"""The origin of a program that ran beside a driver: its images of code and bytes were not kept."""
OPTIONAL = ("about", "alone", "lost")
"""Fields of a program that are left out if empty."""
END = 100
"""The number of characters at a line's end that contain the origin."""


class RecordingError(Exception):
    """An exception: a recording is unreadable; the text names file and fix."""


@frozen
class Header:
    """The header of a recording.

    Attributes:
        schema: The version of the format.
        machine: The machine's name.
        driver: What cuDriverGetVersion answered there.
        bindings: The version of cuda.bindings there.
        profile: The name of the machine's profile.
        profile_hash: The SHA-256 of the profile's file as the probe wrote it.
        seed: The seed of generated programs.
        date: When it was recorded, ISO 8601.
    """

    machine: str
    driver: int
    bindings: str
    profile: str
    profile_hash: str
    seed: int = 0
    date: str = ""
    schema: int = field(default=SCHEMA)


class Programs(Sequence[Program]):
    """The programs of a file, each parsed on first use.

    Args:
        path: The file.
        lines: The lines.

    Raises:
        RecordingError: When one is asked for whose line is malformed.
    """

    def __init__(self, path: Path, lines: Sequence[str]) -> None:
        self._path = path
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, number: int) -> Program: ...
    @overload
    def __getitem__(self, number: slice) -> list[Program]: ...
    def __getitem__(self, number: int | slice) -> Program | list[Program]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        try:
            program = Program(**json.loads(self._lines[number]))
            if program.answers and len(program.steps) != len(program.answers):
                msg = f"{len(program.steps)} steps and {len(program.answers)} answers"
                raise ValueError(msg)  # noqa: TRY301 - one place words it
        except (ValueError, TypeError) as error:
            msg = f"{self._path}:{number + 2}: {type(error).__name__}: {error}; {AGAIN}"
            raise RecordingError(msg) from error
        return program

    def name(self, number: int) -> str:
        """Return the name of a program, or its line number."""
        found = NAMED.match(self._lines[number])
        return found[1] if found else f"line {number + 2}"

    def origin(self, number: int) -> str:
        """Return the origin of a program."""
        line = self._lines[number]
        found = OF_ORIGIN.fullmatch(line, max(line.rfind('"origin"', -END), 0))
        return found[1] if found else self[number].origin

    def named(self, patterns: str) -> list[int]:
        """Return the indices of programs with matching names."""
        several = patterns.split(",")
        return [number for number in range(len(self)) if any(fnmatchcase(self.name(number), one) for one in several)]

    def line(self, number: int) -> str:
        """Return a program's unparsed line."""
        return self._lines[number]

    def length(self, number: int) -> int:
        """Return the length of a program's line in characters."""
        return len(self._lines[number])


@frozen
class Recording:
    """A header and its programs.

    Attributes:
        path: The file.
        header: What it says of itself.
        programs: The programs.
    """

    path: Path
    header: Header
    programs: Programs

    def profile(self) -> Path:
        """Return the profile file for the model.

        Raises:
            RecordingError: No profile has the recorded hash.
        """
        candidates = [self.path.parent / BESIDE, PROFILES / f"{self.header.profile}.toml"]
        for path in candidates:
            if path.exists() and hash_of(path) == self.header.profile_hash:
                return path
        if found := _kept().get(self.header.profile_hash):
            return found
        known = next((str(path) for path in candidates if path.exists()), "")
        what = f"{known} has changed since" if known else f"the profile {self.header.profile!r} is missing"
        msg = f"{self.path}: {what}; {AGAIN}, which writes {BESIDE} beside it"
        raise RecordingError(msg)


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a probed profile in hexadecimal.

    A profile that was shortened (:mod:`conformance.record.profile_differences`) says it.
    """
    data = path.read_bytes()
    said = PROBED.search(data)
    return said[1].decode() if said else hashlib.sha256(data).hexdigest()


@cache
def _kept() -> dict[str, Path]:
    """Return the profiles of the suite's recordings by hash."""
    return {hash_of(path): path for path in ROOT.glob(f"*/{BESIDE}")}


def write(path: Path, header: Header, programs: Iterable[Program]) -> None:
    """Write a recording, compressed if the path ends in ``.gz``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in (line_of(header), *map(line_of, programs)))
    data = text.encode()
    # A time stamp in the file would make equal recordings differ.
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def write_unasked(path: Path, profile: str, programs: Iterable[Program]) -> None:
    """Write programs without answers, to be run on a card.

    Args:
        path: The recording.
        profile: The name of the profile on which the programs were written.
        programs: The programs; their answers are left out.
    """
    header = Header(profile, load(profile).driver_version, "", profile, hash_of(PROFILES / f"{profile}.toml"))
    write(path, header, [evolve(program, answers=[]) for program in programs])


def line_of(item: Header | Program) -> str:
    """Return a header or a program as a line of JSON."""
    data = asdict(item, recurse=False)
    if isinstance(
        item, Program
    ):  # the name stands first and the origin last: Programs finds both without reading the line
        said = {key: value for key, value in data.items() if key in OPTIONAL and value}
        data = {"name": item.name, **said, "steps": item.steps, "answers": item.answers, "origin": item.origin}
    return json.dumps(data, separators=(",", ":"))


def read(path: Path) -> Recording:
    """Read a recording; programs are parsed on first use.

    Raises:
        RecordingError: It is stale, or no recording.
    """
    try:
        lines = _bytes_of(path).decode().splitlines()
        header: dict[str, Any] = json.loads(lines[0])
        schema = header.get("schema")
    except (OSError, EOFError, zlib.error, ValueError, IndexError, AttributeError) as error:
        msg = f"{path}: no recording ({type(error).__name__}: {error}); {AGAIN}"
        raise RecordingError(msg) from error
    if schema != SCHEMA:
        msg = f"{path}: schema {schema!r}, and this suite reads {SCHEMA}; {AGAIN}"
        raise RecordingError(msg)
    try:
        known = Header(**header)
    except TypeError as error:
        msg = f"{path}:1: {type(error).__name__}: {error}; {AGAIN}"
        raise RecordingError(msg) from error
    return Recording(path, known, Programs(path, lines[1:]))


def has_one(path: Path, texts: Iterable[str]) -> bool:
    """Return whether a recording contains one of some texts.

    That takes a fourth of the time of :func:`read`.
    """
    try:
        data = _bytes_of(path)
    except (OSError, EOFError, zlib.error):
        return False
    return any(text.encode() in data for text in texts)


def _bytes_of(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the recordings below a folder, by name."""
    yield from sorted([*root.rglob("*.jsonl"), *root.rglob("*.jsonl.gz")])


def chosen(paths: Iterable[Path]) -> list[Path]:
    """Return the recordings at paths of files or folders.

    Raises:
        RecordingError: A path is neither, or a folder holds no recording.
    """
    found: list[Path] = []
    for path in paths:
        here = list(files(path)) if path.is_dir() else [path]
        if not here:
            msg = f"{path}: no folder in it holds recordings; python -m conformance.record --out {path} writes some"
            raise RecordingError(msg)
        found += here
    return found


def place_of(path: Path) -> str:
    """Return a file's short name, such as ``h200-x2/cases``, or its path."""
    inside = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return inside.as_posix().partition(".jsonl")[0]
