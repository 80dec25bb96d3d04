"""An executor for this host without Ray: lanes in threads, helpers for GPU groups."""

from __future__ import annotations

import queue
import socket
import threading
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fleet.lanes import CannotStartError, Lane, SliceFailedError
from conformance.fleet.nodes import Ended, Host

if TYPE_CHECKING:
    from conformance.fleet.slices import Slice

VISIBLE = "CUDA_VISIBLE_DEVICES"


@define(eq=False)
class _Group:
    gpus: list[str]
    lanes: list[Lane]


def run(lane: Lane, one: Slice, given: dict[str, Any], seconds: float) -> Ended:
    """Run a slice in a lane, and return how it ended."""
    try:
        return Ended(one.id, lane.run(one, given, seconds))
    except CannotStartError as error:
        return Ended(one.id, problem=str(error), unstarted=True, kept=True)
    except SliceFailedError as error:
        return Ended(one.id, problem=str(error), kept=True)


@define(eq=False)
class OneHost:
    """This host.

    Attributes:
        gpus: The GPUs that it has, as ``CUDA_VISIBLE_DEVICES`` names them.
        name: The host's name.
    """

    gpus: list[str]
    name: str = field(factory=socket.gethostname)
    _groups: dict[int, _Group] = field(factory=dict, init=False)
    _ended: queue.Queue[tuple[int, Ended]] = field(factory=queue.Queue, init=False)
    _count: int = field(default=0, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)

    def hosts(self) -> list[Host]:
        """Return this host."""
        return [Host(self.name, len(self.gpus))]

    def open(self, _: str, gpus: int) -> int:
        """Reserve some of the host's GPUs."""
        taken = {name for group in self._groups.values() for name in group.gpus}
        chosen = [name for name in self.gpus if name not in taken][:gpus]
        assert len(chosen) == gpus
        self._count += 1
        self._groups[self._count] = _Group(chosen, [])
        return self._count

    def shut(self, group: int) -> None:
        """Close the helpers of a group, and drop later results of its threads."""
        for lane in self._groups.pop(group).lanes:
            lane.close()

    def submit(self, group: int, one: Slice, given: dict[str, Any], seconds: float) -> None:
        """Have a lane of the group run a slice in a thread."""
        chosen = self._groups[group]
        with self._lock:
            lane = chosen.lanes.pop() if chosen.lanes else Lane({VISIBLE: ",".join(chosen.gpus)})

        def work() -> None:
            ended = run(lane, one, given, seconds)
            with self._lock:
                if self._groups.get(group) is chosen:
                    chosen.lanes.append(lane)
                else:
                    lane.close()
            self._ended.put((group, ended))

        threading.Thread(target=work, daemon=True).start()

    def wait(self, seconds: float) -> list[Ended]:
        """Return ended slices."""
        try:
            first = self._ended.get(timeout=seconds)
        except queue.Empty:
            return []
        found = [first]
        while not self._ended.empty():
            found.append(self._ended.get())
        return [ended for group, ended in found if group in self._groups]

    def close(self) -> None:
        """Close all helpers."""
        for number in list(self._groups):
            self.shut(number)
