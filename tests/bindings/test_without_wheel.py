"""Without cuda-python: an environment that has fakecuda and what it needs, and no package named ``cuda``."""

from __future__ import annotations

import subprocess
import venv
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.long("an environment without cuda-bindings is made for it")

ROOT = Path(__file__).parents[2]
PACKAGES = ("fakecuda", "conformance", "realcuda")
DIST = {
    "METADATA": "Metadata-Version: 2.1\nName: fakecuda\nVersion: 0\n",
    "entry_points.txt": "[pytest11]\nfakecuda = fakecuda.plugin\n",
}
STRUCTS = """
import ctypes
import pickle
import pytest
import fakecuda as module

def ok(answer):
    assert answer[0] == 0, answer
    return answer[1] if len(answer) == 2 else None

def test_enums(fakecuda):
    from cuda.bindings import driver
    import cuda.bindings.driver as same
    assert same is driver
    assert fakecuda.here.driver.CUresult is driver.CUresult
    assert repr(driver.CUresult(2)) == "<CUresult.CUDA_ERROR_OUT_OF_MEMORY: 2>"
    assert driver.CUresult.CUDA_ERROR_PEER_ACCESS_NOT_ENABLED == 705
    assert ok(driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_NOT_READY)) == b"CUDA_ERROR_NOT_READY"
    assert driver.cuDeviceGetCount() == (driver.CUresult.CUDA_ERROR_NOT_INITIALIZED, None)
    with pytest.raises(ValueError):
        driver.CUmemLocationType(1000)

@pytest.mark.fakecuda(profile="h200-x2")
def test_memory_is_mapped(fakecuda):
    from cuda.bindings import driver
    ok(driver.cuInit(0))
    context = ok(driver.cuDevicePrimaryCtxRetain(1))
    ok(driver.cuCtxSetCurrent(context))
    prop = driver.CUmemAllocationProp()
    prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    prop.location.id = 1
    prop.requestedHandleTypes = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    size = ok(driver.cuMemGetAllocationGranularity(prop, driver.CUmemAllocationGranularity_flags(0)))
    handle = ok(driver.cuMemCreate(size, prop, 0))
    got = ok(driver.cuMemGetAllocationPropertiesFromHandle(handle))
    assert (got.location.id, got.type, type(got)) == (1, prop.type, driver.CUmemAllocationProp)
    start = ok(driver.cuMemAddressReserve(size, 0, 0, 0))
    ok(driver.cuMemMap(start, size, 0, handle, 0))
    access = driver.CUmemAccessDesc()
    access.location = prop.location
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    ok(driver.cuMemSetAccess(start, size, [access], 1))
    assert ok(driver.cuMemGetAccess(prop.location, start)) == 3
    there = bytearray(5)
    ok(driver.cuMemcpyHtoD(start, b"bytes", 5))
    ok(driver.cuMemcpyDtoH(there, start, 5))
    assert there == b"bytes"
    with pytest.raises(TypeError, match="CUmemAllocationProp"):
        driver.cuMemCreate(size, access, 0)
    ok(driver.cuMemUnmap(start, size))
    ok(driver.cuMemAddressFree(start, size))
    ok(driver.cuMemRelease(handle))
    ok(driver.cuDevicePrimaryCtxRelease(1))

def test_handles_reach_another_process(fakecuda):
    from cuda.bindings import driver
    other = fakecuda.spawn()
    for process in (driver, other.driver):
        ok(process.cuInit(0))
        ok(process.cuCtxSetCurrent(ok(process.cuDevicePrimaryCtxRetain(0))))
    pointer = ok(driver.cuMemAlloc(64))
    ok(driver.cuMemsetD8(pointer, 7, 64))
    ok(driver.cuCtxSynchronize())
    shared = ok(driver.cuIpcGetMemHandle(pointer))
    # A handle travels as the 64 bytes at its address.
    received = driver.CUipcMemHandle()
    ctypes.memmove(received.getPtr(), ctypes.string_at(shared.getPtr(), 64), 64)
    opened = ok(other.driver.cuIpcOpenMemHandle(received, 1))
    there = bytearray(4)
    ok(other.driver.cuMemcpyDtoH(there, opened, 4))
    assert there == bytes([7] * 4)
    ok(other.driver.cuIpcCloseMemHandle(opened))
    ok(driver.cuMemFree(pointer))

def test_the_runtime_api(fakecuda):
    from cuda.bindings import driver, runtime
    pointer = ok(runtime.cudaMalloc(64))
    ok(driver.cuMemsetD8(pointer, 7, 64))
    there = bytearray(64)
    ok(runtime.cudaMemcpy(there, pointer, 64, runtime.cudaMemcpyKind.cudaMemcpyDefault))
    assert there == bytes([7] * 64)
    attributes = ok(runtime.cudaPointerGetAttributes(pointer))
    assert attributes.type == runtime.cudaMemoryType.cudaMemoryTypeDevice
    assert runtime.cudaFree(pointer + 1) == (runtime.cudaError_t.cudaErrorInvalidValue,)
    assert runtime.cudaGetLastError() == runtime.cudaFree(pointer + 1)
    box = runtime.cudaMemcpy3DParms()
    box.srcPtr = box.dstPtr = ok(runtime.cudaMalloc3D(runtime.make_cudaExtent(16, 2, 2)))
    box.extent = runtime.make_cudaExtent(0, 2, 2)
    box.kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    ok(runtime.cudaMemcpy3D(box))
    assert isinstance(ok(runtime.cudaStreamCreate()), driver.CUstream)

def test_the_module_is_gone_between_machines():
    with pytest.raises(ImportError):
        from cuda.bindings import driver
    with module.simulate(door="lookalike"):
        from cuda.bindings import driver
        assert driver.cuInit(0) == (0,)

def test_other_structs_can_be_made(fakecuda):
    from cuda.bindings import driver
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.srcHost, copy.dstDevice, copy.Height = b"1234", driver.CUdeviceptr(5), 6
    assert (int(copy.dstDevice), copy.Height) == (5, 6)
    assert driver.cuMemcpy2D(copy) == (driver.CUresult.CUDA_ERROR_NOT_INITIALIZED,)
    copy = driver.CUDA_MEMCPY3D()
    assert driver.cuGraphExecMemcpyNodeSetParams(None, None, copy, None) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE,)
    with pytest.warns(module.NotModelledWarning, match="cuCtxFromGreenCtx"):
        assert driver.cuCtxFromGreenCtx(None) == (driver.CUresult.CUDA_ERROR_NOT_SUPPORTED, None)
"""


def requirements(names: Iterable[str]) -> set[metadata.Distribution]:
    """Return the distributions of those names and all that they need."""
    found: dict[str, metadata.Distribution] = {}
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found[name] = metadata.distribution(name)
            wanted = [Requirement(text) for text in found[name].requires or []]
            queue += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return set(found.values())


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment without cuda-python; its packages are links to those of this one."""
    place = tmp_path_factory.mktemp("without") / "environment"
    venv.create(place, symlinks=True, with_pip=False)
    (site,) = place.glob("lib/python*/site-packages")
    for package in PACKAGES:
        (site / package).symlink_to(ROOT / package)
    dist = site / "fakecuda-0.dist-info"
    dist.mkdir()
    for name, text in DIST.items():
        (dist / name).write_text(text)
    for distribution in requirements(["attrs", "msgpack", "pytest", "hypothesis"]):
        for top in {file.parts[0] for file in distribution.files or [] if file.parts[0] != ".."}:
            if not (site / top).exists() and top != "__pycache__":
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return place / "bin" / "python"


@pytest.fixture
def run(python: Path, tmp_path: Path) -> Run:
    """Run that interpreter, in an empty directory."""

    def started(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        command = [str(python), "-W", "error", *arguments]
        environ = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command, input=text, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )

    return started


def test_the_environment_lacks_the_wheel(run: Run) -> None:
    """What follows would prove nothing otherwise; the package itself imports."""
    done = run(
        "-c",
        "import fakecuda, fakecuda.reach.bindings.driver, fakecuda.reach.bindings.runtime, fakecuda.reach.native.door, sys; print(sorted(sys.modules))",
    )
    assert not done.stderr
    assert "'cuda" not in done.stdout
    assert "No module named 'cuda'" in run("-c", "import cuda").stderr


def test_the_fixture(run: Run, tmp_path: Path) -> None:
    """Structs, enums, mappings and IPC, through a module that the fixture brings."""
    (tmp_path / "test_it.py").write_text(STRUCTS)
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--fakecuda-door=lookalike", "test_it.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_the_prompt(run: Run) -> None:
    """Calls, structs by hand and the reason of a refusal."""
    lines = [
        "a.c.cuInit(0)",
        "prop = a.driver.CUmemAllocationProp()",
        "prop.location.id = 1",
        "prop.location.id",
        "a.driver.cuMemCreate(1 << 21, prop, 0)",
        "why()",
    ]
    done = run("-m", "fakecuda", text="\n".join([*lines, ""]))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("(0,)\n1\n(<CUresult.CUDA_ERROR_INVALID_VALUE: 1>, None)\n")
    assert "cuMemCreate" in done.stdout


def test_the_suite(run: Run) -> None:
    """The conformance suite's cases, and its recordings against the model."""
    done = run("-m", "fakecuda", "conform", "cuIpc*", "peer/")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    assert "failed" not in done.stdout
    for chapter in ("ipc", "peer"):
        assert int(rows[chapter][2]) > 0
    assert int(rows["ipc"][5]) > 0  # recorded programs


def test_the_real_driver_is_refused_with_the_fix(run: Run, tmp_path: Path) -> None:
    """Tests on the real driver need the wheel."""
    (tmp_path / "test_it.py").write_text("def test_it(fakecuda): pass\n")
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--fakecuda=real")
    assert "--fakecuda=real: cuda.bindings is not installed: pip install 'fakecuda[cuda]'" in done.stderr


OTHER_SYSTEM = """
import ctypes, hypothesis, os, platform, sys, pytest
find = ctypes.CDLL.__getattr__
def lacking(library, name):
    if name in {"fallocate", "prctl"}:
        raise AttributeError(name)
    return find(library, name)
def unlisted(path="."):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(path)
    return listed(path)
listed, os.listdir = os.listdir, unlisted
ctypes.CDLL.__getattr__ = lacking
for name in ("memfd_create", "pidfd_open"):
    delattr(os, name)
platform.machine = lambda: "arm64"
here, sys.platform = sys.platform, "darwin"
import fakecuda.model.memory.space as space
flag = space.MAP_NORESERVE
# The system below is this one all the same.
space.MAP_NORESERVE = 0x4000
"""
"""A system like macOS: no memfd, sparse files or /proc, and another processor."""


def test_on_another_system(run: Run, tmp_path: Path) -> None:
    """The default door is the look-alike there; the other is refused with the fix."""
    (tmp_path / "test_it.py").write_text(STRUCTS)
    done = run("-c", OTHER_SYSTEM + "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py']))")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
    text = """
from fakecuda import FakeCudaError, simulate
try:
    with simulate(door="native"): pass
except FakeCudaError as error:
    print(hex(flag), error)
"""
    done = run("-c", OTHER_SYSTEM + text)
    assert (done.returncode, done.stderr) == (0, "")
    fix = "use door='lookalike' (pytest --fakecuda-door=lookalike)"
    assert done.stdout == f"0x40 door='native' needs Linux on x86_64 or aarch64: {fix}\n"


@pytest.mark.long("the fixture's tests run there on each commit, and the suite on this system")
def test_the_suite_on_another_system(run: Run) -> None:
    """Memory, mappings and IPC are the same."""
    chapters = [f"conformance/{name}/" for name in ("va", "copy", "ipc")]
    text = f"from fakecuda.__main__ import main; sys.exit(main(['conform', *{chapters}]))"
    done = run("-c", OTHER_SYSTEM + text)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout
