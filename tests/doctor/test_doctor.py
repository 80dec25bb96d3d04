"""The doctor says of tiny files what it would say of wheels: every kind of finding has one."""

from __future__ import annotations

import json
import struct
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.__main__ import main
from fakecuda.doctor.elf import OVERLAP
from fakecuda.doctor.examine import examine
from fakecuda.doctor.findings import TOPICS, Level
from fakecuda.doctor.report import text_of
from fakecuda.doctor.subject import NoSubjectError
from fakecuda.reach.native import objects
from fakecuda.reach.native.elf import shared_object
from fakecuda.spec import export_tables
from tests.model.test_image import cubin

from .made import RUNTIME_TABLE, fatbin, image, library, of

if TYPE_CHECKING:
    from pathlib import Path

PTX = b".version 8.4\n.target sm_80\n.address_size 64\n"


STATIC = library(texts=["libcuda.so.1", "cuGetExportTable", "cuTexRefCreate"], data=RUNTIME_TABLE)
BINARIES: dict[str, tuple[bytes, str, list[str]]] = {
    "static": (STATIC, "does not work: its cudart is static", ["nvcc --cudart=shared"]),
    "a static program": (
        library(texts=["cuGetExportTable"], data=RUNTIME_TABLE, program=True),
        "does not work: its cudart is static",
        ["1 program"],
    ),
    "shared": (
        library(
            needed=["libcudart.so.13"], soname="libmine.so", runpath="$ORIGIN/../lib", wanted=["cudaMalloc", "cudaFree"]
        ),
        "works by libcudart.so.13; needs fakecuda.load_cudart(13) before the file is loaded",
        ["the loader first looks for libcudart in $ORIGIN/../lib"],
    ),
    "a function of libcudart that is not modelled": (
        library(needed=["libcudart.so.12"], wanted=["cudaMemcpyBatchAsync"]),
        (
            "works by libcudart.so.12, in part: what calls cudaMemcpyBatchAsync fails; needs "
            "fakecuda.load_cudart(12) before the file is loaded"
        ),
        ["answers cudaErrorNotSupported in libcudart.so.12"],
    ),
    "a function that libcudart lacks": (
        library(needed=["libcudart.so.13"], wanted=["cudaNoSuchFunction"]),
        "does not work: fakecuda's libcudart.so.13 lacks cudaNoSuchFunction",
        ["the loader refuses the file"],
    ),
    "an old libcudart": (
        library(needed=["libcudart.so.11.0"]),
        "does not work: what is linked to libcudart.so.11.0 fails",
        ["libcudart.so.12 and libcudart.so.13 only"],
    ),
    "a bundled libcudart": (
        library(needed=["libcuda.so.1", "libcudart-9f92e4c3.so.13.3.29"]),
        (
            "works by libcuda.so.1, in part: what is linked to libcudart-9f92e4c3.so.13.3.29 fails; needs a machine, or fakecuda_load "
            "= true, before the file is loaded"
        ),
        [],
    ),
    "a launch": (
        library(needed=["libcudart.so.13"], wanted=["cudaLaunchKernel"]),
        (
            "works by libcudart.so.13; needs fakecuda.load_cudart(13) before the file is loaded, and needs @fakecuda.kernel for each kernel that it "
            "launches"
        ),
        ["@fakecuda.kernel"],
    ),
    "linked to the driver": (
        library(needed=["libcuda.so.1", "libnvidia-ml.so.1"], wanted=["cuInit"]),
        (
            "works by libcuda.so.1, libnvidia-ml.so.1; needs a machine, or fakecuda_load = true, before the file is "
            "loaded"
        ),
        ["static variables of C and C++ cannot be seen", "fixture: fakecuda_session is safe"],
    ),
    "HIP": (
        library(needed=["libamdhip64.so.6"], wanted=["hipInit"], sections={".hip_fatbin": b"x"}),
        "works by libamdhip64.so; needs a profile with HIP",
        ["hip-clr-2026", "kernels for AMD's cards"],
    ),
    "a library above the driver": (
        library(needed=["libcublas.so.12"]),
        "does not work: what calls libcublas fails",
        ["NVIDIA's own library must be installed"],
    ),
    "a library above the driver that is opened": (
        library(texts=["libcublas.so.12", "libcuda.so.1", "cuInit"]),
        "works by libcuda.so.1, in part: what calls libcublas fails",
        ["opens libcublas.so.12"],
    ),
    "opened by name": (
        library(
            texts=["libcuda.so.1", "cuInit", "cuTexRefCreate", "cuCtxCreate_v2", "CUDA_PATH", "/usr/lib/libcuda.so"]
        ),
        "works by libcuda.so.1",
        [
            "cuTexRefCreate: answers CUDA_ERROR_NOT_SUPPORTED",
            "opens libcuda.so.1: fakecuda's, by its name",
            "reads CUDA_PATH",
            "has the path /usr/lib/libcuda.so",
        ],
    ),
    "libcudart opened by name": (
        library(texts=["libcudart.so.12", "cudaMalloc"]),
        "works by libcudart; needs fakecuda.load_cudart() before it opens libcudart",
        ["machine.link()"],
    ),
    "libcudart itself": (
        library(soname="libcudart.so.13", data=RUNTIME_TABLE),
        "works by fakecuda's own libcudart.so.13",
        [],
    ),
    "no CUDA": (library(texts=["cupboard", "hipster"]), "makes no calls that the doctor sees", []),
    "kernels": (
        library(
            sections={".nv_fatbin": fatbin(image(1, 80, PTX, (8, 4)), image(2, 90, b"x" * 9, flags=0x2000)) + bytes(8)},
            data=PTX,
        ),
        "makes no calls that the doctor sees",
        ["fatbins carry PTX 8.4 for sm_80 and cubins for sm_90", "contains PTX as text: 8.4 for sm_80"],
    ),
    "cubins alone": (
        library(
            sections={
                ".nv_fatbin": fatbin(image(2, 90, b"x")) + fatbin(image(2, 100, b"x")),
                "__nv_relfatbin": fatbin(),
            }
        ),
        "makes no calls that the doctor sees",
        ["cubins alone for sm_90, sm_100", "no image for a GPU"],
    ),
    "damaged fatbins": (
        library(
            sections={
                ".nv_fatbin": fatbin(b"\1\0\0\0" + bytes(80)) + fatbin(image(1, 80, PTX))[:-9] + b"P\xedU\xba\1\0"
            }
        ),
        "makes no calls that the doctor sees",
        ["is damaged", "claims"],
    ),
}


@pytest.mark.parametrize("name", BINARIES)
def test_a_library_or_a_program(name: str, tmp_path: Path) -> None:
    """The verdict in a line, and the details."""
    content, verdict, details = BINARIES[name]
    found = of(tmp_path, "libx.so", content)
    assert found.verdict() == verdict
    text = text_of([found], 400)
    assert text.splitlines()[0] == f"libx.so: {verdict}"
    assert [one for one in details if one not in text] == []


def test_images(tmp_path: Path) -> None:
    """PTX, cubins and fatbins are examined by themselves."""
    assert "is PTX 8.4 for sm_80" in text_of([of(tmp_path, "x.ptx", PTX)], 200)
    assert "is a cubin for sm_90" in text_of([of(tmp_path, "x.cubin", cubin())], 200)
    assert "is a fatbin with PTX 8.4 for sm_80" in text_of([of(tmp_path, "x", fatbin(image(1, 80, PTX, (8, 4))))], 200)


def test_a_fatbin_of_a_compiler_is_not_unpacked(tmp_path: Path) -> None:
    """A compressed image that nothing unpacks is counted all the same."""
    packed = [image(kind, 90, b"not compressed", (9, 0), flags) for kind, flags in ((1, 0x2000), (2, 0x8000), (7, 0))]
    assert "PTX 9.0 for sm_90 and cubins for sm_90" in text_of([of(tmp_path, "x.fatbin", fatbin(*packed))], 200)


DAMAGED = {
    "x.so": b"\x7fELF",
    "wide.so": STATIC[:4] + b"\1" + STATIC[5:],
    "sections.so": STATIC[:40] + struct.pack("<Q", 1 << 60) + STATIC[48:],
    "segments.so": STATIC[:32] + struct.pack("<Q", 1 << 40) + STATIC[40:],
    "header.so": STATIC[:54] + b"\1\0" + STATIC[56:],
    "row.so": STATIC[:58] + b"\1\0" + STATIC[60:],
    "cut.so": STATIC[:-70],
    "text.txt": b"hello",
    "x.fatbin": fatbin(image(1, 80, PTX))[:-5],
    "other.fatbin": b"P\xedU\xba\2\0" + bytes(10),
    "empty": b"",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_an_error(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says what is wrong with the only file, and ends with 2."""
    (tmp_path / name).write_bytes(DAMAGED[name])
    assert main(["doctor", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"fakecuda: {tmp_path / name}: ")


def test_every_byte_of_a_library_may_be_wrong(tmp_path: Path) -> None:
    """A damaged header is refused or read; no other exception, and no part outside of the file."""
    for at in [*range(16, 64 + 56 * 2), *range(len(STATIC) - 64 * 7, len(STATIC))]:
        for value in (0, 0x7F, 0xFF):
            changed = STATIC[:at] + bytes([value]) + STATIC[at + 1 :]
            try:
                of(tmp_path, "libx.so", changed)
            except NoSubjectError as error:
                assert "headers are damaged" in str(error)  # noqa: PT017 - most changes are harmless


@pytest.mark.parametrize(
    "what",
    ["/nonexistent.so", "nonexistent.py", "nothing_like_it", "cuda_cores", "", "sys", "json.nothing", "/dev/null"],
)
def test_an_unknown_subject_is_an_error(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The text names what was looked for."""
    assert main(["doctor", what]) == 2
    assert what in capsys.readouterr().err


def test_a_wheel_is_a_package(tmp_path: Path) -> None:
    """Its name and version come from its metadata; a program that fails does not hide a library that works."""
    path = tmp_path / "mine-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("mine/libx.so", library(needed=["libcuda.so.1"], wanted=["cuInit"]))
        wheel.writestr("mine/bin/perf", library(texts=["cuGetExportTable"], data=RUNTIME_TABLE, program=True))
        wheel.writestr("mine/empty.py", "")
        wheel.writestr("mine/data.bin", "x")
        wheel.writestr("mine/k.ptx", "no PTX")
        wheel.writestr("mine-1.dist-info/METADATA", "Name: mine\nVersion: 1\n")
    found = examine(str(path))
    assert found.title == "mine 1"
    assert found.level is Level.LIMITS
    assert found.verdict().startswith("works by libcuda.so.1, in part: its programs have a static cudart; needs")
    assert found.kinds == {"library": 1, "program": 1, "module": 1}
    assert "(mine/k.ptx)" in text_of([found], 200)
    path.write_bytes(b"PK")
    with pytest.raises(NoSubjectError, match="is not a wheel"):
        examine(str(path))


def test_a_folder_and_what_fakecuda_replaces(tmp_path: Path) -> None:
    """The static cudart of cuda.bindings does not matter; linked files and caches are left out."""
    of(tmp_path, "cuda/bindings/_internal/runtime.so", STATIC)
    (tmp_path / "cuda" / "link.so").symlink_to("bindings/_internal/runtime.so")
    of(tmp_path, "cuda/__pycache__/x.py", "import cupy")
    found = examine(str(tmp_path / "cuda"))
    assert found.verdict() == "works by cuda.bindings.runtime"
    assert found.kinds == {"library": 1}


def test_a_client_that_fakecuda_knows(tmp_path: Path) -> None:
    """Its state is renewed, so that each test may have its own machine."""
    of(tmp_path, "cuda/core/_device.py", "import ctypes\nctypes.CDLL('libcuda.so.1').cuInit(0)\n")
    assert "fixture: fakecuda\n" in text_of([examine(str(tmp_path / "cuda"))], 200) + "\n"


def test_an_empty_folder(tmp_path: Path) -> None:
    """It says that it has read nothing."""
    assert "it contains no library, program, Python file, PTX, cubin or fatbin" in text_of(
        [examine(str(tmp_path))], 200
    )


@pytest.mark.parametrize("name", ["iniconfig", "json", "json.decoder", "this"])
def test_an_installed_package_is_not_imported(name: str) -> None:
    """Distributions, also editable ones, packages and modules."""
    found = examine(name)
    assert found.kinds["module"] > 0
    assert found.title.startswith(name)
    assert "this" not in __import__("sys").modules


def test_an_editable_distribution_is_found_by_its_top_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its record has no file of Python; packages and modules count."""
    of(tmp_path, "mine/x.py", "import ctypes\ndef f():\n    ctypes.CDLL('libcuda.so.1').cuInit(0)\n")
    of(tmp_path, "my_module.py", "")
    info = tmp_path / "mine-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: mine\nVersion: 1\n")
    (info / "top_level.txt").write_text("mine\nmy_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = examine("mine")
    assert (found.title, found.verdict(), found.kinds) == ("mine 1", "works by libcuda.so.1", {"module": 2})


def test_json_has_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each finding with its topic, level and files."""
    of(tmp_path, "x.so", BINARIES["opened by name"][0])
    assert main(["doctor", "--json", str(tmp_path / "x.so"), str(tmp_path / "x.so")]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first == second
    assert first["verdict"] == "works by libcuda.so.1"
    assert first["not_modelled"] == {"answers CUDA_ERROR_NOT_SUPPORTED": {"cuTexRefCreate": ["x.so"]}}
    assert {one["topic"] for one in first["findings"]} <= set(TOPICS)


def test_several_subjects_have_their_verdicts_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each, then the details."""
    for name in ("a.so", "b.so"):
        of(tmp_path, name, STATIC)
    assert main(["doctor", *(str(tmp_path / name) for name in ("a.so", "b.so"))]) == 0
    assert [line[:5] for line in capsys.readouterr().out.splitlines()[:2]] == ["a.so:", "b.so:"]


def test_symbols_of_fakecudas_own_library(tmp_path: Path) -> None:
    """The writer and the reader of libraries agree."""
    content = shared_object(
        objects.driver().symbols[:1], soname="libmine.so", client=("libclient.so", ["c_one"]), machine="x86_64"
    )
    found: Any = of(tmp_path, "libmine.so", content)
    assert found.kinds == {"library": 1}


def test_a_long_text_does_not_hide_the_next(tmp_path: Path) -> None:
    """Texts are cut, and those after them are found; a text at the end of the file needs no NUL."""
    found = of(
        tmp_path, "x.so", library(texts=["x" * 3 * OVERLAP, "libcuda.so.1", "cuInit"], data=b"\0cuda" + b"y" * OVERLAP)
    )
    assert found.verdict() == "works by libcuda.so.1"


@pytest.mark.parametrize("table", sorted(export_tables.RUNTIME - {RUNTIME_TABLE}), ids=bytes.hex)
def test_each_private_table_is_found(table: bytes, tmp_path: Path) -> None:
    """The id of any table that the runtime asks for, beside the function that returns it."""
    assert len(table) == export_tables.ID_SIZE
    found = of(tmp_path, "x.so", library(texts=["libcuda.so.1", "cuGetExportTable"], data=table))
    assert found.verdict() == "works by libcuda.so.1, in part: what asks for private tables fails"
    assert "(cuGetExportTable)" in text_of([found], 200)
    found = of(tmp_path, "x.so", library(texts=["libcuda.so.1"], data=table))
    assert found.verdict() == "makes no calls that the doctor sees"
