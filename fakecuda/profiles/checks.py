"""What is wrong with a profile that could be built: keys that say nothing, and values that would fail only later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.near import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DEVICES = 256
"""A machine has no more: every pair of them has a link."""
KEYS = {
    "": "schema name origin driver_version base count purpose device peer link granularity memory context bandwidth "
    "multicast hip strings source date driver bindings system problems addresses granularities names",
    "device": "name uuid pci total_memory attributes luid node_mask exec_affinities host_atomics mig hip limits refused "
    "itself free_memory total_seen primary_before primary_after pool",
    "peer": "src dst can_access attributes atomics refused",
    "link": "can_access attributes atomics",
    "granularity": "minimum recommended",
    "source": "grade of url says",
    "memory": "context_memory window fabric peer_limit total free_alone free_beside_another free_after_its_end posix "
    "posix_code fabric_code",
}
"""What a profile's tables hold; what :mod:`realcuda.probe` writes for people is among it."""


def problems(data: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a profile, a line each.

    Args:
        data: What its file says, over what its base says.
    """
    for table, known in KEYS.items():
        contents = data.get(table, {}) if table else data
        for row in contents if isinstance(contents, list) else [contents]:
            for key in row.keys() - set(known.split()):
                yield nearest(key, known.split(), f"key of [{table}]" if table else "key of a profile")
    for key in ("name", "origin", "purpose"):
        if not isinstance(data.get(key, ""), str):
            yield f"{key} = {data[key]!r} is no text"
    for number, device in enumerate(data["device"]):
        size = device["total_memory"]
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:  # 0 where a probe was refused it
            yield f"total_memory = {size!r} of device {number} is no whole number of bytes"


def device_count(count: Any) -> int:
    """Return how many devices a machine shall have.

    Raises:
        ValueError: It is no number of devices.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= MOST_DEVICES:
        msg = f"count = {count!r} is no number of devices from 1 to {MOST_DEVICES}"
        raise ValueError(msg)
    return count
