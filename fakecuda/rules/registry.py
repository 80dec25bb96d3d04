"""The registry: four APIs over one model, each with the operations of its calls.

A call belongs to the API that its name begins like: ``cuMemAlloc``, ``cudaMalloc``, ``hipMalloc``, ``nvmlInit``. A rule
belongs to the API of the package that declares it. A call checks rules of its own API and of the APIs beneath. The
calls are described in
:mod:`fakecuda.spec`, which does not import from here.
"""

from __future__ import annotations

import importlib
from collections import ChainMap
from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from attrs import define, field

from fakecuda.rules.core import GUARDS, RULES, TOGETHER, Rule, place
from fakecuda.rules.dispatch import HOMES, Op, Ops
from fakecuda.spec.codes import RUNTIME_NAMES, TO_HIP, TO_RUNTIME, Code, Error, Hip, Nvml, Result, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from fakecuda.model.os.process import Thread
    from fakecuda.spec.description import Function

P = ParamSpec("P")
T = TypeVar("T")
NOT_READY = int(Result.NOT_READY)
"""No failure, and so no last error."""


@define(eq=False)
class Api:
    """One API.

    Attributes:
        name: ``driver``, ``runtime``, ``hip`` or ``nvml``: its package in :mod:`fakecuda.rules`, and its module in :mod:`fakecuda.spec`.
        title: What people call it.
        prefix: What the names of its calls begin with.
        codes: What its calls answer, by the driver's code, where that is not the same.
        own: The enumerations of its codes; those of the first that has a number are what the number means.
        remember: Keeps what a call that failed has answered as the thread's last error; None if the API keeps no last
            error.
        lower: The APIs beneath, whose operations its calls make.
        ops: Its modelled calls.
    """

    name: str
    title: str
    prefix: str
    codes: Mapping[int, int]
    own: tuple[type[Code], ...]
    remember: Callable[[Thread, int], None] | None = None
    lower: tuple[Api, ...] = ()
    ops: Ops = field(init=False)
    _members: dict[int, Code] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self.ops = Ops(HOMES[self.name])
        for codes in reversed(self.own):
            self._members |= {int(code): code for code in codes}

    def op(
        self,
        name: str,
        *,
        acts_before: tuple[Rule, ...] = (),
        remembered: bool = True,
        several: str = "",
        **words: object,
    ) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """Declare the operation of a call; the function's checks come before its effects.

        An operation may call the function of another one, whose rules are its own then.

        Args:
            name: The function's name in the manual.
            acts_before: Rules that the driver checks when it has acted already: breaking one leaves a trace.
            remembered: Whether a failure is the thread's last error, where the API has one.
            several: Why it has several effects; empty where it has one, or none.
            words: What the names in braces mean in the docstring of a function that a family makes for each of its calls.
        """

        def declare(function: Callable[P, T]) -> Callable[P, T]:
            if words:
                function.__doc__ = str(function.__doc__).format(**words)
            self.ops[name] = Op(name, self, function, acts_before, self.remember if remembered else None, several)
            GUARDS.add(function)
            return function

        return declare

    def beneath(self) -> dict[Callable[..., Any], Op]:
        """Return the operations of the APIs beneath by their functions."""
        return {op.function: op for api in self.lower for op in api.ops.values()}

    @cached_property
    def description(self) -> ModuleType:
        """The description of its calls, ``CALLS``, ``ENUMS`` and ``STRUCTS``; read when it is first asked for."""
        return importlib.import_module(f"fakecuda.spec.{self.name}")

    @property
    def calls(self) -> Mapping[str, Function]:
        """Its calls by name, modelled or not."""
        calls: Mapping[str, Function] = self.description.CALLS
        return calls

    @property
    def not_supported(self) -> int:
        """The code of calls that are not modelled."""
        code = self.member("NOT_SUPPORTED")
        assert code is not None
        return int(code)

    @cached_property
    def names(self) -> dict[int, str]:
        """The name of each code in C."""
        if self.name == "driver":
            return {int(code): code.cname for code in Result}
        if self.name == "runtime":
            return RUNTIME_NAMES
        if self.name == "nvml":
            return {int(code): code.cname for code in Nvml}
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
        """Return the code that a call answers for the code of a rule."""
        number = self.codes.get(int(code), int(code)) if isinstance(code, Result) else int(code)
        return self._members[number]

    def cname(self, code: int) -> str:
        """Return the name of a code in C; or the number as text if it has no name."""
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
        """Return the code of that name without a prefix, ``INVALID_VALUE``; None if no code has it."""
        return next((codes[name] for codes in self.own if name in codes.__members__), None)

    def of_rules(self, op: Op) -> tuple[Rule, ...]:
        """Return the rules of a call that are this API's own."""
        return tuple(rule for rule in op.rules if home(rule.module) is self)


def _runtime_remembers(thread: Thread, code: int) -> None:
    if code != NOT_READY:
        thread.last_error = code


def _hip_remembers(thread: Thread, code: int) -> None:
    if code != NOT_READY or thread.machine.profile.hip.keeps_every_answer:
        thread.hip_error = code


DRIVER = Api("driver", "the driver API", "cu", {}, (Result,))
RUNTIME = Api("runtime", "the runtime API", "cuda", TO_RUNTIME, (Result, Error), _runtime_remembers, (DRIVER,))
HIP = Api("hip", "HIP", "hip", TO_HIP, (Hip, Result, Error), _hip_remembers, (DRIVER, RUNTIME))
NVML = Api("nvml", "NVML", "nvml", {}, (Nvml,))
APIS = {api.name: api for api in (DRIVER, RUNTIME, HIP)}
"""The APIs that programs compute with, by name, the lowest first: the conformance suite makes its programs of their calls."""
EVERY_API = APIS | {NVML.name: NVML}
"""All by name: NVML beside them, whose calls tell of cards, and are compared with what cards have answered."""
OPS = ChainMap(DRIVER.ops, RUNTIME.ops, HIP.ops)
"""Every operation of these by the name of its call."""
EVERY_OP = ChainMap(*OPS.maps, NVML.ops)
"""Those of NVML, too."""


def api_of(call: str) -> Api:
    """Return the API that a call belongs to."""
    if call.startswith("nvml"):
        return NVML
    return HIP if call.startswith("hip") else RUNTIME if call.startswith("cuda") else DRIVER


def home(module: str) -> Api:
    """Return the API below whose package a module lies."""
    return EVERY_API.get(place(module).partition(".")[0], DRIVER)


def module_at(path: str) -> str:
    """Return the module, or the package, that ids have for a :func:`~fakecuda.rules.core.place`."""
    return f"{RULES}{path}" if path.partition(".")[0] in EVERY_API else f"{RULES}{DRIVER.name}.{path}"


def op_of(call: str) -> Op | None:
    """Return the operation of a call; None if it is not modelled."""
    return api_of(call).ops.get(call)


def below(op: Op) -> tuple[Op, ...]:
    """Return the operations of the APIs beneath that a call makes, in their order."""
    return tuple(part for part in op.parts if isinstance(part, Op))


def chapter(module: str) -> str:
    """Return the chapter that a module of rules stands in: ``va`` of the driver's, ``runtime.memory``, ``hip.va``."""
    path = place(module).split(".")
    return ".".join(path[: 1 + (path[0] in EVERY_API)])


def every_rule(*apis: Api) -> dict[Rule, Any]:
    """Return every rule that calls of these APIs check, each once, in the order of the calls, and those that calls break together."""
    found = dict.fromkeys(rule for api in apis for op in api.ops.values() for rule in op.rules)
    return found | dict.fromkeys(rule for rule in TOGETHER if home(rule.module) in apis)
