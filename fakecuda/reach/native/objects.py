"""The shared objects that fakecuda writes, in the place of the libraries of a driver's installation."""

from __future__ import annotations

import platform
from functools import cache
from typing import TYPE_CHECKING

from attrs import field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import elf, stubs
from fakecuda.spec import cudart, nvml
from fakecuda.spec.codes import Nvml, Result
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Mapping

THREAD_END = "fakecuda_thread_end"
"""A stub of our own: the C library calls it when a thread ends."""
CLIENT = "libfakecuda-client.so"
"""What serves the stubs in programs without Python; it is built by a compiler: :mod:`fakecuda.reach.remote.linked`."""
DRIVER_FILE = "libcuda.so.1"
RUNTIMES = tuple(reversed(cudart.VERSIONS))
"""The major versions of the runtime library, the newest first."""
MANAGEMENT_FILE = "libnvidia-ml.so.1"
PREFIXES = {
    DRIVER_FILE: "fakecuda_c_",
    MANAGEMENT_FILE: "fakecuda_c_",
    **{cudart.soname(major): f"fakecuda_c{major}_" for major in cudart.VERSIONS},
}
"""What the names of the client's functions begin with, by the library whose symbols they are."""


@frozen
class SharedObject:
    """A library that is written.

    Attributes:
        soname: The name by which programs and the dynamic loader know it.
        symbols: The functions that it exports.
        closed: What they answer while they lead nowhere.
        addresses: Those of them that return an address.
        routines: Functions that need nobody, by name and processor.
        aliases: Other names by which it is found.
        versions: The versions of its symbols that programs ask of libraries of these names.
        version: The version of its own symbols; by default they have none.
    """

    soname: str
    symbols: tuple[str, ...]
    closed: int
    addresses: frozenset[str] = frozenset()
    routines: Mapping[str, Mapping[str, bytes]] = field(factory=dict, hash=False)
    aliases: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    version: str = ""

    def files(self, *, linked: bool = False) -> dict[str, bytes]:
        """Return the contents of the files that it needs, by the names by which the dynamic loader knows these; its own first.

        Args:
            linked: Whether the client serves its stubs until a Python does, if there is one for it.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        aliases = {name: elf.alias(name, self.soname, versions=self.versions) for name in self.aliases}
        return {self.soname: self.content(linked=linked), **aliases}

    def content(self, *, linked: bool = False) -> bytes:
        """Return it as the content of a file.

        Args:
            linked: As for :meth:`files`.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        return _written(self, platform.machine(), PREFIXES.get(self.soname, "") if linked else "")


@cache
def _written(kind: SharedObject, processor: str, prefix: str) -> bytes:
    """Write a library, once: this process loads it, and programs that it starts find it in a file.

    Args:
        kind: Which.
        processor: For which processor.
        prefix: Of the names of the client's functions that serve it; empty for a library without them.
    """
    try:
        return elf.shared_object(
            kind.symbols,
            soname=kind.soname,
            default=kind.closed,
            addresses=kind.addresses,
            routines=kind.routines,
            version=kind.version,
            client=(CLIENT, prefix) if prefix else None,
            machine=processor,
        )
    except ValueError as error:
        msg = f"{error}: use door='lookalike' (pytest --fakecuda-door=lookalike)"
        raise FakeCudaError(msg) from None


@cache
def driver() -> SharedObject:
    """Return the driver library."""
    names = (*(symbol.name for symbol in symbols()), THREAD_END)
    return SharedObject(DRIVER_FILE, names, int(Result.NOT_INITIALIZED))


@cache
def management() -> SharedObject:
    """Return NVML."""
    return SharedObject(MANAGEMENT_FILE, nvml.NAMES, int(Nvml.UNINITIALIZED), frozenset({"nvmlErrorString"}))


def every() -> tuple[SharedObject, ...]:
    """Return those of a driver's installation."""
    return driver(), management()


@cache
def runtime(major: int) -> SharedObject:
    """Return the runtime library of a major version, for programs that are linked to it."""
    name = cudart.soname(major)
    texts = frozenset(
        one.name for one in cudart.exported(major) if one.call in {"cudaGetErrorName", "cudaGetErrorString"}
    )
    return SharedObject(
        name,
        tuple(one.name for one in cudart.exported(major)),
        int(Result.NOT_INITIALIZED),
        texts,
        {
            **dict.fromkeys(cudart.REGISTRATION, stubs.NOTHING),
            cudart.FAT_BINARY: stubs.OWN_ADDRESS,
            cudart.CHANNEL_DESC: stubs.CHANNEL_DESC,
        },
        version=name,
    )


@cache
def hip() -> SharedObject:
    """Return HIP, by the names of the libraries of HIP 6 and 7 too."""
    from fakecuda.spec.hip import DESCRIPTION  # noqa: PLC0415 - few machines have HIP

    library = DESCRIPTION.library
    return SharedObject(
        "libamdhip64.so",
        (*library.symbols, THREAD_END),
        int(Result.NO_DEVICE),
        frozenset(library.texts),
        {"hipCreateChannelDesc": stubs.CHANNEL_DESC},
        library.sonames,
        library.versions,
    )
