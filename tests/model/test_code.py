"""Code that was loaded: where variables lie, what is told of functions, and arguments of launches."""

from __future__ import annotations

import ctypes
import mmap
from struct import pack
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import fakecuda
from conformance.kit.kernels import HEAD, PTX
from fakecuda.model.code.code import BAD_PTX
from fakecuda.model.code.image import image_at, parsed
from fakecuda.model.code.kernels import kernel
from fakecuda.model.memory.space import Unreadable
from fakecuda.model.os.system import System
from fakecuda.rules.driver.execution.resources import blocks_held
from fakecuda.rules.driver.module.image import read
from fakecuda.rules.driver.module.module_load import LEVEL
from fakecuda.spec.codes import Result
from tests.model.test_image import NEWEST, why
from tests.model.test_kernels import SIZE, Launcher, meanings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.code.kernel_arrays import Array


pytestmark = pytest.mark.usefixtures(meanings.__name__)


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    """Return a process of a lax machine."""
    with fakecuda.Machine("h200", strict=False) as machine:
        yield Launcher(machine)


def test_a_module_whose_variables_have_no_room_leaves_none(launcher: Launcher) -> None:
    """The first one is given back when the second one has no room."""
    text = HEAD + ".visible .global .u32 one;\n.visible .global .attribute(.managed) .b8 huge[400000000000000];\n"
    was = launcher.c.cuMemGetInfo()
    assert launcher.c.cuModuleLoadData(text.encode()) == (Result.OUT_OF_MEMORY, None)
    assert launcher.c.cuMemGetInfo() == was


def test_functions_and_variables_are_named_in_reports(launcher: Launcher) -> None:
    """A function by its kernel and its module, with the history of that; a variable by its place."""
    function = launcher.code()
    assert repr(function) == f"function change of module {function.module.handle:#x} of {function.module.context}"
    assert function.history() == function.module.history() != []
    module = launcher.ok(launcher.c.cuModuleLoadData(PTX))
    where = launcher.c.cuModuleGetGlobal(module, b"table")[1]
    assert repr(launcher.process.memory.at(where)) == f"variable {where:#x}+0x100 on device 0"


def test_a_text_ends_where_it_does() -> None:
    """It is read page by page; what lies behind the memory there is named."""
    room = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    text = b"x" * (mmap.PAGESIZE + 7)
    room[: len(text)] = text
    assert image_at(start) == text
    with pytest.raises(Unreadable, match="cannot read all of the 4 bytes at 0x10") as unreadable:
        image_at(0x10)
    assert unreadable.value.facts == {"pointer": 0x10, "size": 4}


def test_bodies_of_ptx() -> None:
    """One that does not end, or has another's body in it, is not PTX; a variable in a body has its own memory."""
    assert why((HEAD + "} .visible .entry outer() { ").encode()) == BAD_PTX
    assert why((HEAD + ".visible .entry outer() { .func no() { ret; } ret; }").encode()) == BAD_PTX
    inner = ".visible .entry outer() { .global .align 4 .u32 own; .shared .u32 word; ret; }"
    (outer,) = parsed((HEAD + inner).encode(), 90, NEWEST).entries.values()
    assert (outer.name, outer.shared) == ("outer", 4)


def test_kernels_that_launch_graphs() -> None:
    """By themselves, or by functions that call each other; a function of that name that the code has for its own launches none."""
    code = HEAD + ".extern .func (.param .b32 c) cudaGraphLaunch (.param .b64 g, .param .b64 s);\n"
    code += ".func first() { .reg .b32 c; .reg .b64 g, s; call.uni (c), cudaGraphLaunch, (g, s); ret; }\n.func second() { call.uni first; ret; }\n"
    code += ".func other() { ret; }\n"
    for name in ("first", "second", "other"):
        code += f".visible .entry by_{name}() {{ call.uni {name}; ret; }}\n"
    found = parsed(code.encode(), 90, NEWEST).entries
    assert [name for name, entry in found.items() if entry.launches] == ["by_first", "by_second"]
    own = code.replace(
        ".extern .func (.param .b32 c) cudaGraphLaunch (.param .b64 g, .param .b64 s);",
        ".func (.param .b32 c) cudaGraphLaunch (.param .b64 g, .param .b64 s) { ret; }",
    )
    assert not any(entry.launches for entry in parsed(own.encode(), 90, NEWEST).entries.values())


def test_registered_memory_is_written_unless_it_is_to_be_read(launcher: Launcher) -> None:
    """Flag 8 is CU_MEMHOSTREGISTER_READ_ONLY."""
    kernel("change", "u32*", "i32")(lambda _grid, _block, place, value: place.__setitem__(0, value))
    room = mmap.mmap(-1, SIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    launcher.ok(launcher.c.cuMemHostRegister(start, SIZE, 0))
    assert launcher.launch(start) == launcher.c.cuCtxSynchronize()[0] == 0
    launcher.ok(launcher.c.cuMemHostUnregister(start))
    launcher.ok(launcher.c.cuMemHostRegister(start, SIZE, 8))
    launcher.launch(start)
    assert launcher.c.cuCtxSynchronize()[0] != 0


def test_a_kernel_of_no_registers_is_held_by_its_threads(launcher: Launcher) -> None:
    """Nothing else limits it."""
    function = launcher.code()
    entry = attrs.evolve(function.entry, registers=0)
    assert blocks_held(entry, function.module.context.device, lambda _: None, 1024, 0) == 2


class Elsewhere(System):
    """The system of a process whose host memory is elsewhere.

    Args:
        content: What stands at each address.
    """

    def __init__(self, content: dict[int, bytes]) -> None:
        super().__init__()
        self.content = content

    def load(self, *places: tuple[int, int]) -> tuple[bytes, ...]:
        """Return bytes at addresses of the other memory."""
        return tuple([self.content[start][:size] for start, size in places])


def test_arguments_of_another_os_process_are_read_by_its_system(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They lie in its memory, as do the pointers to them; nothing is at these addresses here."""
    seen: list[int] = []

    @kernel("change", "u32*", "i32")
    def change(_grid: object, _block: object, place: Array, value: int) -> None:
        seen.append(value)
        place[0] = value

    content = {16: pack("<2Q", 32, 48), 32: pack("<Q", launcher.memory), 48: pack("<I", 7)}
    monkeypatch.setattr(launcher.process, "system", Elsewhere(content))
    assert launcher.c.cuLaunchKernel(launcher.function, *[1] * 6, 0, 0, 16, 0) == (0,)
    monkeypatch.undo()
    assert (seen, launcher.read()) == ([7], pack("<I", 7))


@pytest.mark.parametrize(("data", "code"), [(PTX, Result.INVALID_PTX), (b"nothing", Result.INVALID_IMAGE)])
def test_an_image_with_refused_options_is_read_once(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, data: bytes, code: Result
) -> None:
    """Whether or not the device can load it."""
    counted: list[int] = []

    def counting(*args: Any) -> Any:
        counted.append(1)
        return read(*args)

    monkeypatch.setattr("fakecuda.rules.driver.module.module_load.read", counting)
    answer, *_ = launcher.c.cuModuleLoadDataEx(data, 1, (LEVEL,), (-1,))
    assert (answer, len(counted)) == (code, 1)
