"""The typed statements of a prompt, as a test: ``save("test_it.py")``."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from attrs import define, field

import fakecuda
from fakecuda.prompt.names import FUNCTIONS
from fakecuda.prompt.session import ANSWER, ANSWERS, is_query
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fakecuda.prompt.session import Typed

INDENT = " " * 4
FAILED = re.compile(r"E  |[^\s:]+:\d+: in ")
"""Prefixes of error lines and place lines in pytest's short tracebacks."""
MOST = 10
"""The maximum number of lines about a failed saved test."""
LOOKS = frozenset(
    (
        "abs", "all", "any", "ascii", "bin", "bool", "bytes", "dict", "dir", "divmod", "enumerate", "float", "format",
        "frozenset", "getattr", "hasattr", "hash", "hex", "id", "int", "isinstance", "issubclass", "len", "list", "max", "min",
        "oct", "ord", "pow", "print", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type",
        "vars", "zip",
    )
)  # fmt: skip
"""Builtins without effect, which a test does not need."""
QUIET = (
    ast.expr_context, ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Dict,
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.IfExp, ast.Starred,
    ast.JoinedStr, ast.FormattedValue, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
    ast.keyword,
)  # fmt: skip
"""Expressions without effect."""


@define
class Saved:
    """A test of typed statements.

    Attributes:
        text: The test.
        notes: What its writer should know, a line for each fact.
    """

    text: str
    notes: list[str]


def as_test(typed: Iterable[Typed], options: Mapping[str, Any]) -> Saved:
    """Return a test that runs the typed statements and asserts the codes of their calls.

    Left out are queries of the prompt, wrong Python that changed nothing, and expressions that only look at something.

    Args:
        typed: The statements.
        options: Arguments of the test's mark.
    """
    writer = _Writer([(one, _without_queries(one.source)) for one in typed if not one.failed])
    for one, body in writer.kept:
        writer.write(one, body)
    loaded = writer.names(ast.Load)
    head = [
        '"""Saved from a prompt."""',
        "",
        *writer.futures,
        *(["import builtins", ""] if writer.hidden(loaded) else []),
        "import pytest",
        *writer.stars,
        "",
        "",
        f"@pytest.mark.fakecuda({', '.join(f'{name}={value!r}' for name, value in options.items())})",
        "def test_session(fakecuda):",
        *(f"{INDENT}global {name}" for name in writer.shared()),
        *([f"{INDENT}import pytest"] if "pytest" in writer.names(ast.Store) else []),
        f"{INDENT}machine = fakecuda.machine",
        f'{INDENT}a, b = (fakecuda.spawn(name) for name in "ab")',
        *([f"{INDENT}driver = a.driver"] if "driver" in loaded else []),
        *(f"{INDENT}{name} = a.driver.{name}" for name in sorted(loaded & ENUMS.keys())),
        *(f"{INDENT}{name} = fakecuda.{name}" for name in writer.public(loaded)),
        *(f"{INDENT}{name} = builtins.{name}" for name in writer.hidden(loaded)),
        *(f"{INDENT}{name} = lambda *_, **__: None  # the prompt's" for name in sorted(loaded & writer.queries)),
    ]
    lines = [f"{INDENT}{line}" if line else "" for line in writer.lines]
    return Saved("\n".join([*head, *lines]) + "\n", writer.notes)


def write(saved: Saved, file: Path) -> list[str]:
    """Write a test to a file, run it in a process of its own, and return what to print.

    If it fails, the file ends with what differs.
    """
    file.write_text(saved.text, encoding="utf-8")
    if importlib.util.find_spec("pytest") is None:
        return [f"wrote {file}, and did not run it: pytest is not installed", f"run it: pytest {file}"]
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - a test of the session
    if done.returncode == 0:
        return [f"wrote {file}, and it passes: pytest {file}"]
    said = _differences(done.stdout + done.stderr)
    remark = "".join(f"# {line}".rstrip() + "\n" for line in ["This test failed when it was saved:", *said])
    file.write_text(f"{saved.text}\n{remark}", encoding="utf-8")  # behind it, so that the numbers of lines hold
    return [f"wrote {file}, but it fails:", *(f"  {line}" for line in said), f"run it: pytest {file}"]


def _differences(output: str) -> list[str]:
    """Return pytest's lines on where and why a test failed, or its last lines."""
    lines = output.splitlines()
    told = [line for line in lines if FAILED.match(line)]
    return [line.removeprefix("E").strip() for line in told[:MOST]] or [line for line in lines if line.strip()][-MOST:]


@define
class _Writer:
    """Writes statements as the lines of a function.

    Attributes:
        kept: The statements, each with its parts that a test has.
        lines: The lines so far.
        notes: What the test's writer should know.
        futures: Imports that must stand at the beginning of a module.
        stars: Imports that must stand outside of a function.
        last: What is written before an expression that prints: an assignment to ``_`` if a statement reads that.
        answer: The variable of the last answer.
    """

    kept: list[tuple[Typed, list[ast.stmt]]]
    lines: list[str] = field(factory=list, init=False)
    notes: list[str] = field(factory=list, init=False)
    futures: list[str] = field(factory=list, init=False)
    stars: list[str] = field(factory=list, init=False)
    _known: dict[int, str] = field(factory=dict, init=False)
    _answers: dict[int, tuple[int, int]] = field(factory=dict, init=False)
    _named: set[str] = field(factory=set, init=False)
    last: str = field(init=False)
    answer: str = field(init=False)

    @last.default
    def _last(self) -> str:
        # At a prompt, _ is the last result, unless a statement assigns to it.
        return "_ = " if "_" in self.names(ast.Load) - self.names(ast.Store) else ""

    @answer.default
    def _answer(self) -> str:
        return self._free("answer")

    def _free(self, name: str) -> str:
        """Return an unused name, with a number if needed."""
        taken = self._named | self.names(ast.Load) | self.names(ast.Store)
        found = next(one for one in (name, *(f"{name}{number}" for number in range(1, 1 << 20))) if one not in taken)
        self._named.add(found)
        return found

    @property
    def queries(self) -> set[str]:
        """The prompt's functions that no statement has redefined."""
        return FUNCTIONS.keys() - self.names(ast.Store)

    def nodes(self) -> Iterable[ast.AST]:
        """Return all parts of the statements."""
        return (node for _, body in self.kept for part in body for node in ast.walk(part))

    def names(self, context: type[ast.expr_context]) -> set[str]:
        """Return the names that statements read, or those to which they give values."""
        names = {node.id for node in self.nodes() if isinstance(node, ast.Name) and isinstance(node.ctx, context)}
        if context is ast.Store:
            for node in self.nodes():
                if isinstance(node, ast.alias):
                    names.add((node.asname or node.name).partition(".")[0])
                elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                    names.add(node.name)
        return names

    def shared(self) -> list[str]:
        """Return the names that a function of a statement shares with the statements."""
        return sorted({name for node in self.nodes() if isinstance(node, ast.Global) for name in node.names})

    def public(self, loaded: set[str]) -> list[str]:
        """Return the public names of fakecuda that statements read."""
        return sorted(loaded & set(fakecuda.__all__) - FUNCTIONS.keys())

    def hidden(self, loaded: set[str]) -> list[str]:
        """Return the builtins that statements both read and redefine."""
        return sorted(loaded & self.names(ast.Store) & set(dir(builtins)) - {"_"})

    def write(self, one: Typed, body: Sequence[ast.stmt]) -> None:
        """Write a statement with the assertion of its code."""
        body = [
            self._numbers(one, part) for part in body if self.last or one.error is not None or not self._looks(part)
        ]
        body = [part for part in body if not self._outside(part)]
        if not body:
            return
        if one.where and len(body) == 1:
            assign = f"{self.last}{self.answer} = " if isinstance(body[0], ast.Expr) else ""
            lines = f"{assign}{ast.unparse(body[0])}".splitlines()
            check = [f"assert {one.where.replace(ANSWER, f'{self.answer}[0]')} == {one.code}"]
        else:
            lines, check = [line for part in body for line in self._written(part)], []
        around = _expected(one, coded=bool(check))
        self.lines += [f"with {around}:", *(INDENT + line for line in lines)] if around else lines
        self.lines += check
        self._learn(one)

    def _looks(self, part: ast.stmt) -> bool:
        """Return whether a statement has no effect."""
        if not isinstance(part, ast.Expr):
            return False
        calls = [node for node in ast.walk(part.value) if isinstance(node, ast.Call)]
        own = self.names(ast.Store)
        quiet = all(isinstance(one.func, ast.Name) and one.func.id in LOOKS - own for one in calls)
        return quiet and all(isinstance(node, (*QUIET, ast.Call)) for node in ast.walk(part.value))

    def _outside(self, part: ast.stmt) -> bool:
        """Write an import that cannot stand in a function; return whether it is one."""
        if not isinstance(part, ast.ImportFrom):
            return False
        if part.module == "__future__":
            self.futures.append(ast.unparse(part))
        elif part.names[0].name == "*":
            self.stars.append(ast.unparse(part))
        else:
            return False
        return True

    def _written(self, statement: ast.stmt) -> list[str]:
        """Return a statement as lines, without comments."""
        return f"{self.last if isinstance(statement, ast.Expr) else ''}{ast.unparse(statement)}".splitlines()

    def _numbers(self, one: Typed, part: ast.stmt) -> ast.stmt:
        """Return a statement with variables in place of addresses and handles."""
        values = {value: self._expression(value, start) for value, start in one.uses.items()}
        for value in [value for value, expression in values.items() if not expression]:
            self.notes.append(
                f"{value:#x} differs in each run: assign the result of the call that returned it, and use the variable"
            )
        known = {value: expression for value, expression in values.items() if expression}
        return ast.fix_missing_locations(_Numbers(known).visit(part)) if known else part

    def _expression(self, value: int, start: int) -> str:
        """Return an expression for an address or a handle; empty without one."""
        if start not in self._known and start in self._answers:
            line, place = self._answers[start]
            name = self._free("made")
            self.lines.insert(line, f"{name} = {self.answer}[{place}]")
            self._answers = {key: (at + (at >= line), to) for key, (at, to) in self._answers.items()}
            self._known[start] = name
        name = self._known.get(start, "")
        return name and f"int({name})" + (f" + {value - start}" if value != start else "")

    def _learn(self, one: Typed) -> None:
        """Note the values of variables and of the last answer."""
        self._known = {value: name for value, name in self._known.items() if name in self._named} | dict(one.holds)
        if one.where == ANSWER:
            self._answers |= {value: (len(self.lines), place) for value, place in one.answer.items()}


class _Numbers(ast.NodeTransformer):
    """Replaces numbers by expressions."""

    def __init__(self, known: Mapping[int, str]) -> None:
        self.known = known

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Replace a number."""
        if type(node.value) is int and node.value in self.known:
            return ast.parse(self.known[node.value], mode="eval").body
        return node


class _Queries(ast.NodeTransformer):
    """Removes calls of the prompt's functions from blocks."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """Replace a statement that only queries the prompt."""
        return ast.Pass() if is_query(node) else node


def _without_queries(source: str) -> list[ast.stmt]:
    """Return a statement's parts, without those that only query the prompt."""
    body = [part for part in ast.parse(source).body if not is_query(part)]
    return [ast.fix_missing_locations(_Queries().visit(part)) for part in body]


def _expected(one: Typed, *, coded: bool) -> str:
    """Return what a statement's block in the test expects; empty if nothing.

    Args:
        one: The statement.
        coded: Whether the test asserts its code.
    """
    if one.done.findings:
        return f"fakecuda.expect_undefined({', '.join(map(repr, one.done.findings))})"
    if one.error is not None:
        kind = type(one.error)
        name = f"fakecuda.{kind.__name__}" if kind in ANSWERS else kind.__name__
        return f"pytest.raises({name if kind in ANSWERS or hasattr(builtins, name) else 'Exception'})"
    if one.done.refused and not coded:
        return f"fakecuda.expect({', '.join(map(repr, one.done.refused))})"
    return ""
