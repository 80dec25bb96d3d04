"""An executor on a Ray cluster, the only module of a fleet that uses Ray.

A group of GPUs is an actor that asks for so many on its host, so that Ray shows it these alone; its lanes are threads.
Ray makes nothing again: a fleet does, and knows so what was lost.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import ray
from attrs import define, field
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from conformance.fleet.lanes import Lane
from conformance.fleet.nodes import Ended, Host
from conformance.fleet.one_host import run

if TYPE_CHECKING:
    from conformance.fleet.slices import Slice

GPU = "GPU"
OFTEN = 1.0
"""Seconds between looks at the cluster's hosts."""


class Lanes:
    """The lanes of a group of GPUs, in a Ray actor.

    Args:
        count: How many there are.
    """

    def __init__(self, count: int) -> None:
        self._free: queue.Queue[Lane] = queue.Queue()
        for _ in range(count):
            self._free.put(Lane())

    def run(self, one: Slice, given: dict[str, Any], seconds: float) -> Ended:
        """Run a slice in a free lane, and return how it ended."""
        lane = self._free.get()
        try:
            return run(lane, one, given, seconds)
        finally:
            self._free.put(lane)


@define(eq=False)
class OnRay:
    """The hosts of a Ray cluster with GPUs.

    Attributes:
        address: The cluster's address; ``auto`` for the one of this host.
        jobs: Lanes of a group of GPUs.
    """

    address: str
    jobs: int = 1
    _ids: dict[str, str] = field(factory=dict, init=False)
    _actors: dict[int, Any] = field(factory=dict, init=False)
    _tasks: dict[Any, tuple[int, str]] = field(factory=dict, init=False)
    _hosts: list[Host] = field(factory=list, init=False)
    _looked: float = field(default=0.0, init=False)
    _count: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        ray.init(address=self.address, namespace="fakecuda-fleet", log_to_driver=False, logging_level="error")

    def hosts(self) -> list[Host]:
        """Return the live hosts, with unique names."""
        if time.monotonic() < self._looked + OFTEN:
            return self._hosts
        self._looked = time.monotonic()
        alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get(GPU, 0) >= 1]
        names = Counter(_name(node) for node in alive)
        self._ids, self._hosts = {}, []
        for node in alive:
            name = _name(node)
            name = f"{name}-{node['NodeID'][:8]}" if names[name] > 1 else name
            self._ids[name] = node["NodeID"]
            self._hosts.append(Host(name, int(node["Resources"][GPU])))
        return self._hosts

    def open(self, node: str, gpus: int) -> int:
        """Request GPUs of a host; submitted slices wait until Ray has them."""
        self._count += 1
        strategy = NodeAffinitySchedulingStrategy(self._ids[node], soft=False)
        lanes = ray.remote(Lanes).options(
            num_cpus=0,
            num_gpus=gpus,
            scheduling_strategy=strategy,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=self.jobs,
        )
        self._actors[self._count] = lanes.remote(self.jobs)
        return self._count

    def shut(self, group: int) -> None:
        """Kill an actor with its helpers."""
        ray.kill(self._actors.pop(group))
        self._tasks = {task: told for task, told in self._tasks.items() if told[0] != group}

    def submit(self, group: int, one: Slice, given: dict[str, Any], seconds: float) -> None:
        """Submit a slice to an actor."""
        self._tasks[self._actors[group].run.remote(one, given, seconds)] = (group, one.id)

    def wait(self, seconds: float) -> list[Ended]:
        """Return ended slices; a slice whose host or actor died is lost."""
        if not self._tasks:
            time.sleep(seconds)
            return []
        ready, _ = ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=0)
        if not ready:
            ready, _ = ray.wait(list(self._tasks), timeout=seconds)
        ended = []
        for task in ready:
            _, name = self._tasks.pop(task)
            try:
                ended.append(ray.get(task))
            except RayError as error:
                told = " ".join(str(error).split())[:300]
                ended.append(Ended(name, problem=f"its host or its actor died ({type(error).__name__}: {told})"))
        return ended

    def close(self) -> None:
        """Kill the actors, and disconnect from the cluster."""
        for number in list(self._actors):
            self.shut(number)
        ray.shutdown()


def _name(node: dict[str, Any]) -> str:
    """Return a host's name: the name it was started with, or its host name."""
    name, address = node.get("NodeName", ""), node.get("NodeManagerAddress", "")
    return str(name if name and name != address else node["NodeManagerHostname"])
