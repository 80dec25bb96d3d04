"""The look-alikes, imported when one is first asked for: they read descriptions and load bindings.

Most programs reach the machine by one of them, or through C.
"""

# ruff: noqa: PLC0415 - which is what this module is for

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.process import Thread
    from fakecuda.surfaces.driver import Driver
    from fakecuda.surfaces.hip import Hip
    from fakecuda.surfaces.runtime import Runtime


def driver(find: Callable[[], Thread], version: int) -> Driver:
    """Return the look-alike of cuda.bindings.driver on a driver of a version.

    Args:
        find: Returns the calling thread.
        version: 1000 * major + 10 * minor.
    """
    from fakecuda.surfaces.driver import driver as made

    return made(find, version)


def runtime(find: Callable[[], Thread]) -> Runtime:
    """Return the look-alike of cuda.bindings.runtime."""
    from fakecuda.surfaces.runtime import Runtime

    return Runtime(find)


def runtime_version() -> int:
    """Return the version of the runtime library that cuda.bindings has inside."""
    from fakecuda.surfaces.runtime_classes import runtime_binding

    return int(runtime_binding.CUDART_VERSION)


def hip(find: Callable[[], Thread]) -> Hip:
    """Return the look-alike of rocm.bindings.hip."""
    from fakecuda.surfaces.hip import Hip

    return Hip(find)
