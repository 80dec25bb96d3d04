"""Calls that are not made on a real machine: some unless the person running says so, some never.

Multicast is set up in the switches between GPUs: on a host that is shared it can put the GPUs of others out of service.
Managed memory that is larger than what the card has free can hang the card, so that a process gets little of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

GUARDED = ("cuMulticast", "cuLogicalEndpoint")
"""Beginnings of the names of these calls; each symbol of a call begins as the call does."""
OPTION = "--allow-multicast"


def guarded(name: str) -> bool:
    """Return whether a call or a symbol is one of them."""
    return name.startswith(GUARDED)


def refuse(name: str, *, allowed: bool) -> None:
    """Refuse a call that is not made unless that is allowed.

    Args:
        name: The call, or its symbol.
        allowed: Whether it is.

    Raises:
        PermissionError: It is not allowed; the text says how to.
    """
    if guarded(name) and not allowed:
        msg = (
            f"{name} can put the GPUs of a shared host out of service: it is made with {OPTION} alone, "
            "in Python realcuda.Machine(allow_multicast=True)"
        )
        raise PermissionError(msg)


SHARE = 1 << 30
"""Bytes of managed memory that a process gets over its life."""
IMPOSSIBLE = 1 << 47
"""Bytes for which no process has addresses: a driver refuses them."""
MANAGED = 2
"""CU_MEM_ALLOCATION_TYPE_MANAGED."""


class Managed:
    """What a process has had of managed memory.

    Attributes:
        left: Bytes that it may still have.
        pools: Pools of managed memory.
    """

    def __init__(self) -> None:
        self.left = SHARE
        self.pools: set[int] = set()

    def check(self, symbol: str, arguments: Sequence[tuple[str, Any]]) -> None:
        """Refuse an allocation that is too large; count one that is not.

        Args:
            symbol: The symbol.
            arguments: (tag, content) of each argument.

        Raises:
            PermissionError: It is too large.
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
                f"{symbol} of {size} bytes is not made: a process gets {SHARE} bytes of managed memory over its life, for "
                "more than a card has free can hang it"
            )
            raise PermissionError(msg)
        self.left -= size

    def note(self, symbol: str, arguments: Sequence[tuple[str, Any]], results: Sequence[Any]) -> None:
        """Note a pool of managed memory that a call has returned; arguments as :meth:`check`.

        Args:
            symbol: The symbol.
            arguments: (tag, content) of each argument.
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
