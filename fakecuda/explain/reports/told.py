"""The report of a finding, for every process that raises it: the machine's own, and those attached to one."""

from __future__ import annotations

from fakecuda.model.finding import Finding


def told(finding: Finding) -> str:
    """Return a finding's report. The first call loads what composes it."""
    from fakecuda.explain.reports.report import of_finding  # noqa: PLC0415 - most programs have no finding

    return of_finding(finding)


Finding.told = told
