"""The codes of the CUDA driver API.

The numbers and names are those of ``CUresult`` in cuda-bindings 13, without the prefix ``CUDA_ERROR_``.
"""

from __future__ import annotations

from enum import IntEnum

CRASH = -1
"""The answer of a real process that died of the call (a segmentation fault)."""
HANG = -2
"""The answer of a real process that did not return within the limit."""


class Code(IntEnum):
    """A result code of a call."""

    @property
    def cname(self) -> str:
        """The enumerator's name in C."""
        raise NotImplementedError


class Result(Code):
    """The result of a driver call (CUresult)."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    DEINITIALIZED = 4
    PROFILER_DISABLED = 5
    PROFILER_NOT_INITIALIZED = 6
    PROFILER_ALREADY_STARTED = 7
    PROFILER_ALREADY_STOPPED = 8
    STUB_LIBRARY = 34
    CALL_REQUIRES_NEWER_DRIVER = 36
    DEVICE_UNAVAILABLE = 46
    MULTICAST_RESOURCE_FULL = 47
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    DEVICE_NOT_LICENSED = 102
    INVALID_IMAGE = 200
    INVALID_CONTEXT = 201
    CONTEXT_ALREADY_CURRENT = 202
    MAP_FAILED = 205
    UNMAP_FAILED = 206
    ARRAY_IS_MAPPED = 207
    ALREADY_MAPPED = 208
    NO_BINARY_FOR_GPU = 209
    ALREADY_ACQUIRED = 210
    NOT_MAPPED = 211
    NOT_MAPPED_AS_ARRAY = 212
    NOT_MAPPED_AS_POINTER = 213
    ECC_UNCORRECTABLE = 214
    UNSUPPORTED_LIMIT = 215
    CONTEXT_ALREADY_IN_USE = 216
    PEER_ACCESS_UNSUPPORTED = 217
    INVALID_PTX = 218
    INVALID_GRAPHICS_CONTEXT = 219
    NVLINK_UNCORRECTABLE = 220
    JIT_COMPILER_NOT_FOUND = 221
    UNSUPPORTED_PTX_VERSION = 222
    JIT_COMPILATION_DISABLED = 223
    UNSUPPORTED_EXEC_AFFINITY = 224
    UNSUPPORTED_DEVSIDE_SYNC = 225
    CONTAINED = 226
    INSUFFICIENT_LOADER_VERSION = 227
    INVALID_SOURCE = 300
    FILE_NOT_FOUND = 301
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302
    SHARED_OBJECT_INIT_FAILED = 303
    OPERATING_SYSTEM = 304
    INVALID_HANDLE = 400
    ILLEGAL_STATE = 401
    LOSSY_QUERY = 402
    NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    LAUNCH_TIMEOUT = 702
    LAUNCH_INCOMPATIBLE_TEXTURING = 703
    PEER_ACCESS_ALREADY_ENABLED = 704
    PEER_ACCESS_NOT_ENABLED = 705
    PRIMARY_CONTEXT_ACTIVE = 708
    CONTEXT_IS_DESTROYED = 709
    ASSERT = 710
    TOO_MANY_PEERS = 711
    HOST_MEMORY_ALREADY_REGISTERED = 712
    HOST_MEMORY_NOT_REGISTERED = 713
    HARDWARE_STACK_ERROR = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED_ADDRESS = 716
    INVALID_ADDRESS_SPACE = 717
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    COOPERATIVE_LAUNCH_TOO_LARGE = 720
    TENSOR_MEMORY_LEAK = 721
    NOT_PERMITTED = 800
    NOT_SUPPORTED = 801
    SYSTEM_NOT_READY = 802
    SYSTEM_DRIVER_MISMATCH = 803
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804
    MPS_CONNECTION_FAILED = 805
    MPS_RPC_FAILURE = 806
    MPS_SERVER_NOT_READY = 807
    MPS_MAX_CLIENTS_REACHED = 808
    MPS_MAX_CONNECTIONS_REACHED = 809
    MPS_CLIENT_TERMINATED = 810
    CDP_NOT_SUPPORTED = 811
    CDP_VERSION_MISMATCH = 812
    STREAM_CAPTURE_UNSUPPORTED = 900
    STREAM_CAPTURE_INVALIDATED = 901
    STREAM_CAPTURE_MERGE = 902
    STREAM_CAPTURE_UNMATCHED = 903
    STREAM_CAPTURE_UNJOINED = 904
    STREAM_CAPTURE_ISOLATION = 905
    STREAM_CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    STREAM_CAPTURE_WRONG_THREAD = 908
    TIMEOUT = 909
    GRAPH_EXEC_UPDATE_FAILURE = 910
    EXTERNAL_DEVICE = 911
    INVALID_CLUSTER_SIZE = 912
    FUNCTION_NOT_LOADED = 913
    INVALID_RESOURCE_TYPE = 914
    INVALID_RESOURCE_CONFIGURATION = 915
    KEY_ROTATION = 916
    STREAM_DETACHED = 917
    GRAPH_RECAPTURE_FAILURE = 918
    FABRIC_NOT_READY = 919
    UNKNOWN = 999

    @property
    def cname(self) -> str:
        """The enumerator's name in C, such as ``CUDA_ERROR_INVALID_VALUE``."""
        return "CUDA_SUCCESS" if self is Result.SUCCESS else f"CUDA_ERROR_{self.name}"


def name_of(code: int) -> str:
    """Return the short name of a code, such as ``INVALID_VALUE``, or ``crash``."""
    if code == CRASH:
        return "crash"
    if code == HANG:
        return "hang"
    return Result(code).name if code in Result._value2member_map_ else str(code)


class Error(Code):
    """Codes of the runtime API without a counterpart in the driver API: ``cudaError_t`` without its prefix.

    Other codes are the driver's own: every concept that both APIs have has one number.
    """

    INVALID_CONFIGURATION = 9
    VERSION_TRANSLATION = 10
    INVALID_PITCH_VALUE = 12
    INVALID_SYMBOL = 13
    INVALID_HOST_POINTER = 16
    INVALID_DEVICE_POINTER = 17
    INVALID_TEXTURE = 18
    INVALID_TEXTURE_BINDING = 19
    INVALID_CHANNEL_DESCRIPTOR = 20
    INVALID_MEMCPY_DIRECTION = 21
    ADDRESS_OF_CONSTANT = 22
    TEXTURE_FETCH_FAILED = 23
    TEXTURE_NOT_BOUND = 24
    SYNCHRONIZATION_ERROR = 25
    INVALID_FILTER_SETTING = 26
    INVALID_NORM_SETTING = 27
    MIXED_DEVICE_EXECUTION = 28
    NOT_YET_IMPLEMENTED = 31
    MEMORY_VALUE_TOO_LARGE = 32
    INSUFFICIENT_DRIVER = 35
    INVALID_SURFACE = 37
    DUPLICATE_VARIABLE_NAME = 43
    DUPLICATE_TEXTURE_NAME = 44
    DUPLICATE_SURFACE_NAME = 45
    INCOMPATIBLE_DRIVER_CONTEXT = 49
    MISSING_CONFIGURATION = 52
    PRIOR_LAUNCH_FAILURE = 53
    LAUNCH_MAX_DEPTH_EXCEEDED = 65
    LAUNCH_FILE_SCOPED_TEX = 66
    LAUNCH_FILE_SCOPED_SURF = 67
    SYNC_DEPTH_EXCEEDED = 68
    LAUNCH_PENDING_COUNT_EXCEEDED = 69
    INVALID_DEVICE_FUNCTION = 98
    SOFTWARE_VALIDITY_NOT_ESTABLISHED = 103
    STARTUP_FAILURE = 127
    API_FAILURE_BASE = 10000

    @property
    def cname(self) -> str:
        """The enumerator's name in C, such as ``cudaErrorInvalidPitchValue``."""
        return _camel(self)


def _camel(code: Code) -> str:
    return f"cudaError{''.join(map(str.capitalize, code.name.split('_')))}"


DRIVER_ONLY = frozenset({Result.MULTICAST_RESOURCE_FULL, Result.CONTEXT_ALREADY_CURRENT, Result.KEY_ROTATION})
"""Driver codes without a counterpart in the runtime API, which answers cudaErrorUnknown for them."""
TO_RUNTIME: dict[int, int] = {int(code): int(Result.UNKNOWN if code in DRIVER_ONLY else code) for code in Result}
"""The runtime code for each driver code."""
FROM_RUNTIME: dict[int, Result | None] = {
    **{int(code): code for code in Result if code not in DRIVER_ONLY},
    **dict.fromkeys(map(int, Error)),
}
"""The driver code for each runtime code; None without a counterpart."""
OTHER_NAMES = {
    Result.SUCCESS: "cudaSuccess",
    Result.OUT_OF_MEMORY: "cudaErrorMemoryAllocation",
    Result.NOT_INITIALIZED: "cudaErrorInitializationError",
    Result.DEINITIALIZED: "cudaErrorCudartUnloading",
    Result.DEVICE_UNAVAILABLE: "cudaErrorDevicesUnavailable",
    Result.INVALID_IMAGE: "cudaErrorInvalidKernelImage",
    Result.INVALID_CONTEXT: "cudaErrorDeviceUninitialized",
    Result.MAP_FAILED: "cudaErrorMapBufferObjectFailed",
    Result.UNMAP_FAILED: "cudaErrorUnmapBufferObjectFailed",
    Result.NO_BINARY_FOR_GPU: "cudaErrorNoKernelImageForDevice",
    Result.ECC_UNCORRECTABLE: "cudaErrorECCUncorrectable",
    Result.CONTEXT_ALREADY_IN_USE: "cudaErrorDeviceAlreadyInUse",
    Result.UNSUPPORTED_DEVSIDE_SYNC: "cudaErrorUnsupportedDevSideSync",
    Result.INVALID_HANDLE: "cudaErrorInvalidResourceHandle",
    Result.NOT_FOUND: "cudaErrorSymbolNotFound",
    Result.PRIMARY_CONTEXT_ACTIVE: "cudaErrorSetOnActiveProcess",
    Result.LAUNCH_FAILED: "cudaErrorLaunchFailure",
}
"""Codes that both APIs have under different names."""
RUNTIME_NAMES: dict[int, str] = {
    value: Error(value).cname if code is None else OTHER_NAMES.get(code) or _camel(code)
    for value, code in sorted(FROM_RUNTIME.items())
}
"""The C name of each runtime code, such as ``cudaErrorInvalidValue``."""


class Hip(Code):
    """HIP codes whose numbers CUDA does not have or uses differently: ``hipError_t``."""

    INVALID_CHANNEL_DESCRIPTOR = 911
    INVALID_TEXTURE = 912
    STREAM_DETACHED = 916
    RUNTIME_MEMORY = 1052
    RUNTIME_OTHER = 1053
    INVALID_CLUSTER_SIZE = 1054
    TBD = 1055

    @property
    def cname(self) -> str:
        """The enumerator's name in C, such as ``hipErrorRuntimeMemory``."""
        return f"hipError{''.join(map(str.capitalize, self.name.split('_')))}"


OTHER_IN_HIP = {Result.INVALID_CLUSTER_SIZE: Hip.INVALID_CLUSTER_SIZE, Result.STREAM_DETACHED: Hip.STREAM_DETACHED}
"""Codes with other numbers in HIP."""
NOT_IN_HIP = frozenset(
    {
        Result.STUB_LIBRARY,
        Result.CALL_REQUIRES_NEWER_DRIVER,
        Result.DEVICE_UNAVAILABLE,
        Result.MULTICAST_RESOURCE_FULL,
        Result.DEVICE_NOT_LICENSED,
        *(code for code in Result if Result.NVLINK_UNCORRECTABLE <= code <= Result.INSUFFICIENT_LOADER_VERSION),
        Result.LOSSY_QUERY,
        Result.LAUNCH_INCOMPATIBLE_TEXTURING,
        Result.TOO_MANY_PEERS,
        *(code for code in Result if Result.HARDWARE_STACK_ERROR <= code <= Result.INVALID_PC),
        Result.TENSOR_MEMORY_LEAK,
        Result.NOT_PERMITTED,
        *(code for code in Result if Result.SYSTEM_NOT_READY <= code <= Result.CDP_VERSION_MISMATCH),
        Result.TIMEOUT,
        Result.EXTERNAL_DEVICE,
        Result.FUNCTION_NOT_LOADED,
        Result.KEY_ROTATION,
        Result.GRAPH_RECAPTURE_FAILURE,
        Result.FABRIC_NOT_READY,
    }
)
"""Driver codes without a counterpart in HIP, which answers hipErrorUnknown for them."""
TO_HIP: dict[int, int] = {
    int(code): int(Result.UNKNOWN if code in NOT_IN_HIP else OTHER_IN_HIP.get(code, code)) for code in Result
}
"""The HIP code for each driver code."""


class Nvml(Code):
    """The result of an NVML call: ``nvmlReturn_t`` without its prefix."""

    SUCCESS = 0
    UNINITIALIZED = 1
    INVALID_ARGUMENT = 2
    NOT_SUPPORTED = 3
    NO_PERMISSION = 4
    ALREADY_INITIALIZED = 5
    NOT_FOUND = 6
    INSUFFICIENT_SIZE = 7
    INSUFFICIENT_POWER = 8
    DRIVER_NOT_LOADED = 9
    TIMEOUT = 10
    IRQ_ISSUE = 11
    LIBRARY_NOT_FOUND = 12
    FUNCTION_NOT_FOUND = 13
    CORRUPTED_INFOROM = 14
    GPU_IS_LOST = 15
    RESET_REQUIRED = 16
    OPERATING_SYSTEM = 17
    LIB_RM_VERSION_MISMATCH = 18
    IN_USE = 19
    MEMORY = 20
    NO_DATA = 21
    VGPU_ECC_NOT_SUPPORTED = 22
    INSUFFICIENT_RESOURCES = 23
    FREQ_NOT_SUPPORTED = 24
    ARGUMENT_VERSION_MISMATCH = 25
    DEPRECATED = 26
    NOT_READY = 27
    GPU_NOT_FOUND = 28
    INVALID_STATE = 29
    RESET_TYPE_NOT_SUPPORTED = 30
    UNKNOWN = 999

    @property
    def cname(self) -> str:
        """The enumerator's name in C, such as ``NVML_ERROR_NOT_FOUND``."""
        return "NVML_SUCCESS" if self is Nvml.SUCCESS else f"NVML_ERROR_{self.name}"
