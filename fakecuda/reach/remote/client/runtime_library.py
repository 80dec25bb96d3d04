"""The runtime API in an attached process: cuda.bindings.runtime, and a libcudart that ctypes loads, lead to the machine.

Neither calls the driver library: the first has the runtime library inside, which calls past what a driver offers.
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
    """What of the runtime API leads to a machine.

    Attributes:
        machine: The machine that calls arrive at; None between two.
    """

    def __init__(self) -> None:
        self.machine: RemoteMachine | None = None
        self._loading = Loading(self._thread)
        self._module: Lookalike | None = None

    def lead_to(self, machine: RemoteMachine) -> None:
        """Lead calls to a machine."""
        remote: Any = machine
        self.machine = machine
        self._loading.hip = machine.path.with_name(HIP_FILE).exists()
        self._loading.show()
        if self._module is None:
            self._module = Lookalike("runtime", lambda: remote)
        self._module.show(remote)

    def withdraw(self) -> None:
        """Lead calls nowhere."""
        self._loading.withdraw()
        if self._module is not None:
            self._module.withdraw()
        self.machine = None

    def _thread(self) -> Thread:
        if self.machine is None:
            msg = "this process takes part in no machine any more"
            raise MachineClosed(msg)
        return self.machine.here.current_thread()


ABOVE = Above()
"""That of this process."""
