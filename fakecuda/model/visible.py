"""Which devices a process sees: what CUDA_VISIBLE_DEVICES leaves of the machine's.

https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html: a list of indices or of
UUIDs, which may be shortened, in the order in which the process numbers the devices; it ends before the first entry that
names no device. A process sees one MIG instance at most, and then no other device.
https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.context import Device

DASHES = (8, 12, 16, 20)


def visible(devices: Sequence[Device], names: str | None) -> tuple[Device, ...]:
    """Return the devices that a process sees, in its order.

    Args:
        devices: The machine's devices.
        names: CUDA_VISIBLE_DEVICES; None where it is not set.
    """
    if names is None:
        return _one_instance(list(devices))
    found: list[Device] = []
    for name in names.split(","):
        device = _named(devices, name.strip())
        if device is None or device in found:
            break
        found.append(device)
    return _one_instance(found)


def identifier(device: Device) -> str:
    """Return a device's UUID as nvidia-smi writes it: ``GPU-`` or ``MIG-``, and groups of hex digits."""
    digits = device.profile.uuid.hex()
    groups = "-".join(digits[start:end] for start, end in zip((0, *DASHES), (*DASHES, 32), strict=True))
    return f"{'MIG' if device.profile.mig else 'GPU'}-{groups}"


def _named(devices: Sequence[Device], name: str) -> Device | None:
    """Return the device of an index or of a UUID, or None when the entry names none, or several."""
    if name.isascii() and name.isdecimal():
        # An index is a card's: where it is split, that of its first instance.
        cards = list({device.profile.pci: device for device in reversed(devices)}.values())[::-1]
        return cards[int(name)] if int(name) < len(cards) else None
    if not name.startswith(("GPU-", "MIG-")):
        return None
    found = [device for device in devices if identifier(device).startswith(name)]
    return found[0] if len(found) == 1 else None


def _one_instance(devices: list[Device]) -> tuple[Device, ...]:
    instance = next((device for device in devices if device.profile.mig), None)
    return (instance,) if instance else tuple(devices)
