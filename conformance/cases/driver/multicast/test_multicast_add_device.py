"""cuMulticastAddDevice: add a device to the team of a multicast object.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from conformance.cases.driver.multicast.fixtures import SUPPORTED, check_described, described, empty, refuse, team
from conformance.cases.driver.va.fixtures import on_model
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMulticastAddDevice", mcHandle=empty(w, a), dev=0)


entry = Entry("cuMulticastAddDevice", valid)
refuse(entry)
entry.breaks("DEVICE_IS_VALID", dev=-1)
entry.breaks("DEVICE_IS_VALID", "beyond the last", dev=99)
entry.also("the second device", dev=1)


@entry.world("DEVICE_IS_NEW")
def added(_: World, i: Invocation) -> None:
    i.run()


@entry.world("DEVICE_IS_NEW", "to a complete team")
def added_to_all(w: World, i: Invocation) -> Invocation:
    return i.evolve(mcHandle=team(w, i.process))


@entry.world("TEAM_HAS_ROOM")
def complete(w: World, i: Invocation) -> Invocation:
    return i.evolve(mcHandle=team(w, i.process, 1), dev=1)


@entry.also("to two teams")
def twice(w: World, i: Invocation) -> None:
    team(w, i.process)


@entry.also("after the other one")
def after_the_other(_: World, i: Invocation) -> None:
    i.process.ok.cuMulticastAddDevice(i.args["mcHandle"], 1)


@entry.also("without a context")
def bare(_: World, i: Invocation) -> Invocation:
    return i.on_thread("bare")


test_multicast_add_device = entry.test()


def test_device_supports_multicast() -> None:
    """A device supports multicast or not."""
    first, second = load("h200-x2").devices
    old = attrs.evolve(first, attributes=first.attributes | {SUPPORTED: 0})
    on_model(entry, "DEVICE_SUPPORTS_MULTICAST", Result.NOT_SUPPORTED, lambda *_: None, devices=(old, second))


@pytest.mark.parametrize("pairs", [{(0, 1), (1, 0)}, {(0, 1)}, {(1, 0)}])
@pytest.mark.parametrize("gone", [False, True])
def test_clique_is_one(pairs: set[tuple[int, int]], *, gone: bool) -> None:
    """Team devices need access to each other and a common clique."""
    peers = dict(load("h200-x2").peers)
    for pair in pairs:
        if gone:
            del peers[pair]
        else:
            peers[pair] = attrs.evolve(peers[pair], can_access=False)

    def with_another(_: World, i: Invocation) -> None:
        i.process.ok.cuMulticastAddDevice(i.args["mcHandle"], 1)

    on_model(entry, "CLIQUE_IS_ONE", Result.INVALID_DEVICE, with_another, peers=peers)


def test_teams_suffice() -> None:
    """A released object makes room for another."""

    def in_another(w: World, i: Invocation) -> None:
        a = i.process
        a.ok.cuMemRelease(team(w, a))
        other = a.ok.cuMulticastCreate(described())
        a.ok.cuMulticastAddDevice(other, 0)
        a.ok.cuMulticastAddDevice(i.args["mcHandle"], 1)

    check_described(entry, "TEAMS_SUFFICE", Result.OUT_OF_MEMORY, in_another, teams=1)
