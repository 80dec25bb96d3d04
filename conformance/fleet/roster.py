"""The hosts of a fleet, and the groups of their GPUs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.fleet.nodes import Group, Node

if TYPE_CHECKING:
    from conformance.fleet.nodes import Executor
    from conformance.fleet.slices import Slice

REST = 10.0
"""Seconds that a host is not used after a loss, until it is known to be alive."""
UNSTARTED = 3
"""Failed starts of slices after which a host is not used any more."""


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
        """Update the hosts; return new hosts, and the names of lost ones."""
        hosts = {host.name: host for host in self.executor.hosts()}
        new = [Node(name, host.gpus) for name, host in hosts.items() if name not in self.nodes]
        self.nodes |= {node.name: node for node in new}
        for name in set(hosts) - self.there:
            self.nodes[name].gpus = hosts[name].gpus
        gone = sorted(self.there - set(hosts))
        self.there = set(hosts)
        return new, gone

    def usable(self) -> list[Node]:
        """Return the available hosts that are used."""
        return [node for node in self.nodes.values() if node.name in self.there and not node.out]

    def rested(self) -> list[Node]:
        """Return the usable hosts that can receive slices now."""
        now = time.monotonic()
        return [node for node in self.usable() if now >= node.resting]

    def widest(self, machine: str) -> int:
        """Return the maximum number of GPUs of a host of a kind of machine."""
        return max((node.gpus for node in self.nodes.values() if node.machine == machine and not node.out), default=1)

    def groups_of(self, node: str) -> list[Group]:
        """Return the groups of GPUs of a host."""
        return self.groups.setdefault(node, [])

    def has_room(self, node: Node) -> bool:
        """Return whether a host has room for a slice now."""
        groups = self.groups_of(node.name)
        free = node.gpus - sum(group.gpus for group in groups)
        return bool(free) or any(not group.alone and len(group.busy) < self.jobs for group in groups)

    def room(self, node: Node, one: Slice) -> Group | None:
        """Return a group of a host with room for a slice, or a new one; None if none fits.

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
        """Release a group of GPUs."""
        self.groups[group.node].remove(group)
        self.executor.shut(group.number)

    def begins(self, one: Slice, group: Group) -> None:
        """Note that a group begins a slice."""
        group.busy.add(one.id)
        group.alone = one.alone

    def ends(self, one: Slice, group: Group) -> None:
        """Note that a group has ended a slice."""
        group.busy.discard(one.id)
        group.alone = False

    def failed(self, node: Node, problem: str, *, unstarted: bool, kept: bool) -> None:
        """Note a lost slice of a host: let it rest, or retire it if nothing starts."""
        if unstarted:
            node.failures += 1
            node.out = problem if node.failures >= UNSTARTED else ""
        if not kept:
            node.resting = time.monotonic() + REST
