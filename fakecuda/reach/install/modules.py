"""Look-alikes in place of the bindings' modules.

Functions replaced in place, or modules that stand in.
"""

from __future__ import annotations

import sys
import warnings
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

MODULES = {"driver": "cuda.bindings.driver", "runtime": "cuda.bindings.runtime", "hip": "rocm.bindings.hip"}
"""The modules that look-alikes replace, by the name of a process's surface."""
OTHER_NAMES = {"rocm.bindings.hip": "hip.hip"}
"""Other names of a binding's module."""


class ImportedByNameWarning(UserWarning):
    """Functions were imported by name before the look-alike was installed.

    Their calls bypass it.
    """


class Nowhere:
    """The look-alike of the machine without devices, which is made at its first use.

    Args:
        surface: The surface: a key of ``MODULES``.
        nowhere: Returns the machine.
    """

    __slots__ = ("_nowhere", "_surface")

    def __init__(self, surface: str, nowhere: Callable[[], Machine]) -> None:
        self._surface = surface
        self._nowhere = nowhere

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._nowhere().here, self._surface), name)

    def __dir__(self) -> list[str]:
        """List the names of the look-alike."""
        return dir(getattr(self._nowhere().here, self._surface))


class Lookalike:
    """A look-alike in place of a module.

    Args:
        surface: The surface: a key of ``MODULES``.
        nowhere: Returns the machine for functions that outlive their machine.
    """

    __slots__ = (
        "modules",
        "name",
        "nowhere",
        "originals",
        "reached",
        "real",
        "searched",
        "shown",
        "sought",
        "surface",
        "trampolines",
    )

    def __init__(self, surface: str, nowhere: Callable[[], Machine]) -> None:
        self.surface = surface
        self.nowhere = Nowhere(surface, nowhere)
        self.name = MODULES[surface]
        self.shown = False
        self.reached: Any = self.nowhere
        self.searched: set[str] = set()
        try:
            self.real: ModuleType | None = import_module(self.name)
        except ImportError:
            self.real = None
        module = import_module(f"fakecuda.reach.bindings.{surface}")
        functions = (*module.FUNCTIONS, *getattr(module, "HELPERS", ()))
        names = [name for name in functions if self.real is None or hasattr(self.real, name)]
        self.originals: dict[str, Any] = {name: getattr(self.real, name) for name in names} if self.real else {}
        self.sought = {id(function) for function in self.originals.values()}
        self.trampolines = {name: self._trampoline(name) for name in names}
        self.modules: dict[str, ModuleType] = {}

    def show(self, machine: Machine) -> None:
        """Send calls of the module to a machine."""
        if self.real and not self.shown:
            self._search()
            vars(self.real).update(self.trampolines)
        elif not self.real and any(sys.modules.get(name) is None for name in _with_parents(self.name)):
            self._stand_in()
        self.reached = getattr(machine.here, self.surface)
        self.shown = True

    def withdraw(self) -> None:
        """Restore the package's own functions.

        Functions of the look-alike then reach *nowhere*.
        """
        if not self.shown:
            return
        self.shown = False
        self.reached = self.nowhere
        if self.real:
            vars(self.real).update(self.originals)
        for name, module in self.modules.items():
            sys.modules.pop(name, None)
            parent, _, child = name.rpartition(".")
            if vars(sys.modules.get(parent, module)).get(child) is module:
                delattr(sys.modules[parent], child)
        self.modules = {}

    def _trampoline(self, name: str) -> Callable[..., Any]:
        original = self.originals.get(name)

        def call(*args: Any, **keywords: Any) -> Any:
            return getattr(self.reached, name)(*args, **keywords)

        call.__name__ = call.__qualname__ = name
        return wraps(original)(call) if original else call

    def _search(self) -> None:
        """Warn about modules that imported the package's functions by name.

        Their calls bypass the look-alike.
        """
        found = {}
        for module_name in [name for name in sys.modules if name not in self.searched]:
            self.searched.add(module_name)
            contents = getattr(sys.modules.get(module_name), "__dict__", {})
            names = sorted({value.__name__ for value in list(contents.values()) if id(value) in self.sought})
            if names and contents is not vars(self.real):
                found[module_name] = names
        fix = f"import the module {self.name} itself"
        if self.surface != "runtime":
            fix = f"use door='native', or {fix}"
        for module_name, names in found.items():
            warnings.warn(
                f"module {module_name} has imported {', '.join(names)} from {self.name} by name, so fakecuda cannot "
                f"redirect these calls, and they reach the real driver: {fix}",
                ImportedByNameWarning,
                stacklevel=9,
            )

    def _stand_in(self) -> None:
        """Insert modules under the package's name, because the package is not installed."""
        made = ModuleType(self.name)
        made.__dict__.update(self.trampolines)
        made.__dict__["__getattr__"] = lambda name: getattr(self.reached, name)
        made.__dict__["__dir__"] = lambda: dir(self.reached)
        for last in filter(None, (self.name, OTHER_NAMES.get(self.name))):
            parent: ModuleType | None = None
            for name in _with_parents(last):
                try:
                    module = import_module(name)
                except ImportError:
                    module = made if name == last else ModuleType(name)
                    self.modules[name] = sys.modules[name] = module
                    if name != last:
                        module.__path__ = []
                if parent is not None and name in self.modules:
                    setattr(parent, name.rpartition(".")[2], module)
                parent = module


def _with_parents(name: str) -> list[str]:
    """Return the names of a module's packages, outermost first, and its own name."""
    parts = name.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]
