"""cuGraphDebugDotPrint: write a graph as a DOT file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.model.graph import dot
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.graph.handle import any_graph_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from typing import TextIO

    from fakecuda.model.call import Call

PATH_IS_GIVEN = Rule(
    "`path` is not null",
    Result.INVALID_VALUE,
    manual("cuGraphDebugDotPrint", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a path",
)
FILE_CAN_BE_WRITTEN = Rule(
    "the process can write the file `path`",
    Result.OPERATING_SYSTEM,
    manual("cuGraphDebugDotPrint", "CUDA_ERROR_OPERATING_SYSTEM"),
    fix="create the folder first, and allow the process to write there",
)


@guard
def opened(call: Call, path: bytes) -> TextIO:
    """Open the file at a path for writing, and return it.

    Raises:
        FakeCudaError: The caller is another OS process, whose files this one may not see.
    """
    try:
        return Path(call.process.system.path(path)).open("w", encoding="utf-8")
    except OSError as error:
        raise FILE_CAN_BE_WRITTEN.broken(path=os.fsdecode(path), error=str(error)) from error


@DRIVER.op("cuGraphDebugDotPrint")
def graph_debug_dot_print(call: Call, handle: int, path: bytes | None, flags: int) -> None:
    """Write a graph as a DOT file.

    Args:
        call: The call.
        handle: The graph.
        path: Where.
        flags: Further details of nodes, CUgraphDebugDot_flags; unknown bits are ignored.
    """
    # CHECK
    if path is None:
        raise PATH_IS_GIVEN.broken()
    drawn = any_graph_of(call, handle)
    file = opened(call, path)
    # EFFECT
    dot.write(drawn, file, flags)
