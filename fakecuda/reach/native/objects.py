"""The shared objects that replace a driver installation's libraries.

fakecuda writes them.
"""

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
"""fakecuda's own stub, which the C library calls at the end of a thread."""
CLIENT = "libfakecuda-client.so"
"""The client that serves stubs in programs without Python."""
DRIVER_FILE = "libcuda.so.1"
RUNTIMES = tuple(reversed(cudart.VERSIONS))
"""Major versions of the runtime library, newest first."""
MANAGEMENT_FILE = "libnvidia-ml.so.1"
PREFIXES = {
    DRIVER_FILE: "fakecuda_c_",
    MANAGEMENT_FILE: "fakecuda_c_",
    **{cudart.soname(major): f"fakecuda_c{major}_" for major in cudart.VERSIONS},
}
"""Prefixes of the client's functions, by the library of their symbols."""


@frozen
class SharedObject:
    """A library that fakecuda writes.

    Attributes:
        soname: Its name for programs and for the dynamic loader.
        symbols: The exported functions.
        closed: Their answer while no machine is attached.
        addresses: The functions that return an address.
        routines: Functions without slots, by name and processor.
        aliases: Other names of the library.
        versions: Versions of symbols that programs may require of these names.
        version: The version of its own symbols; empty for no version.
    """

    soname: str
    symbols: tuple[str, ...]
    closed: int
    addresses: frozenset[str] = frozenset()
    routines: Mapping[str, Mapping[str, bytes]] = field(factory=dict, hash=False)
    aliases: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    version: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the library's files, main file first."""
        return self.soname, *self.aliases

    @property
    def short_name(self) -> str:
        """The name without a version, which linkers and some programs search for."""
        return f"{self.soname.partition('.so')[0]}.so"

    def files(self, *, linked: bool = False) -> dict[str, bytes]:
        """Return the contents of the library's files, by name, its own file first.

        Args:
            linked: Whether the C client serves the stubs until Python serves them, if the client supports the library.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        aliases = {name: elf.alias(name, self.soname, versions=self.versions) for name in self.aliases}
        return {self.soname: self.content(linked=linked), **aliases}

    def content(self, *, linked: bool = False) -> bytes:
        """Return the library as the content of a file.

        Args:
            linked: As for :meth:`files`.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        return _written(self, platform.machine(), PREFIXES.get(self.soname, "") if linked else "")


@cache
def _written(kind: SharedObject, processor: str, prefix: str) -> bytes:
    """Return the content of a library.

    It is made once for this process and for its programs.

    Args:
        kind: The library.
        processor: The processor.
        prefix: The prefix of the client's functions; empty for a library without a client.
    """
    try:
        return elf.shared_object(
            kind.symbols,
            soname=kind.soname,
            default=kind.closed,
            addresses=kind.addresses,
            routines=kind.routines,
            version=kind.version,
            client=(CLIENT, [prefix + symbol for symbol in kind.symbols]) if prefix else None,
            machine=processor,
        )
    except ValueError as error:
        msg = f"{error}, or use door='lookalike' (pytest --fakecuda-door=lookalike)"
        raise FakeCudaError(msg) from None


@cache
def driver() -> SharedObject:
    """Return the driver library."""
    names = (*(symbol.name for symbol in symbols()), THREAD_END)
    return SharedObject(DRIVER_FILE, names, int(Result.NOT_INITIALIZED))


@cache
def management() -> SharedObject:
    """Return NVML's library."""
    return SharedObject(MANAGEMENT_FILE, nvml.NAMES, int(Nvml.UNINITIALIZED), frozenset({"nvmlErrorString"}))


def every() -> tuple[SharedObject, ...]:
    """Return the libraries of a driver installation."""
    return driver(), management()


@cache
def runtime(major: int) -> SharedObject:
    """Return the runtime library of a major version.

    It is for programs that are linked to it.
    """
    name = cudart.soname(major)
    texts = {one.name for one in cudart.exported(major) if one.call in {"cudaGetErrorName", "cudaGetErrorString"}}
    return SharedObject(
        name,
        tuple(one.name for one in cudart.exported(major)),
        int(Result.NOT_INITIALIZED),
        frozenset({*texts, cudart.FAT_BINARY}),
        {
            **dict.fromkeys(cudart.WITHOUT_EFFECT, stubs.NOTHING),
            cudart.CHANNEL_DESC: stubs.CHANNEL_DESC,
        },
        version=name,
    )


@cache
def hip() -> SharedObject:
    """Return HIP's library, also under the names of HIP 6 and 7."""
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
