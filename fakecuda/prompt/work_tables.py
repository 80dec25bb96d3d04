"""Further tables of ``show``: streams, graphs, captures, code, arrays, user objects and findings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fakecuda.explain.reports.text import times
from fakecuda.model.code.module import Library, Module
from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import Graph
from fakecuda.prompt.facts import node_kind
from fakecuda.prompt.tables import Table, each, listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fakecuda.machine.machine import Machine
    from fakecuda.reach.process import Process

CAPTURE_MODES = {0: "global", 1: "thread-local", 2: "relaxed"}
"""The names of CUstreamCaptureMode values."""


@listing("streams")
def _streams(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for stream in process.streams.values():
            captures = process.captures
            capture = captures.of.get(stream) if captures is not None else None
            state = (
                f"captured by {capture.number}" if capture else f"{len(stream.work)} pending" if stream.work else "idle"
            )
            flags = f"{stream.flags:#x}", str(stream.priority)
            yield hex(stream.handle), hex(stream.context.handle), *flags, state

    return Table(("process", "stream", "context", ">flags", ">priority", "state"), each(machine, rows))


@listing("graphs", "graphs")
def _graphs(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in process.graphs.values():
            if isinstance(item, Graph):
                nodes = Counter(node_kind(node.kind) for node in item.nodes)
                what = "graph" if item.owner is None else f"graph in node {item.owner.handle:#x}"
            elif isinstance(item, Executable):
                nodes = Counter(node_kind(step.kind) for step in item.body.steps)
                what = "executable graph"
            else:
                continue
            yield hex(item.handle), what, ", ".join(f"{count} {name}" for name, count in nodes.items()) or "none"

    return Table(("process", "graph", "kind", "nodes"), each(machine, rows))


@listing("captures", "graphs")
def _captures(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for capture in process.captures.all() if process.captures is not None else ():
            streams = ", ".join(f"{stream.handle:#x}" for stream in capture.streams)
            state = "valid" if capture.valid else "invalidated"
            yield str(capture.number), hex(capture.graph.handle), CAPTURE_MODES[capture.mode], state, streams

    return Table(("process", ">capture", "graph", "mode", "state", "streams"), each(machine, rows))


@listing("code")
def _code(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in process.loaded.values():
            kind = type(item).__name__.lower()
            if isinstance(item, Module):
                detail = f"context {item.context.handle:#x}, kernels {', '.join(item.image.entries) or 'none'}"
            elif isinstance(item, Library):
                detail = f"{times(len(item.modules))} loaded as a module" if item.modules else "no module yet"
            else:
                detail = f"{item}"
            yield hex(item.handle), kind, detail

    return Table(("process", "handle", "kind", "detail"), each(machine, rows))


@listing("arrays")
def _arrays(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in process.arrays.values():
            yield hex(item.handle), str(item)
        for context in process.contexts.values():
            for seen in (*context.textures.values(), *context.surfaces.values()):
                yield str(seen.number), str(seen)

    return Table(("process", ">handle", "what"), each(machine, rows))


@listing("objects")
def _objects(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in process.user_objects.live.values():
            yield hex(item.handle), str(item.owned), str(item.held)

    return Table(("process", "user object", ">owned", ">held by graphs"), each(machine, rows))


@listing("findings")
def _findings(machine: Machine) -> Table:
    rows = [(one.process, one.call, one.rule.id) for one in machine.findings]
    return Table(("process", "call", "rule"), rows)
