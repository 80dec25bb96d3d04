"""Mutants of rules: operations with one rule dropped, unreported or recoded.

A mutant is in force while its one operation runs: others that share its guards check and answer as ever. It is made of the
operation's own text, in memory. The rules that an operation takes over from an API beneath are mutated there.
"""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
from collections import ChainMap
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import attrs
from attrs import frozen

from fakecuda.explain.ledger.codes import HANDS_ON
from fakecuda.rules.core import Rule
from fakecuda.rules.registry import FORMS, OPS, api_of
from fakecuda.rules.rule_discovery import named_by, scope_of
from fakecuda.spec.codes import Code, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.kit.case import Case
    from fakecuda.rules.dispatch import Op

DROPPED, UNREPORTED, CODE = KINDS = ("dropped", "unreported", "code")
"""Kinds of mutants: no check, no report by a strict machine, or another code."""

MUTATED = ChainMap(*OPS.maps, FORMS.ops)
"""The operations whose rules are mutated."""


class MutationError(Exception):
    """A rule has no mutant; the text is one line with the rule and the fix."""


@frozen
class Mutant:
    """One change of an operation.

    Attributes:
        call: The operation's call.
        rule: The rule's id.
        kind: One of ``KINDS``.
    """

    call: str
    rule: str
    kind: str

    def __str__(self) -> str:
        return f"{self.call} {self.rule} {self.kind}"


def mutants(op: Op) -> Iterator[Mutant]:
    """Yield the mutants of an operation's own rules, in the order of its checks.

    Raises:
        MutationError: The operation names a rule that it neither raises nor reports.
    """
    breaches = {breach for function in _reached(op.function) for breach in _breaches(function)}
    for rule in api_of(op.name).of_rules(op):
        kinds = {kind for kind, broken in breaches if broken is rule}
        if not kinds:
            name = rule.id.rpartition(".")[2]
            msg = (
                f"{op.name} names {rule.id} and never breaks it: write raise {name}.broken(…) or "
                f"call.undefined({name}, …) in the operation or in a @guard that it calls"
            )
            raise MutationError(msg)
        if DROPPED in kinds and rule not in HANDS_ON:
            kinds.add(CODE)
        yield from (Mutant(op.name, rule.id, kind) for kind in KINDS if kind in kinds)


@cache
def every_mutant() -> dict[Mutant, None]:
    """Return all mutants in the order of the calls, after one parse of the operations.

    Raises:
        MutationError: An operation names a rule that it neither raises nor reports.
    """
    return dict.fromkeys(mutant for op in MUTATED.values() for mutant in mutants(op))


def install(mutant: Mutant) -> None:
    """Replace an operation by its mutant, in this process and for good.

    It is reached through ``Op.invoke``; who took that before, as the look-alike does, keeps the operation.
    """
    op = MUTATED[mutant.call]
    rule = rule_of(mutant)
    if mutant.kind == CODE:
        op.invoke = _with(op.invoke, [(rule, "code", other_code(op, rule))], [])
        return
    breach = mutant.kind, rule
    changed = [function for function in _reached(op.function) if breach in _breaches(function)]
    plain = [inspect.unwrap(function) for function in changed]
    caches = [function.cache_clear for function in changed if hasattr(function, "cache_clear")]
    op.invoke = _with(op.invoke, [(one, "__code__", _without(one, breach)) for one in plain], caches)


def follow(case: Case, mutant: Mutant) -> Case:
    """Return a case with the mutant's code for its rule."""
    rule = rule_of(mutant)
    if mutant.kind != CODE or case.entry.call != mutant.call:
        return case
    code = int(other_code(MUTATED[mutant.call], rule))
    twists = (attrs.evolve(t, code=code) if t.rule is rule and t.real else t for t in case.twists)
    return attrs.evolve(case, twists=tuple(twists))


def rule_of(mutant: Mutant) -> Rule:
    """Return the rule of a mutant."""
    return next(rule for rule in MUTATED[mutant.call].rules if rule.id == mutant.rule)


def other_code(op: Op, rule: Rule) -> Code:
    """Return a wrong code for a rule: INVALID_VALUE, or another code of the operation."""
    if rule.code != Result.INVALID_VALUE:
        return Result.INVALID_VALUE
    others = [one.code for one in op.rules if one.code not in {Result.SUCCESS, rule.code}]
    return others[-1] if others else Result.NOT_SUPPORTED


def _with(
    invoke: Callable[..., Any], swaps: list[tuple[Any, str, Any]], caches: list[Callable[[], None]]
) -> Callable[..., Any]:
    """Return ``invoke`` with other attribute values and empty caches while it runs."""

    def mutated(*args: Any) -> Any:
        kept = [(thing, name, getattr(thing, name)) for thing, name, _ in swaps]
        try:
            for thing, name, value in swaps:
                setattr(thing, name, value)
            return invoke(*args)
        finally:
            for thing, name, value in kept:
                setattr(thing, name, value)
            for clear in caches:
                clear()

    return mutated


@cache
def _reached(function: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """Return a function and the guards that it calls, directly or not."""
    found = {function: None}
    for one in named_by(function):
        if not isinstance(one, Rule) and one is not function:
            found |= dict.fromkeys(_reached(one))
    return tuple(found)


def _text(function: FunctionType) -> ast.stmt:
    """Return the definition of a function."""
    return _definitions(function.__code__.co_filename)[function.__code__.co_firstlineno]


@cache
def _definitions(file: str) -> dict[int, ast.stmt]:
    """Return the functions of a file by their first line, decorators included."""
    return {
        min([node.lineno, *(one.lineno for one in node.decorator_list)]): node
        for node in _statements(ast.parse("".join(linecache.getlines(file))))
        if isinstance(node, ast.FunctionDef)
    }


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax nodes down to statements, without expressions."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _statements(inner)


@cache
def _breaches(function: Callable[..., Any]) -> frozenset[tuple[str, Rule]]:
    """Return the rules that a function raises or reports, with the kind of the mutant.

    One that was written out in memory, as calls have that lead through to others, breaks none itself.
    """
    if hasattr(function, "guards"):
        return frozenset()
    plain = inspect.unwrap(function)
    scope = scope_of(plain)
    return frozenset(filter(None, (_breach(node, scope) for node in _statements(_text(plain)))))


def _breach(node: ast.AST, scope: Mapping[str, Any]) -> tuple[str, Rule] | None:
    """Return the rule that a statement raises or reports, with the mutant's kind."""
    match node:
        case ast.Raise(exc=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="broken"))):
            kind = DROPPED
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="undefined"), args=[ast.Name(id=name), *_])):
            kind = UNREPORTED
        case ast.Expr(value=ast.Call(func=ast.Name(id="refuse"), args=[_, ast.Name(id=name), *_])):
            kind = DROPPED
        case ast.Return(value=ast.Call(func=ast.Name(id="refuse"), args=[_, ast.Name(id=name), *_])):
            kind = DROPPED
        case ast.Raise(exc=ast.Call(func=ast.Name(id="Broken"), args=[ast.Name(id=name), *_])):
            kind = DROPPED
        case _:
            return None
    rule = scope.get(name)
    return (kind, rule) if isinstance(rule, Rule) else None


class _Without(ast.NodeTransformer):
    """Removes statements that raise or report a rule.

    Args:
        breach: The kind of the mutant and the rule.
        scope: What the names in the function mean.
    """

    def __init__(self, breach: tuple[str, Rule], scope: Mapping[str, Any]) -> None:
        self.breach = breach
        self.scope = scope

    def visit(self, node: ast.AST) -> ast.AST:
        if _breach(node, self.scope) == self.breach:
            # A statement that never runs keeps the function's free variables.
            assert isinstance(node, ast.stmt)
            return ast.copy_location(ast.If(ast.Constant(value=False), [node], []), node)
        return self.generic_visit(node)


def _without(function: FunctionType, breach: tuple[str, Rule]) -> CodeType:
    """Return the code of a function without statements that raise or report a rule."""
    tree = ast.Module([copy.deepcopy(_text(function))], [])
    _Without(breach, scope_of(function)).visit(tree)
    if function.__code__.co_freevars:  # the function around it has them
        outer = ast.parse(f"def outer({', '.join(function.__code__.co_freevars)}): pass")
        assert isinstance(outer.body[0], ast.FunctionDef)
        outer.body[0].body = tree.body
        tree = outer
    # This module's own future import holds for the text too: annotations stay unevaluated.
    module = compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec")
    return next(code for code in _codes(module) if code.co_name == function.__code__.co_name)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the codes of nested functions, recursively."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)
