"""Values of a stream's attributes: a union whose meaning an attribute decides, alike through every door."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util

import pytest

from fakecuda import Machine
from fakecuda.reach.bindings.fallback_classes import StandIns, binding, stream_value_made
from fakecuda.reach.bindings.unions import stream_value
from fakecuda.reach.native.values import read_stream_value, write_stream_value
from fakecuda.spec import stream_values
from fakecuda.spec.stream_values import DOMAIN, DOMAIN_MAP, NVLINK, POLICY, PRIORITY, SIZE, WINDOW, pack, unpack
from realcuda.plain import finish, prepare

VALUES = {
    WINDOW: (0x7F00_0000_1000, 1 << 20, 0.25, 2, 1),
    POLICY: (4,),
    PRIORITY: (-3,),
    DOMAIN_MAP: (2, 3),
    DOMAIN: (1,),
    NVLINK: (1,),
    99: (),
}
MEMBERS = {
    POLICY: "syncPolicy",
    PRIORITY: "priority",
    DOMAIN: "memSyncDomain",
    NVLINK: "nvlinkUtilCentricScheduling",
}
each = pytest.mark.parametrize(("attribute", "value"), VALUES.items(), ids=map(str, VALUES))


@each
def test_there_and_back(attribute: int, value: tuple[float, ...]) -> None:
    """As bytes, in memory, as the look-alike's object and as what the real driver is given and gives."""
    content = pack(attribute, value)
    assert len(content) == SIZE
    assert unpack(attribute, content) == value
    memory = ctypes.create_string_buffer(b"\xff" * SIZE, SIZE)
    write_stream_value(ctypes.addressof(memory), attribute, value)
    assert memory.raw == content
    assert read_stream_value(ctypes.addressof(memory), attribute) == value
    assert stream_value(stream_value_made(binding.CUstreamAttrValue, attribute, value), attribute) == value
    assert prepare("cuStreamSetAttribute", (1, attribute, value)).arguments[2] == ("in", content)
    asked = prepare("cuStreamGetAttribute", (1, attribute))
    assert asked.arguments[2] == ("out", SIZE)
    assert finish(asked, 0, [content], []) == (0, value)


@pytest.mark.parametrize("name", ["stand-ins", "cuda.bindings.driver"])
def test_members_are_where_c_has_them(name: str) -> None:
    """Those of the stand-in, and those of the binding."""
    if name != "stand-ins" and not importlib.util.find_spec("cuda"):
        pytest.skip("cuda-bindings is not installed")
    binding = StandIns() if name == "stand-ins" else importlib.import_module(name)
    for attribute, value in VALUES.items():
        item = binding.CUstreamAttrValue()
        ctypes.memmove(item.getPtr(), pack(attribute, value), SIZE)
        if attribute in MEMBERS:
            assert int(getattr(item, MEMBERS[attribute])) == value[0]
    ctypes.memmove(item.getPtr(), pack(WINDOW, VALUES[WINDOW]), SIZE)
    window = item.accessPolicyWindow
    shown = (window.base_ptr, window.num_bytes, window.hitRatio, int(window.hitProp), int(window.missProp))
    assert shown == VALUES[WINDOW]
    ctypes.memmove(item.getPtr(), pack(DOMAIN_MAP, VALUES[DOMAIN_MAP]), SIZE)
    assert stream_values.unpack(DOMAIN_MAP, ctypes.string_at(item.getPtr(), SIZE)) == (2, 3)


def test_the_look_alike_sets_and_gets() -> None:
    """What was set comes back as an object of the binding's class."""
    with Machine() as machine:
        d = machine.spawn().driver
        d.cuInit(0)
        d.cuCtxCreate(None, 0, 0)
        _, stream = d.cuStreamCreate(0)
        value = d.CUstreamAttrValue()
        value.accessPolicyWindow.num_bytes = 4096
        value.accessPolicyWindow.hitRatio = 0.5
        attribute = d.CUstreamAttrID(WINDOW)
        assert d.cuStreamSetAttribute(stream, attribute, value) == (0,)
        code, got = d.cuStreamGetAttribute(stream, attribute)
        assert code == 0
        assert type(got) is d.CUstreamAttrValue
        assert (got.accessPolicyWindow.num_bytes, got.accessPolicyWindow.hitRatio) == (4096, 0.5)
