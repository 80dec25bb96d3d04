"""The facts that ``show`` prints about an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.model.code.linking import Linker
from fakecuda.model.code.module import Function, Kernel, Library, Module
from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import Graph, Node
from fakecuda.model.machine import Machine
from fakecuda.model.os.process import Process
from fakecuda.model.work.stream import Stream
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HIDDEN = frozenset(
    {
        "arena",
        "block",
        "blocks",
        "chunk",
        "chunks",
        "created",
        "data",
        "ended",
        "extent",
        "holes",
        "line",
        "logs",
        "open_block",
        "origin",
        "params",
        "process",
    }
)
"""Members left out of a description: the title and the history show some; the others are internal."""
NODE_KINDS = {
    value: name.removeprefix("CU_GRAPH_NODE_TYPE_").lower() for name, value in ENUMS["CUgraphNodeType"].items()
}
"""The names of CUgraphNodeType values."""


def node_kind(kind: int) -> str:
    """Return a CUgraphNodeType as a word, such as ``kernel``."""
    return NODE_KINDS.get(kind, str(kind))


def _kernel(item: Function | Kernel) -> Mapping[str, Any]:
    entry = item.entry
    return {
        "name": entry.name,
        "parameters": ", ".join(f"{size} bytes at {offset}" for offset, size in entry.params),
        "registers": entry.registers,
        "attributes": item.attributes,
    }


def _module(item: Module) -> Mapping[str, Any]:
    return {"functions": None, "kernels": list(item.image.entries), "variables": list(item.image.variables)}


def _library(item: Library) -> Mapping[str, Any]:
    return {"kernels": list(item.kernels), "modules": list(item.modules.values()), "image": f"{len(item.data)} bytes"}


def _node(item: Node) -> Mapping[str, Any]:
    ends = {
        "depends on": [f"{one.handle:#x}" for one in item.after],
        "before": [f"{one.handle:#x}" for one in item.before],
    }
    return {"kind": node_kind(item.kind), **ends, "embedded": list(item.embedded())}


def _graph(item: Graph) -> Mapping[str, Any]:
    nodes = [f"{node.handle:#x} {node_kind(node.kind)}" for node in item.nodes]
    return {"nodes": nodes, "user objects": list(item.objects), "added": None, "moved": None, "remembers": None}


def _executable(item: Executable) -> Mapping[str, Any]:
    steps = [node_kind(step.kind) + " (disabled)" * (not step.enabled) for step in item.body.steps]
    return {"steps": steps, "body": None, "placed": None}


def _stream(item: Stream) -> Mapping[str, Any]:
    captures = item.context.process.captures
    return {
        "work": f"{len(item.work)} pending" if item.work else "",
        "capture": captures.of.get(item) if captures is not None else None,
    }


def _linker(item: Linker) -> Mapping[str, Any]:
    return {"inputs": [one.name for one in item.inputs]}


FACTS: dict[type, Callable[[Any], Mapping[str, Any]]] = {
    Function: _kernel,
    Kernel: _kernel,
    Module: _module,
    Library: _library,
    Node: _node,
    Graph: _graph,
    Executable: _executable,
    Stream: _stream,
    Linker: _linker,
}
"""By class, functions that return additional or replacing facts."""


def facts_of(item: Any) -> dict[str, Any]:
    """Return the facts about an object of the model, by name.

    A member without a text for people is left out.
    """
    names = [field.name for field in attrs.fields(type(item)) if field.name not in HIDDEN]
    facts = {name: getattr(item, name) for name in names if not name.startswith("_")}
    if hasattr(item, "size"):
        facts["size"] = item.size
    own = FACTS.get(type(item))
    if own is not None:
        facts |= own(item)
    return {name.replace("_", " "): _plain(value) for name, value in facts.items() if is_told(value)}


def is_told(value: Any) -> bool:
    """Return whether a value has readable text."""
    if value is None or isinstance(value, bool | int | str | bytes):
        return True
    if isinstance(value, dict):
        return all(is_told(part) for pair in value.items() for part in pair)
    if isinstance(value, tuple | list | set | frozenset):
        return all(is_told(part) for part in value)
    return isinstance(value, Process | Machine) or not is_internal(type(value))


def is_internal(kind: type) -> bool:
    """Return whether a class has no text of its own."""
    code = getattr(kind.__str__, "__code__", None) or getattr(kind.__repr__, "__code__", None)
    return code is None or code.co_filename.startswith("<attrs")


def _plain(value: Any) -> Any:
    """Return a value without named tuples, whose text has class names."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name.replace("_", " "): _plain(part) for name, part in value._asdict().items() if part not in (0, None)}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(part) for key, part in value.items()}
    return value
