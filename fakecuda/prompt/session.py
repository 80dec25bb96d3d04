"""The typed statements of a prompt."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.errors import EndlessWait, KernelError, KernelNotDefined, ProcessDied, UndefinedBehaviour
from fakecuda.explain.reports.text import SMALL
from fakecuda.prompt.change import Done
from fakecuda.prompt.names import FUNCTIONS
from fakecuda.prompt.objects import found, value_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from fakecuda.machine.machine import Machine
    from fakecuda.prompt.console import Prompt

ANSWERS = (EndlessWait, KernelError, KernelNotDefined, ProcessDied, UndefinedBehaviour)
"""Exceptions from the machine; all others mean a wrong statement."""
NOTHING = Done()
ANSWER = "answer[0]"
"""The code of a printed answer, in a saved test."""


@frozen
class Typed:
    """A typed statement.

    Attributes:
        source: The statement.
        code: The code that its call answered. None if it returned no code.
        said: The name of the code, or of the exception. Otherwise empty.
        where: The expression that has the code after the statement: ``answer[0]``, or a variable.
        error: The exception that it raised. None without one.
        done: What it did to the machine.
        bound: Whether it gave values to names, although it raised an exception.
        answer: The addresses and handles that its call returned, by their place in the answer.
        holds: The addresses and handles that variables hold after it, with the first such variable.
        uses: The addresses and handles that it has as plain numbers, with the start of their object.
    """

    source: str
    code: int | None = None
    said: str = ""
    where: str = ""
    error: BaseException | None = field(default=None, eq=False)
    done: Done = NOTHING
    bound: bool = False
    answer: Mapping[int, int] = field(factory=dict)
    holds: Mapping[int, str] = field(factory=dict)
    uses: Mapping[int, int] = field(factory=dict)

    def asks(self, functions: Collection[str]) -> bool:
        """Return whether the statement only calls functions of the prompt."""
        return all(is_query(part, functions) for part in ast.parse(self.source).body)

    @property
    def failed(self) -> bool:
        """Whether the statement was wrong or interrupted, and changed nothing."""
        if isinstance(self.error, KeyboardInterrupt):
            return True
        wrong = self.error is not None and type(self.error) not in ANSWERS
        return wrong and not (self.done.changed or self.bound)

    @property
    def plain(self) -> bool:
        """Whether the statement made no call, changed nothing, and raised nothing."""
        return not (self.done.calls or self.done.changed or self.error is not None)


def is_query(statement: ast.stmt, functions: Collection[str] = FUNCTIONS) -> bool:
    """Return whether a statement is a call of one of the prompt's functions."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in functions


def code_of(source: str, answer: Any, scope: Mapping[str, Any], last: int | None) -> tuple[str, Any]:
    """Return a statement's code expression and the code; empty without a code.

    Args:
        source: The statement.
        answer: The value that it printed. None if it printed none or several.
        scope: The variables after it.
        last: What its last call answered. None without a call.
    """
    body = ast.parse(source).body
    if isinstance(answer, tuple) and answer:
        name, code = ANSWER if len(body) == 1 else "", answer[0]
        return (name, code) if isinstance(code, int) and code == last else ("", None)
    match body[0] if len(body) == 1 else None:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=ast.Call()):
            code = scope.get(name)
        case ast.Assign(targets=[ast.Name(id=variable)], value=ast.Call()):
            held = scope.get(variable)
            name, code = f"{variable}[0]", held[0] if isinstance(held, tuple) and held else None
        case _:
            return "", None
    return (name, code) if isinstance(code, int) and code == last else ("", None)


def split(typed: list[Typed], count: int) -> tuple[list[Typed], list[Typed]]:
    """Split statements into those to keep and those that ``undo`` removes.

    The rest begins with the statement that changed the machine as the last but ``count - 1``. It is empty if no statement
    has changed the machine.
    """
    changing = [place for place, one in enumerate(typed) if one.done.changed]
    if not changing:
        return typed, []
    start = changing[max(0, len(changing) - count)]
    return typed[:start], typed[start:]


def typed(source: str, answer: Any, done: Done, prompt: Prompt) -> Typed:
    """Return a statement that a prompt has just run.

    Args:
        source: The statement.
        answer: The value that it printed. None if it printed none or several.
        done: What it did to the machine.
        prompt: The prompt.
    """
    error, machine = prompt.error, prompt.machine
    if error is not None:
        where, code, said = "", None, type(error).__name__
    else:
        where, code = code_of(source, answer, prompt.scope, machine.calls[-1][3] if done.calls else None)
        said = getattr(code, "name", "" if code is None else str(code))
        code = None if code is None else int(code)
    own = [(name, item) for name, item in prompt.scope.items() if name not in prompt.given]
    return Typed(
        source, code, said, where, error, done, error is not None and bool(prompt.bound()),
        {value: place for place, value in _numbers(enumerate(answer))} if where == ANSWER else {},
        {value: name for name, value in _numbers(reversed(own))},
        _uses(machine, source),
    )  # fmt: skip


def _numbers(items: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, int]]:
    """Yield the addresses and handles among named values."""
    for name, item in items:
        value = value_of(item)
        if isinstance(value, int) and value > SMALL:
            yield name, value


def _uses(machine: Machine, source: str) -> dict[int, int]:
    """Return the addresses and handles in a statement, with their objects' starts."""
    constants = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    uses: dict[int, int] = {}
    for value in constants:
        if type(value) is int and value > SMALL and (objects := found(machine, value)):
            starts = [item.start for _, item in objects if getattr(item, "start", value) != value]
            uses[value] = starts[0] if starts else value
    return uses
