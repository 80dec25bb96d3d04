"""The look-alikes in the places of the modules of cuda.bindings: functions swapped in place, or modules that stand in."""

from __future__ import annotations

import sys
import warnings
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fakecuda.surfaces import driver, runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda import Machine

PARENTS = ("cuda", "cuda.bindings")
MODULES = {"driver": driver.FUNCTIONS, "runtime": runtime.FUNCTIONS}
"""The modules of cuda.bindings that look-alikes take the place of, and their functions."""


class ImportedByNameWarning(UserWarning):
    """Functions were imported by name before the look-alike was installed: their calls pass it by."""


class Lookalike:
    """The look-alike in the place of a module of cuda.bindings.

    Args:
        surface: The module, ``driver`` or ``runtime``.
        functions: Its functions by name.
        nowhere: Returns the machine that is reached by functions that outlive theirs.
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
        "surface",
        "trampolines",
    )

    def __init__(self, surface: str, functions: Iterable[str], nowhere: Callable[[], Machine]) -> None:
        self.surface = surface
        self.nowhere = nowhere
        self.name = f"{PARENTS[-1]}.{surface}"
        self.shown = False
        self.reached: Any = getattr(nowhere().here, surface)
        self.searched: set[str] = set()
        try:
            self.real: ModuleType | None = import_module(self.name)
        except ImportError:
            self.real = None
        names = [name for name in functions if self.real is None or hasattr(self.real, name)]
        self.originals: dict[str, Any] = {name: getattr(self.real, name) for name in names} if self.real else {}
        self.trampolines = {name: self._trampoline(name) for name in names}
        self.modules: dict[str, ModuleType] = {}

    def show(self, machine: Machine) -> None:
        """Lead the callers of the module to a machine."""
        if self.real and not self.shown:
            self._search()
            vars(self.real).update(self.trampolines)
        elif not self.real and any(name not in sys.modules for name in (*PARENTS, self.name)):
            self._stand_in()
        self.reached = getattr(machine.here, self.surface)
        self.shown = True

    def withdraw(self) -> None:
        """Put the package's own functions back; who holds a function of the look-alike is led nowhere."""
        if not self.shown:
            return
        self.shown = False
        self.reached = getattr(self.nowhere().here, self.surface)
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

        def call(*args: Any, **keywords: Any) -> Any:  # noqa: ANN401 - as the binding takes and gives
            return getattr(self.reached, name)(*args, **keywords)

        call.__name__ = call.__qualname__ = name
        return wraps(original)(call) if original else call

    def _search(self) -> None:
        """Warn of modules that hold the package's functions by name: those calls pass the look-alike by."""
        ids = {id(function) for function in self.originals.values()}
        found = {}
        for module_name in set(sys.modules) - self.searched:
            self.searched.add(module_name)
            contents = getattr(sys.modules.get(module_name), "__dict__", {})
            names = sorted({value.__name__ for value in list(contents.values()) if id(value) in ids})
            if names and contents is not vars(self.real):
                found[module_name] = names
        mend = "use door='native', or import the module" if self.surface == "driver" else "import the module"
        for module_name, names in found.items():
            warnings.warn(
                f"{module_name} has imported {', '.join(names)} from {self.name} by name: these calls pass the "
                f"look-alike by and reach the real driver; {mend}",
                ImportedByNameWarning,
                stacklevel=7,
            )

    def _stand_in(self) -> None:
        """Put modules of the package's name where the package is not installed."""
        parent: ModuleType | None = None
        for name in (*PARENTS, self.name):
            try:
                module = import_module(name)
            except ImportError:
                module = self.modules[name] = sys.modules[name] = ModuleType(name)
                if name != self.name:
                    module.__path__ = []
            if parent is not None and name in self.modules:
                setattr(parent, name.rpartition(".")[2], module)
            parent = module
        module = self.modules[self.name]
        module.__dict__.update(self.trampolines)
        module.__dict__["__getattr__"] = lambda name: getattr(self.reached, name)
        module.__dict__["__dir__"] = lambda: dir(self.reached)
