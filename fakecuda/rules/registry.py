"""The registry of the APIs over one model, each with the operations of its calls.

The beginning of its name decides the API of a call: ``cuMemAlloc``, ``cudaMalloc``, ``hipMalloc``, ``nvmlInit``. A rule
belongs to the API of the package that declares it. A call checks rules of its own API and of the APIs below.
:mod:`fakecuda.spec` describes the calls, and does not import this module.
"""

from __future__ import annotations

import importlib
from collections import ChainMap
from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from attrs import define, field

from fakecuda.model.history import FailedCall, here
from fakecuda.rules.core import GUARDS, RULES, TOGETHER, Rule, place
from fakecuda.rules.dispatch import HOMES, Op, Ops
from fakecuda.spec.codes import RUNTIME_NAMES, TO_HIP, TO_RUNTIME, Code, Error, Hip, Nvml, Result, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from fakecuda.model.os.thread import Thread
    from fakecuda.spec.description import Function

P = ParamSpec("P")
T = TypeVar("T")
NOT_READY = int(Result.NOT_READY)
"""The code that is neither success nor a failure, so not a last error."""


@define(eq=False)
class Api:
    """An API: its name, its codes and its operations.

    Attributes:
        name: ``driver``, ``runtime``, ``hip``, ``nvml`` or ``forms``, the name of its package in :mod:`fakecuda.rules` and its
            module in :mod:`fakecuda.spec`.
        title: Its name in texts.
        prefix: The beginning of its calls' names.
        codes: The codes of its calls, by the driver's code, if they differ.
        own: The enumerations of its codes. If several have a number, the first one names it.
        remember: Stores the code of a failed call as the thread's last error. None if the API has no last error.
        lower: The APIs below, whose operations its calls use.
        ops: The operations of its modelled calls.
    """

    name: str
    title: str
    prefix: str
    codes: Mapping[int, int]
    own: tuple[type[Code], ...]
    remember: Callable[[Thread, int, str], None] | None = None
    lower: tuple[Api, ...] = ()
    ops: Ops = field(init=False)
    _members: dict[int, Code] = field(init=False, factory=dict)
    _beneath: tuple[list[int], dict[Callable[..., Any], Op]] = field(init=False, factory=lambda: ([], {}))
    """A cache of :meth:`beneath`, with the change counts of the lower APIs."""

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
        """Declare the operation of a call.

        The function must make its checks before its effects.

        An operation that calls the function of another operation has its rules, too.

        Args:
            name: The function's name in the manual.
            acts_before: Rules that the driver checks after it has acted. A call that breaks one leaves a trace.
            remembered: Whether a failure becomes the thread's last error, if the API has one.
            several: Why it has several effects. Empty if it has at most one.
            words: Values of the names in braces in the docstring, for a function that serves several calls.
        """

        def declare(function: Callable[P, T]) -> Callable[P, T]:
            if words:
                function.__doc__ = str(function.__doc__).format(**words)
            self.ops[name] = Op(name, self, function, acts_before, self.remember if remembered else None, several)
            GUARDS.add(function)
            return function

        return declare

    def beneath(self) -> dict[Callable[..., Any], Op]:
        """Return the operations of the APIs below, by their functions."""
        changes = [api.ops.changes for api in self.lower]
        if changes != self._beneath[0]:
            found = {op.function: op for api in self.lower for op in api.ops.values()}
            self._beneath = ([api.ops.changes for api in self.lower], found)
        return self._beneath[1]

    @cached_property
    def description(self) -> ModuleType:
        """The module that describes its calls in ``CALLS``, ``ENUMS`` and ``STRUCTS``.

        Imported on first use.
        """
        return importlib.import_module(f"fakecuda.spec.{self.name}")

    @property
    def calls(self) -> Mapping[str, Function]:
        """All calls of the API by name, modelled or not."""
        calls: Mapping[str, Function] = self.description.CALLS
        return calls

    @property
    def not_supported(self) -> int:
        """The code that unmodelled calls of the API return."""
        code = self.member("NOT_SUPPORTED")
        assert code is not None
        return int(code)

    @cached_property
    def names(self) -> dict[int, str]:
        """The name in C of each code."""
        if self.prefix == DRIVER.prefix:
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
        """Return this API's code for the code of a rule."""
        number = self.codes.get(int(code), int(code)) if isinstance(code, Result) else int(code)
        return self._members[number]

    def cname(self, code: int) -> str:
        """Return the name of a code in C, or the number as text if it has no name."""
        return self.names.get(code, str(code))

    def short(self, code: int) -> str:
        """Return the name of a code for logs, without the driver's prefix."""
        return name_of(code) if self.prefix == DRIVER.prefix else self.cname(code)

    def named(self, cname: str) -> Code:
        """Return the code with a name from the manual, of this API or another.

        Raises:
            KeyError: No code has that name.
        """
        return self._by_name[cname]

    def member(self, name: str) -> Code | None:
        """Return the code with a name without prefix, such as ``INVALID_VALUE``.

        None if it does not exist.
        """
        return next((codes[name] for codes in self.own if name in codes.__members__), None)

    def of_rules(self, op: Op) -> tuple[Rule, ...]:
        """Return the rules of a call that belong to this API."""
        return tuple(rule for rule in op.rules if home(rule.module) is self)


def _runtime_remembers(thread: Thread, code: int, call: str) -> None:
    if code != NOT_READY:
        thread.last_error, thread.failed = code, FailedCall(call, RUNTIME.cname(code), created=here())


def _hip_remembers(thread: Thread, code: int, call: str) -> None:
    if code != NOT_READY or thread.machine.profile.hip.keeps_every_answer:
        thread.hip_error, thread.hip_failed = code, FailedCall(call, HIP.cname(code), created=here())


DRIVER = Api("driver", "the driver API", "cu", {}, (Result,))
RUNTIME = Api("runtime", "the runtime API", "cuda", TO_RUNTIME, (Result, Error), _runtime_remembers, (DRIVER,))
HIP = Api("hip", "HIP", "hip", TO_HIP, (Hip, Result, Error), _hip_remembers, (DRIVER, RUNTIME))
FORMS = Api("forms", "older forms of the driver API", "cu", {}, (Result,), None, (DRIVER,))
NVML = Api("nvml", "NVML", "nvml", {}, (Nvml,))
APIS = {api.name: api for api in (DRIVER, RUNTIME, HIP)}
"""The computing APIs by name, lowest first. Conformance programs call these APIs."""
EVERY_API = APIS | {NVML.name: NVML, FORMS.name: FORMS}
"""All APIs by name, including NVML and the older driver forms."""
OPS = ChainMap(DRIVER.ops, RUNTIME.ops, HIP.ops)
"""The operations of the computing APIs, by call name."""
EVERY_OP = ChainMap(*OPS.maps, NVML.ops, FORMS.ops)
"""The operations of all APIs, by call name."""


def api_of(call: str) -> Api:
    """Return the API of a call."""
    if call.startswith("nvml"):
        return NVML
    if call in FORMS.ops:
        return FORMS
    return HIP if call.startswith("hip") else RUNTIME if call.startswith("cuda") else DRIVER


def home(module: str) -> Api:
    """Return the API whose package contains a module."""
    return EVERY_API.get(place(module).partition(".")[0], DRIVER)


def module_at(path: str) -> str:
    """Return the module or package for a :func:`~fakecuda.rules.core.place` in ids."""
    return f"{RULES}{path}" if path.partition(".")[0] in EVERY_API else f"{RULES}{DRIVER.name}.{path}"


def op_of(call: str) -> Op | None:
    """Return the operation of a call; None if the call is not modelled."""
    return api_of(call).ops.get(call)


def below(op: Op) -> tuple[Op, ...]:
    """Return the operations of lower APIs that a call uses, in order."""
    return tuple(part for part in op.parts if isinstance(part, Op))


def chapter(module: str) -> str:
    """Return the chapter of a rule module, such as ``va`` or ``runtime.memory``."""
    path = place(module).split(".")
    return ".".join(path[: 1 + (path[0] in EVERY_API)])


def every_rule(*apis: Api) -> dict[Rule, Any]:
    """Return all rules of some APIs' calls, in the order of the calls.

    Rules that several calls break together come last.
    """
    found = dict.fromkeys(rule for api in apis for op in api.ops.values() for rule in op.rules)
    return found | dict.fromkeys(rule for rule in TOGETHER if home(rule.module) in apis)
