"""How findings tell of calls: arguments by their names, lines of the user's code first."""

from __future__ import annotations

import sysconfig
from types import FunctionType
from typing import TYPE_CHECKING

import pytest

from fakecuda import UndefinedBehaviour
from fakecuda.api import EVERY_OP
from fakecuda.model.call import Call
from fakecuda.model.finding import Finding
from fakecuda.model.telling import called, places
from fakecuda.rules.driver.memory.mem_free import NO_IMPORTER_IS_OPEN

from .world import started

if TYPE_CHECKING:
    from fakecuda import Machine
    from fakecuda.model.history import Stack

PACKAGES = sysconfig.get_path("purelib")
CODE = (lambda: 0).__code__


def stack(*files: str) -> Stack:
    """Return a stack of functions in files, innermost first."""
    codes = [CODE.replace(co_filename=file, co_firstlineno=7, co_qualname="f") for file in files]
    assert all(isinstance(FunctionType(code, {}), FunctionType) for code in codes)
    return tuple(item for code in codes for item in (code, 0))


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("cuMemFree", 0x7000000), "cuMemFree(dptr=0x7000000)"),
        (("cuMemRelease", 7), "cuMemRelease(handle=7)"),
        (
            ("cuPointerGetAttribute", 7, 1 << 40),
            "cuPointerGetAttribute(attribute=CU_POINTER_ATTRIBUTE_BUFFER_ID, ptr=0x10000000000)",
        ),
        (
            ("cuIpcOpenMemHandle", bytes(range(64)), 1),
            "cuIpcOpenMemHandle(handle=0001020304050607…, Flags=1)",
        ),
        (("cuMemCreate", 4096, (1, None), 0), "cuMemCreate(size=4096, prop=(1, null), flags=0)"),
        (("hipFree", 1), "hipFree(ptr=1)"),
        (("cuDeviceGetByPCIBusId", [1]), "cuDeviceGetByPCIBusId(pciBusId=[1])"),
    ],
)
def test_arguments_have_their_names(args: tuple[object, ...], text: str) -> None:
    """Enums theirs, addresses are hexadecimal, handles short."""
    assert called(EVERY_OP[str(args[0])], args[1:]) == text


def test_the_users_line_comes_first() -> None:
    """Then what is beneath it, the nearest first; frameworks and bindings are folded."""
    own = stack(
        f"{PACKAGES}/cuda/bindings/driver.py",
        f"{PACKAGES}/pool/deep.py",
        f"{PACKAGES}/pool/one.py",
        "<attrs generated>",
        f"{PACKAGES}/pool/two.py",
        f"{PACKAGES}/pool/three.py",
        "/home/me/test_it.py",
        f"{PACKAGES}/_pytest/python.py",
        "/home/me/conftest.py",
    )
    names = ["/home/me/test_it.py", *(f"{PACKAGES}/pool/{name}.py" for name in ("three", "two", "one"))]
    assert places(own) == [f"{name}:7 in f" for name in names]
    libraries = stack(*(f"{PACKAGES}/pool/{name}.py" for name in "abcde"))
    assert places(libraries) == [f"{PACKAGES}/pool/{name}.py:7 in f" for name in "abcd"]
    assert places(stack(f"{PACKAGES}/_pytest/python.py")) == places(()) == []


def test_a_finding_tells_its_call(machine: Machine) -> None:
    """With the line that made it."""
    process = started(machine)
    with pytest.raises(UndefinedBehaviour) as raised:
        process.c.cuMemRelease(0xDEAD0)
    _, call, place, *_ = str(raised.value).splitlines()
    assert call == "  call   cuMemRelease(handle=0xdead0)"
    assert place.startswith(f"  at     {__file__}:")
    assert place.endswith(" in test_a_finding_tells_its_call")
    machine.findings.clear()


def test_what_no_call_has_found_has_neither(machine: Machine) -> None:
    """As what a queued copy meets."""
    with pytest.raises(UndefinedBehaviour):
        Call(started(machine).current_thread()).undefined(NO_IMPORTER_IS_OPEN)
    assert (machine.findings[0].call, machine.findings[0].made) == ("", None)
    machine.findings.clear()
    assert "call" not in str(Finding(NO_IMPORTER_IS_OPEN, "cuMemcpy", "a")).split()
