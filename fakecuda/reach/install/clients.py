"""Clients of the driver that keep its objects for as long as their OS process lives, past the end of a machine.

They call cuInit once, retain a device's primary context once and know its handle, and ask for a default pool once. When one
of them has used a machine, later ones go on with what the process holds (:mod:`fakecuda.reach.install.carried_state`), as a driver would. What
they keep beside that is renewed here, between two machines.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from abc import ABC, abstractmethod
from typing import Any


class Client(ABC):
    """A client.

    Attributes:
        module: The module whose being loaded tells that the client is there.
        name: What people call it.
    """

    name: str
    module: str

    @abstractmethod
    def used(self, module: Any) -> bool:
        """Return whether the client has used a machine in this process."""

    @abstractmethod
    def begin(self, module: Any) -> None:
        """Have the client look at the machine that is there now, and at no earlier one."""

    @abstractmethod
    def end(self, module: Any) -> None:
        """Have the client give up what it has on the machine that is about to end, which it can still call."""


def used() -> bool:
    """Return whether a client that keeps objects of the driver has used a machine in this process."""
    return bool(names())


def names() -> list[str]:
    """Return the names of the clients that keep objects of the driver and have used a machine in this process."""
    return [
        client.name for client in CLIENTS if client.module in sys.modules and client.used(sys.modules[client.module])
    ]


def begin() -> None:
    """Have the clients that are loaded look at the machine that is there now."""
    for client in CLIENTS:
        if client.module in sys.modules:
            client.begin(sys.modules[client.module])


def end() -> None:
    """Have the clients that are loaded give up what they have on the machine that is about to end."""
    for client in CLIENTS:
        if client.module in sys.modules:
            client.end(sys.modules[client.module])


class _Devices(threading.local):
    """Where cuda.core keeps a thread's devices."""

    made = False

    def __setattr__(self, name: str, value: object) -> None:
        _Devices.made = True
        super().__setattr__(name, value)


class CudaCore(Client):
    """cuda.core 1.1 and 1.2.

    A thread's devices, which know how many there are, their properties and their pools, are kept in a local of the module,
    and made when a device is first asked for: a new one has each thread make them anew.
    """

    module, name = "cuda.core._device", "cuda.core"

    def used(self, module: Any) -> bool:
        """Return whether a device was asked for."""
        return _Devices.made or bool(vars(module._tls))  # noqa: SLF001 - there is no public way

    def begin(self, module: Any) -> None:
        """Have each thread make its devices anew."""
        _Devices.made = self.used(module)
        module._tls = _Devices()  # noqa: SLF001 - likewise

    def end(self, module: Any) -> None:
        """Drop what the devices have cached: pools, streams."""
        self.begin(module)


class NumbaCuda(Client):
    """numba-cuda 0.30, which is built on cuda.core.

    It searches for a driver once, at its import, and remembers that there was none. What it has allocated it frees late.
    """

    module, name = "numba.cuda.cudadrv.driver", "numba-cuda"

    def used(self, module: Any) -> bool:
        """Return whether it has initialised a driver."""
        return bool(module.driver.is_initialized and module.driver.initialization_error is None)

    def begin(self, module: Any) -> None:
        """Have it find the driver that it missed."""
        if module.driver.initialization_error is not None:
            module.driver.__init__()

    def end(self, module: Any) -> None:
        """Have it free what it has in its contexts, and make its devices anew.

        Its own ``close`` releases the primary contexts, too, which cuda.core has retained for it and goes on to use.
        """
        for device in module.driver.devices.values():
            if device.primary_context is not None:
                with contextlib.suppress(module.CudaAPIError):  # a context that a fault has ended
                    device.primary_context.reset()
        module.driver.devices.clear()
        devices = sys.modules.get("numba.cuda.cudadrv.devices")
        if devices is not None:
            type(devices.gpus).lst.fget.cache_clear()


CLIENTS: tuple[Client, ...] = (CudaCore(), NumbaCuda())
