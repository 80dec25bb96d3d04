"""What real drivers answered, checked on a model of the machine that answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.divergences import load
from conformance.recordings import ROOT, RecordingError
from conformance.replay import every, recording, replay, stretch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of every recorded program, where recordings are asked for."""
    if "number" not in metafunc.fixturenames:
        return
    places = every() if metafunc.config.getoption("--target") in {"recordings", "processes"} else []
    metafunc.parametrize(("path", "number"), places, ids=[_id(*place) for place in places])


def _id(path: Path, number: int) -> str:
    found = recording(path)
    where = path.relative_to(ROOT).as_posix().partition(".")[0]
    return where if isinstance(found, RecordingError) or number < 0 else f"{where}:{found.programs[number].name}"


def test_recorded(
    path: Path, number: int, record_property: Callable[[str, object], None], request: pytest.FixtureRequest
) -> None:
    """The model answers what the driver answered, also where the processes are real ones."""
    __tracebackhide__ = True
    found = recording(path)
    if isinstance(found, RecordingError):
        pytest.fail(str(found), pytrace=False)
    if number < 0:
        pytest.fail(f"{path}: it holds no program; delete it", pytrace=False)
    replayed = replay(path, number, request.config.getoption("--target"))
    unknown = replayed.unknown
    record_property("programs", 1)
    record_property("answers", replayed.answers)
    record_property("differences", len(unknown) + replayed.explained)
    record_property("explained", replayed.explained)
    if unknown:
        lines = "\n".join(map(str, unknown))
        text = stretch(found.programs[number], unknown[0].step).as_python()
        pytest.fail(f"driver {found.header.driver} on {found.header.machine}\n{lines}\n\n{text}", pytrace=False)


def test_divergences_still_diverge(request: pytest.FixtureRequest) -> None:
    """An entry of divergences.toml that no recorded answer shows is taken out."""
    if request.config.getoption("--target") != "recordings":
        pytest.skip("--target asks for no recordings")
    readable = [place for place in every() if place[1] >= 0]
    covered = {entry for place in readable for entry in replay(*place).covered}
    stale = [f"{entry.rule or entry.call}: {entry.reason}" for entry in load() if entry not in covered]
    assert stale == []
