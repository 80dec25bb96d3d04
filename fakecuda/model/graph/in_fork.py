"""Graphs in a forked process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from fakecuda.model.graph.conditional import Condition
from fakecuda.model.graph.executables import Body, Item, Step
from fakecuda.model.graph.graph import CHILD, CONDITIONAL, Graph, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.graph.user_object import UserObject
    from fakecuda.model.os.process import Process


def in_fork(fork: Process, items: Mapping[int, Item], objects: Mapping[UserObject, UserObject]) -> dict[int, Item]:
    """Return a fork's copies of the graphs of a process, with the same handles.

    Args:
        fork: The fork, which already has copies of the events.
        items: The graphs, their nodes, and the executable graphs, by handle.
        objects: The fork's copies of user objects.
    """
    twins: dict[Any, Any] = {
        item: evolve(item) if isinstance(item, Node) else evolve(item, process=fork) for item in items.values()
    }
    graphs = [item for item in items.values() if isinstance(item, Graph)]
    twins |= {condition: evolve(condition) for graph in graphs for condition in graph.conditions.values()}
    for twin in twins.values():
        if isinstance(twin, Graph):
            twin.nodes, twin.roots, twin.leaves = (
                {twins[node]: None for node in nodes} for nodes in (twin.nodes, twin.roots, twin.leaves)
            )
            twin.owner = twins.get(twin.owner)
            twin.objects = {objects[item]: count for item, count in twin.objects.items()}
            twin.conditions = {number: twins[one] for number, one in twin.conditions.items()}
        elif isinstance(twin, Condition):
            twin.graph, twin.node = twins.get(twin.graph, twin.graph), twins.get(twin.node)
        elif isinstance(twin, Node):
            twin.graph = twins[twin.graph]
            twin.after, twin.before = (
                {twins[node]: data for node, data in side.items()} for side in (twin.after, twin.before)
            )
            if twin.kind == CHILD:
                twin.params = twins[twin.params]
            elif twin.kind == CONDITIONAL:
                bodies = tuple(twins.get(one, one) for one in twin.params.bodies)  # a broken capture has ended some
                twin.params = evolve(twin.params, condition=twins[twin.params.condition], bodies=bodies)
        else:
            twin.graph = twins.get(twin.graph, twin.graph)
            twin.body = _twin_of(twin.body, twins)
            twin.placed = None if twin.placed is None else _twin_of(twin.placed, twins)
            twin.runs, twin.waits = 0, False
    return {item.handle: twins[item] for item in items.values()}


def _twin_of(body: Body, twins: Mapping[Any, Any]) -> Body:
    """Return a fork's copy of a body; steps of destroyed nodes keep the parent's node."""

    def copied(step: Step) -> Any:
        if step.kind == CONDITIONAL:
            condition = twins.get(step.params.condition, step.params.condition)
            return evolve(
                step.params, condition=condition, bodies=tuple(_twin_of(one, twins) for one in step.embedded())
            )
        return _twin_of(step.params, twins) if step.kind == CHILD else step.params

    copies = {step: evolve(step, node=twins.get(step.node, step.node), params=copied(step)) for step in body.steps}
    order, leaves = ([copies[step] for step in steps] for steps in (body.order, body.leaves))
    return Body(list(copies.values()), order, leaves, body.gone)
