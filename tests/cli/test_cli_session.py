"""A prompt's statements as a whole: taken back, and run on another machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.prompt.console import Prompt

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPED = [
    "a.driver.cuInit(0)",
    "_, context = a.driver.cuCtxCreate(None, 0, 0)",
    "_, p = a.driver.cuMemAlloc(1 << 20)",
]


@pytest.fixture
def prompt() -> Iterator[Prompt]:
    """Return a prompt that can make its machine again."""

    def made(profile: str = "h200-x2") -> Machine:
        return Machine(profile, seed=7)

    prompt = Prompt(made(), made)
    yield prompt
    prompt.machine.close()


def test_undo_takes_back_what_changed_the_machine(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """The last such statement goes; the earlier ones run again, silently, and give the same addresses."""
    prompt.feed(TYPED)
    before = int(prompt.scope["p"])
    prompt.feed(["a.driver.cuMemFree(p)", "for n in (1, 2):", "    q = a.c.cuMemAlloc(n)", "m = 5"])
    capsys.readouterr()
    prompt.feed(["undo(2)"])
    assert capsys.readouterr().out == (
        "undone: for n in (1, 2):\n    q = a.c.cuMemAlloc(n)\nundone: a.driver.cuMemFree(p)\n"
    )
    assert "q" not in prompt.scope
    assert prompt.scope["m"] == 5
    assert int(prompt.scope["p"]) == before
    prompt.feed(["a.c.cuMemFree(int(p))"])
    assert capsys.readouterr().out == "(0,)\n"
    prompt.feed(["undo()", "undo(9)", "undo()"])
    assert capsys.readouterr().out == (
        "undone: a.c.cuMemFree(int(p))\n"
        "undone: _, p = a.driver.cuMemAlloc(1 << 20)\nundone: _, context = a.driver.cuCtxCreate(None, 0, 0)\n"
        "undone: a.driver.cuInit(0)\nnothing to undo: no statement has changed the machine\n"
    )
    assert prompt.machine.processes["a"].contexts == {}


OTHER = (
    "with fakecuda.Machine('h200') as other:\n"
    "    c = other.spawn().c\n"
    "    c.cuInit(0), c.cuCtxCreate(None, 0, 0), c.cuMemAlloc(64), other.clock.advance(1)\n"
)
SKIPPED = [
    "a.driver.cuMemAlloc(0)",  # refused
    "_, q = a.driver.cuMemAlloc(0)",
    "a.driver.cuMemGetInfo()",  # only asks
    "a.driver.cuCtxGetCurrent()",
    "a.driver.cuMemFree(1)",
    "nonsense",  # NameError
    "a.driver.cuMemAlloc()",  # TypeError
    "a.driver.cuMemAlloc('x')",
    "a.driver.nothing",  # AttributeError
    "1 +* 2",  # SyntaxError
    "1/0",
    "p",
    "n = 5",
    "show('memory')",
    "why()",
    "a.c.cuMemRelease(7)",  # undefined behaviour, which the machine refuses
    OTHER,  # another machine
]


@pytest.mark.parametrize("line", SKIPPED)
def test_undo_skips_what_changed_nothing(prompt: Prompt, capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Refused calls, queries and Python errors are no statements that changed the machine."""
    prompt.feed([*TYPED, line])
    capsys.readouterr()
    prompt.feed(["undo()"])
    assert capsys.readouterr().out.splitlines()[0] == f"undone: {TYPED[2]}"
    assert "p" not in prompt.scope


HOST = (
    "import ctypes; host = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None); "
    "a.c.cuLaunchHostFunc(0, ctypes.cast(host, ctypes.c_void_p).value, 0)"
)
CHANGES = [
    "a.driver.cuEventDestroy(a.driver.cuEventCreate(0)[1])",  # made and ended
    "a.driver.cuMemFreeAsync(a.driver.cuMemAllocAsync(64, 0)[1], 0)",
    "a.driver.cuGraphDestroy(a.driver.cuGraphCreate(0)[1])",
    "a.driver.cuMemsetD8(p, 0, 16)",  # the same bytes
    HOST,  # work that leaves no bytes
    "a.driver.cuMemFree(p)",
    "_, s = a.driver.cuStreamCreate(1)",
    "a.driver.cuMemsetD8(p, 1, 16)",  # only bytes change
    "a.driver.cuMemcpyHtoD(p, b'abcd', 4)",
    "for _ in range(2): a.driver.cuMemFree(a.driver.cuMemAlloc(8)[1])",  # the machine is equal afterwards
    "a.driver.cuCtxSetCurrent(0)",
    "a.runtime.cudaMalloc(8)",
    "b.driver.cuInit(0)",
    "b.exit()",
    "machine.spawn('z')",
    "fault = machine.fail('cuMemAlloc')",
    "machine.clock.advance(1)",
    "a.driver.cuMemAlloc(8)[1] + 1/0",  # raises after the call
    "a.thread('w').driver.cuCtxSetCurrent(context)",
]


@pytest.mark.parametrize("line", CHANGES)
def test_undo_knows_each_change(prompt: Prompt, capsys: pytest.CaptureFixture[str], line: str) -> None:
    """A call, a control of the machine, bytes of memory, a statement that raises after its call."""
    prompt.feed([*TYPED, line])
    capsys.readouterr()
    prompt.feed(["undo()"])
    assert capsys.readouterr().out == f"undone: {line}\n"
    assert "p" in prompt.scope
    assert len(prompt.typed) == len(TYPED)
    prompt.machine.end_faults()


def test_plain_python_that_needs_the_undone_goes_too(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """It is printed as gone; what still runs stays, and a name of the prompt has its own value again."""
    prompt.feed([*TYPED, "offset = 8", "inside = int(p) + offset", "a.driver.cuMemFree(inside)", "machine = 5"])
    capsys.readouterr()
    prompt.feed(["undo()"])
    assert capsys.readouterr().out == (
        "undone: _, p = a.driver.cuMemAlloc(1 << 20)\n"
        "gone, too, though it changed nothing: inside = int(p) + offset\n"
        "gone, too, though it changed nothing: a.driver.cuMemFree(inside)\n"
    )
    assert (prompt.scope["offset"], prompt.scope["machine"]) == (8, 5)
    assert [one.source for one in prompt.typed] == [*TYPED[:2], "offset = 8", "machine = 5"]


def test_replay_tells_what_another_machine_answers(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Statement by statement, by code or exception; queries and wrong Python are no statements."""
    prompt.feed(
        ["a.c.cuInit(0)", "show()", "a.driver.cuDeviceGet(1)", "x = [].pop", "1/0", "y = a.c.cuDeviceGet(1)[1] + 1"]
    )
    capsys.readouterr()
    prompt.feed(["replay()", 'replay("h200")'])
    assert capsys.readouterr().out == (
        "4 statements on h200-x2, 0 differ\n"
        "a.driver.cuDeviceGet(1)\n  here: CUDA_SUCCESS\n  on h200: CUDA_ERROR_INVALID_DEVICE\n"
        "y = a.c.cuDeviceGet(1)[1] + 1\n  here: \n  on h200: TypeError\n"
        "4 statements on h200, 2 differ\n"
    )


def test_undo_takes_a_number_above_0(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Any other count changes nothing and says what to write."""
    prompt.feed(TYPED)
    capsys.readouterr()
    prompt.feed(["undo(0)", 'undo("x")'])
    assert capsys.readouterr().out == "".join(
        f"undo({count!r}): write the number of statements to undo, at least 1\n" for count in (0, "x")
    )
    assert len(prompt.typed) == len(TYPED)


def test_a_prompt_of_a_machine_of_others_says_what_undo_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """It cannot make the machine again."""
    with Machine("h200") as machine:
        Prompt(machine).feed(["undo()"])
    assert (
        capsys.readouterr().out == "undo needs a prompt that made its own machine: start one with python -m fakecuda\n"
    )
