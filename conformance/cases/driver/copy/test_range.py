"""Ranges of copies and memsets, and sticky errors of a copy that fails.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.array.fixtures import array
from conformance.cases.driver.copy.fixtures import struct
from conformance.cases.driver.copy.test_memcpy_rows import DEVICE
from conformance.cases.driver.core.test_initialized import entry_of
from conformance.cases.driver.graph.conditionals import condition, following
from conformance.cases.driver.memory.fixtures import PAGE, READ_ONLY
from conformance.cases.driver.multicast.fixtures import bound
from conformance.cases.driver.stream.fixtures import PER_THREAD
from conformance.cases.driver.va.fixtures import adjoining, content, prop
from conformance.kit.program import Recorder
from conformance.kit.world import GRANULE, Session
from conformance.targets.newer import having
from fakecuda.profiles import load
from fakecuda.rules.driver.context.current import CONTEXT_IS_SOUND
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, MULTICAST_IS_LEFT_ALONE, RANGE_IS_ALLOCATED
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process

CHAPTER = sorted(name for name, op in DRIVER.ops.items() if MAPPINGS_SHARE_A_DEVICE in op.rules)


def across_devices(a: Process, call: str = "cuMemsetD8") -> Invocation:
    """Return a call on a range with halves on devices 0 and 1."""
    here, there = (a.ok.cuMemCreate(GRANULE, prop(location=(1, device)), 0) for device in (0, 1))
    return across(a, adjoining(a, (here, there)) + GRANULE, call)


def across(a: Process, border: int, call: str) -> Invocation:
    """Return a call on the 8 bytes on either side of an address."""
    middle, other = border - 8, a.ok.cuMemAlloc(16)
    line = array(a) if "toA" in call or "Ato" in call else 0
    rows = {"dstDevice": middle, "srcDevice": other, "WidthInBytes": 16, "Height": 1}
    rows |= dict.fromkeys(("dstMemoryType", "srcMemoryType"), DEVICE)
    contexts = dict.fromkeys(("dstContext", "srcContext"), a.context)
    calls: dict[str, dict[str, Any]] = {
        "cuMemcpy": {"dst": other, "src": middle, "ByteCount": 16},
        "cuMemcpy2D": {"pCopy": struct("CUDA_MEMCPY2D", **rows)},
        "cuMemcpy2DUnaligned": {"pCopy": struct("CUDA_MEMCPY2D", **rows)},
        "cuMemcpy3D": {"pCopy": struct("CUDA_MEMCPY3D", **rows, Depth=1)},
        "cuMemcpy3DPeer": {"pCopy": struct("CUDA_MEMCPY3D_PEER", **rows, **contexts, Depth=1)},
        "cuMemcpyBatch": {
            "dsts": (middle,),
            "srcs": (other,),
            "sizes": (16,),
            "count": 1,
            "attrs": ((1, (0, 0), (0, 0), 0),),
            "attrsIdxs": (0,),
            "numAttrs": 1,
        },
        "cuMemcpyAtoD": {"dstDevice": middle, "srcArray": line, "srcOffset": 0, "ByteCount": 16},
        "cuMemcpyAtoH": {"dstHost": middle, "srcArray": line, "srcOffset": 0, "ByteCount": 16},
        "cuMemcpyDtoA": {"dstArray": line, "dstOffset": 0, "srcDevice": middle, "ByteCount": 16},
        "cuMemcpyHtoA": {"dstArray": line, "dstOffset": 0, "srcHost": middle, "ByteCount": 16},
        "cuMemcpyDtoD": {"dstDevice": other, "srcDevice": middle, "ByteCount": 16},
        "cuMemcpyDtoH": {"dstHost": bytearray(16), "srcDevice": middle, "ByteCount": 16},
        "cuMemcpyHtoD": {"dstDevice": middle, "srcHost": bytes(16), "ByteCount": 16},
        "cuMemcpyPeer": {"dstDevice": middle, "srcDevice": other, "ByteCount": 16, **contexts},
        "cuMemsetD16": {"dstDevice": middle, "us": 1, "N": 8},
        "cuMemsetD2D16": {"dstDevice": middle, "dstPitch": 8, "us": 1, "Width": 4, "Height": 2},
        "cuMemsetD2D32": {"dstDevice": middle, "dstPitch": 8, "ui": 1, "Width": 2, "Height": 2},
        "cuMemsetD2D8": {"dstDevice": middle, "dstPitch": 8, "uc": 1, "Width": 8, "Height": 2},
        "cuMemsetD32": {"dstDevice": middle, "ui": 1, "N": 4},
        "cuMemsetD8": {"dstDevice": middle, "uc": 1, "N": 16},
    }
    queued: dict[str, Any] = {"hStream": PER_THREAD} if call.endswith("Async") else {}
    return a.call(call, **calls[call.removesuffix("Async")], **queued)


@pytest.mark.parametrize("call", CHAPTER)
def test_mappings_share_a_device(call: str) -> None:
    """A copy across devices fails and loses the context; strict machines only report."""
    for strict in (False, True):
        with fakecuda.Machine("h200-x2", strict=strict) as machine:
            invocation = across_devices(Session(Recorder(machine)).world(call).process(), call)
            if strict:
                with pytest.raises(fakecuda.UndefinedBehaviour):
                    invocation.run()
                invocation.process.ok.cuCtxSynchronize()
            else:
                assert invocation.run()[0] == Result.LAUNCH_FAILED
            assert MAPPINGS_SHARE_A_DEVICE in {record.rule for record in machine.log}


@pytest.mark.parametrize("call", CHAPTER)
def test_multicast_is_left_alone(call: str) -> None:
    """A strict machine reports a call on multicast memory; other machines allow it."""
    for strict in (False, True):
        with fakecuda.Machine("h200-x2", strict=strict) as machine:
            world = Session(Recorder(machine)).world(call)
            a = world.process()
            invocation = across(a, bound(world, a)[0] + GRANULE, call)
            if strict:
                with pytest.raises(fakecuda.UndefinedBehaviour):
                    invocation.run()
                assert machine.log[-1].rule is MULTICAST_IS_LEFT_ALONE
            else:
                assert invocation.run()[0] == Result.SUCCESS


@pytest.mark.parametrize("call", CHAPTER)
def test_range_is_allocated(call: str) -> None:
    """A range across adjoining allocations is not one allocation."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        a = Session(Recorder(machine)).world(call).process()
        first, second = (a.ok.cuMemAlloc(512) for _ in range(2))
        assert second == first + 512
        assert across(a, second, call).run()[0] == Result.INVALID_VALUE
        assert machine.log[-1].rule is RANGE_IS_ALLOCATED


@pytest.mark.parametrize("call", sorted(name for name, op in DRIVER.ops.items() if CONTEXT_IS_SOUND in op.rules))
def test_context_is_sound(call: str) -> None:
    """A valid call returns the sticky error of its context."""
    with fakecuda.Machine(having(load("h200-x2"), call), strict=False) as machine:
        invocation = entry_of(call).valid(Session(Recorder(machine)).world(call))
        a = invocation.process
        if call == "cuGraphAddNode":  # which checks the context of conditional nodes alone
            invocation = invocation.evolve(nodeParams=following(a, condition(a, invocation.args["hGraph"])))
        a.c.cuStreamEndCapture(PER_THREAD)  # else it refuses the copy
        across_devices(a).run()
        assert invocation.run()[0] == Result.LAUNCH_FAILED
        assert machine.log[-1].rule is CONTEXT_IS_SOUND


WRITERS = [call for call in CHAPTER if not call.startswith("cuMemcpyDtoH") and "toA" not in call]
"""Calls that write to device memory; others write to the host or to arrays."""


@pytest.mark.parametrize("call", WRITERS)
def test_memory_is_writable(call: str) -> None:
    """Memory registered as read-only is refused as a target and stays unchanged."""
    with fakecuda.Machine("h200-x2") as machine:
        a = Session(Recorder(machine)).world(call).process()
        page = a.host_memory(PAGE)
        a.ok.cuMemHostRegister(page, PAGE, READ_ONLY)
        invocation = across(a, page + 8, call)
        target = {name: page for name in ("dst", "dstDevice") if name in invocation.args}
        assert invocation.evolve(**target).run() == (Result.INVALID_VALUE,)
        assert content(a, page, 16) == bytes(16)
        assert content(a, a.ok.cuMemAlloc(16), 16) == bytes(16)
