"""What a Python that is started while a machine is shared does: it fills the driver library, before anybody calls it.

``fakecuda.pth`` in site-packages brings it in, if the environment names a machine. All that happens then is that the
import of the modules by which a program can reach a library is watched.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

REACHING = ("ctypes", "cuda.bindings")
"""No program reaches a library from Python without one of them, but for extension modules of its own."""
IMPORTED = ("fakecuda", "cuda.bindings", "cuda.pathfinder")
"""Packages that filling the library imports: none of their modules may be half imported then."""
WATCHED = {*REACHING, *IMPORTED[1:]}
"""Modules behind which the library may be filled, each once it is there."""
OUTERMOST = frozenset({"fakecuda.simulated.install", "fakecuda.plugin", "fakecuda.__main__"})
"""Modules that filling the library does not import."""


def watch() -> None:
    """Fill the driver library as soon as the program could reach it; a second time changes nothing."""
    if _begun:
        return
    _begun.append(True)
    if any(name in sys.modules for name in REACHING):
        fill()
    else:
        sys.meta_path.insert(0, Watch())


_begun: list[bool] = []


def settle(loaded: str = "") -> None:
    """Fill the driver library if that waits for nothing any more.

    A program may import fakecuda itself or cuda.pathfinder, which import ctypes: the library is filled once no module that
    takes is half imported.

    Args:
        loaded: A module that is there but for the end of its import.
    """
    watching = next((one for one in sys.meta_path if isinstance(one, Watch)), None)
    if watching is None or not any(name in sys.modules for name in REACHING) or _half_imported(loaded):
        return
    sys.meta_path.remove(watching)
    fill()


def _half_imported(loaded: str) -> bool:
    inside = tuple(f"{package}." for package in IMPORTED)
    names = [name for name in sys.modules if name.startswith(inside) or name in IMPORTED[1:]]
    names = [name for name in names if name not in OUTERMOST and name != loaded]
    return any(getattr(getattr(sys.modules[name], "__spec__", None), "_initializing", False) for name in names)


def fill() -> None:
    """Fill the driver library."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - few programs need it
    from fakecuda.reach.remote.client.door import open_door  # noqa: PLC0415 - likewise

    try:
        open_door(path)
    except FakeCudaError as error:
        warnings.warn(f"{VARIABLE} is set, but calls do not reach the machine: {error}", RuntimeWarning, stacklevel=2)


class Watch:
    """A finder that finds nothing but notes what is imported."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the spec of a watched module, which fills the library once the module is loaded; None for others."""
        if name not in WATCHED:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        load = loader.exec_module

        def load_and_fill(module: ModuleType) -> None:
            loader.exec_module = load
            load(module)
            settle(name)

        loader.exec_module = load_and_fill
        return spec
