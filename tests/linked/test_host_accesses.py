"""What a program in C does to page-locked memory that work uses: its writes are found by the bytes, its reads are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Program


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A shared machine that takes the manual at its word."""
    with Machine("h200", races="strict") as made, made.shared(export=False):
        made.link()
        yield made
        made.check_invariants()


@pytest.mark.parametrize(("what", "count"), [("writes", 1), ("reads", 0)])
def test_early(
    machine: Machine, compile_program: Callable[..., Path], start: Callable[..., Program], what: str, count: int
) -> None:
    """The report has the copy, and the place of the wait."""
    assert start(compile_program("early", "libcuda.so.1"), what).end() == ""
    assert len(machine.findings) == count
    for finding in machine.findings:
        assert finding.call == "cuMemcpyHtoDAsync"
        assert "wrote to" in finding.facts["host"]
        assert "early+0x" in str(finding)
