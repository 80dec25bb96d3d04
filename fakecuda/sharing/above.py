"""The runtime API in an attached process: cuda.bindings.runtime, and a libcudart that ctypes loads, lead to the machine.

Neither calls the driver library: the first has the runtime library inside, which calls past what a driver offers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.errors import MachineClosed
from fakecuda.loading import Loading

if TYPE_CHECKING:
    from fakecuda.model.process import Thread
    from fakecuda.modules import Lookalike
    from fakecuda.sharing.client import RemoteMachine

NAME = "cuda.bindings.runtime"


class Above:
    """What of the runtime API leads to a machine.

    Attributes:
        machine: The machine that calls arrive at; None between two.
    """

    def __init__(self) -> None:
        self.machine: RemoteMachine | None = None
        self._loading = Loading(self._thread)
        self._module: Lookalike | None = None

    def lead_to(self, machine: RemoteMachine, *, at_once: bool = False) -> None:
        """Lead calls to a machine.

        Args:
            machine: The machine.
            at_once: Import cuda.bindings.runtime now, or have something stand in for it; otherwise once it is loaded.
        """
        self.machine = machine
        self._loading.show()
        if at_once or NAME in sys.modules:
            self.show()

    def show(self) -> None:
        """Have the functions of cuda.bindings.runtime lead to the machine."""
        from fakecuda.modules import MODULES, Lookalike  # noqa: PLC0415 - few programs import that

        machine: Any = self.machine
        if machine is None:
            return
        if self._module is None:
            self._module = Lookalike("runtime", MODULES["runtime"], lambda: machine)
        self._module.show(machine)

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
