"""Variables, and access to peers and pools, which end while work may use them."""

from __future__ import annotations

import ctypes

import pytest

from fakecuda import Machine
from tests.model.racing import NON_BLOCKING, SIZE, Scene, fill, found
from tests.model.world import done

CODE = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 16 .b8 variable[64];
.visible .entry moves(.param .u64 to, .param .u64 from) {
  .reg .b32 %r0; .reg .b64 %d<2>;
  ld.param.u64 %d0, [to];
  ld.param.u64 %d1, [from];
  ld.global.u32 %r0, [%d1];
  st.global.u32 [%d0], %r0;
  ret;
}
"""
"""A variable, and a kernel that moves a word."""


@pytest.mark.parametrize("library", [False, True])
def test_unloading_a_variable_that_work_uses(*, library: bool) -> None:
    """By the manual's word, the call does not wait; as drivers do it, the call waits for its own context alone."""
    for strict in (False, True):
        with Machine("h200-x2", seed=1, races="strict" if strict else True) as machine:
            scene = Scene(machine)
            if library:
                code = done(scene.c.cuLibraryLoadData(CODE, None, None, 0, None, None, 0))
                place, _ = done(scene.c.cuLibraryGetGlobal(code, b"variable"))
            else:
                code = done(scene.c.cuModuleLoadData(CODE))
                place, _ = done(scene.c.cuModuleGetGlobal(code, b"variable"))
            stream = scene.one
            if not strict:
                done(scene.c.cuCtxCreate(None, 0, 0))
                stream = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
            done(scene.c.cuMemsetD8Async(place, 1, SIZE, stream))
            unload = scene.c.cuLibraryUnload if library else scene.c.cuModuleUnload
            finding = found(lambda: unload(code))  # noqa: B023 - it is called at once
            assert "wait for stream" in finding.facts["missing"]
            done(scene.c.cuStreamSynchronize(stream))
            done(unload(code))


def peers(machine: Machine) -> tuple[Scene, int, int]:
    """Return a scene, its context, and a stream of a context that can access it and is current."""
    scene = Scene(machine)
    peer = done(scene.c.cuCtxGetCurrent())
    done(scene.c.cuCtxCreate(None, 0, 1))
    done(scene.c.cuCtxEnablePeerAccess(peer, 0))
    return scene, peer, int(done(scene.c.cuStreamCreate(NON_BLOCKING)))


def test_disabling_peer_access_that_work_uses() -> None:
    """The call does not wait for memsets of the context."""
    with Machine("h200-x2", seed=1) as machine:
        scene, peer, stream = peers(machine)
        fill(scene, stream)
        finding = found(lambda: scene.c.cuCtxDisablePeerAccess(peer))
        assert "wait for stream" in finding.facts["missing"]
        done(scene.c.cuStreamSynchronize(stream))
        done(scene.c.cuCtxDisablePeerAccess(peer))


@pytest.mark.parametrize("reads", [False, True])
def test_disabling_peer_access_of_kernels_and_copies(*, reads: bool) -> None:
    """Kernels need the access, whether they write there or read; copies do not, nor does work of the peer."""
    with Machine("h200-x2", seed=1, kernels="run") as machine:
        scene, peer, stream = peers(machine)
        own = int(done(scene.c.cuMemAlloc(SIZE)))
        fill(scene, scene.one)
        done(scene.c.cuCtxSetCurrent(peer))
        done(scene.c.cuCtxSynchronize())
        fill(scene, scene.one)
        done(scene.c.cuStreamSynchronize(scene.one))
        done(scene.c.cuMemsetD8Async(scene.own, 1, SIZE, scene.one))
        done(scene.c.cuCtxSetCurrent(done(scene.c.cuStreamGetCtx(stream))))
        for to, of in ((own, scene.common), (scene.common, own)):
            done(scene.c.cuMemcpyDtoDAsync(to, of, SIZE, stream))
        done(scene.c.cuCtxDisablePeerAccess(peer))
        done(scene.c.cuCtxEnablePeerAccess(peer, 0))
        pair = (own, scene.common) if reads else (scene.common, own)
        arguments = [ctypes.c_uint64(one) for one in pair]
        places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
        function = done(scene.c.cuModuleGetFunction(done(scene.c.cuModuleLoadData(CODE)), b"moves"))
        done(scene.c.cuLaunchKernel(function, *(1,) * 6, 0, stream, ctypes.addressof(places), 0))
        found(lambda: scene.c.cuCtxDisablePeerAccess(peer))


def test_what_a_pool_loses_is_not_seen() -> None:
    """docs/races.md says so: a device may lose its access to a pool while its work uses the memory."""
    with Machine("h200-x2", seed=1, races="strict") as machine:
        scene = Scene(machine)
        pool = done(scene.c.cuDeviceGetDefaultMemPool(0))
        place = int(done(scene.c.cuMemAllocAsync(SIZE, scene.one)))
        done(scene.c.cuStreamSynchronize(scene.one))
        done(scene.c.cuMemPoolSetAccess(pool, (((1, 1), 3),), 1))
        done(scene.c.cuCtxCreate(None, 0, 1))
        done(scene.c.cuMemsetD8Async(place, 1, SIZE, int(done(scene.c.cuStreamCreate(NON_BLOCKING)))))
        done(scene.c.cuMemPoolSetAccess(pool, (((1, 1), 0),), 1))
        assert not machine.findings
