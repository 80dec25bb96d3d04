"""The real driver of this system, and the stub library that wraps it."""

from __future__ import annotations

import mmap
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.doctor import elf as reader
from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import elf, objects
from fakecuda.reach.shadow.build import PROCESSOR, SHADOW
from fakecuda.reach.shadow.tables import OTHERS, PREFIX, known

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTED = re.compile(rf"{re.escape(objects.DRIVER_FILE)} \(.*x86-64.*\) => (.+)")
"""Matches a line of ``ldconfig -p``."""


class NoDriverError(FakeCudaError):
    """An exception: no driver is found. The text says where fakecuda searched."""


def driver() -> Path:
    """Return the path of the driver library that the dynamic loader finds.

    Raises:
        NoDriverError: No driver is found, or this system has another processor.
    """
    if platform.machine() != PROCESSOR:
        msg = f"programs are recorded on {PROCESSOR} only, and this is {platform.machine()}"
        raise NoDriverError(msg)
    for path in _candidates():
        if path.exists():
            return path.resolve()
    msg = f"neither LD_LIBRARY_PATH nor ldconfig -p names a {objects.DRIVER_FILE}: install NVIDIA's driver, or set LD_LIBRARY_PATH"
    raise NoDriverError(msg)


def _candidates() -> Iterator[Path]:
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if folder:
            yield Path(folder) / objects.DRIVER_FILE
    command = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if command is not None:
        listed = subprocess.run([command, "-p"], capture_output=True, text=True, check=False).stdout  # noqa: S603 - the system's
        yield from (Path(found) for found in LISTED.findall(listed))


def functions_of(library: Path) -> tuple[str, ...]:
    """Return the driver functions that a library exports, in alphabetical order.

    Raises:
        NoDriverError: The file is no ELF file of 64 bits.
    """
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return tuple(sorted(name for name in reader.functions(data) if name.startswith("cu")))
    except (reader.DamagedError, ValueError) as error:
        msg = f"{library} is not a library of this system: {error}"
        raise NoDriverError(msg) from error


def stand_before(library: Path, folder: Path) -> None:
    """Write the stub library of a driver into a folder for LD_LIBRARY_PATH.

    The stub exports the functions of the driver API that the driver exports.

    Args:
        library: The driver library.
        folder: An empty folder.

    Raises:
        NoDriverError: The file cannot be read, or exports too many functions that are not known.
        FakeCudaError: The library in C cannot be built.
    """
    exported = functions_of(library)
    here = {one.name for one in known()}
    others = [name for name in exported if name not in here]
    if len(others) > OTHERS:
        msg = f"{library} exports {len(others)} functions that fakecuda does not know, and {OTHERS} are the limit"
        raise NoDriverError(msg)
    symbols = [*(name for name in exported if name in here), *others]
    slots = [*(PREFIX + name for name in symbols if name in here), *(f"{PREFIX}other_{n}" for n in range(len(others)))]
    stub = elf.shared_object(symbols, soname=objects.DRIVER_FILE, addresses=symbols, client=(SHADOW.file, slots))
    (folder / objects.DRIVER_FILE).write_bytes(stub)
    (folder / "libcuda.so").symlink_to(objects.DRIVER_FILE)
    (folder / SHADOW.file).symlink_to(SHADOW.library())
    (folder / "driver").symlink_to(library)
    (folder / "others").write_text("".join(f"{name}\n" for name in others), encoding="ascii")
