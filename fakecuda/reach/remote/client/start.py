"""The start of a Python process while a machine is shared.

Fills the driver library before the first call.
``fakecuda.pth`` in site-packages imports this module if the environment names a machine. At first it only watches the
imports of modules through which a program can reach a library.
"""

from __future__ import annotations

import os
import sys
import warnings

from fakecuda.reach.native.after_import import AfterImport
from fakecuda.reach.remote import VARIABLE

REACHING = ("ctypes", "cuda.bindings")
"""Modules by which a program can reach a library from Python."""
IMPORTED = ("fakecuda", "cuda.bindings", "cuda.pathfinder")
"""Packages that filling the library imports, which must not be partly imported."""
WATCHED = {*REACHING, *IMPORTED[1:]}
"""Modules after whose import the library may be filled."""
OUTERMOST = frozenset({"fakecuda.machine.install", "fakecuda.plugin", "fakecuda.__main__"})
"""Modules that filling the library does not import."""


def watch() -> None:
    """Fill the driver library as soon as the program can reach it.

    A second call does nothing.
    """
    if _begun:
        return
    _begun.append(True)
    if any(name in sys.modules for name in REACHING):
        fill()
    else:
        sys.meta_path.insert(0, _watching)


_begun: list[bool] = []


def settle(loaded: str = "") -> None:
    """Fill the driver library, if a program can reach it.

    Do nothing while a module that this needs is only partly imported.
    A program may import fakecuda itself or cuda.pathfinder, which import ctypes in the middle of their own import.

    Args:
        loaded: A module whose import is complete except for its end.
    """
    if _watching not in sys.meta_path or not any(name in sys.modules for name in REACHING) or _half_imported(loaded):
        return
    sys.meta_path.remove(_watching)
    fill()


_watching = AfterImport(WATCHED, lambda module: settle(module.__name__))


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
    from fakecuda.reach.remote.client.door import open_door  # noqa: PLC0415 - few programs need it

    try:
        open_door(path)
    except FakeCudaError as error:
        warnings.warn(
            f"the environment variable {VARIABLE} names a machine, but CUDA calls of this process do not reach it: "
            f"{error}",
            RuntimeWarning,
            stacklevel=2,
        )
