"""Every rule of every call was seen broken and seen held, once all other tests of the suite have run.

So was every code that the manuals of the runtime API and of HIP name for a call, where a rule gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import survivors
from conformance.mutation import DROPPED, mutants
from conformance.seen import WHOLE
from fakecuda.apis import APIS, DRIVER
from fakecuda.rule import EVERY

if TYPE_CHECKING:
    from conformance.seen import Seen


def lost(seen: Seen) -> list[str]:
    """Return what was not seen of the three APIs; a rule that no program breaks is one whose mutant survives."""
    known = [mutant for op in EVERY.values() for mutant in mutants(op)]
    excused = {(one.call, one.rule) for one in survivors.load(known) if one.kind == DROPPED}
    missing = seen.missing(list(EVERY.values()), excused)
    return missing + [line for api in APIS.values() if api is not DRIVER for line in seen.unshown(api)]


def test_every_rule_is_seen_broken_and_held(request: pytest.FixtureRequest, conformance_seen: Seen) -> None:
    """A rule that no case breaks could be deleted, and one that no case keeps could be all there is."""
    divided = hasattr(request.config, "workerinput")  # a worker of pytest-xdist makes a share of the tests
    if request.config.getoption("--target") != "recordings" or divided or not request.config.stash[WHOLE]:
        pytest.skip("a part of the suite cannot tell")
    missing = lost(conformance_seen)
    if missing:
        pytest.fail("\n".join(missing), pytrace=False)
