"""cuLinkComplete: link the inputs into one image, which the linker owns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import linking
from fakecuda.model.code.code import CONSTANT
from fakecuda.model.code.linking import ERRORS
from fakecuda.rules.core import Broken, Rule, manual, observed, undefined
from fakecuda.rules.driver.linker.handle import able, given, of_its_thread, of_names
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

IMAGE_HAS_A_PLACE = Rule(
    "`cubinOut` is not null",
    Result.INVALID_VALUE,
    observed(
        "cuLinkComplete", "the driver answers INVALID_VALUE to a null result pointer, also if the linker is complete"
    ),
    fix="pass the address of a pointer for the image",
)
IMAGE_IS_TO_BE_MADE = Rule(
    "cuLinkComplete has not yet completed the linker `state`",
    Result.INVALID_HANDLE,
    observed("cuLinkComplete", "a second cuLinkComplete of the same linker answers INVALID_HANDLE"),
    fix="use the image that the first cuLinkComplete returned, and create another linker for another image",
)
CONSTANTS_HAVE_ROOM = Rule(
    "the constant variables of all inputs have 65536 bytes at most",
    Result.INVALID_SOURCE,
    observed("cuLinkComplete", "the driver answers INVALID_SOURCE to two inputs with 40000 bytes of constants each"),
    fix="declare fewer constants, or use global memory",
)
NAMES_ARE_SEEN = Rule(
    "some input defines each name that the inputs use, if the thread's last refused PTX had a too new version",
    Result.SUCCESS,
    undefined(
        "cuLinkComplete",
        "the manual says nothing about it; in a thread whose last refused PTX answered UNSUPPORTED_PTX_VERSION, driver "
        "580 completes an image with undefined names",
    ),
    fix="add the input that defines the function or variable, compiled as relocatable code (-rdc=true)",
)
NAMES_ARE_THERE = Rule(
    "some input defines each function and variable that the inputs use",
    Result.INVALID_SOURCE,
    observed(
        "cuLinkComplete",
        "cuLinkComplete answers INVALID_SOURCE for undefined names, and writes them into the error log",
    ),
    fix="add the input that defines the function or variable, compiled as relocatable code (-rdc=true)",
)
CONSTANTS = 1 << 16
"""The maximum size of all constant variables of an image."""
IMAGE_HAS_ROOM = Rule(
    "the host has enough free memory for the image",
    Result.OUT_OF_MEMORY,
    manual("cuLinkComplete", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free host memory first",
)


@DRIVER.op("cuLinkComplete", acts_before=(NAMES_ARE_THERE, CONSTANTS_HAVE_ROOM))
def link_complete(call: Call, state: int) -> tuple[int, int]:
    """Return the address and the size of the linked image: a cubin that exists as long as the linker."""
    # CHECK
    given(call, state)
    if "cubinOut" in call.nulls:
        raise IMAGE_HAS_A_PLACE.broken(nulls=call.nulls)
    linker = of_its_thread(call, state)
    if linker.completed:
        raise IMAGE_IS_TO_BE_MADE.broken(linker=linker)
    able(linker)
    held = sum(one.size for one in linker.image().variables.values() if one.kind == CONSTANT)
    if held > CONSTANTS:
        line = f"error   : File uses too much global constant data ({held:#x} bytes, {CONSTANTS:#x} max)"
        linking.log(linker, ERRORS, [line])
        code = of_names(call)
        linking.fail(linker, code, incomplete=True)
        raise Broken(CONSTANTS_HAVE_ROOM, {"bytes": held}, code)
    needed = linker.needed()
    if needed and call.thread.refused_text == Result.UNSUPPORTED_PTX_VERSION:
        call.undefined(NAMES_ARE_SEEN, names=list(needed))
    elif needed:
        lines = (f"error   : Undefined reference to '{name}' in '{one.name}'" for name, one in needed.items())
        linking.log(linker, ERRORS, lines)
        code = of_names(call)
        linking.fail(linker, code, incomplete=True)
        raise Broken(NAMES_ARE_THERE, {"names": list(needed)}, code)
    # EFFECT
    made = linking.complete(linker)
    if made is None:
        raise IMAGE_HAS_ROOM.broken(linker=linker)
    return made
