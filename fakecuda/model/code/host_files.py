"""Device code in host files: objects and archives, as nvcc -rdc=true writes them.

``libcudadevrt.a``, the device runtime, has no PTX that older devices run. The functions by which a cooperative grid waits
are here instead.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from attrs import evolve

from fakecuda.errors import FakeCudaError
from fakecuda.model.code import cubin
from fakecuda.model.code.cost import spent
from fakecuda.model.code.image import ARCHIVE, FATBIN, MEMBER, member_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.code.code import Image

FATBINS = ("__nv_relfatbin", ".nv_fatbin")
"""Sections of an object that contain fatbins."""
ALIGNED = 8
"""The alignment of a fatbin in bytes."""
WAITS = "cudaCGSynchronize"
GRID = """
.version 6.0
.target sm_60
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
.reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<3>;
ld.param.u32 %r0, [scope]; mov.u64 %d1, 0; setp.ne.u32 %p, %r0, 1; @%p bra END;
mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; bfi.b64 %d1, %d2, %d1, 32, 32;
END: st.param.b64 [handle], %d1; ret;
}
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
.reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %d0;
bar.sync 0;
mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; or.b32 %r0, %r0, %r1; mov.u32 %r1, %tid.z; or.b32 %r0, %r0, %r1;
setp.ne.u32 %p, %r0, 0; @%p bra AFTER;
ld.param.u64 %d0, [handle];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; or.b32 %r0, %r0, %r1; mov.u32 %r1, %ctaid.z; or.b32 %r0, %r0, %r1;
mov.u32 %r2, %nctaid.x; mov.u32 %r3, %nctaid.y; mul.lo.u32 %r2, %r2, %r3; mov.u32 %r3, %nctaid.z; mul.lo.u32 %r2, %r2, %r3;
sub.u32 %r4, 0x80000001, %r2; setp.eq.u32 %q, %r0, 0; selp.u32 %r4, %r4, 1, %q;
membar.gl; atom.add.u32 %r5, [%d0+4], %r4;
POLL: ld.volatile.u32 %r6, [%d0+4]; xor.b32 %r6, %r5, %r6; setp.ge.s32 %q, %r6, 0; @%q bra POLL;
membar.gl;
AFTER: bar.sync 0; st.param.b32 [error], 0; ret;
}
"""
"""Functions of the device runtime that implement ``grid.sync()``.

A launch that is not cooperative has no workspace, so the wait reads an illegal address; no card was asked.
"""


def fatbin_of(data: bytes) -> bytes:
    """Return the fatbin of an object, or of an archive in which one object has a fatbin.

    Raises:
        FakeCudaError: It has no fatbin, or several.
    """
    found = [one for file in _objects(data) for one in _fatbins(file)]
    if len(found) != 1:
        many = "no device code" if not found else f"{len(found)} pieces of device code"
        msg = (
            f"a host object or library with {many} as an input of a linker is not modelled: add PTX, cubins or fatbins"
        )
        raise FakeCudaError(msg)
    return found[0]


def completed(image: Image) -> Image:
    """Return a linker input; add PTX of its functions if it is the device runtime."""
    if WAITS not in image.names.own:
        return image
    return evolve(image, names=evolve(image.names, needed=()), code=GRID.encode())


def _objects(data: bytes) -> Iterator[bytes]:
    """Yield a file itself, or the members of an archive."""
    if not data.startswith(ARCHIVE):
        yield data
        return
    at = len(ARCHIVE)
    while more := member_size(data[at : at + MEMBER]):
        spent.bytes_read += MEMBER
        yield data[at + MEMBER : at + more]
        at += more


def _fatbins(data: bytes) -> Iterator[bytes]:
    """Yield the fatbins of an object; none from a damaged file or another format."""
    try:
        sections = cubin.opened(data).sections if data.startswith(cubin.MAGIC) else []
    except (struct.error, LookupError, ValueError):
        return
    for section in sections:
        at, end = section.offset, min(section.offset + section.size, len(data))
        while section.name in FATBINS and at + 16 <= end:
            magic, _, head, size = struct.unpack_from("<IHHQ", data, at)
            if magic != FATBIN:
                break
            yield data[at : min(at + head + size, end)]
            at += -(-(head + size) // ALIGNED) * ALIGNED
