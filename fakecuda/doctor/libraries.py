"""Which ways to find a library lead to fakecuda's."""

from __future__ import annotations

from fakecuda.reach.install.loading import DRIVER_NAMES, HIP_NAMES, NAMES

DRIVER, NVML, HIP = "libcuda.so.1", "libnvidia-ml.so.1", "libamdhip64.so"
"""How the calls of a program reach a machine."""
WITH_HIP = "needs a profile with HIP"
"""What a program needs that calls HIP alone."""
FOLDERS = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "LD_LIBRARY_PATH", "ROCM_PATH")
"""Environment variables that say where libraries are."""
ABOVE = tuple(
    f"lib{name}."
    for name in (
        *("cublas", "cublasLt", "cudnn", "cufft", "cusparse", "cusparseLt", "cusolver", "curand", "nccl", "cutensor"),
        *("cufile", "cupti", "nvshmem_host", "cudss", "nppc", "npps", "nvjpeg", "hipblas", "rocblas", "MIOpen", "rccl"),
    )
)
"""Beginnings of names of libraries above the driver, which fakecuda does not replace."""
COMPILERS = ("nvrtc", "nvJitLink", "nvvm", "nvfatbin")
"""Libraries that work without a GPU, if they are installed."""
SHORT = {"cuda": DRIVER, "nvidia-ml": NVML, "cudart": "libcudart.so", "amdhip64": HIP}
"""Files of libraries, by the names for which ``ctypes.util.find_library`` searches."""


def way_of(file: str) -> str:
    """Return how calls through a library reach a machine; empty unless the library is the driver's, NVML's or HIP's.

    Args:
        file: The name of the library's file.
    """
    if DRIVER_NAMES.fullmatch(file):
        return NVML if file.startswith("libnvidia") else DRIVER
    return HIP if HIP_NAMES.fullmatch(file) else ""


def ways_of(file: str) -> str:
    """Return which ways of opening a library lead to fakecuda's; empty for a library that fakecuda does not have.

    Args:
        file: The name of the library's file.
    """
    if DRIVER_NAMES.fullmatch(file):
        return (
            "fakecuda's, by its name, from the first machine on; before that with fakecuda_load = true in the ini file"
        )
    if NAMES.fullmatch(file):
        return "ctypes gets fakecuda's; C gets it after fakecuda.load_cudart() or machine.link()"
    if HIP_NAMES.fullmatch(file):
        return "fakecuda's, by its name, on a profile with HIP such as hip-clr-2026"
    return ""
