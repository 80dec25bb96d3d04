"""A machine without devices, which answers calls through C while no machine is installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fakecuda.model.machine import Machine
from fakecuda.model.os.process import Process
from fakecuda.reach.bindings import lazy

if TYPE_CHECKING:
    from fakecuda.profiles import Profile


class Alone(Process):
    """The process of such a machine."""

    @property
    def runtime_version(self) -> int:
        """The version of the runtime library: that of the installed bindings."""
        return lazy.runtime_version()


class Nowhere(Machine):
    """A machine without devices, and its one process, which stands for this OS process.

    Args:
        profile: What the machine reports of itself.

    Attributes:
        here: The process.
    """

    here: Process

    def __init__(self, profile: Profile) -> None:
        super().__init__(profile, strict=False, seed=0)
        self.here = self.processes["here"] = Alone(self, "here")
        self.living[self.here] = None
        self.here.is_own = True
        self.here.pid = os.getpid()
