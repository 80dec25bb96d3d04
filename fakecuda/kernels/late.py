"""Global memory as a block of a launch in a drawn order sees it, and the instructions where a drawn order may differ.

The weak stores of a block may reach other blocks late, and in another order: sections 8.7 and 8.9 of the PTX ISA manual. A fence of
a thread, or an operation that releases, makes all earlier stores of its block. So some missing fences have no effect, and no
order is wrong that the manual does not allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.spaces import GlobalMemory

USES = frozenset({"ld", "ldu", "st", "atom", "red"})
FENCES = frozenset({"membar", "fence"})
STRONG = frozenset({".volatile", ".relaxed", ".acquire", ".release", ".mmio"})
RELEASES = frozenset({".release", ".acq_rel"})
ACQUIRES = frozenset({".acquire", ".acq_rel"})
OWN = frozenset({".local", ".param", ".const", ".param::entry", ".param::func"})
"""Modifiers of accesses that no other thread sees, or that change nothing."""
MOST = 64
"""The maximum late stores of a block; one more makes the oldest."""


def is_point(instruction: Instruction) -> bool:
    """Return whether threads may be switched before an instruction: its order matters to others."""
    name, words = instruction.name, instruction.modifiers
    if name not in USES:
        return name in FENCES
    if any(one.startswith(".shared") for one in words):
        return name in {"atom", "red"} or not STRONG.isdisjoint(words)
    return OWN.isdisjoint(words)


def is_release(instruction: Instruction) -> bool:
    """Return whether other blocks see all earlier stores before an instruction acts."""
    words = instruction.modifiers
    if ".cta" in words:
        return False
    return instruction.name in FENCES or (instruction.name in USES and not RELEASES.isdisjoint(words))


def is_fence(instruction: Instruction) -> bool:
    """Return whether an instruction releases or acquires for other blocks, or lets strong accesses beside it do so."""
    words = instruction.modifiers
    acquires = instruction.name in USES and ".cta" not in words and not ACQUIRES.isdisjoint(words)
    return acquires or is_release(instruction)


def releasing(op: Callable[[list[Any]], None]) -> Callable[[list[Any]], None]:
    """Return an instruction before which other blocks see all earlier stores of its block."""

    def act(slots: list[Any]) -> None:
        slots[0].memory.make_all()
        op(slots)

    return act


@define(eq=False)
class LateMemory:
    """Global memory as one block sees it.

    Attributes:
        whole: The memory that all blocks see.
        late: The stores that other blocks do not see yet, by their address: size and value. The oldest is first.
    """

    whole: GlobalMemory
    late: dict[int, tuple[int, int]] = field(factory=dict)

    def load(self, address: int, size: int) -> int:
        """Return the bytes at an address as an integer."""
        return self._seen(address, size, self.whole.load(address, size))

    def front(self, address: int, size: int, spare: int) -> int:
        """Return the bytes of a vector, without unused bytes at its end."""
        return self._seen(address, size - spare, self.whole.front(address, size, spare))

    def poll(self, address: int, size: int) -> int:
        """Return the value that a strong load reads."""
        return self._seen(address, size, self.whole.poll(address, size))

    def store(self, address: int, size: int, value: int) -> None:
        """Write the bytes of an integer late."""
        self.whole.peek(address, size)  # a fault comes now
        self._make(address, size, besides=address if self.late.get(address, (size,))[0] == size else None)
        self.late.pop(address, None)
        self.late[address] = size, value
        if len(self.late) > MOST:
            self.make(next(iter(self.late)))

    def change(self, address: int, size: int, value: int) -> None:
        """Write the result of an atomic operation or a strong store."""
        self._make(address, size)
        self.whole.change(address, size, value)

    def peek(self, address: int, size: int) -> int:
        """Return the value that an atomic operation reads."""
        self._make(address, size)
        return self.whole.peek(address, size)

    def make(self, address: int) -> None:
        """Make the late store at an address."""
        size, value = self.late.pop(address)
        self.whole.store(address, size, value)

    def make_all(self) -> None:
        """Make all late stores."""
        for address in list(self.late):
            self.make(address)

    def make_some(self, draw: random.Random) -> None:
        """Make a drawn late store, if there is any."""
        if self.late:
            self.make(draw.choice(list(self.late)))

    def _near(self, address: int, size: int) -> list[int]:
        """Return the addresses of the late stores that share bytes with an access."""
        return [at for at, (many, _) in self.late.items() if at < address + size and address < at + many]

    def _make(self, address: int, size: int, besides: int | None = None) -> None:
        """Make the late stores that share bytes with an access, besides one."""
        for at in self._near(address, size):
            if at != besides:
                self.make(at)

    def _seen(self, address: int, size: int, value: int) -> int:
        """Return the value of bytes with the late stores of the block."""
        near = self._near(address, size) if self.late else ()
        if not near:
            return value
        data = bytearray(value.to_bytes(size, "little"))
        for at in near:
            many, late = self.late[at]
            first, last = max(at, address), min(at + many, address + size)
            data[first - address : last - address] = late.to_bytes(many, "little")[first - at : last - at]
        return int.from_bytes(data, "little")
