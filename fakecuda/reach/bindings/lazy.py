"""Lazy imports of the look-alikes, which read descriptions and load bindings.

Most programs need only one of them, or reach the machine through C.
"""

# ruff: noqa: PLC0415 - the purpose of this module

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.os.threads import Callers
    from fakecuda.reach.bindings.driver import Driver
    from fakecuda.reach.bindings.hip import Hip
    from fakecuda.reach.bindings.runtime import Runtime


def driver(callers: Callers, version: int) -> Driver:
    """Return the look-alike of cuda.bindings.driver for a driver version.

    Args:
        callers: The simulated threads of the calling OS threads.
        version: 1000 * major + 10 * minor.
    """
    from fakecuda.reach.bindings.driver import driver as made

    return made(callers, version)


def runtime(callers: Callers) -> Runtime:
    """Return the look-alike of cuda.bindings.runtime."""
    from fakecuda.reach.bindings.runtime import Runtime

    return Runtime(callers)


def runtime_version() -> int:
    """Return the version of the runtime library in cuda.bindings."""
    from fakecuda.reach.bindings.runtime_classes import runtime_binding

    return int(runtime_binding.CUDART_VERSION)


def hip(callers: Callers) -> Hip:
    """Return the look-alike of rocm.bindings.hip."""
    from fakecuda.reach.bindings.hip import Hip

    return Hip(callers)
