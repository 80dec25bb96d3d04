"""Rules of calls that load code from a file: the file is readable."""

from __future__ import annotations

import os
from stat import S_ISREG
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

MOST = 1 << 20
"""The maximum number of bytes that are read from a pipe or a device."""
FILE_IS_NAMED = Rule(
    "the file name is neither null nor empty",
    Result.INVALID_VALUE,
    observed("cuModuleLoad", "the driver answers INVALID_VALUE to null and an empty name"),
    fix="pass the name of a file",
)
FILE_IS_THERE = Rule(
    "the file exists and can be read",
    Result.FILE_NOT_FOUND,
    manual("cuModuleLoad", "CUDA_ERROR_FILE_NOT_FOUND"),
    fix="pass the path of a file that the process can read",
)
FILE_IS_NO_FOLDER = Rule(
    "the file name does not name a folder",
    Result.OUT_OF_MEMORY,
    observed("cuModuleLoad", "the driver answers OUT_OF_MEMORY to the name of a folder"),
    fix="pass the name of a file in the folder",
)


@guard
def named_file(name: bytes | None) -> bytes:
    """Return a file name, which must not be null."""
    if name is None:
        raise FILE_IS_NAMED.broken(name=name)
    return name


@guard
def content_of(call: Call, name: bytes) -> bytes:
    """Return the content of a file.

    Raises:
        FakeCudaError: The caller is another OS process, whose files this one may not see.
    """
    if not name:
        raise FILE_IS_NAMED.broken(name=name)
    try:
        with open(call.process.system.path(name), "rb", opener=_at_once) as file:
            content = file.read() if S_ISREG(os.fstat(file.fileno()).st_mode) else _endless(name, file.read(MOST + 1))
    except IsADirectoryError:
        raise FILE_IS_NO_FOLDER.broken(name=name) from None
    except (OSError, ValueError):
        raise FILE_IS_THERE.broken(name=name) from None
    return content


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for a writer, and return its descriptor."""
    return os.open(path, flags | os.O_NONBLOCK)


def _endless(name: bytes, content: bytes | None) -> bytes:
    """Return what a device or a pipe returns at once.

    Raises:
        FakeCudaError: It gives more than code has.
    """
    if content is not None and len(content) > MOST:
        msg = (
            f"{os.fsdecode(name)!r} is a device or a pipe, and gives more than {MOST} bytes: pass the path of a "
            "regular file"
        )
        raise FakeCudaError(msg)
    return content or b""
