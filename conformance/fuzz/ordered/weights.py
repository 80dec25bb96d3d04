"""The choices of drawn programs, and their probabilities."""

from __future__ import annotations

from conformance.fuzz.ordered.program import BLOCKING, FIRST, LEGACY, NON_BLOCKING, OTHER, PER_THREAD, SECOND

CONTEXTS = (FIRST, FIRST, FIRST, FIRST, SECOND, OTHER)
KINDS = (NON_BLOCKING, NON_BLOCKING, NON_BLOCKING, BLOCKING, BLOCKING, LEGACY, PER_THREAD)
PALETTES = (
    *(("a",), ("a",), ("a", "b"), ("a", "h"), ("m", "n"), ("a", "s0"), ("s0", "s1"), ("b", "h"), ("a", "d")),
    *(("r", "a"), ("r", "h"), ("r", "t"), ("q", "a"), ("u",), ("u", "a"), ("u", "h")),
    *(("w", "a"), ("h", "w"), ("a", "c"), ("c",)),
)
"""The memory that a program uses."""
FAMILIES: dict[str, dict[str, int]] = {
    "events": {"record": 6, "wait": 6, "event_sync": 1, "event_query": 1, "elapsed": 1, "destroy_event": 1},
    "host": {
        "sync": 2,
        "query": 2,
        "context_sync": 1,
        "event_sync": 1,
        "event_query": 1,
        "record": 3,
        "limit": 1,
        "end": 1,
    },
    "contexts": {"context_record": 3, "context_wait": 3, "record": 2, "wait": 2, "context_sync": 1, "end_context": 2},
    "values": {"write": 5, "await": 4, "batch": 2, "reset": 2, "sync": 1},
    "functions": {"call": 3, "record": 1, "wait": 1},
    "ends": {"end": 3, "destroy_stream": 1, "destroy_event": 1, "sync": 1, "record": 2, "wait": 2},
    "waits": {
        **dict.fromkeys(("limit", "unload", "end_graph", "destroy_stream", "destroy_event", "end_context"), 1),
        "lock": 2,
        "record": 2,
        "wait": 1,
    },
    "pools": {"free": 3, "free_now": 1, "record": 2, "wait": 2},
    "graphs": {"launch": 5, "upload": 1, "record": 2, "wait": 2},
    "managed": {"prefetch": 2, "discard": 3, "attach": 1, "as_host": 1, "look": 2, "touch": 2, "sync": 2},
    "looks": {"look": 3, "touch": 3, "sync": 2, "event_sync": 1, "event_query": 1, "record": 2},
    "now": {
        "fill_now": 2,
        "rows_now": 1,
        "copy_now": 2,
        "box_now": 1,
        "fetch_now": 1,
        "put_now": 1,
        "fetch": 1,
        "put": 1,
        "say": 1,
    },
}
"""Families of ordering calls with weights; a program uses two families."""
USES = {"fill": 6, "copy": 3, "rows": 1, "box": 1}
"""Calls that use memory, with weights."""
ACCESSES = 0.45
"""The fraction of steps that use memory."""
VARIABLES = 5
"""One of so many programs uses a variable of a module in place of an allocation."""
STRICT, SYNCHRONOUS = 0.3, 0.2
"""How many of the programs run with ``races="strict"``, and how many with a synchronous second context."""
LINKED, MISSING, WAITED, EARLY, AGAIN, TWICE = 0.2, 0.25, 0.2, 0.4, 0.1, 0.3
"""How often two uses and a link are drawn at once, how often a part of the link is missing, how often the host waits, how often
a value is awaited before it is written or written long before, and how often an event is recorded again, or a value written twice, before it is awaited."""
