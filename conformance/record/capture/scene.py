"""What questions about capture are made of: streams, graphs and what is told of them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from conformance.record.asking import Asker, copy3, enum

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTIONS: dict[str, Callable[[Asker], None]] = {}
"""By name."""
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NON_BLOCKING = 1
ROOM = 4096
KERNEL = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
\0"""


def question(ask: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Decorate a question about streams and graphs; its name becomes that of the question."""
    QUESTIONS[ask.__name__] = lambda a: ask(Scene(a))
    return ask


class Scene:
    """A process with a context, and short names for what is done to its streams and graphs."""

    def __init__(self, a: Asker) -> None:
        """Begin with a context."""
        self.a, self.cu = a, a.cu
        self.get, self.ask, self.tell = a.get, a.ask, a.tell
        self.context = a.begin()
        self.place = self.memory()
        self.second = ThreadPoolExecutor(1)

    def mode(self, number: int) -> Any:
        """Return a mode of capture, known or not."""
        return enum(self.cu.CUstreamCaptureMode, number)

    def stream(self, flags: int = NON_BLOCKING) -> Any:
        """Return a new stream."""
        return self.get("cuStreamCreate", flags)

    def event(self, flags: int = 0) -> Any:
        """Return a new event."""
        return self.get("cuEventCreate", flags)

    def memory(self) -> Any:
        """Return new memory of the device."""
        return self.get("cuMemAlloc", ROOM)

    def begin(self, stream: Any, mode: int = GLOBAL, label: str = "begin") -> None:
        """Begin to capture a stream."""
        self.ask(label, "cuStreamBeginCapture", stream, self.mode(mode))

    def fill(self, stream: Any, label: str = "fill") -> None:
        """Fill memory in a stream."""
        self.ask(label, "cuMemsetD8Async", self.place, 7, 16, stream)

    def look(self, stream: Any, label: str = "look") -> None:
        """Keep what is told of a stream's capture."""
        self.ask(label, "cuStreamIsCapturing", stream, show=int)
        self.ask(label, "cuStreamGetCaptureInfo", stream, show=self._info)

    def _info(self, said: list[Any]) -> Any:
        if int(said[0]) != 1:
            return int(said[0])
        nodes = said[3][: int(said[5])] if said[3] is not None else []
        return [int(said[0]), self.shape(said[2]), [self._place(said[2], one) for one in nodes]]

    def _nodes(self, graph: Any) -> list[int]:
        nodes, count = self.get("cuGraphGetNodes", graph, 64)
        return [int(one) for one in nodes[: int(count)]]

    def _place(self, graph: Any, node: Any) -> int:
        nodes = self._nodes(graph)
        return nodes.index(int(node)) if int(node) in nodes else -1

    def shape(self, graph: Any) -> Any:
        """Return the kinds of a graph's nodes, and its edges by their places."""
        if not int(graph):
            return None
        nodes = self._nodes(graph)
        kinds = [int(self.get("cuGraphNodeGetType", self.cu.CUgraphNode(one))) for one in nodes]
        first, second, _, count = self.get("cuGraphGetEdges", graph, 64)
        ends = zip(first[: int(count)], second[: int(count)], strict=True)
        return [kinds, sorted([nodes.index(int(one)), nodes.index(int(other))] for one, other in ends)]

    def end(self, stream: Any, label: str = "end") -> Any:
        """End a capture, and keep what came of it."""
        return self.ask(label, "cuStreamEndCapture", stream, show=self.shape)

    def elsewhere(self, act: Callable[[], object]) -> None:
        """Do something in a thread of its own, with the context current."""

        def run() -> None:
            self.get("cuCtxSetCurrent", self.context)
            act()

        other = threading.Thread(target=run)
        other.start()
        other.join()

    def there(self, act: Callable[[], object]) -> None:
        """Do something in a second thread, always the same one, with the context current."""

        def run() -> None:
            self.get("cuCtxSetCurrent", self.context)
            act()

        self.second.submit(run).result()

    def graph(self, nodes: int = 0) -> Any:
        """Return a new graph with empty nodes."""
        made = self.get("cuGraphCreate", 0)
        for _ in range(nodes):
            self.get("cuGraphAddEmptyNode", made, None, 0)
        return made

    def executable(self, graph: Any) -> Any:
        """Return what is made of a graph."""
        return self.get("cuGraphInstantiate", graph, 0)

    def memset(self, place: Any, value: int = 7, width: int = 16, height: int = 1, size: int = 1) -> Any:
        """Return parameters of a memset."""
        made = self.cu.CUDA_MEMSET_NODE_PARAMS()
        made.dst, made.value, made.width, made.height, made.elementSize = place, value, width, height, size
        made.pitch = 64 if height > 1 else 0
        return made

    def copy(self, target: Any, source: Any, size: int = 16) -> Any:
        """Return parameters of a copy."""
        return copy3(
            self.cu,
            dstMemoryType=2,
            srcMemoryType=2,
            dstDevice=target,
            srcDevice=source,
            WidthInBytes=size,
            Height=1,
            Depth=1,
        )
