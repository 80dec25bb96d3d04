"""The doctor: examines a subject file by file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.doctor import binary, elf, kernels, source
from fakecuda.doctor.findings import FILES, KERNELS, Diagnosis, Fixture
from fakecuda.doctor.subject import NoSubjectError, find
from fakecuda.model.code.cubin import MAGIC, arch_of
from fakecuda.reach.install.clients import CLIENTS

if TYPE_CHECKING:
    import mmap

    from fakecuda.doctor.subject import Item

SKETCH = 4096
"""The number of bytes in which PTX must begin."""


def examine(what: str) -> Diagnosis:
    """Return the doctor's findings in a package, a folder or a file.

    Args:
        what: As for :func:`fakecuda.doctor.subject.find`.

    Raises:
        NoSubjectError: There is no such thing, or a single file is of no known kind or damaged.
    """
    with find(what) as subject:
        diagnosis = Diagnosis(subject.title)
        for item in subject.items:
            with item.opened() as data:
                wrong = _examine(data or b"", item, diagnosis, alone=subject.single)
            if wrong and subject.single:
                msg = f"{what}: {wrong}"
                raise NoSubjectError(msg)
            if wrong and data is not None:
                diagnosis.note(FILES, wrong, item.name)
        _clients(diagnosis, [item.name for item in subject.items])
    if not diagnosis.kinds:
        diagnosis.note(FILES, "it contains no library, program, Python file, PTX, cubin or fatbin", "")
    return diagnosis


def _examine(data: mmap.mmap | bytes, item: Item, diagnosis: Diagnosis, *, alone: bool) -> str:
    """Add a file's findings; return why it is not examined, or an empty text."""
    head = data[:4]
    if head == MAGIC:
        try:
            read = elf.read(data)
        except elf.DamagedError as error:
            return str(error)
        if read.of_a_device:
            diagnosis.count("image")
            diagnosis.note(KERNELS, f"is a cubin for sm_{arch_of(data[:64])}", item.name)
        else:
            binary.examine(read, item.name, diagnosis)
        return ""
    if item.name.endswith(".py"):
        source.examine(data, item.name, diagnosis)
        return ""
    if head == kernels.START[:4]:
        count, images, wrong = kernels.of_fatbins(data, 0, len(data))
        diagnosis.count("image")
        if wrong or not count:
            return "; ".join(wrong) or "it is a fatbin of an unknown version"
        diagnosis.note(KERNELS, f"is a fatbin with {kernels.text_of(images)}", item.name)
        return ""
    ptx = kernels.TEXT.search(data[:SKETCH])
    if ptx and (item.name.endswith(".ptx") or ptx.start() == 0):
        diagnosis.count("image")
        diagnosis.note(KERNELS, f"is PTX {kernels.of_text(ptx)}", item.name)
        return ""
    known = alone or item.name.endswith((".ptx", ".cubin", ".fatbin", ".so"))
    return "it is not an ELF file, a Python file (.py), PTX, a cubin or a fatbin" if known else ""


def _clients(diagnosis: Diagnosis, names: list[str]) -> None:
    """Add that a package is a client whose state fakecuda resets."""
    for client in CLIENTS:
        path = client.module.replace(".", "/")
        if any(f"/{path}." in f"/{name}" for name in names):
            text = f"fakecuda knows {client.name}: it renews what {client.name} keeps between machines, so the fixture fakecuda suits"
            diagnosis.state(Fixture.RENEWED, text, "")
