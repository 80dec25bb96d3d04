"""cuDeviceGetTexture1DLinearMaxWidth: how many elements a texture of linear memory can have.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

BYTES, HALVES, FLOATS, SHARED_EXPONENT, BC1, NV12 = 1, 16, 32, 80, 145, 176
"""CUarray_format."""


def valid(w: World) -> Invocation:
    return w.process().call("cuDeviceGetTexture1DLinearMaxWidth", format=FLOATS, numChannels=1, dev=0)


entry = Entry("cuDeviceGetTexture1DLinearMaxWidth", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("maxWidthInElements", "RESULT_IS_GIVEN")
for name, form, channels in (
    ("three channels", FLOATS, 3),
    ("no channels", FLOATS, 0),
    ("an unknown format", 99, 1),
    ("blocks", BC1, 4),
    ("several planes", NV12, 3),
    ("two channels of shared exponents", SHARED_EXPONENT, 2),
):
    entry.breaks("ELEMENT_IS_A_TEXTURE_S", name, format=form, numChannels=channels)
for form in (BYTES, HALVES, FLOATS):
    for channels in (1, 2, 4):
        entry.also(f"{form} of {channels}", format=form, numChannels=channels)
entry.also("shared exponents", format=SHARED_EXPONENT, numChannels=1)


@entry.also("no context")
def without_context(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


test_device_get_texture1d_linear_max_width = entry.test()
