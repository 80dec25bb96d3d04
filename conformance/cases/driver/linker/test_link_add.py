"""cuLinkAddData, cuLinkAddFile: refused inputs of a linker.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.linker.fixtures import (
    CALLED,
    CALLER,
    CLASHING,
    CONSTANT,
    CUBIN,
    DECLARED,
    FATBINARY,
    INFO,
    INPUTS,
    LINKED,
    SILENT,
    TAKEN,
    TEXT,
    TOGETHER,
    add,
    caller_and_definition,
    complete,
    declaring,
    failed,
    give,
    incomplete,
    linker,
    logged,
    refuse_linker,
)
from conformance.cases.driver.linker.test_link_create import FALLBACK
from conformance.cases.driver.module.fixtures import EMPTY_FATBIN, FATBIN_OF_PTX, NO_FILES
from conformance.cases.driver.module.test_module_load import DEBUG, LEVEL, MAX_REGISTERS, UNCOMPILED
from conformance.cases.driver.module.test_module_load import optioned as of_the_compiler
from conformance.kit.case import Entry
from conformance.kit.kernels import HEAD, PTX
from conformance.kit.world import Unavailable
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

WALL_TIME, VERBOSE = 2, 12
"""CU_JIT_WALL_TIME."""
OBJECT, LIBRARY, NVVM = 3, 4, 5
"""CU_JIT_INPUT_OBJECT, _LIBRARY and _NVVM."""


def data(w: World) -> Invocation:
    a = w.process()
    plain = PTX + b"\0"
    return a.call(
        "cuLinkAddData",
        state=linker(a),
        type=TEXT,
        data=plain,
        size=len(plain),
        name=b"input",
        numOptions=0,
        options=None,
        optionValues=None,
    )


def file(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuLinkAddFile",
        state=linker(a),
        type=TEXT,
        path=a.file(PTX),
        numOptions=0,
        options=None,
        optionValues=None,
    )


def completes(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the linker completes an image."""
    i.process.ok.cuLinkComplete(i.args["state"])


def whole(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the linker completes an image after the missing input is added."""
    add(i.process, i.args["state"], CALLED)
    i.process.ok.cuLinkComplete(i.args["state"])


SHORT = b"nothing"
"""An input that is not code."""


def unoptimized(i: Invocation) -> int:
    """Return a linker that compiles nothing."""
    return linker(i.process, jit={LEVEL: -1})


def optioned(entry: Entry) -> None:
    """Add the cases of types and options."""
    refuse_linker(entry)
    entry.breaks("LINKER_IS_PENDING", state=lambda i: complete(i.process))
    entry.breaks("LINKER_IS_PENDING", "missed a name", state=lambda i: incomplete(i.process))
    entry.breaks("LINKER_HAS_NOT_FAILED", state=lambda i: failed(i.process, TEXT, CALLED, CALLED))
    entry.breaks("NAMES_ARE_ONE_INPUT_S", state=lambda i: linker(i.process, PTX))
    entry.breaks("INPUT_TYPE_IS_KNOWN", type=6)
    entry.breaks("INPUT_TYPE_IS_KNOWN", "99", type=99)
    of_the_compiler(entry)
    for rule, jit in UNCOMPILED.items():
        entry.breaks(rule, state=lambda i, jit=jit: linker(i.process, jit=jit))
    entry.breaks("NOTHING_FALLS_BACK", numOptions=1, options=(FALLBACK,), optionValues=(0,))
    entry.breaks(
        "NOTHING_FALLS_BACK", "of a fatbin", type=FATBINARY, numOptions=1, options=(FALLBACK,), optionValues=(0,)
    )
    entry.breaks("OPTIONS_ARE_OF_AN_INPUT", numOptions=1, options=(WALL_TIME,), optionValues=(0,))
    entry.breaks("CUBINS_ARE_NOT_COMPILED", type=CUBIN, numOptions=1, options=(MAX_REGISTERS,), optionValues=(32,))
    entry.breaks(
        "INPUT_IS_CODE", "a cubin with a verbose log", type=CUBIN, numOptions=1, options=(VERBOSE,), optionValues=(1,)
    )
    entry.breaks("NVVM_IS_COMPILED_BEFORE", type=NVVM)
    entry.breaks("CUBINS_ARE_NOT_COMPILED", "NVVM", type=NVVM, numOptions=1, options=(LEVEL,), optionValues=(2,))
    entry.breaks(
        "NVVM_IS_COMPILED_BEFORE", "registers", type=NVVM, numOptions=1, options=(MAX_REGISTERS,), optionValues=(32,)
    )
    for kind in (OBJECT, LIBRARY):
        entry.breaks("INPUT_IS_THE_HOST_S", str(kind), type=kind)
    entry.breaks(
        "DEBUGGED_CODE_IS_NOT_OPTIMIZED",
        "beside the linker's options",
        state=lambda i: linker(i.process, jit={LEVEL: 4}),
        numOptions=1,
        options=(DEBUG,),
        optionValues=(1,),
    )
    entry.also(
        "its own level",
        state=lambda i: linker(i.process, jit={LEVEL: -1}),
        numOptions=1,
        options=(LEVEL,),
        optionValues=(0,),
        then=completes,
    )

    @entry.also("a name twice after PTX was refused", rule="NAMES_ARE_ONE_INPUT_S", code=Result.UNKNOWN)
    def after_refusal(_w: World, i: Invocation) -> Invocation:
        a = i.process
        assert a.c.cuModuleLoadData(PTX[:60])[0] == Result.INVALID_PTX
        return i.evolve(state=linker(a, PTX))

    entry.also("an option", numOptions=1, options=(MAX_REGISTERS,), optionValues=(32,), then=completes)


def cut(i: Invocation) -> bytes:
    """Return a truncated cubin.

    Raises:
        Unavailable: Behind it is memory of another OS process, which a driver reads as the rest.
    """
    if not getattr(i.process.recorded.recorder.machine, "knows_ends", True):
        msg = "the machine does not know where memory of other OS processes ends"
        raise Unavailable(msg)
    return LINKED[:100]


add_data = Entry("cuLinkAddData", data, completes)
optioned(add_data)
add_data.breaks("INPUT_IS_GIVEN", data=None)
add_data.breaks("INPUT_HAS_BYTES", data=b"", size=0)
add_data.breaks("INPUT_IS_CODE", "a text of no letters", data=b"", size=1)
for rule, case, kind, given in INPUTS:
    add_data.breaks(rule, case, type=kind, data=given, size=len(given))
for case, given in TAKEN.items():
    add_data.also(case, type=FATBINARY, data=given, size=len(given), then=completes)
add_data.breaks("LIBRARY_HAS_A_HEAD", type=LIBRARY, data=SHORT, size=len(SHORT))
for rule, size in (("LIBRARY_HAS_A_HEAD", 8), ("INPUT_IS_THE_HOST_S", 9)):  # in C a text ends at its first NUL
    add_data.breaks(rule, f"a text of 5 letters in {size} bytes", type=LIBRARY, data=b"short\0and more", size=size)
add_data.breaks("INPUT_IS_CODE", "beside a level", state=unoptimized, data=SHORT, size=len(SHORT))
add_data.breaks("INPUT_IS_NOT_LINKED", type=CUBIN, data=LINKED, size=len(LINKED))
add_data.model_only("INPUT_IS_NOT_LINKED", code=Result.NO_BINARY_FOR_GPU)
add_data.undefined(
    "PTX_STANDS_ALONE",
    code=Result.INVALID_PTX,
    data=FATBIN_OF_PTX,
    size=len(FATBIN_OF_PTX),
    state=lambda i: linker(i.process, jit={LEVEL: -1}),
)
add_data.undefined("INPUT_IS_WHOLE", code=Result.INVALID_IMAGE, type=CUBIN, data=cut, size=100)
add_data.also("more than its size", size=1, then=completes)
add_data.also("without a name", name=None, then=completes)
add_data.also("what another has is missing", data=CALLER + b"\0", size=len(CALLER) + 1, then=whole)


for rule, pair in CLASHING.items():
    first, second = map(declaring, pair)
    add_data.breaks(rule, state=lambda i, first=first: linker(i.process, first[:-1]), data=second, size=len(second))
for case, pair in TOGETHER.items():
    first, second = map(declaring, pair)
    add_data.also(
        case, state=lambda i, first=first: linker(i.process, first[:-1]), data=second, size=len(second), then=completes
    )


@add_data.world("FUNCTIONS_HAVE_ONE_PROTOTYPE")
def without_its_result(_w: World, i: Invocation) -> Invocation:
    """Add an input that uses a result of that function."""
    add(i.process, i.args["state"], CALLER)
    return i.evolve(data=SILENT, size=len(SILENT))


@add_data.also("a declaration with a result that the definition lacks", rule="FUNCTIONS_HAVE_ONE_PROTOTYPE")
def declared_last(_w: World, i: Invocation) -> Invocation:
    """Add the definition first."""
    add(i.process, i.args["state"], SILENT)
    return i.evolve(data=CALLER, size=len(CALLER))


@add_data.world("VARIABLES_ARE_WHERE_THEY_WERE")
def a_constant(_w: World, i: Invocation) -> Invocation:
    """Add an input that uses a variable of that name."""
    add(i.process, i.args["state"], CALLER)
    return i.evolve(data=CONSTANT, size=len(CONSTANT))


@add_data.also("a linked cubin as PTX", rule="LINKER_HAS_NOT_FAILED", code=Result.INVALID_SOURCE)
def linked(_w: World, i: Invocation) -> Invocation:
    """Pass a linked cubin to a failed linker, which ignores its content and type."""
    return i.evolve(state=failed(i.process, TEXT, CALLED, CALLED), data=LINKED, size=len(LINKED))


@add_data.after("another after one that was refused")
def another(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that inputs without code are forgotten, but not repeated names."""
    a, state = i.process, i.args["state"]
    for given in (b"garbage", PTX):
        a.c.cuLinkAddData(state, TEXT, given, len(given), None, 0, None, None)
        a.c.cuLinkAddData(state, TEXT, CALLED, len(CALLED), None, 0, None, None)
    a.c.cuLinkComplete(state)


@add_data.also("a function that differs between a caller and a definition")
def declared_otherwise(_w: World, i: Invocation) -> None:
    """Check both orders, and the log: it names the input with the definition."""
    a = i.process
    for *types, code in DECLARED:
        caller, definition = caller_and_definition(*types)
        for inputs, first in (((caller, definition), "in1"), ((definition, caller), "in0")):
            handle, log = logged(a)
            codes = [give(a, handle, data, name=b"in%d" % number) for number, data in enumerate(inputs)]
            text = f"error   : Prototype doesn't match for 'other' in 'in1', first defined in '{first}'" if code else ""
            assert codes == [0, code]
            assert a.read(log, len(text) + 1) == text.encode() + b"\0"
            assert a.c.cuLinkComplete(handle)[0] == code


LINE = b"error   : Binary format for key='0', ident='' is not recognized"
"""The error log's line on an input that is not code."""
TWICE = "error   : Multiple definition of '{0}' in 'in', first defined in 'in'"
NAMED = (
    HEAD
    + ".visible .global .u32 v;\n.visible .func f() { ret; }\n.visible .entry a() { ret; }\n.visible .entry b() { ret; }\n"
).encode()
"""PTX with names that an input may have."""
MANY = (HEAD + "".join(f".visible .global .u32 v{number};\n" for number in range(100))).encode()


@add_data.also("a log of names that are there twice")
def log_of_names(_w: World, i: Invocation) -> None:
    """Check the log: kernels in reverse order first, other spaces on their own lines."""
    a = i.process
    for inputs, codes, text in (
        ((NAMED, NAMED), (0, Result.INVALID_SOURCE), "\n".join(map(TWICE.format, "bafv"))),
        (
            (CALLER, CONSTANT, PTX),
            (0, Result.INVALID_SOURCE, Result.INVALID_SOURCE),
            "error   : Memory space doesn't match for 'far' in 'in', first specified in 'in'",
        ),
        (
            (CALLER, SILENT),
            (0, Result.INVALID_SOURCE),
            "error   : Prototype doesn't match for 'other' in 'in', first defined in 'in'",
        ),
    ):
        handle, log = logged(a)
        assert tuple(give(a, handle, data) for data in inputs) == codes
        assert a.read(log, len(text) + 1) == text.encode() + b"\0"
    handle, log = logged(a, 100)
    assert [give(a, handle, data) for data in (MANY, MANY)] == [0, Result.INVALID_SOURCE]
    assert a.read(log, 100) == "\n".join(map(TWICE.format, ("v0", "v1"))).encode()[:99] + b"\0"


@add_data.also("a log without room for a line")
def log_that_is_cut(_w: World, i: Invocation) -> None:
    """Check how the driver clears a log that is too short."""
    a = i.process
    for room in (1, 8, 256):
        handle, log = logged(a, room)
        assert give(a, handle, b"no") == Result.INVALID_IMAGE
        fits = room > len(LINE)
        assert a.read(log, room) == LINE[: room - 1].ljust(room - 1, b"\0") + (b"x" if fits else b"\0")
        assert give(a, handle, b"no") == Result.INVALID_IMAGE
        assert a.read(log, room) == (LINE + b"\n" + LINE if fits else LINE)[: room - 1].ljust(room, b"\0")
    text = b"\n".join([LINE] * 3)
    for room in (1, 2, *(end + more for end in (len(LINE), 2 * len(LINE) + 1, len(text)) for more in range(4))):
        handle, log = logged(a, room)
        assert [give(a, handle, b"no", kind) for kind in (FATBINARY, TEXT)] == [Result.INVALID_IMAGE] * 2
        assert a.read(log, room) == text[: room - 1].ljust(room, b"\0")


@add_data.also("no code for the target, and a level", rule="INPUT_IS_FOR_THE_TARGET")
def without_code(_w: World, i: Invocation) -> Invocation:
    """A driver that has nothing to compile looks at no level."""
    return i.evolve(data=EMPTY_FATBIN, size=len(EMPTY_FATBIN), numOptions=1, options=(LEVEL,), optionValues=(-1,))


@add_data.also("a fatbin without code, and a level")
def passed_over(w: World, i: Invocation) -> Invocation:
    return without_code(w, i).evolve(type=FATBINARY)


@add_data.also("a log of a fatbin without code")
def log_of_no_code(_w: World, i: Invocation) -> None:
    """Check the log's line on an ignored input."""
    handle, log = logged(i.process, kind=INFO)
    text = b" No code for sm_90 in in; continuing.\0"
    assert give(i.process, handle, EMPTY_FATBIN, FATBINARY) == 0
    assert i.process.read(log, len(text)) == text
    i.process.ok.cuLinkComplete(handle)


test_link_add_data = add_data.test()

add_file = Entry("cuLinkAddFile", file, completes)
optioned(add_file)
add_file.breaks("FILE_IS_NAMED", path=None)
for rule, path in NO_FILES.items():
    add_file.breaks(rule, "" if path else "empty name", path=path)
for rule, case, kind, given in INPUTS:
    add_file.breaks(rule, case, type=kind, path=lambda i, given=given: i.process.file(given))
for case, given in TAKEN.items():
    add_file.also(case, type=FATBINARY, path=lambda i, given=given: i.process.file(given), then=completes)
add_file.undefined(
    "PTX_STANDS_ALONE",
    code=Result.INVALID_PTX,
    path=lambda i: i.process.file(FATBIN_OF_PTX),
    state=lambda i: linker(i.process, jit={LEVEL: -1}),
)
add_file.breaks("FILE_HAS_BYTES", path=lambda i: i.process.file(b""))
add_file.breaks("LIBRARY_HAS_A_HEAD", type=LIBRARY, path=lambda i: i.process.file(SHORT))
add_file.breaks("INPUT_IS_CODE", "beside a level", state=unoptimized, path=lambda i: i.process.file(SHORT))
NO_REGISTERS: dict[str, Any] = {"numOptions": 1, "options": (MAX_REGISTERS,), "optionValues": (0,)}
add_file.breaks("FILE_IS_THERE", "before values of options", path=b"/nowhere/fakecuda.ptx", **NO_REGISTERS)
add_file.undefined(
    "PTX_STANDS_ALONE",
    code=Result.INVALID_PTX,
    path=lambda i: i.process.file(FATBIN_OF_PTX),
    state=lambda i: linker(i.process, jit={LEVEL: -1}),
)
add_file.breaks("FILE_HAS_BYTES", "before values of options", path=lambda i: i.process.file(b""), **NO_REGISTERS)
add_file.breaks("INPUT_IS_NOT_LINKED", type=CUBIN, path=lambda i: i.process.file(LINKED))
add_file.model_only("INPUT_IS_NOT_LINKED", code=Result.NO_BINARY_FOR_GPU)
add_file.undefined("INPUT_IS_WHOLE", code=Result.INVALID_IMAGE, type=CUBIN, path=lambda i: i.process.file(LINKED[:100]))


for rule, pair in CLASHING.items():
    first, second = map(declaring, pair)
    add_file.breaks(
        rule,
        state=lambda i, first=first: linker(i.process, first[:-1]),
        path=lambda i, second=second: i.process.file(second[:-1]),
    )


@add_file.world("FUNCTIONS_HAVE_ONE_PROTOTYPE")
def without_its_result_in_a_file(_w: World, i: Invocation) -> Invocation:
    """Add an input that uses a result of that function."""
    add(i.process, i.args["state"], CALLER)
    return i.evolve(path=i.process.file(SILENT))


@add_file.world("VARIABLES_ARE_WHERE_THEY_WERE")
def a_constant_of_a_file(_w: World, i: Invocation) -> Invocation:
    """Add an input that uses a variable of that name."""
    add(i.process, i.args["state"], CALLER)
    return i.evolve(path=i.process.file(CONSTANT))


test_link_add_file = add_file.test()
