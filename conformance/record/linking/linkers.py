"""What is asked about linkers: orders of checks, codes, logs, and what the image is like."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.linker.fixtures import CALLED, CALLER
from conformance.cases.driver.module.fixtures import REFUSED
from conformance.kit.kernels import HEAD, PTX
from conformance.record.linking.asking import enum, question

if TYPE_CHECKING:
    from conformance.record.linking.asking import Asker

CUBIN, TEXT, FATBINARY, OBJECT, LIBRARY, NVVM = range(6)
"""CUjitInputType."""
WALL_TIME, INFO, INFO_SIZE, ERRORS, ERRORS_SIZE, FROM_CONTEXT, TARGET, VERBOSE = 2, 3, 4, 5, 6, 8, 9, 12
"""CUjit_option."""
ROOM = 1024


def ask(a: Asker, label: str, call: str, *args: Any) -> Any:
    """Make a call; the binding refuses some options that it does not know, before a driver is asked."""
    try:
        return a.ask(label, call, *args)
    except AttributeError as refusal:
        a.note([label, call, type(refusal).__name__])
        return None


def create(a: Asker, label: str, *options: tuple[int, Any]) -> Any:
    """Ask for a linker with options and their values."""
    names = [enum(a.cu.CUjit_option, option) for option, _ in options]
    return ask(a, label, "cuLinkCreate", len(options), names, [value for _, value in options])


def add(
    a: Asker,
    label: str,
    state: Any,
    data: Any,
    kind: int = TEXT,
    *options: tuple[int, Any],
    name: bytes = b"in",
) -> None:
    """Give a linker an input."""
    names = [enum(a.cu.CUjit_option, option) for option, _ in options]
    values = [value for _, value in options]
    size = 0 if data is None else len(data)
    given = enum(a.cu.CUjitInputType, kind)
    ask(a, label, "cuLinkAddData", state, given, data, size, name, len(options), names, values)


def logged(a: Asker, label: str) -> tuple[Any, bytearray, bytearray]:
    """Return a linker with both logs, which begin with other bytes."""
    info, errors = bytearray(b"x" * ROOM), bytearray(b"x" * ROOM)
    state = create(a, label, (INFO, info), (INFO_SIZE, ROOM), (ERRORS, errors), (ERRORS_SIZE, ROOM))
    return state, info, errors


def tell(a: Asker, label: str, *logs: bytearray) -> None:
    """Keep what logs say up to what they began with."""
    a.tell(label, [bytes(log).rstrip(b"x").decode("latin1") for log in logs])


def image(a: Asker, label: str, *inputs: bytes) -> tuple[Any, Any]:
    """Return a linker and the image that it makes of PTX: address and size; None where it makes none."""
    state = create(a, label)
    for data in inputs:
        add(a, label, state, data + b"\0")
    return state, a.ask(label, "cuLinkComplete", state)


@question
def creating(a: Asker) -> None:
    """Options, and what is looked at first."""
    create(a, "before cuInit")
    a.cu.cuInit(0)
    create(a, "no context")
    create(a, "no context, an unknown option", (99, 0))
    a.begin()
    for option in range(40):
        create(a, f"option {option}", (option, 0))
    for option in (INFO_SIZE, ERRORS_SIZE, INFO, ERRORS):
        create(a, f"alone {option}", (option, 100))
    a.ask("no options", "cuLinkCreate", 1, None, None)
    for target in (0, 52, 70, 80, 90, 90 | 0x10000, 100, 120, 999):
        state = create(a, f"target {target}", (TARGET, target))
        if state is not None:
            add(a, f"target {target}", state, PTX + b"\0")
            a.ask(f"target {target}", "cuLinkComplete", state)
    create(a, "target and that of the context", (TARGET, 90), (FROM_CONTEXT, 1))


@question
def logs(a: Asker) -> None:
    """What is in them when nothing has gone wrong, and when something has."""
    a.begin()
    state, info, errors = logged(a, "create")
    tell(a, "created", info, errors)
    add(a, "good", state, PTX + b"\0")
    tell(a, "good", info, errors)
    a.ask("complete", "cuLinkComplete", state)
    tell(a, "complete", info, errors)
    a.ask("destroy", "cuLinkDestroy", state)
    tell(a, "destroyed", info, errors)
    for label, data in (
        ("no version", b"garbage\0"),
        ("a bad line", HEAD.encode() + b".visible .entry e() { nonsense; }\0"),
    ):
        state, info, errors = logged(a, label)
        add(a, label, state, data)
        tell(a, label, info, errors)
        add(a, f"{label}, again", state, data)
        tell(a, f"{label}, again", info, errors)
        add(a, f"{label}, then good", state, PTX + b"\0")
        a.ask(label, "cuLinkComplete", state)
    small = bytearray(b"x" * 16)
    state = create(a, "small", (ERRORS, small), (ERRORS_SIZE, 8))
    add(a, "small", state, b"garbage\0")
    tell(a, "small", small)


@question
def sizes_of_logs(a: Asker) -> None:
    """What the driver writes over the options' values, as C passes them."""
    a.begin()
    driver: Any = ctypes.CDLL("libcuda.so.1")
    errors = ctypes.create_string_buffer(b"x" * ROOM)
    options = (ctypes.c_int * 4)(ERRORS, ERRORS_SIZE, WALL_TIME, VERBOSE)
    values = (ctypes.c_void_p * 4)(ctypes.addressof(errors), ROOM, 0, 1)
    state = ctypes.c_void_p()
    a.tell("create", driver.cuLinkCreate_v2(4, options, values, ctypes.byref(state)))
    a.tell("created", [values[1], values[2]])
    a.tell("add", driver.cuLinkAddData_v2(state, TEXT, b"garbage", ctypes.c_size_t(8), b"in", 0, None, None))
    a.tell("refused", [values[1], (values[2] or 0) != 0, errors.value.decode("latin1")])
    a.tell("good", driver.cuLinkAddData_v2(state, TEXT, PTX, ctypes.c_size_t(len(PTX) + 1), b"in", 0, None, None))
    made, size = ctypes.c_void_p(), ctypes.c_size_t()
    a.tell("complete", driver.cuLinkComplete(state, ctypes.byref(made), ctypes.byref(size)))
    a.tell("done", [values[1], (values[2] or 0) != 0])
    a.tell("no place", driver.cuLinkComplete(state, None, ctypes.byref(size)))


@question
def inputs(a: Asker) -> None:
    """Data of each type, as each type."""
    a.begin()
    _, made = image(a, "image", PTX)
    cubin = ctypes.string_at(made[0], made[1])
    data = {
        "PTX": PTX + b"\0",
        "PTX without an end": PTX,
        "empty": b"",
        "NUL": b"\0",
        "garbage": b"garbage\0",
        "cubin": cubin,
    }
    data |= {f"{rule} {case}": content for rule, case, content in REFUSED}
    data |= {"a cut cubin": cubin[:100], "archive": b"!<arch>\n" + bytes(60)}
    for label, content in data.items():
        for kind in (*range(7), -1):
            state, info, errors = logged(a, f"{label} as {kind}")
            add(a, f"{label} as {kind}", state, content, kind)
            tell(a, f"{label} as {kind}", info, errors)
            a.ask(f"{label} as {kind}", "cuLinkComplete", state)
    state = create(a, "null")
    add(a, "null", state, None)
    a.ask("no size", "cuLinkAddData", state, enum(a.cu.CUjitInputType, TEXT), PTX + b"\0", 0, b"in", 0, [], [])
    a.ask("half", "cuLinkAddData", state, enum(a.cu.CUjitInputType, TEXT), PTX + b"\0", 40, b"in", 0, [], [])
    for option in range(40):
        add(a, f"option {option}", create(a, "one"), PTX + b"\0", TEXT, (option, 0))
    add(a, "an unknown option and an unknown type", state, PTX, 99, (99, 0))
    add(a, "an unknown option and null", state, None, TEXT, (99, 0))
    add(a, "an unknown type and null", state, None, 99)
    for path in (b"/nowhere", b"", b"/", b"/dev/null"):
        a.ask(f"file {path.decode()}", "cuLinkAddFile", state, enum(a.cu.CUjitInputType, TEXT), path, 0, [], [])


@question
def missing(a: Asker) -> None:
    """Functions and variables that no input has, or several have: which call refuses them, and with what."""
    a.begin()
    weak = (HEAD + ".weak .func (.param .b32 r) other(.param .b32 a) { ret; }\n").encode()
    constant = (HEAD + ".visible .const .align 4 .u32 far = 7;\n").encode()
    declared = (HEAD + ".extern .func unused();\n.visible .entry e() { ret; }\n").encode()
    for label, given in {
        "all there": (CALLER, CALLED),
        "the other way round": (CALLED, CALLER),
        "missing": (CALLER,),
        "declared alone": (declared,),
        "weak": (CALLER, CALLED, weak),
        "weak first": (weak, CALLED, CALLER),
        "a constant": (CALLER, constant, weak),
        "a kernel twice": (PTX, PTX),
        "a function twice": (CALLED, CALLED),
        "static twice": ((HEAD + ".global .u32 s = 1;\n").encode(),) * 2,
        "none": (),
    }.items():
        state, info, errors = logged(a, label)
        for data in given:
            add(a, label, state, data + b"\0", name=b"one")
        a.ask(label, "cuLinkComplete", state, show=lambda made: made[1] > 0)
        tell(a, label, info, errors)
        a.ask(f"{label}, again", "cuLinkComplete", state, show=lambda made: made[1] > 0)


@question
def images(a: Asker) -> None:
    """What the image is, and how long it is there."""
    a.begin()
    state, made = image(a, "image", PTX)
    place, size = made
    head = ctypes.string_at(place, 64)
    a.tell("head", head.hex())
    a.tell("size", size)
    module = a.ask("load", "cuModuleLoadData", place)
    copy = a.ask("load a copy", "cuModuleLoadData", ctypes.string_at(place, size))
    for label, one in (("module", module), ("copy", copy)):
        a.ask(label, "cuModuleGetFunctionCount", one, show=int)
        functions = a.get("cuModuleEnumerateFunctions", 9, one)
        a.tell("functions", [a.get("cuFuncGetName", each).decode() for each in functions if int(each)])
        for each in functions:
            for attribute in range(10) if int(each) else ():
                kind = enum(a.cu.CUfunction_attribute, attribute)
                a.ask(f"attribute {attribute}", "cuFuncGetAttribute", kind, each, show=int)
        a.ask("variable", "cuModuleGetGlobal", one, b"counter", show=lambda found: found[1])
    kind = enum(a.cu.CUpointer_attribute, 2)
    a.ask("type of its memory", "cuPointerGetAttribute", kind, a.cu.CUdeviceptr(place))
    other = a.get("cuMemAlloc", 64)
    a.ask("copied from", "cuMemcpyHtoD", other, place, 64)
    again, _ = image(a, "of an image", CALLED)
    a.ask("state", "cuLinkDestroy", again)
    a.ask("destroy", "cuLinkDestroy", state)
    a.ask("loaded before", "cuModuleGetFunction", module, b"empty")


@question
def finished(a: Asker) -> None:
    """What is done with a linker that has made its image."""
    a.begin()
    state, _ = image(a, "image", PTX)
    a.ask("complete", "cuLinkComplete", state, show=lambda made: made[1] > 0)
    add(a, "add", state, CALLED + b"\0")
    a.ask("complete", "cuLinkComplete", state, show=lambda made: made[1] > 0)


@question
def of_no_context(a: Asker) -> None:
    """A linker where no context is current, and whose context is gone."""
    context = a.begin()
    state = create(a, "create")
    a.get("cuCtxPopCurrent")
    add(a, "none is current", state, PTX + b"\0")
    a.ask("none is current", "cuLinkComplete", state, show=lambda made: made[1] > 0)
    a.ask("none is current", "cuLinkDestroy", state)
    a.get("cuCtxPushCurrent", context)
    state = create(a, "create")
    a.get("cuCtxDestroy", context)
    add(a, "its context is gone", state, PTX + b"\0")
    a.ask("its context is gone", "cuLinkComplete", state, show=lambda made: made[1] > 0)
    a.ask("its context is gone", "cuLinkDestroy", state)


@question
def null_states(a: Asker) -> None:
    """Null in the place of a linker."""
    for label in ("before cuInit", "with a context"):
        add(a, label, 0, PTX + b"\0")
        a.ask(label, "cuLinkComplete", 0)
        a.ask(label, "cuLinkDestroy", 0)
        if label == "before cuInit":
            a.begin()


@question
def destroyed_states(a: Asker) -> None:
    """A linker that was destroyed, and what is none; a driver may crash."""
    a.begin()
    state = create(a, "create")
    a.ask("destroy", "cuLinkDestroy", state)
    add(a, "destroyed", state, PTX + b"\0")
    a.ask("destroyed", "cuLinkComplete", state)
    a.ask("destroyed", "cuLinkDestroy", state)


@question
def unknown_states(a: Asker) -> None:
    """A number that is no linker."""
    a.begin()
    a.ask("unknown", "cuLinkComplete", 0x1234560)
