"""Questions about managed memory: what is told of the places to which it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.unified.fixtures import PREFERRED, SIZE, asked, managed
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World

TOLD = ("PREFERRED_LOCATION_TYPE", "PREFERRED_LOCATION_ID", "LAST_PREFETCH_LOCATION_TYPE", "LAST_PREFETCH_LOCATION_ID")


@question()
def ids_of_places(w: World) -> None:
    """Which ids are told of the host, of its NUMA node 0 and of the current one, whatever ids were given."""
    a = w.process()
    for kind in (2, 3, 4):
        for number in (0, 1, 99, -1, -2):
            for call in ("cuMemPrefetchAsync", "cuMemAdvise"):
                ptr = managed(a)
                if call == "cuMemAdvise":
                    a.c.cuMemAdvise(ptr, SIZE, PREFERRED, (kind, number))
                else:
                    a.c.cuMemPrefetchAsync(ptr, SIZE, (kind, number), 0, 0)
                for name in TOLD:
                    asked(a, name, ptr)
