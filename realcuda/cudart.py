"""The CUDA runtime library of a machine, with function names by version."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from pathlib import Path

from fakecuda.spec.cudart import OTHER_IN_12, SECOND_IN_12, THIRD_IN_12
from realcuda.wire import MissingFunction

MAPS = Path("/proc/self/maps")
LOADED = re.compile(r"^\S+ \S+ \S+ \S+ \S+ +(/.*/libcudart[-\w.]*\.so[.\d]*)$", re.MULTILINE)
NAMES = ("libcudart.so.13", "libcudart.so.12")
WHEELS = {"nvidia.cu13": "lib", "nvidia.cuda_runtime": "lib"}
"""Packages of the wheels ``nvidia-cuda-runtime`` and ``nvidia-cuda-runtime-cu12``, with the library's folder."""
SYSTEM = ("/usr/local/cuda/lib64", "/usr/local/cuda-13*/lib64", "/usr/local/cuda-12*/lib64")
NEW = 13000
"""The version of the described prototypes."""
RENAMED = {name: f"{name}_v2" for name in SECOND_IN_12} | {name: f"{name}_v3" for name in THIRD_IN_12}
"""The CUDA 12 names of functions with the described prototypes."""
CHANGED = OTHER_IN_12 - RENAMED.keys()
"""Functions with other structs or parameters in CUDA 12."""


def places() -> list[str]:
    """Return possible paths of the library, best first.

    They are: loaded, in a wheel, on the loader's path, in a toolkit.
    """
    found = LOADED.findall(MAPS.read_text(encoding="utf-8")) if MAPS.exists() else []
    for package, folder in WHEELS.items():
        try:
            spec = importlib.util.find_spec(package)
        except ImportError:
            continue
        for root in (spec.submodule_search_locations or []) if spec else []:
            found += [str(path) for name in NAMES if (path := Path(root, folder, name)).exists()]
    found += NAMES
    for pattern in SYSTEM:
        folders = sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)
        found += [str(path) for one in folders for name in NAMES if (path := one / name).exists()]
    return list(dict.fromkeys(found))


def load(path: str = "") -> ctypes.CDLL:
    """Load and return the library.

    Args:
        path: Its path or name; empty to search for it.

    Raises:
        OSError: It cannot be loaded or found; the text says what to do.
    """
    tried = [path] if path else places()
    problem = ""
    for one in tried:
        try:
            return ctypes.CDLL(one)
        except OSError as error:
            problem = str(error)
    msg = f"no libcudart ({problem}; looked for {', '.join(tried)}): pip install nvidia-cuda-runtime, or pass its path"
    raise OSError(msg)


def version_of(library: ctypes.CDLL) -> int:
    """Return a library's version, 1000 * major + 10 * minor."""
    version = ctypes.c_int()
    library.cudaRuntimeGetVersion(ctypes.byref(version))
    return version.value


def symbol_of(name: str, version: int) -> str:
    """Return the name of a function in the library of a version.

    Raises:
        MissingFunction: It had another prototype in that version.
    """
    if version >= NEW:
        return name
    if name in CHANGED:
        msg = f"{name} of the runtime library {version // 1000}.{version % 1000 // 10} takes other arguments"
        raise MissingFunction(msg)
    return RENAMED.get(name, name)
