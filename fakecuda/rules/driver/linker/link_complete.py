"""cuLinkComplete: a linker makes one image of its inputs, which is its own until it is destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import linking
from fakecuda.model.linking import ERRORS
from fakecuda.rules.core import Rule, manual, undefined
from fakecuda.rules.driver.linker.handle import pending

if TYPE_CHECKING:
    from fakecuda.model.call import Call

IMAGE_HAS_A_PLACE = Rule(
    "the place of the image is given",
    Result.INVALID_VALUE,
    undefined("cuLinkComplete", "silent about null in the place of the image; that of its size may be null"),
)
NAMES_ARE_THERE = Rule(
    "each function and variable that an input uses is one of some input",
    Result.UNKNOWN,
    undefined("cuLinkComplete", "silent about what is missing; a driver refuses it, no card was asked with which code"),
)
NAMES_ARE_ONE_INPUT_S = Rule(
    "no two inputs have a function, a kernel or a variable of the same name that others may use",
    Result.UNKNOWN,
    undefined("cuLinkComplete", "silent about names that are there twice; no card was asked which call refuses them"),
)
IMAGE_HAS_ROOM = Rule(
    "the memory of the host has room for the image",
    Result.OUT_OF_MEMORY,
    manual("cuLinkComplete", "CUDA_ERROR_OUT_OF_MEMORY"),
)


@DRIVER.op("cuLinkComplete")
def link_complete(call: Call, state: int) -> tuple[int, int]:
    """Return the address and the bytes of the image: a cubin, which lives as long as the linker."""
    # CHECK
    linker = pending(call, state)
    if "cubinOut" in call.nulls:
        call.undefined(IMAGE_HAS_A_PLACE)
        raise IMAGE_HAS_A_PLACE.broken(nulls=call.nulls)
    for name in linker.needed():
        linking.log(linker, ERRORS, f"error   : Undefined reference to '{name}'\n")
        call.undefined(NAMES_ARE_THERE, name=name)
        raise NAMES_ARE_THERE.broken(name=name)
    for name in linker.twice():
        linking.log(linker, ERRORS, f"error   : Multiple definition of '{name}'\n")
        call.undefined(NAMES_ARE_ONE_INPUT_S, name=name)
        raise NAMES_ARE_ONE_INPUT_S.broken(name=name)
    # EFFECT
    made = linking.complete(linker)
    if made is None:
        raise IMAGE_HAS_ROOM.broken(linker=linker)
    return made
