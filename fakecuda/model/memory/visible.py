"""The devices that a process sees, as CUDA_VISIBLE_DEVICES selects them.

The variable is a list of indices or of UUIDs, which may be shortened. The process numbers the devices in the order of
the list. The list ends before the first entry that names no device.
https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html

A process sees one MIG instance at most, and then no other device.
https://docs.nvidia.com/datacenter/tesla/mig-user-guide/

Driver 580 is lenient: it reads the number at the start of an index, and ignores the case of a UUID. The first entry
decides whether the list is one of indices or of UUIDs (``python -m conformance.record.experiments``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.context import Device

DASHES = (8, 12, 16, 20)
PREFIXES = ("GPU-", "MIG-")
INDEX = re.compile(r"[+-]?\d+", re.ASCII)


def visible(devices: Sequence[Device], names: str | None) -> tuple[Device, ...]:
    """Return the devices that a process sees, in its order.

    A device named twice occurs twice.

    Args:
        devices: The machine's devices.
        names: CUDA_VISIBLE_DEVICES. None if it is not set.
    """
    if names is None:
        return _one_instance(list(devices))
    entries = [name.strip() for name in names.split(",")]
    named = _of_uuid if entries[0].startswith(PREFIXES) else _of_index
    found: list[Device] = []
    for name in entries:
        device = named(devices, name)
        if device is None:
            break
        found.append(device)
    return _one_instance(found)


def identifier(device: Device) -> str:
    """Return a device's UUID as nvidia-smi prints it: ``GPU-1b2c…`` or ``MIG-1b2c…``."""
    return f"{'MIG' if device.profile.mig else 'GPU'}-{dashed(device.profile.uuid)}"


def dashed(uuid: bytes) -> str:
    """Return the 16 bytes of a UUID as groups of hex digits."""
    digits = uuid.hex()
    return "-".join(digits[start:end] for start, end in zip((0, *DASHES), (*DASHES, 32), strict=True))


def _of_index(devices: Sequence[Device], name: str) -> Device | None:
    """Return the device with an index, or None.

    For a card with MIG instances, its first instance.
    """
    number = INDEX.match(name)
    cards = list({device.profile.pci: device for device in reversed(devices)}.values())[::-1]
    return cards[int(number[0])] if number and 0 <= int(number[0]) < len(cards) else None


def _of_uuid(devices: Sequence[Device], name: str) -> Device | None:
    """Return the device with a UUID prefix; None for no device, or for several."""
    found = [device for device in devices if identifier(device).lower().startswith(name.lower())]
    return found[0] if name.startswith(PREFIXES) and len(found) == 1 else None


def _one_instance(devices: list[Device]) -> tuple[Device, ...]:
    instance = next((device for device in devices if device.profile.mig), None)
    return (instance,) if instance else tuple(devices)
