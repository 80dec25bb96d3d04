"""The runtime API in an attached process.

Cuda.bindings.runtime and libcudart for ctypes.
Neither calls the driver library. cuda.bindings.runtime contains the runtime library, which bypasses what a driver
library offers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import MachineClosed
from fakecuda.reach.install.loading import HIP_FILE, Loading
from fakecuda.reach.install.modules import Lookalike

if TYPE_CHECKING:
    from fakecuda.model.os.thread import Thread
    from fakecuda.reach.remote.client.client import RemoteMachine


class Above:
    """Sends calls of the runtime API to a machine.

    Attributes:
        machine: The machine that receives the calls; None without a machine.
    """

    def __init__(self) -> None:
        self.machine: RemoteMachine | None = None
        self._loading = Loading(self._thread)
        self._module: Lookalike | None = None

    def lead_to(self, machine: RemoteMachine) -> None:
        """Send calls to a machine."""
        remote: Any = machine
        self.machine = machine
        self._loading.driver = True
        self._loading.hip = machine.path.with_name(HIP_FILE).exists()
        self._loading.show()
        if self._module is None:
            self._module = Lookalike("runtime", lambda: remote)
        self._module.show(remote)

    def withdraw(self) -> None:
        """Stop sending calls."""
        self._loading.withdraw()
        if self._module is not None:
            self._module.withdraw()
        self.machine = None

    def _thread(self) -> Thread:
        if self.machine is None:
            msg = (
                "this process has detached from the machine, because the test has ended: call the driver during a test"
            )
            raise MachineClosed(msg)
        return self.machine.here.current_thread()


ABOVE = Above()
"""The runtime API of this process."""
