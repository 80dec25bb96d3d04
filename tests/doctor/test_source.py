"""What the doctor says of Python files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.doctor.report import text_of

from .made import of

if TYPE_CHECKING:
    from pathlib import Path

MODULES: dict[str, tuple[str, str, list[str]]] = {
    "the bindings": (
        "from cuda.bindings import driver\n\ndef f():\n    driver.cuMemAlloc(1)\n    driver.cuTexRefCreate()\n",
        "works by cuda.bindings",
        ["cuTexRefCreate: answers CUDA_ERROR_NOT_SUPPORTED", "fixture: fakecuda"],
    ),
    "ctypes": (
        (
            "import ctypes, ctypes.util\n\ndef f():\n    ctypes.CDLL('libcuda.so.1').cuInit(0)\n"
            "    ctypes.CDLL('libcudart.so', mode=RTLD_NOLOAD)\n    ctypes.util.find_library('nvidia-ml')\n    ctypes.CDLL('libnvrtc.so')\n"
        ),
        "works by libcudart by ctypes, libnvidia-ml.so.1, libcuda.so.1",
        ["RTLD_NOLOAD", "find_library('nvidia-ml')", "libnvrtc.so: NVIDIA's own library works without a GPU"],
    ),
    "opened at import": (
        "import ctypes\nlib = ctypes.CDLL('libcuda.so.1')\nlib.cuInit(0)\n",
        "works by libcuda.so.1; needs a machine, or fakecuda_load = true, before it is imported",
        ["calls cuInit when it is imported", "fixture: fakecuda_session"],
    ),
    "a library that is searched for": (
        "import ctypes\ndef f(path):\n    ctypes.CDLL(path).cudaMalloc(0)\n",
        "works by ctypes",
        [],
    ),
    "HIP by ctypes": (
        "import ctypes\ndef f():\n    ctypes.CDLL('libamdhip64.so').hipInit(0)\n",
        "works by libamdhip64.so; needs a profile with HIP",
        [],
    ),
    "HIP and CUDA": (
        "import ctypes\ndef f():\n    ctypes.CDLL('libamdhip64.so')\n    ctypes.CDLL('libcuda.so')\n",
        "works by libamdhip64.so, libcuda.so.1",
        [],
    ),
    "cuBLAS by ctypes": (
        "import ctypes\ndef f():\n    ctypes.CDLL('libcublas.so.12')\n",
        "does not work: what calls libcublas fails",
        [],
    ),
    "pathfinder and folders": (
        (
            "from cuda.pathfinder import load_nvidia_dynamic_lib\nimport os, torch\n\ndef f():\n    load_nvidia_dynamic_lib('cudart')\n"
            "    os.environ['CUDA_PATH']\n    open('/usr/lib/libcuda.so.1')\n"
        ),
        "makes no calls that the doctor sees",
        [
            "cuda.pathfinder searches for cudart",
            "reads CUDA_PATH",
            "has the path /usr/lib/libcuda.so.1",
            "imports torch",
        ],
    ),
    "kernels": (
        "from numba import cuda\n\n@cuda.jit\ndef k(a):\n    pass\n",
        "works by numba-cuda; needs @fakecuda.kernel for each kernel that it launches",
        ["compiles its kernels from Python"],
    ),
    "caches": (
        (
            "import functools\nfrom cuda.bindings.driver import cuInit\n_context = None\n\n@functools.cache\ndef f():\n    return g()\n\n"
            "def g():\n    global _context\n    _context = cuInit(0)\n\nclass C:\n    _instance: object = None\n    def f(self):\n        g()\n"
        ),
        "works by cuda.bindings",
        [
            "f caches what the driver",
            "g keeps _context",
            "the class C keeps its only object",
            "fixture: fakecuda_session",
        ],
    ),
    "a fixture of the module": (
        "import pytest\nfrom cuda.bindings import driver\n\n@pytest.fixture(scope='module')\ndef context():\n    driver.cuInit(0)\n",
        "works by cuda.bindings",
        ["the fixture context has the scope 'module'", "fixture: fakecuda_module"],
    ),
    "a fixture of the session": (
        "import pytest\nfrom cuda.bindings import driver\n\n@pytest.fixture(scope='session')\ndef context():\n    driver.cuInit(0)\n",
        "works by cuda.bindings",
        ["fixture: fakecuda_session"],
    ),
    "no Python": ("def f(:", "makes no calls that the doctor sees", ["cannot be read as Python"]),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_python_file(name: str, tmp_path: Path) -> None:
    """The verdict in a line, and the details."""
    content, verdict, details = MODULES[name]
    found = of(tmp_path, "x.py", content)
    assert found.verdict() == verdict
    text = text_of([found], 400)
    assert [one for one in details if one not in text] == []
