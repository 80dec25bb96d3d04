"""Pending slices, in queues by the hosts that may run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from conformance.fleet.slices import ORDER, Slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    Key = tuple[bool, int, str, str, int]


@define
class Pending:
    """Pending slices; lost slices come first in their queue."""

    _queues: dict[Key, dict[str, Slice]] = field(factory=dict)

    def add(self, one: Slice) -> None:
        """Add a slice at the end of its queue."""
        self._queues.setdefault(_key(one), {})[one.id] = one

    def put_back(self, one: Slice) -> None:
        """Add a slice at the front of its queue."""
        key = _key(one)
        self._queues[key] = {one.id: one, **self._queues.get(key, {})}

    def pop(self, one: Slice) -> None:
        """Remove a slice, if it is there."""
        key = _key(one)
        self._queues.get(key, {}).pop(one.id, None)
        if not self._queues.get(key, True):
            del self._queues[key]

    def firsts(self) -> list[Slice]:
        """Return the first slice of each queue, in order of priority."""
        return [next(iter(self._queues[key].values())) for key in sorted(self._queues)]

    def __iter__(self) -> Iterator[Slice]:
        for key in sorted(self._queues):
            yield from self._queues[key].values()

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))


def _key(one: Slice) -> Key:
    """Return the queue of a slice, which contains slices for the same hosts."""
    rank = ORDER.index(one.kind) if one.kind in ORDER else len(ORDER)
    return one.alone, rank, one.node, one.machine, one.gpus
