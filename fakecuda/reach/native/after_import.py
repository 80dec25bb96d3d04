"""A finder that calls a function after the import of a module."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class AfterImport:
    """A finder for ``sys.meta_path`` that notes imports and leaves them to the other finders.

    Args:
        names: The modules.
        then: Called with each of these modules after its code has run, before its import ends.
    """

    __slots__ = ("_names", "_then")

    def __init__(self, names: Collection[str], then: Callable[[ModuleType], None]) -> None:
        self._names = names
        self._then = then

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the spec of a noted module; its loader calls the function. None for other modules."""
        finders = list(sys.meta_path)  # another thread may change it
        if name not in self._names or self not in finders:
            return None
        # Only the later ones: another finder of this kind before this one would ask this one again, without end.
        later = [one for one in finders[finders.index(self) + 1 :] if hasattr(one, "find_spec")]
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in later)), None)
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        load = loader.exec_module

        def load_and_call(module: ModuleType) -> None:
            loader.exec_module = load
            load(module)
            self._then(module)

        loader.exec_module = load_and_call
        return spec
