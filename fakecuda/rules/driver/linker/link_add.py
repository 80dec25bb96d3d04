"""cuLinkAddData, cuLinkAddFile: add an input to a linker; PTX is compiled at once.

A driver looks at what it is given: PTX may be given as a fatbin, and a fatbin as PTX. It reads PTX to its NUL, and other inputs as their
headers say, whatever `size` is. What an input uses and has not may be another's. An object or a library of the host is read as the
fatbin in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import cubin, host_files, linking, reading
from fakecuda.model.code import image as images
from fakecuda.model.code.code import BAD_IMAGE, BAD_PTX, CUT, LINKED, NEW_PTX, OTHER_DEVICE, STRANGE, Image, Refused
from fakecuda.model.code.linking import ERRORS, INFO, Input
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.linker.clash import CLASHES, joined
from fakecuda.rules.driver.linker.handle import able, given, linker_of
from fakecuda.rules.driver.linker.link_create import without_fallback
from fakecuda.rules.driver.module.file import content_of, named_file
from fakecuda.rules.driver.module.image import LOGS, newest, too_new, unpacked
from fakecuda.rules.driver.module.module_load import alone, compiled_for, counts_first, listed, options_of, valued
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.call import Call
    from fakecuda.model.code.linking import Linker

    Options = tuple[int, ...] | None
    Told = tuple[Options, Options, int]

ADD = "cuLinkAddData"
TYPES = 6
"""The number of CUjitInputType values."""
LIBRARY, NVVM, HEAD = 4, 5, 8
"""CU_JIT_INPUT_LIBRARY and CU_JIT_INPUT_NVVM, and the size of a library's header."""
HOSTS, HOST_FILES = frozenset({3, LIBRARY}), (b"\x7fELF", b"!<arch>")
"""CU_JIT_INPUT_OBJECT and CU_JIT_INPUT_LIBRARY, and the magic bytes of such files."""
FALLS_BACK = frozenset({images.FATBINARY, *HOSTS})
"""Input types that accept CU_JIT_FALLBACK_STRATEGY in the older forms of the call."""
TAKEN = {images.CUBIN: ENUMS["CUjit_option"]["CU_JIT_LOG_VERBOSE"], NVVM: ENUMS["CUjit_option"]["CU_JIT_MAX_REGISTERS"]}
"""By input type, the only option that such an input accepts."""
OF_THE_LINKER = frozenset({2, 3, 5, 8, 9})
"""CU_JIT_WALL_TIME, _INFO_LOG_BUFFER, _ERROR_LOG_BUFFER, _TARGET_FROM_CUCONTEXT and _TARGET."""

INPUT_IS_GIVEN = Rule(
    "`data` is not null",
    Result.INVALID_VALUE,
    observed(ADD, "the driver answers INVALID_VALUE to a null input, before it checks the linker"),
    fix="pass the address of the input",
)
LINKER_IS_PENDING = Rule(
    "cuLinkComplete has not completed the linker `state` yet, and has not failed for an undefined name in its inputs",
    Result.INVALID_VALUE,
    observed(
        ADD,
        "the driver answers INVALID_VALUE to another input after cuLinkComplete has made an image, or has failed for an undefined name",
    ),
    fix="add all inputs before cuLinkComplete, and create another linker for another image",
)
OPTIONS_ARE_OF_AN_INPUT = Rule(
    "`options` has none of CU_JIT_WALL_TIME, _INFO_LOG_BUFFER, _ERROR_LOG_BUFFER, _TARGET and _TARGET_FROM_CUCONTEXT",
    Result.INVALID_VALUE,
    manual(
        ADD,
        "This method accepts only compiler options, which are used if the data must be compiled from PTX, and does not accept any of",
    ),
    fix="pass the logs, the target and the wall time to cuLinkCreate",
)
CUBINS_ARE_NOT_COMPILED = Rule(
    "`options` has only CU_JIT_LOG_VERBOSE if `type` is a cubin, and only CU_JIT_MAX_REGISTERS if it is NVVM",
    Result.INVALID_VALUE,
    observed(ADD, "the driver answers INVALID_VALUE to other options for a cubin or NVVM, before it checks the input"),
    fix="pass no options with a cubin",
)
FILE_HAS_BYTES = Rule(
    "the file at `path` is not empty",
    Result.INVALID_IMAGE,
    observed(
        "cuLinkAddFile", "the driver answers INVALID_IMAGE to an empty file, before it checks the type of the input"
    ),
    fix="pass a file that is not empty",
)
INPUT_TYPE_IS_KNOWN = Rule(
    "`type` is a CUjitInputType",
    Result.INVALID_VALUE,
    manual(ADD, "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a CUjitInputType",
)
INPUT_HAS_BYTES = Rule(
    "`size` is not 0",
    Result.INVALID_VALUE,
    observed(ADD, "the driver answers INVALID_VALUE to an input of 0 bytes, whatever its type is"),
    fix="pass the number of bytes of the input",
)
NVVM_IS_COMPILED_BEFORE = Rule(
    "`type` is not CU_JIT_INPUT_NVVM",
    Result.JIT_COMPILER_NOT_FOUND,
    observed(ADD, "CU_JIT_INPUT_NVVM answers JIT_COMPILER_NOT_FOUND, whatever the input is"),
    fix="compile NVVM to PTX or to a cubin first, and add that",
)
LIBRARY_HAS_A_HEAD = Rule(
    "an input of `type` CU_JIT_INPUT_LIBRARY has more than 8 bytes",
    Result.INVALID_IMAGE,
    observed(ADD, "the driver answers INVALID_IMAGE to a library of 1 to 8 bytes, and UNKNOWN to one of 9 bytes"),
    fix="pass a whole library of host objects",
)
INPUT_IS_THE_HOST_S = Rule(
    "an input of `type` CU_JIT_INPUT_OBJECT or CU_JIT_INPUT_LIBRARY is an object or a library of the host",
    Result.UNKNOWN,
    observed(ADD, "PTX answers UNKNOWN as an object and as a library"),
    fix="pass the type that matches the input",
)
INPUT_IS_VALID = Rule(
    "an input of PTX is well-formed, its target fits the linker's GPU, and it defines no kernel or function twice",
    Result.INVALID_PTX,
    manual(ADD, "CUDA_ERROR_INVALID_PTX"),
    fix="compile the PTX for this device or for an older one",
)
INPUT_IS_NOT_TOO_NEW = Rule(
    "the driver's compiler supports the PTX version of the input",
    Result.UNSUPPORTED_PTX_VERSION,
    manual(ADD, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    fix="compile with an older toolkit, or use a newer driver",
)
INPUT_IS_FOR_THE_TARGET = Rule(
    "the input has code for the linker's target, unless `type` is CU_JIT_INPUT_FATBINARY",
    Result.NO_BINARY_FOR_GPU,
    manual(ADD, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
    fix="compile for this device, or add PTX to the fatbin",
)
INPUT_IS_NOT_LINKED = Rule(
    "the input is relocatable code (-rdc=true), not an image that a linker made",
    Result.NO_BINARY_FOR_GPU,
    observed(
        ADD, "the driver answers NO_BINARY_FOR_GPU to an image of cuLinkComplete that is an input of another linker"
    ),
    fix="compile the cubin as relocatable code (-rdc=true), or load the image without linking it",
)
INPUT_IS_OF_A_DEVICE = Rule(
    "an input of `type` CU_JIT_INPUT_CUBIN is an ELF file for a GPU",
    Result.UNKNOWN,
    observed(
        ADD,
        "the driver answers UNKNOWN to an ELF file for another processor passed as a cubin, and INVALID_IMAGE to one passed as PTX or a fatbin",
    ),
    fix="pass a cubin as nvcc writes it",
)
INPUT_IS_WHOLE = Rule(
    "an input of `type` CU_JIT_INPUT_CUBIN is not truncated",
    Result.INVALID_IMAGE,
    undefined(
        ADD, "the manual says nothing about truncated cubins; driver 580 reads past their end (segmentation fault)"
    ),
    fix="pass all bytes of the cubin",
)
INPUT_IS_CODE = Rule(
    "the input is PTX, a cubin or a fatbin, and a cubin if `type` is CU_JIT_INPUT_CUBIN",
    Result.INVALID_IMAGE,
    manual(ADD, "CUDA_ERROR_INVALID_IMAGE"),
    fix="pass the CUjitInputType that matches the input",
)


TEXTS = {
    **LOGS,
    STRANGE: "fatal   : Unknown arch name ''",
    BAD_IMAGE: "error   : Binary format for key='0', ident='' is not recognized",
}
"""Texts in the error log, by the reason why an input is refused."""


@guard
def optioned(kind: int, told: Told, *, older: bool) -> dict[int, int]:
    """Return the options of an input by CUjit_option, with unchecked values.

    Args:
        kind: CUjitInputType.
        told: CUjit_option, their values, and their number.
        older: Whether a form of CUDA 5.5 is called.
    """
    listed(*told)
    if not (older and kind in FALLS_BACK):
        without_fallback(*told)
    options, _, count = told
    if count and options and OF_THE_LINKER.intersection(options):
        raise OPTIONS_ARE_OF_AN_INPUT.broken(options=options)
    only = TAKEN.get(kind)
    if only is not None and any(one != only for one in (options or ())[:count]):
        raise CUBINS_ARE_NOT_COMPILED.broken(options=options)
    return options_of(*told)


@guard
def pending(linker: Linker) -> None:
    """Check that a linker has not completed, and has not failed to complete."""
    if linker.completed or linker.incomplete:
        raise LINKER_IS_PENDING.broken(linker=linker)


@guard
def known_type(kind: int) -> None:
    """Check that a CUjitInputType is known."""
    if not 0 <= kind < TYPES:
        raise INPUT_TYPE_IS_KNOWN.broken(type=kind)


@guard
def taken(
    call: Call, linker: Linker, kind: int, data: bytes, size: int, name: bytes | None, jit: Mapping[int, int]
) -> Input:
    """Check an input of a linker, and return it with its name.

    Args:
        call: The call.
        linker: The linker.
        kind: CUjitInputType.
        data: The input.
        size: Its bytes, as the program tells. In C, ``data`` ends at a NUL unless it is an image.
        name: Its name.
        jit: The values of its own options of the compiler, which count before those of the linker.

    Raises:
        FakeCudaError: It is a file of the host without device code, or with several pieces of it.
    """
    if kind == NVVM:
        raise NVVM_IS_COMPILED_BEFORE.broken(input=data[:16])
    if kind in HOSTS:
        if not data.startswith(HOST_FILES):
            if kind == LIBRARY and size <= HEAD:
                raise LIBRARY_HAS_A_HEAD.broken(size=size)
            raise INPUT_IS_THE_HOST_S.broken(input=data[:16])
        kind, data = images.FATBINARY, host_files.fatbin_of(data)
    told = (name or b"").decode(errors="replace")
    if kind == images.CUBIN or (data.startswith(cubin.MAGIC) and cubin.of_a_device(data)):
        able(linker)
    try:
        image = compiled(call, linker, kind, data, told, {**linker.jit, **jit})
        able(linker)
        image = host_files.completed(image)
        made = Input(told, image)
        joined(call, linker, made)
    except Broken as broken:
        if kind == images.CUBIN or broken.rule in LASTING:
            linking.fail(linker, broken.code)
        raise
    return made


@guard
def compiled(call: Call, linker: Linker, kind: int, data: bytes, name: str, jit: Mapping[int, int]) -> Image:
    """Return the image of an input; log the reason of a refusal."""
    refused = None
    try:
        with unpacked():
            compiler = newest(call.machine.profile.driver_version)
            image = reading.read(call, images.relocatable, kind, data, linker.arch, compiler)
        alone(call, data, jit)
    except Refused as caught:
        refused = caught
    if kind != images.CUBIN and (refused is None or not counts_first(refused, jit)):
        compiled_for(jit)
    if refused is None:
        return image
    why = refused.why
    if why == OTHER_DEVICE and kind == images.FATBINARY:
        linking.log(linker, INFO, [f" No code for sm_{linker.arch} in {name}; continuing."])
        return Image({}, {})
    if why in TEXTS and (why, kind) != (BAD_IMAGE, images.CUBIN):
        again = why == BAD_IMAGE and kind == images.FATBINARY
        linking.log(linker, ERRORS, [TEXTS[why].format(refused.place)] * (1 + again))
    if why == BAD_PTX:
        raise INPUT_IS_VALID.broken(input=data[:16], ptx=refused.place)
    if why == NEW_PTX:
        raise INPUT_IS_NOT_TOO_NEW.broken(**too_new(call, refused))
    if why == OTHER_DEVICE:
        raise INPUT_IS_FOR_THE_TARGET.broken(arch=linker.arch)
    if why == LINKED:
        raise INPUT_IS_NOT_LINKED.broken(input=data[:16])
    if why == STRANGE:
        raise INPUT_IS_OF_A_DEVICE.broken(input=data[:16])
    if why == CUT:
        call.undefined(INPUT_IS_WHOLE, size=len(data))
        raise INPUT_IS_WHOLE.broken(size=len(data))
    raise INPUT_IS_CODE.broken(input=data[:16])


LASTING = (INPUT_IS_NOT_LINKED, *CLASHES)
"""Rules whose violation makes the linker fail permanently."""
LOGGED = (
    *(INPUT_IS_VALID, INPUT_IS_NOT_TOO_NEW, INPUT_IS_FOR_THE_TARGET),
    *(INPUT_IS_OF_A_DEVICE, INPUT_IS_WHOLE, INPUT_IS_CODE, *LASTING),
)
"""Rules whose violation writes to the log, or fails the linker of a cubin."""


@guard
def data_given(
    call: Call, state: int, kind: int, data: bytes | None, size: int, name: bytes | None, told: Told, *, older: bool
) -> tuple[Linker, Input]:
    """Return a linker and its new input from memory; see cuLinkAddData."""
    given(call, state)
    if data is None:
        raise INPUT_IS_GIVEN.broken(input=data)
    linker = linker_of(call, state)
    pending(linker)
    jit = optioned(kind, told, older=older)
    valued(call, *told)
    known_type(kind)
    if not size:
        raise INPUT_HAS_BYTES.broken(size=size)
    return linker, taken(call, linker, kind, data, size, name, jit)


@guard
def file_given(
    call: Call, state: int, kind: int, path: bytes | None, told: Told, *, older: bool
) -> tuple[Linker, Input]:
    """Return a linker and its new input from a file; see :func:`data_given`."""
    given(call, state)
    wanted = named_file(path)
    linker = linker_of(call, state)
    pending(linker)
    jit = optioned(kind, told, older=older)
    data = content_of(call, wanted)
    if not data:
        raise FILE_HAS_BYTES.broken(file=wanted)
    valued(call, *told)
    known_type(kind)
    return linker, taken(call, linker, kind, data, len(data), wanted, jit)


@DRIVER.op("cuLinkAddData", acts_before=LOGGED)
def link_add_data(
    call: Call,
    state: int,
    kind: int,
    data: bytes | None,
    size: int,
    name: bytes | None,
    count: int,
    options: Options,
    values: Options,
) -> None:
    """Add an input to a linker. ``size`` matters only up to 8; ``name`` is what messages call the input."""
    # CHECK
    linker, made = data_given(call, state, kind, data, size, name, (options, values, count), older=False)
    # EFFECT
    linking.take_in(linker, made)


@DRIVER.op("cuLinkAddFile", acts_before=LOGGED)
def link_add_file(
    call: Call, state: int, kind: int, path: bytes | None, count: int, options: Options, values: Options
) -> None:
    """Add the content of a file to a linker; the other arguments as for cuLinkAddData."""
    # CHECK
    linker, made = file_given(call, state, kind, path, (options, values, count), older=False)
    # EFFECT
    linking.take_in(linker, made)
