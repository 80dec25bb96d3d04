"""Common refusals of NVML calls."""

from __future__ import annotations

from conformance.kit.common import sweep

WRONG = 99 << 24 | 4
"""A version that no struct has."""

sweep("nvml.arguments.ARGUMENTS_ARE_GIVEN", null=True)
sweep("nvml.arguments.CARD_IS_GIVEN", nvmlDevice_t=0)
sweep("nvml.arguments.CARD_IS_KNOWN", nvmlDevice_t=1)
sweep("nvml.arguments.SIZE_SUFFICES", length=0)
sweep("nvml.rights.USER_IS_ROOT")
sweep("nvml.vgpu.CARD_IS_SHARED_OUT")
sweep("nvml.vgpu.INSTANCE_IS_FOUND")
sweep("nvml.vgpu.INSTANCE_IS_GIVEN", vgpuInstance=0)
sweep("nvml.vgpu.TYPE_IS_FOUND")
