"""The three APIs over one model: the driver's, the runtime's and HIP, and what is asked of each in the same way.

A call belongs to the API that its name begins like: ``cuMemAlloc``, ``cudaMalloc``, ``hipMalloc``. A rule belongs to the API
below whose package it is declared; a call checks rules of its own API and those of the APIs beneath.
"""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.codes import RUNTIME_NAMES, TO_HIP, TO_RUNTIME, Code, Error, Hip, Result, name_of
from fakecuda.rule import HIP, OPS, RUNTIME, Op, Rule, place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from fakecuda.api import Call


@define(eq=False)
class Api:
    """One API.

    Attributes:
        name: ``driver``, ``runtime`` or ``hip``.
        title: What people call it.
        prefix: What the names of its calls begin with.
        ops: Its modelled calls.
        codes: What its calls answer, by the driver's code.
        own: The enumerations of its codes; those of the first that has a number are what the number means.
        package: The module of its description.
    """

    name: str
    title: str
    prefix: str
    ops: Mapping[str, Op]
    codes: Mapping[int, int]
    own: tuple[type[Code], ...]
    package: str
    _members: dict[int, Code] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        for codes in reversed(self.own):
            self._members |= {int(code): code for code in codes}

    @cached_property
    def description(self) -> ModuleType:
        """The description of its calls, ``CALLS``, ``ENUMS`` and ``STRUCTS``; read when it is first asked for."""
        return importlib.import_module(self.package)

    @property
    def calls(self) -> Mapping[str, Call]:
        """Its calls by name, modelled or not."""
        calls: Mapping[str, Call] = self.description.CALLS
        return calls

    @cached_property
    def names(self) -> dict[int, str]:
        """The name of each code in C."""
        if self.name == "driver":
            return {int(code): code.cname for code in Result}
        if self.name == "runtime":
            return RUNTIME_NAMES
        return {code: name.decode() for code, name in self.description.NAMES.items()}

    @cached_property
    def _by_name(self) -> dict[str, Code]:
        camel = {code: "".join(map(str.capitalize, code.name.split("_"))) for code in Result}
        named: dict[str, Code] = {code.cname: code for code in Result}
        named |= {f"{self.prefix}Error{name}": code for code, name in camel.items()}
        named |= {
            name.replace("cuda", self.prefix, 1): Result(code) for code, name in RUNTIME_NAMES.items() if code in camel
        }
        return named | {name: self._members[code] for code, name in self.names.items()}

    def code(self, code: Code) -> Code:
        """Return what a call answers for the code of a rule."""
        number = self.codes.get(int(code), int(code)) if isinstance(code, Result) else int(code)
        return self._members[number]

    def cname(self, code: int) -> str:
        """Return the name of a code in C; the number as text where there is none."""
        return self.names.get(code, str(code))

    def short(self, code: int) -> str:
        """Return the name of a code as a log has it: the driver's without its prefix, the others' as they are."""
        return name_of(code) if self.name == "driver" else self.cname(code)

    def named(self, cname: str) -> Code:
        """Return the code that the manual calls so: as the enumeration does, or by the name of another API's.

        Raises:
            KeyError: There is no such code.
        """
        return self._by_name[cname]

    def member(self, name: str) -> Code | None:
        """Return the code of that name without a prefix, ``INVALID_VALUE``; None if there is none."""
        return next((codes[name] for codes in self.own if name in codes.__members__), None)

    def of_rules(self, op: Op) -> tuple[Rule, ...]:
        """Return the rules of a call that are this API's own."""
        return tuple(rule for rule in op.rules if home(rule.module) is self)


def _all(*codes: type[Code]) -> tuple[type[Code], ...]:
    return codes


DRIVER = Api("driver", "the driver API", "cu", OPS, {}, _all(Result), "fakecuda.api")
RUNTIME_API = Api(
    "runtime", "the runtime API", "cuda", RUNTIME, TO_RUNTIME, _all(Result, Error), "fakecuda.api.runtime"
)
HIP_API = Api("hip", "HIP", "hip", HIP, TO_HIP, _all(Hip, Result, Error), "fakecuda.api.hip")
APIS = {api.name: api for api in (DRIVER, RUNTIME_API, HIP_API)}
"""The APIs by name, the lowest first."""


def api_of(call: str) -> Api:
    """Return the API that a call belongs to."""
    return HIP_API if call.startswith("hip") else RUNTIME_API if call.startswith("cuda") else DRIVER


def home(module: str) -> Api:
    """Return the API below whose package a module lies."""
    return APIS.get(place(module).partition(".")[0], DRIVER)


def op_of(call: str) -> Op | None:
    """Return the operation of a call; None if it is not modelled."""
    return api_of(call).ops.get(call)


def below(op: Op) -> tuple[Op, ...]:
    """Return the operations of the APIs beneath that a call makes, in their order."""
    return tuple(part for part in op.parts if isinstance(part, Op))


def chapter(module: str) -> str:
    """Return the chapter that a module of rules stands in: ``va`` of the driver's, ``runtime.memory``, ``hip.va``."""
    path = place(module).split(".")
    return ".".join(path[: 1 + (path[0] in APIS)])


def every_rule(*apis: Api) -> dict[Rule, Any]:
    """Return every rule that calls of these APIs check, each once, in the order of the calls."""
    return dict.fromkeys(rule for api in apis for op in api.ops.values() for rule in op.rules)
