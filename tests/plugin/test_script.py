"""The script that a difference between model and card has: it makes the calls again that the difference needs."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest

import fakecuda
from fakecuda.testing import script

from .test_both import run

driver: Any = pytest.importorskip("cuda.bindings.driver")

STREAMS = """
    def test_it(fakecuda):
        opened()
        for _ in range(30):
            driver.cuMemAlloc(64)
        prop = driver.CUmemAllocationProp()
        prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        driver.cuMemCreate(2 << 20, prop, 0)
        stream = driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)[1]
        event = driver.cuEventCreate(6)[1]
        driver.cuEventRecord(event, stream)
        driver.cuIpcGetEventHandle(event)
"""


def of(out: str) -> str:
    """Return the script in a report."""
    lines = out.partition("  script: ")[2].splitlines()[1:]
    end = next(number for number, line in enumerate(lines) if line and not line.startswith("    "))
    return "\n".join(line.removeprefix("    ") for line in lines[:end])


def test_the_script_repeats_the_difference(suite: Any) -> None:
    """Run again, it prints the model's answer."""
    counts, out = run(suite, STREAMS, "wsl")
    assert counts == {"PASSED": 1, "FAILED": 1}, out
    text = of(out)
    assert "cuMemAlloc" not in text
    assert "cuMemCreate" not in text
    assert "event1 = driver.cuEventCreate(6)  # " in text
    assert "test_it.py:" in text
    printed = io.StringIO()
    with fakecuda.simulate("h200-x2"), contextlib.redirect_stdout(printed):
        exec(compile(text, "script.py", "exec"), {})  # noqa: S102
    assert printed.getvalue().startswith("(<CUresult.CUDA_SUCCESS: 0>, ")


def calls(*made: tuple[str, tuple[Any, ...]]) -> list[script.Written]:
    """Make calls on the installed machine, and return them as source."""
    found = []
    for name, args in made:
        result = getattr(driver, name)(*args)
        found.append(script.written(name, args, {}, result, "here.py:1"))
    return found


def test_structs_buffers_and_addresses_within_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements fill a struct, a buffer has its size, an address is an offset, an IPC handle is a variable."""
    monkeypatch.setattr(script, "MOST", 3)
    with fakecuda.simulate("h200-x2"):
        prop = driver.CUmemAllocationProp()
        prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        first = calls(("cuInit", (0,)), ("cuDevicePrimaryCtxRetain", (driver.CUdevice(0),)))
        context = driver.cuDevicePrimaryCtxRetain(0)[1]
        first += calls(("cuCtxSetCurrent", (context,)), ("cuMemCreate", (2 << 20, prop, 0)))
        (alloc,) = calls(("cuMemAlloc", (4096,)))
        pointer = int(next(iter(alloc.made)))
        copy = calls(("cuMemcpyHtoD", (pointer + 16, bytearray(100), 100)), ("cuMemcpyHtoD", (pointer, b"abcd", 4)))
        (handle,) = calls(("cuIpcGetMemHandle", (pointer,)))
        key = next(iter(handle.made))
        other = script.Written("cuIpcOpenMemHandle", (), "\0000\0, 1", (key,), (), "here.py:9")
        create = first[-1]
        asked = script.Written(
            "cuMemRelease", (), "\0000\0", tuple(create.made), (), "here.py:9; None is in place of: X"
        )
        text = "\n".join(script.lines_of([*first, alloc, *copy, handle], other))
        assert text.splitlines()[0] == "from cuda.bindings import driver"
        assert "_, pointer1 = driver.cuMemAlloc(4096)  # here.py:1" in text
        assert "_, ipcmemhandle1 = driver.cuIpcGetMemHandle(pointer1)" in text
        assert "print(driver.cuIpcOpenMemHandle(ipcmemhandle1, 1))  # here.py:9" in text
        (last,) = calls(("cuMemsetD8", (pointer + 8, 1, 8)))
        text = "\n".join(script.lines_of([*first, alloc, *copy], last))
        assert "driver.cuMemcpyHtoD(int(pointer1) + 16, bytearray(100), 100)" in text
        assert "driver.cuMemcpyHtoD(pointer1, b'abcd', 4)" in text
        assert "print(driver.cuMemsetD8(int(pointer1) + 8, 1, 8))" in text
        assert "cuMemCreate" not in text
        text = "\n".join(script.lines_of(first, asked))
        assert "memallocationprop_1.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE" in text
        assert "_, memgenericallocationhandle1 = driver.cuMemCreate(2097152, memallocationprop_1, 0)" in text


def test_what_cannot_be_written() -> None:
    """An object of the test is None, with its class; an unknown address is a number, a handle of the default stream itself."""
    one = script.written(
        "cuLaunchHostFunc", (driver.CUstream(1), object(), [1 << 40, True]), {"userData": 1.5}, None, "x.py:1"
    )
    assert one.place == "x.py:1; None is in place of: object"
    lines = script.lines_of([], one)
    assert lines[-1] == (
        "print(driver.cuLaunchHostFunc(driver.CUstream(1), None, [0x10000000000, True], userData=1.5))  "
        "# x.py:1; None is in place of: object"
    )
    assert script.written("cudaFree", (0,), {}, (0,), "x.py:1").results == ()
