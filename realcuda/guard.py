"""Calls that are dangerous on a real machine: some need a permission.

Multicast is set up in the switches between GPUs. On a shared host it can put the GPUs of others out of service. Managed
memory that is larger than a card's free memory can hang the card. A process therefore gets only little of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

GUARDED = ("cuMulticast", "cuLogicalEndpoint")
"""Prefixes of calls that need a permission."""
OPTION = "--allow-multicast"


def guarded(name: str) -> bool:
    """Return whether a call or a symbol needs a permission."""
    return name.startswith(GUARDED)


def refuse(name: str, *, allowed: bool) -> None:
    """Refuse a call that needs a permission, unless it is allowed.

    Args:
        name: The call, or its symbol.
        allowed: Whether such calls are allowed.

    Raises:
        PermissionError: The call is not allowed; the text says how to allow it.
    """
    if guarded(name) and not allowed:
        msg = (
            f"{name} can put the GPUs of a shared host out of service: to make it, run with {OPTION}, or in Python "
            "make realcuda.Machine(allow_multicast=True)"
        )
        raise PermissionError(msg)


SHARE = 1 << 30
"""The maximum managed memory that a process may allocate in its life."""
IMPOSSIBLE = 1 << 47
"""A size that no process has addresses for."""
MANAGED = 2
"""CU_MEM_ALLOCATION_TYPE_MANAGED."""


class Managed:
    """The managed memory that a process has allocated.

    Attributes:
        left: Bytes that it may still allocate.
        pools: Pools of managed memory.
    """

    def __init__(self) -> None:
        self.left = SHARE
        self.pools: set[int] = set()

    def check(self, symbol: str, arguments: Sequence[tuple[str, Any]]) -> None:
        """Count an allocation, or refuse it if it is too large.

        Args:
            symbol: The symbol.
            arguments: The (tag, content) of each argument.

        Raises:
            PermissionError: The process has too few bytes left.
        """
        from_pool = symbol.startswith(("cuMemAllocFromPoolAsync", "cudaMallocFromPoolAsync"))
        if not symbol.startswith(("cuMemAllocManaged", "cudaMallocManaged")) and not (
            from_pool and arguments[2][1] in self.pools
        ):
            return
        size = int(arguments[1][1])
        if size >= IMPOSSIBLE:
            return
        if size > self.left:
            msg = (
                f"{symbol} of {size} bytes is refused: a process may allocate {SHARE} bytes of managed memory in its life, because "
                "more than a card's free memory can hang the card"
            )
            raise PermissionError(msg)
        self.left -= size

    def note(self, symbol: str, arguments: Sequence[tuple[str, Any]], results: Sequence[Any]) -> None:
        """Record a pool of managed memory that a call has returned.

        Args:
            symbol: The symbol.
            arguments: The (tag, content) of each argument.
            results: The contents of the results.
        """
        if symbol.startswith(("cuMemPoolCreate", "cudaMemPoolCreate")):
            kind = int.from_bytes(arguments[1][1][:4], "little") if arguments[1][0] == "in" else 0
        elif symbol.startswith(
            ("cuMemGetDefaultMemPool", "cuMemGetMemPool", "cudaMemGetDefaultMemPool", "cudaMemGetMemPool")
        ):
            kind = arguments[2][1]
        else:
            return
        if kind == MANAGED and results:
            self.pools.add(int.from_bytes(results[0][:8], "little"))
