"""The doctor's findings in Python files, from their syntax trees."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from fakecuda.doctor import calls
from fakecuda.doctor.binary import above, launches
from fakecuda.doctor.findings import FILES, KERNELS, LIBRARIES, Diagnosis, Finding, Level
from fakecuda.doctor.libraries import ABOVE, COMPILERS, FOLDERS, HIP, NVML, SHORT, WITH_HIP, way_of, ways_of
from fakecuda.doctor.state import add_state
from fakecuda.reach.install.loading import HIP_NAMES, NAMES

if TYPE_CHECKING:
    from mmap import mmap

MODULES = {
    "cuda.bindings": "cuda.bindings",
    "cuda.core": "cuda.core",
    "cuda.cuda": "the old cuda.cuda",
    "cuda.cudart": "the old cuda.cudart",
    "pynvml": NVML,
    "hip": HIP,
    "rocm.bindings": HIP,
    "numba.cuda": "numba-cuda",
}
"""Modules whose calls reach a machine, and the way of the calls."""
LARGE = frozenset(
    {
        "cupy",
        "torch",
        "jax",
        "tensorflow",
        "warp",
        "triton",
        "pycuda",
        "rmm",
        "nvmath",
        "cudf",
        "onnxruntime",
        "tensorrt",
    }
)
"""Packages that make CUDA calls themselves."""
LOADERS = frozenset({"CDLL", "PyDLL", "WinDLL", "LoadLibrary", "dlopen", "DllImport", "DLL"})
"""Functions that open a library."""
RUNTIME = "libcudart by ctypes"
"""The way of calls to the runtime library."""
VARIABLES = (*FOLDERS, "LD_PRELOAD")
NO_LOAD = "RTLD_NOLOAD"
COMPILED = frozenset({("cuda", "jit"), ("triton", "jit"), ("wp", "kernel")})
"""Modules with decorators that compile kernels from Python."""


def examine(data: mmap | bytes, file: str, diagnosis: Diagnosis) -> None:
    """Add a Python file's uses of CUDA.

    Args:
        data: The file.
        file: Its path within the subject.
        diagnosis: The findings of the subject.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(bytes(data), file)
    except (SyntaxError, ValueError, RecursionError) as error:
        diagnosis.note(FILES, f"cannot be read as Python: {error}", file)
        return
    diagnosis.count("module")
    nodes = list(ast.walk(tree))
    names = _names(nodes)
    modelled = {name for name in names if calls.is_call(name)}
    diagnosis.lacks(calls.lacking(sorted(modelled)), file)
    ways = _ways(nodes)
    for way in ways:
        diagnosis.ways[way] = None
    own = file.partition("/")[0]
    for top in sorted(_tops(nodes) & LARGE - {own}):
        diagnosis.note(LIBRARIES, f"imports {top}, which makes CUDA calls itself: run the doctor on {top}, too", file)
    opens = any(isinstance(one, ast.Attribute | ast.Name) and _last(one) in LOADERS for one in nodes)
    _libraries(nodes, _in_functions(nodes) if opens else frozenset(), file, diagnosis)
    if modelled and not diagnosis.ways and opens:
        diagnosis.ways["ctypes"] = None
    if modelled or ways:
        launches(modelled, file, diagnosis)
        add_state(tree, file, diagnosis)
    text = "compiles its kernels from Python: fakecuda runs no device code, so give each a Python function with @fakecuda.kernel"
    if any(
        isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and (one.value.id, one.attr) in COMPILED
        for one in nodes
    ):
        diagnosis.add(
            Finding(KERNELS, Level.NEEDS, text, "needs @fakecuda.kernel for each kernel that it launches"), file
        )


def _names(nodes: list[ast.AST]) -> set[str]:
    """Return attributes, names and texts of a file that may be calls."""
    found = set()
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)) | ast.alias(name=name):
                found.add(name)
    return {name for name in found if name.startswith(("cu", "hip", "nvml"))}


def _last(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id


def _tops(nodes: list[ast.AST]) -> set[str]:
    """Return the top-level names of imported modules."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def _ways(nodes: list[ast.AST]) -> dict[str, None]:
    """Return the imported CUDA modules, by the way of their calls."""
    found: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{one.name}" for one in node.names]
        else:
            continue
        for name in names:
            way = next((way for module, way in MODULES.items() if f"{name}.".startswith(f"{module}.")), None)
            if way:
                found[way] = None
    return found


def _in_functions(nodes: list[ast.AST]) -> frozenset[int]:
    """Return the ``id`` of each node in a function."""
    functions = [one for one in nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(id(node) for one in functions for node in ast.walk(one))


def _libraries(nodes: list[ast.AST], inside: frozenset[int], file: str, diagnosis: Diagnosis) -> None:
    """Add the libraries that a file opens or searches for, and their variables.

    Args:
        nodes: The nodes of the file.
        inside: The ``id`` of those in functions, if the file opens a library.
        file: Its path within the subject.
        diagnosis: The findings of the subject.
    """
    for node in nodes:
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in LOADERS:
                early, known = id(node) not in inside, NO_LOAD in ast.unparse(node)
                for text in _texts(node):
                    _opened(text, file, diagnosis, early=early, known=known)
            elif name in SEARCHES:
                for text in _texts(node):
                    SEARCHES[name](text, file, diagnosis)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value in VARIABLES:
                diagnosis.note(
                    LIBRARIES,
                    f"reads {node.value}: ctypes gets fakecuda's library by any path below that folder, C code does not",
                    file,
                )
            elif _base(node.value) != node.value and ways_of(_base(node.value)):
                diagnosis.note(
                    LIBRARIES,
                    f"has the path {node.value}: ctypes gets fakecuda's library by this path, C code does not",
                    file,
                )


def _texts(node: ast.AST) -> list[str]:
    return [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _base(text: str) -> str:
    return text.rpartition("/")[2]


def _opened(text: str, file: str, diagnosis: Diagnosis, *, early: bool, known: bool) -> None:
    base = _base(SHORT.get(text, text))
    if base.startswith(ABOVE) and ".so" in base:
        diagnosis.add(above("opens", base), file)
    if not ways_of(base):
        if any(base.startswith(f"lib{name}") for name in COMPILERS):
            diagnosis.note(
                LIBRARIES, f"opens {base}: NVIDIA's own library works without a GPU, if it is installed", file
            )
        return
    diagnosis.ways[way_of(base) or RUNTIME] = None
    if known and NAMES.fullmatch(base):
        diagnosis.note(LIBRARIES, f"opens {base} with RTLD_NOLOAD, which finds a real library but not fakecuda's", file)
    elif HIP_NAMES.fullmatch(base):
        diagnosis.add(Finding(LIBRARIES, Level.NEEDS, f"opens {base}: {ways_of(base)}", WITH_HIP), file)
    elif early:
        said = f"opens {base} when it is imported: import it after the first machine, or set fakecuda_load = true in the ini file"
        diagnosis.add(
            Finding(LIBRARIES, Level.NEEDS, said, "needs a machine, or fakecuda_load = true, before it is imported"),
            file,
        )
    else:
        diagnosis.note(LIBRARIES, f"opens {base}: {ways_of(base)}", file)


def _searched(text: str, file: str, diagnosis: Diagnosis) -> None:
    if text in SHORT:
        diagnosis.ways[way_of(SHORT[text]) or RUNTIME] = None
        diagnosis.note(
            LIBRARIES, f"find_library({text!r}): finds fakecuda's library while a machine is installed", file
        )


def _path_found(text: str, file: str, diagnosis: Diagnosis) -> None:
    if text in SHORT:
        diagnosis.note(
            LIBRARIES,
            f"cuda.pathfinder searches for {text}, and finds the file of a wheel or of a toolkit, not fakecuda's library",
            file,
        )


SEARCHES = {"find_library": _searched, "load_nvidia_dynamic_lib": _path_found}
"""By search function, a function that adds the texts in a call of it."""
