"""The functions that libcudart exports, by major version."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import NamedTuple

from fakecuda.spec.description import HERE

VERSIONS = (12, 13)
STREAM = re.compile(r"_pt[sd][sz]\Z")
FAT_BINARY = "__cudaRegisterFatBinary"
"""The function that returns the handle of a compiled program's image."""
REGISTRATION = (
    FAT_BINARY,
    "__cudaGetKernel",
    "__cudaInitModule",
    "__cudaPopCallConfiguration",
    "__cudaPushCallConfiguration",
    "__cudaRegisterFunction",
    "__cudaRegisterManagedVar",
    "__cudaRegisterVar",
    "__cudaUnregisterFatBinary",
)
"""Functions that a compiled program calls at start, at exit, and around launches."""
WITHOUT_EFFECT = ("__cudaRegisterFatBinaryEnd", "__cudaRegisterHostVar", "__cudaRegisterUnifiedTable")
"""Functions of compiled programs that succeed without effect."""
COMPILED = {
    "__cudaLaunchKernel": "cudaLaunchKernel",
    "cudaThreadExit": "cudaDeviceReset",
    "cudaThreadGetCacheConfig": "cudaDeviceGetCacheConfig",
    "cudaThreadGetLimit": "cudaDeviceGetLimit",
    "cudaThreadSetCacheConfig": "cudaDeviceSetCacheConfig",
    "cudaThreadSetLimit": "cudaDeviceSetLimit",
    "cudaThreadSynchronize": "cudaDeviceSynchronize",
}
"""Other names of calls, in compiled programs and from the first CUDA release."""
CHANNEL_DESC = "cudaCreateChannelDesc"
"""The function that fills in a cudaChannelFormatDesc, without the driver."""
WITH_DATA = frozenset(
    [
        *("cudaGraphAddDependencies", "cudaGraphAddNode", "cudaGraphGetEdges", "cudaGraphNodeGetDependencies"),
        *("cudaGraphNodeGetDependentNodes", "cudaGraphRemoveDependencies", "cudaStreamUpdateCaptureDependencies"),
    ]
)
"""Calls that have edge data in CUDA 13, and in their second form in CUDA 12."""
OTHER_IN_12 = WITH_DATA | {
    *("cudaChooseDevice", "cudaGetDeviceProperties", "cudaMemAdvise", "cudaMemPrefetchAsync", "cudaMemcpyBatchAsync"),
    "cudaStreamGetCaptureInfo",
}
"""Calls with other parameters in CUDA 12, whose form is called _v1 here."""
SECOND_IN_12 = WITH_DATA | {"cudaEventElapsedTime", "cudaMemAdvise", "cudaMemPrefetchAsync"}
"""Calls whose second form in CUDA 12 equals the form of CUDA 13."""
THIRD_IN_12 = {"cudaStreamGetCaptureInfo"}
"""Calls whose third form in CUDA 12 equals the form of CUDA 13."""
ATTRIBUTES_IN_12 = 24
"""The size of cudaPointerAttributes in CUDA 12."""


class Exported(NamedTuple):
    """A function that libcudart exports.

    Attributes:
        name: The symbol.
        call: The call of the runtime API that it is; empty where that is none, or not in this form.
        own_stream: Whether stream 0 is the thread's own.
    """

    name: str
    call: str
    own_stream: bool


def soname(major: int) -> str:
    """Return the file name of a major version's library, also its symbol version."""
    return f"libcudart.so.{major}"


@cache
def exported(major: int) -> tuple[Exported, ...]:
    """Return the exported functions of a major version, in table order."""
    rows = json.loads((HERE / "cudart.json").read_text(encoding="utf-8"))
    alone = {*WITHOUT_EFFECT, CHANNEL_DESC}
    return tuple(_exported(name, major) for name in sorted(rows["both"] + rows[str(major)]) if name not in alone)


def _exported(name: str, major: int) -> Exported:
    from fakecuda.spec.runtime import CALLS  # noqa: PLC0415 - the library's name is asked for by programs that never call it

    base = STREAM.sub("", name)
    call = COMPILED.get(base, base)
    if major < VERSIONS[-1]:
        first, _, form = base.partition("_v")
        later = {"2": SECOND_IN_12, "3": THIRD_IN_12}.get(form, ())
        call = first if first in later else f"{base}_v1" if base in OTHER_IN_12 else call
    return Exported(name, call if call in CALLS else "", base != name)
