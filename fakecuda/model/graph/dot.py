"""Graphs as DOT text, with a cluster for each graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import effect
from fakecuda.model.graph.graph import (
    BATCH_MEM_OP,
    CHILD,
    CONDITIONAL,
    EMPTY,
    EVENT_RECORD,
    HOST,
    KERNEL,
    MEM_ALLOC,
    MEM_FREE,
    MEMCPY,
    MEMSET,
    PLAIN,
    WAIT_EVENT,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from fakecuda.model.graph.graph import Graph, Node

VERBOSE, OF_KERNELS, OF_COPIES, OF_MEMSETS, OF_HOSTS, OF_EVENTS, HANDLES = 1, 4, 8, 16, 32, 64, 1 << 10
"""CUgraphDebugDot_flags."""
NAMES = {
    KERNEL: "KERNEL",
    MEMCPY: "MEMCPY",
    MEMSET: "MEMSET",
    HOST: "HOST",
    CHILD: "GRAPH",
    EMPTY: "EMPTY",
    WAIT_EVENT: "WAIT_EVENT",
    EVENT_RECORD: "EVENT_RECORD",
    MEM_ALLOC: "MEM_ALLOC",
    MEM_FREE: "MEM_FREE",
    BATCH_MEM_OP: "BATCH_MEM_OP",
    CONDITIONAL: "CONDITIONAL",
}
"""The names of CUgraphNodeType values."""
SHAPES = {KERNEL: "octagon", MEMCPY: "invtrapezium", MEMSET: "invtrapezium"}
"""Shapes of nodes by kind; other nodes are rectangles."""
PLACES = {1: "H", 2: "D", 3: "A", 4: "U"}
"""A letter for each CUmemorytype."""


def _of_kernel(launch: Any) -> dict[str, str]:
    return {"grid": str(launch.config.grid), "block": str(launch.config.block), "shared": str(launch.config.shared)}


def _of_copy(what: Any) -> dict[str, str]:
    params = what[0]
    source, target = (host or place or array for host, place, array in (params[5:8], params[16:19]))
    return {"src": f"{source:#x}", "dst": f"{target:#x}", "size": "x".join(map(str, params[-3:]))}


def _of_memset(what: Any) -> dict[str, str]:
    dst, pitch, value, size, width, height = what[0]
    params = {"pitch": pitch, "value": value, "elementSize": size, "width": width, "height": height}
    return {"dptr": f"{dst:#x}", **{name: str(one) for name, one in params.items()}}


PARAMS: dict[int, tuple[int, Callable[[Any], dict[str, str]]]] = {
    KERNEL: (OF_KERNELS, _of_kernel),
    MEMCPY: (OF_COPIES, _of_copy),
    MEMSET: (OF_MEMSETS, _of_memset),
    HOST: (OF_HOSTS, lambda what: {"fn": f"{what[0]:#x}", "userData": f"{what[1]:#x}"}),
    WAIT_EVENT: (OF_EVENTS, lambda event: {"event": f"{event.handle:#x}"}),
    EVENT_RECORD: (OF_EVENTS, lambda event: {"event": f"{event.handle:#x}"}),
}
"""By node kind, the flag for its parameters, and a function that formats them."""


@effect(beside="it is a file's")
def write(graph: Graph, file: TextIO, flags: int) -> None:
    """Write a graph to a file, and close the file.

    Args:
        graph: The graph.
        file: The file.
        flags: Which details of nodes to include, CUgraphDebugDot_flags.
    """
    with file:
        file.writelines(f"{line}\n" for line in ("digraph dot {", *_cluster(graph, flags), "}"))


def _cluster(graph: Graph, flags: int) -> Iterator[str]:
    name = f"graph_{graph.number}"
    yield f"subgraph cluster_{graph.number} {{"
    yield f'label="{name}" graph[style="dashed"];'
    for node in graph.nodes:
        yield f'"{_name(node)}"[style="{"bold" if node.kind == KERNEL else "solid"}" {_shown(node, flags)}"];'
        yield ""
        for embedded in node.embedded():
            yield from _cluster(embedded, flags)
    for node in graph.nodes:
        for other, data in node.before.items():
            label = "" if data == PLAIN else f'[label="ports {data[0]} to {data[1]}, type {data[2]}"]'
            yield f'"{_name(node)}" -> "{_name(other)}"{label};'
    yield "}"


def _name(node: Node) -> str:
    return f"graph_{node.graph.number}_node_{node.number}"


def _shown(node: Node, flags: int) -> str:
    """Return the shape and the label of a node.

    With requested details the label is a table.
    """
    details = _told(node, flags)
    if not details and not flags & VERBOSE:
        gap = " " * (node.kind not in {MEMSET, MEMCPY})
        lines = [str(node.number), *_lines(node)]
        return f'shape="{SHAPES.get(node.kind, "rectangle")}"{gap}label="' + "\n".join([*map(_quoted, lines), ""])
    rows = {"ID": str(node.number), **details}
    names, values = (" | ".join(map(_in_table, side)) for side in (rows, rows.values()))
    name = f"{NAMES[node.kind]} {node.params.function.entry.name}" if node.kind == KERNEL else NAMES[node.kind]
    return f'shape="record" label="{{\n{_in_table(name)}\n| {{{{{names}}} | {{{values}}}}}}}'


def _lines(node: Node) -> list[str]:
    """Return the lines of a node's label that are always shown."""
    if node.kind == KERNEL:
        return [node.params.function.entry.name]
    if node.kind == MEMSET:
        return [NAMES[MEMSET], f"({node.params[0][2]},{node.params[0][4]})"]
    if node.kind == MEMCPY:
        params = node.params[0]
        return [NAMES[MEMCPY], f"({PLACES.get(params[4], '?')}to{PLACES.get(params[15], '?')},{params[-3]})"]
    return [NAMES[node.kind]]


def _told(node: Node, flags: int) -> dict[str, str]:
    """Return the details of a node that the flags request, by name."""
    details = {"node handle": f"{node.handle:#x}"} if flags & (HANDLES | VERBOSE) else {}
    if flags & (HANDLES | VERBOSE) and node.kind == KERNEL:
        details["func handle"] = f"{node.params.function.handle:#x}"
    asked, params = PARAMS.get(node.kind, (0, dict))
    return details | (params(node.params) if flags & (asked | VERBOSE) and asked else {})


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _in_table(text: str) -> str:
    return re.sub(r'([\\{}|<>"])', r"\\\1", text)
