"""Calls that are not made on a real machine unless the person running says so.

Multicast is set up in the switches between GPUs: on a host that is shared it can put the GPUs of others out of service.
"""

from __future__ import annotations

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
