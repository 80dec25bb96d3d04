"""Redirects loading of libcudart with ctypes to the installed machine.

The same happens for HIP's library.
``ctypes.CDLL`` of a file called libcudart returns a :class:`ctypes.CDLL` whose functions reach the machine that is then
installed. No library is loaded. Code that looks for a loaded libcudart in ``/proc/self/maps`` finds the file of that
name beside this module, which contains no code. ``ctypes.util.find_library("cudart")`` returns its name. Searches for
files are not redirected, such as those of cuda.pathfinder or with RTLD_NOLOAD.

Where fakecuda's own ``libcuda.so.1``, ``libnvidia-ml.so.1`` or ``libamdhip64.so`` is loaded, each way to load a file with
that name loads that library, also by a path. ``find_library`` returns its name.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import mmap
import os
import re
import sys
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.thread import Thread
    from fakecuda.reach.native.cudart import Cudart, Functions

NAMES = re.compile(r"libcudart(?!_static)[-\w.]*\.so[.\d]*|libcudart[-\w.]*\.dylib")
"""Matches libcudart file names of a system or a wheel, or bundled."""
HIP_NAMES = re.compile(r"libamdhip64[-\w.]*\.so[.\d]*")
"""Matches names of HIP library files."""
HIP, HIP_FILE = "amdhip64", "libamdhip64.so"
DRIVER_NAMES = re.compile(r"(libcuda|libnvidia-ml)\.so[.\d]*")
"""Matches names of a driver installation's files."""
DRIVER_FILES = {"cuda": "libcuda.so.1", "nvidia-ml": "libnvidia-ml.so.1"}
"""The files of a driver installation, by the names that programs search for."""
PATHS = "rocm.bindings.util.paths"
"""The module of hip-python that searches for libraries before loading them."""
FILE = "libcudart.so.13"
SHORT = "cudart"
WITH_FILES = ("cuda.pathfinder", "fakecuda.reach.native.library", "fakecuda.reach.remote.client.door")
"""Modules that need real files."""
NO_LOAD = getattr(os, "RTLD_NOLOAD", 0)
MAPS = Path("/proc/self/maps")
HAS_MAPS = MAPS.exists()


def is_cudart(name: object) -> bool:
    """Return whether a path or name to load means a libcudart."""
    return _is_called(NAMES, name)


def _is_called(names: re.Pattern[str], name: object) -> bool:
    if not isinstance(name, str | bytes | os.PathLike):
        return False
    return names.fullmatch(_last(name)) is not None


def _last(path: str | bytes | os.PathLike[Any]) -> str:
    return os.fsdecode(path).rpartition("/")[2]


def _wants_a_file(args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether a caller of ``ctypes.CDLL`` needs the real file.

    It uses RTLD_NOLOAD or is in ``WITH_FILES``.
    """
    mode = keywords.get("mode", args[0] if args else 0)
    frame = sys._getframe(2)  # noqa: SLF001 - for the name of the calling module
    return bool(mode & NO_LOAD) or str(frame.f_globals.get("__name__")).startswith(WITH_FILES)


class Loading:
    """Redirects the loading of libcudart to a machine.

    Args:
        find: Returns the calling thread on the current machine.

    Attributes:
        driver: Whether fakecuda's ``libcuda.so.1`` and ``libnvidia-ml.so.1`` are loaded. Then every path of a file with these
            names means them.
        hip: Whether fakecuda's ``libamdhip64.so`` is loaded. Then every path of a HIP library means this file.
    """

    __slots__ = ("_find", "_functions", "_map", "_original", "_paths", "_searched", "driver", "hip")

    def __init__(self, find: Callable[[], Thread]) -> None:
        self._find = find
        self._functions: Functions | None = None
        self._map: mmap.mmap | None = None
        self._original: Any = None
        self._searched: Any = None
        self._paths: Any = None
        self.driver = self.hip = False

    def show(self) -> None:
        """Redirect libraries that are loaded from now on."""
        if self.hip and self._paths is None:
            self._lead_hip_python()
        if self._original is not None:
            return
        original: Any = ctypes.CDLL.__init__

        @wraps(original)
        def load(library: ctypes.CDLL, name: Any, *args: Any, **keywords: Any) -> None:
            if is_cudart(name) and not _wants_a_file(args, keywords):
                self._lead(library, os.fsdecode(name))
            elif self.hip and _is_called(HIP_NAMES, name):
                original(library, HIP_FILE, *args, **keywords)
            elif self.driver and _is_called(DRIVER_NAMES, name) and not _wants_a_file(args, keywords):
                original(library, f"{_last(name).partition('.so')[0]}.so.1", *args, **keywords)
            else:
                original(library, name, *args, **keywords)

        searched = ctypes.util.find_library

        @wraps(searched)
        def find_library(name: str) -> str | None:
            if self.driver and name in DRIVER_FILES:
                return DRIVER_FILES[name]
            return FILE if name == SHORT else HIP_FILE if self.hip and name == HIP else searched(name)

        self._original, self._searched = original, searched
        ctypes.CDLL.__init__ = load  # type: ignore[method-assign, assignment]
        ctypes.util.find_library = find_library
        if HAS_MAPS:
            descriptor = os.open(Path(__file__).with_name(FILE), os.O_RDONLY)
            try:
                self._map = mmap.mmap(descriptor, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)  # as the loader maps libraries
            finally:
                os.close(descriptor)

    def withdraw(self) -> None:
        """Stop redirecting.

        Redirected libraries stay redirected; without a machine they reach none.
        """
        if self._original is None:
            return
        ctypes.CDLL.__init__ = self._original  # type: ignore[method-assign]
        ctypes.util.find_library = self._searched
        self._original = self._searched = None
        if self._paths is not None:
            paths: Any = import_module(PATHS)
            paths.get_library_path = self._paths
            self._paths = None
        if self._map is not None:
            self._map.close()
            self._map = None

    def _lead_hip_python(self) -> None:
        """Make hip-python find fakecuda's library, even if a real library is installed."""
        try:
            paths: Any = import_module(PATHS)
        except ImportError:
            return
        searched = self._paths = paths.get_library_path

        @wraps(searched)
        def get_library_path(shortname: str, *args: Any, **keywords: Any) -> bytes:
            if self.hip and shortname == HIP:
                return HIP_FILE.encode()
            found: bytes = searched(shortname, *args, **keywords)
            return found

        paths.get_library_path = get_library_path

    def library(self) -> Cudart:
        """Return a redirected library."""
        from fakecuda.reach.native.cudart import Cudart  # noqa: PLC0415 - few programs load it

        return Cudart(self._led(), FILE)

    def _lead(self, library: ctypes.CDLL, name: str) -> None:
        from fakecuda.reach.native.cudart import lead  # noqa: PLC0415 - few programs load it

        lead(library, name, self._led())

    def _led(self) -> Functions:
        from fakecuda.reach.native.cudart import Functions  # noqa: PLC0415 - few programs load it

        if self._functions is None:
            self._functions = Functions(self._find)
        return self._functions
