"""Fleets on a Ray cluster: several of its nodes on this host, with GPUs that are said to be there, one killed meanwhile."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fleet import command
from conformance.fleet.journal import NAME
from conformance.fleet.slices import AGREES, DIFFERS

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'fakecuda[fleet]'")
from conformance.fleet.on_ray import OnRay  # noqa: E402 - it needs Ray

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.fleet.nodes import Ended, Host
    from conformance.fleet.slices import Slice

pytestmark = [
    pytest.mark.long("it starts the nodes of a Ray cluster, and needs an extra"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]
GPUS = {"one": 2, "two": 1, "three": 2}


class Nodes:
    """The nodes of a cluster on this host."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster  # noqa: PLC0415 - likewise

        head = {"num_cpus": 1, "num_gpus": 0, "node_name": "head", "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = {
            name: self.cluster.add_node(num_cpus=1, num_gpus=gpus, node_name=name) for name, gpus in GPUS.items()
        }

    def kill(self, name: str) -> None:
        """End a node, as a host that loses its power."""
        self.cluster.remove_node(self.nodes.pop(name), allow_graceful=False)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """Return the nodes of a cluster."""
    made = Nodes()
    yield made
    ray.shutdown()
    made.cluster.shutdown()


class Happening(OnRay):
    """A cluster with an event when a host receives its first slice.

    Args:
        address: The cluster's.
        node: The host.
        happen: What happens, with the slice under way.
        late: A host that is seen when another one has found a difference, so that the other one does for certain.
    """

    def __init__(self, address: str, node: str, happen: Any, late: str) -> None:
        super().__init__(address)
        self.late = late
        self.node, self.happen, self.happened, self.where = node, happen, False, dict[int, str]()
        self.ended = Counter[str]()

    def hosts(self) -> list[Host]:
        """Return the hosts that are seen."""
        return [host for host in super().hosts() if host.name != self.late]

    def open(self, node: str, gpus: int) -> int:
        """Note where a group is."""
        number = super().open(node, gpus)
        self.where[number] = node
        return number

    def submit(self, group: int, one: Slice, given: dict[str, Any], seconds: float) -> None:
        """Have it happen right after the slice was submitted."""
        super().submit(group, one, given, seconds)
        if self.where[group] == self.node and one.kind in {"suite", "search"} and not self.happened:
            self.happened = True
            self.happen()

    def wait(self, seconds: float) -> list[Ended]:
        """Count what was told."""
        ended = super().wait(seconds)
        self.ended.update(one.id for one in ended if one.result is not None)
        told = [told for one in ended for told in (one.result or {}).get("journal", {}).get("told", ())]
        if any(one["kind"] == "difference" for one in told):
            self.late, self._looked = "", 0.0
        return ended


class Interrupted(OnRay):
    """A cluster that is interrupted after a slice of the suite.

    Args:
        address: The cluster's.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.enough = False

    def wait(self, seconds: float) -> list[Ended]:
        """Raise an interrupt when it is time.

        Raises:
            KeyboardInterrupt: It is.
        """
        if self.enough:
            raise KeyboardInterrupt
        ended = super().wait(seconds)
        self.enough = any(one.id.startswith("suite/h200") and one.result is not None for one in ended)
        return ended


def line(out: Path, *more: str) -> list[str]:
    """Return a run of models over checks of a call, with a bug that one host has."""
    told = ["--address", "given", "--target", "model", "--seed", "7", "--out", str(out), "--size", "1", "--jobs", "1"]
    return [*told, "--only", "test_mem_alloc.py", "--hours", "0.1", *more]


def checks(out: Path) -> Counter[tuple[str, int]]:
    """Return how often each check of a driver was asked, as the journal has it."""
    found: Counter[tuple[str, int]] = Counter()
    for text in (out / NAME).read_text().splitlines()[1:]:
        told = json.loads(text)
        if told.get("slice", {}).get("kind") == "suite" and told["slice"]["machine"]:
            items, result = told["slice"]["items"], told["result"]
            gone = {place for place, *_ in result["lacks"]} | set(result["left"])
            found.update((group, number) for place, (group, number) in enumerate(items) if place not in gone)
    return found


def test_what_dies_is_done_elsewhere_and_bugs_are_told_of_their_hosts(nodes: Nodes, tmp_path: Path) -> None:
    """Every check is asked once; the search's difference is shown by the host that has the bug, and by no other."""
    does = Happening(nodes.cluster.address, "two", lambda: nodes.kill("two"), "three")
    planted = ["--planted", "one=count", "--kinds", "suite,search", "--chapters", "va", "--slices", "30"]
    assert command.main(line(tmp_path, *planted), does) == command.DIFFERENT
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["ended"] == "all is done"
    assert (report["given up"], report["told twice"], report["not reached"]) == ({}, [], {})
    assert "two" in {node for _, node, _ in report["lost"]}
    assert {one["name"] for one in report["hosts"] if one["out"]} <= {"two"}  # Ray takes a while to know
    asked = checks(tmp_path)
    assert set(asked.values()) == {1}
    assert len(asked) == sum(one["checks"]["of"] for one in report["machines"] if one["machine"] == "h200") > 20
    assert set(does.ended.values()) == {1}
    found = [one for one in report["differences"] if one["kind"] == "difference"]
    assert {one["call"] for one in found} == {"cuMemCreate"}
    for one in found:
        assert one["hosts"]["one"][0] == DIFFERS
        assert one["hosts"]["three"][0] == AGREES
        assert one["steps"] <= 12
    drawn = {one["machine"]: one["search"]["programs"] for one in report["machines"] if one["gpus"] == 2}
    assert drawn == {"h200": 30}


def test_an_interrupt_ends_a_run_that_is_gone_on_with(nodes: Nodes, tmp_path: Path) -> None:
    """With what is known; the second run asks what the first has not."""
    first = Interrupted(nodes.cluster.address)
    assert command.main(line(tmp_path, "--kinds", "suite"), first) == command.CUT_OFF
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["ended"] == "interrupted"
    assert report["not reached"]["suite"] > 0
    known = checks(tmp_path)
    second = OnRay(nodes.cluster.address)
    assert command.main(["--address", "given", "--resume", str(tmp_path)], second) == command.NOTHING
    asked = checks(tmp_path)
    assert set(asked.values()) == {1}
    assert len(asked) > len(known) > 0
