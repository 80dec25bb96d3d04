"""Programs whose two accesses are ordered by a copy or a graph upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.fixtures import memset
from tests.model.racing import LEGACY, SIZE, Scene, fill
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable


def launched_behind_an_upload(scene: Scene) -> None:
    """A stream fills memory and uploads an executable graph, which another stream launches before it fills the memory."""
    graph = done(scene.c.cuGraphCreate(0))
    done(scene.c.cuGraphAddMemsetNode(graph, (), 0, memset(scene.own, width=SIZE), 0))
    ready = done(scene.c.cuGraphInstantiate(graph, 0))
    fill(scene, scene.one)
    done(scene.c.cuGraphUpload(ready, scene.one))
    done(scene.c.cuGraphLaunch(ready, scene.two))
    fill(scene, scene.two)


def between_devices(act: str, device: int = 1) -> Callable[[Scene], None]:
    """Return a program of a copy without a stream to another context, and work of both default streams before and after it.

    Args:
        act: The call.
        device: The device of the other context.
    """

    def program(scene: Scene) -> None:
        first = done(scene.c.cuCtxGetCurrent())
        second = done(scene.c.cuCtxCreate(None, 0, device))
        there = int(done(scene.c.cuMemAlloc(4096)))
        done(scene.c.cuMemsetD8Async(there, 1, SIZE, LEGACY))
        done(scene.c.cuCtxSetCurrent(first))
        fill(scene, LEGACY)
        contexts = (second, scene.common, first) if act == "cuMemcpyPeer" else (scene.common,)
        done(getattr(scene.c, act)(there, *contexts, SIZE))
        fill(scene, LEGACY)
        done(scene.c.cuCtxSetCurrent(second))
        done(scene.c.cuMemsetD8Async(there, 1, SIZE, LEGACY))

    return program
