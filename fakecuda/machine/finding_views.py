"""Findings in notebooks: HTML and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.finding import Finding

if TYPE_CHECKING:
    from fakecuda.explain.pictures.svg import Picture


def _shown(report: str) -> str:
    """Return a finding's report as a notebook shows it."""
    from fakecuda.explain.html.notebook import shown  # noqa: PLC0415 - few programs are notebooks

    return shown(report)


def _drawn(finding: Finding) -> Picture:
    """Return a finding's picture."""
    from fakecuda.explain.pictures.timeline import draw  # noqa: PLC0415 - most findings are never drawn

    if finding.machine is None:
        msg = (
            "this finding has no record of calls, so it cannot be drawn: draw one of machine.findings, in the "
            "process that made the machine"
        )
        raise FakeCudaError(msg)
    return draw(finding.machine, finding)


Finding.shown, Finding.drawn = _shown, _drawn
