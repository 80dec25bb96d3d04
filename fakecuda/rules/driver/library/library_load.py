"""cuLibraryLoadData, cuLibraryLoadFromFile: an image becomes a library of the process.

Nothing of it is looked at before its code is asked for, but for what is cut off.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import cubin, linking, module_effects
from fakecuda.model.code.code import BAD_PTX, NEW_PTX, Refused
from fakecuda.model.code.image import is_text
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable, require_initialized
from fakecuda.rules.driver.module.file import content_of, named_file
from fakecuda.rules.driver.module.image import IMAGE_IS_CODE, IMAGE_IS_GIVEN, read, unmanaged
from fakecuda.rules.driver.module.module_load import (
    alone,
    is_compiled,
    listed,
    options_of,
    target_of,
    targeted,
    valued,
)
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.os.process import Process

    Options = tuple[int, ...] | None
    Told = tuple[Options, Options, int]

REFUSED = {BAD_PTX: Result.INVALID_PTX, NEW_PTX: Result.UNSUPPORTED_PTX_VERSION}
"""Effects of refused PTX on a thread's linkers, by the reason of the refusal."""
OF_A_LIBRARY = 2
"""The number of CUlibraryOption values."""

LIBRARY_OPTIONS_ARE_GIVEN = Rule(
    "if `numLibraryOptions` is not 0, `libraryOptions` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuLibraryLoadData",
        "the manual says nothing about a null argument; driver 580 reads the options (segmentation fault)",
    ),
    fix="pass an array of options for libraryOptions, or 0 for numLibraryOptions",
)
LIBRARY_OPTIONS_ARE_KNOWN = Rule(
    "`libraryOptions` has only members of CUlibraryOption",
    Result.INVALID_VALUE,
    observed("cuLibraryLoadData", "the driver answers INVALID_VALUE to an option of 2 or more"),
    fix="pass members of CUlibraryOption for libraryOptions",
)
TABLE, PRESERVED = 0, 1
"""CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE and CU_LIBRARY_BINARY_IS_PRESERVED."""
TABLE_IS_GIVEN = Rule(
    "the value of CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuLibraryLoadData",
        "the manual says nothing about a null argument; driver 580 reads the table (segmentation fault)",
    ),
    fix="pass the address of a table, or leave the option out",
)
TABLE_IS_OF_THE_CODE = Rule(
    "`libraryOptions` does not have CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE",
    Result.INVALID_IMAGE,
    observed(
        "cuLibraryLoadData",
        "the driver answers INVALID_IMAGE to PTX with a table of zeros; it was asked for no other table",
    ),
    fix="leave the option out",
)
FILES_ARE_NOT_PRESERVED = Rule(
    "`libraryOptions` does not have CU_LIBRARY_BINARY_IS_PRESERVED",
    Result.INVALID_VALUE,
    manual("CUlibraryOption", "Specifying this option with cuLibraryLoadFromFile() is invalid"),
    fix="leave out CU_LIBRARY_BINARY_IS_PRESERVED, or pass the content of the file to cuLibraryLoadData",
)


@guard
def optioned(call: Call, options: Options, values: Options, count: int) -> None:
    """Check the options of a library.

    Args:
        call: The call.
        options: CUlibraryOption.
        values: Their values.
        count: Their number.
    """
    if not count:
        return
    if options is None:
        call.undefined(LIBRARY_OPTIONS_ARE_GIVEN, values=values)
        raise LIBRARY_OPTIONS_ARE_GIVEN.broken(values=values)
    for place, option in enumerate(options):
        if not 0 <= option < OF_A_LIBRARY:
            raise LIBRARY_OPTIONS_ARE_KNOWN.broken(options=options, values=values)
        if option == TABLE and not (values and values[place]):
            call.undefined(TABLE_IS_GIVEN, options=options, values=values)
            raise TABLE_IS_GIVEN.broken(options=options, values=values)
        if option == TABLE:
            raise TABLE_IS_OF_THE_CODE.broken(options=options, values=values)


@guard
def of_a_file(call: Call, options: Options, values: Options, count: int) -> None:
    """Check the options of a library from a file; arguments as for :func:`optioned`."""
    kept = options.index(PRESERVED) if count and options and PRESERVED in options else None
    optioned(call, options if kept is None or options is None else options[:kept], values, count)
    if kept is not None:
        raise FILES_ARE_NOT_PRESERVED.broken(options=options, values=values)


@guard
def require_library_result(call: Call) -> None:
    """Check that the result pointer is not null, before cuInit is checked."""
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)


@guard
def told(call: Call, jit: Told, library: Told) -> Process:
    """Return the process of a call with known options.

    Args:
        call: The call.
        jit: CUjit_option, the value of each, and how many there are.
        library: CUlibraryOption, the value of each, and how many there are.
    """
    process: Process = require_initialized(call)
    listed(*jit)
    optioned(call, *library)
    valued(call, *jit)
    targeted(*jit)
    return process


@guard
def whole(call: Call, data: bytes, jit: dict[int, int]) -> None:
    """Check that a cubin is complete, and suits a context of CUDA 3.1 if any; and that a fatbin suits its options."""
    if data.startswith(cubin.MAGIC) and cubin.is_cut(data):
        raise IMAGE_IS_CODE.broken(image=data[:16])
    if call.process.narrow is not None:
        unmanaged(call, data)
    if not is_compiled(jit):
        with suppress(Refused):
            read(call, data, call.process.devices[0])
            alone(call, data, jit)


def _loaded(call: Call, process: Process, data: bytes, jit: dict[int, int]) -> int:
    """Load a library and return it; note refused PTX for the linkers of the thread."""
    try:
        if is_text(data) and is_compiled(jit):
            read(call, data, process.devices[0], target_of(jit))
    except Refused as refused:
        if refused.why in REFUSED:
            linking.note_refused(call.thread, REFUSED[refused.why])
    return module_effects.load_library(process, data, history.here(), jit).handle


@DRIVER.op("cuLibraryLoadData")
def library_load_data(
    call: Call,
    code: bytes | None,
    jit: Options,
    jit_values: Options,
    jit_count: int,
    options: Options,
    values: Options,
    count: int,
) -> int:
    """Load an image as a library. No current context is needed.

    Args:
        call: The call.
        code: The image.
        jit: CUjit_option.
        jit_values: Their values.
        jit_count: Their number.
        options: CUlibraryOption.
        values: Their values.
        count: Their number.
    """
    # CHECK
    require_library_result(call)
    if code is None:
        raise IMAGE_IS_GIVEN.broken(image=code)
    process = told(call, (jit, jit_values, jit_count), (options, values, count))
    given = options_of(jit, jit_values, jit_count)
    whole(call, code, given)
    # EFFECT
    return _loaded(call, process, code, given)


@DRIVER.op("cuLibraryLoadFromFile")
def library_load_from_file(
    call: Call,
    name: bytes | None,
    jit: Options,
    jit_values: Options,
    jit_count: int,
    options: Options,
    values: Options,
    count: int,
) -> int:
    """Load the image in a file as a library; the other arguments as for cuLibraryLoadData."""
    # CHECK
    require_library_result(call)
    wanted = named_file(name)
    process: Process = require_initialized(call)
    listed(jit, jit_values, jit_count)
    data = content_of(call, wanted)
    if not data:
        raise IMAGE_IS_CODE.broken(image=data)
    of_a_file(call, options, values, count)
    valued(call, jit, jit_values, jit_count)
    targeted(jit, jit_values, jit_count)
    given = options_of(jit, jit_values, jit_count)
    whole(call, data, given)
    # EFFECT
    return _loaded(call, process, data, given)
