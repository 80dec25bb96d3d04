"""Calls of the runtime API in real processes: on a libcudart over a model, and on whatever libcudart is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE
from realcuda import Machine, cudart

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realcuda import Process

LIBRARY, CUDART = "conformance.record.dry_run:library", "conformance.record.dry_run:cudart"


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    """A process whose libraries lead to a model."""
    if not NATIVE:
        pytest.skip("the native door is not for this processor")
    with Machine(library=LIBRARY, cudart=CUDART) as machine:
        yield machine.spawn()


def test_values_of_every_shape_cross(process: Process) -> None:
    """Numbers, texts that are returned, structs by value and through pointers, buffers, handles, null results."""
    c = process.c
    assert c.cudaGetErrorString(1) == (0, b"invalid argument")
    assert c.cudaGetDevice(null="device") == (1, None)
    assert c.cudaGetLastError() == (1,)
    code, rows = c.cudaMalloc3D((100, 10, 3))
    assert (code, rows[1:]) == (0, (512, 100, 10))
    assert c.cudaMemset3D(rows, 7, (100, 10, 3)) == (0,)
    room = bytearray(4)
    assert c.cudaMemcpy(room, rows[0], 4, 2) == (0,)
    assert room == b"\7" * 4
    assert (c.cudaMemcpy(rows[0], b"four", 4, 1), c.cudaMemcpy(room, rows[0], 4, 2)) == ((0,), (0,))
    assert room == b"four"
    with pytest.raises(TypeError, match="dst is filled in place"):
        c.cudaMemcpy(b"four", rows[0], 4, 2)
    assert c.cudaPointerGetAttributes(rows[0]) == (0, (2, 0, rows[0], 0, -1))
    properties = c.cudaGetDeviceProperties(0)[1]
    assert properties[0] == b"NVIDIA H200"
    assert c.cudaChooseDevice(properties) == (0, 0)
    assert len(c.cudaIpcGetMemHandle(rows[0])[1]) == 64
    assert c.cuMemFree(rows[0]) == (0,)


def test_descriptors_of_pools_cross(process: Process) -> None:
    """A descriptor is one of this process; attributes of pools have their widths."""
    c = process.c
    _, pool = c.cudaMemPoolCreate((1, 1, (1, 0), 0, 0, 0))
    code, descriptor = c.cudaMemPoolExportToShareableHandle(pool, 1, 0)
    assert code == 0
    assert c.cudaMemPoolImportFromShareableHandle(descriptor, 1, 0)[0] == 0
    assert c.cudaMemPoolSetAttribute(pool, 4, 1 << 40) == (0,)
    assert c.cudaMemPoolGetAttribute(pool, 4) == (0, 1 << 40)
    assert c.cudaMemPoolSetAttribute(pool, 1, 0) == (0,)
    assert c.cudaMemPoolGetAttribute(pool, 1) == (0, 0)


def test_calls_in_forks_and_in_functions(process: Process) -> None:
    """As those of the driver API; what the library knows by itself it tells there, too."""
    assert process.c.cudaFree(0) == (0,)
    assert process.forked.cudaMalloc(5)[0] == 3
    assert process.inside.cudaMalloc(5) == (800, None)


def test_a_process_gets_little_managed_memory(process: Process) -> None:
    """By either API."""
    with pytest.raises(PermissionError, match="hang"):
        process.c.cudaMallocManaged(2 << 30, 1)


def test_a_library_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    """When it is needed; the driver's calls are made without it."""
    with Machine(library=LIBRARY if NATIVE else None, cudart=tmp_path / "libcudart.so.13") as machine:
        assert "no libcudart" in machine.cudart_problem
        process = machine.spawn()
        with pytest.raises(OSError, match=r"no libcudart .*pip install nvidia-cuda-runtime"):
            process.c.cudaGetDeviceCount()


def test_what_needs_no_driver_is_asked_of_the_library_that_is_here() -> None:
    """Versions, names and texts; without a driver every other call answers cudaErrorInsufficientDriver."""
    with Machine() as machine:
        process = machine.spawn()
        try:
            code, version = process.c.cudaRuntimeGetVersion()
        except OSError as error:
            pytest.skip(str(error))
        assert (code, version // 1000) in {(0, 12), (0, 13)}
        assert process.c.cudaGetErrorName(12) == (0, b"cudaErrorInvalidPitchValue")
        if process.c.cudaDriverGetVersion() == (0, 0):
            assert process.c.cudaGetDeviceCount() == (35, None)
            assert process.c.cudaGetLastError() == process.c.cudaGetLastError() == (35,)


def test_older_libraries_have_other_names_and_structs() -> None:
    """What changed is not called with the described arguments."""
    assert cudart.symbol_of("cudaMemAdvise", 13000) == "cudaMemAdvise"
    assert cudart.symbol_of("cudaMemAdvise", 12080) == "cudaMemAdvise_v2"
    assert cudart.symbol_of("cudaGraphAddDependencies", 12080) == "cudaGraphAddDependencies_v2"
    assert cudart.symbol_of("cudaStreamGetCaptureInfo", 12080) == "cudaStreamGetCaptureInfo_v3"
    assert cudart.symbol_of("cudaMalloc", 12080) == "cudaMalloc"
    with pytest.raises(AttributeError, match=r"12\.8 takes other arguments"):
        cudart.symbol_of("cudaGetDeviceProperties", 12080)


def test_the_library_is_searched_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One that is loaded comes first, then the loader's own search."""
    maps = tmp_path / "maps"
    maps.write_text(
        "7f00-7f01 r--p 00000000 00:1f 12   /opt/x/libcudart.so.12.8.90\n7f00-7f01 r--p 0 00:1f 1 /lib/libc.so\n"
    )
    monkeypatch.setattr(cudart, "MAPS", maps)
    found = cudart.places()
    assert found[0] == "/opt/x/libcudart.so.12.8.90"
    assert found.index("libcudart.so.13") < found.index("libcudart.so.12")
