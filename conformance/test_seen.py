"""Every rule of every call was seen broken and seen held, once all other tests of the suite have run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.seen import WHOLE
from fakecuda.rule import OPS

if TYPE_CHECKING:
    from conformance.seen import Seen


def test_every_rule_is_seen_broken_and_held(request: pytest.FixtureRequest, conformance_seen: Seen) -> None:
    """A rule that no case breaks could be deleted, and one that no case keeps could be all there is."""
    divided = hasattr(request.config, "workerinput")  # a worker of pytest-xdist makes a share of the tests
    if request.config.getoption("--target") != "recordings" or divided or not request.config.stash[WHOLE]:
        pytest.skip("a part of the suite cannot tell")
    missing = conformance_seen.missing(OPS.values())
    if missing:
        pytest.fail("\n".join(missing), pytrace=False)
