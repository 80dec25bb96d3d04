"""A refusal that counts as success stays as the thread's last error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked

if TYPE_CHECKING:
    from fakecuda import FakeCuda


ALREADY = runtime.cudaError_t.cudaErrorPeerAccessAlreadyEnabled
NOT_ENABLED = runtime.cudaError_t.cudaErrorPeerAccessNotEnabled


def initialised_again(_: FakeCuda, *, fixed: bool) -> None:
    """A buffer is set up twice, and then the program checks the last error."""
    checked(runtime.cudaSetDevice(0))
    for _buffer in range(2):
        (code,) = runtime.cudaDeviceEnablePeerAccess(1, 0)
        assert code in {runtime.cudaError_t.cudaSuccess, ALREADY}
        if fixed and code == ALREADY:
            runtime.cudaGetLastError()
    checked(runtime.cudaMemset(checked(runtime.cudaMalloc(4096)), 0, 4096))
    checked(runtime.cudaGetLastError())


def other_library(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A library has enabled access before; the check reads the error without a reset."""
    rank = fakecuda.spawn("rank-1").runtime
    checked(rank.cudaSetDevice(1))
    checked(rank.cudaDeviceEnablePeerAccess(0, 0))
    (code,) = rank.cudaDeviceEnablePeerAccess(0, 0)
    if fixed and int(code):
        rank.cudaGetLastError()
    stream = checked(rank.cudaStreamCreate())
    checked(rank.cudaStreamSynchronize(stream))
    checked(rank.cudaPeekAtLastError())


def set_peer_access(_: FakeCuda, *, fixed: bool) -> None:
    """Large batches disable peer access, which may be disabled already."""
    for device in (0, 1):
        checked(runtime.cudaSetDevice(device))
        (code,) = runtime.cudaDeviceDisablePeerAccess(1 - device)
        assert code in {runtime.cudaError_t.cudaSuccess, NOT_ENABLED}
        if fixed:
            runtime.cudaGetLastError()
    pointer = checked(runtime.cudaMalloc(512))
    checked(runtime.cudaMemset(pointer, 1, 512))
    checked(runtime.cudaGetLastError())


def twice_off(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process enables access and disables it twice."""
    server = fakecuda.spawn("server").runtime
    checked(server.cudaSetDevice(0))
    checked(server.cudaDeviceEnablePeerAccess(1, 0))
    for _request in range(2):
        code = server.cudaDeviceDisablePeerAccess(1)[0]
        if fixed and code == NOT_ENABLED:
            server.cudaGetLastError()
    checked(server.cudaEventRecord(checked(server.cudaEventCreate()), 0))
    checked(server.cudaGetLastError())


def on_hip(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """On HIP, a framework enables access again, and breaks another one's next check."""
    process = fakecuda.spawn("both").hip
    for framework in ("first", "second"):
        code = process.hipDeviceEnablePeerAccess(1, 0)[0]
        if framework == "second" and fixed:
            process.hipGetLastError()
        assert not int(code) or code == process.hipError_t.hipErrorPeerAccessAlreadyEnabled
    checked(process.hipMalloc(4096))
    checked(process.hipGetLastError())


def every_pair_on_hip(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """On HIP, each device is made a peer of each other device, twice."""
    process = fakecuda.spawn("server").hip
    for device in (0, 1, 1, 0):
        checked(process.hipSetDevice(device))
        code = process.hipDeviceEnablePeerAccess(1 - device, 0)[0]
        if fixed and int(code):
            process.hipGetLastError()
    checked(process.hipDeviceSynchronize())
    checked(process.hipPeekAtLastError())


EXHIBITS = [
    Exhibit(
        number=26,
        report="kvcache-ai/Mooncake#1470",
        title='"peer access is already enabled" stays as the last error',
        happens=(
            "A second set-up enables peer access that is already enabled, and rightly treats the refusal as success. "
            "The runtime stores the refusal as the thread's last error, and the next code that checks the last error "
            "believes that its own work has failed."
        ),
        part=Part.STATE,
        told=("RuntimeError: cudaErrorPeerAccessAlreadyEnabled", "peer.ctx_enable_peer_access.PEER_IS_NOT_ENABLED"),
        programs={"initialised-again": initialised_again, "other-library": other_library},
        devices={"initialised-again": 2, "other-library": 2},
    ),
    Exhibit(
        number=26,
        report="ggml-org/llama.cpp#10152",
        title='"peer access has not been enabled" stays as the last error',
        happens="The bug also occurs if a program disables peer access that is not enabled: the next check after a "
        "kernel reports this error.",
        part=Part.STATE,
        told=("RuntimeError: cudaErrorPeerAccessNotEnabled", "PEER_ACCESS_NOT_ENABLED"),
        programs={"set-peer-access": set_peer_access, "twice-off": twice_off},
        devices={"set-peer-access": 2, "twice-off": 2},
    ),
    Exhibit(
        number=26,
        report="iree-org/iree#23538",
        title="with ROCm 7 the last error stays, too",
        happens=(
            "hipGetLastError used to forget an error when a later call succeeded. Since ROCm 7 hipGetLastError keeps "
            "an error as CUDA does, so an error that one framework ignores fails in another framework."
        ),
        part=Part.STATE,
        told=("RuntimeError: hipErrorPeerAccessAlreadyEnabled", "hip.peer.PEER_IS_NOT_ENABLED"),
        programs={"two-frameworks": on_hip, "every-pair": every_pair_on_hip},
        settings={"profile": "hip-clr-2026"},
    ),
]
