"""The repository stays small: recordings are most of it, and have a budget."""

from __future__ import annotations

from conformance import DATA

BUDGET = 9_000_000
"""The maximum size of all recordings in bytes; raise it with a reason."""
LARGEST = 300_000
"""The maximum size of a file of recordings in bytes."""


def test_recordings_stay_within_their_budget() -> None:
    """A recording that says what another one says is left out; programs that agree with the model need no copy for each card."""
    sizes = {path.relative_to(DATA).as_posix(): path.stat().st_size for path in DATA.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    most = sorted(sizes, key=lambda name: -sizes[name])[:5]
    told = ", ".join(f"{name} {sizes[name]:,}" for name in most)
    assert total <= BUDGET, f"{total:,} bytes are more than {BUDGET:,}: the largest are {told}"


def test_no_recording_is_plain_text_that_could_be_compressed() -> None:
    """A file above the limit is written as .jsonl.gz."""
    large = [path.name for path in DATA.rglob("*.jsonl") if path.stat().st_size > LARGEST]
    assert large == []
