"""Where values of profiles are from: each of a described profile's own has a grade, and what is documented has an address."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from fakecuda import ProfileError
from fakecuda.profiles import HERE, load, names, values
from fakecuda.profiles.sources import GRADES, UNKNOWN, Source, names_in, source_of

if TYPE_CHECKING:
    from pathlib import Path

FILES = {name: tomllib.loads((HERE / f"{name}.toml").read_text()) for name in names()}
DESCRIBED = [name for name, file in FILES.items() if file["origin"] == "documented"]
CARDS = {
    "a100-40gb": ((8, 0), 108, 40),
    "a100-80gb": ((8, 0), 108, 80),
    "l4": ((8, 9), 58, 22),
    "l40s": ((8, 9), 142, 45),
    "rtx-4090": ((8, 9), 128, 24),
    "t4": ((7, 5), 40, 15),
    "b200": ((10, 0), 148, 180),
}
"""Rough data of documented cards: capability, multiprocessors, and GiB of memory."""


def own(name: str) -> list[Source]:
    """Return the sources that a profile's file names itself."""
    return list(load(name).sources[: len(FILES[name].get("source", []))])


@pytest.mark.parametrize("name", DESCRIBED)
def test_each_own_value_has_a_source(name: str) -> None:
    """That its file names: no value is documented by the file alone."""
    sources = tuple(own(name))
    assert [value for value, _ in names_in(FILES[name]) if source_of(value, sources) is UNKNOWN] == []


@pytest.mark.parametrize("name", DESCRIBED)
def test_each_source_tells_of_a_value(name: str) -> None:
    """What is documented has an address, all says what it is from; no source is hidden by those before it."""
    told = {source for _, _, source in values(name)}
    for source in own(name):
        assert source.grade in GRADES
        assert source.says
        assert source.url.startswith(("https://", "http://")) or (source.grade != "documented" and not source.url)
        assert source in told, source.of


@pytest.mark.parametrize("name", [name for name in names() if name not in DESCRIBED])
def test_a_probed_profile_is_probed_in_all(name: str) -> None:
    """With the day and the driver."""
    found = values(name)
    assert {source.grade for _, _, source in found} == {"probed"}
    assert all(FILES[name]["date"] in source.says for _, _, source in found)
    assert ("device.WARP_SIZE", 32) in [(value, stated) for value, stated, _ in found]


def test_what_nvml_tells_has_a_grade() -> None:
    """Facts of a card are values of the profiles that have it."""
    found = {name: (value, source.grade) for name, value, source in values("a100-80gb")}
    assert found["nvml.links"] == (12, "documented")
    assert "nvml.temperature" not in found


def test_values_of_a_base_keep_their_source(tmp_path: Path) -> None:
    """A user's own file documents what it states; the rest is from where the base has it."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'schema = 1\nname = "mine"\norigin = "documented"\nbase = "nvl72"\n[memory]\nfabric = false\n'
        '[[source]]\ngrade = "assumed"\nof = ["memory.window"]\nsays = "a guess"\n'
    )
    found = {name: source for name, _, source in values(path)}
    assert found["memory.fabric"] == Source("documented", ("memory.fabric",), "the file of mine")
    assert found["memory.window"].says == "a guess"
    assert found["bandwidth.link"].url == "https://www.nvidia.com/en-us/data-center/gb200-nvl72/"
    assert found["device.WARP_SIZE"].grade == "assumed"


def test_a_profile_that_says_nothing_of_its_values_assumes_them(tmp_path: Path) -> None:
    """As one written by hand without a base: its file documents them."""
    path = tmp_path / "mine.toml"
    text = (HERE / "h200.toml").read_text().replace('origin = "probed"', 'origin = "documented"')
    path.write_text(text)
    assert {source.says for name, _, source in values(path) if not name.startswith("nvml")} == {"the file of h200"}
    assert {source for name, _, source in values(path) if name.startswith("nvml")} == {UNKNOWN}


def test_values_are_those_that_a_count_of_devices_has() -> None:
    """A name with a count is its family's."""
    assert values("h200-x8") == values("h200-x4")


WRONG = {
    "source[0].grade = 'sure': write one of 'probed', 'documented', 'assumed'": 'grade = "sure"\nof = ["*"]\nsays = "x"',
    "'why' is not a key of [source]; ": 'grade = "assumed"\nof = ["*"]\nwhy = "x"',
}


@pytest.mark.parametrize(("said", "source"), WRONG.items())
def test_a_malformed_source_is_told(tmp_path: Path, said: str, source: str) -> None:
    """As other mistakes of a file are."""
    path = tmp_path / "mine.toml"
    path.write_text(f'schema = 1\nname = "mine"\norigin = "documented"\nbase = "h200"\n[[source]]\n{source}\n')
    with pytest.raises(ProfileError) as caught:
        load(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(("name", "expected"), CARDS.items())
def test_cards_from_documents(name: str, expected: tuple[tuple[int, int], int, int]) -> None:
    """What tells them apart is documented, and no value of their own is the probed card's by name."""
    found = {value: (stated, source.grade) for value, stated, source in values(name)}
    capability, multiprocessors, gib = expected
    parts = [found[f"device.COMPUTE_CAPABILITY_{part}"] for part in ("MAJOR", "MINOR")]
    assert parts == [(number, "documented") for number in capability]
    assert found["device.MULTIPROCESSOR_COUNT"] == (multiprocessors, "documented")
    memory, grade = found["device.total_memory"]
    assert (grade, gib - 2 < memory / 2**30 < gib) == ("documented", True)
    block, reserved, whole = (
        found[f"device.{one}"][0]
        for one in (
            "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
            "RESERVED_SHARED_MEMORY_PER_BLOCK",
            "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
        )
    )
    assert block == whole - reserved
    assert (found["device.CLUSTER_LAUNCH"][0] == 1) == (capability >= (9, 0))
