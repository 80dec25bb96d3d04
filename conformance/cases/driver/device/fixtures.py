"""Fixtures of devices."""

from __future__ import annotations

import attrs

from fakecuda.profiles import Profile, load
from fakecuda.rules.driver.device.pool import SUPPORTED


def without_pools() -> Profile:
    """Return a machine whose device does not support memory pools."""
    profile = load("h200")
    device = profile.devices[0]
    return attrs.evolve(profile, devices=(attrs.evolve(device, attributes=device.attributes | {SUPPORTED: 0}),))
