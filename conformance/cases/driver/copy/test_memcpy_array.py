"""Copies from and to the first row of an array.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import BC1, DEFERRED, GARBAGE, ROW, array, gone, later, level
from conformance.cases.driver.copy.fixtures import NEW, OLD, SIZE, device_side, filled, host_side
from conformance.cases.driver.stream.fixtures import refuse, stream
from conformance.cases.driver.va.fixtures import content, half_mapped
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Then
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

PART = SIZE // 2


def holding(a: Process, value: int) -> int:
    """Return a new array whose first row holds a byte repeatedly."""
    made = array(a)
    a.ok.cuMemcpyDtoA(made, 0, filled(a, value), ROW)
    return made


SIDES: dict[str, Any] = {
    "dstArray": lambda a: holding(a, OLD),
    "dstHost": lambda _: bytearray(PART),
    "dstDevice": lambda a: filled(a, OLD),
    "srcArray": lambda a: holding(a, NEW),
    "srcHost": lambda _: bytes([NEW]) * PART,
    "srcDevice": lambda a: filled(a, NEW),
}
"""The kind of each argument of a copy."""
COPIES = {
    "cuMemcpyAtoH": ("dstHost", "srcArray", "srcOffset"),
    "cuMemcpyAtoHAsync": ("dstHost", "srcArray", "srcOffset"),
    "cuMemcpyHtoA": ("dstArray", "dstOffset", "srcHost"),
    "cuMemcpyHtoAAsync": ("dstArray", "dstOffset", "srcHost"),
    "cuMemcpyAtoD": ("dstDevice", "srcArray", "srcOffset"),
    "cuMemcpyDtoA": ("dstArray", "dstOffset", "srcDevice"),
    "cuMemcpyAtoA": ("dstArray", "dstOffset", "srcArray", "srcOffset"),
}


def entry_of(call: str) -> Entry:
    """Return the entry of a copy of half a row, from or to its middle."""
    names = COPIES[call]

    def valid(w: World) -> Invocation:
        a = w.process()
        args: dict[str, Any] = {name: PART if name.endswith("Offset") else SIDES[name](a) for name in names}
        if call.endswith("Async"):
            args["hStream"] = 0
        return a.call(call, **args, ByteCount=PART)

    def arrived(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
        """Check that the other half is unchanged."""
        a = i.process
        a.ok.cuCtxSynchronize()
        if "dstHost" in names:
            assert results == (bytes([NEW]) * PART,) or bytes(i.args["dstHost"]) == bytes([NEW]) * PART
        elif "dstDevice" in names:
            assert content(a, i.args["dstDevice"], SIZE) == bytes([NEW]) * PART + bytes([OLD]) * PART
        else:
            room = filled(a, 0)
            a.ok.cuMemcpyAtoD(room, i.args["dstArray"], 0, ROW)
            assert content(a, room, ROW) == bytes([OLD]) * PART + bytes([NEW]) * PART

    entry = Entry(call, valid, arrived)
    for name in [one for one in names if one.endswith("Array")]:
        offset = name.replace("Array", "Offset")
        entry.breaks("copy.shape.ARRAY_IS_GIVEN", name, **{name: 0})
        entry.undefined("copy.shape.ARRAY_IS_KNOWN", name, code=Result.INVALID_VALUE, **{name: GARBAGE})
        entry.undefined(
            "copy.shape.ARRAY_IS_KNOWN",
            f"{name} that has ended",
            code=Result.INVALID_VALUE,
            **{name: lambda i: gone(i.process)},
        )
        entry.breaks("BOX_IS_IN_THE_ARRAY", offset, **{offset: ROW - PART + 1})
        blocks = {name: lambda i: i.process.ok.cuArrayCreate((64, 16, BC1, 4))}
        if call == "cuMemcpyAtoA":
            entry.breaks("BLOCKS_ARE_ALIKE", name, **blocks)
        else:
            entry.breaks("BLOCKS_ARE_WHOLE", name, **blocks, **{offset: 4})
    for name in ("dstHost", "srcHost"):
        if name in names:
            entry.breaks("HOST_IS_GIVEN", **{name: 0})
            host_side(entry, name, writes=name == "dstHost")
            entry.breaks("ACCESS_IS_GRANTED", f"{name} without access", **{name: lambda i: half_mapped(i.process, 0)})
    for name in ("dstDevice", "srcDevice"):
        if name in names:
            device_side(entry, name, writes=name == "dstDevice")
    entry.also("no bytes", ByteCount=0, then=None)
    if call.endswith("Async"):
        refuse(entry)
        entry.also("created", hStream=lambda i: stream(i.process))
    return entry


def loses(code: int) -> Then:
    """Return a check that the copy has failed, and later calls too."""

    def then(_: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        assert i.process.c.cuCtxSynchronize() == (code,)
        assert i.process.c.cuArray3DGetDescriptor(i.args["dstArray"])[0] == code

    return then


to_host, from_host, from_device, within = (entry_of(f"cuMemcpy{way}") for way in ("AtoH", "HtoA", "DtoA", "AtoA"))
for case, bare in (
    ("an array", lambda i: later(i.process, DEFERRED)),
    ("a level", lambda i: level(i.process, DEFERRED)),
):
    from_host.also(f"{case} without memory", dstArray=bare, then=loses(Result.LAUNCH_FAILED))
    from_device.also(f"{case} without memory", dstArray=bare, then=loses(Result.ILLEGAL_ADDRESS))


@to_host.after("from an array without memory")
def fails_at_once(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.evolve(srcArray=later(i.process, DEFERRED)).run()[0] == Result.LAUNCH_FAILED


@within.also("sparse arrays without memory")
def without_memory(_w: World, i: Invocation) -> None:
    """Check that deferred arrays lose copied data, and return zeros."""
    a, bare, plain = i.process, later(i.process), holding(i.process, NEW)
    a.ok.cuMemcpyHtoA(bare, 0, bytes([NEW]) * ROW, ROW)
    a.ok.cuMemcpyAtoA(bare, 2 * ROW, plain, 0, ROW)
    a.ok.cuMemcpyAtoA(bare, 4 * ROW, bare, 0, ROW)
    a.ok.cuMemcpyAtoA(plain, 0, bare, 0, PART)
    for source, expected in ((bare, bytes(ROW)), (plain, bytes(PART) + bytes([NEW]) * PART)):
        room = bytearray([OLD]) * ROW
        a.ok.cuMemcpyAtoH(room, source, 0, ROW)
        assert room == expected


test_memcpy_atoh = to_host.test()
test_memcpy_atoh_async = entry_of("cuMemcpyAtoHAsync").test()
test_memcpy_htoa = from_host.test()
test_memcpy_htoa_async = entry_of("cuMemcpyHtoAAsync").test()
test_memcpy_atod = entry_of("cuMemcpyAtoD").test()
test_memcpy_dtoa = from_device.test()
test_memcpy_atoa = within.test()
