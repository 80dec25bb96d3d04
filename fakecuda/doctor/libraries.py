"""Ways to find a library that lead to fakecuda's library."""

from __future__ import annotations

from fakecuda.reach.install.loading import DRIVER_NAMES, HIP_NAMES, NAMES

DRIVER, NVML, HIP = "libcuda.so.1", "libnvidia-ml.so.1", "libamdhip64.so"
"""Ways by which a program's calls reach a machine."""
WITH_HIP = "needs a profile with HIP"
"""The requirements of a program that calls only HIP."""
FOLDERS = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "LD_LIBRARY_PATH", "ROCM_PATH")
"""Environment variables with folders of libraries."""
ABOVE = tuple(
    f"lib{name}."
    for name in (
        *("cublas", "cublasLt", "cudnn", "cufft", "cusparse", "cusparseLt", "cusolver", "curand", "nccl", "cutensor"),
        *("cufile", "cupti", "nvshmem_host", "cudss", "nppc", "npps", "nvjpeg", "hipblas", "rocblas", "MIOpen", "rccl"),
    )
)
"""Prefixes of names of libraries above the driver, which stay in use."""
COMPILERS = ("nvrtc", "nvJitLink", "nvvm", "nvfatbin")
"""Libraries that work without a GPU, if they are installed."""
SHORT = {"cuda": DRIVER, "nvidia-ml": NVML, "cudart": "libcudart.so", "amdhip64": HIP}
"""File names of libraries, by the names for ``ctypes.util.find_library``."""


def way_of(file: str) -> str:
    """Return how calls through a library reach a machine; empty for other libraries.

    Args:
        file: The name of the library's file.
    """
    if DRIVER_NAMES.fullmatch(file):
        return NVML if file.startswith("libnvidia") else DRIVER
    return HIP if HIP_NAMES.fullmatch(file) else ""


def ways_of(file: str) -> str:
    """Return how fakecuda's library can be opened; empty if it does not have one.

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
