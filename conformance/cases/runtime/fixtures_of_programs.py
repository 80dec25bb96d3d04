"""Registered symbols of a compiled program, whose image is PTX."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import EMPTY_FATBIN
from conformance.kit.kernels import PTX
from fakecuda.model.code.program import Binary, Symbol
from fakecuda.model.os.system import OWN

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = PTX + b".visible .global .attribute(.managed) .align 8 .b8 shared[64];\n"
BINARY = Binary(0, 0, SHARED)
_memory: list[ctypes.Array[ctypes.c_char]] = []


def _registered(register: Callable[[int, Symbol], None], name: str, binary: Binary = BINARY) -> int:
    """Register a name of an image, and return its host address."""
    _memory.append(ctypes.create_string_buffer(8))
    address = ctypes.addressof(_memory[-1])
    register(address, Symbol(binary, name))
    return address


EMPTY, STORE, LACKED = (_registered(OWN.program.register_function, name) for name in ("empty", "store", "none"))
COUNTER, TABLE, MANAGED, NOT_THERE = (
    _registered(OWN.program.register_variable, name) for name in ("counter", "table", "shared", "none")
)
"""Host addresses; the image lacks the last ones."""
FOREIGN = _registered(OWN.program.register_variable, "counter", Binary(0, 0, EMPTY_FATBIN))
"""The host address of a variable whose image does not fit the device."""
KERNELS_OF_IMAGES = {
    rule: _registered(OWN.program.register_function, "empty", Binary(0, 0, image))
    for rule, image in {
        "BINARY_IS_THE_DEVICE_S": EMPTY_FATBIN,
        "PTX_IS_VALID": b".version 7.0\n",
        "PTX_IS_KNOWN": b".version 99.0\n",
    }.items()
}
"""Host addresses of kernels whose images break a rule."""
USING = PTX.replace(b".visible .entry empty() {", b".extern .func other;\n.visible .entry empty() { call other;")
OTHER = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .func other { ret; }\n"
OF_PARTS = {
    "": (USING, OTHER, EMPTY_FATBIN),
    "PARTS_DEFINE_ALL": (USING, EMPTY_FATBIN),
    "PART_HAS_CODE": (EMPTY_FATBIN, OTHER),
}
"""Parts of linked code that do not fit the device, by the rule that they break."""
KERNELS_OF_PARTS, VARIABLES_OF_PARTS = (
    {
        rule: _registered(register, name, Binary(0, 0, EMPTY_FATBIN, parts=list(parts)))
        for rule, parts in OF_PARTS.items()
    }
    for register, name in ((OWN.program.register_function, "empty"), (OWN.program.register_variable, "counter"))
)
"""Host addresses of kernels and variables of this code."""
WHOLE = _registered(OWN.program.register_function, "empty", Binary(0, 0, PTX, parts=[EMPTY_FATBIN]))
"""The host address of a kernel of linked code that fits the device."""
_memory.append(ctypes.create_string_buffer(8))
NOTHING = ctypes.addressof(_memory[-1])
"""A host address that is not registered."""
