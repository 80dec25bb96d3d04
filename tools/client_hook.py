"""The C libraries of the wheel; hatchling runs this module.

It needs a C compiler while the wheel is built, and none where the wheel is used. Without a compiler the wheel is for any
processor, and the first program that needs the client compiles it. An editable installation compiles it, too.

``FAKECUDA_WHEEL_MACHINE=aarch64 CC=aarch64-linux-gnu-gcc`` builds the wheel for another processor.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MACHINE = "FAKECUDA_WHEEL_MACHINE"
"""The environment variable with the processor of the wheel."""
PLACE = "fakecuda/reach/remote/linked/built"
PROCESSOR = slice(18, 20)
"""The offset of the processor in an ELF header."""
PROCESSORS = {"x86_64": 62, "aarch64": 183}
"""The numbers of processors for which there are stubs, by the names of :func:`platform.machine`."""
OLDEST = 17
"""The minor version of the oldest glibc with a tag that pip knows for both processors: manylinux_2_17."""
OPTIONS = ("-s", "-Wl,--build-id=none")
FOR_GLIBC = ("-Wl,--no-as-needed", "-l:libpthread.so.0", "-l:libdl.so.2")
"""Before 2.34 these libraries have functions that the C library has now."""


class ClientHook(BuildHookInterface[Any]):
    """Adds the client to a wheel, and names the platform in its tag."""

    PLUGIN_NAME = "custom"
    folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the client before the files of the wheel are listed.

        Args:
            version: ``editable`` or ``standard``.
            build_data: What hatchling takes from a hook.
        """
        if version == "editable":
            return
        machine = os.environ.get(MACHINE) or platform.machine()
        self.folder = tempfile.TemporaryDirectory()
        try:
            files = built(Path(self.folder.name), machine, self.root)
        except Exception as error:  # noqa: BLE001 - the wheel is of use without a client
            self.app.display_warning(f"fakecuda's wheel has no built C client, and is for any processor: {error}")
            return
        build_data["force_include"] |= {str(path): f"{PLACE}/{name}/{path.name}" for path, name in files}
        build_data["tag"] = f"py3-none-{platform_of(b''.join(path.read_bytes() for path, _ in files), machine)}"
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the built file, which is in the wheel now."""
        del version, build_data, artifact_path
        if self.folder is not None:
            self.folder.cleanup()


def built(folder: Path, machine: str, root: str) -> list[tuple[Path, str]]:
    """Return the paths of the libraries that this builds, and the names of their folders.

    Args:
        folder: An existing folder.
        machine: The processor.
        root: The root of the sources.

    Raises:
        FakeCudaError: There is no C compiler, or it fails.
    """
    sys.path.insert(0, root)  # the sources' own package, whatever is installed
    try:
        from fakecuda.reach.remote.linked import build  # noqa: PLC0415 - as above
        from fakecuda.reach.shadow.build import PROCESSOR as RECORDED  # noqa: PLC0415 - as above
        from fakecuda.reach.shadow.build import SHADOW  # noqa: PLC0415 - as above
    finally:
        sys.path.remove(root)
    files = []
    for sources in (build.CLIENT, *([SHADOW] if machine == RECORDED else [])):
        path = folder / sources.file
        sources.build(path, *OPTIONS, *(FOR_GLIBC if platform.libc_ver()[0] == "glibc" else ()))
        if (found := int.from_bytes(path.read_bytes()[PROCESSOR], "little")) != PROCESSORS.get(machine):
            msg = f"the compiler builds for the ELF processor {found}, not for {machine}: set CC to one for {machine}"
            raise build.NoCompilerError(msg)
        files.append((path, sources.digest(machine)))
    return files


def platform_of(library: bytes, machine: str) -> str:
    """Return the platform of a wheel's tag, by the newest version of glibc that a library needs.

    Args:
        library: The content of the library.
        machine: The processor that it is for.
    """
    minors = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)]
    return f"manylinux_2_{max(OLDEST, *minors)}_{machine}" if minors else f"linux_{machine}"
