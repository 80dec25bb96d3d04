"""The names of steps, by what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.fuzz.ordered.program import LOOKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fuzz.ordered.program import Node

USES = frozenset(
    [
        *(
            "fill",
            "rows",
            "copy",
            "box",
            "as_host",
            "prefetch",
            "discard",
            "attach",
            "fetch",
            "put",
            "allocate",
            "free",
            "reset",
        ),
        *("fill_now", "rows_now", "copy_now", "box_now", "fetch_now", "put_now"),
    ]
)
"""Calls that give a stream work that uses memory."""
EVENTS = frozenset(
    ["record", "wait", "event_sync", "event_query", "elapsed", "context_record", "context_wait", "destroy_event"]
)
"""Calls with an event."""
FROM_HOST = frozenset(["fetch", "fetch_now", "put", "put_now"])
"""Copies to and from host memory that is not page-locked."""
HOSTS = frozenset(
    [
        *("event_sync", "event_query", "elapsed", "context_record", "context_wait", "destroy_event"),
        *(
            "look",
            "touch",
            "fill_now",
            "rows_now",
            "copy_now",
            "box_now",
            "fetch_now",
            "put_now",
            "context_sync",
            "end",
        ),
        *("limit", "load", "unload", "end_graph", "end_context", "lock", "say", "free_now"),
    ]
)
"""Calls that use no stream of the actor."""
ORDERING = frozenset(["record", "wait", "write", "await", "call"])
"""Nodes that order the work of streams."""
QUERIES = frozenset(["query", "event_query", "elapsed"])
"""Calls that query completion without waiting."""
MAY_WAIT = frozenset(["limit", "load", "unload", "end_graph", "destroy_stream", "destroy_event", "end_context", "lock"])
"""Calls that wait on a card, without a promise of the manual."""
ASKS = frozenset(
    [
        *("sync", "query", "event_sync", "event_query", "elapsed", "context_sync", "say", "free_now", "end"),
        *MAY_WAIT,
        *LOOKS,
    ]
)
"""Calls that wait, query, or free memory at once."""


def waits(nodes: Sequence[Node]) -> bool:
    """Return whether a stream has work after a graph node."""
    return any(node.what in {"await", "call"} or (node.what == "child" and waits(node.args[0])) for node in nodes)
