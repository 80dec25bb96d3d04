"""Look-alikes in place of the bindings' modules.

Functions replaced in place, or modules that stand in.
"""

from __future__ import annotations

import sys
import threading
import warnings
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fakecuda.reach.native.after_import import AfterImport

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine, Process

MODULES = {"driver": "cuda.bindings.driver", "runtime": "cuda.bindings.runtime", "hip": "rocm.bindings.hip"}
"""The modules that look-alikes replace, by the surface's name."""
OTHER_NAMES = {"rocm.bindings.hip": "hip.hip"}
"""Other names of a binding's module."""
HELPERS = ("getLocalRuntimeVersion",)
"""Functions of ``cuda.bindings.runtime`` that make no calls but query a library."""


class ImportedByNameWarning(UserWarning):
    """Functions were imported by name before the look-alike was installed.

    Their calls bypass it.
    """


class Late:
    """A process's surface that is created on first use.

    Args:
        made: Returns the surface.
    """

    __slots__ = ("_made",)

    def __init__(self, made: Callable[[], Any]) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made(), name)

    def __dir__(self) -> list[str]:
        """List the names of the look-alike."""
        return dir(self._made())


class Lookalike:
    """A look-alike in place of a module.

    Both doors need the look-alike of the runtime, but few programs import that module. So its functions are replaced as
    soon as a program imports it.

    Args:
        surface: The surface: a key of ``MODULES``.
        nowhere: Returns the machine for functions that outlive their machine.
    """

    __slots__ = (
        "_lock",
        "_replaced",
        "_waiting",
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
        self.nowhere = Late(lambda: getattr(nowhere().here, surface))
        self.name = MODULES[surface]
        self.shown = False
        self.reached: Any = self.nowhere
        self.searched: set[str] = set()
        self.real: ModuleType | None = None
        self.originals: dict[str, Any] = {}
        self.sought: set[int] = set()
        self.trampolines: dict[str, Callable[..., Any]] = {}
        self.modules: dict[str, ModuleType] = {}
        self._waiting = AfterImport((self.name,), self._imported)
        self._lock = threading.RLock()
        self._replaced = False

    def show(self, machine: Machine) -> None:
        """Send calls of the module to a machine."""
        if self._can_wait():
            with self._lock:
                self.reached = self._late(machine.here)
                self.shown = True
                if self._waiting not in sys.meta_path:
                    sys.meta_path.insert(0, self._waiting)
            if self.name not in sys.modules:  # else another thread has begun to import it meanwhile
                return
        self._prepare(_imported(self.name))  # outside of the lock: another thread may be importing the module
        with self._lock:
            self._replace()
            self.reached = getattr(machine.here, self.surface)
            self.shown = True

    def move(self, here: Any) -> None:
        """Send calls of the module to another process. A surface that nothing has used yet waits for its first use.

        Args:
            here: The process, of a machine in another OS process.
        """
        waits = isinstance(self.reached, Late)
        self.reached = self._late(here) if waits else getattr(here, self.surface)

    def withdraw(self) -> None:
        """Restore the package's own functions.

        Functions of the look-alike then reach *nowhere*.
        """
        with self._lock:
            if not self.shown:
                return
            self.shown = False
            self.reached = self.nowhere
            if self._waiting in sys.meta_path:
                sys.meta_path.remove(self._waiting)
            if self.real:
                vars(self.real).update(self.originals)
                self._replaced = False
            for name, module in self.modules.items():
                sys.modules.pop(name, None)
                parent, _, child = name.rpartition(".")
                if vars(sys.modules.get(parent, module)).get(child) is module:
                    delattr(sys.modules[parent], child)
            self.modules = {}

    def _can_wait(self) -> bool:
        """Return whether the module is the installed runtime module, not imported yet."""
        if self.surface != "runtime" or self.trampolines or self.name in sys.modules:
            return False
        if self._waiting in sys.meta_path:
            return True
        try:
            return find_spec(self.name) is not None
        except ImportError:
            return False

    def _late(self, here: Process) -> Late:
        """Return a process's surface, created on first use."""

        def made() -> Any:
            surface = getattr(here, self.surface)
            if self.reached is late:
                self.reached = surface
            return surface

        late = Late(made)
        return late

    def _imported(self, module: ModuleType) -> None:
        """Replace the functions of a module that the program has just imported."""
        self._prepare(module)
        with self._lock:
            if self.shown:
                self._replace()

    def _prepare(self, real: ModuleType | None) -> None:
        """Make the functions of the look-alike, once."""
        with self._lock:
            if self.trampolines:
                return
            self.real = real
            names = [name for name in _functions(self.surface) if real is None or hasattr(real, name)]
            self.originals = {name: getattr(real, name) for name in names} if real else {}
            self.sought = {id(function) for function in self.originals.values()}
            self.trampolines = {name: self._trampoline(name) for name in names}

    def _replace(self) -> None:
        """Put the functions of the look-alike in place."""
        if self.real:
            if not self._replaced:
                self._search()
                vars(self.real).update(self.trampolines)
                self._replaced = True
        elif any(sys.modules.get(name) is None for name in _with_parents(self.name)):
            self._stand_in()

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
                stacklevel=10,
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


def _imported(name: str) -> ModuleType | None:
    """Return a module, imported if necessary; None if it cannot be imported."""
    try:
        return import_module(name)
    except ImportError:
        return None


def _functions(surface: str) -> tuple[str, ...]:
    """Return the names of a surface's functions.

    Those of the runtime are described. The module of its look-alike may be importing the binding just now.
    """
    if surface == "runtime":
        return (*import_module("fakecuda.spec.runtime").CALLS, *HELPERS)
    return tuple(import_module(f"fakecuda.reach.bindings.{surface}").FUNCTIONS)


def _with_parents(name: str) -> list[str]:
    """Return the names of a module's packages, outermost first, and its own name."""
    parts = name.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]
