"""A C program without Python, which speaks to the owner of the machine over its socket."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests import warm
from tests.limits import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakecuda import Machine
    from fakecuda.reach.process import Process

    from .conftest import Program

DRIVER = "libcuda.so"
SIZE = 100000
ALLOCATED = 32 << 20
MINE, ITS = (bytes(place % modulus for place in range(SIZE)) for modulus in (251, 241))


def exported(exporter: Process) -> tuple[int, bytes]:
    """Return memory of the exporter's, and its handle."""
    code, pointer = exporter.c.cuMemAlloc(ALLOCATED)
    assert code == 0
    assert exporter.c.cuMemcpyHtoD(pointer, MINE, SIZE)[0] == 0
    code, handle = exporter.c.cuIpcGetMemHandle(pointer)
    assert code == 0
    return pointer, handle


def used(machine: Machine) -> int:
    """Return how many bytes of device 0 are in use."""
    with machine.lock:  # whoever takes it finds the dead gone
        return int(machine.devices[0].memory.used)


def test_it_opens_what_python_exports(
    exporter: Process, compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """Bytes go both ways, by memory that both processes map; the exporter finds what the program has written."""
    pointer, handle = exported(exporter)
    program = start(compile_program("importer", DRIVER))
    program.say(handle.hex())
    assert program.line() == "open"
    found = bytearray(SIZE)
    assert exporter.c.cuMemcpyDtoH(found, pointer, SIZE)[0] == 0
    assert found == ITS
    program.say("go on")
    assert program.end() == "closed\n"


def test_it_is_killed_half_way(
    machine: Machine, exporter: Process, compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """What it has mapped and allocated is given up, and what the exporter has freed meanwhile is free then."""
    before = used(machine)
    pointer, handle = exported(exporter)
    program = start(compile_program("importer", DRIVER))
    program.say(handle.hex())
    assert program.line() == "open"
    assert exporter.c.cuMemFree(pointer)[0] == 0
    assert used(machine) > before + ALLOCATED + (64 << 20)
    program.kill()
    assert used(machine) == before
    assert [one.name for one in machine.processes.values() if one.alive] == [exporter.name]


def test_its_end_is_the_process_s(
    machine: Machine, exporter: Process, compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """A program that returns from main is told apart from one that dies: its driver is torn down before its connection ends."""
    _, handle = exported(exporter)
    program = start(compile_program("importer", DRIVER))
    program.say(handle.hex())
    assert program.line() == "open"
    (attached,) = [one for one in machine.processes.values() if one is not exporter]
    program.say("go on")
    program.end()
    assert until(lambda: not attached.alive)
    assert str(program.process.pid) in attached.command


def test_how_it_loads_code_is_its_own(
    machine: Machine,
    exporter: Process,
    compile_program: Callable[..., Path],
    start: Callable[..., Program],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As its CUDA_MODULE_LOADING says."""
    _, handle = exported(exporter)
    monkeypatch.setenv("CUDA_MODULE_LOADING", "EAGER")
    program = start(compile_program("importer", DRIVER))
    program.say(handle.hex())
    assert program.line() == "open"
    (attached,) = [one for one in machine.processes.values() if one is not exporter]
    assert attached.c.cuModuleGetLoadingMode() == (0, 1)
    assert exporter.c.cuModuleGetLoadingMode() == (0, 2)
    program.say("go on")
    program.end()


def test_calls_of_each_kind(compile_program: Callable[..., Path], start: Callable[..., Program]) -> None:
    """The program checks what each answers; a function that is not modelled is told once, in the field's words."""
    program = start(compile_program("calls", DRIVER))
    out, said = program.process.communicate()
    assert (program.process.returncode, out) == (0, b"2 NVIDIA H200 CUDA_ERROR_INVALID_CONTEXT\n")
    assert said.decode() == ("fakecuda: cuTexRefCreate is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED\n")


def test_linked_code_is_loaded_from_where_it_lies(
    compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """Images are sent as long as they say that they are: a text, a cubin with its NULs, a fatbin."""
    assert start(compile_program("links", DRIVER)).end() == "linked\n"


@pytest.mark.parametrize(
    ("name", "address", "told"),
    [
        ("unset", "", "FAKECUDA_MACHINE is not set: start the program under python -m fakecuda serve, or from a test"),
        ("gone", "/nowhere/machine#1", "no machine answers at the socket in FAKECUDA_MACHINE"),
    ],
)
def test_no_machine_is_told(
    compile_program: Callable[..., Path], start: Callable[..., Program], name: str, address: str, told: str
) -> None:
    """Once, in standard error; calls answer as where no driver finds a device."""
    program = start(compile_program("nothing", DRIVER), FAKECUDA_MACHINE=address)
    out, said = program.process.communicate()
    assert (name, program.process.returncode, out) == (name, 0, b"")
    assert said.decode().count("fakecuda: ") == 1
    assert said.decode().startswith(f"fakecuda: {told}")


def test_the_owner_ends_while_it_runs(
    machine: Machine, compile_program: Callable[..., Path], start: Callable[..., Program]
) -> None:
    """The program is told, and goes on without a driver; it ends as ever."""
    program = start(compile_program("outlives", DRIVER))
    assert program.line() == "ready"
    machine.close()
    program.say("go on")
    out, said = program.process.communicate()
    assert (program.process.returncode, out) == (0, b"3\n")
    assert said == b"fakecuda: the machine that this process was attached to has ended\n"


OWN = """
import _ctypes, ctypes, os
from fakecuda import Machine
with Machine("h200") as machine, machine.shared(export=False) as offer:
    libraries = machine.link()
    ctypes.CDLL(None).setenv(b"FAKECUDA_MACHINE", offer.address.encode(), 1)
    library = _ctypes.dlopen(str(libraries / "libcuda.so.1"), os.RTLD_NOW)
    init = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_uint)(_ctypes.dlsym(library, "cuInit"))
    print(init(0), list(machine.processes))
"""


def test_a_process_does_not_attach_to_its_own_machine(tmp_path: Path) -> None:
    """Its C code may hold Python's lock, which the machine's threads need to answer: the call says so at once."""
    script = tmp_path / "script.py"
    script.write_text(OWN)
    done = warm.run([sys.executable, str(script)])
    assert (done.returncode, done.stdout) == (0, "100 []\n")
    assert done.stderr.startswith("fakecuda: this process has made the machine, and its C code reaches only a machine ")
