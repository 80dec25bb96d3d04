"""A machine without devices for calls through C without a machine.

It answers while no machine is installed.
"""

from __future__ import annotations

import os
from typing import Any

from attrs import evolve

from fakecuda.model.machine import Machine
from fakecuda.model.os.process import Process
from fakecuda.profiles import load
from fakecuda.reach.bindings import lazy


class Alone(Process):
    """The only process of a machine without devices."""

    @property
    def runtime_version(self) -> int:
        """The version of the runtime library in the installed bindings."""
        return lazy.runtime_version()


class Nowhere(Machine):
    """A machine without devices, with one process, which stands for this OS process.

    Args:
        profile: The name of a profile. Its devices, their links and its name do not count.
        changes: Other values of the profile.

    Attributes:
        here: The process.
    """

    here: Process

    def __init__(self, profile: str, **changes: Any) -> None:
        super().__init__(evolve(load(profile), name="nowhere", devices=(), peers={}, **changes), strict=False, seed=0)
        self.here = self.processes["here"] = Alone(self, "here")
        self.living[self.here] = None
        self.here.is_own = True
        self.here.pid = os.getpid()
