"""Recorded programs of kernels that launch graphs: the model answers as a card, and mistakes in it are found."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.compare import compare
from conformance.kit.program import run
from conformance.record.recordings import ROOT, read
from fakecuda import Machine, profiles
from fakecuda.model.graph.graph_run import GraphRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.kit.program import Program
    from conformance.record.recordings import Recording

RECORDED = ROOT / "h100-g" / "device_launch.jsonl.gz"
SEVERAL = 3
"""The number of changed programs after which a search for a mistake ends."""


@cache
def recorded() -> Recording:
    """Return what a card answered."""
    return read(RECORDED)


def unlike(programs: Iterable[Program], *, busy: bool = False) -> Iterator[str]:
    """Yield the programs that the model answers otherwise than the card.

    Args:
        programs: The recorded programs.
        busy: Whether other work waits meanwhile, so that kernels run when a stream comes to them.
    """
    profile = profiles.load(recorded().profile())
    for program in programs:
        with Machine(profile, strict=False) as machine:
            if busy:
                c = machine.spawn().c
                c.cuInit(0)
                c.cuCtxCreate(None, 0, 0)
                c.cuStreamWaitValue32(c.cuStreamCreate(1)[1], c.cuMemAllocHost(64)[1], 1, 0)
            if compare(program, run(program, machine)):
                yield program.name


@pytest.mark.parametrize("busy", [False, True])
def test_graphs_that_kernels_launch_run_as_on_a_card(busy: bool) -> None:  # noqa: FBT001 - a parameter
    """What launches answer, what was done, and in which order, where that is told; ``conform`` asks every program."""
    assert not list(unlike(islice(recorded().programs, busy, None, 2), busy=busy))


def test_a_mistake_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that is launched behind others comes before them; one more is taken; one that runs is launched again."""
    launches = GraphRun.launch

    def first(self: GraphRun, run: Any) -> None:
        launches(self, run)
        self.behind.reverse()

    with monkeypatch.context() as patched:
        patched.setattr(GraphRun, "launch", first)
        assert len(list(islice(unlike(recorded().programs), SEVERAL))) == SEVERAL
    for limit in ("MOST_BEHIND", "MOST_BESIDE"):
        with monkeypatch.context() as patched:
            patched.setattr(f"fakecuda.model.graph.graph_run.{limit}", 121)
            assert any(unlike(recorded().programs))
    with monkeypatch.context() as patched:
        patched.setattr(GraphRun, "takes", lambda _self, executable, _stream, _run: executable.placed is not None)
        assert len(list(islice(unlike(recorded().programs), SEVERAL))) == SEVERAL
