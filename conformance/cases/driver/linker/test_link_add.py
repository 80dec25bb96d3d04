"""cuLinkAddData, cuLinkAddFile: what inputs of a linker are refused.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.linker.fixtures import (
    CALLED,
    CALLER,
    INPUTS,
    TEXT,
    add,
    linker,
    refuse_complete,
    refuse_linker,
)
from conformance.cases.driver.module.fixtures import NO_FILES
from conformance.cases.driver.module.test_module_load import INFO_LOG_SIZE, MAX_REGISTERS
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

WALL_TIME = 2
"""CU_JIT_WALL_TIME."""


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
    """The image is made."""
    i.process.ok.cuLinkComplete(i.args["state"])


def whole(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """The image is made once what is missing is added."""
    add(i.process, i.args["state"], CALLED)
    i.process.ok.cuLinkComplete(i.args["state"])


def optioned(entry: Entry) -> None:
    """Add the cases of types and options."""
    refuse_linker(entry)
    refuse_complete(entry)
    entry.breaks("INPUT_TYPE_IS_KNOWN", type=6)
    entry.breaks("INPUT_TYPE_IS_KNOWN", "99", type=99)
    entry.breaks("OPTIONS_ARE_GIVEN", numOptions=1)
    entry.breaks("OPTIONS_ARE_KNOWN", numOptions=1, options=(99,), optionValues=(0,))
    entry.breaks("LOGS_HAVE_BUFFERS", numOptions=1, options=(INFO_LOG_SIZE,), optionValues=(100,))
    entry.breaks("OPTIONS_ARE_OF_AN_INPUT", numOptions=1, options=(WALL_TIME,), optionValues=(0,))
    entry.also("an option", numOptions=1, options=(MAX_REGISTERS,), optionValues=(32,), then=completes)


add_data = Entry("cuLinkAddData", data, completes)
optioned(add_data)
add_data.breaks("INPUT_IS_GIVEN", data=None)
for rule, case, kind, given in INPUTS:
    add_data.breaks(rule, case, type=kind, data=given, size=len(given))
add_data.also("without a name", name=None, then=completes)
add_data.also("what another has is missing", data=CALLER + b"\0", size=len(CALLER) + 1, then=whole)
test_link_add_data = add_data.test()

add_file = Entry("cuLinkAddFile", file, completes)
optioned(add_file)
add_file.breaks("FILE_IS_NAMED", path=None)
for rule, path in NO_FILES.items():
    add_file.breaks(rule, "" if path else "empty name", path=path)
for rule, case, kind, given in INPUTS:
    add_file.breaks(rule, case, type=kind, path=lambda i, given=given: i.process.file(given))
test_link_add_file = add_file.test()
