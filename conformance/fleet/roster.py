"""Which hosts there are, and which of their GPUs do slices together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.fleet.nodes import Group, Node

if TYPE_CHECKING:
    from conformance.fleet.nodes import Executor
    from conformance.fleet.slices import Slice

REST = 10.0
"""Seconds that a host is given nothing after something was lost there: whether it is gone is known only then."""
UNSTARTED = 3
"""Slices that cannot begin on a host, after which it is not used any more."""


@define
class Roster:
    """The hosts of a fleet.

    Attributes:
        executor: What does slices there.
        jobs: Slices that a group of GPUs does at a time.
        nodes: The hosts, those that are gone included.
        there: The names of those that are there.
        groups: The groups of the GPUs of each.
    """

    executor: Executor
    jobs: int = 1
    nodes: dict[str, Node] = field(factory=dict)
    there: set[str] = field(factory=set)
    groups: dict[str, list[Group]] = field(factory=dict)

    def look(self) -> tuple[list[Node], list[str]]:
        """Look which hosts are there; return those that are new, and the names of those that are gone."""
        hosts = {host.name: host for host in self.executor.hosts()}
        new = [Node(name, host.gpus) for name, host in hosts.items() if name not in self.nodes]
        self.nodes |= {node.name: node for node in new}
        for name in set(hosts) - self.there:
            self.nodes[name].gpus = hosts[name].gpus
        gone = sorted(self.there - set(hosts))
        self.there = set(hosts)
        return new, gone

    def usable(self) -> list[Node]:
        """Return the hosts that are there and are used."""
        return [node for node in self.nodes.values() if node.name in self.there and not node.out]

    def rested(self) -> list[Node]:
        """Return those of them that can be given something now."""
        now = time.monotonic()
        return [node for node in self.usable() if now >= node.resting]

    def widest(self, machine: str) -> int:
        """Return how many GPUs the largest host of a kind of machine has."""
        return max((node.gpus for node in self.nodes.values() if node.machine == machine and not node.out), default=1)

    def groups_of(self, node: str) -> list[Group]:
        """Return the groups of GPUs of a host."""
        return self.groups.setdefault(node, [])

    def has_room(self, node: Node) -> bool:
        """Return whether a host can do anything more now."""
        groups = self.groups_of(node.name)
        free = node.gpus - sum(group.gpus for group in groups)
        return bool(free) or any(not group.alone and len(group.busy) < self.jobs for group in groups)

    def room(self, node: Node, one: Slice) -> Group | None:
        """Return a group of a host that can do a slice now, made if there are GPUs for it; None if there are not.

        Groups of another size that have nothing to do are given back for it.
        """
        groups = self.groups_of(node.name)
        for group in groups:
            most = 1 if one.alone else self.jobs
            if group.gpus == one.gpus and not group.alone and len(group.busy) < most:
                return group
        free = node.gpus - sum(group.gpus for group in groups)
        idle = [group for group in groups if not group.busy]
        if free + sum(group.gpus for group in idle) < one.gpus:
            return None
        while free < one.gpus:
            group = idle.pop()
            free += group.gpus
            self.shut(group)
        made = Group(self.executor.open(node.name, one.gpus), node.name, one.gpus)
        groups.append(made)
        return made

    def shut(self, group: Group) -> None:
        """Give a group of GPUs back."""
        self.groups[group.node].remove(group)
        self.executor.shut(group.number)

    def begins(self, one: Slice, group: Group) -> None:
        """Note that a group does a slice."""
        group.busy.add(one.id)
        group.alone = one.alone

    def ends(self, one: Slice, group: Group) -> None:
        """Note that a group has done with a slice."""
        group.busy.discard(one.id)
        group.alone = False

    def failed(self, node: Node, problem: str, *, unstarted: bool, kept: bool) -> None:
        """Note that a slice was lost on a host: it rests, and is not used any more where nothing can begin."""
        if unstarted:
            node.failures += 1
            node.out = problem if node.failures >= UNSTARTED else ""
        if not kept:
            node.resting = time.monotonic() + REST
