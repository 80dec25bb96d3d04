"""Clients that keep driver objects for the life of their OS process.

They keep them beyond the end of a machine.
They call cuInit once, retain a device's primary context once and keep its handle, and ask for a default pool once. When
such a client has used a machine, later machines continue with the process's objects, as a driver would
(:mod:`fakecuda.reach.install.carried_state`). What clients keep besides is renewed here between two machines.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from abc import ABC, abstractmethod
from typing import Any


class Client(ABC):
    """A client that keeps driver objects.

    Attributes:
        module: The module whose import shows that the client is loaded.
        name: The name of the client in messages.
    """

    name: str
    module: str

    @abstractmethod
    def used(self, module: Any) -> bool:
        """Return whether the client has used a machine in this process."""

    @abstractmethod
    def begin(self, module: Any) -> None:
        """Make the client use the current machine instead of an earlier one."""

    @abstractmethod
    def end(self, module: Any) -> None:
        """Make the client release its objects on a machine that is about to end.

        The machine still answers.
        """


def used() -> bool:
    """Return whether a client that keeps objects has used a machine.

    Only machines of this process count.
    """
    return bool(names())


def names() -> list[str]:
    """Return the names of clients that keep objects and have used a machine.

    Only machines of this process count.
    """
    return [
        client.name for client in CLIENTS if client.module in sys.modules and client.used(sys.modules[client.module])
    ]


def begin() -> None:
    """Make the loaded clients use the current machine."""
    for client in CLIENTS:
        if client.module in sys.modules:
            client.begin(sys.modules[client.module])


def end() -> None:
    """Make the loaded clients release their objects on a machine that is about to end."""
    for client in CLIENTS:
        if client.module in sys.modules:
            client.end(sys.modules[client.module])


class _Devices(threading.local):
    """A replacement for cuda.core's thread-local storage of devices."""

    made = False

    def __setattr__(self, name: str, value: object) -> None:
        _Devices.made = True
        super().__setattr__(name, value)


class CudaCore(Client):
    """cuda.core 1.1 and 1.2, which keep devices per thread.

    Each thread's devices are in a thread-local of the module. They know the number of devices, their properties and
    their pools, and are made at the first request. A new thread-local makes each thread create them again.
    """

    module, name = "cuda.core._device", "cuda.core"

    def used(self, module: Any) -> bool:
        """Return whether a device was requested."""
        return _Devices.made or bool(vars(module._tls))  # noqa: SLF001 - there is no public way

    def begin(self, module: Any) -> None:
        """Make each thread create its devices again."""
        _Devices.made = self.used(module)
        module._tls = _Devices()  # noqa: SLF001 - there is no public way

    def end(self, module: Any) -> None:
        """Drop the caches of the devices: pools and streams."""
        self.begin(module)


class _Loaded:
    """A replacement for a cache of numba-cuda's code, in which objects of an earlier machine are not found.

    Args:
        name: The name of the cache.
    """

    machine = 0

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, code: Any, owner: type | None = None) -> dict[Any, Any]:
        """Return the cache: what the current machine has loaded, and bytes."""
        kept = vars(code)[self.name]
        machine: int | None
        found: dict[Any, Any]
        machine, found = kept if isinstance(kept, tuple) else (None, kept)
        if machine != self.machine:
            found = {key: value for key, value in found.items() if isinstance(value, bytes)}
            vars(code)[self.name] = (self.machine, found)
        return found

    def __set__(self, code: Any, found: dict[Any, Any]) -> None:
        """Set the cache."""
        vars(code)[self.name] = (self.machine, found)

    @classmethod
    def renew(cls) -> None:
        """Make all code load again what it has loaded."""
        cls.machine += 1
        code = getattr(sys.modules.get("numba.cuda.codegen"), "CUDACodeLibrary", None)
        for name in ("_cufunc_cache", "_cubin_cache"):
            if code is not None and name not in vars(code):
                setattr(code, name, cls(name))


class NumbaCuda(Client):
    """numba-cuda 0.30, which is built on cuda.core, and the older ``numba.cuda`` of Numba, which is not.

    It searches for a driver once, at its import, and remembers a failure. It defers freeing its allocations. Kernels keep the
    libraries and functions that they have loaded.
    """

    module, name = "numba.cuda.cudadrv.driver", "numba-cuda"

    def used(self, module: Any) -> bool:
        """Return whether numba-cuda has initialised a driver."""
        return bool(module.driver.is_initialized and module.driver.initialization_error is None)

    def begin(self, module: Any) -> None:
        """Make numba-cuda search for the driver again, if it did not find one."""
        if module.driver.initialization_error is not None:
            module.driver.__init__()
        _Loaded.renew()

    def end(self, module: Any) -> None:
        """Make numba-cuda free everything in its contexts, and create its devices again.

        The contexts of numba-cuda 0.30 stay: cuda.core has retained them and still uses them.
        """
        devices: Any = sys.modules.get("numba.cuda.cudadrv.devices")
        is_older = devices is not None and not hasattr(type(devices.gpus), "lst")
        if is_older and self.used(module):
            with contextlib.suppress(module.CudaAPIError):  # a fault has ended the context
                while module.driver.pop_active_context() is not None:
                    pass
        for device in module.driver.devices.values():
            if device.primary_context is not None:
                with contextlib.suppress(module.CudaAPIError):
                    device.primary_context.reset()
                    if is_older:
                        device.release_primary_context()
        module.driver.devices.clear()
        if is_older:
            vars(devices.gpus).pop("lst", None)
        elif devices is not None:
            type(devices.gpus).lst.fget.cache_clear()
        _Loaded.renew()


CLIENTS: tuple[Client, ...] = (CudaCore(), NumbaCuda())
