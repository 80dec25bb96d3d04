"""What real drivers answered, checked on a model of the machine that answered."""

from __future__ import annotations

from conformance.record.recordings import files
from conformance.record.replay import Recorded

test_recorded = Recorded(tuple(files()))
