"""cuLinkAddData, cuLinkAddFile: a linker gets an input; PTX is compiled at once.

What an input uses and has not may be another's. Objects and libraries of the host, and NVVM, are not modelled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.errors import FakeCudaError
from fakecuda.model import image as images
from fakecuda.model import linking
from fakecuda.model.code import BAD_IMAGE, BAD_PTX, NEW_PTX, OTHER_DEVICE, Refused
from fakecuda.model.linking import ERRORS
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.linker.handle import pending
from fakecuda.rules.driver.module.file import content_of, named_file
from fakecuda.rules.driver.module.image import newest, unpacked
from fakecuda.rules.driver.module.module_load import known

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code import Image
    from fakecuda.model.linking import Linker

    Options = tuple[int, ...] | None
    Told = tuple[Options, Options, int]

ADD = "cuLinkAddData"
TYPES = 6
"""How many CUjitInputType there are."""
OTHERS = {3: "objects of the host", 4: "libraries of the host", 5: "NVVM"}
"""Those that are not modelled."""
OF_THE_LINKER = frozenset({2, 3, 5, 8, 9})
"""CU_JIT_WALL_TIME, _INFO_LOG_BUFFER, _ERROR_LOG_BUFFER, _TARGET_FROM_CUCONTEXT and _TARGET."""

INPUT_TYPE_IS_KNOWN = Rule(
    "the type of the input is of CUjitInputType",
    Result.INVALID_VALUE,
    manual(ADD, "CUDA_ERROR_INVALID_VALUE"),
)
OPTIONS_ARE_OF_AN_INPUT = Rule(
    "the options are the compiler's: none is of the linker, as its logs and its target are",
    Result.INVALID_VALUE,
    manual(
        ADD,
        "This method accepts only compiler options, which are used if the data must be compiled from PTX, and does not accept any of",
    ),
)
INPUT_IS_GIVEN = Rule(
    "the input is given",
    Result.INVALID_VALUE,
    manual(ADD, "CUDA_ERROR_INVALID_VALUE"),
)
INPUT_IS_VALID = Rule(
    "the PTX has a version, and a target that is linked for, and no name twice",
    Result.INVALID_PTX,
    manual(ADD, "CUDA_ERROR_INVALID_PTX"),
)
INPUT_IS_NOT_TOO_NEW = Rule(
    "the driver's compiler knows the version of the PTX",
    Result.UNSUPPORTED_PTX_VERSION,
    manual(ADD, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
)
INPUT_IS_FOR_THE_TARGET = Rule(
    "the input has code for what is linked for",
    Result.NO_BINARY_FOR_GPU,
    manual(ADD, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
)
INPUT_IS_CODE = Rule(
    "the input is a cubin or a fatbin where its type says so",
    Result.INVALID_IMAGE,
    manual(ADD, "CUDA_ERROR_INVALID_IMAGE"),
)


@guard
def suited(kind: int, options: Options, values: Options, count: int) -> None:
    """Check the type and the options of an input.

    Args:
        kind: CUjitInputType.
        options: CUjit_option.
        values: The value of each.
        count: How many there are.
    """
    if not 0 <= kind < TYPES:
        raise INPUT_TYPE_IS_KNOWN.broken(type=kind)
    known(options, values, count)
    if count and options and OF_THE_LINKER.intersection(options):
        raise OPTIONS_ARE_OF_AN_INPUT.broken(options=options)


@guard
def compiled(call: Call, linker: Linker, kind: int, data: bytes) -> Image:
    """Return what an input holds; why it is refused stands in the linker's log of errors.

    Raises:
        FakeCudaError: It is of a type that is not modelled.
    """
    if kind in OTHERS:
        msg = f"{OTHERS[kind]} as inputs of a linker are not modelled: add PTX, cubins or fatbins"
        raise FakeCudaError(msg)
    try:
        with unpacked():
            return images.relocatable(kind, data, linker.arch, newest(call.machine.profile.driver_version))
    except Refused as refused:
        why = BAD_PTX if kind == images.TEXT and refused.why == BAD_IMAGE else refused.why
    linking.log(linker, ERRORS, f"error   : {TEXTS[why].format(arch=linker.arch)}\n")
    if why == BAD_PTX:
        raise INPUT_IS_VALID.broken(input=data[:16])
    if why == NEW_PTX:
        raise INPUT_IS_NOT_TOO_NEW.broken(driver=call.machine.profile.driver_version)
    if why == OTHER_DEVICE:
        raise INPUT_IS_FOR_THE_TARGET.broken(arch=linker.arch)
    raise INPUT_IS_CODE.broken(input=data[:16])


TEXTS = {
    BAD_PTX: "the PTX is not valid for sm_{arch}",
    NEW_PTX: "the version of the PTX is newer than the compiler's",
    OTHER_DEVICE: "the input has no code for sm_{arch}",
    BAD_IMAGE: "the input is no cubin and no fatbin",
}
"""What the log of errors says, by why an input is refused."""


@DRIVER.op("cuLinkAddData")
def link_add_data(
    call: Call,
    state: int,
    kind: int,
    data: bytes | None,
    size: int,
    _name: bytes | None,
    count: int,
    options: Options,
    values: Options,
) -> None:
    """Give a linker an input.

    Args:
        call: The call.
        state: The linker.
        kind: CUjitInputType.
        data: The input.
        size: Its bytes.
        count: How many options there are.
        options: CUjit_option.
        values: The value of each.
    """
    # CHECK
    linker = pending(call, state)
    suited(kind, options, values, count)
    if data is None:
        raise INPUT_IS_GIVEN.broken(input=data)
    image = compiled(call, linker, kind, data[:size])
    # EFFECT
    linking.take_in(linker, image)


@DRIVER.op("cuLinkAddFile")
def link_add_file(
    call: Call, state: int, kind: int, path: bytes | None, count: int, options: Options, values: Options
) -> None:
    """Give a linker the content of a file; arguments but for the file's name as of cuLinkAddData."""
    # CHECK
    linker = pending(call, state)
    suited(kind, options, values, count)
    image = compiled(call, linker, kind, content_of(call, named_file(path)))
    # EFFECT
    linking.take_in(linker, image)
