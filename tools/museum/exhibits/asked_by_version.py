"""A driver function is requested in another version than its prototype's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda

TOOLKIT = 13010
"""The CUDA release of the program's toolkit; the driver is of 13.0."""
PROTOTYPES = {b"cuInit": 2000, b"cuDeviceGet": 2000, b"cuMemAlloc": 3020, b"cuMemCreate": 10020}
"""Functions of a loader's table, with the release of each prototype's form."""


def table(_: FakeCuda, *, fixed: bool) -> None:
    """A loader looks up the functions of the driver API."""
    for name, since in PROTOTYPES.items():
        address, status = checked(driver.cuGetProcAddress(name, since if fixed else TOOLKIT, 0))
        assert address, f"{name.decode()} is not found: {status.name}"


def search_itself(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: the search function of the driver API."""
    checked(runtime.cudaSetDevice(0))
    version = 12000 if fixed else TOOLKIT
    address, _status = checked(runtime.cudaGetDriverEntryPointByVersion(b"cuGetProcAddress", version, 0))
    assert address


def has_form(name: str, prototype: int, version: int) -> bool:
    """Return whether a search by a version finds the form that a function had in the release of a prototype."""
    of_prototype, found = (checked(driver.cuGetProcAddress(name.encode(), one, 0))[0] for one in (prototype, version))
    return bool(of_prototype == found)


def context_of_a_stream(_: FakeCuda, *, fixed: bool) -> None:
    """The prototype of before CUDA 12.5 lacks the new form's green context argument."""
    context(driver)
    version = 12010 if fixed else checked(driver.cuDriverGetVersion())
    assert has_form("cuStreamGetCtx", 12010, version), "the function has another prototype"


def advice(_: FakeCuda, *, fixed: bool) -> None:
    """The prototype has a device number; since CUDA 12.2 there is a CUmemLocation."""
    context(driver)
    version = 8000 if fixed else TOOLKIT // 1000 * 1000
    assert has_form("cuMemAdvise", 8000, version), "the function has another prototype"


EXHIBITS = [
    Exhibit(
        number=30,
        report="NVIDIA/cccl#6895",
        title="functions are asked for by the toolkit's version",
        happens=(
            "A program that is built with CUDA 13.1 asks for every function by that version. A driver of CUDA 13.0 refuses the version, "
            "though it has the functions."
        ),
        part=Part.REFUSED,
        told=("core.get_proc_address.VERSION_IS_SUPPORTED", "RuntimeError: "),
        programs={"table": table, "search-itself": search_itself},
    ),
    Exhibit(
        number=30,
        report="NVIDIA/TransformerEngine#1835",
        title="a newer driver finds a form with other arguments",
        happens=(
            "A program has the prototype of an older release, and asks by a newer version. The program then calls a "
            "newer version of the function with too few arguments."
        ),
        part=Part.STATE,
        told=("AssertionError: the function has another prototype",),
        programs={"stream": context_of_a_stream, "advice": advice},
    ),
]
