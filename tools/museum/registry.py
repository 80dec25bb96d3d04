"""The exhibits, in the order of the gallery."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from tools.museum import exhibits

if TYPE_CHECKING:
    from tools.museum.exhibit import Exhibit


def every_exhibit() -> list[Exhibit]:
    """Return the exhibits of all modules, by their numbers."""
    modules = [import_module(f"{exhibits.__name__}.{found.name}") for found in iter_modules(exhibits.__path__)]
    return sorted((one for module in modules for one in module.EXHIBITS), key=lambda one: one.number)
