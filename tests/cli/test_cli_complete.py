"""What Tab offers: from a text and a cursor to candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.explain.ledger import modelled
from fakecuda.prompt.complete import Candidate, call_at, complete, place_of, signature
from fakecuda.prompt.tables import topics
from fakecuda.prompt.terminal import candidates_text
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.prompt.console import Prompt


def offers(prompt: Prompt, text: str) -> list[str]:
    """Return the candidates at the ``|`` in the text, or at its end."""
    before, _, after = text.partition("|")
    return [item.text for item in complete(before + after, len(before), prompt.locals, prompt.machine)]


def test_functions_stand_on_a_door(prompt: Prompt) -> None:
    """Those that are modelled, before any other; on every door."""
    kinds = ("", "Async", "FromPoolAsync", "Host", "Managed", "Pitch")
    assert offers(prompt, "a.driver.cuMemAll") == [f"a.driver.cuMemAlloc{kind}(" for kind in kinds]
    assert offers(prompt, "x = b.c.cuMemAll|, 1") == [f"b.c.cuMemAlloc{kind}(" for kind in kinds]
    assert offers(prompt, "driver.cuMemAllocF") == ["driver.cuMemAllocFromPoolAsync("]
    assert offers(prompt, "a.c.cuDeviceGetCo") == ["a.c.cuDeviceGetCount()"]
    assert len(offers(prompt, "a.driver.")) == len(modelled())
    assert "a.driver.CUmemAllocationProp" in offers(prompt, "a.driver.CUmemAll")
    assert offers(prompt, "a.driver.nothing") == []


@pytest.mark.parametrize("path", ["CUresult", "a.driver.CUresult"])
def test_members_stand_on_an_enum(prompt: Prompt, path: str) -> None:
    """And nothing that every int has."""
    assert offers(prompt, f"{path}.") == [f"{path}.{name}" for name in ENUMS["CUresult"]]
    assert offers(prompt, f"f({path}.CUDA_ERROR_INVALID_V") == [f"{path}.CUDA_ERROR_INVALID_VALUE"]


@pytest.mark.parametrize(
    "text",
    [
        "driver.cuPointerGetAttribute(",
        "driver.cuPointerGetAttribute(attribute=",
        "driver.cuPointerGetAttribute(ptr=7, attribute=",
        "a.c.cuPointerGetAttribute(",
        "[driver.cuPointerGetAttribute(",
        "x = (1, driver.cuPointerGetAttribute(",
        "print(')', driver.cuPointerGetAttribute(\n",
    ],
)
def test_an_enum_parameter_takes_its_members(prompt: Prompt, text: str) -> None:
    """By position and by keyword; half a member's name is enough."""
    typed = text if text.strip() == text else text + " "
    member = "CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT"
    if typed == text:
        assert offers(prompt, text) == [f"CUpointer_attribute.{name}" for name in ENUMS["CUpointer_attribute"]]
    assert offers(prompt, text + "CU_POINTER_ATTRIBUTE_CONT") == [member]
    assert offers(prompt, text + "CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONT") == [member]


def test_live_values_of_the_calling_process_are_offered(world: Prompt) -> None:
    """Contexts, addresses, handles and devices, as literals, the variables that hold them first."""
    a, b = (world.machine.processes[name] for name in "ab")
    p, r, h = (world.locals[name] for name in "prh")
    assert offers(world, "a.c.cuMemRelease(") == ["h", hex(h)]
    assert offers(world, "b.c.cuMemRelease(") == []
    assert offers(world, "a.c.cuCtxSetCurrent(") == ["other", *map(hex, a.contexts)]
    assert offers(world, "b.driver.cuCtxSetCurrent(") == [*map(hex, b.contexts)]
    assert offers(world, "a.driver.cuMemFree(p") == ["p"]
    addresses = [p, r + (2 << 20), r, r + (4 << 20)]
    assert offers(world, "a.driver.cuMemMap(ptr=") == ["p", "r", *map(hex, addresses)]
    assert offers(world, f"a.driver.cuMemMap(ptr={hex(r)[:-4]}") == [hex(r)]
    assert offers(world, "a.driver.cuMemMap(r, 2 << 20, 0, 0x") == [hex(h)]
    assert offers(world, "a.c.cuDevicePrimaryCtxRetain(") == ["0", "1"]
    for text in ("a.c.cuCtxSetCurrent(", "a.driver.cuCtxSetCurrent("):
        for offered in offers(world, text):
            assert eval(text + offered + ")", world.locals)[0] == 0  # noqa: S307 - what Tab wrote


def test_ipc_handles_are_literals_where_those_work(world: Prompt) -> None:
    """The binding takes them in its class alone, so a variable has to hold it."""
    handle = next(iter(world.machine.exchange.shares))
    assert offers(world, "b.c.cuIpcOpenMemHandle(") == [repr(handle)]
    world.feed(["x = a.driver.cuIpcGetMemHandle(p)[1]"])
    assert offers(world, "b.driver.cuIpcOpenMemHandle(") == ["x"]
    assert offers(world, "b.c.cuIpcOpenMemHandle(") == [repr(handle)]


def test_threads_belong_to_their_process(world: Prompt) -> None:
    """And Tab makes none."""
    world.feed(["w = a.thread('worker'); d = b.driver"])
    assert offers(world, "w.c.cuMemRelease(") == ["h", hex(world.locals["h"])]
    assert offers(world, "d.cuCtxSetCurrent(") == [*map(hex, world.machine.processes["b"].contexts)]
    assert "worker" not in world.machine.processes["a"].threads


def test_keywords_are_those_that_are_left(prompt: Prompt) -> None:
    """Where no value stands yet; the C level has null alone."""
    assert offers(prompt, "driver.cuMemMap(") == ["ptr=", "size=", "offset=", "handle=", "flags="]
    assert "size=" not in offers(prompt, "driver.cuMemMap(1, 2, s")
    assert offers(prompt, "driver.cuMemMap(1, o") == ["offset="]
    assert offers(prompt, "driver.cuMemMap(1, flags=0, ") == ["size=", "offset=", "handle="]
    assert offers(prompt, "driver.cuMemUnmap(len((1, 2)), ") == ["size="]
    assert offers(prompt, "print(driver.cuMemUnmap(1, 2), ") == []
    assert offers(prompt, "a.c.cuMemAlloc(8, ") == ["null="]
    assert offers(prompt, "a.c.cuMemAlloc(8, null='d") == ["dptr"]
    assert offers(prompt, "a.c.cuMemAlloc(") == []


def test_quotes_hold_names(prompt: Prompt) -> None:
    """Topics of show and functions of rules; anything else in quotes is nobody's business."""
    assert offers(prompt, "show('reser") == ["reservations"]
    assert offers(prompt, "show(") == [f'"{name}"' for name in topics()]
    assert offers(prompt, 'rules("cuMemRet') == ["cuMemRetainAllocationHandle"]
    assert offers(prompt, "print('reser") == []
    assert offers(prompt, "x = '''\nshow(") == []
    assert offers(prompt, "show('va'), show('pee") == ["peers"]


def test_everything_else_is_python(prompt: Prompt) -> None:
    """Variables, builtins, attributes; a property is not asked, an empty line is indented."""
    prompt.feed(["variable = 1"])
    assert offers(prompt, "f(vari") == ["variable"]
    assert offers(prompt, "driver.cuMemAlloc(vari") == ["variable"]
    assert offers(prompt, "machine.proce") == ["machine.processes"]
    assert offers(prompt, "str.joi") == ["str.join("]
    assert offers(prompt, "for x in y:\n") == ["    "]
    assert offers(prompt, "x = ") == []
    assert offers(prompt, "machine.here.driver.cuMem") == []
    assert "here" not in prompt.machine.processes


def test_an_odd_variable_does_no_harm(world: Prompt) -> None:
    """One whose int() fails holds no handle."""
    world.locals["odd"] = type("Odd", (), {"__int__": lambda _: "x"})()
    assert offers(world, "a.c.cuMemRelease(") == ["h", hex(world.locals["h"])]


def test_a_call_shows_its_parameters(prompt: Prompt) -> None:
    """With the one under way in brackets."""
    for text, at in (("driver.cuMemUnmap(1, ", 1), ("driver.cuMemUnmap(ptr=", 0), ("driver.cuMemUnmap(1, 2, 3", 2)):
        place = place_of(text, len(text))
        call = call_at(place, prompt.locals)
        assert call is not None
        shown = ["ptr: CUdeviceptr", "size: size_t", ""]
        shown[at] = f"[{shown[at]}]"
        assert signature(call, place) == f"cuMemUnmap({shown[0]}, {shown[1]})"


def test_a_list_is_laid_out_for_the_reader() -> None:
    """Few with what they are, many in columns; never wider than the terminal."""
    few = [Candidate("a.b.cuOne(", "(x, y)"), Candidate("a.b.cuThree()", "()")]
    assert candidates_text(few, 80, "title") == "title\n  cuOne    (x, y)\n  cuThree  ()"
    many = [Candidate(f"name{number:02}") for number in range(30)]
    text = candidates_text(many, 30)
    assert text.splitlines()[0] == "  name00  name10  name20"
    assert text.split() == [f"name{n + 10 * m:02}" for n in range(10) for m in range(3)]
