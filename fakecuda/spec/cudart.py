"""The functions that libcudart exports, by its major version, as the wheels of CUDA 12.9 and 13.5 have them."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import NamedTuple

from fakecuda.spec.description import HERE

VERSIONS = (12, 13)
STREAM = re.compile(r"_pt[sd][sz]\Z")
FAT_BINARY = "__cudaRegisterFatBinary"
"""It returns the handle that other functions of a compiled program are given."""
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
"""What a compiled program calls when it starts and ends, and before it launches a kernel."""
WITHOUT_EFFECT = ("__cudaRegisterFatBinaryEnd", "__cudaRegisterHostVar", "__cudaRegisterUnifiedTable")
"""Others that it calls. They succeed, without effect."""
COMPILED = {
    "__cudaLaunchKernel": "cudaLaunchKernel",
    "cudaThreadExit": "cudaDeviceReset",
    "cudaThreadGetCacheConfig": "cudaDeviceGetCacheConfig",
    "cudaThreadGetLimit": "cudaDeviceGetLimit",
    "cudaThreadSetCacheConfig": "cudaDeviceSetCacheConfig",
    "cudaThreadSetLimit": "cudaDeviceSetLimit",
    "cudaThreadSynchronize": "cudaDeviceSynchronize",
}
"""Other names of calls: that which compiled programs use, and those which CUDA 12 still has of the first release."""
CHANNEL_DESC = "cudaCreateChannelDesc"
"""A function that fills in a struct, without the driver."""
WITH_DATA = frozenset(
    [
        *("cudaGraphAddDependencies", "cudaGraphAddNode", "cudaGraphGetEdges", "cudaGraphNodeGetDependencies"),
        *("cudaGraphNodeGetDependentNodes", "cudaGraphRemoveDependencies", "cudaStreamUpdateCaptureDependencies"),
    ]
)
"""Calls whose edges have data in CUDA 13, and in the second form of CUDA 12."""
OTHER_IN_12 = WITH_DATA | {
    *("cudaChooseDevice", "cudaGetDeviceProperties", "cudaMemAdvise", "cudaMemPrefetchAsync", "cudaMemcpyBatchAsync"),
    "cudaStreamGetCaptureInfo",
}
"""Calls that take something else in CUDA 12 than in 13, by their names there; that form is called _v1 here."""
SECOND_IN_12 = WITH_DATA | {"cudaEventElapsedTime", "cudaMemAdvise", "cudaMemPrefetchAsync"}
"""Calls whose second form in CUDA 12 is the one of 13."""
THIRD_IN_12 = {"cudaStreamGetCaptureInfo"}
"""The same for the third form."""
ATTRIBUTES_IN_12 = 24
"""Bytes of cudaPointerAttributes in CUDA 12; 13 has reserved words behind these."""


class Exported(NamedTuple):
    """A function that a libcudart exports.

    Attributes:
        name: The symbol.
        call: The call of the runtime API that it is; empty where that is none, or not in this form.
        own_stream: Whether stream 0 is the thread's own.
    """

    name: str
    call: str
    own_stream: bool


def soname(major: int) -> str:
    """Return the name of the library of a major version; its symbols have that as their version."""
    return f"libcudart.so.{major}"


@cache
def exported(major: int) -> tuple[Exported, ...]:
    """Return the functions that the library of a major version exports, in the order of the table."""
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
