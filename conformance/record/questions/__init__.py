"""Questions to a real driver that no case asks: what waits, what lives on, what else a call says of itself.

A question is a program without an expectation. It is recorded as cases are, and what the model answers to the same
calls is compared with the recording; what turns out to be a rule becomes a case.
"""

from __future__ import annotations

from conformance.record.questions import (
    beyond,
    conditionals,
    contexts,
    copies,
    crossing,
    devices,
    devices_again,
    ended,
    exporters,
    faults,
    forks,
    found,
    found_again,
    graphs_again,
    libraries,
    locked,
    managed,
    places,
    pools,
    pools_again,
    ranges,
    runtime,
    runtime_again,
    runtime_arrays,
    runtime_batches,
    runtime_captures,
    searched,
    statements,
    streams,
)
from conformance.record.questions.fixtures import QUESTIONS, Question

__all__ = [
    "QUESTIONS",
    "Question",
    "beyond",
    "conditionals",
    "contexts",
    "copies",
    "crossing",
    "devices",
    "devices_again",
    "ended",
    "exporters",
    "faults",
    "forks",
    "found",
    "found_again",
    "graphs_again",
    "libraries",
    "locked",
    "managed",
    "places",
    "pools",
    "pools_again",
    "ranges",
    "runtime",
    "runtime_again",
    "runtime_arrays",
    "runtime_batches",
    "runtime_captures",
    "searched",
    "statements",
    "streams",
]
