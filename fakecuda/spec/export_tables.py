"""The private driver tables that NVIDIA's CUDA runtime requests.

fakecuda has none of them. Their ids only tell the runtime from other callers.
"""

from __future__ import annotations

ID_SIZE = 16
"""The size of an id in bytes."""
RUNTIME_ALONE = bytes.fromhex("6bd5fb6c5bf4e74a8987d93912fd9df9")
"""The id of the table that only the runtime requests."""
RUNTIME = frozenset(
    {
        RUNTIME_ALONE,
        *map(
            bytes.fromhex,
            (
                "a094798c2e742e7493f20800200c0a66",  # tools
                "42d85a8123f6cb478298f6e78a3aecdc",  # tools
                "c693336e1121df11a8c368f355d89593",  # context-local storage
                "d4082055bde6704b8d34ba123c66e1f2",
                "f8cff95121468b4eb9e2fb469e7c0dd9",
                "21318c60971432488ca641ff7324c8f2",
            ),
        ),
    }
)
"""The table ids in libcudart 13.5.37, some of which other libraries request."""
RUNTIME_FILE = "libcudart"
"""The prefix of a shared runtime's file names."""
UNKNOWN_CALLER = "this process"
"""The caller's name in a message, if it is unknown."""

ASKS = "asks the driver for private tables, which fakecuda does not have"
STATIC = (
    f"%s has a statically linked CUDA runtime. It {ASKS}: link the shared runtime (nvcc --cudart=shared) and let the "
    "program find the library of machine.link(), or of fakecuda.load_cudart() in a Python process"
)
"""The message for a statically linked runtime; %s is the path of its file."""
SHARED = (
    f"%s is NVIDIA's own CUDA runtime. It {ASKS}: let the program find the library of machine.link(), or call "
    "fakecuda.load_cudart() before this one is loaded"
)
"""The message for a real shared runtime; %s is the path of its file."""
BINDINGS = (
    f"%s has a statically linked CUDA runtime. It {ASKS}: do not import functions of cuda.bindings.runtime by name, use "
    "the module's attributes"
)
"""The message for cuda.bindings functions imported by name; %s is the module."""
OTHER = (
    "%s asks the driver for a private table of NVIDIA's libraries, which fakecuda does not have: use the functions of "
    "the driver API that the manual documents"
)
"""The message for another library; %s is the path of its file."""
BINDINGS_FOLDER = "/cuda/bindings/"


def reason(path: str, table: bytes) -> str:
    """Return why a call of ``cuGetExportTable`` fails, and a fix.

    Args:
        path: The file of the code that calls; empty if unknown.
        table: The id of the table.
    """
    if table not in RUNTIME:
        text = OTHER
    elif path.rpartition("/")[2].startswith(RUNTIME_FILE):
        text = SHARED
    else:
        text = BINDINGS if BINDINGS_FOLDER in path else STATIC
    return text % (path or UNKNOWN_CALLER)
