"""The shared objects that fakecuda writes, in the place of the libraries of a driver's installation."""

from __future__ import annotations

import platform
from functools import cache
from typing import TYPE_CHECKING

from attrs import field, frozen

from fakecuda.api import nvml
from fakecuda.api.symbols import symbols
from fakecuda.codes import Nvml, Result
from fakecuda.errors import FakeCudaError
from fakecuda.native import elf, stubs

if TYPE_CHECKING:
    from collections.abc import Mapping

THREAD_END = "fakecuda_thread_end"
"""A stub of our own: the C library calls it when a thread ends."""


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
    """

    soname: str
    symbols: tuple[str, ...]
    closed: int
    addresses: frozenset[str] = frozenset()
    routines: Mapping[str, Mapping[str, bytes]] = field(factory=dict, hash=False)
    aliases: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    def files(self) -> dict[str, bytes]:
        """Return the contents of the files that it needs, by the names by which the dynamic loader knows these; its own first.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        aliases = {name: elf.alias(name, self.soname, versions=self.versions) for name in self.aliases}
        return {self.soname: self.content(), **aliases}

    def content(self) -> bytes:
        """Return it as the content of a file.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        return _written(self, platform.machine())


@cache
def _written(kind: SharedObject, processor: str) -> bytes:
    """Write a library, once: this process loads it, and programs that it starts find it in a file."""
    try:
        return elf.shared_object(
            kind.symbols,
            soname=kind.soname,
            default=kind.closed,
            addresses=kind.addresses,
            routines=kind.routines,
            machine=processor,
        )
    except ValueError as error:
        msg = f"{error}: use door='lookalike' (pytest --fakecuda-door=lookalike)"
        raise FakeCudaError(msg) from None


@cache
def driver() -> SharedObject:
    """Return the driver library."""
    names = (*(symbol.name for symbol in symbols()), THREAD_END)
    return SharedObject("libcuda.so.1", names, int(Result.NOT_INITIALIZED))


@cache
def management() -> SharedObject:
    """Return NVML."""
    return SharedObject("libnvidia-ml.so.1", nvml.NAMES, int(Nvml.UNINITIALIZED), frozenset({"nvmlErrorString"}))


def every() -> tuple[SharedObject, ...]:
    """Return those of a driver's installation."""
    return driver(), management()


@cache
def hip() -> SharedObject:
    """Return HIP, by the names of the libraries of HIP 6 and 7 too."""
    from fakecuda.api.hip import DESCRIPTION  # noqa: PLC0415 - few machines have HIP

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
