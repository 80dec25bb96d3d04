"""Calls of the system that fail: some of those that ``python -m conformance.fuzz.moments`` tries, and what it must find."""

from __future__ import annotations

import os

import pytest

from conformance.fuzz import moments
from conformance.fuzz.moments import Job
from fakecuda.reach.remote.linked.build import CACHE

SEED = 16
PLANTED = {
    "an accept that fails ends the listener": (
        "accept4",
        """
from fakecuda.reach.remote.client import connecting
from fakecuda.reach.remote.owner import listener
connecting.GREETED = 0.5
listener.OVER = range(1000)
""",
        "another process hears",
    ),
    "a refused connection stays open": (
        "pthread_create",
        """
from fakecuda.reach.remote.owner import listener
kept = []
def send_away(connection, reason):
    kept.append(listener.Line(connection))
    listener.refuse(kept[-1], reason)
listener._send_away = send_away
""",
        "leaves 1 descriptors",
    ),
    "a child waits for its greeting without end": (
        "accept4",
        """
import conformance.fuzz.moment as moment
from fakecuda.reach.remote.client import connecting
from fakecuda.reach.remote.owner import listener
moment.LIMIT = 2.0
connecting.GREETED = 1e6
listener.PAUSES = (3.0,)
""",
        "it stands still",
    ),
}


@pytest.mark.skipif(bool(moments.lacking()), reason=moments.lacking() or "nothing is lacking")
def test_a_bad_moment_harms_no_other_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """And three mistakes are found, each at the first point that meets it: in one process, for the sake of its start."""
    base = tmp_path_factory.getbasetemp()
    monkeypatch.setenv(CACHE, str((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"))
    jobs = [Job(("owner",), pattern, SEED, 0, plant) for pattern, plant, _ in PLANTED.values()]
    sample, refused, *planted = moments.done(Job(seed=SEED, most=16), Job(("child",), "socket", SEED, 4), *jobs)
    assert sample.wrong == refused.wrong == []
    assert sample.counts["met"]
    assert refused.counts["met"] == refused.counts["refused"] == 4
    for (bug, (*_, line)), found in zip(PLANTED.items(), planted, strict=True):
        assert any(line in one for one in found.wrong), (bug, found)
