"""Graphs that cuda.core describes: nodes, edges, launches, changes of what was made executable, and what is kept alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from .conftest import Suite

pytest.importorskip("cuda.core.graph", reason="cuda.core describes the graphs: pip install cuda-core")
DEFINITION = """
    import ctypes
    import gc

    import fakecuda as module
    from cuda.core import Device, LaunchConfig, ObjectCode
    from cuda.core.graph import GraphDefinition

    PTX = b'''.version 7.0
    .target sm_70
    .address_size 64
    .visible .entry store(.param .u64 place, .param .u32 value) { ret; }
    '''

    @module.kernel("store", "u32*", "u32")
    def store(grid, block, place, value):
        place[0] = value

    def content(process, buffer, size):
        data = bytearray(size)
        assert process.c.cuMemcpyDtoH(data, int(buffer.handle), size) == (0,)
        return bytes(data)

    def test_it(fakecuda, tmp_path):
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        one, other = (device.allocate(64, stream=stream) for _ in range(2))
        code = ObjectCode.from_ptx(PTX)
        called = []
        definition = GraphDefinition()
        fill = definition.memset(one, 7, 16)
        stored = fill.launch(LaunchConfig(grid=1, block=1), code.get_kernel("store"), one, ctypes.c_uint32(9))
        copied = stored.memcpy(other, one, 16)
        copied.callback(lambda: called.append(1))
        assert set(copied.pred) == {stored}
        assert (len(list(definition.nodes())), len(list(definition.edges()))) == (4, 3)
        made = definition.instantiate()
        made.upload(stream)
        made.launch(stream)
        stream.sync()
        here = fakecuda.machine.here
        assert called == [1]
        assert content(here, other, 8) == (9).to_bytes(4, "little") + bytes([7] * 4)
        made[stored].disable()
        assert not made[stored].is_enabled
        made.launch(stream)
        stream.sync()
        assert content(here, other, 8) == bytes([7] * 8)
        made.update(definition)
        definition.debug_dot_print(str(tmp_path / "graph.dot"))
        assert "store" in (tmp_path / "graph.dot").read_text()
        made.close()
        for ended in (one, other, stream):
            ended.close()
        del definition, fill, stored, copied, made
        gc.collect()
        assert {call.code for call in fakecuda.calls if "Graph" in call.call or "User" in call.call} == {0}
"""


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
def test_a_definition_is_launched_changed_and_let_go(suite: Suite) -> None:
    """Kernels, fills, copies and callbacks run in the order of their edges; a step is switched off, and updated."""
    suite.write(test_definition=DEFINITION)
    done = suite.run(door="native")
    assert done.code == 0, done.out


CONDITIONALS = """
    from cuda.core import Device
    from cuda.core.graph import GraphDefinition

    def content(process, buffer, size):
        data = bytearray(size)
        assert process.c.cuMemcpyDtoH(data, int(buffer.handle), size) == (0,)
        return bytes(data)

    def test_builder(fakecuda):
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        place = device.allocate(64, stream=stream)
        builder = device.create_graph_builder().begin_building()
        then, other = builder.if_else(builder.create_condition(default_value=0))
        for branch, value in ((then, 1), (other, 2)):
            branch.begin_building()
            place.fill(value, stream=branch)
            branch.end_building()
        never = builder.while_loop(builder.create_condition(default_value=0)).begin_building()
        place.fill(9, stream=never)
        never.end_building()
        made = builder.end_building().complete()
        made.launch(stream)
        stream.sync()
        assert content(fakecuda.machine.here, place, 64) == bytes([2] * 64)

    def test_definition(fakecuda):
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        place = device.allocate(64, stream=stream)
        definition = GraphDefinition()
        condition = definition.create_condition(default_value=1)
        switch = definition.switch(condition, 3)
        for number, branch in enumerate(switch.branches):
            branch.memset(place, number + 5, 64)
        memory = switch.allocate(64)
        memory.memset(memory.dptr, 7, 64).memcpy(int(place.handle) + 32, memory.dptr, 32).deallocate(memory.dptr)
        made = definition.instantiate()
        made.launch(stream)
        stream.sync()
        assert content(fakecuda.machine.here, place, 64) == bytes([6] * 32 + [7] * 32)
"""


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
def test_conditionals_of_a_builder_and_of_a_definition(suite: Suite) -> None:
    """Streams are captured into their graphs, and nodes added to them; a launch does what the defaults choose."""
    suite.write(test_conditionals=CONDITIONALS)
    done = suite.run(door="native")
    assert done.code == 0, done.out
