"""cuModuleLoadDataEx, with options of the compiler, and cuModuleLoadFatBinary: load an image as a module.

The driver compiles PTX; here its text is checked, and what is wrong with it stands in the error log that the options give.
Other options of the compiler change nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import module_effects
from fakecuda.model.code.code import BAD_IMAGE, BAD_PTX, NEW_PTX, OTHER_DEVICE, Refused
from fakecuda.model.code.cubin import MAGIC
from fakecuda.model.code.image import is_text
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.module.image import (
    IMAGE_IS_GIVEN,
    LOGS,
    PTX_IS_KNOWN,
    PTX_IS_VALID,
    VARIABLES_HAVE_ROOM,
    parsed,
    read,
    unmanaged,
)
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Module
    from fakecuda.model.context import Context, Device

ERRORS = 5
"""CU_JIT_ERROR_LOG_BUFFER."""
SIZE = 0xFFFFFFFF
"""A mask for option values that are numbers: register counts, or log sizes."""
LOG_SIZE = {3: 4, 5: 6}
"""CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER, with their size options."""
KNOWN = frozenset({*range(35)} - {17, 18, 19})
"""CUjit_option. The driver refuses the three options for global symbols."""
REGISTERS, THREADS, LEVEL, TARGET, DEBUG, CACHE = 0, 1, 7, 9, 11, 14
"""CU_JIT_MAX_REGISTERS, _THREADS_PER_BLOCK, _OPTIMIZATION_LEVEL, _TARGET, _GENERATE_DEBUG_INFO and _CACHE_MODE."""
NEGATIVE = 1 << 31
"""The sign bit of an option value that is a number."""
NUMBER = 0xFFFF
"""A mask for the architecture in a CUjit_target, without its suffix."""
CACHES, TARGETS = (frozenset(ENUMS[name].values()) for name in ("CUjit_cacheMode", "CUjit_target"))
WITHOUT_COMPILER = frozenset({0, 30, 32, 35, 37, 53})
"""Values of CU_JIT_TARGET that driver 580 accepts and compiles nothing for.

No card was asked for 37.
"""

OPTIONS_ARE_GIVEN = Rule(
    "the JIT options and their values are not null if their number is not 0",
    Result.INVALID_VALUE,
    observed("cuModuleLoadDataEx", "the driver answers INVALID_VALUE if the options or their values are null"),
    fix="pass an array of JIT options, and an array of their values",
)
OPTIONS_ARE_KNOWN = Rule(
    "each JIT option is a CUjit_option that the driver supports",
    Result.INVALID_VALUE,
    observed(
        "cuModuleLoadDataEx", "the driver answers INVALID_VALUE to the options 17 to 19, and to options from 35 on"
    ),
    fix="pass members of CUjit_option",
)
LOGS_HAVE_BUFFERS = Rule(
    "if the JIT options have an info or error log's size (CU_JIT_…_LOG_BUFFER_SIZE_BYTES), they also have its buffer",
    Result.INVALID_VALUE,
    observed(
        "cuModuleLoadDataEx",
        "the driver answers INVALID_VALUE to CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES or "
        "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES without the buffer",
    ),
    fix="pass the buffer of a log together with its size",
)
THREADS_ARE_WITHOUT_TARGET = Rule(
    "the JIT options do not have both CU_JIT_THREADS_PER_BLOCK and CU_JIT_TARGET",
    Result.INVALID_VALUE,
    manual("CUjit_option", "Cannot be combined with CU_JIT_THREADS_PER_BLOCK"),
    fix="leave out one of the two JIT options",
)
REGISTERS_ARE_SOME = Rule(
    "the value of CU_JIT_MAX_REGISTERS is not 0",
    Result.INVALID_VALUE,
    observed(
        "cuModuleLoadDataEx", "the driver answers INVALID_VALUE to a CU_JIT_MAX_REGISTERS of 0, also in cuLinkCreate"
    ),
    fix="leave out CU_JIT_MAX_REGISTERS, or pass at least 1 register",
)
THREADS_ARE_SOME = Rule(
    "the value of CU_JIT_THREADS_PER_BLOCK is not 0",
    Result.INVALID_VALUE,
    undefined(
        "cuModuleLoadDataEx",
        "the manual says nothing about 0; driver 580 crashes (division by zero), also in cuLinkCreate and cuLinkAddFile",
    ),
    fix="leave out CU_JIT_THREADS_PER_BLOCK, or pass at least 1 thread",
)
CACHE_MODE_IS_KNOWN = Rule(
    "the value of CU_JIT_CACHE_MODE is a CUjit_cacheMode",
    Result.INVALID_VALUE,
    observed(
        "cuModuleLoadDataEx", "the driver answers INVALID_VALUE to a CU_JIT_CACHE_MODE of 9, also in cuLinkCreate"
    ),
    fix="pass a CUjit_cacheMode for CU_JIT_CACHE_MODE",
)
TARGET_IS_KNOWN = Rule(
    "the value of CU_JIT_TARGET is a CUjit_target, or 0",
    Result.INVALID_VALUE,
    observed(
        "cuModuleLoadDataEx",
        "the driver answers INVALID_VALUE to a CU_JIT_TARGET of 10, 130 or 999, also in cuLinkCreate",
    ),
    fix="pass a CUjit_target for CU_JIT_TARGET, or leave the option out",
)
PTX_STANDS_ALONE = Rule(
    "a CU_JIT_OPTIMIZATION_LEVEL that the compiler refuses does not meet PTX in a fatbin",
    Result.SUCCESS,
    undefined(
        "cuModuleLoadDataEx",
        "the manual says nothing about such values; driver 580 answers INVALID_PTX or crashes, also for linker inputs, and "
        "when a library is loaded",
    ),
    fix="leave out CU_JIT_OPTIMIZATION_LEVEL, or pass a level of 0 to 4, without CU_JIT_GENERATE_DEBUG_INFO",
)
TARGET_IS_COMPILED_FOR = Rule(
    "the driver compiles PTX for CU_JIT_TARGET",
    Result.INVALID_IMAGE,
    observed(
        "cuModuleLoadDataEx",
        "the driver answers INVALID_IMAGE to a CU_JIT_TARGET of 0, 30, 32, 35 or 53; the same holds for linker inputs "
        "and libraries",
    ),
    fix="pass the architecture of the device for CU_JIT_TARGET, or leave the option out",
)
LEVEL_IS_NOT_NEGATIVE = Rule(
    "the value of CU_JIT_OPTIMIZATION_LEVEL is not negative",
    Result.INVALID_PTX,
    observed(
        "cuModuleLoadDataEx",
        "the driver answers INVALID_PTX to a CU_JIT_OPTIMIZATION_LEVEL of -1, and accepts 5; the same holds for "
        "linker inputs and libraries",
    ),
    fix="pass a level of 0 to 4 for CU_JIT_OPTIMIZATION_LEVEL",
)
DEBUGGED_CODE_IS_NOT_OPTIMIZED = Rule(
    "with CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_OPTIMIZATION_LEVEL is 0 or left out",
    Result.INVALID_PTX,
    observed(
        "cuModuleLoadDataEx",
        "CU_JIT_GENERATE_DEBUG_INFO with a CU_JIT_OPTIMIZATION_LEVEL other than 0 answers INVALID_PTX; an input of a linker answers so, "
        "and the code of a library",
    ),
    fix="leave out CU_JIT_OPTIMIZATION_LEVEL with CU_JIT_GENERATE_DEBUG_INFO, or pass level 0",
)
TARGET_IS_THE_DEVICE_S = Rule(
    "the device of the current context runs code for CU_JIT_TARGET",
    Result.INVALID_SOURCE,
    observed(
        "cuModuleLoadDataEx",
        "an sm_90 device answers INVALID_SOURCE to PTX that is compiled for sm_70 or sm_75 by CU_JIT_TARGET",
    ),
    fix="leave out CU_JIT_TARGET, or pass the architecture of the device",
)


def options_of(options: tuple[int, ...] | None, values: tuple[int, ...] | None, count: int) -> dict[int, int]:
    """Return the values of JIT options by CUjit_option; see :func:`known`."""
    return dict(zip((options or ())[:count], values or (), strict=False))


def is_compiled(jit: Mapping[int, int]) -> bool:
    """Return whether the compiler accepts its options; see :func:`compiled_for`."""
    return not (_has_no_compiler(jit) or jit.get(LEVEL, 0) & SIZE >= (1 if jit.get(DEBUG, 0) & SIZE else NEGATIVE))


def _has_no_compiler(jit: Mapping[int, int]) -> bool:
    return TARGET in jit and jit[TARGET] & NUMBER in WITHOUT_COMPILER


def target_of(jit: Mapping[int, int]) -> int:
    """Return the target architecture of JIT options; 0 without one."""
    return jit.get(TARGET, 0) & NUMBER


@guard
def compiled_for(jit: Mapping[int, int]) -> int:
    """Return the architecture that PTX is compiled for; 0 for the device's own.

    Args:
        jit: The values of options of the compiler, by CUjit_option.
    """
    if not is_compiled(jit):
        if _has_no_compiler(jit):
            raise TARGET_IS_COMPILED_FOR.broken(target=target_of(jit))
        if jit[LEVEL] & SIZE >= NEGATIVE:
            raise LEVEL_IS_NOT_NEGATIVE.broken(level=jit[LEVEL])
        raise DEBUGGED_CODE_IS_NOT_OPTIMIZED.broken(level=jit[LEVEL])
    return target_of(jit)


def runs(device: Device, jit: Mapping[int, int]) -> bool:
    """Return whether a device can run the compiler's output for the target options."""
    own = device.architecture
    arch = jit.get(TARGET, own) & NUMBER
    return arch // 10 == own // 10 and arch <= own


@guard
def require_own_target(call: Call, context: Context, data: bytes, jit: Mapping[int, int]) -> None:
    """Check that a context's device can run the compiler's output for an image; see :func:`read_and_compiled_for`."""
    if not is_compiled(jit) and legible(call, context.device, data, jit):
        alone(call, data, jit)
    arch = compiled_for(jit)
    if not runs(context.device, jit):
        parsed(call, data, context.device, arch)
        raise TARGET_IS_THE_DEVICE_S.broken(target=arch, device=context.device)


@guard
def read_and_compiled_for(call: Call, device: Device, data: bytes, jit: Mapping[int, int]) -> int:
    """Return the architecture that an image is compiled for.

    Args:
        call: The call.
        device: The device.
        data: The image, which is read before options that the compiler refuses.
        jit: As for :func:`compiled_for`.
    """
    if not is_compiled(jit):
        legible(call, device, data, jit)
    return compiled_for(jit)


def counts_first(refused: Refused, jit: Mapping[int, int]) -> bool:
    """Return whether an image is refused before options that the compiler refuses: it is no code, or has none to compile.

    Args:
        refused: Why it is refused.
        jit: As for :func:`compiled_for`. A target without a compiler counts first all the same.
    """
    return refused.why == BAD_IMAGE or (refused.why == OTHER_DEVICE and not _has_no_compiler(jit))


@guard
def legible(call: Call, device: Device, data: bytes, jit: Mapping[int, int]) -> bool:
    """Check what counts before refused options; return whether the device can load the image. Arguments as above."""
    try:
        read(call, data, device)
    except Refused as refused:
        if counts_first(refused, jit):
            parsed(call, data, device)
        return False
    return True


@guard
def alone(call: Call, data: bytes, jit: Mapping[int, int]) -> None:
    """Check that an image with code is no fatbin, if the compiler refuses its options; see :func:`compiled_for`."""
    if not (is_compiled(jit) or _has_no_compiler(jit) or is_text(data) or data.startswith(MAGIC)):
        call.undefined(PTX_STANDS_ALONE, options=jit)


@guard
def into(call: Call, context: Context, data: bytes | None, *, debug: bool = False) -> Module:
    """Load an image into a context, with debug information or without, and return the module."""
    if data is None:
        raise IMAGE_IS_GIVEN.broken(image=data)
    return read_into(call, context, data, debug=debug)


@guard
def read_into(call: Call, context: Context, data: bytes, *, debug: bool = False) -> Module:
    """Wait for the work of a context, load an image into it, and return the module."""
    image = parsed(call, data, context.device)
    if context.narrow is not None:
        unmanaged(call, data)
    waited(context, by=orders.LOADED)
    module = module_effects.load(context, image, history.here(), debug=debug)
    if module is None:
        raise VARIABLES_HAVE_ROOM.broken(size=sum(one.size for one in image.variables.values()))
    return module


@guard
def known(call: Call, options: tuple[int, ...] | None, values: tuple[int, ...] | None, count: int) -> None:
    """Check JIT options and their values; arguments as for :func:`listed`."""
    listed(options, values, count)
    valued(call, options, values, count)
    targeted(options, values, count)


@guard
def listed(options: tuple[int, ...] | None, values: tuple[int, ...] | None, count: int) -> None:
    """Check that all JIT options are known.

    Args:
        options: CUjit_option.
        values: Their values.
        count: Their number.
    """
    if not count:
        return
    if options is None or values is None:
        raise OPTIONS_ARE_GIVEN.broken(options=options, values=values)
    options = options[:count]
    for option in options:
        if option not in KNOWN:
            raise OPTIONS_ARE_KNOWN.broken(option=option)
    for log, size in LOG_SIZE.items():
        if size in options and log not in options:
            raise LOGS_HAVE_BUFFERS.broken(option=size)
    if THREADS in options and TARGET in options:
        raise THREADS_ARE_WITHOUT_TARGET.broken(options=options)


@guard
def valued(call: Call, options: tuple[int, ...] | None, values: tuple[int, ...] | None, count: int) -> None:
    """Check the values of JIT options; arguments as for :func:`listed`."""
    for option, value in zip((options or ())[:count], values or (), strict=False):
        if option == REGISTERS and not value & SIZE:
            raise REGISTERS_ARE_SOME.broken(value=value)
        if option == THREADS and not value & SIZE:
            call.undefined(THREADS_ARE_SOME, value=value)
            raise THREADS_ARE_SOME.broken(value=value)
        if option == CACHE and value & SIZE not in CACHES:
            raise CACHE_MODE_IS_KNOWN.broken(value=value)


@guard
def targeted(options: tuple[int, ...] | None, values: tuple[int, ...] | None, count: int) -> None:
    """Check every target among JIT options, although the last one counts."""
    for option, target in zip((options or ())[:count], values or (), strict=False):
        if option == TARGET and target & SIZE and target & SIZE not in TARGETS:
            raise TARGET_IS_KNOWN.broken(target=target)


LOGGED = {PTX_IS_VALID: LOGS[BAD_PTX], PTX_IS_KNOWN: LOGS[NEW_PTX]}
"""Texts of the error log, by the broken rule."""


@DRIVER.op("cuModuleLoadDataEx", acts_before=tuple(LOGGED))
def module_load_data_ex(
    call: Call, image: bytes | None, count: int, options: tuple[int, ...] | None, values: tuple[int, ...] | None
) -> int:
    """Load an image into the current context, with JIT options; return the module.

    Args:
        call: The call.
        image: The image.
        count: The number of options.
        options: CUjit_option.
        values: Their values.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    known(call, options, values, count)
    given = options_of(options, values, count)
    # EFFECT
    try:
        if image is not None:
            require_own_target(call, context, image, given)
        return into(call, context, image, debug=bool(given.get(DEBUG, 0) & SIZE)).handle
    except Broken as broken:
        if broken.rule in LOGGED:
            text = LOGGED[broken.rule].format(broken.facts["ptx"])
            module_effects.log(call.process, given.get(ERRORS, 0), given.get(LOG_SIZE[ERRORS], 0) & SIZE, text)
        raise


@DRIVER.op("cuModuleLoadFatBinary")
def module_load_fat_binary(call: Call, image: bytes | None) -> int:
    """Load an image of any kind into the current context; return the module."""
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return into(call, context, image).handle
