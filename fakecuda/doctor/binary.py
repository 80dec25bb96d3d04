"""The doctor's findings in libraries and programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fakecuda.doctor import calls, kernels
from fakecuda.doctor.findings import KERNELS, LIBRARIES, RUNTIME, Diagnosis, Finding, Fixture, Level
from fakecuda.doctor.libraries import ABOVE, FOLDERS, WITH_HIP, way_of, ways_of
from fakecuda.model.code.host_files import FATBINS
from fakecuda.reach.install.loading import DRIVER_NAMES, HIP_NAMES, NAMES
from fakecuda.reach.install.modules import MODULES
from fakecuda.spec import cudart
from fakecuda.spec.export_tables import BINDINGS_FOLDER, RUNTIME_ALONE
from fakecuda.spec.export_tables import RUNTIME as TABLES

if TYPE_CHECKING:
    from fakecuda.doctor.elf import Elf

NAMES_BEGIN = (b"\0cu", b"\0hip", b"\0nvml")
LIBRARIES_BEGIN = (b"libcuda", b"libnvidia-ml", b"libamdhip64", *(f"{name}so".encode() for name in ABOVE))
LIBRARY = re.compile(r"[\w./+-]*lib\w[-\w.]*\.so[.\d]*")
MAJOR = re.compile(r"\.so\.(\d+)")


def examine(elf: Elf, file: str, diagnosis: Diagnosis) -> None:
    """Add the findings in a library or a program.

    Args:
        elf: The file.
        file: Its path within the subject.
        diagnosis: The findings of the subject.
    """
    diagnosis.count("program" if elf.is_program else "library")
    own = elf.soname or file.rpartition("/")[2]
    if NAMES.fullmatch(own) or DRIVER_NAMES.fullmatch(own) or HIP_NAMES.fullmatch(own):
        _replaced(own, file, diagnosis)
        return
    _needed(elf, file, diagnosis)
    named = _texts(elf, re.compile(calls.NAME), *NAMES_BEGIN)
    if _runtime(elf, file, diagnosis, named):
        named = set()  # they are those of the static cudart
    else:
        _opened(elf, file, diagnosis, named)
    diagnosis.lacks(calls.lacking(sorted(elf.wanted | named)), file)
    _kernels(elf, file, diagnosis, elf.wanted | named)
    if any(map(calls.is_call, elf.wanted)) or diagnosis.ways:
        text = "static variables of C and C++ cannot be seen in a file: assume that they last as long as the OS process"
        diagnosis.state(Fixture.UNSEEN, text, "")


def _texts(elf: Elf, pattern: re.Pattern[str], *literals: bytes) -> set[str]:
    """Return the texts of a file that contain one of some literals and match a pattern."""
    found = {text.decode("ascii", "replace") for text in elf.texts_with(*literals)}
    return {text for text in found if pattern.fullmatch(text)}


def _replaced(own: str, file: str, diagnosis: Diagnosis) -> None:
    """Add a library that fakecuda replaces."""
    diagnosis.ways[f"fakecuda's own {own}"] = None
    text = f"it is {own}, which fakecuda replaces: {ways_of(own)}"
    diagnosis.add(Finding(RUNTIME if own.startswith("libcudart") else LIBRARIES, Level.NOTE, text), file)


def _needed(elf: Elf, file: str, diagnosis: Diagnosis) -> None:
    """Add the libraries that the dynamic loader loads for a file."""
    for name in elf.needed:
        if DRIVER_NAMES.fullmatch(name):
            diagnosis.ways[way_of(name)] = None
            text = f"is linked to {name}: import or load it after the first machine, or set fakecuda_load = true in the ini file"
            diagnosis.add(
                Finding(
                    LIBRARIES, Level.NEEDS, text, "needs a machine, or fakecuda_load = true, before the file is loaded"
                ),
                file,
            )
        elif HIP_NAMES.fullmatch(name):
            diagnosis.ways[way_of(name)] = None
            text = f"is linked to {name}: use a profile with HIP, such as hip-clr-2026"
            diagnosis.add(Finding(LIBRARIES, Level.NEEDS, text, WITH_HIP), file)
        elif NAMES.fullmatch(name):
            _shared(elf, name, file, diagnosis)
        elif name.startswith(ABOVE):
            diagnosis.add(above("is linked to", name), file)
    if elf.paths and any(map(NAMES.fullmatch, elf.needed)):
        diagnosis.note(
            LIBRARIES,
            f"the loader first looks for libcudart in {', '.join(elf.paths)}, and may find another file than fakecuda's there",
            file,
        )


def above(how: str, name: str) -> Finding:
    """Return the finding that a file uses a library above the driver."""
    text = f"{how} {name}, which fakecuda does not replace: NVIDIA's own library must be installed, and its calls fail"
    return Finding(LIBRARIES, Level.LIMITS, text, f"what calls {name.partition('.so')[0]} fails")


def _shared(elf: Elf, name: str, file: str, diagnosis: Diagnosis) -> None:
    """Add that a file is linked to libcudart, and which functions are modelled."""
    match = MAJOR.search(name)
    major = int(match[1]) if match else 0
    if name not in map(cudart.soname, cudart.VERSIONS):
        have = " and ".join(map(cudart.soname, sorted(cudart.VERSIONS)))
        text = f"is linked to {name}, but fakecuda has {have} only: build it with one of them"
        diagnosis.add(Finding(RUNTIME, Level.LIMITS, text, f"what is linked to {name} fails"), file)
        return
    diagnosis.ways[name] = None
    text = f"its cudart is shared ({name}): call fakecuda.load_cudart({major}) before the file is loaded"
    diagnosis.add(
        Finding(RUNTIME, Level.NEEDS, text, f"needs fakecuda.load_cudart({major}) before the file is loaded"), file
    )
    absent, unmodelled = calls.linked_runtime(major, elf.wanted)
    if absent:
        text = f"it needs {', '.join(absent)} of {name}, which fakecuda's library lacks: the loader refuses the file"
        diagnosis.add(Finding(RUNTIME, Level.BLOCKS, text, f"fakecuda's {name} lacks {absent[0]}"), file)
    diagnosis.lacks(((one, f"answers cudaErrorNotSupported in {name}") for one in unmodelled), file)
    if others := [one for one in unmodelled if not calls.is_launch(one)]:
        text = f"calls {', '.join(others)}, which {'is' if len(others) == 1 else 'are'} not modelled in {name}"
        diagnosis.add(Finding(RUNTIME, Level.LIMITS, text, f"what calls {others[0]} fails"), file)


def _runtime(elf: Elf, file: str, diagnosis: Diagnosis, named: set[str]) -> bool:
    """Add that a file has a static cudart, or requests private driver tables.

    Returns:
        Whether it has a static cudart.
    """
    tables = [table for table in TABLES if any(elf.data.find(table, at, at + size) >= 0 for at, size in elf.texts)]
    if not tables or (RUNTIME_ALONE not in tables and "cuGetExportTable" not in named | elf.wanted):
        return False
    if BINDINGS_FOLDER in f"/{file}":
        patched = MODULES["runtime"]
        diagnosis.ways[patched] = None
        text = f"its cudart is static, but fakecuda replaces the functions of {patched}: call them as its attributes; do not import them by name"
        diagnosis.add(Finding(RUNTIME, Level.NOTE, text), file)
    elif RUNTIME_ALONE in tables:
        text = "its statically linked cudart asks the driver for private tables (cuGetExportTable): build it with nvcc --cudart=shared"
        level, short = Level.BLOCKS, "its cudart is static"
        if elf.is_program and diagnosis.kinds.get("library"):
            level, short = Level.LIMITS, "its programs have a static cudart"
        diagnosis.add(Finding(RUNTIME, level, text, short), file)
    else:
        text = "it asks the driver for private tables (cuGetExportTable), which fakecuda does not have"
        diagnosis.add(Finding(RUNTIME, Level.LIMITS, text, "what asks for private tables fails"), file)
    return RUNTIME_ALONE in tables


def _opened(elf: Elf, file: str, diagnosis: Diagnosis, named: set[str]) -> None:
    """Add the libraries that a file's texts name for opening."""
    names = _texts(elf, LIBRARY, *LIBRARIES_BEGIN) - set(elf.needed)
    for path in sorted(names):
        base = path.rpartition("/")[2]
        if base.startswith(ABOVE):
            diagnosis.add(above("opens", base), file)
        if not DRIVER_NAMES.fullmatch(base) and not NAMES.fullmatch(base) and not HIP_NAMES.fullmatch(base):
            continue
        if path.startswith("/"):
            text = f"has the path {path}: C code that opens it by dlopen gets that file, not fakecuda's library"
            diagnosis.note(LIBRARIES, text, file)
            continue
        if NAMES.fullmatch(base) and any(name.startswith("cuda") and calls.is_call(name) for name in named):
            text = f"opens {base}: call fakecuda.load_cudart() or machine.link() before that"
            diagnosis.add(
                Finding(LIBRARIES, Level.NEEDS, text, "needs fakecuda.load_cudart() before it opens libcudart"), file
            )
            diagnosis.ways["libcudart"] = None
            continue
        diagnosis.note(LIBRARIES, f"opens {base}: {ways_of(base)}", file)
        if any(map(calls.is_call, named)) and not NAMES.fullmatch(base):
            diagnosis.ways[way_of(base)] = None
    folders = sorted(_texts(elf, re.compile("|".join(FOLDERS)), *map(str.encode, FOLDERS))) if names else []
    if folders:
        diagnosis.note(
            LIBRARIES,
            f"reads {', '.join(folders)}: C code that opens a path below that folder does not get fakecuda's library",
            file,
        )


def _kernels(elf: Elf, file: str, diagnosis: Diagnosis, names: set[str] | frozenset[str]) -> None:
    """Add the kernels that a file contains and launches."""
    for section, at, size in elf.sections:
        if section in FATBINS:
            count, images, wrong = kernels.of_fatbins(elf.data, at, size)
            if count:
                diagnosis.note(KERNELS, f"fatbins carry {kernels.text_of(images)}", file)
            for text in wrong:
                diagnosis.note(KERNELS, f"in {section}, {text}", file)
        elif section == ".hip_fatbin":
            diagnosis.note(KERNELS, "carries kernels for AMD's cards", file)
    texts = sorted(
        {kernels.of_text(match) for text in elf.texts_with(b".version") if (match := kernels.TEXT.search(text))}
    )
    if texts:
        diagnosis.note(KERNELS, f"contains PTX as text: {', '.join(texts)}", file)
    launches(names, file, diagnosis)


def launches(names: set[str] | frozenset[str], file: str, diagnosis: Diagnosis) -> None:
    """Add that a file launches kernels, if it uses a launch call."""
    if any(map(calls.is_launch, names)):
        text = "launches are checked, but device code does not run: give each kernel a Python function with @fakecuda.kernel"
        diagnosis.add(
            Finding(KERNELS, Level.NEEDS, text, "needs @fakecuda.kernel for each kernel that it launches"), file
        )
