"""Recordings: written, read, and refused in one clear line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import attrs
import pytest

from conformance.kit.program import Program
from conformance.record.recordings import (
    ROOT,
    Header,
    RecordingError,
    chosen,
    files,
    hash_of,
    line_of,
    read,
    write,
    write_unasked,
)
from conformance.targets.divergences import DivergenceError
from conformance.targets.divergences import load as load_divergences
from fakecuda.profiles import HERE as PROFILES

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header(machine="m", driver=13000, bindings="13", profile="none", profile_hash="0")
PROGRAM = Program("p", [{"process": "a", "call": "spawn"}], [{"code": 0, "outs": {}}])


OTHER = attrs.evolve(PROGRAM, name="q", answers=[], origin="pairs", about='What "it" asks.', alone=True)


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    """Plain and compressed files hold the same."""
    write(tmp_path / "m" / name, HEADER, [PROGRAM, OTHER])
    found = read(tmp_path / "m" / name)
    assert (found.header, list(found.programs)) == (HEADER, [PROGRAM, OTHER])
    assert [(found.programs.name(n), found.programs.origin(n)) for n in range(2)] == [("p", "case"), ("q", "pairs")]
    assert not re.search("about|alone", found.programs.line(0))


def test_programs_are_chosen_by_name(tmp_path: Path) -> None:
    """Each pattern chooses some; files are read as they are, folders however deep."""
    write(tmp_path / "a" / "b" / "x.jsonl", HEADER, [PROGRAM, OTHER])
    (path,) = chosen([tmp_path])
    assert chosen([path]) == [path]
    assert [read(path).programs.named(patterns) for patterns in ("*", "q,x", "[px]", "x")] == [[0, 1], [1], [0], []]


def test_an_origin_is_told_before_a_program_is_read(tmp_path: Path) -> None:
    """Of a line that this suite wrote it is the end; any other line is read."""
    programs = [attrs.evolve(PROGRAM, origin=origin) for origin in ("machine", '"origin":"case"}', "pairs")]
    lines = [line_of(HEADER), *map(line_of, programs), json.dumps({"origin": "undefined", "name": "p"})]
    (tmp_path / "x.jsonl").write_text("\n".join([*lines, lines[1].replace('"steps":', '"steps":nonsense')]))
    found = read(tmp_path / "x.jsonl").programs
    told = [found.origin(number) for number in range(len(found))]
    assert told == ["machine", '"origin":"case"}', "pairs", "undefined", "machine"]


def test_no_program_holds_an_address_of_the_process_that_recorded_it() -> None:
    """Names stand for addresses; what a bare one holds in the process that replays it is chance. Garbage has addresses."""
    kept = []
    for path in files():
        programs = read(path).programs
        for number in range(len(programs)):
            if programs.name(number).endswith("_garbage"):
                continue
            bare = [int(one) for one in re.findall(r"(?<=[\[, :])\d{14,15}(?=[\], }])", programs.line(number))]
            if any(0x5500_0000_0000 <= one < (1 << 47) - 1 and one % (1 << 20) for one in bare):
                kept.append((path, programs.name(number)))
    assert not kept


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no recording"),
        ("{", "no recording"),
        ("[]", "no recording"),
        ('{"schema": 0}', "schema 0, and this suite reads 1"),
        ('{"schema": 1}', ":1: TypeError"),
        (f"{line_of(HEADER)}\nnonsense", ":2: JSONDecodeError"),
        (
            f"{line_of(HEADER)}\n{json.dumps({'name': 'p', 'steps': [{}], 'answers': [{}, {}]})}",
            "1 steps and 2 answers",
        ),
    ],
)
def test_a_malformed_file_is_one_line(tmp_path: Path, text: str, told: str) -> None:
    """The line names the file and says what to do."""
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(RecordingError) as caught:
        list(read(path).programs)
    message = str(caught.value)
    assert told in message
    assert message.startswith(str(path))
    assert message.endswith("python -m conformance.record")
    assert "\n" not in message


def test_a_broken_compressed_file_is_one_line(tmp_path: Path) -> None:
    """A byte that is lost or another one is seen wherever it lies, or it is not of the text."""
    path = tmp_path / "x.jsonl.gz"
    write(path, HEADER, [PROGRAM])
    whole, data = list(read(path).programs), path.read_bytes()
    refused = 0
    for at in range(len(data)):
        for broken in (data[:at], data[:at] + bytes((data[at] ^ 0x10,)) + data[at + 1 :]):
            path.write_bytes(broken)
            try:
                assert list(read(path).programs) == whole
            except RecordingError as error:
                assert str(error).startswith(f"{path}: no recording")  # noqa: PT017 - most are refused, not all
                refused += 1
    assert refused > 1.9 * len(data)


def test_programs_without_answers_name_a_profile(tmp_path: Path) -> None:
    """The profile on which they were written; answers of the model are left out."""
    write_unasked(tmp_path / "m" / "x.jsonl", "h200", [PROGRAM])
    found = read(tmp_path / "m" / "x.jsonl")
    assert found.profile() == PROFILES / "h200.toml"
    assert list(found.programs) == [attrs.evolve(PROGRAM, answers=[])]


def test_the_profile_is_found_by_its_hash(tmp_path: Path) -> None:
    """The profile beside the recording is used as long as it is the one that was recorded."""
    profile = tmp_path / "profile.toml"
    profile.write_text("schema = 1")
    write(tmp_path / "x.jsonl", attrs.evolve(HEADER, profile_hash=hash_of(profile)), [])
    found = read(tmp_path / "x.jsonl")
    assert found.profile() == profile
    profile.write_text("schema = 2")
    with pytest.raises(RecordingError, match="has changed since"):
        found.profile()
    profile.unlink()
    with pytest.raises(RecordingError, match="the profile 'none' is missing"):
        found.profile()


def test_the_profile_may_be_another_recordings(tmp_path: Path) -> None:
    """No copy of it stands beside the recording then."""
    profile = ROOT / "h200-n-search" / "profile.toml"
    write(tmp_path / "x.jsonl", attrs.evolve(HEADER, profile_hash=hash_of(profile)), [])
    assert read(tmp_path / "x.jsonl").profile() == profile


ENTRY = {
    "rule": '"va.mem_map.FLAGS_ARE_ZERO"',
    "kind": '"code"',
    "driver": '">=13000,<13100"',
    "driver_code": '"SUCCESS"',
    "model_code": '"INVALID_VALUE"',
    "reason": '"because"',
    "validated": "2026-01-31",
}


def write_entry(path: Path, **changed: str | None) -> Path:
    """Write a file of one divergence."""
    keys = {**ENTRY, **changed}
    lines = (f"{key} = {value}" for key, value in keys.items() if value is not None)
    path.write_text("[[divergence]]\n" + "\n".join(lines))
    return path


def test_a_divergence_is_read(tmp_path: Path) -> None:
    """Bounds and codes are understood."""
    (found,) = load_divergences(write_entry(tmp_path / "d.toml"))
    assert (found.driver_code, found.model_code) == (0, 1)
    (general,) = load_divergences(write_entry(tmp_path / "g.toml", rule=None, grade='"undefined"', model_code='"any"'))
    assert (general.rule, general.grade, general.model_code) == ("", "undefined", None)
    assert [found.applies(version) for version in (12090, 13000, 13090, 13100)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"reason": None}, "lacks reason"),
        ({"reson": '"x"'}, "has unknown reson"),
        ({"rule": None}, "names neither rule, grade nor call"),
        ({"kind": '"odd"'}, "not code or value"),
        ({"driver": '"13.0"'}, "not bounds"),
        ({"driver_code": '"CUDA_SUCCESS"'}, "is not a code"),
        ({"validated": '"today"'}, "validated is a date"),
        ({"reason": '" "'}, "reason says why"),
    ],
)
def test_a_malformed_divergence_is_told(tmp_path: Path, changed: dict[str, str | None], told: str) -> None:
    """Keys are checked, and the text names the entry."""
    with pytest.raises(DivergenceError, match="entry 1") as caught:
        load_divergences(write_entry(tmp_path / "d.toml", **changed))
    assert told in str(caught.value)


def test_other_tables_are_refused(tmp_path: Path) -> None:
    """A misspelt table is no silence."""
    path = tmp_path / "d.toml"
    path.write_text("[[divergences]]")
    with pytest.raises(DivergenceError, match=r"only .*divergence.* is known"):
        load_divergences(path)
    path.write_text("[[")
    with pytest.raises(DivergenceError):
        load_divergences(path)
    assert load_divergences(tmp_path / "missing.toml") == ()
