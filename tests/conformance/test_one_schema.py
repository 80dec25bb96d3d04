"""Everything below conformance/data is a recording that the one loader reads, or is named here with its reason."""

from __future__ import annotations

import gzip
import hashlib
import tomllib
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from conformance import DATA
from conformance.record.profile_differences import shortened, whole
from conformance.record.recordings import BESIDE, ROOT, RecordingError, files, hash_of, read
from fakecuda.profiles import HERE as PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPEN = DATA / "open"
OTHERS = {
    "divergences.toml": "known differences, no answers",
    "everyday.json": "which recordings a run leaves out, no answers",
    "instructions.json.gz": "what a card computed by single instructions of PTX",
    "ptx.json.gz": "kernels, and what ptxas says of each change of them",
    "recordings/h200-x2-b/report.json": "what the suite reported of a run, without programs",
}
"""Files that are not recordings, with the reasons."""


def strangers(root: Path) -> Iterator[str]:
    """Yield the files below a folder of data that are neither recordings, nor their profiles, nor listed."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_dir() or name in OTHERS or (path.name == BESIDE and path.parent.parent.name in {"open", ROOT.name}):
            continue
        if not name.startswith((f"{ROOT.name}/", f"{OPEN.name}/")) or path not in set(files(path.parent)):
            yield f"{name}: write it as a recording (conformance.record.recordings), or give the reason in this test"
            continue
        try:
            for program in read(path).programs:
                assert program.steps
        except RecordingError as error:
            yield str(error)


def test_all_data_is_recordings() -> None:
    """But for what a straight line of calls cannot say."""
    assert list(strangers(DATA)) == []
    assert [name for name in OTHERS if not (DATA / name).exists()] == []


def test_every_recording_has_a_profile_and_its_programs_answers() -> None:
    """Programs that no card has answered stand among the open ones alone."""
    for path in files(DATA):
        if path.is_relative_to(ROOT) or path.is_relative_to(OPEN):
            found = read(path)
            assert found.profile().exists()
            assert path.is_relative_to(OPEN) or all(program.answers for program in found.programs)


def test_no_profile_stands_twice() -> None:
    """A recording finds the profile of another recording, or a profile that ships, by the hash of the file."""
    found = defaultdict(list)
    for path in [*DATA.rglob(BESIDE), *PROFILES.glob("*.toml")]:
        found[hash_of(path)].append(path.parent.name + "/" + path.name)
    assert [names for names in found.values() if len(names) > 1] == []


def test_profiles_beside_recordings_are_differences() -> None:
    """A profile says only how the machine differs from a profile that ships. The whole file has the hash of the recordings."""
    for path in DATA.rglob(BESIDE):
        data = tomllib.loads(path.read_text())
        text = whole(data) if "probed" in data else path.read_text()
        assert path.read_text() == shortened(text), f"run python -m conformance.record.profile_differences {path}"
        assert hashlib.sha256(text.encode()).hexdigest() == hash_of(path), (
            f"{path}: its base has changed: write it whole"
        )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine/h100.json", '{"a question": [["a label", "cuInit", 0]]}'),
        ("recordings/h100/mine.jsonl", '{"program": "mine", "answers": [0]}\n'),
        ("open/h100/mine.jsonl.gz", '{"label": "mine", "code": 0}\n'),
        ("recordings/mine.toml", "answers = 3"),
    ],
)
def test_a_second_schema_is_found(tmp_path: Path, name: str, text: str) -> None:
    """Wherever it stands, and whatever its ending is."""
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
    (told,) = strangers(tmp_path)
    assert name.rpartition("/")[2] in told


def test_compressed_recordings_have_no_name_and_no_time() -> None:
    """Equal recordings are equal files."""
    headers = {path.relative_to(DATA).as_posix(): path.read_bytes()[3:8] for path in DATA.rglob("*.gz")}
    assert {name: head for name, head in headers.items() if head[0] & 8 or any(head[1:])} == {}
