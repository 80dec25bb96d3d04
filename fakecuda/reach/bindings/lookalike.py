"""Common parts of the look-alikes of modules.

Their names, and calls that are not modelled.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from attrs import field, frozen

from fakecuda.errors import NotModelledWarning
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fakecuda.model.machine import Machine
    from fakecuda.model.os.thread import Thread
    from fakecuda.spec.description import Function

_warned: WeakKeyDictionary[Machine, set[str]] = WeakKeyDictionary()
OURS = __name__.partition(".")[0] + "."
FOREIGN = frozenset({"Any", "IntEnum", "List", "Optional", "Tuple", "ctypes", "cuda"})
"""Names that the modules have imported themselves."""


@frozen
class Module:
    """A module of cuda.bindings or hip-python.

    Attributes:
        name: The name, such as ``cuda.bindings.driver``.
        binding: The module, or its fallback.
        functions: Its functions that make calls.
        names: All public names.
        code: The class of its result codes.
        refusal: The name of the code for calls that are not modelled.
        results: Numbers of results of calls that are not modelled, if they do not follow from the C prototype.
        remember: Stores a code as the thread's last error; None if the API has no last error.
        takes: Functions that check the arguments of calls that are not modelled. By default, only their number is
            checked.
    """

    name: str
    binding: Any = field(repr=False)
    functions: Mapping[str, Function] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    code: Callable[[int], Any] = field(repr=False)
    refusal: str = field(repr=False)
    results: dict[str, int] = field(repr=False)
    remember: Callable[[Thread, int, str], None] | None = field(default=None, repr=False)
    takes: dict[str, Callable[..., None]] = field(factory=dict, repr=False)

    def find(self, name: str, kind: type, thread: Callable[[], Thread]) -> Any:
        """Return the object with a name in the module, unless it is a modelled call.

        Args:
            name: The name.
            kind: The look-alike's class. It gets classes and constants as attributes, for fast lookups.
            thread: Returns the calling thread.

        Raises:
            AttributeError: The module does not have the name.
        """
        call = self.functions.get(name)
        if call is not None:
            return partial(_not_modelled, self, call, thread)
        if name not in self.names:
            msg = f"module '{self.name}' has no attribute '{name}'"
            raise AttributeError(msg)
        value = getattr(self.binding, name)
        if isinstance(value, type | int):
            setattr(kind, name, value)
        return value

    def keywords_of(self, call: Function) -> list[str]:
        """Return the keywords of a call that is not modelled."""
        found = [param.keyword for param in call.params if param.keyword]
        if call.name.startswith(("cuDevSmResourceSplit", "cudaDevSmResourceSplit")):
            found.insert(1, "input_")
        return found


def _not_modelled(
    module: Module, call: Function, find: Callable[[], Thread], *args: object, **named: object
) -> tuple[Any, ...]:
    """Answer NOT_SUPPORTED for a call that fakecuda does not model."""
    _accept(module, call, args, named)
    if call.name in module.takes:
        module.takes[call.name](*args, **named)
    thread = find()
    thread.answer_unmodelled(call.name, int(Result.NOT_SUPPORTED))
    warn_once(thread.machine, call.name, module.refusal)
    if module.remember is not None:
        module.remember(thread, int(Result.NOT_SUPPORTED), call.name)
    count = module.results.get(call.name, len(call.outputs))
    return (module.code(int(Result.NOT_SUPPORTED)), *[None] * count)


def warn_once(machine: Machine, name: str, refusal: str) -> None:
    """Warn once per machine that a call is not modelled.

    It does not matter through which door the call comes.
    The warning points to the code that makes the call.

    Args:
        machine: The machine.
        name: The call.
        refusal: The name of the code that it answers.
    """
    warned = _warned.setdefault(machine, set())
    if name in warned:
        return
    warned.add(name)
    frame, depth = sys._getframe(), 1  # noqa: SLF001 - for stacklevel
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(OURS):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(f"{name} is not modelled: it answers {refusal}", NotModelledWarning, stacklevel=depth)


def _accept(module: Module, call: Function, args: tuple[object, ...], named: dict[str, object]) -> None:
    """Refuse arguments that do not fit the call's parameters.

    The messages are those of the binding.
    """
    keywords = module.keywords_of(call)
    for keyword in named:
        if keyword not in keywords:
            msg = f"{call.name}() got an unexpected keyword argument '{keyword}'"
            raise TypeError(msg)
        if keyword in keywords[: len(args)]:
            msg = f"{call.name}() got multiple values for keyword argument '{keyword}'"
            raise TypeError(msg)
    most = len(keywords)
    least = most - call.has_default
    if not least <= len(args) + len(named) <= most:
        bound, wanted = (
            ("exactly", most) if least == most else ("at least", least) if len(args) < least else ("at most", most)
        )
        takes = f"{bound} {wanted} positional argument{'s' * (wanted != 1)}" if most else "no arguments"
        msg = f"{call.name}() takes {takes} ({len(args)} given)"
        raise TypeError(msg)
