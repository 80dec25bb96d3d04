"""cuDeviceGetTexture1DLinearMaxWidth: the maximum width of a 1D linear texture.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

BYTES, HALVES, FLOATS, PACKED, BC1, NV12, AYUV16 = 1, 16, 32, 80, 145, 176, 177
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
    ("one channel of four", PACKED, 1),
    ("two channels of four", PACKED, 2),
    ("one channel of three", NV12, 1),
):
    entry.breaks("ELEMENT_IS_AN_ARRAY_S", name, format=form, numChannels=channels)
for form in (BYTES, HALVES, FLOATS):
    for channels in (1, 2, 4):
        entry.also(f"{form} of {channels}", format=form, numChannels=channels)
for name, form, channels in (
    ("blocks", BC1, 4),
    ("several planes", NV12, 3),
    ("wide planes", AYUV16, 4),
    ("packed components", PACKED, 4),
):
    entry.also(name, format=form, numChannels=channels)


@entry.also("no context")
def without_context(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


test_device_get_texture1d_linear_max_width = entry.test()
