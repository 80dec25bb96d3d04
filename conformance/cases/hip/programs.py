"""The programs of all statements, by the statements' short names."""

from __future__ import annotations

from typing import Any

from conformance.cases.hip import allocating, behaving, describing, ordering, sharing, using

PROGRAMS: dict[str, Any] = {
    **sharing.PROGRAMS,
    **using.PROGRAMS,
    **describing.PROGRAMS,
    **ordering.PROGRAMS,
    **behaving.PROGRAMS,
    **allocating.PROGRAMS,
}
