"""Slices that nobody does yet, by who may do them: those of a kind are one queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from conformance.fleet.slices import ORDER, Slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    Key = tuple[bool, int, str, str, int]


@define
class Pending:
    """Slices that nobody does yet; what was lost comes first among its like."""

    _queues: dict[Key, dict[str, Slice]] = field(factory=dict)

    def add(self, one: Slice) -> None:
        """Add a slice behind its like."""
        self._queues.setdefault(_key(one), {})[one.id] = one

    def put_back(self, one: Slice) -> None:
        """Add a slice before its like."""
        key = _key(one)
        self._queues[key] = {one.id: one, **self._queues.get(key, {})}

    def pop(self, one: Slice) -> None:
        """Take a slice out, if it is there."""
        key = _key(one)
        self._queues.get(key, {}).pop(one.id, None)
        if not self._queues.get(key, True):
            del self._queues[key]

    def firsts(self) -> list[Slice]:
        """Return the first slice of each queue, in the order in which they are to be done."""
        return [next(iter(self._queues[key].values())) for key in sorted(self._queues)]

    def __iter__(self) -> Iterator[Slice]:
        for key in sorted(self._queues):
            yield from self._queues[key].values()

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))


def _key(one: Slice) -> Key:
    """Return what slices have in common that the same hosts may do: what is last is done last."""
    rank = ORDER.index(one.kind) if one.kind in ORDER else len(ORDER)
    return one.alone, rank, one.node, one.machine, one.gpus
