"""Sticky errors: codes that a context returns on every call after its work failed.

According to CUresult, most of these codes leave the process in an inconsistent state, and any further CUDA work returns
the same error. Observed for work on memory that was unmapped or lost its access: all contexts
of the process answer the code, and so does the creation of another one; other processes continue. A copy fails with
ILLEGAL_ADDRESS, as a memset of more than 4096 bytes does; a shorter one, and a wait for a value or a write of one, with
LAUNCH_FAILED. A failed launch is ``current.CONTEXT_IS_SOUND``, which every call names that needs a sound context; the
codes that only a fault of the machine brings about stand in a table, and hold for the same calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, manual
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.os.process import Process

ECC_IS_SOUND = Rule(
    "the current context has had no uncorrectable ECC error",
    Result.ECC_UNCORRECTABLE,
    manual("CUresult", "an uncorrectable ECC error was detected during execution"),
    fix="continue in a new process on another device, and let the administrator reset this device (nvidia-smi "
    "--gpu-reset)",
)
NVLINK_IS_SOUND = Rule(
    "the current context has had no uncorrectable NVLink error",
    Result.NVLINK_UNCORRECTABLE,
    manual("CUresult", "an uncorrectable NVLink error was detected during the execution"),
    fix="continue in a new process on other devices, and check the links (nvidia-smi nvlink --status)",
)
NOTHING_IS_CONTAINED = Rule(
    "the device has not contained an exception of the current context",
    Result.CONTAINED,
    manual("CUresult", "an exception occurred on the device that is now contained by the GPU's error containment"),
    fix="continue in a new process; the device contained the error, so other processes on it are not affected",
)
ADDRESSES_WERE_VALID = Rule(
    "kernels and copies of the current context used valid addresses",
    Result.ILLEGAL_ADDRESS,
    manual("CUresult", "the device encountered a load or store instruction on an invalid memory address"),
    fix="correct the kernel or copy that used the address, and free memory after its last use",
)
KERNELS_WERE_QUICK = Rule(
    "kernels of the current context ended within the device's time limit",
    Result.LAUNCH_TIMEOUT,
    manual("CUresult", "the device kernel took too long to execute"),
    fix="split the kernel into shorter ones, or run where CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT is 0",
)
ASSERTIONS_HELD = Rule(
    "no device-side assert failed in a kernel of the current context",
    Result.ASSERT,
    manual("CUresult", "A device-side assert triggered during kernel execution. The context cannot be used anymore"),
    fix="read what the kernel's assert printed, correct the condition, and continue in a new process",
)
STACK_IS_SOUND = Rule(
    "kernels of the current context did not corrupt their stack",
    Result.HARDWARE_STACK_ERROR,
    manual("CUresult", "the device encountered a stack error"),
    fix="look for writes beyond the kernel's stack (compute-sanitizer), or raise CU_LIMIT_STACK_SIZE",
)
INSTRUCTIONS_WERE_LEGAL = Rule(
    "kernels of the current context had only legal instructions",
    Result.ILLEGAL_INSTRUCTION,
    manual("CUresult", "the device encountered an illegal instruction"),
    fix="build the kernel for this device's compute capability, and look for corrupt function pointers",
)
ADDRESSES_WERE_ALIGNED = Rule(
    "kernels of the current context used aligned addresses",
    Result.MISALIGNED_ADDRESS,
    manual("CUresult", "a load or store instruction on a memory address which is not aligned"),
    fix="align each load and store of the kernel to its size: a float4 to 16 bytes",
)
SPACES_WERE_ALLOWED = Rule(
    "kernels of the current context used addresses of the allowed address spaces",
    Result.INVALID_ADDRESS_SPACE,
    manual("CUresult", "was supplied a memory address not belonging to an allowed address space"),
    fix="give each instruction of the kernel an address of its space: global, shared or local",
)
COUNTER_WAS_VALID = Rule(
    "the program counter of kernels of the current context stayed within its address space",
    Result.INVALID_PC,
    manual("CUresult", "the device program counter wrapped its address space"),
    fix="look for a corrupt function pointer or return address in the kernel (compute-sanitizer)",
)
TENSOR_MEMORY_WAS_FREED = Rule(
    "kernels of the current context freed their tensor memory",
    Result.TENSOR_MEMORY_LEAK,
    manual("CUresult", "the tensor memory was not completely deallocated"),
    fix="free all tensor memory (tcgen05.dealloc) before the kernel ends",
)
EXTERNAL_DEVICES_ARE_SOUND = Rule(
    "no external device that the current context waited for has signaled an error",
    Result.EXTERNAL_DEVICE,
    manual("CUresult", "the external device signaled an error indicating that the data is not valid for consumption"),
    fix="repair the external device, and continue in a new process",
)
FAULTS: dict[int, Rule] = {
    rule.code: rule
    for rule in (
        ECC_IS_SOUND,
        NVLINK_IS_SOUND,
        NOTHING_IS_CONTAINED,
        ADDRESSES_WERE_VALID,
        KERNELS_WERE_QUICK,
        ASSERTIONS_HELD,
        STACK_IS_SOUND,
        INSTRUCTIONS_WERE_LEGAL,
        ADDRESSES_WERE_ALIGNED,
        SPACES_WERE_ALLOWED,
        COUNTER_WAS_VALID,
        TENSOR_MEMORY_WAS_FREED,
        EXTERNAL_DEVICES_ARE_SOUND,
    )
}
"""Rules by code. Other faults break ``current.CONTEXT_IS_SOUND``."""
STICKY = frozenset({Result.LAUNCH_FAILED, *(rule.code for rule in FAULTS.values())})
"""The codes of sticky errors."""


def caused(process: Process) -> dict[str, Any]:
    """Return the fact that names the work which failed a process; empty if unknown."""
    return {} if process.cause is None else {"cause": process.cause}


def report(code: int, **facts: Any) -> None:
    """Raise the rule of a fault, except for a failed launch.

    Args:
        code: The fault's code.
        facts: What has met it.
    """
    rule = FAULTS.get(code)
    if rule is not None:
        raise rule.broken(**facts)
