"""The report of a finding, for every process that raises it."""

from __future__ import annotations

from fakecuda.model.finding import Finding


def told(finding: Finding) -> str:
    """Return a finding's report, with a lazy import of the report's modules."""
    from fakecuda.explain.reports.report import of_finding  # noqa: PLC0415 - most programs have no finding

    return of_finding(finding)


Finding.told = told
